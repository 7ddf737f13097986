//! Sources, and who is near whom.

use crate::fixed::FixedFrame;
use crate::fluid::{SphFluid, SphReport, bounds};
use crate::neighbourhood::Surroundings;
use crate::source::{drain, remove};
use crate::state::{Densest, SphState};
use glam::{DVec3, Vec3};
use meniscus_core::{Exchange, Failure, Interface, Phase, SimulationError, StepContext, Subject, World};
use rayon::prelude::*;

/// What a step leaves of the prediction gap at least, if it is not found again `[1]`.
const GAP_MEMORY: f64 = 0.95;

impl SphFluid {
    /// Emitters and drains; `strays` tells whether particles have left the world.
    pub(crate) fn pour_and_drain(&mut self, step: &StepContext, strays: bool) {
        let SphState { particles, emitters, totals, .. } = &mut self.state;
        for (emitter, state) in self.emitters.iter().zip(emitters) {
            emitter.emit(state, particles, step.clock.time);
        }
        if !self.setup.drains.is_empty() {
            totals.drained += drain(particles, &self.setup.drains) as u64;
        }
        if strays {
            totals.departed += remove(particles, |x| step.world.is_left_by(x)) as u64;
        }
    }

    /// Whether a particle has left the world.
    pub(crate) fn has_strays(&self, world: World) -> bool {
        let position = &self.state.particles.position;
        world.is_bounded() && position.par_iter().with_min_len(4096).any(|&x| world.is_left_by(x))
    }

    /// Neighbours, boundary rows, densities.
    pub(crate) fn find_neighbours(
        &mut self,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        self.fit_frame(step, exchange.interface)?;
        let SphState { frame, particles, .. } = &mut self.state;
        let mut around = Surroundings {
            boundary: &mut self.boundary,
            bodies: &exchange.interface.motion,
            points: &mut self.points,
            gravity: step.gravity,
        };
        self.neighbourhood.rebuild(&self.setup.fluid, frame, particles, &mut around);
        let (mean, max) = self.neighbourhood.density_error();
        let densest = if max > self.state.totals.density_error_max { self.find_densest(step) } else { None };
        self.report =
            SphReport { density_error_mean: mean, density_error_max: max, densest, ..SphReport::default() };
        let SphState { predicted_error, prediction_gap, .. } = &mut self.state;
        let last_dt = step.clock.last_dt;
        let gap = (mean - *predicted_error) / (last_dt * last_dt).max(f64::MIN_POSITIVE);
        *prediction_gap = gap.max(GAP_MEMORY * *prediction_gap);
        Ok(())
    }

    /// The particle of the largest density.
    fn find_densest(&self, step: &StepContext) -> Option<Densest> {
        let (density, particles) = (&self.neighbourhood.density, &self.state.particles);
        let i = (0..density.len()).max_by(|&a, &b| density[a].total_cmp(&density[b]).then(b.cmp(&a)))?;
        Some(Densest { particle: particles.id[i], place: particles.position[i], time: step.clock.time })
    }

    /// Widens the fixed-point frame when fluid is about to leave it.
    fn fit_frame(&mut self, step: &StepContext, interface: &Interface) -> Result<(), SimulationError> {
        let SphState { frame, particles, .. } = &mut self.state;
        let rigid = interface.motion.iter().zip(&self.radius).filter_map(|(m, r)| Some((m.rigid()?, *r)));
        let moving = rigid.filter(|(body, _)| body.start != body.end);
        let corners = moving.flat_map(|(body, radius)| {
            [-radius, radius].map(|r| body.start.pose.translation + DVec3::splat(r))
        });
        if particles.position.par_iter().with_min_len(4096).all(|&x| frame.contains(x))
            && corners.clone().all(|x| frame.contains(x))
        {
            return Ok(());
        }
        let outside = particles.position.iter().position(|&x| !frame.contains(x)).unwrap_or(0);
        let points = self.points.position.iter().copied();
        let points = points.chain(particles.position.iter().copied()).chain(corners);
        let wider = bounds(points).and_then(|(min, max)| FixedFrame::covering(min, max, frame.cell));
        let Some(wider) = wider else {
            let subject = particles.id.get(outside).map_or(Subject::Whole, |&id| Subject::Particle(id));
            let reason = "flew out of reach; a drain or a closed container would stop it".to_owned();
            return Err(step.error(Phase::Contact, subject, Failure::OutOfReach, reason));
        };
        *frame = wider;
        Ok(())
    }

    /// Begins the step's velocities with those of its start.
    pub(crate) fn begin_velocities(&mut self) {
        self.scratch.change.clear();
        self.scratch.change.resize(self.state.particles.len(), Vec3::ZERO);
        self.update_velocity_star();
    }

    pub(crate) fn update_velocity_star(&mut self) {
        let velocity = &self.state.particles.velocity;
        velocity
            .par_iter()
            .zip(&self.scratch.change)
            .with_min_len(4096)
            .map(|(v, change)| (v.as_vec3() + change).extend(0.0).to_array())
            .collect_into_vec(&mut self.scratch.velocity_star);
    }
}
