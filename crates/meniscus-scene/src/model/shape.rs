//! Volumes and placements that several tables share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A point, direction or velocity: x, y, z. In a planar scene z is 0.
pub type Vec3 = [f64; 3];

/// An axis-aligned box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BoxVolume {
    /// The corner with the smallest coordinates `[m]`.
    #[schemars(extend("examples" = [[0.0, 0.0, 0.0]]))]
    pub min: Vec3,
    /// The corner with the largest coordinates `[m]`.
    #[schemars(extend("examples" = [[0.4, 0.4, 0.4]]))]
    pub max: Vec3,
}

/// A ball; a disc in a planar scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SphereVolume {
    /// The centre `[m]`.
    #[schemars(extend("examples" = [[0.0, 0.5, 0.0]]))]
    pub center: Vec3,
    /// The radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub radius: f64,
}

/// The inside of a closed triangle mesh; in a planar scene, where it cuts z = 0. It is scaled first, then turned, then moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MeshVolume {
    /// The mesh file (OBJ, PLY, STL, glTF or GLB), relative to the scene file.
    #[schemars(extend("examples" = ["mesh.obj"]))]
    pub path: PathBuf,
    /// One factor for all axes, or one for each `[1]`.
    #[serde(default)]
    pub scale: ScaleSpec,
    /// How far the scaled and turned mesh is moved `[m]`.
    #[serde(default)]
    pub translation: Vec3,
    /// How the mesh is turned about its origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
}

/// Particles of a file, one for one. They are scaled first, then turned, then moved; in a planar scene z is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ParticleFile {
    /// The file (classic BGEO), relative to the scene file. Its particles should be about a spacing apart.
    #[schemars(extend("examples" = ["particles.bgeo"]))]
    pub path: PathBuf,
    /// One factor for all axes, or one for each `[1]`.
    #[serde(default)]
    pub scale: ScaleSpec,
    /// How far the scaled and turned particles are moved `[m]`.
    #[serde(default)]
    pub translation: Vec3,
    /// How the particles are turned about the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
}

/// A turn about an axis through the origin of the shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The axis; any length but zero. In a planar scene it is along z `[1]`.
    #[schemars(extend("examples" = [[0.0, 0.0, 1.0]]))]
    pub axis: Vec3,
    /// The angle, counter-clockwise when the axis points at the viewer `[degree]`.
    #[schemars(extend("examples" = [30.0]))]
    pub angle: f64,
}

/// The size of a mesh relative to its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Scale")]
pub enum ScaleSpec {
    /// The same factor for all axes `[1]`.
    Uniform(#[schemars(extend("exclusiveMinimum" = 0.0))] f64),
    /// One factor for each axis `[1]`.
    PerAxis(Vec3),
}

impl ScaleSpec {
    /// The factor of each axis `[1]`.
    #[must_use]
    pub fn factors(&self) -> Vec3 {
        match *self {
            Self::Uniform(factor) => [factor; 3],
            Self::PerAxis(factors) => factors,
        }
    }
}

impl Default for ScaleSpec {
    fn default() -> Self {
        Self::Uniform(1.0)
    }
}
