//! Walls: every boundary method beside formulas, beside the others, and with every pressure solver.
//!
//! Cases write scenes as a user would, run them, print tables in Markdown and draw plots.

pub mod drum;
pub mod leak;
pub mod obstacle;
pub mod ramp;
pub mod rest;
pub mod slide;

use anyhow::{Context as _, Result};
use meniscus_coupling::{Setup, Simulation};
use meniscus_geometry::TriangleMesh;
use meniscus_output::plot::{Axis, COLOURS, Curves, Figure, Key, Panel, Series, Style};
use meniscus_output::write_mesh;
use meniscus_scene::SceneSource;
use std::path::{Path, PathBuf};

/// The boundary methods, by their names in scenes.
pub const METHODS: [&str; 5] = ["volume-particles", "density-map", "volume-map", "direct-forcing", "penalty"];
/// The pressure solvers, by their names in scenes.
pub const SOLVERS: [&str; 4] = ["dfsph", "iisph", "pcisph", "wcsph"];

/// What is printed, drawn and found.
#[derive(Debug, Clone)]
pub struct Report {
    /// Where plots go.
    pub out: PathBuf,
    /// Boundary methods that are run.
    pub methods: Vec<&'static str>,
    /// Pressure solvers that are run.
    pub solvers: Vec<&'static str>,
    /// Claims that do not hold.
    pub failed: Vec<String>,
}

impl Report {
    /// Those of the wanted methods and solvers that a case compares, in their order.
    #[must_use]
    pub fn pairs(&self, methods: &[&'static str]) -> Vec<(&'static str, &'static str)> {
        let wanted = self.methods.iter().filter(|m| methods.contains(m));
        wanted.flat_map(|&method| self.solvers.iter().map(move |&solver| (method, solver))).collect()
    }

    /// Prints the heading of a table.
    pub fn table(&self, title: &str, columns: &[&str]) {
        println!("\n## {title}\n\n| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()));
    }

    /// Prints a row of a table.
    pub fn row(&self, cells: &[String]) {
        println!("| {} |", cells.join(" | "));
    }

    /// Notes whether a claim holds.
    pub fn require(&mut self, holds: bool, claim: String) {
        if !holds {
            eprintln!("does not hold: {claim}");
            self.failed.push(claim);
        }
    }

    /// What came out; a failure is noted and does not end the other runs.
    pub fn attempt<T>(&mut self, who: &str, result: Result<T>) -> Option<T> {
        match result {
            Ok(found) => Some(found),
            Err(error) => {
                self.require(false, format!("{who}: {error}"));
                None
            }
        }
    }

    /// Writes a plot.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn draw(&self, name: &str, panels: Vec<Panel<'_>>) -> Result<()> {
        let path = self.out.join(name);
        let figure = Figure { title: "", rows: vec![panels], legend: Vec::new() };
        std::fs::write(&path, figure.svg()).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// A named curve.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<[f64; 2]>,
}

/// A panel of lines, in colours and styles that are told apart.
#[must_use]
pub fn panel<'a>(title: &'a str, labels: [&str; 2], lines: &'a [Line]) -> Panel<'a> {
    let values = |axis: usize| lines.iter().flat_map(move |line| line.points.iter().map(move |p| p[axis]));
    let axes = [Axis::holding(labels[0], values(0)), Axis::holding(labels[1], values(1))];
    plot(title, axes, lines)
}

/// The same with axes of one's own.
#[must_use]
pub fn plot<'a>(title: &'a str, axes: [Axis; 2], lines: &'a [Line]) -> Panel<'a> {
    let series = lines.iter().enumerate().map(|(n, line)| Series {
        key: Key {
            name: line.name.clone(),
            style: Style::LINES[n % Style::LINES.len()],
            colour: COLOURS[n % COLOURS.len()],
        },
        points: &line.points,
    });
    Panel::Curves(Curves { title, axes, series: series.collect(), legend: true })
}

/// The setup of a scene's text with a mesh that it calls `mesh.obj`, and with maps from a folder that keeps them.
///
/// # Errors
/// If the mesh cannot be written or the scene has mistakes.
pub fn setup_with_mesh(text: &str, mesh: &TriangleMesh, map_cache: Option<&Path>) -> Result<Setup> {
    let folder = std::env::temp_dir().join(format!("meniscus-boundaries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write_mesh(&folder.join("mesh.obj"), &mesh.vertex, &mesh.triangle)?;
    let source = SceneSource::from_text("boundaries", text).with_folder(&folder);
    let built = source.with_map_cache(map_cache).build();
    std::fs::remove_dir_all(&folder)?;
    Ok(built?.1)
}

/// The setup of a scene's text.
///
/// # Errors
/// If the scene has mistakes.
pub fn setup(text: &str) -> Result<Setup> {
    Ok(SceneSource::from_text("boundaries", text).build()?.1)
}

/// The table of a solver in a scene, for water at rest or nearly so. DFSPH solves to the end and needs a small tolerance; the
/// others calm down on a small compression that carries the weight.
#[must_use]
pub fn calm_pressure(solver: &str) -> String {
    match solver {
        "dfsph" => "{ method = \"dfsph\", density_tolerance = 2e-6, max_sweeps = 200 }".to_owned(),
        "iisph" => "{ method = \"iisph\", density_tolerance = 3e-4, max_sweeps = 1000 }".to_owned(),
        "pcisph" => "{ method = \"pcisph\", density_tolerance = 3e-4, max_sweeps = 1000 }".to_owned(),
        other => format!("{{ method = \"{other}\" }}"),
    }
}

/// Steps until `end` `[s]`, calling `look` after each.
///
/// # Errors
/// If a step or `look` fails.
pub fn run(
    simulation: &mut Simulation,
    end: f64,
    mut look: impl FnMut(&Simulation) -> Result<()>,
) -> Result<()> {
    while simulation.clock().time < end - 1e-9 {
        simulation.step()?;
        look(simulation)?;
    }
    Ok(())
}
