//! Where fluid comes from and goes to while the simulation runs.

mod drain;
mod emitter;

pub use drain::{Drain, drain};
pub(crate) use drain::remove;
pub use emitter::{Emitter, EmitterParams, EmitterState, Nozzle};
