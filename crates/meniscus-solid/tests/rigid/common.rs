//! Small scenes that several tests use.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use meniscus_core::BodyId;
use meniscus_geometry::{MassProperties, Pose};
use meniscus_solid::{BodyParams, ColliderShape, RigidBodies, RigidEngine, RigidParams, SurfaceMaterial};

pub fn surface(friction: f64, restitution: f64) -> SurfaceMaterial {
    SurfaceMaterial { friction, restitution, ..SurfaceMaterial::default() }
}

/// A static half space whose surface passes through the origin, tilted by `angle` `[rad]` so that it falls towards −x.
pub fn incline(angle: f64, material: SurfaceMaterial) -> BodyParams {
    let pose = Pose { rotation: DQuat::from_rotation_z(angle), ..Pose::IDENTITY };
    BodyParams::fixed(ColliderShape::half_space(), pose).with_material(material)
}

pub fn ground(material: SurfaceMaterial) -> BodyParams {
    incline(0.0, material)
}

pub fn cube(size: f64, mass: f64, at: DVec3, material: SurfaceMaterial) -> BodyParams {
    cuboid(DVec3::splat(size), mass, at, material)
}

pub fn cuboid(size: DVec3, mass: f64, at: DVec3, material: SurfaceMaterial) -> BodyParams {
    let shape = ColliderShape::cuboid(size).unwrap();
    BodyParams::dynamic(shape, MassProperties::cuboid(mass, size), Pose::at(at)).with_material(material)
}

pub fn ball(
    shape: &Arc<ColliderShape>,
    radius: f64,
    mass: f64,
    at: DVec3,
    material: SurfaceMaterial,
) -> BodyParams {
    BodyParams::dynamic(shape.clone(), MassProperties::ball(mass, radius), Pose::at(at))
        .with_material(material)
}

pub fn world(bodies: Vec<BodyParams>) -> RigidBodies {
    RigidBodies::new(RigidParams::default(), bodies, &[]).unwrap()
}

pub fn run(world: &mut RigidBodies, seconds: f64, per_second: f64) {
    for _ in 0..(seconds * per_second).round() as u32 {
        world.advance(1.0 / per_second).unwrap();
    }
}

pub fn position(world: &RigidBodies, body: usize) -> DVec3 {
    world.state().body[body].position
}

pub fn id(body: usize) -> BodyId {
    BodyId(body as u32)
}
