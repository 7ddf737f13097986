//! What the fluid loses the walls receive: in each step of a dam break the change of the fluid's momentum is the impulse of
//! gravity less the loads of the interface.

mod common;

use common::balance::{Balance, balance};
use common::{dfsph, iisph, pcisph, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{PressureChoice, Simulation};
use meniscus_sph::force::ViscosityParams;

/// A dam break of 50 steps.
fn dam_break(dimension: Dimension, pressure: PressureChoice, viscosity: ViscosityParams) -> Balance {
    let (tank, water) = (DVec3::new(0.7, 0.5, 0.24), DVec3::new(0.3, 0.4, 0.24));
    let mut setup = tank_setup(dimension, 0.03, tank, water, pressure);
    setup.viscosity = viscosity;
    // Towards a corner, so that pressure, friction and contacts all have work to do.
    let along = if dimension == Dimension::Two { 0.0 } else { 0.3 };
    setup.initial.iter_mut().for_each(|(_, v)| *v = DVec3::new(-0.4, -0.2, along));
    let found = balance(&mut Simulation::new(setup).unwrap(), 50);
    println!(
        "{dimension:?} {viscosity:?}: linear {:.1e}, angular {:.1e}, sideways {:.2}",
        found.linear, found.angular, found.sideways
    );
    found
}

fn check(pressure: PressureChoice) {
    let smooth = ViscosityParams::None;
    let rough = ViscosityParams::Laplacian { kinematic: 0.01, boundary_kinematic: 0.02 };
    let artificial = ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 25.0 };
    for dimension in [Dimension::Two, Dimension::Three] {
        for viscosity in [smooth, rough, artificial] {
            let found = dam_break(dimension, pressure, viscosity);
            assert!(found.sideways > 0.01, "the walls have taken {} sideways only", found.sideways);
            assert!(found.linear < 1e-4, "{dimension:?} {viscosity:?}: momentum off by {:e}", found.linear);
            assert!(
                found.angular < 1e-4,
                "{dimension:?} {viscosity:?}: angular momentum off by {:e}",
                found.angular
            );
        }
    }
}

#[test]
fn dfsph_hands_its_momentum_to_the_walls() {
    check(dfsph(1e-3));
}

#[test]
fn pcisph_hands_its_momentum_to_the_walls() {
    check(pcisph(1e-3));
}

#[test]
fn iisph_hands_its_momentum_to_the_walls() {
    check(iisph(1e-3));
}

#[test]
fn wcsph_hands_its_momentum_to_the_walls() {
    check(wcsph(25.0));
}
