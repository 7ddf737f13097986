//! Water at rest with every method and solver.

use super::{Line, METHODS, Report, calm_pressure, panel, setup};
use anyhow::Result;
use meniscus_core::Dimension;
use meniscus_coupling::Simulation;

/// The water calms down until `MEASURED[0]` and is measured until `MEASURED[1]` `[s]`.
const MEASURED: [f64; 2] = [1.5, 2.5];

/// What is at rest.
#[derive(Debug, Clone, Copy)]
pub struct Water {
    /// Distance of particles `[m]`.
    pub spacing: f64,
    /// How many particles deep it is.
    pub layers: u32,
    /// Support radius in spacings.
    pub support: f64,
    /// How many particles wide it is; 20 in the plane and 12 in space if it is not said.
    pub across: Option<u32>,
}

impl Water {
    /// The usual distance of particles `[m]`.
    pub const SPACING: f64 = 0.025;

    /// Drawn height `[m]`.
    fn depth(&self) -> f64 {
        f64::from(self.layers) * self.spacing
    }

    fn across(&self, dimension: Dimension) -> u32 {
        self.across.unwrap_or(if dimension == Dimension::Two { 20 } else { 12 })
    }

    fn is_usual(&self) -> bool {
        let usual = |value: f64, usual: f64| (value - usual).abs() < 1e-9;
        self.layers == 20
            && usual(self.spacing, Self::SPACING)
            && usual(self.support, 2.0)
            && self.across.is_none()
    }
}

/// A tank with every method and solver.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn all(report: &mut Report, water: &Water, dimension: Dimension) -> Result<()> {
    let name = if dimension == Dimension::Two { "plane" } else { "space" };
    let Water { spacing, layers, support, .. } = water;
    let across = water.across(dimension);
    report.table(
        &format!(
            "Water at rest ({name}): {layers} particles of {spacing} m deep, {across} wide, support {support} spacings"
        ),
        &[
            "boundary",
            "solver",
            "bottom pressure",
            "rise with depth in the middle",
            "load on the tank",
            "surface off by [spacings]",
            "lowest particle [spacings]",
            "fastest [m/s]",
            "escaped",
        ],
    );
    let mut lines = Vec::new();
    for (method, solver) in report.pairs(&METHODS) {
        let who = format!("{name}, {method}, {solver}");
        let Some(tank) = report.attempt(&who, rest(water, dimension, method, solver)) else { continue };
        let percent = |ratio: f64| format!("{:+.1} %", 100.0 * (ratio - 1.0));
        report.row(&[
            method.to_owned(),
            solver.to_owned(),
            percent(tank.bottom),
            percent(tank.rise),
            percent(tank.load),
            format!("{:+.2}", tank.surface),
            format!("{:.3}", tank.lowest),
            format!("{:.3}", tank.fastest),
            tank.escaped.to_string(),
        ]);
        report.require(
            (tank.bottom - 1.0).abs() <= 0.03,
            format!("{who}: bottom pressure {}", percent(tank.bottom)),
        );
        report.require(tank.surface.abs() <= 0.5, format!("{who}: surface {:+.2} spacings", tank.surface));
        report.require(tank.escaped == 0, format!("{who}: {} escaped", tank.escaped));
        if solver == "dfsph" {
            lines.push(Line { name: method.to_owned(), points: tank.profile });
        }
    }
    let depth = water.depth();
    let exact = [0.0, depth].map(|y| [y, 1000.0 * 9.81 * (depth - y)]);
    lines.push(Line { name: "ρ g (H − y)".to_owned(), points: exact.to_vec() });
    // Only a whole table of the usual water is worth a plot.
    if !water.is_usual() || lines.len() <= METHODS.len() {
        return Ok(());
    }
    report.draw(
        &format!("rest-{name}.svg"),
        vec![panel("Pressure over height, DFSPH, mean of 1 s", ["height [m]", "pressure [Pa]"], &lines)],
    )
}

struct Tank {
    /// Pressure of the lowest two layers over ρ g (H − y) `[1]`.
    bottom: f64,
    /// −∂p/∂y between a quarter and three quarters of the depth over ρ g `[1]`.
    rise: f64,
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

fn rest(water: &Water, dimension: Dimension, method: &str, solver: &str) -> Result<Tank> {
    let Water { spacing, support, .. } = *water;
    let depth = water.depth();
    // Half the width of tank and water, and half the depth of the water, across which a planar tank has any `[m]`.
    let x = 0.5 * f64::from(water.across(dimension)) * spacing;
    let (number, z): (u32, f64) = match dimension {
        Dimension::Two => (2, 0.0),
        Dimension::Three => (3, x),
    };
    let across = if dimension == Dimension::Two { 1.0 } else { 2.0 * z };
    let height = 2.0 * depth;
    let setup = setup(&format!(
        r#"
        dimension = {number}
        time = {{ end = {} }}
        [fluid]
        spacing = {spacing}
        kernel = {{ method = "cubic-spline", support = {support} }}
        pressure = {}
        viscosity = {{ method = "artificial", coefficient = 0.3 }}
        [[fluid.source]]
        shape = "box"
        min = [-{x}, 0.0, -{z}]
        max = [{x}, {depth}, {z}]
        [[body]]
        name = "tank"
        shape = "box"
        size = [{}, {height}, {}]
        position = [0.0, {}, 0.0]
        container = true
        boundary = {{ method = "{method}" }}
        "#,
        MEASURED[1],
        calm_pressure(solver),
        2.0 * x,
        across,
        0.5 * height,
    ))?;
    let weight = setup.sph.fluid.mass() * 9.81 * setup.sph.initial.len() as f64;
    let mut simulation = Simulation::new(setup)?;
    let (mut load, mut time) = (0.0, 0.0);
    let bins = water.layers as usize / 2;
    let (mut sum, mut count) = (vec![[0.0; 2]; bins], vec![0.0; bins]);
    while simulation.clock().time < MEASURED[1] - 1e-9 {
        simulation.step()?;
        if simulation.clock().time < MEASURED[0] {
            continue;
        }
        let dt = simulation.clock().last_dt;
        time += dt;
        load -= simulation.load(0).impulse.y;
        let pressures = simulation.pressures();
        for (x, p) in simulation.particles().position.iter().zip(pressures) {
            let layer = ((x.y / (2.0 * spacing)) as usize).min(bins - 1);
            sum[layer][0] += dt * x.y;
            sum[layer][1] += dt * f64::from(p);
            count[layer] += dt;
        }
    }
    let profile: Vec<[f64; 2]> = sum.iter().zip(count).map(|(s, n)| s.map(|s| s / n)).collect();
    let particles = &simulation.particles();
    let heights = || particles.position.iter().map(|x| x.y);
    let [y, p] = profile[0];
    let (low, high) = (profile[bins / 4], profile[bins - 1 - bins / 4]);
    let rise = (low[1] - high[1]) / (1000.0 * 9.81 * (high[0] - low[0]));
    Ok(Tank {
        rise,
        bottom: p / (1000.0 * 9.81 * (depth - y)),
        load: load / time / weight,
        surface: (heights().fold(0.0, f64::max) - depth) / spacing + 0.5,
        lowest: heights().fold(f64::INFINITY, f64::min) / spacing,
        fastest: particles.velocity.iter().map(|v| v.length()).fold(0.0, f64::max),
        escaped: simulation.escaped(),
        profile,
    })
}
