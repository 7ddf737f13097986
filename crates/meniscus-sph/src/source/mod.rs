//! Where fluid comes from and goes to while the simulation runs.

mod drain;
mod emitter;

pub(crate) use drain::remove;
pub use drain::{Drain, drain};
pub use emitter::{Emitter, EmitterParams, EmitterState, Nozzle};
