//! Smoothed particle hydrodynamics: neighbours, kernels, forces, pressure solvers, boundary rows.
//!
//! Read in this order: [`particles`] is the state, [`wet`] what is derived from it in each step, [`rows`] how neighbours
//! are stored and walked, [`boundary`] how walls are felt, [`pressure`] and [`force`] what
//! pushes, [`stress`] what comes of it.

pub mod boundary;
pub mod fixed;
pub mod force;
pub mod grid;
pub mod kernel;
mod lanes;
pub mod particles;
pub mod pressure;
mod row;
pub mod rows;
mod search;
pub mod source;
pub mod stress;
pub mod wet;
