//! What a scene is meant to show, as conditions on its series.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that the run is expected to show, and how it is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim in words.
    #[schemars(extend("examples" = ["The light cuboid floats."]))]
    pub text: String,
    /// What is looked at: a column of `series.csv`, several joined by ` + ` and ` - `, or `escaped_particles`.
    #[schemars(extend("examples" = ["light_y"]))]
    pub quantity: String,
    /// Which figure is made of its course.
    #[serde(default)]
    pub measure: Measure,
    /// From when on it is looked at `[s]`.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0))]
    pub from: f64,
    /// Until when it is looked at; if left out, to the end `[s]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub to: Option<f64>,
    /// The level of the measures `rises`, `reversals`, `first-above` and `first-below`, in the unit of the quantity.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub level: f64,
    /// The figure must be larger than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// The figure must be smaller than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// The name of another scene: `above` and `below` are then about the figure here minus the same figure there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub than: Option<String>,
    /// The unit of the figure, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

/// A figure of a quantity's course. Means are over time, whatever the steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Measure {
    /// The last value.
    #[default]
    Last,
    /// The first value.
    First,
    /// The last value minus the first.
    Change,
    /// The mean over time.
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The standard deviation over time.
    Deviation,
    /// The standard deviation as a share of the mean's magnitude.
    Unsteadiness,
    /// How often it rises through `level`.
    Rises,
    /// How often it turns from below −`level` to above `level`: what trembles less does not count.
    Reversals,
    /// When it is first larger than `level` `[s]`.
    FirstAbove,
    /// When it is first smaller than `level` `[s]`.
    FirstBelow,
}

impl Measure {
    /// The word that scenes use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::First => "first",
            Self::Change => "change",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Max => "max",
            Self::Deviation => "deviation",
            Self::Unsteadiness => "unsteadiness",
            Self::Rises => "rises",
            Self::Reversals => "reversals",
            Self::FirstAbove => "first-above",
            Self::FirstBelow => "first-below",
        }
    }
}

impl Claim {
    /// The figure of the summary that a claim may name in place of a column.
    pub const ESCAPED: &str = "escaped_particles";

    /// The columns that are added up, each with its sign. Signs stand between spaces, since names may hold them.
    #[must_use]
    pub fn terms(&self) -> Vec<(f64, &str)> {
        let mut terms = Vec::new();
        let mut sign = 1.0;
        for word in self.quantity.split(' ').filter(|word| !word.is_empty()) {
            match word {
                "+" => sign = 1.0,
                "-" => sign = -1.0,
                column => terms.push((std::mem::replace(&mut sign, 1.0), column)),
            }
        }
        terms
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
