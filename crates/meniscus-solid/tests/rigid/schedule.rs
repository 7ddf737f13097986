//! What changes about bodies with time: when they appear, when they are let go, how heavy they are.

use crate::common::{cube, cuboid, ground, id, position, run, surface};
use glam::DVec3;
use meniscus_core::Wrench;
use meniscus_geometry::MassProperties;
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{
    BodyParams, BodyType, JointParams, JointType, KinematicUntil, PiecewiseLinear, RigidBodies, RigidEngine,
    RigidParams, Schedule,
};

const G: f64 = 9.81;

fn entering(enter: f64) -> Schedule {
    Schedule { enter, ..Schedule::default() }
}

fn kinematic_until(motion: PrescribedMotion, until: f64) -> Schedule {
    Schedule { kinematic: Some(KinematicUntil { motion, until }), ..Schedule::default() }
}

fn block(at: DVec3) -> BodyParams {
    cube(0.5, 2.0, at, surface(0.5, 0.0))
}

#[test]
fn nothing_meets_a_body_before_it_enters() {
    // A block flies through the place of one that is not there yet; that one then falls for the rest of the time.
    let flying = block(DVec3::new(-2.0, 5.0, 0.0)).moving(DVec3::X * 4.0, DVec3::ZERO);
    let (enter, end) = (1.013, 1.5);
    let late = block(DVec3::Y * 4.0).moving(DVec3::Z * 2.0, DVec3::ZERO).scheduled(entering(enter));
    let mut world = crate::common::world(vec![ground(surface(0.5, 0.0)), flying.clone(), late]);
    assert!(!world.is_present(id(2)) && world.matter(id(2)).is_none());
    assert!(world.is_present(id(1)) && !world.is_present(id(3)));
    assert_eq!(world.kinematics(id(2)).velocity, DVec3::ZERO);
    let push = Wrench { impulse: DVec3::X * 1e3, angular_impulse: DVec3::ZERO };
    assert_eq!(world.response(id(2), push).linear, DVec3::ZERO);
    world.apply(id(2), push);
    run(&mut world, 0.9, 60.0);
    let mut alone = crate::common::world(vec![ground(surface(0.5, 0.0)), flying]);
    run(&mut alone, 0.9, 60.0);
    assert_eq!(position(&world, 1), position(&alone, 1));
    assert_eq!(position(&world, 2), DVec3::Y * 4.0);
    run(&mut world, end - 0.9, 60.0);
    assert!(world.is_present(id(2)));
    let t = end - enter;
    let exact = DVec3::new(0.0, 4.0 - 0.5 * G * t * t, 2.0 * t);
    assert!(position(&world, 2).distance(exact) < 1e-9, "{} {exact}", position(&world, 2));
}

#[test]
fn a_body_that_is_let_go_keeps_the_motion_of_its_centre() {
    // Swung about the origin, with a centre of mass that is not the origin of its frame.
    let mut stone = block(DVec3::X * 2.0);
    let centre = DVec3::X * 0.25;
    stone.kind =
        BodyType::Dynamic(MassProperties { centre, ..MassProperties::cuboid(2.0, DVec3::splat(0.5)) });
    let spin = PrescribedMotion::Spin { point: DVec3::ZERO, axis: DVec3::Z, rate: 3.0 };
    let until = 0.777;
    let params = RigidParams { gravity: DVec3::ZERO, ..RigidParams::default() };
    let mut world =
        RigidBodies::new(params, vec![stone.scheduled(kinematic_until(spin, until))], &[]).unwrap();
    assert!(world.matter(id(0)).is_none() && world.kinetic_energy() == 0.0);
    run(&mut world, 0.5, 60.0);
    let turned = glam::DQuat::from_rotation_z(1.5) * DVec3::X * 2.25;
    assert!(position(&world, 0).distance(turned) < 1e-12);
    run(&mut world, 1.0, 60.0);
    let turn = glam::DQuat::from_rotation_z(3.0 * until);
    let exact = turn * DVec3::new(2.25, 3.0 * 2.25 * (1.5 - until), 0.0);
    assert!(position(&world, 0).distance(exact) < 1e-9, "{} {exact}", position(&world, 0));
    assert!((world.state().body[0].angular_velocity.z - 3.0).abs() < 1e-12);
    assert!(world.matter(id(0)).is_some());
}

#[test]
fn a_body_that_is_led_pushes_others_and_then_rests_with_them() {
    let rough = surface(0.6, 0.0);
    let mover = cube(1.0, 5.0, DVec3::new(-2.0, 0.5, 0.0), rough)
        .scheduled(kinematic_until(PrescribedMotion::Linear { velocity: DVec3::X * 2.0 }, 1.0));
    let pushed = cube(1.0, 1.0, DVec3::Y * 0.5, rough);
    let mut world = crate::common::world(vec![ground(rough), mover, pushed]);
    run(&mut world, 1.0, 120.0);
    assert!(position(&world, 1).distance(DVec3::new(0.0, 0.5, 0.0)) < 1e-9);
    assert!(position(&world, 2).x > 0.99, "{}", position(&world, 2));
    run(&mut world, 2.0, 120.0);
    // v² / 2 μ g of sliding, together.
    assert!((position(&world, 1).x - 4.0 / (2.0 * 0.6 * G)).abs() < 0.02, "{}", position(&world, 1));
    assert!(position(&world, 2).x - position(&world, 1).x > 0.999 && world.kinetic_energy() < 1e-9);
}

