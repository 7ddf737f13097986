//! A hundred metres from the origin, centimetre particles move as they do at the origin.

mod common;

use common::{dfsph, free_setup, tank_setup, translate, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{PressureChoice, Setup, Simulation};
use meniscus_geometry::{Pose, Shape, fill};
use meniscus_sph::force::ViscosityParams;

const SPACING: f64 = 0.01;

/// Positions by id after `steps` steps.
fn end(setup: Setup, steps: u32) -> Vec<DVec3> {
    let mut simulation = Simulation::new(setup).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    simulation.frame(0).position
}

fn check(dimension: Dimension, pressure: PressureChoice, offset: DVec3) {
    let (tank, water) = match dimension {
        Dimension::Two => (DVec3::new(0.4, 0.3, 1.0), DVec3::new(0.16, 0.2, 1.0)),
        Dimension::Three => (DVec3::new(0.2, 0.15, 0.08), DVec3::new(0.08, 0.1, 0.08)),
    };
    let mut setup = tank_setup(dimension, SPACING, tank, water, pressure);
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 20.0 };
    let here = end(setup.clone(), 50);
    let moved = here.iter().zip(&setup.initial).map(|(x, (start, _))| x.distance(*start)).fold(0.0, f64::max);
    assert!(moved > 0.1 * SPACING, "no particle moved by more than {moved} m");
    translate(&mut setup, offset);
    let there = end(setup, 50);
    let apart = here.iter().zip(&there).map(|(a, b)| (*b - offset - *a).length()).fold(0.0, f64::max);
    println!("{dimension:?}: moved {:.2} spacings, apart {:.1e} spacings", moved / SPACING, apart / SPACING);
    assert!(apart < 1e-3 * SPACING, "{dimension:?}: {} spacings apart", apart / SPACING);
}

#[test]
fn a_dam_breaks_the_same_way() {
    let plane = DVec3::new(100.0, -100.0, 0.0);
    let space = DVec3::new(100.0, 100.0, -100.0);
    for pressure in [dfsph(1e-3), wcsph(20.0)] {
        check(Dimension::Two, pressure, plane);
        check(Dimension::Three, pressure, space);
        // Not a multiple of the spacing: the fixed-point frame rounds each position in another way.
        check(Dimension::Two, pressure, 1.000_012_3 * plane);
    }
}

#[test]
fn drops_that_collide_keep_their_momentum() {
    let centre = DVec3::new(100.0, -70.0, 100.0);
    for pressure in [dfsph(1e-3), wcsph(20.0)] {
        let mut setup = free_setup(Dimension::Three, SPACING, pressure);
        for (side, spin) in [(-1.0, DVec3::new(1.0, 8.0, -2.0)), (1.0, DVec3::new(-5.0, 0.0, 4.0))] {
            let middle = centre + side * DVec3::new(0.05, 0.01, 0.0);
            let pose = Pose { translation: middle, ..Pose::default() };
            let drop = fill(&Shape::Sphere { radius: 0.045 }, &pose, SPACING, Dimension::Three).unwrap();
            let velocity = DVec3::new(0.3 - side, 0.1, 0.0);
            setup.initial.extend(drop.into_iter().map(|x| (x, velocity + spin.cross(x - middle))));
        }
        let mut simulation = Simulation::new(setup).unwrap();
        let start = simulation.series_row();
        for _ in 0..100 {
            simulation.step().unwrap();
        }
        let end = simulation.series_row();
        assert!(end.kinetic_energy < 0.98 * start.kinetic_energy, "the drops have not met");
        let linear = (end.momentum - start.momentum).length() / start.momentum.length();
        // About the point where the drops meet: about the origin the long lever would hide everything else.
        let spin = |row: &meniscus_core::SeriesRow| {
            // The fluid's centre moves with its momentum, which does not change the angular momentum about a fixed point.
            row.angular_momentum - centre.cross(row.momentum)
        };
        let angular = (spin(&end) - spin(&start)).length() / spin(&start).length();
        println!("linear {linear:.1e}, angular {angular:.1e}");
        assert!(linear < 1e-5, "momentum drifts by {linear:e}");
        assert!(angular < 1e-5, "angular momentum drifts by {angular:e}");
    }
}
