//! The solids.

use super::built_in::{
    BoatBody, BoneBody, BowlBody, CapsuleBody, ConeBody, CupBody, DuckBody, GearBody, HollowSphereBody,
    PaddleWheelBody, StatueBody, TorusBody,
};
use super::{Dynamics, Material, MotionSpec, Repeat, Rotation, ScaleSpec, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A solid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
#[schemars(rename = "Body")]
pub struct BodySpec {
    /// The name of the body in results and messages; no other body has it.
    #[schemars(extend("examples" = ["tank"]))]
    pub name: String,
    /// The shape.
    #[serde(flatten)]
    pub shape: BodyShape,
    /// The centre of the shape; for a mesh, its origin `[m]`.
    #[serde(default)]
    pub position: Vec3,
    /// How the shape is turned about its centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Whether the fluid is inside of the shape, as in a tank, instead of outside.
    #[serde(default)]
    pub container: bool,
    /// How the body moves; without it, it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// How fluid clings to the body, as a tension like the fluid's `surface_tension` `[N/m]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub adhesion: f64,
    /// Forces and contacts move the body; without it, it stands still or follows its motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamics: Option<Dynamics>,
    /// How the surface of the body behaves where bodies touch.
    #[serde(default, skip_serializing_if = "Material::is_default")]
    pub material: Material,
    /// Many bodies instead of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// How the fluid feels the body.
    #[serde(default)]
    pub boundary: BoundarySpec,
    /// Whether pictures show only the half of it that is farther from the eye, so that one sees what is inside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cutaway: bool,
}

/// The shape of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
#[schemars(inline)]
pub enum BodyShape {
    /// A box with some or none of its faces left open.
    Box(BoxBody),
    /// A ball; a disc in a planar scene.
    Sphere(SphereBody),
    /// A cylinder along its y axis; a rectangle in a planar scene.
    Cylinder(CylinderBody),
    /// A rectangle that faces its y axis and is solid below.
    Plane(PlaneBody),
    /// A triangle mesh; in a planar scene, where it cuts z = 0.
    Mesh(MeshBody),
    /// A cylinder along its y axis with half a ball at each end. In a planar scene, where it cuts z = 0.
    Capsule(CapsuleBody),
    /// A cone along its y axis, the tip up. Its position is half way between base and tip. In a planar scene, where it cuts z = 0.
    Cone(ConeBody),
    /// A ring about its y axis. In a planar scene, where it cuts z = 0.
    Torus(TorusBody),
    /// The lower half of a hollow ball, open above. Its position is the middle of its rim. In a planar scene, where it cuts z = 0.
    Bowl(BowlBody),
    /// A cylindrical cup along its y axis, open above. In a planar scene, where it cuts z = 0.
    Cup(CupBody),
    /// A hollow ball, closed all around.
    HollowSphere(HollowSphereBody),
    /// An open boat whose bow points along its x axis. Its position is the middle of its length and breadth, at half its height amidships. In a planar scene, where it cuts z = 0.
    Boat(BoatBody),
    /// A hub with straight paddles; its axis is its z axis. In a planar scene, where it cuts z = 0.
    PaddleWheel(PaddleWheelBody),
    /// A gear wheel; its axis is its z axis. In a planar scene, where it cuts z = 0.
    Gear(GearBody),
    /// A bent bone along its x axis with two knobs at each end. Its position is the middle of the box around it. In a planar scene, where it cuts z = 0.
    Bone(BoneBody),
    /// A rubber duck that looks along its x axis. Its position is the middle of the box around it. In a planar scene, where it cuts z = 0.
    Duck(DuckBody),
    /// A robed figure on a plinth that looks along its x axis. Its position is the middle of the box around it. In a planar scene, where it cuts z = 0.
    Statue(StatueBody),
}

/// A box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BoxBody {
    /// The lengths of the sides; the third is without meaning in a planar scene `[m]`.
    #[schemars(extend("examples" = [[1.0, 0.5, 0.5]]))]
    pub size: Vec3,
    /// The faces that are left out, so that fluid can pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Face>,
}

