//! Bodies as samples: boundary particles with volumes.
//!
//! [`samples`] says what they are and what they weigh, [`calibration`] by which factor, [`sample_geometry`] and [`extent`] what of
//! a body's surface each of them stands for, [`rows`] what fluid particles feel of them, [`edge_pressure`] what they do where a
//! face ends that contacts hold.

mod calibration;
mod edge_pressure;
mod extent;
mod rows;
mod sample_geometry;
mod samples;

pub(super) use calibration::{CONTACT_HEIGHT, missing_half};
pub use calibration::{
    flat_wall_volume_factor, layer_depths, missing_density, missing_gradient, round_wall_volume_factor,
    sheet_volume_factor,
};
pub(crate) use edge_pressure::FaceSample;
pub use extent::Extent;
pub use rows::SampledBodies;
pub use sample_geometry::SampleGeometry;
pub use samples::{BodySamples, BoundaryTreatment, edge_volume_correction};
