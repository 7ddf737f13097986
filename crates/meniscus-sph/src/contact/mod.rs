//! Non-penetration: what pressure leaves undone at walls, behind one seam.
//!
//! In the order of a step: the approach of single particles to walls is limited ([`approach`]), contacts and repulsion act between
//! sweeps and end the fluid's part of the step ([`constraints`]), and what would end in closed matter all the same is put onto its
//! surface ([`project`]).

mod approach;
mod constraints;
mod project;

pub(crate) use constraints::{Constraints, WallContacts};
pub(crate) use project::Projection;

use glam::DVec3;
use meniscus_core::Wrench;

/// What a particle of this mass `[kg]` loses, and a body gains, when its position `[m]` and velocity `[m/s]` are set.
pub(crate) fn lost(before: (DVec3, DVec3), after: (DVec3, DVec3), mass: f64) -> Wrench {
    Wrench {
        impulse: mass * (before.1 - after.1),
        angular_impulse: mass * (before.0.cross(before.1) - after.0.cross(after.1)),
    }
}
