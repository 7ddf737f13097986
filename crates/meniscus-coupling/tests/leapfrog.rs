//! Time integration.

mod common;

use common::{GRAVITY, free_setup, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{Integrator, Simulation, StepPolicy};

/// How far from the parabola a drop is after a second of falling with steps of 10 ms `[m]`.
fn miss(integrator: Integrator) -> f64 {
    let mut setup = free_setup(Dimension::Three, 0.1, wcsph(20.0));
    setup.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    setup.step = StepPolicy::Fixed { dt: 0.01 };
    setup.integrator = integrator;
    setup.initial = vec![(DVec3::ZERO, DVec3::new(1.0, 2.0, 0.0))];
    let mut simulation = Simulation::new(setup).unwrap();
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let expected = DVec3::new(1.0, 2.0 - 0.5 * GRAVITY, 0.0);
    (simulation.particles().position[0] - expected).length()
}

#[test]
fn a_leapfrog_falls_on_the_parabola() {
    let (leapfrog, euler) = (miss(Integrator::Leapfrog), miss(Integrator::SymplecticEuler));
    println!("leapfrog {leapfrog:.2e} m, symplectic Euler {euler:.2e} m");
    assert!(leapfrog < 1e-5, "{leapfrog}");
    assert!((euler - 0.5 * GRAVITY * 0.01).abs() < 1e-4, "{euler}");
}
