//! Samples: points on surfaces and in volumes, and how even they are.
//!
//! What scenes need comes first: [`Solid::sample_surface`](crate::Solid::sample_surface) places the boundary particles of a solid
//! (`solid`; `primitives` for boxes, spheres, cylinders and planes, `thinned` for meshes, whose scanlines are thinned out where
//! triangles are small, `offset` for layers below their surface), and [`fill()`] the particles of a fluid volume.
//!
//! Then meshes in their own right: [`sample()`] is the one entry for a mesh that stands still, by [`SamplingMethod`]:
//! [`scanline()`], [`seven_point()`], [`poisson_disk`], [`Relaxation`] in a [`SampleDomain`], [`volume_lattice`]. [`SurfaceSamples`]
//! know by an [`MeshAnchor`] where on the mesh they are, and [`ResampledSurface`] lets them follow one that deforms.
//! [`number_density`] and [`SamplingQuality`] judge any samples. `edges`, `cells` and [`RandomStream`] are the tools.
//!
//! [`ResampledSurface`] waits for cloth and elastic solids. [`seven_point()`] and [`RandomRelaxation`] are peers to compare with, and
//! [`places_in_triangle`] tells where; besides `validation`, only the command `sample` asks for methods that no scene uses.

mod anchor;
mod cells;
mod domain;
mod edges;
mod fill;
mod method;
mod offset;
mod poisson;
mod primitives;
mod quality;
mod random;
mod relax;
mod resample;
mod scanline;
mod seven_point;
mod solid;
mod thinned;
mod volume;

pub use anchor::{Feature, MeshAnchor, SurfaceSamples};
pub use domain::{InVolume, OnSurface, SampleDomain};
pub use fill::{fill, fill_count};
pub use method::{SamplingMethod, SamplingParams, sample};
pub use poisson::poisson_disk;
pub use quality::{
    OVER_SAMPLED, SamplingQuality, UNDER_SAMPLED, boundary_volumes, number_density, places_in_triangle,
};
pub use random::{RandomStream, mix};
pub use relax::{RandomRelaxParams, RandomRelaxation, RelaxParams, Relaxation};
pub use resample::{ResampleReport, ResampledSurface};
pub use scanline::{Rounding, ScanlineParams, scanline};
pub use seven_point::seven_point;
pub use volume::{VolumeLattice, volume_lattice};
