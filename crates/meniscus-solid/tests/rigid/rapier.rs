//! Rapier behind the seam.
#![cfg(feature = "rapier")]

use crate::common::{cube, cuboid, ground, id, surface};
use glam::DVec3;
use meniscus_core::Wrench;
use meniscus_geometry::{OpenFaces, Pose};
use meniscus_solid::rapier::{RapierBodies, RapierParams};
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{
    BodyParams, ColliderShape, JointParams, JointType, KinematicUntil, Motor, PiecewiseLinear, RigidBodies,
    RigidEngine, RigidParams, Schedule, SolidError,
};

fn bodies() -> Vec<BodyParams> {
    let rough = surface(0.5, 0.0);
    let lift = BodyParams::scripted(
        ColliderShape::cuboid(DVec3::new(2.0, 1.0, 2.0)).unwrap(),
        PrescribedMotion::Linear { velocity: DVec3::Y * 0.5 },
        Pose::at(DVec3::new(10.0, -0.5, 0.0)),
    );
    vec![
        ground(rough),
        cube(1.0, 2.0, DVec3::Y * 1.5, rough),
        cuboid(DVec3::new(1.0, 0.5, 1.0), 3.0, DVec3::new(10.0, 0.25, 0.0), rough),
        lift,
    ]
}

/// The seam is all that this knows.
fn settle(solids: &mut dyn RigidEngine) {
    for _ in 0..120 {
        solids.advance(1.0 / 60.0).unwrap();
    }
    assert_eq!(solids.count(), 4);
    assert!((solids.time() - 2.0).abs() < 1e-9);
    assert!((solids.pose(id(1)).translation.y - 0.5).abs() < 0.01, "{:?}", solids.pose(id(1)));
    assert!((solids.pose(id(2)).translation.y - 1.25).abs() < 0.02, "{:?}", solids.pose(id(2)));
    assert!((solids.kinematics(id(2)).velocity.y - 0.5).abs() < 0.02);
    assert!((solids.kinematics(id(3)).velocity.y - 0.5).abs() < 1e-6);
    let mut load = Wrench::default();
    let centre = solids.pose(id(2)).translation;
    load.push(centre, DVec3::new(0.0, 6.0, 0.0));
    let response = solids.response(id(2), load);
    assert!((response.linear.y - 2.0).abs() < 1e-9 && response.angular.length() < 1e-9);
    solids.apply(id(2), load);
    solids.advance(1.0 / 60.0).unwrap();
    let now = solids.kinematics(id(2));
    assert!((now.velocity.y - (0.5 + 2.0 - 9.81 / 60.0)).abs() < 0.05, "{now:?}");
    assert!(solids.advance(f64::NAN).is_err());
    solids.apply(id(1), Wrench { impulse: DVec3::NAN, angular_impulse: DVec3::ZERO });
    assert!(matches!(solids.advance(0.01), Err(SolidError::NotFinite { .. })));
}

#[test]
fn both_engines_do_the_same_behind_the_seam() {
    settle(&mut RigidBodies::new(RigidParams::default(), bodies(), &[]).unwrap());
    settle(&mut RapierBodies::new(RapierParams::default(), bodies(), &[]).unwrap());
}

#[test]
fn a_restart_with_rapier_gives_the_same_bits() {
    let mut through = RapierBodies::new(RapierParams::default(), bodies(), &[]).unwrap();
    for _ in 0..40 {
        through.advance(1.0 / 60.0).unwrap();
    }
    let saved = through.save().unwrap();
    let mut resumed = RapierBodies::new(RapierParams::default(), bodies(), &[]).unwrap();
    resumed.restore(&saved).unwrap();
    for _ in 0..40 {
        through.advance(1.0 / 60.0).unwrap();
        resumed.advance(1.0 / 60.0).unwrap();
    }
    for k in 0..4 {
        assert_eq!(through.kinematics(id(k)), resumed.kinematics(id(k)));
    }
    assert!(resumed.restore(&saved[..10]).is_err());
}

