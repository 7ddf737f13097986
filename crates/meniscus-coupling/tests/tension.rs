//! Cohesion and adhesion.

mod common;

use common::{answer, dfsph, free_setup, map_bodies, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{OnFailure, PressureChoice, Simulation};
use meniscus_geometry::{OpenFaces, Pose, Shape, fill};
use meniscus_sph::boundary::{ForcingParams, ForcingUpdate, Response};
use meniscus_sph::force::ViscosityParams;

/// How square a drop about the origin is: the share of cos 4θ in its fourth moments.
fn squareness(position: &[DVec3]) -> f64 {
    let fourth = |x: &DVec3| x.x.powi(4) + x.y.powi(4) - 6.0 * (x.x * x.y).powi(2);
    let all: f64 = position.iter().map(|x| x.truncate().length_squared().powi(2)).sum();
    (position.iter().map(fourth).sum::<f64>() / all).abs()
}

fn round_off(spacing: f64, pressure: PressureChoice) {
    let mut setup = free_setup(Dimension::Two, spacing, pressure);
    setup.surface_tension = 40.0;
    setup.on_failure = OnFailure::Accept;
    setup.viscosity = ViscosityParams::Laplacian { kinematic: 0.02, boundary_kinematic: 0.0 };
    let shape = Shape::Box { size: DVec3::ONE, open: OpenFaces::NONE };
    let square = fill(&shape, &Pose::default(), spacing, Dimension::Two).unwrap();
    let start = squareness(&square);
    setup.initial = square.into_iter().map(|x| (x, DVec3::ZERO)).collect();
    let mut simulation = Simulation::new(setup).unwrap();
    while simulation.clock().time < 3.0 {
        simulation.step().unwrap();
    }
    let particles = &simulation.particles();
    let farthest = particles.position.iter().map(|x| x.length()).fold(0.0, f64::max);
    let end = squareness(&particles.position);
    println!("square by {start:.4} at first, {end:.4} in the end; the farthest particle at {farthest:.3} m");
    assert!(end < 0.35 * start, "still as square as {end} of {start}");
    // A disc of the same area has the radius 0.564 m.
    assert!(farthest < 0.65, "a particle is {farthest} m from the centre");
    let momentum: DVec3 = particles.velocity.iter().sum();
    assert!(momentum.length() < 1e-4, "it set itself in motion: {momentum}");
}

#[test]
fn a_square_drop_becomes_round() {
    round_off(0.05, dfsph(1e-3));
    round_off(0.04, wcsph(8.0));
}

/// A layer of fluid on a floor that gravity pulls it away from: how many particles are there after half a second.
fn hanging(adhesion: f64, prepare: fn(&mut meniscus_coupling::Setup)) -> usize {
    let spacing = 0.01;
    let mut setup = tank_setup(
        Dimension::Two,
        spacing,
        DVec3::new(0.3, 0.8, 1.0),
        DVec3::new(0.3, 0.01, 1.0),
        dfsph(1e-3),
    );
    setup.on_failure = OnFailure::Accept;
    setup.gravity = DVec3::new(0.0, 2.0, 0.0);
    setup.surface_tension = 0.5;
    prepare(&mut setup);
    for body in &mut setup.bodies {
        body.adhesion = adhesion;
    }
    let mut simulation = Simulation::new(setup).unwrap();
    while simulation.clock().time < 0.5 {
        simulation.step().unwrap();
    }
    simulation.particles().position.iter().filter(|x| x.y < 0.05).count()
}

#[test]
fn fluid_hangs_from_a_ceiling_that_it_clings_to() {
    let forcing = |setup: &mut meniscus_coupling::Setup| {
        answer(
            setup,
            Response::Forcing(ForcingParams { slip: 1.0, restitution: 0.0, update: ForcingUpdate::Global }),
        );
    };
    for (name, prepare) in
        [("samples", (|_| ()) as fn(&mut _)), ("map", |setup| map_bodies(setup)), ("forcing", forcing)]
    {
        let (dry, wet) = (hanging(0.0, prepare), hanging(0.2, prepare));
        println!("{name}: {dry} of 30 particles hang without adhesion, {wet} with it");
        assert!(dry < 5, "{name}: {dry} of 30 particles hang without adhesion");
        assert!(wet > 20, "{name}: only {wet} of 30 particles hang with adhesion");
    }
}
