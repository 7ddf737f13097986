//! Functions sampled on grids: distances of bodies, and whatever else is looked up often and known in advance.
//!
//! [`SerendipityField`] holds cubic cells of \[Koschier2017\] Sec. 5, kept only where they are needed;
//! [`UniformField`] holds plain trilinear ones. [`DistanceField`] is the distance to a mesh in cubic cells.
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | Φ | distance | signed distance, negative inside | m |
//! | Φ_min, Φ_max | bounds from the cell's middle | least and largest distance in a cell | m |
//! | N_i | `cell.rs` | shape functions, Eq. 9 and 10 | 1 |
//! | T | t = (T + 1) / 2 | place within a cell | 1 |
//! | a, b | corners of a cell | | m |
//!
//! **Departures.** Φ_min and Φ_max of a cell come from the distance at its middle and the fact that a distance changes
//! by at most the way gone, not from the sampled field: a point of the band is never lost, and far blocks of cells are
//! dropped with one distance. Cells keep their polynomial in a form that is quick to evaluate, in single precision,
//! equal ones once; so is the arithmetic, from the place within a cell on. In the plane, elements have 12 nodes.

mod band;
pub(crate) mod bytes;
mod cell;
mod distance_field;
mod lattice;
mod memory;
mod serendipity;
mod slots;
mod uniform;

pub use band::Band;
pub use distance_field::DistanceField;
pub use lattice::Lattice;
pub use memory::FieldMemory;
pub(crate) use memory::{NodeWork, field_memory};
pub(crate) use serendipity::NodeValues;
pub use serendipity::{Region, SerendipityField, Spot};
pub use uniform::UniformField;
