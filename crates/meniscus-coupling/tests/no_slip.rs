//! Viscous fluid sticks to a map's wall: spin-up of a full drum.

mod common;

use common::{dfsph, free_setup, map_bodies};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{Body, OnFailure, Simulation};
use meniscus_geometry::{Pose, Shape, Side, Solid, fill};
use meniscus_solid::script::Motion;
use meniscus_sph::force::ViscosityParams;

/// Share of the angular momentum of rigid rotation after a time in units of R²/ν: 1 − 8 Σ exp(−λ² t) / λ² over the zeros of
/// J_1.
fn exact(t: f64) -> f64 {
    let zeros = [3.831_705_97, 7.015_586_67, 10.173_468_14, 13.323_691_94, 16.470_630_05];
    let sum: f64 = zeros.iter().map(|z: &f64| (-z * z * t).exp() / (z * z)).sum();
    1.0 - 8.0 * sum
}

/// The largest difference from the exact curve.
fn spin_up(boundary_kinematic: f64) -> f64 {
    let (radius, spacing, kinematic, rate) = (0.25, 0.0125, 0.005, 0.5);
    let mut setup = free_setup(Dimension::Two, spacing, dfsph(1e-3));
    setup.on_failure = OnFailure::Accept;
    setup.viscosity = ViscosityParams::Laplacian { kinematic, boundary_kinematic };
    let shape = Shape::Sphere { radius };
    let solid = Solid { shape, pose: Pose::default(), side: Side::Container };
    let motion = Motion::Spin { axis: DVec3::Z, rate, point: DVec3::ZERO };
    setup.bodies = vec![Body { motion, ..Body::fixed("drum", solid) }];
    map_bodies(&mut setup);
    let inside =
        fill(&Shape::Sphere { radius: radius - 0.4 * spacing }, &Pose::default(), spacing, Dimension::Two);
    setup.initial = inside.unwrap().into_iter().map(|x| (x, DVec3::ZERO)).collect();
    let mut simulation = Simulation::new(setup).unwrap();
    let mut worst: f64 = 0.0;
    for t in [0.05, 0.1, 0.2, 0.4] {
        while simulation.clock().time * kinematic / (radius * radius) < t {
            simulation.step().unwrap();
        }
        let particles = &simulation.particles();
        let all = particles.position.iter().zip(&particles.velocity);
        let momentum: f64 = all.map(|(x, v)| x.cross(*v).z).sum();
        let rigid: f64 = particles.position.iter().map(|x| rate * x.length_squared()).sum();
        println!("at {t}: {:.3} of {:.3}", momentum / rigid, exact(t));
        worst = worst.max((momentum / rigid - exact(t)).abs());
    }
    worst
}

#[test]
fn a_drum_takes_its_content_along() {
    let sticking = spin_up(0.005);
    // Twenty particles to the radius: the lag is largest while the layer that moves is a few particles thick.
    assert!(sticking < 0.12, "off by {sticking}");
    assert!(spin_up(0.0) > 0.4, "a drum without friction took its content along");
}
