use std::fs;
use std::path::Path;

use meniscus_core::{Phase, PhaseTimers};
use serde::{Deserialize, Serialize};

use crate::{Notice, OutputError, atomic};

/// The whole run in one page, `summary.json`.
///
/// The names are stable: fields may be added, and [`Summary::SCHEMA_VERSION`] grows when one changes its meaning or
/// goes. Everything is of the whole run, however often it was resumed, except memory and rate, which are of the process
/// that wrote the summary. Work that a kill undid is not counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of this page's layout.
    pub schema_version: u32,
    /// Title of the scene.
    pub scene: String,
    /// How the run ended.
    pub outcome: Outcome,
    /// Fluid particles at the end `[1]`.
    pub fluid_particles: u64,
    /// Boundary particles at the end `[1]`.
    pub boundary_particles: u64,
    /// Steps completed since the run's beginning `[1]`.
    pub steps: u64,
    /// Frames of the run on disk `[1]`.
    pub frames: u32,
    /// Simulated time at the end `[s]`.
    pub simulated_s: f64,
    /// Wall time, set-up included `[s]`.
    pub wall_s: f64,
    /// Processor time over all threads `[s]`; null where the system does not tell.
    pub cpu_s: Option<f64>,
    /// Wall time before the first step; with each resume, before its first step as well `[s]`.
    pub setup_s: f64,
    /// Wall time after the last step for the picture and the animation of the run `[s]`.
    #[serde(default)]
    pub pictures_s: f64,
    /// Largest resident memory `[byte]`; null where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// Particles advanced by one step, per second of wall time spent stepping `[1/s]`.
    pub particle_steps_per_s: f64,
    /// Wall time spent in each phase of the step `[s]`.
    pub phase_seconds: PhaseSeconds,
    /// Sweeps of the pressure solver.
    pub sweeps: SweepSummary,
    /// Compression of the fluid over all steps.
    pub density_error: DensityErrorSummary,
    /// Largest mean residual of the pressure solve in any step `[1]`.
    #[serde(default)]
    pub pressure_residual_max: f64,
    /// Steps in which a solve ended above its tolerance `[1]`.
    #[serde(default)]
    pub unconverged_steps: u64,
    /// Steps begun again with half their length `[1]`.
    #[serde(default)]
    pub retries: u64,
    /// Where the scene ended; left out if nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldSummary>,
    /// Fluid particles that have left the world `[1]`.
    #[serde(default)]
    pub departed_particles: u64,
    /// Bodies that have left the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub departed_bodies: Vec<String>,
    /// What the run told while it went on; left out if nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Fluid particles inside solids, outside closed containers or under the floor of open ones at the end `[1]`.
    pub escaped_particles: u64,
    /// Threads the simulation used `[1]`.
    pub threads: u32,
    /// Fingerprint of the final state: 32 hexadecimal digits, equal for equal states only.
    pub state_hash: String,
    /// Dynamic bodies; left out if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solids: Option<SolidSummary>,
    /// What the scene is meant to show, and whether it did; left out if it claims nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimSummary>,
}

/// A claim of the scene and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimSummary {
    /// The claim in words.
    pub text: String,
    /// What was measured, in words.
    pub figure: String,
    /// Its value; null if there is none, for instance if a level was never reached.
    pub value: Option<f64>,
    /// The unit of the value.
    #[serde(default)]
    pub unit: String,
    /// What was asked of it, in words.
    pub condition: String,
    /// Whether it was met.
    pub verdict: Verdict,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The condition is met.
    Holds,
    /// It is not.
    Fails,
    /// It cannot be told: the run is not complete, or the other scene has not been run beside it.
    Open,
}

impl ClaimSummary {
    /// The value with four digits and its unit.
    #[must_use]
    pub fn value_in_words(&self) -> String {
        let Some(value) = self.value else { return "none".to_owned() };
        format!("{} {}", four_digits(value), self.unit).trim_end().to_owned()
    }
}

/// A number with four digits that count, without zeros at the end.
#[must_use]
pub fn four_digits(value: f64) -> String {
    let decimals = if value == 0.0 { 0.0 } else { (3.0 - value.abs().log10().floor()).clamp(0.0, 12.0) };
    let number = format!("{value:.0$}", decimals as usize);
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It reached the end it was given.
    #[default]
    Completed,
    /// It was asked to stop; a checkpoint was written.
    Interrupted,
    /// A step failed; the last good state was kept.
    Failed,
}

