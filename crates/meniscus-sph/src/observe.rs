//! Figures of the current state: energies, momenta, escaped particles, frames.

use crate::fluid::SphFluid;
use crate::state::SphState;
use crate::stress::Virial;
use glam::DVec3;
use meniscus_core::{BodyId, ParticleFrame, SeriesRow, Solids, StepContext, reduce};
use meniscus_geometry::Solid;

/// How deep a particle may be in a body that moves, in spacings: joints and contacts of a step may take the body a little farther than the
/// fluid was told `[1]`.
const ESCAPE_DEPTH: f64 = 1e-3;

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    kinetic: f64,
    potential: f64,
    momentum: DVec3,
    angular: DVec3,
}

impl SphFluid {
    pub(crate) fn fill_series_row(&self, step: &StepContext, row: &mut SeriesRow) {
        let particles = &self.state.particles;
        let mass = self.setup.fluid.mass();
        let gravity = step.gravity;
        let sums = reduce::by_chunk(
            particles.len(),
            Sums::default(),
            |range| {
                range.fold(Sums::default(), |mut sums, i| {
                    let (x, v) = (particles.position[i], particles.velocity[i]);
                    sums.kinetic += 0.5 * mass * v.length_squared();
                    sums.potential -= mass * gravity.dot(x);
                    sums.momentum += mass * v;
                    sums.angular += mass * x.cross(v);
                    sums
                })
            },
            |a, b| Sums {
                kinetic: a.kinetic + b.kinetic,
                potential: a.potential + b.potential,
                momentum: a.momentum + b.momentum,
                angular: a.angular + b.angular,
            },
        );
        let report = &self.report;
        row.particles = particles.len() as u64;
        row.kinetic_energy = sums.kinetic;
        row.potential_energy = sums.potential;
        row.momentum = sums.momentum;
        row.angular_momentum = sums.angular;
        row.density_error_mean = report.density_error_mean;
        row.density_error_max = report.density_error_max;
        row.pressure_sweeps = report.pressure.sweeps;
        row.divergence_sweeps = report.divergence.sweeps;
        row.pressure_residual = report.pressure.residual;
        row.divergence_residual = report.divergence.residual;
    }

    /// Number of particles inside solids, outside of closed containers or under the floor of open ones.
    pub(crate) fn count_escaped(&self, step: &StepContext, solids: &dyn Solids) -> u64 {
        let position = &self.state.particles.position;
        let (dimension, up) = (step.dimension, -step.gravity);
        let here = |(k, wall): (u32, &crate::setup::Wall)| {
            let now = solids.kinematics(BodyId(k)).filter(|_| solids.is_present(BodyId(k)))?;
            let moves = now.velocity != DVec3::ZERO;
            let skin = if moves { ESCAPE_DEPTH * self.setup.fluid.spacing } else { 0.0 };
            Some((wall.solid.as_ref()?.at(now.pose), skin))
        };
        let (closed, open): (Vec<(Solid, f64)>, Vec<_>) =
            (0..).zip(&self.setup.walls).filter_map(here).partition(|(solid, _)| solid.is_closed());
        let is_out = |x: DVec3| {
            closed.iter().any(|(solid, skin)| solid.signed_distance(x, dimension) < -skin)
                || open.iter().any(|(solid, _)| solid.way_to_floor(x, up).is_some())
        };
        reduce::by_chunk(
            position.len(),
            0,
            |range| range.filter(|&i| is_out(position[i])).count() as u64,
            |a, b| a + b,
        )
    }

    /// The pressure that each particle exerted in the last step, by which momentum goes through the fluid, in the order of the particles
    /// `[Pa]`. Uses scratch, as [`Fluid::snapshot`](meniscus_core::Fluid::snapshot) does.
    pub fn pressures(&mut self, step: &StepContext, solids: &dyn Solids) -> Vec<f32> {
        self.rebuild_for_observation(step, solids);
        self.acting_pressures()
    }

    /// The same for neighbourhoods that have just been found.
    fn acting_pressures(&self) -> Vec<f32> {
        let particles = &self.state.particles;
        let position: Vec<DVec3> =
            self.neighbourhood.order().iter().map(|&i| particles.position[i as usize]).collect();
        let virial = Virial {
            neighbourhood: &self.neighbourhood,
            kernel: &self.setup.fluid.kernel,
            position: &position,
            points: &self.points,
        };
        let share = self.by_particle(&virial.shares(), 1.0);
        particles.pressure.iter().zip(share).map(|(pressure, share)| pressure * share).collect()
    }

    /// A column of `neighbourhood` after a look around, times a factor, in the order of the particles.
    fn by_particle(&self, column: &[f32], factor: f32) -> Vec<f32> {
        let mut sorted = vec![0.0; column.len()];
        for (&i, value) in self.neighbourhood.order().iter().zip(column) {
            sorted[i as usize] = value * factor;
        }
        sorted
    }

    /// The current particles, with densities at their current positions, in whatever order they are.
    pub(crate) fn particle_frame(
        &mut self,
        index: u32,
        step: &StepContext,
        solids: &dyn Solids,
    ) -> ParticleFrame {
        let rest = self.setup.fluid.rest_density as f32;
        self.rebuild_for_observation(step, solids);
        let density = self.by_particle(&self.neighbourhood.density, rest);
        let pressure = self.acting_pressures();
        let SphState { particles, .. } = &self.state;
        ParticleFrame {
            index,
            step: step.clock.step,
            time: step.clock.time,
            id: particles.id.clone(),
            position: particles.position.clone(),
            velocity: particles.velocity.clone(),
            density,
            pressure,
        }
    }
}
