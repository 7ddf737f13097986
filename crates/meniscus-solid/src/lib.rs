//! Solids of Meniscus: rigid bodies that collide, slide, roll and stack, and motions that are prescribed.
//!
//! Nothing here knows a fluid. A driver sees [`Solids`]: where bodies are, what they feel, how they answer. Behind it are
//! [`RigidBodies`], made from [`BodyParams`] and [`JointParams`]. [`script`] says where something with a known motion
//! is at any time, and is useful alone.

mod error;
#[cfg(feature = "rapier")]
pub mod rapier;
mod rigid;
mod schedule;
pub mod script;
mod solids;

pub use error::SolidError;
pub use rigid::{
    BodyKind, BodyParams, BodyState, Form, JointKind, JointParams, Material, MeshBody, Motor, RigidBodies,
    RigidParams, RigidState, Shape, shape,
};
pub use schedule::{Course, Lead, Schedule};
pub use solids::{SolidReport, Solids};
