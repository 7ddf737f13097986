//! Solids of Meniscus: rigid bodies that collide, slide, roll and stack, cloth and elastic solids, and motions that are prescribed.
//!
//! Nothing here knows a fluid. A driver sees [`Solids`](meniscus_core::Solids): how they will move, how they take impulses and
//! answer them. Behind it are [`RigidSolids`], whose engine is [`RigidBodies`], made from [`BodyParams`] and [`JointParams`], or
//! Rapier; [`DeformableSolids`], made from [`DeformableParams`]; and [`ScriptedBodies`], which follow a [`script`]: it says where
//! something with a known motion is at any time, and is useful alone.

mod deformable;
#[cfg(feature = "rapier")]
pub mod rapier;
mod rigid;
mod schedule;
pub mod script;

pub use deformable::{
    DeformableBody, DeformableParams, DeformableSolids, ElasticMaterial, ElementOrder, Energies, Pin,
    PinPlace, Structure, box_of_tetrahedra, contact,
};
pub use meniscus_core::{SolidError, SolidReport};
pub use rigid::{
    BodyParams, BodyState, BodyType, ColliderGeometry, ColliderShape, JointParams, JointType, MeshCollider,
    Motor, RigidBodies, RigidEngine, RigidParams, RigidSolids, RigidState, SurfaceMaterial,
};
pub use schedule::{KinematicUntil, PiecewiseLinear, Schedule};
pub use script::ScriptedBodies;
