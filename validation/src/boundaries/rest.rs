//! Water at rest with every method and solver.

use super::{Line, METHODS, Report, SOLVERS, calm_pressure, panel, setup};
use anyhow::Result;
use meniscus_core::Dimension;
use meniscus_coupling::Simulation;

/// Distance of particles `[m]`.
const SPACING: f64 = 0.025;
/// Drawn height of the water `[m]`.
const DEPTH: f64 = 0.5;
/// The water calms down until `MEASURED[0]` and is measured until `MEASURED[1]` `[s]`.
const MEASURED: [f64; 2] = [1.5, 2.5];
const LAYERS: usize = 10;

/// A tank with every method and solver.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn all(report: &mut Report, dimension: Dimension) -> Result<()> {
    let (title, name) = match dimension {
        Dimension::Two => ("Water at rest in the plane, 20 particles deep", "plane"),
        Dimension::Three => ("Water at rest in space, 20 particles deep", "space"),
    };
    report.table(
        title,
        &[
            "boundary",
            "solver",
            "bottom pressure",
            "load on the tank",
            "surface off by [spacings]",
            "lowest particle [spacings]",
            "fastest [m/s]",
            "escaped",
        ],
    );
    let mut lines = Vec::new();
    for method in METHODS {
        for solver in SOLVERS {
            let who = format!("{name}, {method}, {solver}");
            let Some(tank) = report.attempt(&who, rest(dimension, method, solver)) else { continue };
            report.row(&[
                method.to_owned(),
                solver.to_owned(),
                format!("{:+.1} %", 100.0 * (tank.bottom - 1.0)),
                format!("{:+.1} %", 100.0 * (tank.load - 1.0)),
                format!("{:+.2}", tank.surface),
                format!("{:.3}", tank.lowest),
                format!("{:.3}", tank.fastest),
                tank.escaped.to_string(),
            ]);
            report.require(
                (tank.bottom - 1.0).abs() <= 0.03,
                format!("{who}: bottom pressure {:+.1} %", 100.0 * (tank.bottom - 1.0)),
            );
            report
                .require(tank.surface.abs() <= 0.5, format!("{who}: surface {:+.2} spacings", tank.surface));
            report.require(tank.escaped == 0, format!("{who}: {} escaped", tank.escaped));
            if solver == "dfsph" {
                lines.push(Line { name: method.to_owned(), points: tank.profile });
            }
        }
    }
    let exact = [0.0, DEPTH].map(|y| [y, 1000.0 * 9.81 * (DEPTH - y)]);
    lines.push(Line { name: "ρ g (H − y)".to_owned(), points: exact.to_vec() });
    report.draw(
        &format!("rest-{name}.svg"),
        vec![panel("Pressure over height, DFSPH, mean of 1 s", ["height [m]", "pressure [Pa]"], &lines)],
    )
}

struct Tank {
    /// Pressure of the lowest two layers over ρ g (H − y) `[1]`.
    bottom: f64,
    /// Load on the tank over the weight `[1]`.
    load: f64,
    /// Highest particle's upper end over the drawn surface, in spacings.
    surface: f64,
    /// Lowest particle's centre over the floor, in spacings.
    lowest: f64,
    fastest: f64,
    escaped: u64,
    /// Height `[m]` and pressure `[Pa]`.
    profile: Vec<[f64; 2]>,
}

fn rest(dimension: Dimension, method: &str, solver: &str) -> Result<Tank> {
    // Half the width of tank and water, and half the depth of the water, across which a planar tank has any `[m]`.
    let (number, x, z): (u32, f64, f64) = match dimension {
        Dimension::Two => (2, 0.25, 0.0),
        Dimension::Three => (3, 0.2, 0.2),
    };
    let across = if dimension == Dimension::Two { 1.0 } else { 2.0 * z };
    let setup = setup(&format!(
        r#"
        dimension = {number}
        time = {{ end = {} }}
        [fluid]
        spacing = {SPACING}
        pressure = {}
        viscosity = {{ method = "artificial", coefficient = 0.3 }}
        [[fluid.source]]
        shape = "box"
        min = [-{x}, 0.0, -{z}]
        max = [{x}, {DEPTH}, {z}]
        [[body]]
        name = "tank"
        shape = "box"
        size = [{}, 1.0, {}]
        position = [0.0, 0.5, 0.0]
        container = true
        boundary = {{ method = "{method}" }}
        "#,
        MEASURED[1],
        calm_pressure(solver),
        2.0 * x,
        across,
    ))?;
    let weight = setup.fluid.mass() * 9.81 * setup.initial.len() as f64;
    let mut simulation = Simulation::new(setup)?;
    let (mut load, mut time) = (0.0, 0.0);
    let (mut sum, mut count) = ([[0.0; 2]; LAYERS], [0.0; LAYERS]);
    super::run(&mut simulation, MEASURED[1], |now| {
        if now.world().time < MEASURED[0] {
            return Ok(());
        }
        let dt = now.world().last_dt;
        time += dt;
        load -= now.interface().load[0].impulse.y;
        let particles = &now.world().particles;
        for (x, &p) in particles.position.iter().zip(&particles.pressure) {
            let layer = ((x.y / (2.0 * SPACING)) as usize).min(LAYERS - 1);
            sum[layer][0] += dt * x.y;
            sum[layer][1] += dt * f64::from(p);
            count[layer] += dt;
        }
        Ok(())
    })?;
    let profile: Vec<[f64; 2]> = sum.iter().zip(count).map(|(s, n)| s.map(|s| s / n)).collect();
    let particles = &simulation.world().particles;
    let heights = || particles.position.iter().map(|x| x.y);
    let [y, p] = profile[0];
    Ok(Tank {
        bottom: p / (1000.0 * 9.81 * (DEPTH - y)),
        load: load / time / weight,
        surface: (heights().fold(0.0, f64::max) - DEPTH) / SPACING + 0.5,
        lowest: heights().fold(f64::INFINITY, f64::min) / SPACING,
        fastest: particles.velocity.iter().map(|v| v.length()).fold(0.0, f64::max),
        escaped: simulation.escaped(),
        profile,
    })
}
