//! The seams, by what is behind them.
//!
//! What every implementation must keep to, held against all there are, and what others than the product's can do: a solid that is not
//! rigid, a fluid that is not SPH.

mod boundary_method;
mod deformable;
mod fluid;
mod grid;
mod pressure_solver;
mod solid;
mod stream;
