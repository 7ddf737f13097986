//! Fluids on grids.

use anyhow::{Context as _, ensure};
use glam::DVec3;
use meniscus_core::{Dimension, Fluid};
use meniscus_coupling::{Setup, Simulation, SolidSet};
use meniscus_grid::{
    Advection, Buoyancy, CellLattice, GridBody, GridFluid, GridSetup, GridSide, Preconditioner, Splitting,
};
use meniscus_testkit::contract::{FluidCase, fluid};
use meniscus_testkit::{Body, GRAVITY, Result, Tank, WATER};

/// A whirl in a box with a wall, open sides and an inflow, around a ball that moves freely.
fn hold(dimension: Dimension, change: impl Fn(&mut GridSetup) + Sync) -> Result<()> {
    let ball = Body::ball(0.22).at([0.03, 0.02, 0.0]).free(0.3 * WATER);
    let tank = Tank::new(dimension, 0.1).without_walls().carved().gravity([0.0; 3]).fixed_step(0.01);
    let setup = tank.with(ball).setup()?;
    let cells = if dimension == Dimension::Two { [18, 16, 1] } else { [12, 10, 11] };
    let lattice = CellLattice::new(dimension, cells, 0.09, DVec3::new(-0.6, -0.55, -0.5))?;
    let inflow = GridSide::Inflow { velocity: DVec3::X, smoke: 0.5, temperature: 1.0 };
    let make = || -> Result<(Setup, Box<dyn Fluid>, SolidSet)> {
        let solids = SolidSet::of(setup.solids.as_ref().context("a body is free")?.build()?);
        let sides = [inflow, GridSide::Open, GridSide::STICK, GridSide::Open, GridSide::SLIP, GridSide::SLIP];
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

/// A ball of so many times the fluid's density that is free in a box of fluid at rest with walls all around.
fn released(dimension: Dimension, ratio: f64, radius: f64, cells: usize, dt: f64) -> Result<Simulation> {
    let ball = Body::ball(radius).at([0.013, 0.021, 0.0]).free(ratio * WATER);
    let tank = Tank::new(dimension, 0.25 * radius).without_walls().carved().fixed_step(dt);
    let setup = tank.with(ball).setup()?;
    let solids = SolidSet::of(setup.solids.as_ref().context("a body is free")?.build()?);
    let lattice = CellLattice::new(dimension, [cells; 3], 1.0 / cells as f64, DVec3::splat(-0.5))?;
    let mut grid = GridSetup::new(lattice, [GridSide::SLIP; 6], WATER);
    grid.bodies.push(GridBody { solid: Some(setup.bodies[0].solid.clone()), friction: 0.0 });
    let fluid = GridFluid::new(grid, &solids);
    Ok(Simulation::of(setup, vec![Box::new(fluid)], solids))
}

#[test]
fn bodies_start_with_the_mass_of_the_fluid_that_they_move() -> Result<()> {
    // Of the displaced fluid's mass, in fluid without end: half for a ball, all for a disc. Walls seven radii away add a little.
    for (dimension, added, cells) in [(Dimension::Two, 1.0, 96), (Dimension::Three, 0.5, 48)] {
        for ratio in [0.01, 0.5, 8.0] {
            let mut simulation = released(dimension, ratio, 0.07, cells, 1e-3)?;
            simulation.step()?;
            let found = simulation.body(0).velocity.y / 1e-3;
            let expected = -GRAVITY * (ratio - 1.0) / (ratio + added);
            println!("{dimension:?}, {ratio}: {:.3} of what it should be", found / expected);
            ensure!(
                (found / expected - 1.0).abs() < 0.08,
                "{dimension:?}, {ratio}: {found} for {expected} m/s²"
            );
        }
    }
    Ok(())
}

#[test]
fn a_body_as_heavy_as_the_fluid_stays_and_a_light_one_does_not_burst() -> Result<()> {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut neutral = released(dimension, 1.0, 0.15, 24, 0.02)?;
        let start = neutral.body(0).pose.translation;
        for _ in 0..50 {
            neutral.step()?;
        }
        let moved = (neutral.body(0).pose.translation - start).length() * 24.0;
        // A hundredth of the displaced mass: it rises, and its speed stays below what its lift can do in that time.
        let mut light = released(dimension, 0.01, 0.15, 24, 0.005)?;
        let mut fastest: f64 = 0.0;
        for _ in 0..40 {
            light.step()?;
            fastest = fastest.max(light.body(0).velocity.length());
        }
        println!("{dimension:?}: neutral moved by {moved:.1e} cells in 1 s; light at most {fastest:.2} m/s");
        ensure!(moved < 1e-3 && (0.2..3.0).contains(&fastest), "{moved} cells, {fastest} m/s");
    }
    Ok(())
}
