//! Bodies that forces and contacts move.

use super::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A body that forces and contacts move.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dynamics {
    /// The density of its matter, or its course over time; 1000 if neither this nor the mass is given `[kg/m³]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<OverTime>,
    /// The mass, or its course over time, instead of the density; in a planar scene for each metre of depth `[kg]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<OverTime>,
    /// The velocity of its centre of mass at the start `[m/s]`.
    pub velocity: Vec3,
    /// The angular velocity at the start `[rad/s]`.
    pub angular_velocity: Vec3,
    /// When the body appears; before that it is not there `[s]`.
    #[schemars(range(min = 0.0))]
    pub enter: f64,
    /// Until when the body follows its `motion`; then it moves freely, with the velocity that it has `[s]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub release: Option<f64>,
}

/// A number, or its course over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OverTime {
    /// The same at all times.
    Constant(#[schemars(extend("exclusiveMinimum" = 0.0))] f64),
    /// Values at times in ascending order: straight in between, constant outside.
    Course(#[schemars(length(min = 1, max = 100_000))] Vec<TimedValue>),
}

/// A value at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct TimedValue {
    /// The time `[s]`.
    #[schemars(extend("examples" = [1.0]))]
    pub time: f64,
    /// The value then.
    #[schemars(extend("exclusiveMinimum" = 0.0), extend("examples" = [500.0]))]
    pub value: f64,
}

impl OverTime {
    /// The value at the beginning of its course.
    #[must_use]
    pub fn first(&self) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Course(course) => course.first().map_or(f64::NAN, |moment| moment.value),
        }
    }

    /// Its course, if it changes.
    #[must_use]
    pub fn course(&self) -> Option<&[TimedValue]> {
        match self {
            Self::Constant(_) => None,
            Self::Course(course) => Some(course),
        }
    }
}

/// The density of matter of which nothing is said `[kg/m³]`.
const DEFAULT_DENSITY: f64 = 1000.0;

impl Dynamics {
    /// The density at first, or the default one `[kg/m³]`.
    #[must_use]
    pub fn density_or_default(&self) -> f64 {
        self.density.as_ref().map_or(DEFAULT_DENSITY, OverTime::first)
    }
}

/// How the surface of a body behaves where bodies touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// The share of the approach speed with which bodies part again; of two bodies the smaller counts `[1]`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// The coefficient of static and sliding friction; of two bodies the larger counts `[1]`.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// The lever of the force that resists rolling; of two bodies the larger counts `[m]`.
    #[schemars(range(min = 0.0))]
    pub rolling_friction: f64,
    /// The lever of the force that resists spinning about the normal; of two bodies the larger counts `[m]`.
    #[schemars(range(min = 0.0))]
    pub spinning_friction: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self { restitution: 0.0, friction: 0.5, rolling_friction: 0.0, spinning_friction: 0.0 }
    }
}

impl Material {
    /// Whether nothing was said about it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Copies of a body on a grid. They are called by its name, a dash and a number from 0; x counts fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How many there are along x, y and z `[1]`.
    #[schemars(extend("examples" = [[5, 1, 5]]))]
    pub count: [u32; 3],
    /// The distances between neighbours along x, y and z; the body's own place is that of the first copy `[m]`.
    #[schemars(extend("examples" = [[0.5, 0.0, 0.5]]))]
    pub step: Vec3,
    /// Each copy is moved at random by up to this much to both sides `[m]`.
    #[serde(default)]
    pub jitter: Vec3,
    /// Each copy is turned at random about a random axis, by up to this angle `[degree]`.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 180.0))]
    pub tilt: f64,
    /// Another seed gives other random places `[1]`.
    #[serde(default)]
    pub seed: u32,
}

impl Repeat {
    /// How many copies there are `[1]`.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.count.iter().map(|&n| u64::from(n)).product()
    }
}

/// How bodies that move freely are simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Solids")]
pub struct SolidsSpec {
    /// The engine.
    pub engine: Engine,
    /// Sweeps over all contacts; small groups of bodies are swept more often. Only for `meniscus` `[1]`.
    #[schemars(range(min = 1, max = 10000))]
    pub contact_sweeps: u32,
    /// Into how many substeps a step may be divided so that nothing passes through anything. Only for `meniscus` `[1]`.
    #[schemars(range(min = 1))]
    pub max_substeps: u32,
}

impl Default for SolidsSpec {
    fn default() -> Self {
        Self { engine: Engine::Meniscus, contact_sweeps: 10, max_substeps: 1000 }
    }
}

impl SolidsSpec {
    /// Whether nothing was said about it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An engine for bodies that move freely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Engine {
    /// The one of this program.
    Meniscus,
    /// Rapier; the program must have been built with it.
    Rapier,
}
