//! The fluid and where it is at the start.

use super::{
    BoatBody, BodyShape, BoneBody, BowlBody, BoxVolume, CapsuleBody, ConeBody, CupBody, CylinderBody,
    DuckBody, GearBody, HollowSphereBody, KernelSpec, MeshVolume, PaddleWheelBody, ParticleFile, Pressure,
    Rotation, SphereVolume, StatueBody, TorusBody, Vec3, ViscositySpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fluid, its numerical methods and where it is at the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Fluid")]
pub struct FluidSpec {
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
    pub kernel: KernelSpec,
    /// The solver that keeps the fluid from being compressed.
    #[serde(default)]
    pub pressure: Pressure,
    /// The friction inside the fluid. If left out: XSPH with a coefficient of 0.1, and of 0.01 with WCSPH.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<ViscositySpec>,
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

impl FluidSpec {
    /// Writes down what it has where nothing is said, so that results tell it.
    pub(crate) fn settle(&mut self) {
        let Self { viscosity, pressure, .. } = self;
        viscosity.get_or_insert_with(|| ViscositySpec::of_solver(pressure));
    }

    /// The friction inside the fluid.
    #[must_use]
    pub fn viscosity(&self) -> ViscositySpec {
        self.viscosity.clone().unwrap_or_else(|| ViscositySpec::of_solver(&self.pressure))
    }

    /// No fluid at all. The spacing has no meaning then.
    #[must_use]
    pub fn none() -> Self {
        Self {
            spacing: 1.0,
            density: default_density(),
            kernel: KernelSpec::default(),
            pressure: Pressure::default(),
            viscosity: None,
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
    /// Whether bodies are cut out of it, instead of particles inside of them being a mistake: as many particles are left out as the bodies
    /// take up, and those around them are moved until they fit.
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
    /// A cylinder along its y axis; a rectangle in a planar scene.
    Cylinder(PlacedVolume<CylinderBody>),
    /// A cylinder along its y axis with half a ball at each end.
    Capsule(PlacedVolume<CapsuleBody>),
    /// A cone along its y axis, the tip up.
    Cone(PlacedVolume<ConeBody>),
    /// Where the matter of a hollow ball would be.
    HollowSphere(PlacedVolume<HollowSphereBody>),
    /// A ring about its y axis.
    Torus(PlacedVolume<TorusBody>),
    /// Where the matter of a bowl would be, open above.
    Bowl(PlacedVolume<BowlBody>),
    /// Where the matter of a cup would be, open above.
    Cup(PlacedVolume<CupBody>),
    /// Where the matter of an open boat would be.
    Boat(PlacedVolume<BoatBody>),
    /// A hub with straight paddles; its axis is its z axis.
    PaddleWheel(PlacedVolume<PaddleWheelBody>),
    /// A gear wheel; its axis is its z axis.
    Gear(PlacedVolume<GearBody>),
    /// A bent bone along its x axis with two knobs at each end.
    Bone(PlacedVolume<BoneBody>),
    /// A duck that looks along its x axis.
    Duck(PlacedVolume<DuckBody>),
    /// A robed figure on a plinth that looks along its x axis.
    Statue(PlacedVolume<StatueBody>),
}

/// A volume with the shape of a body, as large as one; in a planar scene, where it cuts z = 0. It is turned first, then moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PlacedVolume<S> {
    /// The shape.
    #[serde(flatten)]
    pub of: S,
    /// Where it is.
    #[serde(flatten)]
    pub placement: Placement,
}

/// Where a volume is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Placement {
    /// How far the turned volume is moved from the origin `[m]`.
    #[serde(default)]
    pub translation: Vec3,
    /// How the volume is turned about its own origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
}

impl SourceShape {
    /// The body that has this shape, and where it is; boxes, balls and files have keys of their own.
    #[must_use]
    pub fn as_body(&self) -> Option<(BodyShape, &Placement)> {
        Some(match self {
            Self::Box(_) | Self::Sphere(_) | Self::Mesh(_) | Self::Particles(_) => return None,
            Self::Cylinder(v) => (BodyShape::Cylinder(v.of.clone()), &v.placement),
            Self::Capsule(v) => (BodyShape::Capsule(v.of.clone()), &v.placement),
            Self::Cone(v) => (BodyShape::Cone(v.of.clone()), &v.placement),
            Self::HollowSphere(v) => (BodyShape::HollowSphere(v.of.clone()), &v.placement),
            Self::Torus(v) => (BodyShape::Torus(v.of.clone()), &v.placement),
            Self::Bowl(v) => (BodyShape::Bowl(v.of.clone()), &v.placement),
            Self::Cup(v) => (BodyShape::Cup(v.of.clone()), &v.placement),
            Self::Boat(v) => (BodyShape::Boat(v.of.clone()), &v.placement),
            Self::PaddleWheel(v) => (BodyShape::PaddleWheel(v.of.clone()), &v.placement),
            Self::Gear(v) => (BodyShape::Gear(v.of.clone()), &v.placement),
            Self::Bone(v) => (BodyShape::Bone(v.of.clone()), &v.placement),
            Self::Duck(v) => (BodyShape::Duck(v.of.clone()), &v.placement),
            Self::Statue(v) => (BodyShape::Statue(v.of.clone()), &v.placement),
        })
    }
}
