//! What an engine says about a step before it is taken: contacts and joints are part of it.

use crate::common::{cube, ground, id, position, run, surface, world};
use glam::DVec3;
use meniscus_core::{Twist, Wrench};
use meniscus_solid::{RigidBodies, RigidEngine};

const DT: f64 = 1.0 / 240.0;
const GRAVITY: f64 = 9.81;

/// A cube of 1 m and 50 kg on the ground, and one of 3500 kg on it, at rest.
fn stack() -> RigidBodies {
    let rough = surface(0.5, 0.0);
    let light = cube(1.0, 50.0, DVec3::Y * 0.5, rough);
    let heavy = cube(1.0, 3500.0, DVec3::Y * 1.5, rough);
    let mut stack = world(vec![ground(rough), light, heavy]);
    run(&mut stack, 0.5, 1.0 / DT);
    stack
}

/// An impulse through the centre of a body.
fn push(world: &RigidBodies, body: usize, impulse: DVec3) -> Wrench {
    Wrench { impulse, angular_impulse: position(world, body).cross(impulse) }
}

/// How bodies move under impulses through the centres of bodies 1 and 2, asked until the answer is settled.
fn motions(world: &mut RigidBodies, first: DVec3, second: DVec3) -> Vec<Twist> {
    let loads = [Wrench::default(), push(world, 1, first), push(world, 2, second)];
    let mut result = Vec::new();
    world.begin_response(DT);
    for _ in 0..30 {
        world.respond(&loads, &mut result);
    }
    result
}

#[test]
fn what_stands_on_the_ground_is_as_firm_as_the_ground() {
    let mut stack = stack();
    let weight = 3550.0 * GRAVITY * DT;
    for impulse in [DVec3::ZERO, -DVec3::Y * weight, 0.9 * DVec3::Y * weight, 0.2 * DVec3::X * weight] {
        for moved in motions(&mut stack, impulse, DVec3::ZERO) {
            assert!(moved.linear.length() < 0.02 * GRAVITY * DT, "{impulse}: {moved:?}");
        }
    }
}

#[test]
fn a_light_body_below_a_heavy_one_rises_as_both_do() {
    let mut stack = stack();
    let weight = 3550.0 * GRAVITY * DT;
    let lifted = motions(&mut stack, 1.5 * DVec3::Y * weight, DVec3::ZERO);
    for moved in &lifted[1..] {
        assert!((moved.linear.y - 0.5 * GRAVITY * DT).abs() < 0.01 * GRAVITY * DT, "{moved:?}");
    }
}

#[test]
fn contacts_do_not_pull() {
    let mut stack = stack();
    let weight = 3500.0 * GRAVITY * DT;
    let parted = motions(&mut stack, DVec3::ZERO, 3.0 * DVec3::Y * weight);
    assert!(parted[1].linear.length() < 1e-3 * GRAVITY * DT, "{:?}", parted[1]);
    assert!((parted[2].linear.y - 2.0 * GRAVITY * DT).abs() < 0.01 * GRAVITY * DT, "{:?}", parted[2]);
}

#[test]
fn the_step_does_what_was_foreseen() {
    let impulses = [DVec3::new(4000.0, 300.0, 0.0) * DT, DVec3::new(-1500.0, 9000.0, 700.0) * DT];
    let mut stack = stack();
    let before = stack.state().body.clone();
    let foreseen = motions(&mut stack, impulses[0], impulses[1]);
    for (k, impulse) in impulses.into_iter().enumerate() {
        let load = push(&stack, k + 1, impulse);
        stack.apply(id(k + 1), load);
    }
    stack.advance(DT).unwrap();
    for k in 1..3 {
        let change = stack.state().body[k].velocity - before[k].velocity;
        let off = (change - foreseen[k].linear).length();
        assert!(off < 0.02 * GRAVITY * DT, "body {k}: {change}, foreseen {}", foreseen[k].linear);
    }
}

#[test]
fn questions_leave_the_state_alone() {
    let (mut asked, mut silent) = (stack(), stack());
    for _ in 0..10 {
        motions(&mut asked, DVec3::X, DVec3::Y);
        asked.advance(DT).unwrap();
        silent.advance(DT).unwrap();
    }
    assert_eq!(asked.save().unwrap(), silent.save().unwrap());
}