/// A face of a box, by the direction in which it lies before the box is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Face {
    /// Left.
    #[serde(rename = "-x")]
    NegX,
    /// Right.
    #[serde(rename = "+x")]
    PosX,
    /// Bottom.
    #[serde(rename = "-y")]
    NegY,
    /// Top.
    #[serde(rename = "+y")]
    PosY,
    /// Back.
    #[serde(rename = "-z")]
    NegZ,
    /// Front.
    #[serde(rename = "+z")]
    PosZ,
}

/// A ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SphereBody {
    /// The radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub radius: f64,
}

/// A cylinder along its y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CylinderBody {
    /// The radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub radius: f64,
    /// The length along the axis `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.5]))]
    pub height: f64,
}

/// A rectangle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PlaneBody {
    /// The lengths along x and z; the second is without meaning in a planar scene `[m]`.
    #[schemars(extend("examples" = [[2.0, 2.0]]))]
    pub size: [f64; 2],
}

/// A triangle mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MeshBody {
    /// The mesh file (OBJ, PLY, STL, glTF or GLB), relative to the scene file.
    #[schemars(extend("examples" = ["mesh.obj"]))]
    pub path: PathBuf,
    /// One factor for all axes, or one for each `[1]`.
    #[serde(default)]
    pub scale: ScaleSpec,
}

/// How the fluid feels a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[schemars(rename = "BoundaryMethod")]
pub enum BoundarySpec {
    /// Particles on the surface, each with the volume of solid it stands for.
    VolumeParticles(VolumeParticlesParams),
    /// A map of what the body adds to the fluid's density, with one lookup a particle.
    DensityMap(MapSpec),
    /// The body's volume near a particle, tabulated, as one boundary particle at the closest point of its surface.
    VolumeMap(MapSpec),
    /// Contacts that set velocities and positions of the fluid that touches the body.
    DirectForcing(DirectForcingParams),
    /// Forces that push away the fluid that comes near.
    Penalty(PenaltySpec),
}

impl BoundarySpec {
    /// Whether the body has a map in place of boundary particles.
    #[must_use]
    pub fn is_map(&self) -> bool {
        matches!(self, Self::DensityMap(_) | Self::VolumeMap(_))
    }
}

impl Default for BoundarySpec {
    fn default() -> Self {
        Self::VolumeParticles(VolumeParticlesParams::default())
    }
}

/// Particles on the surface, each with the volume of solid it stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct VolumeParticlesParams {
    /// How deep below the drawn surface the particles sit, in spacings `[1]`.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub sample_depth: f64,
    /// A factor on the volumes; if left out, it is calibrated on a flat wall `[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub volume_factor: Option<f64>,
}

impl Default for VolumeParticlesParams {
    fn default() -> Self {
        Self { sample_depth: 0.5, volume_factor: None }
    }
}

/// A map of the body's density.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct MapSpec {
    /// The coefficient of sliding friction between fluid and body `[1]`.
    #[schemars(range(min = 0.0))]
    pub friction: f64,
}

/// Contacts that set velocities and positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct DirectForcingParams {
    /// The share of the tangential velocity that touching fluid keeps on the way past a boundary particle: 1 slips freely, 0 sticks
    /// `[1]`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub slip: f64,
    /// The share of the approach speed with which fluid rebounds `[1]`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
    /// How the contacts of a body that moves freely are solved for.
    pub update: ForcingUpdateSpec,
}

/// How the contacts of a body that moves freely are solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ForcingUpdateSpec {
    /// Each as if it were the only one.
    Local,
    /// All at once.
    Global,
}

impl Default for DirectForcingParams {
    fn default() -> Self {
        Self { slip: 1.0, restitution: 0.0, update: ForcingUpdateSpec::Global }
    }
}

/// Forces that push fluid away.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct PenaltySpec {
    /// The strength, as acceleration times distance; if left out, 0.02 times the square of the speed of sound
    /// `[m²/s²]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub stiffness: Option<f64>,
}
