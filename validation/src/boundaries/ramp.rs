//! What slip and restitution do (\[Becker2009\] Fig. 7, Eq. 8).

use super::{Line, Report, panel, setup};
use anyhow::{Context as _, Result};
use glam::{DQuat, DVec3};
use meniscus_coupling::Simulation;

/// Distance of particles `[m]`.
const SPACING: f64 = 0.02;
/// Inclination of the ramp `[degree]`.
const ANGLE: f64 = 30.0;
/// Where the flow is measured, along the ramp `[m]`, and when `[s]`.
const WINDOW: [f64; 2] = [0.8, 1.0];
const MEASURED: [f64; 2] = [0.2, 0.4];
/// Length and thickness of the slab `[m]`.
const SLAB: [f64; 2] = [1.2, 4.0 * SPACING];
const SLIPS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Slabs on ramps of different slip, at two lengths of steps.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn slip(report: &mut Report) -> Result<()> {
    report.table(
        "A viscous slab slides down a ramp of 30°: mean speed at the end over that of frictionless sliding, by slip",
        &["solver", "longest step [ms]", "0", "0.25", "0.5", "0.75", "1"],
    );
    let mut lines = Vec::new();
    for solver in report.solvers.clone() {
        let mut by_step = Vec::new();
        for step in [1e-3, 2.5e-4] {
            let mut speeds = Vec::new();
            for slip in SLIPS {
                let who = format!("slip {slip}, {solver}, {step} s");
                let Some(speed) = report.attempt(&who, slide(solver, slip, step)) else { continue };
                speeds.push([slip, speed]);
            }
            if speeds.len() < SLIPS.len() {
                continue;
            }
            let mut row = vec![solver.to_owned(), format!("{}", 1e3 * step)];
            row.extend(speeds.iter().map(|s| format!("{:.3}", s[1])));
            report.row(&row);
            let rises = speeds.windows(2).all(|s| s[1][1] > s[0][1]);
            report.require(rises, format!("{solver}, {step} s: the speed rises with the slip"));
            let off = speeds[4][1] - 1.0;
            report.require(
                off.abs() < 0.05,
                format!("{solver}, {step} s: free slip is off by {:+.1} %", 100.0 * off),
            );
            by_step.push(speeds);
        }
        if let [long, short] = by_step.as_slice() {
            let apart = long.iter().zip(short).map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max);
            report.require(apart < 0.05, format!("{solver}: steps change the speed by {apart:.3}"));
            lines.push(Line { name: solver.to_owned(), points: long.clone() });
        }
    }
    report.draw(
        "slip.svg",
        vec![panel("Mean speed at the end of a ramp", ["slip [1]", "speed over frictionless [1]"], &lines)],
    )
}

/// Mean speed of what is at the ramp's end over g t sin `[1]`.
fn slide(solver: &str, slip: f64, step: f64) -> Result<f64> {
    let turn = DQuat::from_rotation_z(-ANGLE.to_radians());
    let centre = turn * DVec3::new(0.65, -0.1, 0.0);
    let mut setup = setup(&format!(
        r#"
        dimension = 2
        time = {{ end = {}, step = {{ method = "cfl", max = {step} }} }}
        [fluid]
        spacing = {SPACING}
        pressure = {{ method = "{solver}" }}
        viscosity = {{ method = "laplacian", kinematic = 0.02 }}
        [[fluid.source]]
        shape = "box"
        min = [0.0, 1.0, 0.0]
        max = [{}, {}, 0.0]
        [[body]]
        name = "ramp"
        shape = "box"
        size = [1.3, 0.2, 1.0]
        position = [{}, {}, 0.0]
        rotation = {{ axis = [0, 0, 1], angle = -{ANGLE} }}
        boundary = {{ method = "direct-forcing", slip = {slip} }}
        "#,
        MEASURED[1],
        SLAB[0],
        1.0 + SLAB[1],
        centre.x,
        centre.y,
    ))?;
    // The slab is drawn upright above the ramp; here it is laid onto it.
    for (position, _) in &mut setup.sph.initial {
        *position = turn * (*position - DVec3::Y);
    }
    let mut simulation = Simulation::new(setup)?;
    let along = turn * DVec3::X;
    let (mut sum, mut time) = (0.0, 0.0);
    super::run(&mut simulation, MEASURED[1], |now| {
        if now.time() < MEASURED[0] {
            return Ok(());
        }
        let particles = now.particles();
        let at_end = particles
            .position
            .iter()
            .zip(&particles.velocity)
            .filter(|(x, _)| (WINDOW[0]..WINDOW[1]).contains(&x.dot(along)))
            .map(|(_, v)| v.dot(along));
        let (speed, count) = at_end.fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
        anyhow::ensure!(count > 0, "nothing is at the end of the ramp");
        let free = 9.81 * ANGLE.to_radians().sin() * now.clock().time;
        sum += now.clock().last_dt * speed / f64::from(count) / free;
        time += now.clock().last_dt;
        Ok(())
    })?;
    Ok(sum / time)
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
    let speed = |s: &Simulation| s.particles().velocity[0].y;
    let (mut came, mut left): (f64, f64) = (0.0, 0.0);
    super::run(&mut simulation, 0.6, |now| {
        came = came.max(-speed(now));
        left = left.max(speed(now));
        Ok(())
    })?;
    Some(came).filter(|v| *v > 0.0).map(|came| left / came).context("the particle did not fall")
}
