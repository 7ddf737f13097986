//! Rigid bodies after \[Guendelman2006\], chapter 2.
//!
//! In reading order: [`body`] says what a body is, [`collider`] with what shape it meets others, [`joint`] what ties it to
//! them, [`mechanism`] how what is tied moves. [`bodies`] holds all of them and is the engine behind [`engine`], whose bodies are [`solids`] to fluids. [`step`] is a substep from top to
//! bottom; on its way it calls [`detect`] (who touches whom), [`island`] (who is solved with whom), [`contact`] (what they
//! exchange), [`contact_cache`] (from where the next substep starts) and [`integrate`] (how bodies turn). [`mobility`] is how a
//! body answers an impulse without a step, [`company`] who leaves the world together, [`energy`] what a step makes of energy.

mod bodies;
pub(crate) mod body;
pub(crate) mod collider;
mod company;
mod contact;
mod contact_cache;
mod detect;
mod energy;
pub(crate) mod engine;
mod integrate;
mod island;
mod joint;
mod mechanism;
mod mobility;
mod solids;
mod step;

pub use bodies::{RigidBodies, RigidParams, RigidState};
pub use body::{BodyParams, BodyState, BodyType, SurfaceMaterial};
pub use collider::{ColliderGeometry, ColliderShape, MeshCollider};
pub use engine::RigidEngine;
pub use joint::{JointParams, JointType, Motor};
pub use solids::RigidSolids;
