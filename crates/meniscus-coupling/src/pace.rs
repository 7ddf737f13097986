//! Steps that adapt to what they cost and to what goes wrong (after \[Ihmsen2010\]).
//!
//! | here | paper |
//! | --- | --- |
//! | `World::pace` | the step over what the CFL condition allows |
//! | shock | the same |
//!
//! Departures: the paper shrinks and grows steps by the density error alone; here the number of sweeps is watched, which
//! says earlier that a solve becomes hard. It goes back two steps after a shock; here a step that shows a shock is
//! not taken: completed steps may have been written to disk. The constants are our own.

use crate::setup::OnFailure;
use crate::simulation::Simulation;
use crate::step_size::StepPolicy;
use meniscus_core::{Failure, Phase, SimulationError, Subject, reduce};
use meniscus_sph::pressure::Stage;

/// Factors on the pace after a step that was dear, and after one that was cheap `[1]`.
const SLOWER: f64 = 0.9;
const FASTER: f64 = 1.04;

/// Below this share of the sweeps that the scene asks for, a step was cheap `[1]`.
const CHEAP: f64 = 0.75;

/// How many times a step is halved at most: a millionth of it does not help either.
const MAX_RETRIES: u32 = 20;

/// The smallest pace `[1]`.
const MIN_PACE: f64 = 1e-4;

/// A step after which something moves this much farther in a step than the CFL condition allows is a shock `[1]`.
const SHOCK_SPEED: f64 = 2.0;

/// Fluid whose mean compression is more than this bursts: it moves by the same way in any step, only faster in a shorter
/// one, and that is no shock `[1]`.
const BURST: f64 = 0.01;

/// A step that leaves some particle compressed by this much more than it found is a shock `[1]`.
const SHOCK_COMPRESSION: f64 = 0.1;

/// How many times a step is halved because something would fly beyond the reach of its row, where the scene does not ask for retries.
const LEAP_RETRIES: u32 = 3;

impl Simulation {
    /// Whether a step of length `dt` `[s]` that failed may be taken again with half of it, after `retries` halvings.
    pub(crate) fn may_retry(&self, error: &SimulationError, dt: f64, retries: u32) -> bool {
        let asked = self.setup.on_failure == OnFailure::Retry;
        matches!(error.phase, Phase::Couple | Phase::Check)
            && self.can_halve(dt)
            && if asked { retries < MAX_RETRIES } else { error.failure == Failure::Shock }
    }

    fn can_halve(&self, dt: f64) -> bool {
        matches!(self.setup.step, StepPolicy::Cfl { min, .. } if 0.5 * dt >= min)
    }

    /// An error if the step shows a shock and can still be made shorter. Where the scene does not ask for retries, only a leap is one:
    /// what moves farther than the support radius meets what its row knows nothing of.
    pub(crate) fn look_for_shock(&self, dt: f64, retries: u32) -> Result<(), SimulationError> {
        let StepPolicy::Cfl { factor, .. } = self.setup.step else { return Ok(()) };
        let asked = self.setup.on_failure == OnFailure::Retry;
        if !self.can_halve(dt) || !asked && retries >= LEAP_RETRIES {
            return Ok(());
        }
        let velocity = &self.scratch.velocity;
        let speed = reduce::max(velocity.len(), 0.0, |i| velocity[i].length_squared()).sqrt();
        let allowed = if asked {
            SHOCK_SPEED * factor * self.setup.fluid.spacing
        } else {
            self.setup.fluid.kernel.support_radius
        } / dt;
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
        Err(self.error(Phase::Check, Subject::Whole, Failure::Shock, reason))
    }

    /// Chooses the pace of the next step from what this one was like.
    pub(crate) fn keep_pace(&mut self) {
        let StepPolicy::Cfl { sweeps, .. } = self.setup.step else { return };
        let report = &self.report;
        let tolerance = self.solver.criterion(Stage::Density).map_or(f64::INFINITY, |c| c.tolerance);
        let needed = f64::from(report.pressure.sweeps);
        let wanted = sweeps.map_or(f64::INFINITY, f64::from);
        let dear = needed > wanted || (sweeps.is_some() && report.density_error_mean > tolerance);
        let change = if report.retries > 0 {
            0.5_f64.powi(report.retries.cast_signed())
        } else if dear {
            SLOWER
        } else if needed <= CHEAP * wanted {
            FASTER
        } else {
            1.0
        };
        self.world.pace = (self.world.pace * change).clamp(MIN_PACE, 1.0);
    }
}
