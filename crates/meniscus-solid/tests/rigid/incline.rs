//! Blocks and balls on inclined planes against formulas.

use crate::common::{ball, ground, incline, position, run, surface, world};
use glam::{DQuat, DVec3};
use meniscus_geometry::{MassProperties, Pose};
use meniscus_solid::{BodyParams, ColliderShape, RigidBodies};

const G: f64 = 9.81;

/// A unit cube that rests on a plane of the given angle `[degrees]`, with velocity `v0` `[m/s]` downhill.
fn block(angle: f64, friction: f64, restitution: f64, v0: f64) -> RigidBodies {
    let angle = angle.to_radians();
    let turn = DQuat::from_rotation_z(angle);
    let material = surface(friction, restitution);
    let pose = Pose { translation: turn * DVec3::Y * 0.5, rotation: turn };
    let cube = BodyParams::dynamic(
        ColliderShape::cuboid(DVec3::ONE).unwrap(),
        MassProperties::cuboid(1.0, DVec3::ONE),
        pose,
    );
    let cube = cube.with_material(material).moving(turn * DVec3::X * -v0, DVec3::ZERO);
    world(vec![incline(angle, material), cube])
}

fn slid(angle: f64, friction: f64, restitution: f64, v0: f64, seconds: f64) -> f64 {
    let mut world = block(angle, friction, restitution, v0);
    let start = position(&world, 1);
    run(&mut world, seconds, 240.0);
    position(&world, 1).distance(start)
}

#[test]
fn a_block_slides_as_far_as_it_should() {
    for (angle, friction, exact) in [(30.0, 0.3, 4.71257), (20.0, 0.2, 3.02308)] {
        for restitution in [0.0, 1.0] {
            let far = slid(angle, friction, restitution, 0.0, 2.0);
            assert!((far - exact).abs() < 1e-4, "{angle} degrees, restitution {restitution}: {far}, {exact}");
        }
    }
}

#[test]
fn a_sliding_block_stops_where_it_should_and_stays() {
    for restitution in [0.0, 1.0] {
        let far = slid(20.0, 0.5, restitution, 5.0, 3.0);
        assert!((far - 9.35711).abs() < 1e-4, "restitution {restitution}, after 3 s: {far}");
        // v0² / 2|a|
        let far = slid(20.0, 0.5, restitution, 5.0, 6.0);
        assert!((far - 9.96830).abs() < 1e-4, "restitution {restitution}, at rest: {far}");
    }
}

#[test]
fn a_resting_block_does_not_creep() {
    for restitution in [0.0, 0.5, 1.0] {
        for angle in [5.0, 20.0, 25.0] {
            let far = slid(angle, 0.5, restitution, 0.0, 5.0);
            assert!(far < 1e-9, "{angle} degrees, restitution {restitution}: creeps {far} m");
        }
    }
}

#[test]
fn a_ball_rolls_down_an_incline() {
    let angle = 20_f64.to_radians();
    let turn = DQuat::from_rotation_z(angle);
    let material = surface(0.5, 0.0);
    let shape = ColliderShape::sphere(0.7).unwrap();
    let mut world =
        world(vec![incline(angle, material), ball(&shape, 0.7, 3.0, turn * DVec3::Y * 0.7, material)]);
    let start = position(&world, 1);
    run(&mut world, 2.0, 240.0);
    let fallen = position(&world, 1).y - start.y;
    let exact = -5.0 / 14.0 * G * 4.0 * angle.sin().powi(2);
    assert!((fallen / exact - 1.0).abs() < 1e-3, "{fallen} {exact}");
    // It rolls without slipping.
    let state = world.state().body[1];
    assert!(
        state.velocity_at(state.position - turn * DVec3::Y * 0.7).length() < 1e-3 * state.velocity.length()
    );
}

#[test]
fn a_slippery_ball_slides_and_a_rough_one_stops_rolling() {
    let shape = ColliderShape::sphere(0.5).unwrap();
    let start = DVec3::Y * 0.5;
    let smooth = surface(0.0, 0.0);
    let mut slippery = world(vec![
        ground(smooth),
        ball(&shape, 0.5, 1.0, start, smooth).moving(DVec3::X * 2.0, DVec3::ZERO),
    ]);
    run(&mut slippery, 1.0, 60.0);
    assert!((position(&slippery, 1).x - 2.0).abs() < 1e-9);
    // Rolling friction of lever δ decelerates a rolling ball by g δ / (1.4 r).
    let rough = meniscus_solid::SurfaceMaterial { rolling: 0.01, ..surface(0.8, 0.0) };
    let rolling = ball(&shape, 0.5, 1.0, start, rough).moving(DVec3::X * 2.0, DVec3::Z * -4.0);
    let mut world = world(vec![ground(rough), rolling]);
    run(&mut world, 16.0, 120.0);
    let exact = 2.0 * 2.0 / (2.0 * G * 0.01 / (1.4 * 0.5));
    let far = position(&world, 1).x;
    assert!((far / exact - 1.0).abs() < 1e-4, "{far} {exact}");
    assert!(world.kinetic_energy() < 1e-12);
}

#[test]
fn spinning_friction_stops_a_top() {
    let shape = ColliderShape::sphere(0.5).unwrap();
    let material = meniscus_solid::SurfaceMaterial { spinning: 0.02, ..surface(0.5, 0.0) };
    let top = ball(&shape, 0.5, 2.0, DVec3::Y * 0.5, material).moving(DVec3::ZERO, DVec3::Y * 5.0);
    let mut world = world(vec![ground(material), top]);
    // τ = δ m g, so ω falls by δ g / (0.4 r²) per second: 1.962.
    run(&mut world, 1.0, 120.0);
    let now = world.state().body[1].angular_velocity.y;
    assert!((now - (5.0 - 0.02 * G / 0.1)).abs() < 1e-6, "{now}");
    run(&mut world, 2.0, 120.0);
    assert!(world.kinetic_energy() < 1e-12);
}
