//! Fluids on grids.

use anyhow::Context as _;
use glam::DVec3;
use meniscus_core::{Dimension, Fluid};
use meniscus_coupling::{Setup, SolidSet};
use meniscus_grid::{Advection, Buoyancy, GridBody, GridFluid, GridSetup, Lattice, Preconditioner, Side, Splitting};
use meniscus_testkit::contract::{FluidCase, fluid};
use meniscus_testkit::{Body, Result, Tank, WATER};

/// A whirl in a box with a wall, open sides and an inflow, around a ball that moves freely.
fn hold(dimension: Dimension, change: impl Fn(&mut GridSetup) + Sync) -> Result<()> {
    let ball = Body::ball(0.22).at([0.03, 0.02, 0.0]).free(0.3 * WATER);
    let tank = Tank::new(dimension, 0.1).without_walls().gravity([0.0; 3]).fixed_step(0.01);
    let setup = tank.with(ball).setup()?;
    let cells = if dimension == Dimension::Two { [18, 16, 1] } else { [12, 10, 11] };
    let lattice = Lattice::new(dimension, cells, 0.09, DVec3::new(-0.6, -0.55, -0.5))?;
    let inflow = Side::Inflow { velocity: DVec3::X, smoke: 0.5, temperature: 1.0 };
    let make = || -> Result<(Setup, Box<dyn Fluid>, SolidSet)> {
        let solids = SolidSet::of(setup.solids.as_ref().context("a body is free")?.build()?);
        let sides = [inflow, Side::Open, Side::STICK, Side::Open, Side::SLIP, Side::SLIP];
        let mut grid = GridSetup::new(lattice, sides, WATER);
        grid.bodies = setup
            .bodies
            .iter()
            .map(|body| GridBody { solid: Some(body.solid.clone()), friction: 1.0 })
            .collect();
        grid.buoyancy = Buoyancy { weight: 0.1, expansion: 0.01 };
        grid.velocity = DVec3::new(1.0, 0.2, 0.0);
        change(&mut grid);
        let mut fluid = GridFluid::new(grid, &solids);
        fluid.set_velocity(|x| DVec3::new(1.0 - x.y, 0.5 * x.x, 0.1));
        Ok((setup.clone(), Box::new(fluid), solids))
    };
    // All fields are in double precision.
    fluid(&FluidCase { name: &format!("a grid, {dimension:?}"), make: &make, tolerance: 1e-10 })
}

#[test]
fn grids_keep_the_laws_of_fluids() -> Result<()> {
    for dimension in [Dimension::Two, Dimension::Three] {
        hold(dimension, |_| ())?;
        hold(dimension, |grid| grid.viscosity = 0.02)?;
    }
    hold(Dimension::Two, |grid| {
        grid.advection = Advection::SemiLagrangian;
        grid.splitting = Splitting::Projection;
        grid.pressure.preconditioner = Preconditioner::IncompleteCholesky;
        grid.confinement = 1.0;
    })
}
