//! A body as heavy as water, at rest in water at rest, stays.
//!
//! It is held while the water settles, because its particles start on a lattice that gives way. While they do, they press on what is held: particles at rest
//! that are packed have a stiffness like that of a solid, in proportion to their pressure, and the force on the body is not
//! the weight of the water that it displaces. Let go, the body gives way to that within half a second. That is a way of its own
//! in the table; the body is at rest after it.

use super::{Form, GRAVITY, Pool, SIZE, Selection, WATER, centre, run_until};
use crate::boundaries::{Line, Report, panel};
use anyhow::Result;
use glam::DVec3;
use meniscus_coupling::Simulation;

/// Until when the body is held `[s]`.
const RELEASE: f64 = 1.0;
/// From when on it is at rest `[s]`.
const REST: f64 = 3.0;
/// How long it is watched then `[s]`.
const WATCHED: f64 = 2.0;

/// How far bodies drift.
///
/// # Errors
/// If the plot cannot be written.
pub fn all(report: &mut Report, selection: &Selection) -> Result<()> {
    let title = "A body as heavy as water, in 2 s";
    report.table(
        title,
        &[
            "body",
            "boundary",
            "moved [spacings]",
            "upwards",
            "turned [°]",
            "water [mm/s]",
            "farthest in the 2 s before",
            "force while held / weight",
        ],
    );
    let mut lines = Vec::new();
    for &form in &selection.form {
        for method in &selection.method {
            let who = format!("{} with {method}", form.name());
            if let Some(points) = report.attempt(&who, run(report, form, method, selection)) {
                let moved = farthest(&points);
                report.require(moved < 0.1, format!("{who} stays within 0.1 spacings: {moved:.3}"));
                lines.push(Line { name: who, points });
            }
        }
    }
    let labels = ["time [s]", "moved [spacings]"];
    report.draw("neutral.svg", vec![panel(title, labels, &lines)])
}

/// The way from where it came to rest over time, in spacings; prints the row.
fn run(report: &Report, form: Form, method: &str, selection: &Selection) -> Result<Vec<[f64; 2]>> {
    let spacing = selection.spacing();
    let pool = Pool {
        method,
        form,
        ratio: 1.0,
        spacing,
        width: 2.4 * SIZE,
        depth: 2.4 * SIZE,
        height: 1.2 * SIZE,
        release: Some(RELEASE),
        pressure: &selection.pressure,
        viscosity: "",
    };
    let mut simulation = Simulation::new(pool.setup()?)?;
    let force = hold(&mut simulation)? / (WATER * form.volume() * GRAVITY);
    let held = centre(&simulation);
    let mut gave_way: f64 = 0.0;
    while simulation.clock().time < REST - 1e-9 {
        simulation.step()?;
        gave_way = gave_way.max((centre(&simulation) - held).length() / spacing);
    }
    let (start, speed) = (simulation.body(1).pose, water_speed(&simulation));
    let mut points = Vec::new();
    for n in 1..=20 {
        let since = WATCHED * f64::from(n) / 20.0;
        run_until(&mut simulation, REST + since)?;
        points.push([since, (centre(&simulation) - start.translation).length() / spacing]);
    }
    let turned = simulation.body(1).pose.rotation.angle_between(start.rotation);
    report.row(&[
        form.name().into(),
        method.into(),
        format!("{:.3}", farthest(&points)),
        format!("{:+.3}", (centre(&simulation) - start.translation).y / spacing),
        format!("{:.2}", turned.to_degrees()),
        format!("{:.2}", 1000.0 * speed),
        format!("{gave_way:.3}"),
        format!("{force:.4}"),
    ]);
    Ok(points)
}

/// Holds the body until its release; the mean force of the water on it in the last half of that time, upwards `[N]`.
fn hold(simulation: &mut Simulation) -> Result<f64> {
    run_until(simulation, 0.5 * RELEASE)?;
    let (mut impulse, from) = (DVec3::ZERO, simulation.clock().time);
    while simulation.clock().time < RELEASE - 1e-9 {
        simulation.step()?;
        impulse += simulation.load(1).impulse;
    }
    Ok(impulse.y / (simulation.clock().time - from))
}

/// Root mean square of the particles' speeds `[m/s]`.
fn water_speed(simulation: &Simulation) -> f64 {
    let velocity = &simulation.particles().velocity;
    (velocity.iter().map(|v| v.length_squared()).sum::<f64>() / velocity.len() as f64).sqrt()
}

/// The largest of the ways `[spacings]`.
fn farthest(points: &[[f64; 2]]) -> f64 {
    points.iter().map(|p| p[1]).fold(f64::NAN, f64::max)
}
