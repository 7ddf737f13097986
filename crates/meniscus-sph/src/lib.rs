//! Smoothed particle hydrodynamics: a [`Fluid`](meniscus_core::Fluid) of particles.
//!
//! Read in this order: [`SphSetup`] is the description, [`SphState`] the state, [`SphFluid`] what each phase of a step does.
//! [`particles`] are the state's columns, [`neighbourhood`] what is derived from them in each step, [`rows`] how neighbours are stored and
//! walked, [`boundary`] how walls are felt, [`pressure`] and [`force`] what pushes, [`stress`] what comes of it.

pub mod boundary;
mod contact;
pub mod fixed;
mod fluid;
pub mod force;
pub mod grid;
mod initial;
pub mod kernel;
mod lanes;
pub mod neighbourhood;
mod observe;
pub mod particles;
pub mod pressure;
mod row;
pub mod rows;
mod search;
mod setup;
pub mod source;
mod state;
mod step;
pub mod stress;

pub use fluid::{SphFluid, SphReport, TooLarge};
pub use observe::FluidSums;
pub use setup::{Integrator, Maps, OnFailure, PressureChoice, SphSetup, Wall};
pub use state::{Densest, SphState, Totals};
pub use step::Pace;
