//! The vocabulary every other room of Meniscus shares.
//!
//! Nothing here knows a fluid method or a solid type: only the words they exchange. The seven [`Phase`]s of a
//! step, the [`Interface`] where fluid touches solid, errors that name place and time, reductions whose result does
//! not depend on the number of threads, and the plain records ([`ParticleFrame`], [`SeriesRow`]) that observers
//! read.

mod dimension;
mod error;
mod hash;
mod interface;
mod phase;
mod prefetch;
mod record;
pub mod reduce;
mod rigid;

pub use dimension::Dimension;
pub use error::{Failure, SimulationError, Subject};
pub use glam::DVec3;
pub use hash::StateHash;
pub use interface::{BodyId, Interface, InterfacePoint};
pub use phase::{Phase, PhaseTimers};
pub use prefetch::prefetch;
pub use record::{BodyFrame, BodyRow, ParticleFrame, SeriesRow, SolidRow, series_columns};
pub use rigid::{Mobility, Twist, Wrench};
