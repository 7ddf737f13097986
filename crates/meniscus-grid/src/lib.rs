//! Fluids on grids: smoke and air that flow around rigid bodies and push them (\[Guendelman2006\] ch. 4, 5 and 7).
//!
//! In reading order: [`CellLattice`] says where cells and faces are, [`side`] what is at the sides of the box, [`Fields`] what the state
//! is. A step ([`fluid`]) gives what sources give ([`source`]), carries everything along the flow ([`advect`]), lets forces
//! ([`force`]) and viscosity ([`viscosity`]) act, and makes the flow free of divergence ([`pressure`]) around bodies
//! ([`cut`]), which answer within that solve. Values are continued into bodies for the next step ([`extend`]).
//!
//! Smoke and temperature are in the fluid and do not push but by [`force::Buoyancy`]; there is one density. Lengths are metres.
//! Thin sheets and deformable bodies are not felt yet.

pub mod advect;
mod alone;
mod buoyant;
pub mod cut;
pub mod extend;
pub mod fluid;
pub mod force;
mod lattice;
mod observe;
pub mod pressure;
pub mod sample;
pub mod setup;
pub mod side;
pub mod source;
pub mod state;
pub mod viscosity;

pub use advect::Advection;
pub use alone::Alone;
pub use cut::GridBody;
pub use fluid::GridFluid;
pub use force::Buoyancy;
pub use lattice::{CellLattice, LatticeError, MAX_SLOTS, Site};
pub use pressure::Preconditioner;
pub use setup::{GridSetup, PressureParams, Splitting};
pub use side::{GridSide, GridSides};
pub use source::GridSource;
pub use state::{Fields, GridTotals};
