//! The vocabulary every other room of Meniscus shares.
//!
//! Nothing here knows a fluid method or a solid type: only the words they exchange. The seven [`Phase`]s of a
//! step, the [`Interface`] where fluid touches solid, errors that name place and time, reductions whose result does
//! not depend on the number of threads, and the plain records ([`ParticleFrame`], [`SeriesRow`]) that observers
//! read.

mod carrier;
mod dimension;
mod error;
mod fluid;
mod hash;
mod interface;
mod motion;
mod phase;
mod pose;
mod prefetch;
mod record;
pub mod reduce;
mod response;
mod rigid;
mod solid;
mod solid_error;
mod step;
mod step_size;

pub use carrier::{Carrier, Carriers};
pub use dimension::Dimension;
pub use error::{Failure, SimulationError, StateError, Subject};
pub use fluid::{Exchange, Fluid, Stage};
pub use glam::DVec3;
pub use hash::StateHash;
pub use interface::{
    Anchor, BodyId, ChunkLoads, Interface, InterfacePoint, InterfacePoints, Loading, Loads, MotionChange,
};
pub use motion::{DeformingMotion, MovingSurface, RigidMotion, SolidMotion};
pub use phase::{Phase, PhaseTimers, STEP, StepPart};
pub use pose::{Kinematics, Pose};
pub use prefetch::prefetch;
pub use record::{
    BodyFrame, BodyRow, DeformationRow, DeformingFrame, ParticleFrame, SeriesColumns, SeriesRow, SolidRow,
    Value,
};
pub use response::Response;
pub use rigid::{Answering, BodyContactRow, CarrierLinks, Mobility, PointRow, ReducedSystem, Twist, Wrench};
pub use solid::{SolidEngine, SolidReport, Solids};
pub use solid_error::SolidError;
pub use step::{Clock, StepContext};
pub use step_size::{StepDemand, StepPolicy, Stops};
