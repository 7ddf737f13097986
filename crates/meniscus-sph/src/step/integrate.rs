//! New velocities and positions, and what is refused of them.

use crate::fluid::{Scratch, SphFluid};
use crate::state::SphState;
use glam::DVec3;
use meniscus_core::{Failure, Phase, SimulationError, StepContext, Subject, reduce};
use rayon::prelude::*;

impl SphFluid {
    /// New velocities and positions, beside the old ones until they are checked.
    pub(crate) fn move_particles(&mut self, step: &StepContext) {
        let SphState { particles, emitters, .. } = &self.state;
        let Scratch { open, change, position, velocity, .. } = &mut self.scratch;
        open.clear();
        let states = self.emitters.iter().zip(emitters).enumerate();
        let time = step.clock.time;
        open.extend(states.filter(|(_, (emitter, state))| emitter.is_open(state, time)).map(|(n, _)| n));
        let moved = particles.position.par_iter().zip(&particles.velocity).zip(change);
        moved
            .with_min_len(4096)
            .map(|((&x, &v), change)| {
                let prescribed = open.iter().find_map(|&n| self.emitters[n].prescribed_velocity(x));
                let v = prescribed.unwrap_or_else(|| v + change.as_dvec3());
                (x + step.dt * v, v)
            })
            .unzip_into_vecs(position, velocity);
    }

    /// Refuses new values that are not finite.
    pub(crate) fn check_finite(&self, step: &StepContext) -> Result<(), SimulationError> {
        let Scratch { position, velocity, .. } = &self.scratch;
        // Not the first one at once: a look at all of a chunk is faster than one that may end anywhere.
        let chunks = position.par_chunks(reduce::CHUNK).zip(velocity.par_chunks(reduce::CHUNK));
        let intact = |(x, v): (&[DVec3], &[DVec3])| {
            x.iter().zip(v).fold(true, |intact, (x, v)| intact & x.is_finite() & v.is_finite())
        };
        if !chunks.all(intact) {
            let broken = |i: &usize| !(position[*i].is_finite() && velocity[*i].is_finite());
            let i = (0..position.len()).find(broken).unwrap_or_default();
            let id = self.state.particles.id[i];
            let reason =
                "its position or velocity is not a finite number; a shorter step may help".to_owned();
            return Err(step.error(Phase::Check, Subject::Particle(id), Failure::NotFinite, reason));
        }
        Ok(())
    }
}
