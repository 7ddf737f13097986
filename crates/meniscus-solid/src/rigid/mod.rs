//! Rigid bodies after \[Guendelman2006\], chapter 2.
//!
//! In reading order: [`body`] says what a body is and [`shape`] what others collide with, [`bodies`] holds all of them and is the
//! engine behind [`engine`], whose bodies are [`solids`] to fluids. [`step`] is a substep from top to bottom; on the way it calls [`detect`] (who
//! touches whom), [`contact`] and [`joint`] (what they exchange), [`island`] (who is solved with whom), [`memory`] (where the
//! next step starts) and [`integrate`] (how bodies turn). [`answer`] says how a body would answer an impulse, without a step.

mod answer;
mod bodies;
pub(crate) mod body;
mod contact;
mod detect;
pub(crate) mod engine;
mod integrate;
mod island;
mod joint;
mod memory;
pub mod shape;
mod solids;
mod step;

pub use bodies::{RigidBodies, RigidParams, RigidState};
pub use body::{BodyKind, BodyParams, BodyState, Material};
pub use engine::RigidEngine;
pub use joint::{JointKind, JointParams, Motor};
pub use shape::{Form, MeshBody, Shape};
pub use solids::RigidSolids;
