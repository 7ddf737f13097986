//! How pictures of the scene look: where they are taken from, and the light.

use super::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where pictures are taken from. By default the camera frames the scene from the front, the right and slightly above.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Camera")]
pub struct CameraSpec {
    /// From the scene towards the eye, whose distance follows from what must be seen; not together with `position` `[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vec3>,
    /// Where the eye is; if left out, so far away that the scene fills the picture `[m]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Vec3>,
    /// What an eye with a `position` looks at; if left out, the middle of the scene `[m]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Vec3>,
    /// The angle between the lower and the upper edge of the picture; without a `position`, how strong the perspective is
    /// `[°]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 5.0, max = 120.0))]
    #[schemars(extend("examples" = [35.0]))]
    pub field_of_view: Option<f64>,
}

impl CameraSpec {
    /// Whether nothing is said about it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The light of pictures: a sun and a sky.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Light")]
pub struct LightSpec {
    /// From the scene towards the sun, which is above the horizon `[1]`.
    pub direction: Vec3,
    /// How bright the sun is, as a multiple of the usual `[1]`.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub sun: f64,
    /// How bright the sky is, as a multiple of the usual `[1]`.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub sky: f64,
    /// How soft shadows are: the size of the sun, as a multiple of the usual `[1]`.
    #[schemars(range(min = 0.0, max = 8.0))]
    pub softness: f64,
}

impl LightSpec {
    /// Whether nothing is said about it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for LightSpec {
    fn default() -> Self {
        Self { direction: [-0.42, 0.78, 0.34], sun: 1.0, sky: 1.0, softness: 1.0 }
    }
}
