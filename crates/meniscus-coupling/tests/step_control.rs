//! Steps that fail leave nothing behind, can be taken again, and adapt to what they cost.

mod common;

use common::{dfsph, free_setup, iisph, pcisph, tank_setup};
use glam::DVec3;
use meniscus_core::{Dimension, Failure};
use meniscus_coupling::{Setup, Simulation, StepPolicy};
use meniscus_geometry::{Pose, Shape, fill};
use meniscus_solid::script::PrescribedMotion;
use meniscus_sph::pressure::Criterion;
use meniscus_sph::source::{Drain, EmitterParams, Nozzle};
use meniscus_sph::{OnFailure, PressureChoice};
use std::f64::consts::PI;

/// A dam break with a jet from above and, if asked for, a drain in the dam's foot.
fn dam(pressure: PressureChoice, drained: bool) -> Setup {
    let spacing = 0.02;
    let (tank, water) = (DVec3::new(0.5, 0.5, 0.2), DVec3::new(0.24, 0.3, 0.2));
    let mut setup = tank_setup(Dimension::Three, spacing, tank, water, pressure);
    setup.sph.emitters = vec![EmitterParams {
        nozzle: Nozzle::Disc { radius: 3.0 * spacing },
        position: DVec3::new(0.4, 0.4, 0.1),
        direction: DVec3::new(-1.0, -1.0, 0.0),
        speed: 1.5,
        start: 0.0,
        stop: f64::INFINITY,
        max_particles: 100_000,
    }];
    if drained {
        setup.sph.drains = vec![Drain::Sphere { center: DVec3::new(0.24, 0.0, 0.1), radius: 0.1 }];
    }
    setup
}

/// The same solver with other bounds of its density solve.
fn with_density(pressure: PressureChoice, change: impl Fn(Criterion) -> Criterion) -> PressureChoice {
    match pressure {
        PressureChoice::Dfsph(mut params) => {
            params.density = change(params.density);
            PressureChoice::Dfsph(params)
        }
        PressureChoice::Iisph(mut params) => {
            params.density = change(params.density);
            PressureChoice::Iisph(params)
        }
        PressureChoice::Pcisph(mut params) => {
            params.density = change(params.density);
            PressureChoice::Pcisph(params)
        }
        PressureChoice::Wcsph(_) => pressure,
    }
}

fn at_most(pressure: PressureChoice, sweeps: u32) -> PressureChoice {
    with_density(pressure, |density| Criterion { max_sweeps: sweeps, min_sweeps: 1, ..density })
}

fn solvers() -> [PressureChoice; 3] {
    [dfsph(1e-3), iisph(1e-3), pcisph(1e-3)]
}

#[test]
fn a_step_that_fails_leaves_the_state_as_it_was() {
    for pressure in solvers() {
        for drained in [false, true] {
            let mut simulation = Simulation::new(dam(pressure, drained)).unwrap();
            // Until a step that emits: what it has done must be undone.
            let mut before = None;
            let mut emits = false;
            while simulation.clock().step < 20 || !emits {
                before = Some(simulation.state().unwrap());
                let next_id = simulation.particles().next_id;
                simulation.step().unwrap();
                emits = simulation.particles().next_id > next_id;
            }
            let hopeless = |_| Criterion::new(1e-12, 1, 3);
            let mut setup = dam(with_density(pressure, hopeless), drained);
            setup.sph.on_failure = OnFailure::Stop;
            let before = before.unwrap();
            let mut strict = Simulation::restore(setup, &before).unwrap();
            for _ in 0..2 {
                let error = strict.step().unwrap_err();
                assert!(error.reason.contains("sweeps"), "{error}");
                let Failure::NotConverged { sweeps: 3, residual, tolerance } = error.failure else {
                    panic!("{error:?}")
                };
                assert!(residual > tolerance && tolerance <= 1e-12, "{error:?}");
                assert!(strict.state().unwrap() == before, "drained: {drained}");
            }
        }
    }
}

#[test]
fn a_step_taken_again_is_the_shorter_step() {
    for pressure in solvers() {
        let policy = |max| StepPolicy::Cfl { factor: 0.4, min: 1e-6, max, sweeps: None };
        let fine = |density: Criterion| Criterion::new(1e-5, 1, density.max_sweeps);
        let pressure = with_density(pressure, fine);
        let mut simulation = Simulation::new(Setup { step: policy(1e-3), ..dam(pressure, true) }).unwrap();
        for _ in 0..40 {
            simulation.step().unwrap();
        }
        let state = simulation.state().unwrap();
        let from_here = |max, sweeps, on_failure| {
            let mut setup = Setup { step: policy(max), ..dam(at_most(pressure, sweeps), true) };
            setup.sph.on_failure = on_failure;
            Simulation::restore(setup, &state).unwrap()
        };
        let mut long = from_here(8e-3, 1000, OnFailure::Stop);
        long.step().unwrap();
        let needed = long.sph_report().pressure.sweeps;
        // One sweep less than a long step needs.
        let mut again = from_here(8e-3, needed - 1, OnFailure::Retry);
        let report = again.step().unwrap();
        assert!(report.retries > 0, "{needed} {report:?}");
        let mut direct = from_here(report.dt, needed - 1, OnFailure::Stop);
        direct.step().unwrap();
        assert_eq!(again.clock(), direct.clock());
        let state = |simulation: &Simulation| simulation.sph().unwrap().state().clone();
        let (mut again, direct) = (state(&again), state(&direct));
        assert!(again.step_scale < 1.0);
        (again.step_scale, again.totals.retries) = (direct.step_scale, direct.totals.retries);
        assert!(again == direct);
    }
}

