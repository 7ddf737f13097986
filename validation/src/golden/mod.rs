//! Golden bits: fingerprints of short runs, by which a change of the code's structure shows that it changed nothing else.

mod fingerprint;
mod matrix;

pub use fingerprint::Fingerprint;
pub use matrix::matrix;

use anyhow::{Context, Result};
use meniscus_coupling::Simulation;
use meniscus_scene::{SceneSource, builtins};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Steps of each run `[1]`.
pub const STEPS: u32 = 20;

/// A scene that is run, by its name in the list.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name: that of a built-in scene, or the place in the matrix.
    pub name: String,
    source: SceneSource,
}

impl Case {
    fn new(name: String, text: &str) -> Self {
        let source = SceneSource::from_text(&name, text);
        Self { name, source }
    }

    /// Takes the steps and looks at what they leave.
    ///
    /// # Errors
    /// If the scene has mistakes or a step fails.
    pub fn run(&self) -> Result<Fingerprint> {
        let (_, setup) = self.source.build()?;
        let mut simulation = Simulation::new(setup)?;
        for _ in 0..STEPS {
            simulation.step().with_context(|| format!("{} fails", self.name))?;
        }
        Fingerprint::of(&mut simulation)
    }
}

/// All cases: the built-in scenes, then the matrix of solvers, boundary methods and dimensions.
#[must_use]
pub fn cases() -> Vec<Case> {
    let scenes = builtins().iter().map(|scene| Case::new(scene.name.to_owned(), scene.text));
    scenes.chain(matrix().into_iter().map(|(name, text)| Case::new(name, &text))).collect()
}

/// Fingerprints by the names of their cases.
pub type Golden = BTreeMap<String, Fingerprint>;

/// Reads a list as [`text`] writes it.
///
/// # Errors
/// If the file cannot be read, or a line is none of such a list.
pub fn read(path: &Path) -> Result<Golden> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| entry(line).with_context(|| format!("no entry of a list: {line}"))).collect()
}

fn entry(line: &str) -> Option<(String, Fingerprint)> {
    let mut columns = line.split_whitespace();
    let name = columns.next()?.to_owned();
    Some((name, Fingerprint::parse(columns.next()?, columns.next()?)?))
}

/// The list as text, one case a line.
#[must_use]
pub fn text(golden: &Golden) -> String {
    let mut text = format!("# case, motion, state after {STEPS} steps; see README.md\n");
    for (name, fingerprint) in golden {
        let _ = writeln!(text, "{name} {fingerprint}");
    }
    text
}
