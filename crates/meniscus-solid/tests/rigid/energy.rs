//! Joints never add energy, and take little.

use crate::common::{cuboid, id, surface};
use crate::mechanisms::{Mechanism, Shape, energy};
use glam::{DQuat, DVec3};
use meniscus_solid::{BodyParams, JointParams, JointType, RigidBodies, RigidEngine, RigidParams};

const G: f64 = 9.81;

fn hinge(axis: DVec3) -> JointType {
    JointType::Hinge { axis, limits: None, motor: None }
}

fn joint(first: usize, second: Option<usize>, point: DVec3, kind: JointType) -> JointParams {
    JointParams { first: id(first), second: second.map(id), point, kind, collide: false }
}

fn link(at: DVec3) -> BodyParams {
    cuboid(DVec3::new(1.0, 0.1, 0.1), 2.0, at, surface(0.5, 0.0))
}

/// A horizontal chain that hangs on the scene by its first link.
fn chain(count: usize, kind: JointType, nudge: DVec3) -> RigidBodies {
    let links = (0..count).map(|k| {
        let centre = DVec3::X * (0.5 + k as f64);
        link(centre).moving(nudge.cross(centre), nudge)
    });
    let joints: Vec<_> = (0..count).map(|k| joint(k, k.checked_sub(1), DVec3::X * k as f64, kind)).collect();
    RigidBodies::new(RigidParams::default(), links.collect(), &joints).unwrap()
}

#[test]
fn nudged_hinge_chains_gain_nothing() {
    for (count, rate) in [(5, 90.0), (8, 270.0), (10, 90.0), (10, 270.0), (10, 1000.0)] {
        let mut world = chain(count, hinge(DVec3::Z), 0.01 * DVec3::Y);
        let start = energy(&world);
        let fall = 2.0 * G * (count * count) as f64 / 2.0;
        let most = (0..(5.0 * rate) as u32).map(|step| {
            world.advance(1.0 / rate).unwrap_or_else(|e| panic!("{count} links, step {step}: {e}"));
            energy(&world) - start
        });
        let most = most.fold(f64::NEG_INFINITY, f64::max);
        assert!(most < 1e-6 * fall, "{count} links at 1/{rate} s: {most} J of {fall} J");
    }
}

#[test]
fn a_pendulum_loses_little_and_by_the_square_of_the_step() {
    let lost = |rate: f64| {
        let turn = DQuat::from_rotation_z(0.3 - std::f64::consts::FRAC_PI_2);
        let mut bar = link(turn * DVec3::X * 0.5);
        bar.pose.rotation = turn;
        let mut world = RigidBodies::new(
            RigidParams::default(),
            vec![bar],
            &[joint(0, None, DVec3::ZERO, hinge(DVec3::Z))],
        )
        .unwrap();
        let scale = 2.0 * G * 0.5 * (1.0 - 0.3_f64.cos());
        let start = energy(&world);
        for _ in 0..(10.0 * rate) as u32 {
            world.advance(1.0 / rate).unwrap();
        }
        (start - energy(&world)) / scale
    };
    let (coarse, fine) = (lost(60.0), lost(240.0));
    assert!(fine < 1e-6 && fine > -1e-9, "{fine}");
    // By the square of the step at least.
    assert!(coarse < 1e-4 && coarse > 12.0 * fine, "{coarse} {fine}");
}

fn world(mechanism: &Mechanism) -> RigidBodies {
    RigidBodies::new(RigidParams::default(), mechanism.bodies.clone(), &mechanism.joints).unwrap()
}

/// The steps of a short test, from coarse to fine.
const RATES: [f64; 4] = [30.0, 60.0, 240.0, 2000.0];

/// Runs a random mechanism that touches nothing, and holds it to what joints promise.
fn gains_nothing(seed: u64, rate: f64, seconds: f64) {
    let mechanism = Mechanism::random(seed, 20, false).unwrap();
    let outcome = mechanism.run(&mut world(&mechanism), 1.0 / rate, seconds).unwrap();
    let what = format!("{seed}: {:?} of {} links at 1/{rate} s", mechanism.shape, mechanism.links);
    assert!(outcome.gain < 1e-9, "{what} gains {}", outcome.gain);
    assert!(outcome.lost > -1e-9, "{what} ends with more than it had: {}", -outcome.lost);
    assert!(outcome.gap < 1e-5, "{what} opens by {}", outcome.gap);
}

#[test]
fn random_mechanisms_gain_nothing_and_stay_together() {
    for seed in 0..80 {
        let rate = RATES[seed as usize % RATES.len()];
        gains_nothing(seed, rate, 3.0_f64.min(200.0 / rate));
    }
}

#[test]
fn joints_that_repeat_each_other_gain_nothing_with_any_step() {
    // Three links welded by balls and a rod, at a dead point: what their demands differ by is rounding.
    for rate in RATES {
        gains_nothing(37, rate, 2000.0 / rate.max(1000.0));
    }
    let loops =
        (80..).filter(|seed| Mechanism::random(*seed, 20, false).is_ok_and(|m| m.shape == Shape::Loop));
    for (k, seed) in loops.take(40).enumerate() {
        let rate = RATES[k % RATES.len()];
        gains_nothing(seed, rate, 2.0_f64.min(200.0 / rate));
    }
}

#[test]
fn random_mechanisms_on_the_ground_gain_no_more_than_bodies_without_joints() {
    for seed in 0..20 {
        let mechanism = Mechanism::random(seed, 10, true).unwrap();
        let rate = RATES[seed as usize % 3];
        let outcome = mechanism.run(&mut world(&mechanism), 1.0 / rate, 2.0).unwrap();
        let what = format!("{seed}: {:?} of {} links at 1/{rate} s", mechanism.shape, mechanism.links);
        // A bar that falls without joints is pushed out of the ground by as much.
        assert!(outcome.gain < 1e-3, "{what} gains {}", outcome.gain);
        assert!(outcome.gap < 1e-4, "{what} opens by {}", outcome.gap);
    }
}

#[test]
fn mechanisms_leave_the_same_bits_on_any_threads_and_after_a_restart() {
    let mut bodies = Vec::new();
    let mut joints = Vec::new();
    for seed in 0..6 {
        let mechanism = Mechanism::random(seed, 8, true).unwrap();
        let first = bodies.len() as u32;
        let there = DVec3::X * 20.0 * f64::from(seed as u32);
        for mut body in mechanism.bodies.into_iter().take(mechanism.links) {
            body.pose.translation += there;
            bodies.push(body);
        }
        for mut joint in mechanism.joints {
            joint.first.0 += first;
            joint.second.iter_mut().for_each(|body| body.0 += first);
            joint.point += there;
            if let JointType::Distance { other, .. } = &mut joint.kind {
                *other += there;
            }
            joints.push(joint);
        }
    }
    bodies.push(crate::common::ground(surface(0.5, 0.0)));
    let run = |threads: usize, stop: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let new = || RigidBodies::new(RigidParams::default(), bodies.clone(), &joints).unwrap();
            let mut world = new();
            for step in 0..120 {
                if stop && step % 40 == 39 {
                    let saved = world.save().unwrap();
                    world = new();
                    world.restore(&saved).unwrap();
                }
                world.advance(1.0 / 60.0).unwrap();
            }
            world.save().unwrap()
        })
    };
    let alone = run(1, false);
    assert!(alone == run(3, false));
    assert!(alone == run(2, true));
}
