//! New velocities and positions, and what is refused of them.

use crate::fluid::{Scratch, SphFluid};
use crate::state::SphState;
use glam::DVec3;
use meniscus_core::{Balance, Failure, Phase, SimulationError, StepContext, Subject, reduce};
use rayon::prelude::*;

/// Mean compression that no scene means, whatever its solver: a liquid at half its volume `[1]`.
const CRUSHED: f64 = 1.0;

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
        self.find_nozzle_work(step);
    }

    /// What open nozzles do in the step: they lead the particles in their mouths, whatever pushes these.
    fn find_nozzle_work(&mut self, step: &StepContext) {
        let Self { emitters, scratch, state, setup, .. } = self;
        let Scratch { open, change, nozzle_work, .. } = scratch;
        *nozzle_work = 0.0;
        if open.is_empty() {
            return;
        }
        let particles = &state.particles;
        let work = |i: usize| {
            let x = particles.position[i];
            let led = open.iter().find_map(|&n| emitters[n].prescribed_velocity(x));
            led.map_or(0.0, |led| {
                let free = particles.velocity[i] + change[i].as_dvec3();
                0.5 * (led.length_squared() - free.length_squared()) - step.dt * step.gravity.dot(led - free)
            })
        };
        *nozzle_work = setup.fluid.mass() * reduce::sum(particles.len(), work);
    }

    /// What the step has made of the fluid's energy.
    pub(crate) fn energy_balance(&self, step: &StepContext) -> Balance {
        let particles = &self.state.particles;
        let Scratch { position, velocity, nozzle_work, .. } = &self.scratch;
        let gained = |i: usize| {
            let kinetic = 0.5 * (velocity[i].length_squared() - particles.velocity[i].length_squared());
            kinetic - step.gravity.dot(position[i] - particles.position[i])
        };
        let mass = self.setup.fluid.mass();
        Balance {
            gained: mass * reduce::sum(particles.len(), gained),
            supplied: *nozzle_work,
            mass: mass * particles.len() as f64,
        }
    }

    /// Refuses to go on with fluid that is denser as a whole than any liquid can be.
    pub(crate) fn check_compression(&self, step: &StepContext) -> Result<(), SimulationError> {
        let mean = self.report.density_error_mean;
        if mean <= CRUSHED {
            return Ok(());
        }
        let reason = format!(
            "the fluid is compressed by {:.0} % in the mean, so what follows has nothing to do with a liquid; use a shorter step, let              solves go on for longer, and look for bodies that leave the fluid no room",
            100.0 * mean
        );
        Err(step.error(Phase::Check, Subject::Whole, Failure::Crushed { mean }, reason))
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
