//! Bodies that deform.

use super::{BoxVolume, MotionSpec, Rotation, ScaleSpec, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A sheet of cloth, or a shell: a rectangle, or the surface of a mesh, which need not be closed. It meets nothing yet: it passes
/// through itself and all other bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cloth")]
pub struct ClothSpec {
    /// The name of the sheet in results and messages; no other body has it.
    #[schemars(extend("examples" = ["curtain"]))]
    pub name: String,
    /// The sizes of a rectangle along its x and z axes; it lies level unless it is turned `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[f64; 2]>,
    /// Into how many cells of two triangles the rectangle is divided along x and z `[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<[u32; 2]>,
    /// A mesh file (OBJ, PLY, STL, glTF or GLB) instead, relative to the scene file. Its shape is that at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// For a mesh, one factor for all axes, or one for each `[1]`.
    #[serde(default)]
    pub scale: ScaleSpec,
    /// The centre of the rectangle; for a mesh, its origin `[m]`.
    #[serde(default)]
    pub position: Vec3,
    /// How it is turned about that point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// The thickness `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), extend("examples" = [0.001]))]
    pub thickness: f64,
    /// What it is made of.
    #[schemars(extend("examples" = [{ "density": 300.0, "young": 1e6 }]))]
    pub matter: MatterSpec,
    /// The resistance to bending, if it is not that of its matter and thickness, E h³ / 12 (1 − ν²): cloth bends more easily than
    /// solid matter of its strength `[N m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub bending: Option<f64>,
    /// How quickly its motion fades, as in air that does not move `[1/s]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub drag: f64,
    /// The velocity of all of it at the start `[m/s]`.
    #[serde(default)]
    pub velocity: Vec3,
    /// Where it is held.
    #[serde(default, rename = "pin", skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinSpec>,
    /// The longest step that it takes; longer steps of the scene are divided `[s]`.
    #[serde(default = "default_substep")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub max_substep: f64,
}

/// A solid that deforms: a box, or the inside of a closed mesh. It meets nothing yet: it passes through itself and all other bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Elastic")]
pub struct ElasticSpec {
    /// The name of the solid in results and messages; no other body has it.
    #[schemars(extend("examples" = ["jelly"]))]
    pub name: String,
    /// The sizes of a box `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Vec3>,
    /// Into how many cells of five tetrahedra the box is divided along each axis `[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<[u32; 3]>,
    /// A closed mesh (OBJ, PLY, STL, glTF or GLB) instead, relative to the scene file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The edge of the tetrahedra with which the mesh is filled `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub edge: Option<f64>,
    /// For a mesh, one factor for all axes, or one for each `[1]`.
    #[serde(default)]
    pub scale: ScaleSpec,
    /// The centre of the box; for a mesh, its origin `[m]`.
    #[serde(default)]
    pub position: Vec3,
    /// How it is turned about that point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Tetrahedra with ten nodes, or with four: these take less time and are too stiff in bending.
    #[serde(default)]
    pub elements: ElementOrderSpec,
    /// What it is made of.
    #[schemars(extend("examples" = [{ "density": 1000.0, "young": 1e5 }]))]
    pub matter: MatterSpec,
    /// How quickly its motion fades, as in air that does not move `[1/s]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub drag: f64,
    /// The velocity of all of it at the start `[m/s]`.
    #[serde(default)]
    pub velocity: Vec3,
    /// Where it is held.
    #[serde(default, rename = "pin", skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinSpec>,
    /// The longest step that it takes; longer steps of the scene are divided `[s]`.
    #[serde(default = "default_substep")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub max_substep: f64,
}

/// Elastic matter, the same in all directions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Matter")]
pub struct MatterSpec {
    /// Mass per volume `[kg/m³]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), extend("examples" = [1000.0]))]
    pub density: f64,
    /// Young's modulus: stress by strain when it is stretched `[Pa]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), extend("examples" = [1e5]))]
    pub young: f64,
    /// Poisson ratio: how much thinner it becomes when it is stretched; 0.49 is nearly incompressible `[1]`.
    #[serde(default = "default_poisson")]
    #[schemars(range(min = -1.0, max = 0.5))]
    pub poisson: f64,
    /// Viscosity: stress is by this time the rate of strain more `[s]`.
    #[serde(default = "default_damping")]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
}

/// Degree of the shape functions of tetrahedra.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ElementOrder")]
pub enum ElementOrderSpec {
    /// Four nodes.
    Linear,
    /// Ten nodes.
    #[default]
    Quadratic,
}

/// Nodes that are held, by exactly one of corners, vertices and a box.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Pin")]
pub struct PinSpec {
    /// Corners of a rectangle of cloth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corners: Vec<SheetCorner>,
    /// Vertices of a mesh of cloth, counted from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<u32>,
    /// All nodes that are in this box at the start.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub inside: Option<BoxVolume>,
    /// How they are moved, from where they are at the start; without it, they stand still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// When they are let go; without it, never `[s]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub until: Option<f64>,
}

/// A corner of a rectangle, by its side along the rectangle's x axis and then z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SheetCorner {
    /// Least x, least z.
    #[serde(rename = "-x-z")]
    LeftBack,
    /// Largest x, least z.
    #[serde(rename = "+x-z")]
    RightBack,
    /// Least x, largest z.
    #[serde(rename = "-x+z")]
    LeftFront,
    /// Largest x, largest z.
    #[serde(rename = "+x+z")]
    RightFront,
}

fn default_poisson() -> f64 {
    0.3
}

fn default_damping() -> f64 {
    1e-3
}

fn default_substep() -> f64 {
    1.0 / 240.0
}
