//! The same setup gives the same bits: for any number of threads, across restarts, with and without frames.

mod common;

use common::{dfsph, iisph, pcisph, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::{Dimension, StateHash};
use meniscus_coupling::{Setup, Simulation, State, StepPolicy, Stops};
use meniscus_sph::force::ViscosityParams;
use meniscus_sph::source::{Drain, EmitterParams, Nozzle};
use meniscus_sph::{OnFailure, PressureChoice};

const STEPS: u64 = 60;

/// A dam break with a jet from above and a drain in the dam's foot. There are enough particles for every parallel loop to
/// be cut into pieces.
fn setup(dimension: Dimension, pressure: PressureChoice) -> Setup {
    let (spacing, tank, water) = match dimension {
        Dimension::Two => (0.01, DVec3::new(1.5, 1.2, 1.0), DVec3::new(0.96, 0.9, 1.0)),
        Dimension::Three => (0.02, DVec3::new(0.5, 0.5, 0.2), DVec3::new(0.24, 0.3, 0.2)),
    };
    let mut setup = tank_setup(dimension, spacing, tank, water, pressure);
    setup.sph.viscosity = ViscosityParams::Laplacian { kinematic: 1e-3, boundary_kinematic: 1e-3 };
    setup.stops = Stops { interval: 0.004, end: 10.0 };
    let middle = if dimension == Dimension::Two { 0.0 } else { 0.5 * tank.z };
    setup.sph.emitters = vec![EmitterParams {
        nozzle: Nozzle::Disc { radius: 3.0 * spacing },
        position: DVec3::new(0.8 * tank.x, 0.8 * tank.y, middle),
        direction: DVec3::new(-1.0, -1.0, 0.0),
        speed: 1.5,
        start: 0.0,
        stop: f64::INFINITY,
        max_particles: 100_000,
    }];
    setup.sph.drains =
        vec![Drain::Sphere { center: DVec3::new(water.x, 0.0, middle), radius: 6.0 * spacing }];
    setup
}

/// The state's fingerprint after all steps, restarted from bytes after each of `restarts` steps; a frame is taken after
/// every `frames` steps.
fn run(setup: &Setup, restarts: &[u64], frames: u64) -> StateHash {
    let mut simulation = Simulation::new(setup.clone()).unwrap();
    while simulation.clock().step < STEPS {
        let step = simulation.clock().step;
        if restarts.contains(&step) {
            let state = State::from_bytes(simulation.state().unwrap().into_bytes());
            simulation = Simulation::restore(setup.clone(), &state).unwrap();
            assert!(
                simulation.state().unwrap() == state,
                "the bytes after step {step} are not the whole state"
            );
        }
        if step > 0 && step.is_multiple_of(frames) {
            assert_eq!(simulation.frame(0).id.len(), simulation.particles().len());
        }
        simulation.step().unwrap();
    }
    let state = simulation.sph().unwrap().state();
    assert!(state.emitters[0].particles > 0 && state.totals.drained > 0, "nothing flows in or out");
    simulation.state().unwrap().hash()
}

fn check(dimension: Dimension, pressure: PressureChoice) {
    check_setup(&setup(dimension, pressure));
}

fn check_setup(setup: &Setup) {
    let dimension = setup.dimension;
    let with_threads = |threads: usize, restarts: &[u64], frames: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(setup, restarts, frames))
    };
    let expected = with_threads(1, &[], u64::MAX);
    assert_eq!(
        with_threads(2, &[17], u64::MAX),
        expected,
        "{dimension:?}: two threads, restarted after 17 steps"
    );
    assert_eq!(with_threads(7, &[], 5), expected, "{dimension:?}: seven threads, with frames");
    assert_eq!(with_threads(2, &[17, 43], 7), expected, "{dimension:?}: restarted twice, with frames");
}

#[test]
fn dfsph_is_the_same_every_time() {
    check(Dimension::Two, dfsph(1e-3));
    check(Dimension::Three, dfsph(1e-3));
}

#[test]
fn pcisph_is_the_same_every_time() {
    check(Dimension::Two, pcisph(1e-3));
    check(Dimension::Three, pcisph(1e-3));
}

#[test]
fn iisph_is_the_same_every_time() {
    check(Dimension::Two, iisph(1e-3));
    check(Dimension::Three, iisph(1e-3));
}

#[test]
fn steps_that_adapt_are_the_same_every_time() {
    let mut pressure = iisph(1e-3);
    if let PressureChoice::Iisph(params) = &mut pressure {
        params.density.max_sweeps = 3;
    }
    let mut setup = setup(Dimension::Two, pressure);
    setup.sph.on_failure = OnFailure::Retry;
    setup.step = StepPolicy::Cfl { factor: 0.4, min: 1e-6, max: 5e-3, sweeps: Some(2) };
    let mut simulation = Simulation::new(setup.clone()).unwrap();
    for _ in 0..STEPS {
        simulation.step().unwrap();
    }
    assert!(simulation.totals().retries > 0, "no step was taken again");
    check_setup(&setup);
}

#[test]
fn wcsph_is_the_same_every_time() {
    check(Dimension::Two, wcsph(25.0));
    check(Dimension::Three, wcsph(25.0));
}
