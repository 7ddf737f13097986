//! What is known of a step before it is taken.

use crate::{Dimension, Failure, Phase, SimulationError, StepPolicy, Subject, World};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How far a simulation has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Simulated time `[s]`.
    pub time: f64,
    /// Steps completed.
    pub step: u64,
    /// Length of the last step `[s]`.
    pub last_dt: f64,
}

/// One step, with every scalar that its phases share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepContext {
    /// Before it.
    pub clock: Clock,
    /// Its length `[s]`.
    pub dt: f64,
    /// The time at which it ends `[s]`.
    pub end: f64,
    /// Gravity `[m/s²]`.
    pub gravity: DVec3,
    /// Plane or space.
    pub dimension: Dimension,
    /// How many times it was begun again with half its length.
    pub retries: u32,
    /// The rule for its length.
    pub policy: StepPolicy,
    /// The space in which things are simulated.
    pub world: World,
}

impl StepContext {
    /// A step that begins now and has no length yet, in space without an end.
    #[must_use]
    pub fn new(clock: Clock, gravity: DVec3, dimension: Dimension, policy: StepPolicy) -> Self {
        Self {
            clock,
            dt: 0.0,
            end: clock.time,
            gravity,
            dimension,
            retries: 0,
            policy,
            world: World::BOUNDLESS,
        }
    }

    /// The same in a world.
    #[must_use]
    pub fn within(self, world: World) -> Self {
        Self { world, ..self }
    }

    /// The same that ends at `end` `[s]` after `dt` `[s]`.
    #[must_use]
    pub fn lasting(self, dt: f64, end: f64) -> Self {
        Self { dt, end, ..self }
    }

    /// An error in this step.
    #[must_use]
    pub fn error(&self, phase: Phase, subject: Subject, failure: Failure, reason: String) -> SimulationError {
        let Clock { step, time, .. } = self.clock;
        SimulationError { phase, step: step + 1, time, subject, failure, reason }
    }
}
