//! The pressure solve on grids of growing size: iterations and time.

use anyhow::Result;
use glam::DVec3;
use meniscus_core::{Dimension, Pose};
use meniscus_geometry::{Shape, Side as Matter, Solid};
use meniscus_grid::{Alone, CellLattice, GridBody, GridSetup, GridSide, Preconditioner, Splitting};
use std::time::Instant;

/// What is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Nothing, in a closed box.
    Nothing,
    /// A ball, in a box that is open above.
    Ball,
}

/// What a step cost.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Iterations of the one solve in a step `[1]`.
    pub iterations: u32,
    /// Cells with fluid.
    pub rooms: usize,
    /// Wall time of a step, all of it, the least of three `[s]`.
    pub step: f64,
}

/// Takes steps of a noisy flow on a cubic grid.
///
/// # Errors
/// If a step fails.
pub fn run(
    cells: usize,
    obstacle: Obstacle,
    preconditioner: Preconditioner,
    tolerance: f64,
) -> Result<Outcome> {
    let lattice = CellLattice::new(Dimension::Three, [cells; 3], 1.0 / cells as f64, DVec3::ZERO)?;
    let mut sides = [GridSide::SLIP; 6];
    let mut bodies = Vec::new();
    if obstacle == Obstacle::Ball {
        sides[3] = GridSide::Open;
        let pose = Pose::at(DVec3::new(0.5, 0.4, 0.5));
        let solid = Solid { shape: Shape::Sphere { radius: 0.2 }, pose, side: Matter::Solid };
        bodies.push(GridBody { solid: Some(solid), friction: 0.0 });
    }
    let mut setup = GridSetup::new(lattice, sides, 1.0);
    setup.bodies = bodies;
    setup.splitting = Splitting::Projection;
    setup.pressure.preconditioner = preconditioner;
    setup.pressure.tolerance = tolerance;
    setup.pressure.max_iterations = 2000;
    let mut flow = Alone::new(setup, DVec3::ZERO);
    let noise = |x: DVec3| {
        let wave = |a: f64, b: f64, c: f64| (a * x.x + b * x.y + c * x.z).sin();
        DVec3::new(wave(9.0, 3.0, 1.0), wave(7.0, -2.0, 4.0), wave(5.0, 8.0, -3.0))
    };
    let mut outcome = Outcome { iterations: 0, rooms: 0, step: f64::INFINITY };
    for _ in 0..3 {
        flow.fluid_mut().set_velocity(noise);
        let start = Instant::now();
        flow.step(0.5 / cells as f64)?;
        let rooms = flow.fluid().rooms();
        let iterations = flow.fluid().report().iterations;
        outcome = Outcome { iterations, rooms, step: outcome.step.min(start.elapsed().as_secs_f64()) };
    }
    Ok(outcome)
}
