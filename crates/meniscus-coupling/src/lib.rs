//! The drivers of a step: who is advanced when, and how fluid and solids meet.
//!
//! [`Setup`] is the description (immutable), [`World`] the state (all that a restart needs, nothing else),
//! [`Simulation`] the two together with scratch. [`Simulation::step`] is the step on one page.

mod assemble;
mod contact;
mod couple;
mod fit;
mod floor;
mod follow;
mod foresight;
mod free;
mod measure;
mod outside;
mod pace;
mod pack;
mod setup;
mod simulation;
mod solids;
mod step_size;
mod undo;
mod world;

pub use free::Support;
pub use setup::{Body, Integrator, Maps, OnFailure, PressureChoice, Setup, SetupError};
pub use simulation::{Simulation, StepReport};
pub use solids::{SolidEngine, SolidSetup};
pub use step_size::{Motion, StepPolicy, Stops};
pub use world::{Totals, World};