/// A door on a driven hinge, a rod that hangs from a ball joint, a slider with limits, a rope, a beam that is fixed, a flap
/// that falls onto its limit and a driven slider.
fn jointed() -> (Vec<BodyParams>, Vec<JointParams>) {
    let smooth = surface(0.0, 0.0);
    let block = |x: f64| cuboid(DVec3::new(0.2, 1.0, 0.2), 2.0, DVec3::new(x, 0.0, 0.0), smooth);
    let joint = |body: usize, point: DVec3, kind| JointParams {
        first: id(body),
        second: None,
        point,
        kind,
        collide: false,
    };
    let motor = Some(Motor { speed: 2.0, strength: 100.0 });
    let joints = vec![
        joint(0, DVec3::ZERO, JointType::Hinge { axis: DVec3::Y, limits: None, motor }),
        joint(1, DVec3::new(4.0, 0.5, 0.0), JointType::Ball),
        joint(
            2,
            DVec3::new(8.0, 0.0, 0.0),
            JointType::Slider { axis: DVec3::Y, limits: Some([-0.5, 0.5]), motor: None },
        ),
        joint(
            3,
            DVec3::new(12.0, 0.5, 0.0),
            JointType::Distance { other: DVec3::new(12.0, 1.0, 0.0), range: [0.0, 1.0] },
        ),
        joint(4, DVec3::new(16.0, 0.5, 0.0), JointType::Fixed),
        joint(
            5,
            DVec3::new(19.5, 0.0, 0.0),
            JointType::Hinge { axis: DVec3::Z, limits: Some([-0.3, 0.3]), motor: None },
        ),
        joint(
            6,
            DVec3::new(24.0, 0.0, 0.0),
            JointType::Slider {
                axis: DVec3::X,
                limits: None,
                motor: Some(Motor { speed: 0.5, strength: 100.0 }),
            },
        ),
    ];
    let mut bodies: Vec<BodyParams> = (0..7_i32).map(|k| block(4.0 * f64::from(k))).collect();
    bodies[1] = bodies[1].clone().moving(DVec3::X, DVec3::ZERO);
    (bodies, joints)
}

fn held(solids: &mut dyn RigidEngine, name: &str) {
    for _ in 0..240 {
        solids.advance(1.0 / 240.0).unwrap();
    }
    let turning = solids.kinematics(id(0)).angular_velocity;
    assert!((turning - DVec3::Y * 2.0).length() < 0.05, "{name}: {turning}");
    let hanging = solids.pose(id(1)).to_world(DVec3::Y * 0.5);
    assert!(hanging.distance(DVec3::new(4.0, 0.5, 0.0)) < 0.01, "{name}: {hanging}");
    let slid = solids.pose(id(2)).translation;
    assert!(slid.distance(DVec3::new(8.0, -0.5, 0.0)) < 0.02, "{name}: {slid}");
    let hung = solids.pose(id(3)).to_world(DVec3::Y * 0.5);
    assert!((hung.distance(DVec3::new(12.0, 1.0, 0.0)) - 1.0).abs() < 0.02, "{name}: {hung}");
    let beam = solids.pose(id(4));
    assert!(
        beam.translation.distance(DVec3::X * 16.0) < 0.01 && beam.rotation.w > 0.9999,
        "{name}: {beam:?}"
    );
    // Held half a metre to its left, it falls to the right until the limit stops it.
    let flap = solids.pose(id(5)).rotation.to_scaled_axis();
    assert!((flap - DVec3::Z * -0.3).length() < 0.02, "{name}: {flap}");
    let driven = solids.kinematics(id(6)).velocity;
    assert!((driven - DVec3::X * 0.5).length() < 0.01, "{name}: {driven}");
}

#[test]
fn joints_hold_in_both_engines() {
    let (bodies, joints) = jointed();
    held(&mut RigidBodies::new(RigidParams::default(), bodies.clone(), &joints).unwrap(), "ours");
    held(&mut RapierBodies::new(RapierParams::default(), bodies, &joints).unwrap(), "Rapier");
}

