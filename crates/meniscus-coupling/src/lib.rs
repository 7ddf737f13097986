//! The driver of a step: who is advanced when, and how fluids and solids meet.
//!
//! [`Setup`] is the description, [`State`] all that a restart needs, [`Simulation`] fluids, solids and the interface between
//! them. [`Simulation::step`] is the step on one page.

mod observe;
mod setup;
mod simulation;
mod solids;
mod state;

pub use meniscus_core::{StepDemand, StepPolicy, Stops, World};
pub use setup::{Body, Setup, SetupError};
pub use simulation::{Simulation, StepReport};
pub use solids::{EngineChoice, SolidSet, SolidSetup};
pub use state::State;
