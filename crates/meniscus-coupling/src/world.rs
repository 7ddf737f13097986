use crate::free::Support;
use meniscus_core::StateHash;
use meniscus_geometry::Kinematics;
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::particles::Particles;
use meniscus_sph::source::EmitterState;
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
}

/// The state of a simulation: all that a restart needs, and nothing that can be derived from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Simulated time `[s]`.
    pub time: f64,
    /// Steps completed.
    pub step: u64,
    /// Length of the last step `[s]`.
    pub last_dt: f64,
    /// The fixed-point frame of the neighbour sweeps. It follows the fluid with a memory, so it is state.
    pub frame: FixedFrame,
    /// The fluid.
    pub particles: Particles,
    /// Where the bodies are, and how they move.
    pub bodies: Vec<Kinematics>,
    /// One entry per emitter.
    pub emitters: Vec<EmitterState>,
    /// Mean compression that the last density solve predicted `[1]`.
    pub predicted_error: f64,
    /// By how much the true mean compression has lately exceeded the predicted one, over dt² `[1/s²]`. A density solve sees the
    /// change of density to first order in time; aiming lower by this much keeps the result within the scene's tolerance.
    pub prediction_gap: f64,
    /// Share of the length that motion allows for a step: less than one after steps that failed or were dear `[1]`.
    pub pace: f64,
    /// What holds bodies that are free to move, besides gravity and fluid; one entry per body.
    pub support: Vec<Support>,
    /// Running figures.
    pub totals: Totals,
    /// The state of the solids' engine, as its own bytes; empty if no body moves freely. The engine holds the state while
    /// it runs, so this is filled by [`Simulation::state`](crate::Simulation::state) only.
    #[serde(skip)]
    pub solids: Vec<u8>,
}

impl World {
    /// Copies another state into the lists of this one.
    pub(crate) fn become_like(&mut self, other: &Self) {
        // All by name, so that none is forgotten.
        #[rustfmt::skip]
        let Self {
            time, step, last_dt, frame, particles, bodies, emitters, predicted_error, prediction_gap, pace, support, totals, solids,
        } = other;
        (self.time, self.step, self.last_dt, self.pace) = (*time, *step, *last_dt, *pace);
        (self.predicted_error, self.prediction_gap) = (*predicted_error, *prediction_gap);
        (self.frame, self.totals) = (*frame, totals.clone());
        self.particles.clone_from(particles);
        self.bodies.clone_from(bodies);
        self.emitters.clone_from(emitters);
        self.support.clone_from(support);
        self.solids.clone_from(solids);
    }

    /// The state as bytes; equal states give equal bytes.
    ///
    /// # Errors
    /// When the encoder fails, which it does only for lack of memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        // Sized in advance: growing by doubling would take up to half as much memory again.
        let length = postcard::experimental::serialized_size(self)? + self.solids.len();
        let mut bytes = postcard::to_extend(self, Vec::with_capacity(length))?;
        // The solids come last and need no length: states without any keep their bytes.
        bytes.extend_from_slice(&self.solids);
        Ok(bytes)
    }

    /// The state that `bytes` describe.
    ///
    /// # Errors
    /// When the bytes are not a state.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        let (world, solids) = postcard::take_from_bytes::<Self>(bytes)?;
        Ok(Self { solids: solids.to_vec(), ..world })
    }

    /// The fingerprint of the state.
    #[must_use]
    pub fn state_hash(&self) -> StateHash {
        StateHash::of_bytes(&self.to_bytes().unwrap_or_default())
    }
}