#[test]
fn bodies_enter_are_let_go_and_grow_heavier_in_both_engines() {
    let block = |x: f64| cube(0.5, 2.0, DVec3::X * x, surface(0.5, 0.0));
    let late =
        block(0.0).moving(DVec3::X, DVec3::ZERO).scheduled(Schedule { enter: 0.5, ..Schedule::default() });
    let motion = PrescribedMotion::Linear { velocity: DVec3::Y };
    let thrown = Schedule { kinematic: Some(KinematicUntil { motion, until: 0.5 }), ..Schedule::default() };
    let course = PiecewiseLinear::new(vec![(0.0, 2.0), (1.0, 8.0)]).unwrap();
    let heavier = Schedule { mass: Some(course), ..Schedule::default() };
    let bodies = vec![late, block(5.0).scheduled(thrown), block(10.0).scheduled(heavier)];
    let check = |solids: &mut dyn RigidEngine, name: &str| {
        assert!(!solids.is_present(id(0)) && solids.matter(id(1)).is_none(), "{name}");
        for _ in 0..240 {
            let push = Wrench { impulse: DVec3::X / 240.0, angular_impulse: DVec3::ZERO };
            solids.apply(id(2), push);
            solids.advance(1.0 / 240.0).unwrap();
        }
        // Half a second of falling, with a velocity of its own.
        let entered = solids.kinematics(id(0));
        assert!(
            entered.pose.translation.distance(DVec3::new(0.5, -0.125 * 9.81, 0.0)) < 0.02,
            "{name}: {entered:?}"
        );
        // Half a second upwards, then half a second of flight.
        let flown = solids.pose(id(1)).translation.y;
        assert!((flown - (0.5 + 0.5 - 0.125 * 9.81)).abs() < 0.02, "{name}: {flown}");
        // ∫ dt / (2 + 6 t) = ln 4 / 6
        let pushed = solids.kinematics(id(2)).velocity.x;
        assert!((pushed - 4_f64.ln() / 6.0).abs() < 2e-3, "{name}: {pushed}");
        assert!((solids.matter(id(2)).unwrap().mass - 8.0).abs() < 1e-9, "{name}");
        assert!(solids.is_present(id(0)) && solids.matter(id(1)).is_some(), "{name}");
    };
    let params = RigidParams::default();
    check(&mut RigidBodies::new(params, bodies.clone(), &[]).unwrap(), "ours");
    check(&mut RapierBodies::new(RapierParams::default(), bodies, &[]).unwrap(), "Rapier");
}

#[test]
fn boxes_hold_bodies_in_both_engines_and_other_rooms_are_refused_by_rapier() {
    let open = OpenFaces::new([false, false, false, true, false, false]);
    let room = |shape| BodyParams::fixed(ColliderShape::room(shape).unwrap(), Pose::IDENTITY);
    let tank = room(meniscus_geometry::Shape::Box { size: DVec3::new(2.0, 2.0, 2.0), open });
    let rough = surface(0.5, 0.0);
    let inside = cube(0.5, 1.0, DVec3::Y * 3.0, rough).moving(DVec3::X * 0.5, DVec3::ZERO);
    let bodies = vec![tank, inside];
    let lies = |solids: &mut dyn RigidEngine, name: &str| {
        for _ in 0..240 {
            solids.advance(1.0 / 120.0).unwrap();
        }
        let at = solids.pose(id(1)).translation;
        assert!((at.y + 0.75).abs() < 0.02 && at.x < 0.78, "{name}: {at}");
    };
    lies(&mut RigidBodies::new(RigidParams::default(), bodies.clone(), &[]).unwrap(), "ours");
    lies(&mut RapierBodies::new(RapierParams::default(), bodies, &[]).unwrap(), "Rapier");
    let drum = room(meniscus_geometry::Shape::Cylinder { radius: 1.0, height: 2.0 });
    let refused = RapierBodies::new(RapierParams::default(), vec![drum], &[]).unwrap_err();
    assert!(matches!(refused, SolidError::Unsupported { .. }), "{refused}");
}
