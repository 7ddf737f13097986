//! A hundred metres from the origin, centimetre particles move as they do at the origin.

mod common;

use common::{dfsph, free_setup, tank_setup, translate, wcsph};
use glam::DVec3;
use meniscus_core::{Dimension, SeriesRow};
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

/// How far particles of a dam break come to lie from where they belong when everything is moved by `offset`, in spacings.
fn apart(dimension: Dimension, pressure: PressureChoice, offset: DVec3, steps: u32) -> f64 {
    let (tank, water) = match dimension {
        Dimension::Two => (DVec3::new(0.4, 0.3, 1.0), DVec3::new(0.16, 0.2, 1.0)),
        Dimension::Three => (DVec3::new(0.2, 0.15, 0.08), DVec3::new(0.08, 0.1, 0.08)),
    };
    let mut setup = tank_setup(dimension, SPACING, tank, water, pressure);
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 20.0 };
    let here = end(setup.clone(), steps);
    let moved = here.iter().zip(&setup.initial).map(|(x, (start, _))| x.distance(*start)).fold(0.0, f64::max);
    assert!(moved > 0.05 * SPACING, "no particle moved by more than {moved} m");
    translate(&mut setup, offset);
    let there = end(setup, steps);
    let apart =
        here.iter().zip(&there).map(|(a, b)| (*b - offset - *a).length()).fold(0.0, f64::max) / SPACING;
    println!(
        "{dimension:?}, {steps} steps: moved {:.2} spacings, apart {apart:.1e} spacings",
        moved / SPACING
    );
    apart
}

const PLANE: DVec3 = DVec3::new(100.0, -100.0, 0.0);
const SPACE: DVec3 = DVec3::new(100.0, 100.0, -100.0);
/// Not a multiple of the spacing: the fixed-point frame rounds each position in another way.
const ODD: f64 = 1.000_012_3;

#[test]
fn a_dam_breaks_the_same_way_with_wcsph() {
    // The lattice starts at exactly the rest density, where pressure sets in: there the last bit of a position decides whether
    // two particles push each other at first.
    for (scale, bound) in [(1.0, 1e-6), (ODD, 5e-3)] {
        assert!(apart(Dimension::Two, wcsph(20.0), scale * PLANE, 50) < bound);
        assert!(apart(Dimension::Three, wcsph(20.0), scale * SPACE, 50) < bound);
        assert!(apart(Dimension::Two, wcsph(20.0), scale * PLANE, 200) < 1e-2);
    }
}

#[test]
fn a_dam_breaks_the_same_way_with_dfsph() {
    // The solver decides who takes part and when to stop, so the last bit of a position grows fast: a shift of a nanometre
    // at the origin does as much after fifty steps.
    for (dimension, offset) in [(Dimension::Two, PLANE), (Dimension::Three, SPACE)] {
        assert!(apart(dimension, dfsph(1e-3), offset, 10) < 1e-4);
        assert!(apart(dimension, dfsph(1e-3), offset, 50) < 0.1);
        assert!(apart(dimension, dfsph(1e-3), ODD * offset, 50) < 0.1);
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
        while simulation.clock().time < 0.05 {
            simulation.step().unwrap();
        }
        let end = simulation.series_row();
        let frame = simulation.frame(0);
        let half = frame.velocity.len() / 2;
        let first = frame.velocity[..half].iter().sum::<DVec3>() / half as f64;
        assert!(first.x < 1.0, "the drops have not met: the first one's velocity is {first}");
        let linear = (end.momentum - start.momentum).length() / start.momentum.length();
        // About the place where the drops meet: about the origin the long lever would hide everything else.
        let spin = |row: &SeriesRow| row.angular_momentum - centre.cross(row.momentum);
        let angular = (spin(&end) - spin(&start)).length() / spin(&start).length();
        println!("linear {linear:.1e}, angular {angular:.1e}, first drop {first:.3}");
        assert!(linear < 1e-5, "momentum drifts by {linear:e}");
        assert!(angular < 1e-5, "angular momentum drifts by {angular:e}");
    }
}
