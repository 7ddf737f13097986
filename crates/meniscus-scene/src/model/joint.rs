//! Joints between bodies.

use super::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint between two bodies, or between a body and the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Joint {
    /// What it allows.
    #[serde(flatten)]
    pub kind: JointKind,
    /// The name of the first body.
    #[schemars(extend("examples" = ["door"]))]
    pub first: String,
    /// The name of the second body; if left out, the scene itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// Where the joint is at the start; if left out, the position of the first body `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Vec3>,
    /// Whether its bodies still collide with each other.
    #[serde(default)]
    pub collide: bool,
}

/// What a joint allows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(inline)]
pub enum JointKind {
    /// The bodies share a point.
    Ball(BallJoint),
    /// The bodies share a point and an axis.
    Hinge(HingeJoint),
    /// The first body moves along an axis of the second, without turning.
    Slider(SliderJoint),
    /// The bodies do not move relative to each other.
    Fixed(FixedJoint),
    /// Two points keep their distance.
    Distance(DistanceJoint),
}

/// The bodies share a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BallJoint {}

/// The bodies do not move relative to each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FixedJoint {}

/// The bodies share a point and an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct HingeJoint {
    /// The axis; any length but zero. In a planar scene it is along z `[1]`.
    #[serde(default = "along_z")]
    pub axis: Vec3,
    /// The least and the largest angle of the first body relative to the second, zero at the start, within ±180
    /// `[degree]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// A drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<HingeMotor>,
}

/// The first body moves along an axis of the second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SliderJoint {
    /// The axis; any length but zero `[1]`.
    #[schemars(extend("examples" = [[1.0, 0.0, 0.0]]))]
    pub axis: Vec3,
    /// The least and the largest displacement of the first body relative to the second, zero at the start `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// A drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<SliderMotor>,
}

/// Two points keep their distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DistanceJoint {
    /// The point of the second body; that of the first is `point` `[m]`.
    #[schemars(extend("examples" = [[0.0, 2.0, 0.0]]))]
    pub other: Vec3,
    /// The least and the largest distance, equal for a rod; if left out, that at the start `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

/// A drive about the axis of a hinge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HingeMotor {
    /// The speed that it aims at `[degree/s]`.
    #[schemars(extend("examples" = [90.0]))]
    pub speed: f64,
    /// The largest torque `[N m]`.
    #[schemars(range(min = 0.0), extend("examples" = [10.0]))]
    pub torque: f64,
}

/// A drive along the axis of a slider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliderMotor {
    /// The speed that it aims at `[m/s]`.
    #[schemars(extend("examples" = [0.5]))]
    pub speed: f64,
    /// The largest force `[N]`.
    #[schemars(range(min = 0.0), extend("examples" = [10.0]))]
    pub force: f64,
}

fn along_z() -> Vec3 {
    [0.0, 0.0, 1.0]
}
