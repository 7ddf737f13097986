//! What a scene says: plain data, one type per table of the file.
//!
//! These types are the only description of the format. The JSON schema, the checks with their messages and the
//! reference for editors are all made from them, so a doc comment here is what the user reads.
//!
//! What the engine has under the same name ends in `Spec` here: a `KernelSpec` is what the file says, the `Kernel` what is made of
//! it. The schema keeps the short names.

mod body;
mod built_in;
mod claim;
mod deformable;
mod dynamics;
mod emitter;
mod fluid;
mod joint;
mod look;
mod method;
mod motion;
mod run;
mod shape;

pub use body::{
    BodyShape, BodySpec, BoundarySpec, BoxBody, CylinderBody, DirectForcingParams, Face, ForcingUpdateSpec,
    MapSpec, MeshBody, PenaltySpec, PlaneBody, SphereBody, VolumeParticlesParams,
};
pub use built_in::{
    BoatBody, BoneBody, BowlBody, CapsuleBody, ConeBody, CupBody, DuckBody, GearBody, HollowSphereBody,
    PaddleWheelBody, StatueBody, TorusBody,
};
pub use claim::{Claim, Measure};
pub use deformable::{ClothSpec, ElasticSpec, ElementOrderSpec, MatterSpec, PinSpec, SheetCorner};
pub use dynamics::{Dynamics, Engine, Material, OverTime, Repeat, SolidsSpec, TimedValue};
pub use emitter::{BoxNozzle, DiscNozzle, DrainSpec, EmitterSpec, NozzleSpec};
pub use fluid::{FluidSpec, PlacedVolume, Placement, Source, SourceShape};
pub use joint::{
    BallJoint, DistanceJoint, FixedJoint, HingeJoint, HingeMotor, Joint, JointKind, SliderJoint, SliderMotor,
};
pub use look::{CameraSpec, LightSpec};
pub use method::{
    ArtificialViscosityParams, DfsphSpec, IisphSpec, KernelParams, KernelSpec, LaplacianViscosityParams,
    OnFailureSpec, PcisphSpec, Pressure, ViscositySpec, WcsphSpec, XsphParams,
};
pub use motion::{
    Keyframe, KeyframeMotion, LinearMotion, MotionSpec, OscillationMotion, RockingMotion, SpinMotion,
};
pub use run::{
    CflParams, CheckpointSpec, FixedStepParams, FrameFormat, IntegratorSpec, Observe, Output, Time, TimeStep,
};
pub use shape::{BoxVolume, MeshVolume, ParticleFile, Rotation, ScaleSpec, SphereVolume, Vec3};

use meniscus_core::Dimension;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A simulation: a fluid, solids, or both, and what to record. SI units; y points up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Meniscus scene")]
pub struct Scene {
    /// One line that says what the scene shows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// 3 for space, 2 for the plane z = 0 `[1]`.
    #[serde(default = "default_dimension", with = "dimension_number")]
    #[schemars(schema_with = "dimension_schema")]
    pub dimension: Dimension,
    /// The acceleration of gravity `[m/s²]`.
    #[serde(default = "default_gravity")]
    pub gravity: Vec3,
    /// How long to simulate and with which time step.
    pub time: Time,
    /// The fluid, its numerical methods and where it is at the start; without it, the scene is of solids alone.
    #[serde(default = "FluidSpec::none", skip_serializing_if = "FluidSpec::is_absent")]
    pub fluid: FluidSpec,
    /// Nozzles that add fluid while the simulation runs.
    #[serde(default, rename = "emitter", skip_serializing_if = "Vec::is_empty")]
    pub emitters: Vec<EmitterSpec>,
    /// Volumes that remove the fluid that enters them.
    #[serde(default, rename = "drain", skip_serializing_if = "Vec::is_empty")]
    pub drains: Vec<DrainSpec>,
    /// The solids.
    #[serde(default, rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodySpec>,
    /// Sheets of cloth.
    #[serde(default, rename = "cloth", skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<ClothSpec>,
    /// Elastic solids.
    #[serde(default, rename = "elastic", skip_serializing_if = "Vec::is_empty")]
    pub elastics: Vec<ElasticSpec>,
    /// Joints between the solids.
    #[serde(default, rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint>,
    /// How bodies that move freely are simulated.
    #[serde(default, skip_serializing_if = "SolidsSpec::is_default")]
    pub solids: SolidsSpec,
    /// What is written for every frame.
    #[serde(default)]
    pub output: Output,
    /// Where pictures are taken from.
    #[serde(default, skip_serializing_if = "CameraSpec::is_default")]
    pub camera: CameraSpec,
    /// The light of pictures.
    #[serde(default, skip_serializing_if = "LightSpec::is_default")]
    pub light: LightSpec,
    /// When the state is saved for a restart.
    #[serde(default)]
    pub checkpoint: CheckpointSpec,
    /// What is recorded besides the frames.
    #[serde(default)]
    pub observe: Observe,
    /// What the run is expected to show.
    #[serde(default, rename = "claim", skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Variants of the scene: tables of keys that change, chosen by `--set detail=NAME` and merged before the scene is
    /// checked. What was merged is the scene, so this is empty in a scene that has been read.
    #[serde(default, skip_serializing)]
    #[schemars(with = "BTreeMap<String, serde_json::Map<String, serde_json::Value>>")]
    pub detail: BTreeMap<String, toml::Table>,
}

impl Scene {
    /// Writes the scene as TOML with every default filled in. Reading it again gives an equal scene.
    ///
    /// # Errors
    /// If a mesh path is not valid UTF-8. This cannot happen with a scene that came out of [`crate::load`].
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// Whether forces and contacts move any body.
    #[must_use]
    pub fn has_dynamics(&self) -> bool {
        self.bodies.iter().any(|body| body.dynamics.is_some())
    }

    /// Whether anything deforms.
    #[must_use]
    pub fn has_deformables(&self) -> bool {
        !self.cloths.is_empty() || !self.elastics.is_empty()
    }

    /// Every path of a mesh in the scene, in the order of the file.
    pub fn mesh_paths(&self) -> impl Iterator<Item = &std::path::Path> {
        let sources = self.fluid.sources.iter().filter_map(|source| match &source.shape {
            SourceShape::Mesh(mesh) => Some(mesh.path.as_path()),
            _ => None,
        });
        let bodies = self.bodies.iter().filter_map(|body| match &body.shape {
            BodyShape::Mesh(mesh) => Some(mesh.path.as_path()),
            _ => None,
        });
        let cloths = self.cloths.iter().filter_map(|cloth| cloth.path.as_deref());
        let elastics = self.elastics.iter().filter_map(|elastic| elastic.path.as_deref());
        sources.chain(bodies).chain(cloths).chain(elastics)
    }
}

fn default_dimension() -> Dimension {
    Dimension::Three
}

fn default_gravity() -> Vec3 {
    [0.0, -9.81, 0.0]
}

fn dimension_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": [2, 3] })
}

/// A dimension is written as the number of its coordinates.
mod dimension_number {
    use super::Dimension;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub fn serialize<S: Serializer>(dimension: &Dimension, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(dimension.count())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Dimension, D::Error> {
        match u32::deserialize(deserializer)? {
            2 => Ok(Dimension::Two),
            3 => Ok(Dimension::Three),
            other => Err(D::Error::custom(format!("a scene has 2 or 3 dimensions, not {other}"))),
        }
    }
}
