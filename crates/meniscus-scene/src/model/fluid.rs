//! The fluid and where it is at the start.

use super::{BoxVolume, Kernel, MeshVolume, ParticleFile, Pressure, SphereVolume, Vec3, Viscosity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fluid, its numerical methods and where it is at the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fluid {
    /// The distance of neighbouring particles at rest `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.02]))]
    pub spacing: f64,
    /// The rest density; in a planar scene still a density per volume, for one metre of depth `[kg/m³]`.
    #[serde(default = "default_density")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density: f64,
    /// The smoothing kernel.
    #[serde(default)]
    pub kernel: Kernel,
    /// The solver that keeps the fluid from being compressed.
    #[serde(default)]
    pub pressure: Pressure,
    /// The friction inside the fluid.
    #[serde(default)]
    pub viscosity: Viscosity,
    /// How the fluid holds together; water in air has 0.072 `[N/m]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub surface_tension: f64,
    /// The volumes that are full of fluid at the start.
    #[serde(default, rename = "source", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Whether the scene says nothing of a fluid.
    #[serde(skip)]
    pub absent: bool,
}

impl Fluid {
    /// No fluid at all. The spacing has no meaning then.
    #[must_use]
    pub fn none() -> Self {
        Self {
            spacing: 1.0,
            density: default_density(),
            kernel: Kernel::default(),
            pressure: Pressure::default(),
            viscosity: Viscosity::default(),
            surface_tension: 0.0,
            sources: Vec::new(),
            absent: true,
        }
    }

    /// Whether the scene says nothing of a fluid.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.absent
    }
}

fn default_density() -> f64 {
    1000.0
}

/// A volume that is full of fluid at the start, and how it moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Source {
    /// The volume.
    #[serde(flatten)]
    pub shape: SourceShape,
    /// The velocity of the whole volume `[m/s]`.
    #[serde(default)]
    pub velocity: Vec3,
    /// A rigid rotation about the centre of the volume, added to the velocity `[rad/s]`.
    #[serde(default)]
    pub angular_velocity: Vec3,
    /// Whether particles that would be inside of bodies or nearer to them than half a spacing are left out, instead of being a
    /// mistake.
    #[serde(default)]
    pub carve: bool,
}

/// The shape of a fluid volume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
#[schemars(inline)]
pub enum SourceShape {
    /// An axis-aligned box. Particles sit at `min + (i + ½) spacing`, with the size rounded to whole spacings.
    Box(BoxVolume),
    /// A ball; a disc in a planar scene.
    Sphere(SphereVolume),
    /// The inside of a closed triangle mesh.
    Mesh(MeshVolume),
    /// The particles of a file.
    Particles(ParticleFile),
}
