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
use crate::particles::Particles;
use crate::setup::{OnFailure, standing_pressure};
use crate::source::Emitter;
use crate::step::Pace;
use glam::DVec3;
use meniscus_core::{
    BodyId, Failure, Limiter, Phase, SimulationError, Solids, Stage, StepContext, StepDemand, StepLimiter,
    StepPolicy, Subject, reduce,
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

/// Steps that are shorter than this share of what motion allows are so because of their scale `[1]`.
const MUCH_SHORTER: f64 = 0.5;

/// How many times a step is halved because something would fly beyond the reach of its row, where the scene does not ask for retries `[1]`.
const LEAP_RETRIES: u32 = 3;

impl SphFluid {
    /// What limits the next step.
    pub(crate) fn step_demand(&self, solids: &dyn Solids, step: &StepContext) -> StepDemand {
        let Pace { speed, standing_pressure, .. } = self.pace(step);
        StepDemand {
            spacing: self.setup.fluid.spacing,
            speed: speed.max(self.nozzle_speed()).max(self.wall_speed(solids)) + self.setup.signal_speed(),
            acceleration: step.gravity.length(),
            stable: self.setup.stable_step_under(standing_pressure),
        }
    }

    /// What of the particles limits the next step: before the first, when nobody has looked for neighbours, all of them.
    fn pace(&self, step: &StepContext) -> Pace {
        let of_all = || {
            let Particles { velocity, position, id, .. } = &self.state.particles;
            let square = reduce::max(velocity.len(), 0.0, |i| velocity[i].length_squared());
            let fastest = velocity.iter().position(|v| v.length_squared() >= square);
            Pace {
                speed: square.sqrt(),
                particle: fastest.map(|i| id[i]),
                standing_pressure: standing_pressure(position, step.gravity),
                flights: false,
            }
        };
        self.state.pace.unwrap_or_else(of_all)
    }

    fn nozzle_speed(&self) -> f64 {
        self.emitters.iter().map(Emitter::speed).fold(0.0, f64::max)
    }

    /// The fastest that any body moves within the fluid's reach `[m/s]`.
    fn wall_speed(&self, solids: &dyn Solids) -> f64 {
        self.fastest_wall(solids).map_or(0.0, |(_, speed)| speed)
    }

    /// The body that may move fastest, and how fast `[m/s]`.
    fn fastest_wall(&self, solids: &dyn Solids) -> Option<(BodyId, f64)> {
        let speed = |(body, radius): (u32, &f64)| {
            let body = BodyId(body);
            let speed = match solids.kinematics(body) {
                Some(now) => now.velocity.length() + now.angular_velocity.length() * radius,
                None => solids.speed(body),
            };
            (body, speed)
        };
        let walls = (0..).zip(&self.radius).map(speed);
        walls.fold(None, |fastest: Option<(BodyId, f64)>, wall| match fastest {
            Some(fastest) if fastest.1 >= wall.1 => Some(fastest),
            _ => Some(wall),
        })
    }

    /// What limits the next step.
    pub(crate) fn find_limiter(
        &self,
        policy: &StepPolicy,
        solids: &dyn Solids,
        step: &StepContext,
    ) -> StepLimiter {
        let demand = self.step_demand(solids, step);
        let limit = policy.scaled_limit(&demand, self.state.step_scale);
        let alone = |demand: StepDemand| policy.limit(&demand);
        let still = StepDemand { speed: 0.0, acceleration: 0.0, stable: f64::INFINITY, ..demand };
        let by_speed = alone(StepDemand { speed: demand.speed, ..still });
        let by_gravity = alone(StepDemand { acceleration: demand.acceleration, ..still });
        let by_depth = alone(StepDemand { stable: demand.stable, ..still });
        let by_motion = policy.limit(&demand);
        let pace = self.pace(step);
        let what = if by_motion >= policy.longest() && limit >= by_motion {
            Limiter::Longest
        } else if self.state.step_scale < MUCH_SHORTER {
            Limiter::Scale { scale: self.state.step_scale }
        } else if by_speed <= by_gravity.min(by_depth) {
            self.fastest(&pace, solids)
        } else if by_depth <= by_gravity {
            let gravity = step.gravity.length().max(f64::MIN_POSITIVE);
            Limiter::Depth { depth: pace.standing_pressure / gravity }
        } else {
            Limiter::Gravity
        };
        StepLimiter { limit, what }
    }

    /// What moves fastest.
    fn fastest(&self, pace: &Pace, solids: &dyn Solids) -> Limiter {
        let (nozzle, signal) = (self.nozzle_speed(), self.setup.signal_speed());
        let wall = self.fastest_wall(solids).filter(|(_, speed)| *speed > pace.speed.max(nozzle));
        if signal > pace.speed.max(nozzle).max(wall.map_or(0.0, |(_, speed)| speed)) {
            return Limiter::Signal { speed: signal };
        }
        if let Some((body, speed)) = wall {
            let place = solids.kinematics(body).map_or(DVec3::ZERO, |now| now.pose.translation);
            return Limiter::Body { body, place, speed };
        }
        if nozzle > pace.speed {
            return Limiter::Nozzle { speed: nozzle };
        }
        let particles = &self.state.particles;
        let id = pace.particle.unwrap_or_default();
        let place = particles.id.iter().position(|own| *own == id).map(|i| particles.position[i]);
        Limiter::Particle { id, place: place.unwrap_or_default(), speed: pace.speed }
    }

    /// Whether a step that failed may be taken again with half its length, after the halvings that it has had.
    pub(crate) fn is_worth_retrying(&self, error: &SimulationError, step: &StepContext) -> bool {
        let asked = self.setup.on_failure == OnFailure::Retry;
        matches!(error.phase, Phase::Couple | Phase::Check)
            && !matches!(error.failure, Failure::Crushed { .. })
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
        let (velocity, flights) = (&self.scratch.velocity, self.flights(step));
        // The ways of flights were looked at.
        let square = |i: usize| if flights.contains(i) { 0.0 } else { velocity[i].length_squared() };
        let speed = reduce::max(velocity.len(), 0.0, square).sqrt();
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
        let SphReport { pressure, divergence, density_error_mean, density_error_max, densest } = self.report;
        let totals = &mut self.state.totals;
        totals.densest = densest.unwrap_or(totals.densest);
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
