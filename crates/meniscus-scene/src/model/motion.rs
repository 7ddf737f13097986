//! How bodies move when their motion is known in advance.

use super::{Rotation, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A motion that is prescribed; nothing else moves the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Motion")]
pub enum MotionSpec {
    /// A constant velocity, without turning.
    Linear(LinearMotion),
    /// Turning at a constant rate about an axis of the scene.
    Spin(SpinMotion),
    /// Back and forth around the body's place.
    Oscillation(OscillationMotion),
    /// Rocking about an axis of the scene.
    Rocking(RockingMotion),
    /// Smoothly through given places.
    Keyframes(KeyframeMotion),
}

/// A constant velocity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct LinearMotion {
    /// The velocity `[m/s]`.
    #[schemars(extend("examples" = [[0.5, 0.0, 0.0]]))]
    pub velocity: Vec3,
}

/// Turning at a constant rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct SpinMotion {
    /// A point of the axis; if left out, the position of the body `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Vec3>,
    /// The axis; any length but zero. In a planar scene it is along z `[1]`.
    #[serde(default = "z_axis")]
    pub axis: Vec3,
    /// The rate, counter-clockwise when the axis points at the viewer `[degree/s]`.
    #[schemars(extend("examples" = [90.0]))]
    pub rate: f64,
}

/// Back and forth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct OscillationMotion {
    /// The largest displacement `[m]`.
    #[schemars(extend("examples" = [[0.1, 0.0, 0.0]]))]
    pub amplitude: Vec3,
    /// Swings per second `[1/s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [1.0]))]
    pub frequency: f64,
    /// The phase at the start; 0 starts in the middle `[degree]`.
    #[serde(default)]
    pub phase: f64,
}

/// Rocking about an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct RockingMotion {
    /// A point of the axis; if left out, the position of the body `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Vec3>,
    /// The axis; any length but zero. In a planar scene it is along z `[1]`.
    #[serde(default = "z_axis")]
    pub axis: Vec3,
    /// The largest angle `[degree]`.
    #[schemars(extend("examples" = [10.0]))]
    pub amplitude: f64,
    /// Swings per second `[1/s]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [1.0]))]
    pub frequency: f64,
    /// The phase at the start; 0 starts in the middle `[degree]`.
    #[serde(default)]
    pub phase: f64,
}

/// Through given places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct KeyframeMotion {
    /// Where the body is when, in the order of time.
    #[serde(rename = "frame")]
    #[schemars(length(min = 1, max = 100_000))]
    pub frames: Vec<Keyframe>,
    /// Whether it begins anew after the last one.
    #[serde(default, rename = "loop")]
    pub repeats: bool,
}

/// A place at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Keyframe {
    /// The time `[s]`.
    #[schemars(extend("examples" = [1.0]))]
    pub time: f64,
    /// The position of the body then `[m]`.
    #[schemars(extend("examples" = [[0.0, 0.5, 0.0]]))]
    pub position: Vec3,
    /// How it is turned then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
}

fn z_axis() -> Vec3 {
    [0.0, 0.0, 1.0]
}
