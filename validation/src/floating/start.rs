//! A sphere that is let go starts with the acceleration (ρ_f − ρ_s) g / (ρ_s + C ρ_f), where C is ½ in water without end and a
//! little more in a tank ([`images`]).

use super::{Form, GRAVITY, Pool, SIZE, Selection, WATER, centre, images, run_until};
use crate::boundaries::{Line, Report, panel};
use anyhow::Result;
use glam::DVec3;
use meniscus_coupling::Simulation;

/// Until when the sphere is held `[s]`.
const RELEASE: f64 = 1.0;
/// At what time after that its speed is read `[s]`.
const READ: f64 = 0.02;

/// The formula is that of water without friction. With an artificial viscosity, water is dragged along, more of it
/// by the root of the time (Basset): a light sphere then has 0.8 of its speed after 0.02 s.
const INVISCID: &str = r#"{ method = "none" }"#;

/// How spheres start.
///
/// # Errors
/// If the plot cannot be written.
pub fn all(report: &mut Report, selection: &Selection) -> Result<()> {
    let title = "A sphere's start";
    report.table(
        title,
        &[
            "boundary",
            "ratio",
            "expected [m/s²]",
            "first step",
            "by speed",
            "by way",
            "force while held / buoyancy",
        ],
    );
    let mut lines = Vec::new();
    for method in &selection.method {
        if let Some(line) = report.attempt(method, run(method, selection)) {
            for Start { ratio, expected, by_speed, by_way, lift, course } in &line {
                report.row(&[
                    method.clone(),
                    format!("{ratio}"),
                    format!("{expected:.3}"),
                    format!("{:.3}", course.first().map_or(f64::NAN, |p| p[1])),
                    format!("{by_speed:.3}"),
                    format!("{by_way:.3}"),
                    format!("{lift:.3}"),
                ]);
                let claim = format!("{method}, {ratio}: starts within 10 %: {by_speed:.3}");
                report.require((by_speed - 1.0).abs() < 0.1, claim);
            }
            lines.extend(
                line.into_iter()
                    .map(|start| Line { name: format!("{method}, {}", start.ratio), points: start.course }),
            );
        }
    }
    let labels = ["time since release [s]", "speed / expected"];
    report.draw("start.svg", vec![panel(title, labels, &lines)])
}

struct Start {
    ratio: f64,
    /// `[m/s²]`
    expected: f64,
    by_speed: f64,
    by_way: f64,
    /// Mean force of the water on the sphere while it was held, over the weight of the water that it displaces.
    lift: f64,
    course: Vec<[f64; 2]>,
}

fn run(method: &str, selection: &Selection) -> Result<Vec<Start>> {
    let (spacing, form) = (selection.spacing(), Form::Sphere);
    let (width, depth) = (3.0 * SIZE, 3.0 * SIZE);
    let height = 0.5 * depth;
    let pool = Pool {
        method,
        form,
        ratio: 1.0,
        spacing,
        width,
        depth,
        height,
        release: Some(RELEASE),
        pressure: &selection.pressure,
        viscosity: "",
    };
    // The water settles once for all densities: while the sphere is held, its mass does not matter.
    let mut held = Simulation::new(pool.setup()?)?;
    run_until(&mut held, 0.8 * RELEASE)?;
    let (mut impulse, from) = (DVec3::ZERO, held.clock().time);
    while held.clock().time < RELEASE - 1e-9 {
        held.step()?;
        impulse += held.load(1).impulse;
    }
    let lift = impulse.y / (held.clock().time - from) / (WATER * form.volume() * GRAVITY);
    let added = images::added_mass(0.5 * SIZE, width, depth, height);
    let mut starts = Vec::new();
    for ratio in selection.ratios(&[0.05, 0.5, 2.0, 8.0]) {
        let setup = Pool { ratio, viscosity: INVISCID, ..pool.clone() }.setup()?;
        let mut simulation = Simulation::restore(setup, &held.state()?)?;
        let (start, since) = (centre(&simulation), simulation.clock().time);
        let expected = GRAVITY * (1.0 - ratio) / (ratio + added);
        let mut course = Vec::new();
        while simulation.clock().time < since + READ - 1e-9 {
            simulation.step()?;
            let time = simulation.clock().time - since;
            course.push([time, simulation.body(1).velocity.y / time / expected]);
        }
        let time = simulation.clock().time - since;
        let way = (centre(&simulation) - start).y;
        // A symplectic step is ahead by half a step.
        let steps = course.len() as f64;
        let by_way = 2.0 * way / (time * time * (1.0 + 1.0 / steps)) / expected;
        let by_speed = course.last().map_or(f64::NAN, |p| p[1]);
        starts.push(Start { ratio, expected, by_speed, by_way, lift, course });
    }
    Ok(starts)
}
