//! One scene with several boundary methods and pressure solvers, side by side.
//!
//! A [`Comparison`] knows which combinations there are; each gives a [`Trial`] with its costs and figures, and
//! [`Comparison::write`] makes tables and a plot of all trials. A combination that fails is a trial too.

mod curve;
mod picture;
mod table;
mod trial;

pub use curve::Curve;
pub use trial::Trial;

use crate::error::CommandError;
use meniscus::core::Dimension;
use meniscus::output::{OutputError, atomic};
use meniscus::run::{Limits, OnShortage};
use meniscus::scene::{MethodKey, Scene, SceneSource};
use std::path::Path;

/// The methods of one trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    /// The boundary method of all bodies; nothing if the scene has none.
    pub boundary: Option<String>,
    /// The pressure solver.
    pub pressure: String,
}

impl std::fmt::Display for Combination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.boundary {
            Some(boundary) => write!(f, "{boundary} + {}", self.pressure),
            None => f.write_str(&self.pressure),
        }
    }
}

/// A scene and the methods to try with it.
#[derive(Debug, Clone)]
pub struct Comparison {
    scene: Scene,
    limits: Limits,
    combinations: Vec<Combination>,
    /// What to do with combinations that need more memory than there is.
    shortage: OnShortage,
}

impl Comparison {
    /// Checks the scene and the names of the methods. An empty list stands for all methods; for a scene without bodies,
    /// boundary methods are not compared.
    ///
    /// # Errors
    /// When the scene has mistakes or a method does not exist.
    pub fn new(
        source: &SceneSource,
        boundary: &[String],
        pressure: &[String],
        limits: Limits,
        shortage: OnShortage,
    ) -> Result<Self, CommandError> {
        let boundary = chosen(MethodKey::Boundary, boundary)?;
        let pressure = chosen(MethodKey::Pressure, pressure)?;
        let mut scene = source.check()?;
        // Adaptive steps hit the end of the scene exactly, so that all trials end at the same time.
        if let Some(until) =
            limits.until.filter(|until| (0.0..scene.time.end).contains(until) && *until > 0.0)
        {
            scene.time.end = until;
        }
        let boundary =
            if scene.bodies.is_empty() { vec![None] } else { boundary.into_iter().map(Some).collect() };
        let combinations = boundary.into_iter().flat_map(|boundary| {
            pressure
                .iter()
                .map(move |pressure| Combination { boundary: boundary.clone(), pressure: pressure.clone() })
        });
        Ok(Self { combinations: combinations.collect(), scene, limits, shortage })
    }

    /// What will be tried, in this order.
    #[must_use]
    pub fn combinations(&self) -> &[Combination] {
        &self.combinations
    }

    /// The scene, with its own methods.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Writes the trials so far: `compare.md`, `compare.csv`, `curves.csv` and `compare.svg`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path, trials: &[Trial]) -> Result<(), OutputError> {
        let files = [
            ("compare.md", self.markdown(trials)),
            ("compare.csv", table::csv(trials)),
            ("curves.csv", table::curves_csv(trials)),
            ("compare.svg", self.svg(trials)),
        ];
        files.iter().try_for_each(|(name, text)| atomic::write(&folder.join(name), text.as_bytes()))
    }

    /// The unit of energies: in the plane, mass and energy are those of a layer one metre deep.
    fn energy_unit(&self) -> &'static str {
        if self.scene.dimension == Dimension::Two { "J/m" } else { "J" }
    }
}

/// The names that were asked for, each once, or all.
fn chosen(key: MethodKey, names: &[String]) -> Result<Vec<String>, CommandError> {
    if names.is_empty() {
        return Ok(key.names().into_iter().map(str::to_owned).collect());
    }
    let mut all: Vec<String> = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        key.check(name)?;
        if !all.iter().any(|known| known == name) {
            all.push(name.to_owned());
        }
    }
    Ok(all)
}
