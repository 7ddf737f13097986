//! The fluids.

use anyhow::Context as _;
use glam::DVec3;
use meniscus_core::{Anchor, BodyId, Clock, Fluid, StepContext};
use meniscus_coupling::{Setup, SolidSet};
use meniscus_sph::SphFluid;
use meniscus_testkit::contract::{FluidCase, fluid};
use meniscus_testkit::material::Stream;
use meniscus_testkit::{Body, METHODS, Result, SOLVERS, Tank, WATER};

fn bodies(setup: &Setup) -> Result<SolidSet> {
    Ok(SolidSet::of(setup.solids.as_ref().context("a body is free")?.build()?))
}

/// A closed tank with water that rushes to and fro, and a box in it.
fn tank(method: &str, solver: &str) -> Result<Setup> {
    let cuboid = Body::cuboid([0.2, 0.2, 1.0]).at([0.1, 0.2, 0.0]).free(0.5 * WATER);
    let tank = Tank::plane(0.04).depth(0.4).height(0.6).closed().carved().with(cuboid);
    let tank = tank.gravity([0.0; 3]).flowing([1.0, 0.3, 0.0]).felt_by(method).solver(solver);
    tank.fixed_step(2e-3).setup()
}

fn hold(method: &str, solver: &str) -> Result<()> {
    let setup = tank(method, solver)?;
    let make = || -> Result<(Setup, Box<dyn Fluid>, SolidSet)> {
        let solids = bodies(&setup)?;
        let step = StepContext::new(Clock::default(), setup.gravity, setup.dimension, setup.step);
        let water = SphFluid::new(setup.sph.clone(), &solids, &step)?;
        Ok((setup.clone(), Box::new(water), solids))
    };
    // Velocities of sweeps are in single precision.
    fluid(&FluidCase { name: &format!("{method} {solver}"), make: &make, tolerance: 1e-5 })
}

#[test]
fn water_keeps_the_laws_of_fluids_with_every_solver() -> Result<()> {
    SOLVERS.into_iter().try_for_each(|solver| hold("volume-particles", solver))
}

#[test]
fn water_keeps_the_laws_of_fluids_with_every_boundary_method() -> Result<()> {
    METHODS.into_iter().chain(["volume-map", "penalty"]).try_for_each(|method| hold(method, "dfsph"))
}

#[test]
fn streams_keep_the_laws_of_fluids() -> Result<()> {
    let make = || -> Result<(Setup, Box<dyn Fluid>, SolidSet)> {
        let tank = Tank::dry().gravity([0.0; 3]).fixed_step(0.01);
        let setup = tank.with(Body::cuboid([0.2; 3]).free(WATER)).setup()?;
        let solids = bodies(&setup)?;
        let anchors = [DVec3::ZERO, DVec3::X].map(Anchor::Frame);
        let stream = Stream::new(|x| DVec3::new(1.0, x.x, 0.0), 3.0).at(BodyId(0), anchors);
        Ok((setup, Box::new(stream), solids))
    };
    fluid(&FluidCase { name: "streams", make: &make, tolerance: 1e-12 })
}
