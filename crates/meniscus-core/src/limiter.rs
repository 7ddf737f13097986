//! What keeps adaptive steps short, for those who look on.

use crate::BodyId;
use glam::DVec3;

/// What limits the length of the next step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepLimiter {
    /// The longest step that it allows `[s]`.
    pub limit: f64,
    /// What it is.
    pub what: Limiter,
}

/// What may limit the length of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Limiter {
    /// A particle of the fluid moves fast.
    Particle {
        /// Its id.
        id: u64,
        /// Where it is `[m]`.
        place: DVec3,
        /// How fast it is `[m/s]`.
        speed: f64,
    },
    /// A body moves fast.
    Body {
        /// Which one.
        body: BodyId,
        /// Where it is `[m]`.
        place: DVec3,
        /// How fast its fastest point may be `[m/s]`.
        speed: f64,
    },
    /// Fluid comes fast out of an emitter.
    Nozzle {
        /// How fast it is `[m/s]`.
        speed: f64,
    },
    /// Sound, or what penalties throw back, is fast.
    Signal {
        /// How fast it is `[m/s]`.
        speed: f64,
    },
    /// Gravity, over a particle's spacing.
    Gravity,
    /// The pressure of the fluid at its lowest place.
    Depth {
        /// How deep the fluid is along gravity `[m]`.
        depth: f64,
    },
    /// Steps became shorter because solves were expensive, or were taken again.
    Scale {
        /// The share of what motion allows `[1]`.
        scale: f64,
    },
    /// The longest step that the scene allows.
    Longest,
}
