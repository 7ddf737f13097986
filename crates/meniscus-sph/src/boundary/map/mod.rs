//! Bodies whose share of the density is tabulated: density maps and volume maps.
//!
//! [`flat`] is the map of a flat wall, which says how all of them are scaled, [`table`] its integrals, [`round`] that of a ball,
//! [`build`] makes those of other bodies, [`rows`] asks them for fluid particles.

mod build;
mod flat;
mod round;
mod rows;
mod table;

pub use flat::FlatMap;
pub use round::RoundMap;
pub use rows::{BodyField, BodyMap, MappedBodies};
pub use table::MapKind;
