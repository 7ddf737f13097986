//! The lid-driven cavity beside the figures of Ghia, Ghia and Shin (1982).

use anyhow::{Context as _, Result};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_grid::sample::Flow;
use meniscus_grid::{Alone, CellLattice, GridSetup, GridSide, Splitting};
use std::path::Path;

/// How little the flow may change in a unit of time at the end, in speeds of the lid `[1]`.
const STEADY: f64 = 2e-4;
/// Where Ghia's v at Re 400 is a known outlier `[1]`.
const OUTLIER: (u32, f64) = (400, 0.9063);

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct Params {
    /// Reynolds number `[1]`.
    pub reynolds: u32,
    /// Cells along an edge.
    pub cells: usize,
    /// Courant number of steps `[1]`.
    pub courant: f64,
    /// How transport and pressure take turns.
    pub splitting: Splitting,
}

/// How far a run is from the published figures.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Largest difference of u on the vertical middle line, in speeds of the lid `[1]`.
    pub u: f64,
    /// The same of v on the horizontal one `[1]`.
    pub v: f64,
    /// When the flow was steady, in edges over speeds of the lid `[1]`.
    pub time: f64,
    /// Steps.
    pub steps: u32,
    /// The largest divergence that was left in a cell times its width, in speeds of the lid `[1]`.
    pub divergence: f64,
}

/// The column of a Reynolds number: places and velocities.
fn column(file: &Path, reynolds: u32) -> Result<Vec<(f64, f64)>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let head = lines.next().context("the table is empty")?;
    let name = format!("Re{reynolds}");
    let place =
        head.split(',').position(|column| column.trim() == name).context("no such Reynolds number")?;
    let number = |line: &str, k: usize| -> Result<f64> {
        Ok(line.split(',').nth(k).context("a row is too short")?.trim().parse()?)
    };
    lines.map(|line| Ok((number(line, 0)?, number(line, place)?))).collect()
}

/// Runs it until nothing changes any more, and compares.
///
/// # Errors
/// If a table cannot be read or a step fails.
pub fn run(params: &Params, tables: &Path) -> Result<Outcome> {
    let Params { reynolds, cells, courant, splitting } = *params;
    let lattice = CellLattice::new(Dimension::Two, [cells, cells, 1], 1.0 / cells as f64, DVec3::ZERO)?;
    let lid = GridSide::Wall { velocity: DVec3::X, slip: false };
    let sides = [GridSide::STICK, GridSide::STICK, GridSide::STICK, lid, GridSide::SLIP, GridSide::SLIP];
    let mut setup = GridSetup::new(lattice, sides, 1.0);
    setup.viscosity = 1.0 / f64::from(reynolds);
    setup.splitting = splitting;
    let mut flow = Alone::new(setup, DVec3::ZERO);
    let dt = courant / cells as f64;
    let (mut steps, mut change) = (0, f64::INFINITY);
    let mut before = flow.fluid().fields().velocity.clone();
    let per_unit = (1.0 / dt).ceil() as u32;
    while change > STEADY && flow.time() < 200.0 {
        for _ in 0..per_unit {
            flow.step(dt)?;
        }
        steps += per_unit;
        let now = &flow.fluid().fields().velocity;
        change =
            now.iter().flatten().zip(before.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        before.clone_from(now);
    }
    let fields = flow.fluid().fields();
    let at =
        |x: f64, y: f64| Flow { lattice: &lattice, velocity: &fields.velocity }.at(DVec3::new(x, y, 0.0));
    let (mut u, mut v) = (0.0_f64, 0.0_f64);
    for (y, expected) in column(&tables.join("ghia-1982-u.csv"), reynolds)? {
        u = u.max((at(0.5, y).x - expected).abs());
    }
    for (x, expected) in column(&tables.join("ghia-1982-v.csv"), reynolds)? {
        if (reynolds, x) != OUTLIER {
            v = v.max((at(x, 0.5).y - expected).abs());
        }
    }
    Ok(Outcome { u, v, time: flow.time(), steps, divergence: fields.divergence * lattice.spacing() })
}
