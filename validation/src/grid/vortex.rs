//! A Taylor–Green vortex that fills a box along whose walls fluid slips: what is left of its energy, and errors of velocities.

use anyhow::Result;
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_grid::{Advection, Alone, CellLattice, GridSetup, GridSide, Site, Splitting};
use std::f64::consts::PI;

/// What is measured of a run.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Kinetic energy over what it should be `[1]`.
    pub energy: f64,
    /// Largest error of a velocity, of the largest at the start `[1]`.
    pub error: f64,
}

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct Params {
    /// Cells along an edge.
    pub cells: usize,
    /// Courant number of steps `[1]`.
    pub courant: f64,
    /// Kinematic viscosity, in edges over π times the largest speed `[1]`.
    pub viscosity: f64,
    /// Duration, in the same units over speed `[1]`.
    pub time: f64,
    /// How velocities are transported.
    pub advection: Advection,
    /// How transport and pressure take turns.
    pub splitting: Splitting,
}

/// Runs it.
///
/// # Errors
/// If a step fails.
pub fn run(params: &Params) -> Result<Outcome> {
    let Params { cells, courant, viscosity, time, advection, splitting } = *params;
    let lattice = CellLattice::new(Dimension::Two, [cells, cells, 1], PI / cells as f64, DVec3::ZERO)?;
    let mut setup = GridSetup::new(lattice, [GridSide::SLIP; 6], 1.0);
    (setup.viscosity, setup.advection, setup.splitting) = (viscosity, advection, splitting);
    let mut flow = Alone::new(setup, DVec3::ZERO);
    let exact = |x: DVec3| DVec3::new(x.x.sin() * x.y.cos(), -x.x.cos() * x.y.sin(), 0.0);
    flow.fluid_mut().set_velocity(exact);
    let before = flow.fluid().fields().totals.kinetic_energy;
    let steps = (time / (courant * lattice.spacing())).ceil();
    for _ in 0..steps as u32 {
        flow.step(time / steps)?;
    }
    let decay = (-2.0 * viscosity * time).exp();
    let fields = flow.fluid().fields();
    let mut error: f64 = 0.0;
    for axis in 0..2 {
        for (slot, n) in lattice.each(&lattice.face_range(axis)) {
            let expected = decay * exact(lattice.position(Site::Face(axis), slot))[axis];
            error = error.max((fields.velocity[axis][n] - expected).abs());
        }
    }
    Ok(Outcome { energy: fields.totals.kinetic_energy / before / (decay * decay), error })
}
