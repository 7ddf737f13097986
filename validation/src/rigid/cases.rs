//! Cases with known answers, the same for every engine.

use anyhow::Result;
use glam::{DQuat, DVec3};
use meniscus_core::BodyId;
use meniscus_geometry::{MassProperties, Pose};
use meniscus_solid::{BodyParams, ColliderShape, RigidEngine, SurfaceMaterial};

use super::Engine;

/// One figure beside what it should be.
#[derive(Debug, Clone)]
pub struct Figure {
    /// What was measured.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The exact value.
    pub exact: f64,
    /// How far off it may be.
    pub tolerance: f64,
    /// What the engine gave.
    pub value: f64,
}

const EARTH: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn surface(friction: f64, restitution: f64) -> SurfaceMaterial {
    SurfaceMaterial { friction, restitution, ..SurfaceMaterial::default() }
}

fn advance(solids: &mut dyn RigidEngine, seconds: f64, rate: f64) -> Result<()> {
    for _ in 0..(seconds * rate).round() as u32 {
        solids.advance(1.0 / rate)?;
    }
    Ok(())
}

fn at(solids: &dyn RigidEngine, body: u32) -> DVec3 {
    solids.pose(BodyId(body)).translation
}

/// All figures of one engine.
///
/// # Errors
/// If the engine fails.
pub fn all(engine: Engine) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, angle, friction, v0, time, exact) in [
        ("block, 30°, μ = 0.3, after 2 s", 30.0, 0.3, 0.0, 2.0, 4.71257),
        ("block, 20°, μ = 0.2, after 2 s", 20.0, 0.2, 0.0, 2.0, 3.02308),
        ("block, 20°, μ = 0.5, from 5 m/s, after 3 s", 20.0, 0.5, 5.0, 3.0, 9.35711),
        ("the same block at rest", 20.0, 0.5, 5.0, 6.0, 9.96830),
    ] {
        let value = slid(engine, angle, friction, 0.0, v0, time)?;
        figures.push(Figure { name, unit: "m", exact, tolerance: 1e-3, value });
    }
    let value = slid(engine, 20.0, 0.5, 0.0, 0.0, 5.0)?;
    figures.push(Figure {
        name: "creep of a resting block, 5 s",
        unit: "m",
        exact: 0.0,
        tolerance: 1e-6,
        value,
    });
    let value = slid(engine, 20.0, 0.5, 1.0, 0.0, 5.0)?;
    figures.push(Figure { name: "the same, restitution 1", unit: "m", exact: 0.0, tolerance: 1e-6, value });
    figures.push(rolling(engine)?);
    figures.extend(billiard(engine)?);
    figures.extend(stack(engine, 30, 1.0, "30 cubes: height of the top", "30 cubes: drift")?);
    figures.extend(stack(engine, 10, 100.0, "10 cubes, top 100 times heavier: height", "the same: drift")?);
    Ok(figures)
}

fn slid(engine: Engine, degrees: f64, friction: f64, restitution: f64, v0: f64, time: f64) -> Result<f64> {
    let turn = DQuat::from_rotation_z(f64::to_radians(degrees));
    let material = surface(friction, restitution);
    let plane = BodyParams::fixed(ColliderShape::half_space(), Pose { rotation: turn, ..Pose::IDENTITY });
    let pose = Pose { translation: turn * DVec3::Y * 0.5, rotation: turn };
    let cube = BodyParams::dynamic(
        ColliderShape::cuboid(DVec3::ONE)?,
        MassProperties::cuboid(1.0, DVec3::ONE),
        pose,
    )
    .moving(turn * DVec3::X * -v0, DVec3::ZERO);
    let bodies = [plane.with_material(material), cube.with_material(material)];
    let mut solids = engine.build(&bodies, EARTH, 1.0 / 240.0)?;
    let start = at(solids.as_ref(), 1);
    advance(solids.as_mut(), time, 240.0)?;
    Ok(at(solids.as_ref(), 1).distance(start))
}

