//! The phases of a step, in their order: neighbours, carriers, pressure, forces, integration, checks and the length of the next.

mod carriers;
mod forces;
mod integrate;
mod neighbours;
mod pressure;
mod scale;
mod undo;

pub(crate) use undo::Undo;
