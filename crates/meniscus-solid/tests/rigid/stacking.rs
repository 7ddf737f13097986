//! Stacks, lines of balls, see-saws.

use crate::common::{ball, cube, ground, position, run, surface, world};
use glam::DVec3;
use meniscus_solid::{BodyParams, ColliderShape, RigidBodies};

fn stack(count: usize, mass: impl Fn(usize) -> f64) -> RigidBodies {
    let material = surface(0.5, 0.0);
    let cubes = (0..count).map(|k| cube(1.0, mass(k), DVec3::Y * (k as f64 + 0.5), material));
    world(std::iter::once(ground(material)).chain(cubes).collect())
}

#[test]
fn thirty_cubes_stand() {
    let mut world = stack(30, |_| 1.0);
    run(&mut world, 10.0, 60.0);
    for k in 1..=30 {
        let error = position(&world, k) - DVec3::Y * (k as f64 - 0.5);
        assert!(error.length() < 1e-3, "cube {k} is off by {error}");
    }
    assert!(world.kinetic_energy() < 1e-8, "{}", world.kinetic_energy());
}

#[test]
fn a_heavy_cube_on_nine_light_ones_stands() {
    let mut world = stack(10, |k| if k == 9 { 100.0 } else { 1.0 });
    run(&mut world, 10.0, 60.0);
    for k in 1..=10 {
        let error = position(&world, k) - DVec3::Y * (k as f64 - 0.5);
        assert!(error.length() < 1e-3, "cube {k} is off by {error}");
    }
}

#[test]
fn the_last_ball_of_a_line_leaves() {
    for gap in [0.0, 1e-3] {
        let shape = ColliderShape::sphere(1.0).unwrap();
        let material = surface(0.0, 1.0);
        let at = |k: usize| DVec3::X * (2.0 + gap) * k as f64;
        let line = (0..5).map(|k| ball(&shape, 1.0, 1.0, at(k), material));
        let striker = ball(&shape, 1.0, 1.0, DVec3::X * -8.0, material).moving(DVec3::X * 20.0, DVec3::ZERO);
        let mut world = world(line.chain([striker]).collect());
        let gravity_free = meniscus_solid::RigidParams { gravity: DVec3::ZERO, ..*world.params() };
        world = RigidBodies::new(gravity_free, world.bodies().to_vec(), &[]).unwrap();
        run(&mut world, 1.0, 240.0);
        let speeds: Vec<f64> = world.state().body.iter().map(|b| b.velocity.x).collect();
        assert!((speeds[4] - 20.0).abs() < 1e-9, "{speeds:?}");
        for k in [0, 1, 2, 3, 5] {
            assert!(speeds[k].abs() < 1e-9, "{speeds:?}");
        }
        assert!(position(&world, 3).distance(at(3)) < 0.02);
    }
}

#[test]
fn a_ball_bounces_to_its_height_times_restitution_squared() {
    let shape = ColliderShape::sphere(0.5).unwrap();
    for restitution in [0.3, 0.8, 1.0] {
        let material = surface(0.5, restitution);
        let mut world = world(vec![ground(material), ball(&shape, 0.5, 1.0, DVec3::Y * 2.5, material)]);
        let mut top = 0.0_f64;
        let mut bounced = false;
        for _ in 0..400 {
            run(&mut world, 1.0 / 240.0, 240.0);
            let state = world.state().body[1];
            bounced |= state.velocity.y > 0.0;
            if bounced && state.velocity.y < 0.0 {
                break;
            }
            if bounced {
                top = top.max(state.position.y - 0.5);
            }
        }
        let exact = 2.0 * restitution * restitution;
        assert!((top - exact).abs() < 0.06, "restitution {restitution}: {top} instead of {exact}");
    }
}

#[test]
fn a_cube_that_lands_flat_does_not_turn() {
    let material = surface(0.5, 0.5);
    let mut world = world(vec![ground(material), cube(1.0, 1.0, DVec3::Y * 3.0, material)]);
    run(&mut world, 3.0, 120.0);
    let state: &meniscus_solid::BodyState = &world.state().body[1];
    assert!(state.rotation.w > 1.0 - 1e-12 && state.position.x.abs() < 1e-9);
    assert!((state.position.y - 0.5).abs() < 1e-3, "{}", state.position.y);
}

#[test]
fn a_leaning_tower_of_planks_falls_and_an_upright_one_does_not() {
    // Planks that stick out by a third of their length each: three stand, seven do not.
    let tower = |count: usize| {
        let material = surface(0.6, 0.0);
        let size = DVec3::new(3.0, 0.5, 1.0);
        let planks = (0..count).map(|k| {
            crate::common::cuboid(size, 1.0, DVec3::new(0.5 * k as f64, 0.25 + 0.5 * k as f64, 0.0), material)
        });
        let mut world = world(std::iter::once(ground(material)).chain(planks).collect::<Vec<BodyParams>>());
        run(&mut world, 3.0, 120.0);
        (1..=count).all(|k| (position(&world, k).y - (0.5 * k as f64 - 0.25)).abs() < 0.01)
    };
    // The centre of the upper planks leaves the lowest one with the sixth plank on it.
    assert!(tower(4));
    assert!(!tower(9));
}
