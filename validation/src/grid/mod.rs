//! Fluids on grids beside formulas and published figures.

pub mod cavity;
pub mod cylinder;
pub mod solver;
pub mod vortex;
