//! Input that makes no sense, and starts that should not be.

use crate::common::{ball, cube, cuboid, ground, position, run, surface, world};
use glam::DVec3;
use meniscus_core::{Dimension, Wrench};
use meniscus_geometry::{MassProperties, Pose};
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{
    BodyParams, ColliderShape, JointParams, JointType, RigidBodies, RigidEngine, RigidParams, SolidError,
    SurfaceMaterial,
};

fn refused(body: BodyParams) -> String {
    RigidBodies::new(RigidParams::default(), vec![body], &[]).unwrap_err().to_string()
}

#[test]
fn bodies_without_sense_are_refused() {
    let good = || cube(1.0, 1.0, DVec3::ZERO, surface(0.5, 0.0));
    let massless = cube(1.0, 0.0, DVec3::ZERO, surface(0.5, 0.0));
    assert!(refused(massless).starts_with("body 0: a mass of 0 kg"));
    let flat = BodyParams {
        kind: meniscus_solid::BodyType::Dynamic(MassProperties::cuboid(1.0, DVec3::ZERO)),
        ..good()
    };
    assert!(refused(flat).contains("inertia"));
    assert!(refused(BodyParams { velocity: DVec3::NAN, ..good() }).contains("velocity"));
    assert!(refused(BodyParams { pose: Pose::at(DVec3::INFINITY), ..good() }).contains("pose"));
    assert!(
        refused(good().with_material(SurfaceMaterial { restitution: 1.5, ..SurfaceMaterial::default() }))
            .contains("restitution")
    );
    assert!(
        refused(good().with_material(SurfaceMaterial { friction: -1.0, ..SurfaceMaterial::default() }))
            .contains("friction")
    );
    let wall =
        BodyParams::dynamic(ColliderShape::half_space(), MassProperties::ball(1.0, 1.0), Pose::IDENTITY);
    assert!(refused(wall).contains("wall"));
    let still = BodyParams::scripted(
        ColliderShape::half_space(),
        PrescribedMotion::Spin { point: DVec3::ZERO, axis: DVec3::ZERO, rate: 1.0 },
        Pose::IDENTITY,
    );
    assert!(refused(still).contains("axis"));
}

#[test]
fn joints_and_parameters_without_sense_are_refused() {
    let body = || cube(1.0, 1.0, DVec3::ZERO, surface(0.5, 0.0));
    let joint = |first: usize, second: usize, kind| JointParams {
        first: crate::common::id(first),
        second: Some(crate::common::id(second)),
        point: DVec3::ZERO,
        kind,
        collide: false,
    };
    let new = |params, joint| RigidBodies::new(params, vec![body(), body()], &[joint]);
    let good = RigidParams::default();
    assert!(new(good, joint(0, 1, JointType::Ball)).is_ok());
    assert!(new(good, joint(0, 0, JointType::Ball)).is_err());
    assert!(new(good, joint(0, 7, JointType::Ball)).is_err());
    assert!(
        new(good, joint(0, 1, JointType::Hinge { axis: DVec3::ZERO, limits: None, motor: None })).is_err()
    );
    assert!(new(good, joint(0, 1, JointType::Distance { other: DVec3::X, range: [2.0, 1.0] })).is_err());
    let ball = || joint(0, 1, JointType::Ball);
    assert!(new(RigidParams { gravity: DVec3::NAN, ..good }, ball()).is_err());
    assert!(new(RigidParams { max_substeps: 0, ..good }, ball()).is_err());
    let mut world = new(good, ball()).unwrap();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(world.advance(dt).is_err(), "{dt}");
    }
}

/// Runs and asserts that everything stays finite and comes to rest, with nothing thrown away.
fn comes_apart(bodies: Vec<BodyParams>, reach: f64) -> RigidBodies {
    let mut world = world(bodies);
    for _ in 0..300 {
        world.advance(1.0 / 60.0).unwrap();
        for state in &world.state().body {
            assert!(state.position.is_finite() && state.velocity.is_finite());
            assert!(state.position.length() < reach, "{}", state.position);
        }
    }
    world
}

#[test]
fn overlapping_and_coincident_bodies_come_apart_gently() {
    let rough = surface(0.5, 0.3);
    let sphere = ColliderShape::sphere(0.5).unwrap();
    for same in [0.0, 0.2] {
        let at = |k: usize| DVec3::new(same * k as f64, 0.5, 0.0);
        let balls = (0..3).map(|k| ball(&sphere, 0.5, 1.0, at(k), rough));
        let world = comes_apart(std::iter::once(ground(rough)).chain(balls).collect(), 20.0);
        for a in 1..4 {
            for b in a + 1..4 {
                assert!(position(&world, a).distance(position(&world, b)) > 0.98, "{same}");
            }
        }
        let boxes = (0..3).map(|k| cube(1.0, 1.0, at(k), rough));
        let world = comes_apart(std::iter::once(ground(rough)).chain(boxes).collect(), 20.0);
        assert!((1..4).all(|k| position(&world, k).y > 0.4), "{same}");
    }
    // Deep in the ground: it comes out and does not jump.
    let mut world = comes_apart(vec![ground(rough), cube(1.0, 1.0, DVec3::Y * -2.0, rough)], 20.0);
    run(&mut world, 1.0, 60.0);
    assert!((position(&world, 1).y - 0.5).abs() < 1e-3, "{}", position(&world, 1).y);
}