/// Wall time of each phase of the step `[s]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseSeconds {
    /// How long the step may be `[s]`.
    pub choose_dt: f64,
    /// Everything known without neighbours `[s]`.
    pub predict: f64,
    /// Neighbours, boundary rows, densities `[s]`.
    #[serde(alias = "wet")]
    pub contact: f64,
    /// Forces and pressure sweeps `[s]`.
    pub couple: f64,
    /// New velocities and positions `[s]`.
    pub commit: f64,
    /// Looking for numbers that are not finite `[s]`.
    pub check: f64,
    /// Series, frames, checkpoints `[s]`.
    pub observe: f64,
}

impl From<&PhaseTimers> for PhaseSeconds {
    fn from(timers: &PhaseTimers) -> Self {
        Self {
            choose_dt: timers.seconds(Phase::ChooseDt),
            predict: timers.seconds(Phase::Predict),
            contact: timers.seconds(Phase::Contact),
            couple: timers.seconds(Phase::Couple),
            commit: timers.seconds(Phase::Commit),
            check: timers.seconds(Phase::Check),
            observe: timers.seconds(Phase::Observe),
        }
    }
}

/// Sweeps of the pressure solver per step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepSummary {
    /// Mean number of pressure sweeps in a step `[1]`.
    pub pressure_mean: f64,
    /// Mean number of divergence sweeps in a step `[1]`.
    pub divergence_mean: f64,
}

/// Compression of the fluid, counted where positive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct DensityErrorSummary {
    /// Mean over steps of the mean over particles `[1]`.
    pub mean: f64,
    /// Largest of a particle in any step `[1]`.
    pub max: f64,
    /// When that was `[s]`.
    #[serde(default)]
    pub max_time: f64,
    /// Where that particle was `[m]`.
    #[serde(default)]
    pub max_place: [f64; 3],
    /// Its id.
    #[serde(default)]
    pub max_particle: u64,
}

impl DensityErrorSummary {
    /// Whether the largest compression is bad, in words.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match self.max {
            x if x < 0.05 => "as good as incompressible",
            x if x < 0.2 => "usual where fluid hits walls",
            x if x < 0.5 => "much, for a moment: a hard impact or a narrow gap; pictures do not show it",
            x if x < 2.0 => {
                "bad at that place: a particle was pinched, hit hard or put inside of others; look whether it matters there"
            }
            _ => "far beyond reason: something went wrong at that place",
        }
    }
}

/// The box in which a scene was simulated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct WorldSummary {
    /// Its low corner `[m]`.
    pub min: [f64; 3],
    /// Its high corner `[m]`.
    pub max: [f64; 3],
}

/// Dynamic bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SolidSummary {
    /// All bodies of the scene `[1]`.
    pub bodies: u64,
    /// The dynamic ones `[1]`.
    pub moving_bodies: u64,
    /// Joints `[1]`.
    pub joints: u64,
    /// Points at which bodies touched in the last step `[1]`.
    pub contacts: u64,
    /// The deepest overlap in the last step `[m]`.
    pub penetration: f64,
}

impl Summary {
    /// The version this crate writes.
    pub const SCHEMA_VERSION: u32 = 1;

    /// Writes the page as indented JSON, atomically.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| OutputError::io("write", path)(error.into()))?;
        text.push('\n');
        atomic::write(path, text.as_bytes())
    }

    /// Reads a page back.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be read or is not such a page.
    pub fn read(path: &Path) -> Result<Self, OutputError> {
        let bytes = fs::read(path).map_err(OutputError::io("read", path))?;
        serde_json::from_slice(&bytes).map_err(|error| OutputError::io("read", path)(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_reads_back_and_keeps_its_names() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("summary.json");
        let summary = Summary { schema_version: Summary::SCHEMA_VERSION, steps: 7, ..Summary::default() };
        summary.write(&path).unwrap();
        assert_eq!(Summary::read(&path).unwrap(), summary);
        let text = fs::read_to_string(&path).unwrap();
        for name in
            ["\"outcome\": \"completed\"", "\"pressure_mean\"", "\"choose_dt\"", "\"peak_memory_bytes\""]
        {
            assert!(text.contains(name), "{name} is missing in {text}");
        }
    }
}
