//! A body as heavy as water, held until the water has come to rest and then let go, stays.

use super::{Form, Pool, SIZE, Selection, centre, run_until};
use crate::boundaries::{Line, Report, panel};
use anyhow::Result;
use meniscus_coupling::Simulation;

/// Until when the body is held `[s]`.
const RELEASE: f64 = 1.0;
/// How long it is watched then `[s]`.
const WATCHED: f64 = 2.0;

/// How far bodies drift.
///
/// # Errors
/// If the plot cannot be written.
pub fn all(report: &mut Report, selection: &Selection) -> Result<()> {
    let title = "A body as heavy as water, after 2 s";
    report.table(
        title,
        &[
            "body",
            "boundary",
            "moved [spacings]",
            "upwards",
            "turned [°]",
            "speed at release of the water [mm/s]",
        ],
    );
    let mut lines = Vec::new();
    for &form in &selection.form {
        for method in &selection.method {
            let who = format!("{} with {method}", form.name());
            if let Some(points) = report.attempt(&who, run(report, form, method, selection)) {
                let moved = points.last().map_or(f64::NAN, |p: &[f64; 2]| p[1]);
                report.require(moved < 0.1, format!("{who} stays within 0.1 spacings: {moved:.3}"));
                lines.push(Line { name: who, points });
            }
        }
    }
    let labels = ["time since release [s]", "moved [spacings]"];
    report.draw("neutral.svg", vec![panel(title, labels, &lines)])
}

/// The way from the start over time, in spacings; prints the row.
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
    run_until(&mut simulation, RELEASE)?;
    let velocity = &simulation.world().particles.velocity;
    let speed = (velocity.iter().map(|v| v.length_squared()).sum::<f64>() / velocity.len() as f64).sqrt();
    let start = centre(&simulation);
    let mut points = Vec::new();
    for n in 1..=20 {
        let since = WATCHED * f64::from(n) / 20.0;
        run_until(&mut simulation, RELEASE + since)?;
        points.push([since, (centre(&simulation) - start).length() / spacing]);
    }
    let (_, turned) = simulation.world().bodies[1].pose.rotation.to_axis_angle();
    report.row(&[
        form.name().into(),
        method.into(),
        format!("{:.3}", (centre(&simulation) - start).length() / spacing),
        format!("{:+.3}", (centre(&simulation) - start).y / spacing),
        format!("{:.2}", turned.to_degrees()),
        format!("{:.2}", 1000.0 * speed),
    ]);
    Ok(points)
}
