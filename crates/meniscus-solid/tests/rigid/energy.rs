//! Joints never add energy, and take little.

use crate::common::{cuboid, id, surface};
use glam::{DQuat, DVec3};
use meniscus_solid::{BodyParams, JointParams, JointType, RigidBodies, RigidEngine, RigidParams};

const G: f64 = 9.81;

/// Kinetic and potential energy of all bodies `[J]`.
fn energy(world: &RigidBodies) -> f64 {
    let mass = |k: usize| world.matter(id(k)).map_or(0.0, |m| m.mass);
    let height = |k: usize| world.state().body[k].position.y;
    world.kinetic_energy() + (0..world.count()).map(|k| mass(k) * G * height(k)).sum::<f64>()
}

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
        let most = (0..(10.0 * rate) as u32).map(|step| {
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
    assert!(fine < 0.02 && fine > -1e-9, "{fine}");
    assert!(coarse < 0.02 && coarse > -1e-9, "{coarse}");
    println!("{coarse} {fine}");
}

#[test]
#[ignore]
fn scan() {
    let from: u64 = std::env::var("FROM").map_or(0, |v| v.parse().unwrap());
    let to: u64 = std::env::var("TO").map_or(20, |v| v.parse().unwrap());
    let most: usize = std::env::var("MOST").map_or(50, |v| v.parse().unwrap());
    let seconds: f64 = std::env::var("SECONDS_RUN").map_or(10.0, |v| v.parse().unwrap());
    let rates: Vec<f64> = std::env::var("RATES")
        .map_or(vec![30.0, 240.0], |v| v.split(',').map(|r| r.parse().unwrap()).collect());
    let touching = std::env::var("TOUCH").is_ok();
    for seed in from..to {
        let m = crate::mechanisms::Mechanism::random(seed, most, touching);
        if std::env::var("DBG").is_ok() {
            for j in &m.joints {
                println!("{:?} {:?} {:?}", j.first, j.second, j.kind);
            }
        }
        for rate in &rates {
            let clock = std::time::Instant::now();
            let out = m.run(1.0 / rate, seconds);
            let ms = clock.elapsed().as_secs_f64() * 1e3 / (seconds * rate);
            match out {
                Ok(o) => println!(
                    "{seed:4} {:?} {:2} links 1/{rate:<5} gain {:9.1e} lost {:9.1e} gap {:8.1e} {ms:.3} ms",
                    m.shape, m.links, o.gain, o.lost, o.gap
                ),
                Err(e) => println!("{seed:4} {:?} {:2} links 1/{rate:<5} ERROR {e}", m.shape, m.links),
            }
        }
    }
}

#[test]
#[ignore]
fn cost() {
    for count in [100, 300, 1000] {
        let mut world = chain(count, hinge(DVec3::Z), 0.01 * DVec3::Y);
        let start = energy(&world);
        for _ in 0..20 {
            world.advance(1.0 / 240.0).unwrap();
        }
        let clock = std::time::Instant::now();
        for _ in 0..100 {
            world.advance(1.0 / 240.0).unwrap();
        }
        println!(
            "{count}: {:.3} ms a step, {:e}",
            clock.elapsed().as_secs_f64() * 10.0,
            energy(&world) - start
        );
    }
}
