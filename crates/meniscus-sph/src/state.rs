//! What a restart of a fluid needs.

use crate::fixed::FixedFrame;
use crate::particles::Particles;
use crate::setup::SphSetup;
use crate::source::EmitterState;
use crate::step::Pace;
use glam::DVec3;
use meniscus_core::StateError;
use serde::{Deserialize, Serialize};

/// Running figures of a whole run, for its summary. They depend on the steps alone, never on the clock.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Sum over steps of the number of particles.
    pub particle_steps: u64,
    /// Sum over steps of pressure sweeps.
    pub pressure_sweeps: u64,
    /// Sum over steps of divergence sweeps.
    pub divergence_sweeps: u64,
    /// Sum over steps of the mean compression `[1]`.
    pub density_error_sum: f64,
    /// Largest compression of any particle in any step `[1]`.
    pub density_error_max: f64,
    /// Largest mean residual of the pressure solve in any step `[1]`.
    pub pressure_residual_max: f64,
    /// Steps in which a solve ended above its tolerance.
    pub unconverged_steps: u64,
    /// Steps begun again with half their length.
    pub retries: u64,
    /// Particles that drains have removed.
    pub drained: u64,
    /// Particles that have left the world.
    pub departed: u64,
    /// Where and when the largest compression was found.
    pub densest: Densest,
}

/// The particle of the largest compression of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Densest {
    /// Its id.
    pub particle: u64,
    /// Where it was `[m]`.
    pub place: DVec3,
    /// When that was `[s]`.
    pub time: f64,
}

/// The state of a fluid: all that a restart needs, and nothing that can be derived from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SphState {
    /// The fixed-point frame of the neighbour sweeps. It follows the fluid with a memory, so it is state.
    pub frame: FixedFrame,
    /// The particles.
    pub particles: Particles,
    /// One entry per emitter.
    pub emitters: Vec<EmitterState>,
    /// Mean compression that the last density solve predicted `[1]`.
    pub predicted_error: f64,
    /// By how much the true mean compression has lately exceeded the predicted one, over dt² `[1/s²]`. A density solve sees the
    /// change of density to first order in time; aiming lower by this much keeps the result within the scene's tolerance.
    pub prediction_gap: f64,
    /// Share of the length that motion allows for a step: less than one after steps that failed or were expensive `[1]`.
    pub step_scale: f64,
    /// What of the particles limits the next step; nothing before the first, and where steps do not adapt.
    pub pace: Option<Pace>,
    /// Running figures.
    pub totals: Totals,
}

impl SphState {
    /// Copies another state into the lists of this one.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        // All by name, so that none is forgotten.
        let Self { frame, particles, emitters, predicted_error, prediction_gap, step_scale, pace, totals } =
            other;
        self.pace = *pace;
        (self.predicted_error, self.prediction_gap) = (*predicted_error, *prediction_gap);
        (self.frame, self.step_scale, self.totals) = (*frame, *step_scale, totals.clone());
        self.particles.clone_from(particles);
        self.emitters.clone_from(emitters);
    }
}

impl SphState {
    /// Appends the state; equal states give equal bytes.
    ///
    /// # Errors
    /// When the encoder fails, which it does only for lack of memory.
    pub fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StateError> {
        let failed = |error: postcard::Error| StateError(error.to_string());
        // Sized in advance: growing by doubling would take up to half as much memory again.
        bytes.reserve_exact(postcard::experimental::serialized_size(self).map_err(failed)?);
        *bytes = postcard::to_extend(self, std::mem::take(bytes)).map_err(failed)?;
        Ok(())
    }

    /// The state that `bytes` describe.
    ///
    /// # Errors
    /// When the bytes are not a state.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        postcard::from_bytes(bytes).map_err(|error| StateError(error.to_string()))
    }

    /// Refuses a state that belongs to another fluid.
    pub(crate) fn check(&self, setup: &SphSetup) -> Result<(), StateError> {
        let Particles { position, velocity, id, density_warm, divergence_warm, pressure, .. } =
            &self.particles;
        let columns = [velocity.len(), id.len(), density_warm.len(), divergence_warm.len(), pressure.len()];
        if columns.iter().any(|&n| n != position.len()) {
            return Err(StateError("its columns have different lengths".to_owned()));
        }
        if self.emitters.len() != setup.emitters.len() {
            return Err(StateError("it has another number of emitters".to_owned()));
        }
        Ok(())
    }
}
