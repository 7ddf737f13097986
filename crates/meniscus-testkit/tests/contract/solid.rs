//! The engines of solids.

use anyhow::Context as _;
use glam::{DVec3, UVec3};
use meniscus_core::{BodyId, SolidEngine};
use meniscus_coupling::{EngineChoice, SolidSetup};
use meniscus_solid::{
    DeformableBody, DeformableParams, DeformableSolids, ElasticMaterial, ElementOrder, ScriptedBodies,
    Structure, box_of_tetrahedra,
};
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

/// A block, a square of cloth and a rope that fly.
fn deformables(gravity: DVec3) -> Result<Box<dyn SolidEngine>> {
    let material = ElasticMaterial { density: 1000.0, young: 1e5, poisson: 0.4 };
    let block = box_of_tetrahedra(DVec3::new(0.3, 0.1, 0.1), UVec3::new(3, 1, 1));
    let volume = Structure::Volume { tetrahedron: block.tetrahedron, order: ElementOrder::Quadratic };
    let square = (0..9).map(|k| 0.2 * DVec3::new(f64::from(k % 3), 3.0, f64::from(k / 3))).collect();
    let triangle =
        [0, 1, 3, 4].into_iter().flat_map(|a| [[a, a + 3, a + 1], [a + 1, a + 3, a + 4]]).collect();
    let sheet = Structure::Sheet { triangle, thickness: 1e-3, rigidity: None };
    let rope = (0..6).map(|k| DVec3::new(0.1 * f64::from(k), -2.0, 1.0)).collect();
    let body = |(id, rest, structure): (u32, Vec<DVec3>, Structure)| {
        let params = DeformableParams {
            name: format!("body {id}"),
            start: rest.clone(),
            velocity: vec![DVec3::new(0.4, 1.0, -0.3); rest.len()],
            rest,
            structure,
            material,
            damping: 1e-3,
            drag: 0.0,
            pins: Vec::new(),
            max_substep: 4e-3,
        };
        DeformableBody::new(params, BodyId(id))
    };
    let bodies = [(0, block.vertex, volume), (1, square, sheet), (2, rope, Structure::Rope { radius: 0.01 })];
    let bodies: Result<Vec<_>, _> = bodies.into_iter().map(body).collect();
    Ok(Box::new(DeformableSolids::new(bodies?, gravity)))
}

#[test]
fn deformable_bodies_keep_the_laws_of_solids() -> Result<()> {
    solid(&SolidCase { name: "deformable bodies", make: &deformables, tolerance: 1e-9 })
}
