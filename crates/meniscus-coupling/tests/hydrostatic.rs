//! Water at rest: the pressure profile of all solvers is ρ g (H − y), and nothing moves.

mod common;

use common::{GRAVITY, dfsph, iisph, pcisph, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{OnFailure, PressureChoice, Simulation};
use meniscus_sph::force::ViscosityParams;

/// Largest deviation from the profile relative to the bottom pressure, fastest particle [m/s], surface height [m].
fn settle(dimension: Dimension, pressure: PressureChoice, seconds: f64) -> (f64, f64, f64) {
    let spacing = 0.02;
    let depth = 25.0 * spacing;
    let across = if dimension == Dimension::Two { 0.5 } else { 0.24 };
    let tank = DVec3::new(across, 0.8, across);
    let mut setup = tank_setup(dimension, spacing, tank, DVec3::new(across, depth, across), pressure);
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.3, signal_speed: 31.0 };
    // At the start, when pressure builds up, more sweeps are needed than allowed.
    setup.on_failure = OnFailure::Accept;
    let mut simulation = Simulation::new(setup).unwrap();
    while simulation.clock().time < seconds {
        simulation.step().unwrap();
    }
    // A bin is as high as the kernel's radius: pressures of neighbouring lattice layers alternate slightly.
    let layers = 12;
    let (mut sum, mut count) = (vec![0.0; layers], vec![0.0; layers]);
    let particles = &simulation.particles();
    for (x, p) in particles.position.iter().zip(&particles.pressure) {
        let layer = ((x.y / (2.0 * spacing)) as usize).min(layers - 1);
        sum[layer] += f64::from(*p) - 1000.0 * GRAVITY * (depth - x.y);
        count[layer] += 1.0;
    }
    let scale = 1000.0 * GRAVITY * depth;
    let worst = (0..layers).map(|l| sum[l] / count[l] / scale).fold(0.0_f64, |a, e| a.max(e.abs()));
    let particles = &simulation.particles();
    let fastest = particles.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
    let top = particles.position.iter().map(|x| x.y).fold(0.0, f64::max) + 0.5 * spacing;
    println!("worst {worst:.4}, fastest {fastest:.4}, top {top:.4}, escaped {}", simulation.escaped());
    assert_eq!(simulation.escaped(), 0);
    (worst, fastest, top)
}

fn assert_at_rest((worst, fastest, top): (f64, f64, f64)) {
    assert!(worst < 0.03, "pressure is off by {worst} of the bottom pressure");
    assert!(fastest < 0.05, "fastest particle {fastest} m/s");
    assert!((top - 0.5).abs() < 0.01, "surface at {top} m instead of 0.5 m");
}

#[test]
fn dfsph_in_space() {
    assert_at_rest(settle(Dimension::Three, dfsph(2e-6), 1.5));
}

#[test]
fn pcisph_in_space() {
    // Calms down last: without start values each solve leaves noise of its own.
    assert_at_rest(settle(Dimension::Three, pcisph(5e-4), 1.8));
}

#[test]
fn iisph_in_space() {
    assert_at_rest(settle(Dimension::Three, iisph(3e-4), 1.5));
}

#[test]
fn wcsph_in_space() {
    assert_at_rest(settle(Dimension::Three, wcsph(31.0), 3.0));
}

#[test]
fn dfsph_in_the_plane() {
    assert_at_rest(settle(Dimension::Two, dfsph(2e-6), 3.0));
}

#[test]
fn pcisph_in_the_plane() {
    assert_at_rest(settle(Dimension::Two, pcisph(2e-4), 3.0));
}

#[test]
fn iisph_in_the_plane() {
    assert_at_rest(settle(Dimension::Two, iisph(3e-4), 3.0));
}

#[test]
fn wcsph_in_the_plane() {
    assert_at_rest(settle(Dimension::Two, wcsph(31.0), 4.0));
}
