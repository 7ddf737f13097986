//! A fluid on a grid.

use super::{BoxVolume, Face, SphereVolume, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fluid on a grid, such as air with smoke, that fills a box around the solids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Grid")]
pub struct GridSpec {
    /// The corner of the box with the smallest coordinates; the third is without meaning in a planar scene `[m]`.
    #[schemars(extend("examples" = [[-0.5, 0.0, -0.5]]))]
    pub min: Vec3,
    /// The corner with the largest coordinates; the box ends with the last whole cell before it `[m]`.
    #[schemars(extend("examples" = [[0.5, 1.5, 0.5]]))]
    pub max: Vec3,
    /// The width of a cell `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.02]))]
    pub spacing: f64,
    /// The density of the fluid `[kg/m³]`.
    #[serde(default = "air")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density: f64,
    /// The kinematic viscosity; air has 1.5e-5 `[m²/s]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub viscosity: f64,
    /// How smoke, temperature and velocities are carried along the flow.
    #[serde(default)]
    pub advection: AdvectionSpec,
    /// How transport and pressure take turns.
    #[serde(default)]
    pub splitting: SplittingSpec,
    /// How the pressure is found.
    #[serde(default)]
    pub pressure: GridPressureSpec,
    /// What makes the fluid sink or rise.
    #[serde(default)]
    pub buoyancy: BuoyancySpec,
    /// The strength of vorticity confinement, which keeps small whirls turning `[1/s]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub confinement: f64,
    /// An acceleration of all of the fluid alike `[m/s²]`.
    #[serde(default)]
    pub acceleration: Vec3,
    /// The velocity of the fluid at the start `[m/s]`.
    #[serde(default)]
    pub velocity: Vec3,
    /// How bodies hold the fluid beside them: 0 where it slips, 1 where it sticks; if left out, it sticks if it is viscous `[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub friction: Option<f64>,
    /// What is at the sides of the box; those of which nothing is said are walls.
    #[serde(default, rename = "side", skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<SideSpec>,
    /// Places where smoke, warmth or a velocity are given.
    #[serde(default, rename = "source", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<GridSourceSpec>,
}

fn air() -> f64 {
    1.2
}

/// How quantities are carried along the flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum AdvectionSpec {
    /// There and back, second order, limited.
    #[default]
    MacCormack,
    /// Back along a straight line, first order.
    SemiLagrangian,
}

/// How transport and pressure take turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SplittingSpec {
    /// Two halves with a reflection between them, second order in time.
    #[default]
    Reflection,
    /// One projection in a step, first order in time.
    Projection,
}

/// How the pressure of a fluid on a grid is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "GridPressure")]
pub struct GridPressureSpec {
    /// What its solve is preconditioned with.
    pub preconditioner: PreconditionerSpec,
    /// How much flux may be left in a cell, as a share of the fastest flow `[1]`.
    #[schemars(range(min = 1e-10, max = 0.1))]
    pub tolerance: f64,
    /// The most iterations of a solve `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_iterations: u32,
    /// Whether a step counts whose solve ends above the tolerance; else the run stops, unless a shorter step helps.
    pub accept_unconverged: bool,
}

impl Default for GridPressureSpec {
    fn default() -> Self {
        Self {
            preconditioner: PreconditionerSpec::Multigrid,
            tolerance: 1e-4,
            max_iterations: 200,
            accept_unconverged: false,
        }
    }
}

/// What a pressure solve is preconditioned with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum PreconditionerSpec {
    /// A multigrid cycle.
    Multigrid,
    /// Incomplete Cholesky; serial, and slower on large grids.
    IncompleteCholesky,
}

/// What makes fluid sink or rise, in multiples of gravity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Buoyancy")]
pub struct BuoyancySpec {
    /// How much heavier fluid full of smoke is, in its own weights `[1]`.
    pub weight: f64,
    /// How much lighter fluid is for each kelvin, in its own weights; air has 0.0034 `[1/K]`.
    pub expansion: f64,
}

/// What is at one side of the box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GridSide")]
pub struct SideSpec {
    /// Which side.
    #[schemars(extend("examples" = ["+y"]))]
    pub face: Face,
    /// What is there.
    #[schemars(extend("examples" = ["open"]))]
    pub kind: SideKind,
    /// How fast a wall moves along itself, or how fast fluid comes in `[m/s]`.
    #[serde(default)]
    pub velocity: Vec3,
    /// Whether fluid slips along a wall; if left out, it does unless it is viscous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slip: Option<bool>,
    /// How much smoke comes in with inflow `[1]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub smoke: f64,
    /// How much warmer than around the box inflow is `[K]`.
    #[serde(default)]
    pub temperature: f64,
}

/// What a side of the box is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SideKind {
    /// Nothing passes.
    Wall,
    /// Fluid leaves, and what surrounds the box comes in.
    Open,
    /// Fluid comes in with a given velocity.
    Inflow,
}

/// A place where smoke, warmth or a velocity are given. With a smoke of 0 it is a drain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
#[schemars(rename = "GridSource")]
pub struct GridSourceSpec {
    /// The place.
    #[serde(flatten)]
    pub place: GridPlace,
    /// The concentration of smoke there `[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub smoke: Option<f64>,
    /// How much warmer than around the box it is there `[K]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The velocity of the fluid there `[m/s]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<Vec3>,
    /// When it opens `[s]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub start: f64,
    /// When it closes; never if left out `[s]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub stop: Option<f64>,
}

/// The place of a source on a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
#[schemars(inline)]
pub enum GridPlace {
    /// An axis-aligned box.
    Box(BoxVolume),
    /// A ball; a disc in a planar scene.
    Sphere(SphereVolume),
}
