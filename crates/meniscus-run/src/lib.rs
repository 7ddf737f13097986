//! Runs scenes and shows what came out: from a scene to a folder of results, and from such a folder to pictures,
//! animations and the files of other programs. There is no physics here, and no terminal.
//!
//! - [`Run`] begins or resumes a run in a folder, takes steps and writes what is due;
//! - [`Replay`] opens such a folder and gives its frames, surfaces, bodies and pictures, and exports them;
//! - [`claims`] answers whether a run shows what its scene claims.
//!
//! Whoever advances a run is asked before each step and may watch, or end it:
//!
//! ```no_run
//! use meniscus_output::Existing;
//! use meniscus_run::{Limits, OnShortage, Run};
//! use meniscus_scene::SceneSource;
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! let scene = SceneSource::open("dam-break")?;
//! let mut run = Run::begin(&scene, Path::new("out/dam-break"), Existing::Refuse, OnShortage::Refuse)?;
//! let end = run.advance(Limits::default(), &mut |simulation| {
//!     println!("t = {:.3} s", simulation.clock().time);
//!     ControlFlow::Continue(())
//! });
//! let summary = run.finish(end)?;
//! println!("{} steps", summary.steps);
//! # Ok::<(), meniscus_run::RunError>(())
//! ```

mod bodies;
pub mod claims;
mod gathered;
mod look;
mod memory;
mod picture;
mod replay;
mod run;

pub use memory::{MemoryLimit, MemoryNeed, MemoryShortage, OnShortage, survey};
pub use picture::{Field, View};
pub use replay::{Replay, ReplayError, SurfaceFormats};
pub use run::{Costs, End, Limits, Resumed, Run, RunError, is_over, summarise};
