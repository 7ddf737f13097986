//! Rigid bodies: scenes with known answers, and heaps to measure.

pub mod cases;
pub mod heap;
pub mod shapes;

use anyhow::Result;
use meniscus_solid::rapier::{RapierBodies, RapierParams};
use meniscus_solid::{BodyParams, RigidBodies, RigidEngine, RigidParams};

/// An engine behind the seam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Ours.
    Meniscus,
    /// The peer.
    Rapier,
}

impl Engine {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Meniscus => "Meniscus",
            Self::Rapier => "Rapier",
        }
    }

    /// The bodies behind the seam, with steps of at most `max_step` `[s]` for Rapier.
    ///
    /// # Errors
    /// If the engine refuses a body.
    pub fn build(
        self,
        bodies: &[BodyParams],
        gravity: glam::DVec3,
        max_step: f64,
    ) -> Result<Box<dyn RigidEngine>> {
        Ok(match self {
            Self::Meniscus => {
                let params = RigidParams { gravity, ..RigidParams::default() };
                Box::new(RigidBodies::new(params, bodies.to_vec(), &[])?)
            }
            Self::Rapier => {
                let params = RapierParams { gravity, max_step, ..RapierParams::default() };
                Box::new(RapierBodies::new(params, bodies.to_vec(), &[])?)
            }
        })
    }
}
