//! Fluid that comes and goes while the simulation runs.

use super::{BoxVolume, SphereVolume, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A nozzle that adds fluid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Emitter")]
pub struct EmitterSpec {
    /// The opening.
    pub nozzle: NozzleSpec,
    /// The centre of the opening `[m]`.
    #[schemars(extend("examples" = [[0.0, 1.0, 0.0]]))]
    pub position: Vec3,
    /// Where the fluid goes; any length but zero `[1]`.
    #[schemars(extend("examples" = [[0.0, -1.0, 0.0]]))]
    pub direction: Vec3,
    /// The speed of the fluid `[m/s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [1.0]))]
    pub speed: f64,
    /// When the nozzle opens `[s]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub start: f64,
    /// When the nozzle closes; if left out, never `[s]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub stop: Option<f64>,
    /// How many particles the nozzle gives at most; if left out, no limit `[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_particles: Option<u64>,
}

/// The opening of a nozzle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
#[schemars(rename = "Nozzle")]
pub enum NozzleSpec {
    /// A round opening.
    Disc(DiscNozzle),
    /// A rectangular opening.
    Box(BoxNozzle),
}

/// A round opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct DiscNozzle {
    /// The radius; half the width of the slit in a planar scene `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.05]))]
    pub radius: f64,
}

/// A rectangular opening.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct BoxNozzle {
    /// The horizontal side; the width of the slit in a planar scene `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub width: f64,
    /// The other side; without meaning in a planar scene `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub height: f64,
}

/// A volume that removes the fluid that enters it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
#[schemars(extend("unevaluatedProperties" = false))]
#[schemars(rename = "Drain")]
pub enum DrainSpec {
    /// An axis-aligned box.
    Box(BoxVolume),
    /// A ball; a disc in a planar scene.
    Sphere(SphereVolume),
}
