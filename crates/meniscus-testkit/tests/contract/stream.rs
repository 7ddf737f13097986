//! A fluid that is not SPH: a prescribed flow takes solids along.

use anyhow::Context as _;
use glam::DVec3;
use meniscus_core::{Anchor, BodyId, Loading, Solids, Value};
use meniscus_coupling::{Setup, Simulation, SolidSet};
use meniscus_testkit::material::{BlockParams, SpringBlock, Stream};
use meniscus_testkit::{Body, Result, Tank, WATER, below, law, near};

/// The stream `[m/s]`, the mass that it takes along `[kg]`, and the drag of a point `[kg/s]`.
const FLOW: DVec3 = DVec3::new(2.0, 0.5, 0.0);
const MASS: f64 = 8.0;
const DRAG: f64 = 2.0;

/// The corners of a box with edges of 0.2 m.
fn corners() -> impl Iterator<Item = Anchor> {
    (0..8).map(|n| {
        let sign = |bit: i32| f64::from(n >> bit & 1) - 0.5;
        Anchor::Frame(0.2 * DVec3::new(sign(0), sign(1), sign(2)))
    })
}

/// A scene without gravity, with one body.
fn dry(step: f64, body: Body) -> Result<Setup> {
    Tank::dry().gravity([0.0; 3]).fixed_step(step).with(body).setup()
}

/// The body of such a scene.
fn bodies(setup: &Setup) -> Result<SolidSet> {
    let solids = setup.solids.as_ref().context("a body is free")?;
    Ok(SolidSet::of(solids.build()?))
}

fn block() -> SpringBlock {
    SpringBlock::new(&BlockParams {
        cells: [1, 1, 1],
        edge: 0.2,
        centre: DVec3::ZERO,
        mass: MASS,
        stiffness: 1e3,
        gravity: DVec3::ZERO,
    })
}

/// A stream around a rigid box, or around a block of springs.
fn stream(rigid: bool, step: f64) -> Result<Simulation> {
    let setup = dry(step, Body::cuboid([0.2; 3]).free(WATER))?;
    let flow = Stream::new(|_| FLOW, DRAG);
    let (solids, flow) = if rigid {
        (bodies(&setup)?, flow.at(BodyId(0), corners()))
    } else {
        let nodes = (0..8).map(|n| Anchor::Nodes { node: [n; 3], weight: [1.0, 0.0, 0.0] });
        (SolidSet::of(Box::new(block())), flow.at(BodyId(0), nodes))
    };
    Ok(Simulation::of(setup, vec![Box::new(flow)], solids))
}

/// How far the mean velocity is from FLOW (1 − exp(−t/τ)) at most, over that of the flow `[1]`.
fn error(rigid: bool, step: f64) -> Result<f64> {
    let time_constant = MASS / (8.0 * DRAG);
    let mut simulation = stream(rigid, step)?;
    let mut worst: f64 = 0.0;
    while simulation.time() < 3.0 * time_constant {
        simulation.step()?;
        let expected = FLOW * (1.0 - (-simulation.time() / time_constant).exp());
        let velocity = simulation.solids().row(DVec3::ZERO).momentum / MASS;
        worst = worst.max((velocity - expected).length() / FLOW.length());
    }
    Ok(worst)
}

#[test]
fn a_stream_takes_solids_along_with_the_time_constant_of_its_drag() -> Result<()> {
    let time_constant = MASS / (8.0 * DRAG);
    for (rigid, name) in [(true, "rigid box"), (false, "block of springs")] {
        // Explicit steps are off by t dt / (2 τ²) exp(−t/τ), which is largest at τ, and by terms of the second order.
        let [coarse, fine] = [error(rigid, 0.02)?, error(rigid, 0.01)?];
        let bound = 1.1 * 0.02 / (2.0 * time_constant) * (-1.0_f64).exp();
        law!("error of the speed", coarse, below(bound), "m dv/dt = c (u − v)", "{name}");
        law!("error over that of half the step", coarse / fine, near(2.0, 0.1), "of first order", "{name}");
    }
    Ok(())
}

#[test]
fn a_shear_flow_turns_what_it_takes_along() -> Result<()> {
    let setup = dry(0.01, Body::cuboid([0.2; 3]).free(WATER))?;
    let solids = bodies(&setup)?;
    let rate = 3.0;
    let flow = Stream::new(move |x| rate * DVec3::new(-x.y, x.x, 0.0), DRAG).at(BodyId(0), corners());
    let mut simulation = Simulation::of(setup, vec![Box::new(flow)], solids);
    while simulation.time() < 3.0 {
        simulation.step()?;
    }
    let now = simulation.body(0);
    law!("spin [rad/s]", now.angular_velocity.z, near(rate, 0.01 * rate), "drag ends when nothing slips");
    law!("drift [m/s]", now.velocity.length(), below(1e-9), "a vortex has no net flow");
    Ok(())
}

#[test]
fn both_kinds_of_solids_live_in_one_stream() -> Result<()> {
    let setup = dry(0.01, Body::cuboid([0.2; 3]).at([1.0, 0.0, 0.0]).free(WATER))?;
    let mut solids = bodies(&setup)?;
    solids.add(Box::new(block()));
    assert_eq!([0, 1].map(|k| solids.loading(BodyId(k))), [Loading::Wrench, Loading::Nodes(8)]);
    let nodes = (0..8).map(|n| Anchor::Nodes { node: [n; 3], weight: [0.0, 0.5, 0.5] });
    let flow = Stream::new(|_| FLOW, DRAG).at(BodyId(0), corners()).at(BodyId(1), nodes);
    let mut simulation = Simulation::of(setup, vec![Box::new(flow)], solids);
    for _ in 0..50 {
        simulation.step()?;
    }
    let total = simulation.solids().row(DVec3::ZERO).momentum;
    let rigid = MASS * simulation.body(0).velocity;
    law!(
        "momentum of one over the other's",
        (total - rigid).length() / rigid.length(),
        near(1.0, 1e-9),
        "alike"
    );
    let number = |value: &Value| if let Value::Number(number) = value { *number } else { f64::NAN };
    let momentum: Vec<f64> = simulation.series_row().fluid.iter().map(number).collect();
    let lost = DVec3::from_slice(&momentum);
    law!("momentum lost", (lost + total).length(), below(1e-9), "solids have it");
    Ok(())
}
