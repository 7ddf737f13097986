//! The phases of a step, in their order: neighbours, carriers, pressure, forces, flights, integration, checks and the length of the next.

mod carriers;
mod flight;
mod forces;
mod integrate;
mod neighbours;
mod pressure;
mod scale;
mod undo;

pub use flight::Pace;
pub(crate) use undo::Undo;
