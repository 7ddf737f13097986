//! The engines of solids.

use anyhow::Context as _;
use glam::DVec3;
use meniscus_core::SolidEngine;
use meniscus_coupling::{EngineChoice, SolidSetup};
use meniscus_solid::ScriptedBodies;
use meniscus_testkit::contract::{SolidCase, solid};
use meniscus_testkit::material::{BlockParams, SpringBlock};
use meniscus_testkit::{Body, Result, Tank, WATER};

/// A box and a ball that fly and spin, and a box that stands still.
fn bodies(engine: EngineChoice, gravity: DVec3) -> Result<Box<dyn SolidEngine>> {
    let velocity = DVec3::new(0.4, 1.0, -0.3);
    let cuboid = Body::cuboid([0.2, 0.1, 0.3]).turned([1.0, 2.0, 0.5], 40.0).at([3.0, 0.0, 0.0]);
    let ball = Body::ball(0.1).at([-3.0, 1.0, 0.0]).free(WATER).thrown(velocity, [0.0, 3.0, 1.0]);
    let tank = Tank::dry()
        .gravity(gravity)
        .with(cuboid.free(0.5 * WATER).thrown(-velocity, [2.0, -1.0, 4.0]))
        .with(Body::cuboid([1.0; 3]).at([0.0, 0.0, 9.0]))
        .with(ball);
    let solids = tank.setup()?.solids.context("two bodies are free")?;
    Ok(SolidSetup { engine, ..solids }.build()?)
}

#[test]
fn rigid_bodies_keep_the_laws_of_solids() -> Result<()> {
    let make = |gravity| bodies(EngineChoice::Meniscus, gravity);
    solid(&SolidCase { name: "rigid bodies", make: &make, tolerance: 1e-9 })
}

#[cfg(feature = "rapier")]
#[test]
fn rapier_keeps_the_laws_of_solids() -> Result<()> {
    let make = |gravity| bodies(EngineChoice::Rapier, gravity);
    solid(&SolidCase { name: "Rapier", make: &make, tolerance: 1e-9 })
}

#[test]
fn scripts_keep_the_laws_of_solids() -> Result<()> {
    let make = |_: DVec3| -> Result<Box<dyn SolidEngine>> {
        let led = r#"{ kind = "oscillation", amplitude = [0.1, 0.2, 0.0], frequency = 1.5 }"#;
        let spin = r#"{ kind = "spin", axis = [0.0, 1.0, 0.0], rate = 2.0 }"#;
        // A scene needs something that moves freely, too.
        let [one, other, free] = [-2.0, 2.0, 9.0].map(|x| Body::ball(0.1).at([x, 0.0, 0.0]));
        let setup = Tank::dry().with(one.led(led)).with(other.led(spin)).with(free.free(WATER)).setup()?;
        let scripts = setup.bodies.into_iter().take(2).map(|body| (body.motion, body.solid.pose));
        Ok(Box::new(ScriptedBodies::new(scripts.collect())))
    };
    solid(&SolidCase { name: "scripts", make: &make, tolerance: 0.0 })
}

#[test]
fn blocks_of_springs_keep_the_laws_of_solids() -> Result<()> {
    let make = |gravity| -> Result<Box<dyn SolidEngine>> {
        let (centre, mass, stiffness) = (DVec3::new(1.0, 2.0, 3.0), 3.0, 1e3);
        let block =
            SpringBlock::new(&BlockParams { cells: [2, 1, 2], edge: 0.1, centre, mass, stiffness, gravity });
        Ok(Box::new(block.thrown(DVec3::new(0.4, 1.0, -0.3))))
    };
    solid(&SolidCase { name: "blocks of springs", make: &make, tolerance: 1e-9 })
}