fn rolling(engine: Engine) -> Result<Figure> {
    let angle = 20_f64.to_radians();
    let turn = DQuat::from_rotation_z(angle);
    let material = surface(0.5, 0.0);
    let plane = BodyParams::fixed(ColliderShape::half_space(), Pose { rotation: turn, ..Pose::IDENTITY });
    let ball = BodyParams::dynamic(
        ColliderShape::sphere(1.0)?,
        MassProperties::ball(1.0, 1.0),
        Pose::at(turn * DVec3::Y),
    );
    let bodies = [plane.with_material(material), ball.with_material(material)];
    let mut solids = engine.build(&bodies, EARTH, 1.0 / 240.0)?;
    let start = at(solids.as_ref(), 1);
    advance(solids.as_mut(), 2.0, 240.0)?;
    let exact = -5.0 / 14.0 * 9.81 * 4.0 * angle.sin().powi(2);
    let value = at(solids.as_ref(), 1).y - start.y;
    Ok(Figure {
        name: "ball rolling down 20°, fall in 2 s",
        unit: "m",
        exact,
        tolerance: 5e-3 * exact.abs(),
        value,
    })
}

fn billiard(engine: Engine) -> Result<[Figure; 2]> {
    let shape = ColliderShape::sphere(1.0)?;
    let ball = |x: f64, v: f64| {
        BodyParams::dynamic(shape.clone(), MassProperties::ball(1.0, 1.0), Pose::at(DVec3::X * x))
            .with_material(surface(0.0, 1.0))
            .moving(DVec3::X * v, DVec3::ZERO)
    };
    let mut bodies: Vec<BodyParams> = (0..5).map(|k| ball(2.0 * f64::from(k), 0.0)).collect();
    bodies.push(ball(-8.0, 20.0));
    let mut solids = engine.build(&bodies, DVec3::ZERO, 1.0 / 240.0)?;
    advance(solids.as_mut(), 1.0, 240.0)?;
    let speed = |k: u32| solids.kinematics(BodyId(k)).velocity.length();
    let others = [0, 1, 2, 3, 5].map(speed).into_iter().fold(0.0, f64::max);
    Ok([
        Figure { name: "billiard: the last ball", unit: "m/s", exact: 20.0, tolerance: 0.2, value: speed(4) },
        Figure {
            name: "billiard: the fastest other",
            unit: "m/s",
            exact: 0.0,
            tolerance: 0.2,
            value: others,
        },
    ])
}

fn stack(
    engine: Engine,
    count: u32,
    top: f64,
    height: &'static str,
    drift: &'static str,
) -> Result<[Figure; 2]> {
    let material = surface(0.5, 0.0);
    let shape = ColliderShape::cuboid(DVec3::ONE)?;
    let mut bodies =
        vec![BodyParams::fixed(ColliderShape::half_space(), Pose::IDENTITY).with_material(material)];
    for k in 0..count {
        let mass = if k + 1 == count { top } else { 1.0 };
        let pose = Pose::at(DVec3::Y * (f64::from(k) + 0.5));
        let cube = BodyParams::dynamic(shape.clone(), MassProperties::cuboid(mass, DVec3::ONE), pose);
        bodies.push(cube.with_material(material));
    }
    let mut solids = engine.build(&bodies, EARTH, 1.0 / 60.0)?;
    advance(solids.as_mut(), 10.0, 60.0)?;
    let exact = f64::from(count) - 0.5;
    let moved = (1..=count).map(|k| (at(solids.as_ref(), k) * DVec3::new(1.0, 0.0, 1.0)).length());
    let (value, moved) = (at(solids.as_ref(), count).y, moved.fold(0.0, f64::max));
    Ok([
        Figure { name: height, unit: "m", exact, tolerance: 5e-3, value },
        Figure { name: drift, unit: "m", exact: 0.0, tolerance: 1e-3, value: moved },
    ])
}
