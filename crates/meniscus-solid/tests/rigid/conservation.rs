//! Momentum, determinism, restarts.

use std::sync::Arc;

use crate::common::{ball, cuboid, ground, run, surface};
use glam::{DQuat, DVec3};
use meniscus_core::Wrench;
use meniscus_geometry::{MassProperties, Pose};
use meniscus_solid::{
    BodyParams, ColliderShape, JointParams, JointType, RigidBodies, RigidEngine, RigidParams,
};

/// Numbers in 0..1 that look random.
fn scatter(seed: usize, k: usize) -> f64 {
    ((seed * 7919 + k * 104_729) as f64 * 0.618_033_988_75).fract()
}

/// Boxes, balls and capsules that fly towards the origin.
fn heap(count: usize, centre: DVec3) -> Vec<BodyParams> {
    let sphere = ColliderShape::sphere(0.5).unwrap();
    let capsule = ColliderShape::capsule(0.3, 0.8).unwrap();
    (0..count)
        .map(|k| {
            let material = surface(0.3 + 0.4 * scatter(k, 1), 0.8 * scatter(k, 2));
            let cell = DVec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64);
            let at = centre + 1.5 * (cell - 1.5);
            let mass = 0.5 + 3.0 * scatter(k, 3);
            let turn = DQuat::from_scaled_axis(DVec3::new(scatter(k, 4), scatter(k, 5), scatter(k, 6)) * 3.0);
            let mut body = match k % 3 {
                0 => cuboid(DVec3::new(1.0, 0.7, 0.5), mass, at, material),
                1 => ball(&sphere, 0.5, mass, at, material),
                _ => BodyParams::dynamic(
                    capsule.clone(),
                    MassProperties::capsule(mass, 0.3, 0.8),
                    Pose::at(at),
                )
                .with_material(material),
            };
            body.pose.rotation = turn;
            body.moving(-2.0 * (at - centre), DVec3::new(scatter(k, 7), scatter(k, 8), -scatter(k, 9)))
        })
        .collect()
}

#[test]
fn an_isolated_heap_keeps_its_momentum() {
    for gravity in [DVec3::ZERO, DVec3::Y * -9.81] {
        // Pushing apart changes no velocity, hence no momentum, but moves bodies: see push.rs.
        let params = RigidParams { gravity, push_passes: 0, ..RigidParams::default() };
        let mut world = RigidBodies::new(params, heap(40, DVec3::ZERO), &[]).unwrap();
        let (linear, angular) = world.momentum();
        let scale: f64 = world
            .bodies()
            .iter()
            .zip(&world.state().body)
            .map(|(b, s)| mass_of(b) * s.velocity.length())
            .sum();
        let (mut bounces, mut pairs) = (0, 0);
        for _ in 0..120 {
            let report = world.advance(1.0 / 120.0).unwrap();
            bounces += report.bounces;
            pairs = pairs.max(report.pairs);
        }
        assert!(bounces > 30 && pairs > 30, "{bounces} bounces, {pairs} pairs");
        let total: f64 = world.bodies().iter().map(mass_of).sum();
        let expected = linear + total * gravity;
        let (now, turned) = world.momentum();
        assert!((now - expected).length() < 1e-10 * scale, "{} of {scale}", (now - expected).length());
        if gravity == DVec3::ZERO {
            assert!(
                (turned - angular).length() < 1e-10 * scale,
                "{} of {scale}",
                (turned - angular).length()
            );
        }
    }
}

fn mass_of(body: &BodyParams) -> f64 {
    match &body.kind {
        meniscus_solid::BodyType::Dynamic(mass) => mass.mass,
        _ => 0.0,
    }
}

fn pile() -> RigidBodies {
    let mut bodies = heap(48, DVec3::Y * 6.0);
    bodies.push(ground(surface(0.5, 0.2)));
    let joint = |a: usize, b: usize, kind| JointParams {
        first: crate::common::id(a),
        second: Some(crate::common::id(b)),
        point: 0.5 * (bodies[a].pose.translation + bodies[b].pose.translation),
        kind,
        collide: false,
    };
    let hinge = JointType::Hinge { axis: DVec3::Z, limits: Some([-0.5, 0.5]), motor: None };
    let joints = [joint(0, 1, JointType::Ball), joint(4, 5, hinge), joint(8, 9, JointType::Fixed)];
    RigidBodies::new(RigidParams::default(), bodies, &joints).unwrap()
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = pile();
            run(&mut world, 1.5, 60.0);
            world.save().unwrap()
        })
    };
    let one = with(1);
    assert!(one == with(2) && one == with(7));
}

#[test]
fn a_restart_gives_the_same_bits() {
    let mut through = pile();
    run(&mut through, 0.8, 60.0);
    let saved = through.save().unwrap();
    let mut resumed = pile();
    resumed.restore(&saved).unwrap();
    assert_eq!(resumed.time().to_bits(), through.time().to_bits());
    for _ in 0..40 {
        let push = Wrench { impulse: DVec3::new(0.3, 0.1, 0.0), angular_impulse: DVec3::Z };
        for world in [&mut through, &mut resumed] {
            world.apply(crate::common::id(3), push);
            world.advance(1.0 / 90.0).unwrap();
        }
    }
    assert!(through.save().unwrap() == resumed.save().unwrap());
}

#[test]
fn damaged_states_are_refused() {
    let mut world = pile();
    run(&mut world, 0.5, 60.0);
    let saved = world.save().unwrap();
    assert!(world.restore(&saved[..saved.len() / 2]).is_err());
    assert!(world.restore(&[]).is_err());
    let mut other = RigidBodies::new(RigidParams::default(), heap(3, DVec3::ZERO), &[]).unwrap();
    let error = other.restore(&saved).unwrap_err().to_string();
    assert!(error.contains("49 bodies, the scene 3"), "{error}");
    // Any byte may be wrong: an error or a state, but no panic, also not when it is used.
    for k in (0..saved.len()).step_by(37) {
        let mut bytes = saved.clone();
        bytes[k] ^= 0x5a;
        if world.restore(&bytes).is_ok() {
            let _ = world.advance(1e-3);
        }
    }
}

#[test]
fn loads_and_responses_agree() {
    let size = DVec3::new(1.0, 2.0, 0.5);
    let shape = ColliderShape::cuboid(size).unwrap();
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 0.4, 0.5));
    let mass = MassProperties { centre: DVec3::new(0.1, 0.0, 0.2), ..MassProperties::cuboid(3.0, size) };
    let body = BodyParams::dynamic(
        Arc::clone(&shape),
        mass,
        Pose { translation: DVec3::new(4.0, 5.0, 6.0), rotation: turn },
    );
    let params = RigidParams { gravity: DVec3::ZERO, ..RigidParams::default() };
    let mut world = RigidBodies::new(params, vec![body], &[]).unwrap();
    let mut load = Wrench::default();
    load.push(DVec3::new(4.0, 6.0, 6.5), DVec3::new(0.1, 0.2, -0.3));
    let response = world.response(crate::common::id(0), load);
    let before = world.momentum();
    world.apply(crate::common::id(0), load);
    world.advance(1e-6).unwrap();
    let state = world.state().body[0];
    assert!(state.velocity.abs_diff_eq(response.linear, 1e-12));
    assert!(state.angular_velocity.abs_diff_eq(response.angular, 1e-6));
    let after = world.momentum();
    assert!((after.0 - before.0).abs_diff_eq(load.impulse, 1e-12));
    assert!((after.1 - before.1).abs_diff_eq(load.angular_impulse, 1e-9));
}
