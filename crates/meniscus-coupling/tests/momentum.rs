//! Free fluid keeps its momentum, linear and angular, whatever pushes inside it.

mod common;

use common::{dfsph, free_setup, iisph, pcisph, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{PressureChoice, Simulation};
use meniscus_geometry::{Pose, Shape, fill};
use meniscus_sph::force::ViscosityParams;

fn drift(pressure: PressureChoice, viscosity: ViscosityParams) -> (f64, f64) {
    let spacing = 0.02;
    let mut setup = free_setup(Dimension::Three, spacing, pressure);
    setup.viscosity = viscosity;
    // Two spinning drops that collide off centre, away from the origin: pressure and viscosity have work to do, and
    // orbital and intrinsic angular momentum both count.
    let drops = [
        (DVec3::new(0.2, -0.1, 0.2), DVec3::new(1.7, 0.2, -0.4), DVec3::new(1.0, 5.0, -2.0)),
        (DVec3::new(0.45, -0.03, 0.22), DVec3::new(-0.9, 0.1, 0.3), DVec3::new(-3.0, 0.0, 4.0)),
    ];
    for (centre, velocity, spin) in drops {
        let pose = Pose { translation: centre, ..Pose::default() };
        let drop = fill(&Shape::Sphere { radius: 0.1 }, &pose, spacing, Dimension::Three).unwrap();
        setup.initial.extend(drop.into_iter().map(|x| (x, velocity + spin.cross(x - centre))));
    }
    let mut simulation = Simulation::new(setup).unwrap();
    let before = simulation.series_row();
    for _ in 0..500 {
        simulation.step().unwrap();
    }
    let after = simulation.series_row();
    let change = (first_drop_velocity(&simulation) - drops[0].1).length();
    assert!(change > 0.2, "the drops hardly met: the first one's velocity changed by {change} m/s only");
    let linear = (after.momentum - before.momentum).length() / before.momentum.length();
    let angular =
        (after.angular_momentum - before.angular_momentum).length() / before.angular_momentum.length();
    println!("linear {linear:.2e}, angular {angular:.2e}");
    (linear, angular)
}

fn first_drop_velocity(simulation: &Simulation) -> DVec3 {
    let particles = &simulation.particles();
    let half = particles.len() as u64 / 2;
    let first = particles.id.iter().zip(&particles.velocity).filter(|(id, _)| **id < half);
    first.map(|(_, v)| *v).sum::<DVec3>() / half as f64
}

fn assert_conserved((linear, angular): (f64, f64)) {
    assert!(linear < 1e-5, "linear momentum drifts by {linear:e}");
    assert!(angular < 1e-5, "angular momentum drifts by {angular:e}");
}

#[test]
fn dfsph_conserves_momentum() {
    assert_conserved(drift(dfsph(1e-3), ViscosityParams::None));
}

#[test]
fn wcsph_conserves_momentum() {
    assert_conserved(drift(wcsph(20.0), ViscosityParams::None));
}

#[test]
fn pcisph_conserves_momentum() {
    assert_conserved(drift(pcisph(1e-3), ViscosityParams::None));
}

#[test]
fn iisph_conserves_momentum() {
    assert_conserved(drift(iisph(1e-3), ViscosityParams::None));
}

#[test]
fn viscous_forces_conserve_momentum() {
    let laplacian = ViscosityParams::Laplacian { kinematic: 0.01, boundary_kinematic: 0.0 };
    assert_conserved(drift(dfsph(1e-3), laplacian));
    let artificial = ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 20.0 };
    assert_conserved(drift(wcsph(20.0), artificial));
}
