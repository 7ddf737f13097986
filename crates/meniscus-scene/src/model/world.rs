//! Where the scene ends.

use super::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the scene ends: a box. Fluid that leaves it is removed, bodies that leave it are simulated no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "World")]
pub struct WorldSpec {
    /// Whether it ends at all.
    pub bounded: bool,
    /// How far it reaches beyond all that the scene draws, in lengths of the longest edge of the box around that `[1]`.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub margin: f64,
    /// The low corner of the box; if left out, it follows from the margin `[m]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Vec3>,
    /// The high corner of the box; if left out, it follows from the margin `[m]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Vec3>,
}

impl Default for WorldSpec {
    fn default() -> Self {
        Self { bounded: true, margin: 2.0, min: None, max: None }
    }
}
