//! Solids of Meniscus: rigid bodies that collide, slide, roll and stack, and motions that are prescribed.
//!
//! Nothing here knows a fluid. A driver sees [`Solids`]: where bodies are, what they feel, how they answer. Behind it are
//! [`RigidBodies`], made from [`BodyParams`] and [`JointParams`]. [`script`] says where something with a known motion
//! is at any time, and is useful alone.

mod answer;
mod body;
mod contact;
mod detect;
mod error;
mod integrate;
mod island;
mod joint;
mod memory;
#[cfg(feature = "rapier")]
pub mod rapier;
mod rigid;
mod schedule;
pub mod script;
pub mod shape;
mod solids;
mod step;

pub use body::{BodyKind, BodyParams, BodyState, Material};
pub use error::SolidError;
pub use joint::{JointKind, JointParams, Motor};
pub use rigid::{RigidBodies, RigidParams, RigidState};
pub use schedule::{Course, Lead, Schedule};
pub use shape::{Form, MeshBody, Shape};
pub use solids::{SolidReport, Solids};
