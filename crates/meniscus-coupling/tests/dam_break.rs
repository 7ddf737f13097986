//! A dam break holds its promises in every step: the density error stays within the tolerance, and nothing escapes.

mod common;

use common::{dfsph, iisph, pcisph, tank_setup};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{PressureChoice, Simulation};
use meniscus_sph::force::ViscosityParams;

fn keeps_its_promises(pressure: PressureChoice, tolerance: f64) {
    let spacing = 0.025;
    let tank = DVec3::new(1.2, 0.8, 0.4);
    let water = DVec3::new(0.4, 0.5, 0.4);
    let mut setup = tank_setup(Dimension::Three, spacing, tank, water, pressure);
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.05, signal_speed: 31.0 };
    let mut simulation = Simulation::new(setup).unwrap();
    let mut worst: f64 = 0.0;
    while simulation.clock().time < 1.0 {
        let report = simulation.step().unwrap();
        let (step, error) = (simulation.clock().step, report.density_error_mean);
        worst = worst.max(error);
        assert!(error <= tolerance, "step {step}: mean density error {error:e}");
        assert_eq!(simulation.escaped(), 0, "step {step}");
    }
    let reach = simulation.particles().position.iter().map(|x| x.x).fold(0.0, f64::max);
    assert!(reach > 1.1, "the wave must have reached the far wall, but ends at {reach} m");
    let (step, totals) = (simulation.clock().step, &simulation.totals());
    let sweeps = totals.pressure_sweeps as f64 / step as f64;
    println!("{step} steps, {sweeps:.1} sweeps a step, largest mean density error {worst:.2e}");
}

#[test]
fn dfsph_keeps_its_tolerance_and_its_particles() {
    keeps_its_promises(dfsph(1e-3), 1e-3);
}

#[test]
fn pcisph_keeps_its_tolerance_and_its_particles() {
    keeps_its_promises(pcisph(1e-3), 1e-3);
}

#[test]
fn iisph_keeps_its_tolerance_and_its_particles() {
    keeps_its_promises(iisph(1e-3), 1e-3);
}
