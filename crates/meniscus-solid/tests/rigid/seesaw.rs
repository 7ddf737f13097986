//! Weight that is felt through others: the see-saw and the plank of [Guendelman2006], Figs. 2.13 and 2.14.

use crate::common::{cuboid, ground, position, run, surface, world};
use glam::{DQuat, DVec3};
use meniscus_geometry::Pose;
use meniscus_solid::{BodyParams, ColliderShape, RigidBodies, RigidParams};

const PLANK: usize = 2;
const HEAVY: usize = 3;
const LIGHT: usize = 4;

fn seesaw(params: RigidParams) -> RigidBodies {
    let lying =
        Pose { translation: DVec3::Y * 0.5, rotation: DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2) };
    let roller = BodyParams::fixed(ColliderShape::cylinder(0.5, 2.0).unwrap(), lying)
        .with_material(surface(0.8, 0.05));
    let bodies = vec![
        ground(surface(0.3, 0.05)),
        roller,
        cuboid(DVec3::new(10.0, 0.5, 2.0), 10.0, DVec3::Y * 1.25, surface(0.1, 0.05)),
        cuboid(DVec3::splat(1.8), 20.0, DVec3::new(3.5, 2.4, 0.0), surface(0.15, 0.05)),
        cuboid(DVec3::splat(1.0), 5.0, DVec3::new(-4.0, 2.0, 0.0), surface(0.2, 0.05)),
    ];
    RigidBodies::new(params, bodies, &[]).unwrap()
}

/// The slope of the plank; negative with the heavy side down `[rad]`.
fn tilt(world: &RigidBodies) -> f64 {
    let along = world.state().body[PLANK].rotation * DVec3::X;
    along.y.asin()
}

/// When the heavy side first lay on the ground, when its block had left, and when the light side was down `[s]`.
fn story(mut world: RigidBodies) -> [Option<f64>; 3] {
    let mut times = [None; 3];
    for step in 0..12 * 60 {
        run(&mut world, 1.0 / 60.0, 60.0);
        let time = f64::from(step + 1) / 60.0;
        let heavy = position(&world, HEAVY);
        let happened = [tilt(&world) < -0.18, heavy.x > 5.0 && heavy.y < 1.5, tilt(&world) > 0.15];
        for k in 0..3 {
            if happened[k] && times[k].is_none() && (k == 0 || times[k - 1].is_some()) {
                times[k] = Some(time);
            }
        }
    }
    assert!(position(&world, LIGHT).is_finite());
    times
}

#[test]
fn the_heavy_side_goes_down_its_block_slides_off_and_the_light_side_follows() {
    let [down, off, back] = story(seesaw(RigidParams::default()));
    let (down, off, back) = (down.unwrap(), off.unwrap(), back.unwrap());
    // About the roller: torque 20 g 3.5 − 5 g 4 over an inertia of 450 about; 0.2 rad then take 0.56 s.
    assert!((0.4..0.8).contains(&down), "{down}");
    assert!(off > down && back > off, "{down} {off} {back}");
}

#[test]
fn without_contact_sweeps_the_plank_does_not_feel_the_weight() {
    let only_shock = RigidParams { contact_sweeps: 0, ..RigidParams::default() };
    let [down, ..] = story(seesaw(only_shock));
    assert!(down.is_none_or(|t| t > 2.0), "{down:?}");
}

#[test]
fn a_dropped_box_flips_a_stack() {
    let rough = surface(0.5, 0.3);
    let mut bodies = vec![
        ground(rough),
        cuboid(DVec3::splat(4.0), 50.0, DVec3::Y * 2.0, rough),
        cuboid(DVec3::new(10.0, 0.5, 2.0), 10.0, DVec3::Y * 4.25, rough),
        cuboid(DVec3::splat(2.0), 100.0, DVec3::new(4.0, 70.0, 0.0), rough),
    ];
    let at = |k: usize| DVec3::new(-4.0, 5.0 + k as f64, 0.0);
    bodies.extend((0..7).map(|k| cuboid(DVec3::ONE, 1.0, at(k), rough)));
    let mut world = world(bodies);
    // It falls 64.5 m in 3.63 s. Until then the stack stands.
    run(&mut world, 3.6, 60.0);
    for k in 0..7 {
        assert!(position(&world, 4 + k).distance(at(k)) < 1e-3, "box {k} at {}", position(&world, 4 + k));
    }
    run(&mut world, 0.5, 60.0);
    let risen = (0..7).filter(|k| position(&world, 4 + k).y > at(*k).y + 1.0).count();
    assert!(risen >= 6, "{risen} of 7 were thrown up");
    run(&mut world, 15.0, 60.0);
    let fallen = (0..7).filter(|k| position(&world, 4 + k).y < 4.0).count();
    assert!(fallen >= 5, "{fallen} of 7 fell down");
}
