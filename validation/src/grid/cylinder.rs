//! Flow past a cylinder that is held: drag, lift and the frequency of its wake at Re 100.

use anyhow::Result;
use glam::DVec3;
use meniscus_core::{Dimension, Pose};
use meniscus_geometry::{Shape, Side as Matter, Solid};
use meniscus_grid::{Alone, CellLattice, GridBody, GridSetup, GridSide};

/// One run, in diameters and speeds of the inflow.
#[derive(Debug, Clone, Copy)]
pub struct Params {
    /// Reynolds number `[1]`.
    pub reynolds: f64,
    /// Cells across the cylinder.
    pub across: usize,
    /// Size of the box; the cylinder is a third of its length behind the inflow `[1]`.
    pub size: [usize; 2],
    /// How long the flow is followed; the second half is looked at `[1]`.
    pub time: f64,
    /// Courant number of steps `[1]`.
    pub courant: f64,
}

/// What is measured of the second half.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Mean drag coefficient `[1]`.
    pub drag: f64,
    /// Amplitude of the lift coefficient `[1]`.
    pub lift: f64,
    /// Strouhal number `[1]`.
    pub strouhal: f64,
}

/// Runs it.
///
/// # Errors
/// If a step fails.
pub fn run(params: &Params) -> Result<Outcome> {
    let h = 1.0 / params.across as f64;
    let cells = [params.size[0] * params.across, params.size[1] * params.across, 1];
    let lattice = CellLattice::new(Dimension::Two, cells, h, DVec3::ZERO)?;
    let inflow = GridSide::Inflow { velocity: DVec3::X, smoke: 0.0, temperature: 0.0 };
    let mut setup = GridSetup::new(
        lattice,
        [inflow, GridSide::Open, GridSide::SLIP, GridSide::SLIP, GridSide::SLIP, GridSide::SLIP],
        1.0,
    );
    // Not in the middle of the box, nor of a cell, so that the wake need not wait for rounding errors to begin.
    let place = DVec3::new(params.size[0] as f64 / 3.0, 0.5 * params.size[1] as f64 + 0.31 * h, 0.0);
    let solid = Solid { shape: Shape::Sphere { radius: 0.5 }, pose: Pose::at(place), side: Matter::Solid };
    setup.bodies = vec![GridBody { solid: Some(solid), friction: 1.0 }];
    setup.viscosity = 1.0 / params.reynolds;
    setup.velocity = DVec3::X;
    let mut flow = Alone::new(setup, DVec3::ZERO);
    let kick = |x: DVec3| DVec3::new(1.0, 0.3 * (-(x - place - 1.5 * DVec3::X).length_squared()).exp(), 0.0);
    flow.fluid_mut().set_velocity(kick);
    let mut history = Vec::new();
    while flow.time() < params.time {
        let dt = flow.step_limit(params.courant, 0.1);
        flow.step(dt)?;
        if flow.time() > 0.5 * params.time {
            // ½ ρ U² D is ½.
            history.push((flow.time(), flow.load(0).impulse / dt * 2.0));
        }
    }
    let count = history.len() as f64;
    let mean = history.iter().map(|(_, force)| *force).sum::<DVec3>() / count;
    let lift = history.iter().map(|(_, force)| (force.y - mean.y).abs()).fold(0.0, f64::max);
    let rises: Vec<f64> = history
        .windows(2)
        .filter(|pair| pair[0].1.y < mean.y && pair[1].1.y >= mean.y)
        .map(|pair| {
            let share = (mean.y - pair[0].1.y) / (pair[1].1.y - pair[0].1.y);
            pair[0].0 + share * (pair[1].0 - pair[0].0)
        })
        .collect();
    let strouhal = match (rises.first(), rises.last()) {
        (Some(first), Some(last)) if rises.len() > 1 => (rises.len() - 1) as f64 / (last - first),
        _ => 0.0,
    };
    Ok(Outcome { drag: mean.x, lift, strouhal })
}
