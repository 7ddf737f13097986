//! Rapier behind the seam.
#![cfg(feature = "rapier")]

mod common;

use common::{cube, cuboid, ground, id, surface};
use glam::DVec3;
use meniscus_core::BodyLoad;
use meniscus_geometry::Pose;
use meniscus_solid::rapier::{RapierBodies, RapierParams};
use meniscus_solid::script::Motion;
use meniscus_solid::{BodyParams, RigidBodies, RigidParams, Shape, SolidError, Solids};

fn bodies() -> Vec<BodyParams> {
    let rough = surface(0.5, 0.0);
    let lift = BodyParams::scripted(
        Shape::cuboid(DVec3::new(2.0, 1.0, 2.0)).unwrap(),
        Motion::Linear { velocity: DVec3::Y * 0.5 },
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
fn settle(solids: &mut dyn Solids) {
    for _ in 0..120 {
        solids.advance(1.0 / 60.0).unwrap();
    }
    assert_eq!(solids.count(), 4);
    assert!((solids.time() - 2.0).abs() < 1e-9);
    assert!((solids.pose(id(1)).translation.y - 0.5).abs() < 0.01, "{:?}", solids.pose(id(1)));
    assert!((solids.pose(id(2)).translation.y - 1.25).abs() < 0.02, "{:?}", solids.pose(id(2)));
    assert!((solids.kinematics(id(2)).velocity.y - 0.5).abs() < 0.02);
    assert!((solids.kinematics(id(3)).velocity.y - 0.5).abs() < 1e-6);
    let mut load = BodyLoad::default();
    let centre = solids.pose(id(2)).translation;
    load.push(centre, DVec3::new(0.0, 6.0, 0.0));
    let response = solids.response(id(2), load);
    assert!((response.velocity.y - 2.0).abs() < 1e-9 && response.angular_velocity.length() < 1e-9);
    solids.apply(id(2), load);
    solids.advance(1.0 / 60.0).unwrap();
    let now = solids.kinematics(id(2));
    assert!((now.velocity.y - (0.5 + 2.0 - 9.81 / 60.0)).abs() < 0.05, "{now:?}");
    assert!(solids.advance(f64::NAN).is_err());
    solids.apply(id(1), BodyLoad { impulse: DVec3::NAN, angular_impulse: DVec3::ZERO });
    assert!(matches!(solids.advance(0.01), Err(SolidError::NotFinite { .. })));
}

#[test]
fn both_engines_do_the_same_behind_the_seam() {
    settle(&mut RigidBodies::new(RigidParams::default(), bodies(), &[]).unwrap());
    settle(&mut RapierBodies::new(RapierParams::default(), bodies()).unwrap());
}

#[test]
fn a_restart_with_rapier_gives_the_same_bits() {
    let mut through = RapierBodies::new(RapierParams::default(), bodies()).unwrap();
    for _ in 0..40 {
        through.advance(1.0 / 60.0).unwrap();
    }
    let saved = through.save().unwrap();
    let mut resumed = RapierBodies::new(RapierParams::default(), bodies()).unwrap();
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
