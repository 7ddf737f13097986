//! What a run leaves behind: frames, series, checkpoints, pictures, summary.
//!
//! A run owns one folder, its [`RunFolder`]:
//!
//! ```text
//! scene.toml                           the scene as it was run
//! fluid.pvd                            the frames in order, for ParaView and pyvista
//! frames/fluid_000000.vtu              one frame; also .ply and .bgeo on request
//! surface.pvd frames/surface_000000.vtp the surface of the fluid, if wanted; also .ply and .obj
//! bodies.pvd  frames/bodies_000000.vtu where there are dynamic bodies, and bodies/ their meshes
//! bodies.glb                           the same as one animation, written at the end
//! checkpoints/step_000000012345.ckpt   everything a restart needs
//! series.csv                           one line per step
//! preview.png  animation.gif            pictures, written at the end
//! report.html  summary.json             the run on one page, for people and for scripts, written at the end
//! .lock                                held while a process writes here
//! ```
//!
//! Every file appears under its name only when it is complete ([`atomic`]); the series alone grows in place and is
//! cut back to the checkpoint on resume. Frames and checkpoints are written by a thread of their own
//! ([`OutputThread`]), so that the simulation does not wait for the disk.

pub mod atomic;
pub mod bgeo;
pub mod body_vtu;
pub mod checkpoint;
pub mod deformable;
mod error;
pub mod folder;
mod frame;
pub mod glb;
pub mod html;
mod lock;
mod loss;
mod mesh;
pub mod plot;
pub mod ply;
mod points;
pub mod preview;
mod process;
mod pvd;
pub mod report;
mod series;
mod series_table;
mod summary;
pub mod surface;
pub mod usd;
mod vtk_block;
mod vtk_read;
pub mod vtu;
mod writer;

pub use checkpoint::{Checkpoint, CheckpointError, LatestCheckpoint};
pub use error::OutputError;
pub use folder::{Existing, RunFolder};
pub use loss::Loss;
pub use mesh::write_mesh;
pub use points::{PointColumn, write_points};
pub use preview::{ColourScale, Picture, PreviewView, Surface, SurfaceMesh, render_preview};
pub use process::{cpu_seconds, peak_memory_bytes};
pub use pvd::Collection;
pub use series::{SeriesWriter, csv_field};
pub use series_table::SeriesTable;
pub use summary::{
    ClaimSummary, DensityErrorSummary, Outcome, PhaseSeconds, SolidSummary, Summary, SweepSummary, Verdict,
    four_digits,
};
pub use writer::{FrameFormats, OutputParams, OutputThread};
