//! How long a run takes and what it leaves behind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The simulated time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// When the simulation ends `[s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [2.0]))]
    pub end: f64,
    /// How the time step is chosen.
    #[serde(default)]
    pub step: TimeStep,
    /// How velocities and positions follow accelerations.
    #[serde(default)]
    pub integrator: IntegratorSpec,
}

/// How velocities and positions follow accelerations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum IntegratorSpec {
    /// Velocities first, then positions with the new velocities.
    #[default]
    SymplecticEuler,
    /// Velocities in the middle of steps; for WCSPH.
    Leapfrog,
}

/// How the time step is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum TimeStep {
    /// As large as the fastest particle or boundary allows.
    Cfl(CflParams),
    /// The same for all steps.
    Fixed(FixedStepParams),
}

impl Default for TimeStep {
    fn default() -> Self {
        Self::Cfl(CflParams::default())
    }
}

/// The time step of the Courant-Friedrichs-Lewy condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct CflParams {
    /// How far the fastest particle may move in one step, in particle spacings `[1]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 2.0))]
    pub factor: f64,
    /// The smallest time step `[s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub min: f64,
    /// The largest time step `[s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub max: f64,
    /// If given, steps become smaller while density solves need more sweeps than this, or leave more than their tolerance,
    /// and larger again when they need fewer `[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub sweeps: Option<u32>,
}

impl Default for CflParams {
    fn default() -> Self {
        Self { factor: 0.4, min: 1e-5, max: 5e-3, sweeps: None }
    }
}

/// A constant time step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct FixedStepParams {
    /// The time step `[s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.001]))]
    pub dt: f64,
}

/// What is written for every frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Frames per second of simulated time `[1/s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6))]
    pub frames_per_second: f64,
    /// The file formats of a frame; none at all is allowed.
    pub formats: Vec<FrameFormat>,
    /// Whether a picture of the last state is drawn.
    pub preview: bool,
    /// Whether an animation of the run is rendered at its end.
    pub animation: bool,
    /// Whether the surface of the fluid is found and written for every frame; not in the plane.
    pub surface: bool,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            frames_per_second: 30.0,
            formats: vec![FrameFormat::Vtu],
            preview: true,
            animation: false,
            surface: false,
        }
    }
}

/// The file format of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum FrameFormat {
    /// VTK unstructured grid, for viewers and scripts.
    Vtu,
    /// Stanford PLY points.
    Ply,
    /// Classic BGEO points, for Houdini and Partio.
    Bgeo,
}

/// When the state is saved for a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Checkpoint")]
pub struct CheckpointSpec {
    /// Simulated time between two checkpoints `[s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub every: f64,
    /// Wall time after which a checkpoint is written in any case `[s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub every_wall: f64,
    /// How many checkpoints are kept `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub keep: u32,
}

impl Default for CheckpointSpec {
    fn default() -> Self {
        Self { every: 0.5, every_wall: 60.0, keep: 2 }
    }
}

/// What is recorded besides the frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Observe {
    /// Steps between two lines of the time series `[1]`.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub series_every: u32,
}

impl Default for Observe {
    fn default() -> Self {
        Self { series_every: 1 }
    }
}
