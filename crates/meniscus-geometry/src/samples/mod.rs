//! Samples of surfaces and volumes, and how even they are.
//!
//! [`sample`] is the one entry for a mesh that stands still. [`ResampledSurface`] follows one that deforms.
//! [`number_density`] and [`SamplingQuality`] judge any samples. The samples of walls in scenes come from
//! [`Solid::sample_surface`](crate::Solid::sample_surface), which thins out the scanlines of fine meshes.

mod anchor;
mod cells;
mod domain;
mod edges;
mod method;
mod outline;
#[cfg(test)]
mod pair_tests;
mod poisson;
mod quality;
mod random;
mod relax;
mod relax_random;
mod resample;
pub(crate) mod scanline;
mod seven_point;
#[cfg(test)]
pub(crate) mod test_shapes;
mod volume;

pub use anchor::{Anchor, Feature, SurfaceSamples};
pub use domain::{InVolume, OnSurface, SampleDomain};
pub use method::{SamplingMethod, SamplingParams, sample};
pub use poisson::poisson_disk;
pub use quality::{
    OVER_SAMPLED, SamplingQuality, UNDER_SAMPLED, boundary_volumes, number_density, places_in_triangle,
};
pub use random::{RandomStream, mix};
pub use relax::{RelaxParams, Relaxation};
pub use relax_random::{RandomRelaxParams, RandomRelaxation};
pub use resample::{ResampleReport, ResampledSurface};
pub use scanline::{Rounding, ScanlineParams, scanline};
pub use seven_point::seven_point;
pub use volume::{VolumeLattice, volume_lattice};