#[test]
fn what_is_fast_is_stopped_or_refused() {
    let rough = surface(0.5, 0.0);
    let wall = BodyParams::fixed(ColliderShape::cuboid(DVec3::new(0.1, 10.0, 10.0)).unwrap(), Pose::IDENTITY);
    for speed in [10.0, 1e2, 1e3] {
        let shot = cube(0.2, 1.0, DVec3::new(-3.0, 0.3, 0.2), rough)
            .moving(DVec3::X * speed, DVec3::new(3.0, 20.0, -7.0));
        let params = RigidParams { gravity: DVec3::ZERO, ..RigidParams::default() };
        let mut world = RigidBodies::new(params, vec![wall.clone(), shot], &[]).unwrap();
        run(&mut world, 1.0, 60.0);
        assert!(position(&world, 1).x < 0.0, "{speed} m/s went through");
    }
    let bullet = cube(0.2, 1.0, DVec3::X * -3.0, rough).moving(DVec3::X * 1e9, DVec3::ZERO);
    let bullet = BodyParams { name: "bullet".into(), ..bullet };
    let mut world = world(vec![wall, bullet]);
    let before = world.save().unwrap();
    let error = world.advance(0.1).unwrap_err();
    assert!(matches!(error, SolidError::TooFast { .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("body \"bullet\"") && message.contains("body 0"), "{message}");
    assert!(message.contains("smaller step"), "{message}");
    assert!(world.save().unwrap() == before);
}

#[test]
fn infinite_loads_are_an_error_that_changes_nothing() {
    let mut world = world(vec![cube(1.0, 1.0, DVec3::ZERO, surface(0.5, 0.0))]);
    let before = world.save().unwrap();
    world.apply(crate::common::id(0), Wrench { impulse: DVec3::X * f64::NAN, angular_impulse: DVec3::ZERO });
    assert!(matches!(world.advance(0.01), Err(SolidError::NotFinite { .. })));
    assert!(world.save().unwrap() == before);
    world.advance(0.01).unwrap();
}

#[test]
fn extreme_sizes_and_masses_stay_finite() {
    let rough = surface(0.5, 0.5);
    let bodies = vec![
        ground(rough),
        cuboid(DVec3::new(10.0, 0.001, 10.0), 1e-6, DVec3::Y, rough),
        cube(1e-3, 1e-9, DVec3::new(0.0, 2.0, 0.0), rough),
        cube(1.0, 1e9, DVec3::new(0.2, 3.0, 0.1), rough),
    ];
    let mut world = world(bodies);
    for _ in 0..120 {
        match world.advance(1.0 / 120.0) {
            Ok(_) | Err(SolidError::TooFast { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(world.state().body.iter().all(|b| b.position.is_finite()));
}

#[test]
fn the_plane_stays_a_plane() {
    let rough = surface(0.5, 0.2);
    let params = RigidParams { dimension: Dimension::Two, ..RigidParams::default() };
    let mut bodies = vec![ground(rough)];
    let tilted = |k: usize| {
        let mut b =
            cuboid(DVec3::new(1.0, 0.6, 1.0), 1.0, DVec3::new(0.3 * k as f64, 1.0 + k as f64, 0.0), rough);
        b.pose.rotation = glam::DQuat::from_rotation_z(0.3 * k as f64);
        b.moving(DVec3::new(0.0, 0.0, 2.0), DVec3::new(1.0, 2.0, 0.5))
    };
    bodies.extend((0..8).map(tilted));
    let mut world = RigidBodies::new(params, bodies, &[]).unwrap();
    run(&mut world, 8.0, 120.0);
    for state in &world.state().body[1..] {
        assert!(state.position.z == 0.0 && state.velocity.z == 0.0);
        assert!(state.angular_velocity.x == 0.0 && state.angular_velocity.y == 0.0);
        assert!((state.rotation * DVec3::Z).abs_diff_eq(DVec3::Z, 1e-12));
        assert!(state.position.y > 0.25);
    }
    assert!(world.kinetic_energy() < 1e-3, "{}", world.kinetic_energy());
}