#[test]
fn mass_and_inertia_follow_their_course() {
    let course = PiecewiseLinear::new(vec![(0.5, 2.0), (1.5, 8.0)]).unwrap();
    let mut world = RigidBodies::new(
        RigidParams { gravity: DVec3::ZERO, ..RigidParams::default() },
        vec![block(DVec3::ZERO).scheduled(Schedule { mass: Some(course), ..Schedule::default() })],
        &[],
    )
    .unwrap();
    let load = Wrench { impulse: DVec3::X, angular_impulse: DVec3::Z };
    let before = world.response(id(0), load);
    assert!((before.linear.x - 0.5).abs() < 1e-12);
    run(&mut world, 2.0, 60.0);
    let after = world.response(id(0), load);
    assert!((after.linear * 4.0 - before.linear).length() < 1e-12);
    assert!((after.angular * 4.0 - before.angular).length() < 1e-12);
    let matter = world.matter(id(0)).unwrap();
    assert!((matter.mass - 8.0).abs() < 1e-12);
    let ratio = matter.inertia.x_axis.x / MassProperties::cuboid(2.0, DVec3::splat(0.5)).inertia.x_axis.x;
    assert!((ratio - 4.0).abs() < 1e-12);
}

/// A chain of which the lower end is held and let go, beside blocks that appear one after another and grow heavier.
fn changing() -> RigidBodies {
    let rough = surface(0.5, 0.2);
    let link =
        |k: u32| cuboid(DVec3::new(1.0, 0.1, 0.1), 1.0, DVec3::new(f64::from(k) + 0.5, 6.0, 0.0), rough);
    let mut bodies = vec![ground(rough), link(0), link(1)];
    bodies.push(link(2).scheduled(kinematic_until(PrescribedMotion::Still, 0.4)));
    for k in 0..6 {
        let mass = PiecewiseLinear::new(vec![(0.0, 1.0), (1.0, 1.0 + f64::from(k))]).unwrap();
        let schedule = Schedule { enter: 0.13 * f64::from(k), kinematic: None, mass: Some(mass) };
        bodies.push(block(DVec3::new(0.1 * f64::from(k), 3.0, 0.0)).scheduled(schedule));
    }
    let ball = |first: u32| JointParams {
        first: id(first as usize),
        second: (first > 1).then(|| id(first as usize - 1)),
        point: DVec3::new(f64::from(first) - 1.0, 6.0, 0.0),
        kind: JointType::Ball,
        collide: false,
    };
    RigidBodies::new(RigidParams::default(), bodies, &[ball(1), ball(2), ball(3)]).unwrap()
}

#[test]
fn a_restart_in_between_gives_the_same_bits() {
    let mut through = changing();
    run(&mut through, 0.3, 60.0);
    // Held at both ends.
    assert!(position(&through, 3).distance(DVec3::new(2.5, 6.0, 0.0)) < 1e-12);
    let mut resumed = changing();
    resumed.restore(&through.save().unwrap()).unwrap();
    run(&mut through, 1.2, 60.0);
    run(&mut resumed, 1.2, 60.0);
    assert!(through.save().unwrap() == resumed.save().unwrap());
    assert!(position(&through, 3).y < 5.0);
    // All have entered and lie on each other or the ground.
    assert!((4..10).all(|k| through.is_present(id(k)) && position(&through, k).y > 0.2));
}

#[test]
fn schedules_without_sense_are_refused() {
    let refused = |schedule: Schedule| {
        let bodies = vec![block(DVec3::ZERO).scheduled(schedule)];
        RigidBodies::new(RigidParams::default(), bodies, &[]).unwrap_err().to_string()
    };
    assert!(refused(entering(f64::NAN)).contains("enter"));
    assert!(refused(kinematic_until(PrescribedMotion::Still, f64::INFINITY)).contains("release"));
    let nowhere = PrescribedMotion::Spin { point: DVec3::ZERO, axis: DVec3::ZERO, rate: 1.0 };
    assert!(refused(kinematic_until(nowhere, 1.0)).contains("axis"));
    let joint =
        JointParams { first: id(0), second: None, point: DVec3::ZERO, kind: JointType::Ball, collide: false };
    let late = vec![block(DVec3::ZERO).scheduled(entering(1.0))];
    let error = RigidBodies::new(RigidParams::default(), late, &[joint]).unwrap_err().to_string();
    assert!(error.contains("enters later"), "{error}");
}
