//! Validation: the simulator beside experiments.
//!
//! Each case has a folder with its scene, its reference data and a README, and a program that runs the scene, prints the
//! errors, draws the plot and fails where an error is too large. What the programs share is here.

pub mod boundaries;
pub mod floating;
pub mod front;
pub mod golden;
pub mod grid;
pub mod meshes;
pub mod reference;
pub mod rigid;
pub mod sampling;
