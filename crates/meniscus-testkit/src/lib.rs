//! What tests of physics are made of.
//!
//! * [`Tank`] and [`Body`] write scenes, as a user would, and fill them;
//! * [`Run`] steps a simulation and says what can be measured of it. `run.rs` is the only file that knows how a
//!   simulation is made and read;
//! * [`law!`] and [`seen!`] claim something about a figure and print it: laws of physics, and envelopes of what was
//!   merely seen before;
//! * [`analytic`] has the solutions that figures are compared with, [`Balance`] and [`Hull`] what follows from
//!   conservation and from Archimedes;
//! * [`contract`] has what every implementation of a seam must keep to, [`material`] a solid and a fluid that are not of the
//!   product, to try the seams with.
//!
//! The tests themselves are in `tests/physics`, by law, and in `tests/contract`, by seam.

#![allow(clippy::must_use_candidate, reason = "a figure that nobody reads does no harm")]
#![allow(
    clippy::missing_errors_doc,
    reason = "all that fails is a scene with mistakes or a step, and says so"
)]
#![allow(clippy::missing_panics_doc, reason = "claims are there to fail")]

pub mod analytic;
mod balance;
mod body;
pub mod claim;
pub mod contract;
mod draft;
mod exact;
pub mod material;
mod measure;
mod run;
pub mod solver;
mod tank;

pub use balance::Balance;
pub use body::Body;
pub use claim::{Bound, above, at_most, below, between, exactly, near};
pub use draft::Hull;
pub use exact::ExactDensity;
pub use run::{Run, Saved};
pub use solver::{CALM, Solver};
pub use tank::Tank;

pub use anyhow::Result;

/// The pressure solvers, by their names in scenes.
pub const SOLVERS: [&str; 4] = ["dfsph", "iisph", "pcisph", "wcsph"];

/// The boundary methods that bodies which float are made with, by their names in scenes.
pub const METHODS: [&str; 3] = ["volume-particles", "density-map", "direct-forcing"];

/// Water `[kg/m³]`.
pub const WATER: f64 = 1000.0;

/// The gravity of scenes that say nothing of it `[m/s²]`.
pub const GRAVITY: f64 = 9.81;