#[test]
fn with_retries_no_step_ends_above_its_tolerance() {
    let pressure = at_most(iisph(1e-3), 4);
    let run = |on_failure| {
        let mut setup = dam(pressure, false);
        (setup.sph.on_failure, setup.sph.emitters) = (on_failure, vec![]);
        let mut simulation = Simulation::new(setup).unwrap();
        while simulation.clock().time < 0.3 {
            simulation.step().unwrap();
        }
        let totals = &simulation.totals();
        println!("{on_failure:?}: {} steps, {totals:?}", simulation.clock().step);
        (totals.unconverged_steps, totals.retries)
    };
    assert!(run(OnFailure::Accept).0 > 0, "too easy");
    let (unconverged, retries) = run(OnFailure::Retry);
    assert_eq!(unconverged, 0);
    assert!(retries > 0);
}

#[test]
fn steps_follow_the_sweeps_they_need() {
    let run = |sweeps| {
        let mut setup = dam(pcisph(1e-3), false);
        setup.sph.emitters = vec![];
        setup.step = StepPolicy::Cfl { factor: 0.8, min: 1e-5, max: 5e-3, sweeps };
        let mut simulation = Simulation::new(setup).unwrap();
        while simulation.clock().time < 0.5 {
            simulation.step().unwrap();
        }
        let (state, steps) = (simulation.sph().unwrap().state(), simulation.clock().step);
        let mean = state.totals.pressure_sweeps as f64 / steps as f64;
        println!("{sweeps:?}: {steps} steps, {mean:.1} sweeps a step, scale {:.2}", state.step_scale);
        (steps, mean)
    };
    let (free_steps, free_mean) = run(None);
    let (steps, mean) = run(Some(5));
    assert!(free_mean > 8.0, "{free_mean} sweeps a step are too few to tell");
    assert!(mean < 5.5, "{mean} sweeps a step, 5 were asked for");
    assert!(steps > free_steps, "{steps} {free_steps}");
}

#[test]
fn a_shock_is_met_with_a_shorter_step() {
    // A tank that is jerked: at the start of the first step it stands still, and says nothing of how fast it will be.
    let spacing = 0.02;
    let build = |on_failure| {
        let size = DVec3::new(0.2, 0.3, 1.0);
        let mut setup =
            tank_setup(Dimension::Two, spacing, size, 0.5 * size + 0.5 * size.x * DVec3::X, dfsph(1e-3));
        setup.sph.on_failure = on_failure;
        let amplitude = 0.1 * DVec3::X;
        setup.bodies[0].motion =
            PrescribedMotion::Oscillation { amplitude, frequency: 50.0, phase: 0.5 * PI };
        setup.sph.initial.iter_mut().for_each(|(x, _)| *x += amplitude);
        Simulation::new(setup).unwrap()
    };
    let reach = |simulation: &Simulation| {
        let fastest = simulation.particles().velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        fastest * simulation.clock().last_dt / spacing
    };
    let mut careless = build(OnFailure::Accept);
    careless.step().unwrap();
    let mut careful = build(OnFailure::Retry);
    let report = careful.step().unwrap();
    let (far, near) = (reach(&careless), reach(&careful));
    println!("{far:.2} spacings in the step, {near:.2} with {} retries", report.retries);
    assert!(far > 0.8, "no shock: {far} spacings");
    assert!(report.retries > 0 && near <= 0.8, "{near} spacings");
}

#[test]
fn fluid_that_bursts_is_not_hurried() {
    // A squeezed disc swells by the same length in any step, only faster in a shorter one.
    let spacing = 0.02;
    let mut setup = free_setup(Dimension::Two, spacing, dfsph(1e-3));
    setup.sph.on_failure = OnFailure::Retry;
    let disc = fill(&Shape::Sphere { radius: 0.2 }, &Pose::default(), spacing, Dimension::Two).unwrap();
    setup.sph.initial.extend(disc.into_iter().map(|x| (0.9 * x, DVec3::ZERO)));
    let mut simulation = Simulation::new(setup).unwrap();
    let report = simulation.step().unwrap();
    let fastest = simulation.particles().velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest * report.dt > 0.8 * spacing, "it hardly moves: {fastest} m/s");
    assert_eq!(report.retries, 0);
}

#[test]
fn an_ordinary_dam_break_has_no_shocks() {
    for pressure in solvers() {
        let mut setup = dam(pressure, true);
        setup.sph.on_failure = OnFailure::Retry;
        let mut simulation = Simulation::new(setup).unwrap();
        while simulation.clock().time < 0.4 {
            simulation.step().unwrap();
        }
        assert_eq!(simulation.totals().retries, 0);
        assert!((simulation.sph().unwrap().state().step_scale - 1.0).abs() < f64::EPSILON);
    }
}
