//! What slip and restitution do (\[Becker2009\] Fig. 7, Eq. 8).

use super::{Line, Report, panel, setup};
use anyhow::{Context as _, Result};
use glam::{DQuat, DVec3};
use meniscus_coupling::Simulation;

/// Distance of particles `[m]`.
const SPACING: f64 = 0.02;
/// Inclination of the ramp `[degree]`.
const ANGLE: f64 = 30.0;
/// Where the flow is measured, along the ramp from its beginning `[m]`.
const END: f64 = 1.0;
/// Thickness of the stream `[m]`, and its speed `[m/s]`.
const STREAM: f64 = 4.0 * SPACING;
const SPEED: f64 = 1.5;

/// Streams down ramps of different slip.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn slip(report: &mut Report) -> Result<()> {
    report.table(
        "A stream down a ramp of 30°, 1 m long, by slip",
        &["solver", "0", "0.25", "0.5", "0.75", "1", "frictionless", "off by"],
    );
    let mut lines = Vec::new();
    for solver in report.solvers.clone() {
        let mut speeds = Vec::new();
        let mut ideal = 0.0;
        for slip in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let Some((speed, exact)) =
                report.attempt(&format!("slip {slip}, {solver}"), stream(solver, slip))
            else {
                continue;
            };
            speeds.push([slip, speed]);
            ideal = exact;
        }
        let Some(off) = speeds.get(4).map(|fastest| fastest[1] / ideal - 1.0) else { continue };
        let mut row = vec![solver.to_owned()];
        row.extend(speeds.iter().map(|s| format!("{:.3}", s[1])));
        row.extend([format!("{ideal:.3}"), format!("{:+.1} %", 100.0 * off)]);
        report.row(&row);
        let rises = speeds.windows(2).all(|s| s[1][1] > s[0][1]);
        report.require(rises, format!("{solver}: the speed rises with the slip"));
        report.require(off.abs() < 0.05, format!("{solver}: free slip is off by {:+.1} %", 100.0 * off));
        lines.push(Line { name: solver.to_owned(), points: speeds });
    }
    report
        .draw("slip.svg", vec![panel("Mean speed at the end of a ramp", ["slip [1]", "speed [m/s]"], &lines)])
}

/// Mean speed of what passes the end, and that of sliding without friction from the nozzle to the same places `[m/s]`.
fn stream(solver: &str, slip: f64) -> Result<(f64, f64)> {
    let turn = DQuat::from_rotation_z(-ANGLE.to_radians());
    let centre = turn * DVec3::new(0.65, -0.1, 0.0);
    // The nozzle lies before the ramp and a little above: particles that stick must not stay in it.
    let nozzle = turn * DVec3::new(-2.0 * SPACING, 0.5 * STREAM + 0.25 * SPACING, 0.0);
    let along = turn * DVec3::X;
    let (end, below) = (3.0, turn * DVec3::X * (END + 0.3));
    let setup = setup(&format!(
        r#"
        dimension = 2
        time = {{ end = {end}, step = {{ method = "cfl", max = 1e-3 }} }}
        [fluid]
        spacing = {SPACING}
        pressure = {{ method = "{solver}" }}
        viscosity = {{ method = "laplacian", kinematic = 0.02 }}
        [[emitter]]
        nozzle = {{ shape = "box", width = {STREAM}, height = 0.1 }}
        position = [{}, {}, 0.0]
        direction = [{}, {}, 0.0]
        speed = {SPEED}
        [[drain]]
        shape = "box"
        min = [{}, -5.0, 0.0]
        max = [5.0, 5.0, 0.0]
        [[body]]
        name = "ramp"
        shape = "box"
        size = [1.3, 0.2, 1.0]
        position = [{}, {}, 0.0]
        rotation = {{ axis = [0, 0, 1], angle = -{ANGLE} }}
        boundary = {{ method = "direct-forcing", slip = {slip} }}
        "#,
        nozzle.x, nozzle.y, along.x, along.y, below.x, centre.x, centre.y,
    ))?;
    let mut simulation = Simulation::new(setup)?;
    let back = turn.conjugate();
    let mut before = std::collections::HashMap::new();
    let (mut speed, mut ideal, mut count) = (0.0, 0.0, 0);
    super::run(&mut simulation, end, |now| {
        let particles = &now.world().particles;
        for i in 0..particles.len() {
            let x = particles.position[i];
            let place = (back * x).x;
            let passed =
                before.insert(particles.id[i], place).is_some_and(|before| before < END && place >= END);
            if passed && now.world().time > 0.5 * end {
                speed += particles.velocity[i].length();
                ideal += (SPEED * SPEED + 2.0 * 9.81 * (nozzle.y - x.y)).sqrt();
                count += 1;
            }
        }
        Ok(())
    })?;
    anyhow::ensure!(count > 0, "nothing has passed the end of the ramp: {solver}, slip {slip}");
    Ok((speed / f64::from(count), ideal / f64::from(count)))
}

/// Particles that fall onto a floor.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn rebound(report: &mut Report) -> Result<()> {
    report.table(
        "Rebound of a particle over its speed of impact",
        &["solver", "δ = 0", "δ = 0.5", "δ = 1", "penalty", "volume particles", "density map"],
    );
    for solver in report.solvers.clone() {
        let mut row = vec![solver.to_owned()];
        for restitution in [0.0, 0.5, 1.0] {
            let boundary = format!("{{ method = \"direct-forcing\", restitution = {restitution} }}");
            let found = bounce(solver, &boundary)?;
            row.push(format!("{found:.3}"));
            report.require(
                (found - restitution).abs() <= 0.02,
                format!("{solver}: restitution {restitution} gives {found:.3}"),
            );
        }
        for method in ["penalty", "volume-particles", "density-map"] {
            row.push(format!("{:.3}", bounce(solver, &format!("{{ method = \"{method}\" }}"))?));
        }
        report.row(&row);
    }
    Ok(())
}

/// The speed with which a particle leaves a floor over that with which it came.
fn bounce(solver: &str, boundary: &str) -> Result<f64> {
    let setup = setup(&format!(
        r#"
        time = {{ end = 1.0, step = {{ method = "fixed", dt = 1e-3 }} }}
        [fluid]
        spacing = 0.1
        pressure = {{ method = "{solver}" }}
        viscosity = {{ method = "none" }}
        [[fluid.source]]
        shape = "box"
        min = [0.03, 0.3, 0.01]
        max = [0.13, 0.4, 0.11]
        [[body]]
        name = "floor"
        shape = "box"
        size = [2.0, 0.6, 2.0]
        position = [0.0, -0.3, 0.0]
        boundary = {boundary}
        "#
    ))?;
    let mut simulation = Simulation::new(setup)?;
    let speed = |s: &Simulation| s.world().particles.velocity[0].y;
    let (mut came, mut left): (f64, f64) = (0.0, 0.0);
    super::run(&mut simulation, 0.6, |now| {
        came = came.max(-speed(now));
        left = left.max(speed(now));
        Ok(())
    })?;
    Some(came).filter(|v| *v > 0.0).map(|came| left / came).context("the particle did not fall")
}
