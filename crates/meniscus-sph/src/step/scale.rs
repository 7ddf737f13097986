//! Steps that adapt to what they cost and to what goes wrong (after \[Ihmsen2010\]).
//!
//! | here | paper |
//! | --- | --- |
//! | `step_scale` | the step over what the CFL condition allows |
//! | shock | the same |
//!
//! Departures: the paper shrinks and grows steps by the density error alone; here the number of sweeps is watched, which
//! says earlier that a solve becomes hard. It goes back two steps after a shock; here a step that shows a shock is
//! not taken: completed steps may have been written to disk. The constants are our own.

use crate::fluid::{SphFluid, SphReport};
use crate::setup::OnFailure;
use crate::source::Emitter;
use meniscus_core::{
    BodyId, Failure, Phase, SimulationError, Solids, Stage, StepContext, StepDemand, StepPolicy, Subject,
    reduce,
};

/// Factor on the scale after a step that was expensive `[1]`.
const SLOWER: f64 = 0.9;

/// Factor on the scale after a step that was cheap `[1]`.
const FASTER: f64 = 1.04;

/// Below this share of the sweeps that the scene asks for, a step was cheap `[1]`.
const CHEAP: f64 = 0.75;

/// How many times a step is halved at most: a millionth of it does not help either
/// `[1]`.
const MAX_RETRIES: u32 = 20;

/// The smallest scale `[1]`.
const MIN_SCALE: f64 = 1e-4;

/// A step after which something moves this much farther in a step than the CFL condition allows is a shock `[1]`.
const SHOCK_SPEED: f64 = 2.0;

/// Fluid whose mean compression is more than this bursts: it moves by the same way in any step, only faster in a shorter
/// one, and that is no shock `[1]`.
const BURST: f64 = 0.01;

/// A step that leaves some particle compressed by this much more than it found is a shock `[1]`.
const SHOCK_COMPRESSION: f64 = 0.1;

/// How many times a step is halved because something would fly beyond the reach of its row, where the scene does not ask for retries `[1]`.
const LEAP_RETRIES: u32 = 3;

impl SphFluid {
    /// What limits the next step.
    pub(crate) fn step_demand(&self, solids: &dyn Solids, step: &StepContext) -> StepDemand {
        let velocity = &self.state.particles.velocity;
        let fluid_speed = reduce::max(velocity.len(), 0.0, |i| velocity[i].length_squared()).sqrt();
        let nozzle_speed = self.emitters.iter().map(Emitter::speed).fold(0.0, f64::max);
        let signal = self.setup.signal_speed();
        StepDemand {
            spacing: self.setup.fluid.spacing,
            speed: fluid_speed.max(nozzle_speed).max(self.wall_speed(solids)) + signal,
            acceleration: step.gravity.length(),
            stable: self.setup.stable_step(&self.state.particles.position),
        }
    }

    /// The fastest that any body moves within the fluid's reach `[m/s]`.
    fn wall_speed(&self, solids: &dyn Solids) -> f64 {
        let speed = |(body, radius): (u32, &f64)| match solids.kinematics(BodyId(body)) {
            Some(now) => now.velocity.length() + now.angular_velocity.length() * radius,
            None => solids.speed(BodyId(body)),
        };
        (0..).zip(&self.radius).map(speed).fold(0.0, f64::max)
    }

    /// Whether a step that failed may be taken again with half its length, after the halvings that it has had.
    pub(crate) fn is_worth_retrying(&self, error: &SimulationError, step: &StepContext) -> bool {
        let asked = self.setup.on_failure == OnFailure::Retry;
        matches!(error.phase, Phase::Couple | Phase::Check)
            && if asked { step.retries < MAX_RETRIES } else { error.failure == Failure::Shock }
    }

    /// An error if the step shows a shock and can still be made shorter. Where the scene does not ask for retries, only a leap is one:
    /// what moves farther than the support radius meets what its row knows nothing of.
    pub(crate) fn detect_shock(&self, step: &StepContext) -> Result<(), SimulationError> {
        let StepPolicy::Cfl { factor, .. } = step.policy else { return Ok(()) };
        let asked = self.setup.on_failure == OnFailure::Retry;
        if !step.policy.may_halve(step.dt) || !asked && step.retries >= LEAP_RETRIES {
            return Ok(());
        }
        let velocity = &self.scratch.velocity;
        let speed = reduce::max(velocity.len(), 0.0, |i| velocity[i].length_squared()).sqrt();
        let allowed = if asked {
            SHOCK_SPEED * factor * self.setup.fluid.spacing
        } else {
            self.setup.fluid.kernel.support_radius
        } / step.dt;
        let worse = self.report.pressure.worst - self.report.density_error_max;
        let reason = if speed > allowed && self.report.density_error_mean < BURST {
            format!(
                "something is moving at {speed:.3e} m/s, where {allowed:.3e} m/s is too fast for the step"
            )
        } else if asked && worse > SHOCK_COMPRESSION {
            format!("a particle would be compressed by {worse:.3e} of the rest density")
        } else {
            return Ok(());
        };
        Err(step.error(Phase::Check, Subject::Whole, Failure::Shock, reason))
    }

    /// Chooses the scale of the next step from what this one was like.
    pub(crate) fn adapt_step_scale(&mut self, step: &StepContext) {
        let StepPolicy::Cfl { sweeps, .. } = step.policy else { return };
        let report = &self.report;
        let tolerance = self.solver.criterion(Stage::Density).map_or(f64::INFINITY, |c| c.tolerance);
        let needed = f64::from(report.pressure.sweeps);
        let wanted = sweeps.map_or(f64::INFINITY, f64::from);
        let expensive = needed > wanted || (sweeps.is_some() && report.density_error_mean > tolerance);
        let change = if step.retries > 0 {
            0.5_f64.powi(step.retries.cast_signed())
        } else if expensive {
            SLOWER
        } else if needed <= CHEAP * wanted {
            FASTER
        } else {
            1.0
        };
        self.state.step_scale = (self.state.step_scale * change).clamp(MIN_SCALE, 1.0);
    }

    /// Adds the step to the running figures.
    pub(crate) fn count(&mut self, step: &StepContext) {
        let SphReport { pressure, divergence, density_error_mean, density_error_max } = self.report;
        let totals = &mut self.state.totals;
        totals.particle_steps += self.state.particles.len() as u64;
        totals.pressure_sweeps += u64::from(pressure.sweeps);
        totals.divergence_sweeps += u64::from(divergence.sweeps);
        totals.density_error_sum += density_error_mean;
        totals.density_error_max = totals.density_error_max.max(density_error_max);
        totals.pressure_residual_max = totals.pressure_residual_max.max(pressure.residual);
        totals.retries += u64::from(step.retries);
        totals.unconverged_steps += u64::from(!(pressure.converged && divergence.converged));
    }
}
