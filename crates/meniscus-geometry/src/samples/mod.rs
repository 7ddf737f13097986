//! Samples of surfaces and volumes.

mod anchor;
mod cells;
mod edges;
mod poisson;
mod quality;
mod random;
mod resample;
pub(crate) mod scanline;
mod seven_point;
#[cfg(test)]
pub(crate) mod test_shapes;

pub use anchor::{Anchor, Feature, SurfaceSamples};
pub use poisson::poisson_disk;
pub use quality::{
    OVER_SAMPLED, SamplingQuality, UNDER_SAMPLED, boundary_volumes, number_density, places_in_triangle,
};
pub use random::RandomStream;
pub use resample::{ResampleReport, ResampledSurface};
pub use scanline::{Rounding, ScanlineParams, scanline};
pub use seven_point::seven_point;
