//! The two pressure solves.

use crate::boundary::BoundaryRows;
use crate::contact::Constraints;
use crate::fluid::SphFluid;
use crate::pressure::{SolveContext, StageReport, SweepCoupling, WallPressure, solve};
use crate::setup::OnFailure;
use glam::Vec3;
use meniscus_core::{
    Answering, CarrierLinks, Carriers, Exchange, Failure, Phase, SimulationError, Stage, StepContext, Subject,
};
use rayon::prelude::*;

/// How much of the observed gap between predicted and true compression a solve makes up for `[1]`.
const GAP_MARGIN: f64 = 1.6;

/// What acts between two sweeps: contacts change accelerations, and solids answer.
struct StepCoupling<'a> {
    contacts: Constraints<'a>,
    carriers: &'a Carriers,
    links: &'a mut CarrierLinks,
    answering: Answering<'a>,
    rows: &'a BoundaryRows,
    /// Of a particle `[kg]`.
    mass: f64,
    /// `[s]`
    dt: f64,
}

impl SweepCoupling for StepCoupling<'_> {
    fn constrain(&mut self, acceleration: &mut [[f32; 4]]) {
        self.contacts.constrain(acceleration, self.carriers);
    }

    fn respond(&mut self, stage: Stage, pressure: &[f32]) -> &[f32] {
        let Self { carriers, links, answering, rows, mass, dt, .. } = self;
        let exerted = |i: usize| WallPressure::new(stage, pressure[i], &rows.sum[i]).parts();
        let Answering { solids, response, loads } = answering;
        let answering = Answering { solids: &mut **solids, response, loads };
        links.density_change(carriers, exerted, *mass * *dt, *dt, answering)
    }

    fn firm(&self) -> Vec<(u32, Vec3)> {
        self.contacts.firm()
    }
}

/// The least and the most of the tolerance that is kept for this gap `[1]`.
const GAP_SHARE: [f64; 2] = [0.25, 0.8];

impl SphFluid {
    pub(crate) fn solve_stage(
        &mut self,
        stage: Stage,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<StageReport, SimulationError> {
        let Some(mut criterion) = self.solver.criterion(stage) else {
            return Ok(StageReport { converged: true, ..StageReport::default() });
        };
        let dt = self.kick(step);
        if stage == Stage::Density && criterion.tolerance.is_finite() {
            let gap = GAP_MARGIN * self.state.prediction_gap * dt * dt;
            criterion.tolerance -=
                gap.clamp(GAP_SHARE[0] * criterion.tolerance, GAP_SHARE[1] * criterion.tolerance);
        }
        let velocity = &self.scratch.velocity_star;
        let context = SolveContext {
            neighbourhood: &self.neighbourhood,
            velocity,
            dt,
            relief: self.setup.relief(dt),
            gravity: step.gravity.length(),
        };
        let (density, mass) = (self.setup.fluid.rest_density, self.setup.fluid.mass());
        let mut coupling = StepCoupling {
            contacts: self.contacts.constraints(stage, velocity, mass, dt),
            carriers: &self.carriers,
            links: &mut self.links,
            answering: Answering {
                solids: &mut *exchange.solids,
                response: &mut *exchange.response,
                loads: &exchange.interface.load,
            },
            rows: &self.neighbourhood.boundary,
            mass,
            dt,
        };
        let particles = &mut self.state.particles;
        let report =
            solve(self.solver.as_mut(), stage, criterion, context, particles, density, &mut coupling);
        self.contacts.load(stage, &self.points, &mut exchange.interface.load, mass, dt);
        let failed = match self.setup.on_failure {
            OnFailure::Accept => false,
            OnFailure::Stop => !report.converged,
            // What is left of compression shrinks with the step; what is left of the acceleration does not.
            OnFailure::Retry => report.residual > criterion.tolerance,
        };
        if failed {
            let reason = format!(
                "the {stage:?} solve stopped after {} sweeps with a mean error of {:.3e} and {:.1} % of the acceleration \
                 missing; allow more sweeps, a shorter step or a larger tolerance",
                report.sweeps,
                report.residual,
                100.0 * report.owed
            );
            let StageReport { sweeps, residual, .. } = report;
            let failure = Failure::NotConverged { sweeps, residual, tolerance: criterion.tolerance };
            return Err(step.error(Phase::Couple, Subject::Whole, failure, reason));
        }
        self.load_walls(stage, step, exchange);
        self.update_interface_velocities(step, exchange);
        self.take_pressure(dt);
        self.apply_wall_friction(stage, step, exchange);
        Ok(report)
    }

    /// The time over which accelerations of this step act `[s]`.
    pub(crate) fn kick(&self, step: &StepContext) -> f64 {
        self.setup.integrator.kick(step.clock.last_dt, step.dt)
    }

    /// Looks where particles will be near smooth walls, for the density solve.
    pub(crate) fn predict_boundary_density(&mut self, step: &StepContext) {
        let position = &self.state.particles.position;
        let velocity = &self.scratch.velocity_star;
        self.boundary.advance(position, velocity, step.dt, &self.points, &mut self.neighbourhood.boundary);
    }

    /// Adds what the solver's accelerations change within `dt` `[s]` to the velocities.
    fn take_pressure(&mut self, dt: f64) {
        let seconds = dt as f32;
        let crate::fluid::Scratch { change, velocity_star, .. } = &mut self.scratch;
        let changes = change.par_iter_mut().zip(&*self.solver.acceleration());
        changes.zip(&self.state.particles.velocity).zip(velocity_star).with_min_len(4096).for_each(
            |(((change, acceleration), v), star)| {
                *change += seconds * Vec3::from_slice(acceleration);
                *star = (v.as_vec3() + *change).extend(0.0).to_array();
            },
        );
    }

    /// Hands the reaction to this stage's pressures to the interface.
    fn load_walls(&mut self, stage: Stage, step: &StepContext, exchange: &mut Exchange<'_>) {
        let dt = self.kick(step);
        let Self { setup, neighbourhood, solver, points, state, .. } = self;
        let (pressure, position) = (solver.pressure(), &state.particles.position);
        let (impulse, gravity) = (setup.fluid.mass() * dt, step.gravity);
        neighbourhood.boundary.load_interface(points, exchange.interface, position, |i| {
            let (x, exerted) =
                (position[i], WallPressure::new(stage, pressure[i], &neighbourhood.boundary.sum[i]));
            move |sample, point| {
                let fall = gravity.dot(point.position - x) as f32;
                impulse * f64::from(exerted.at(fall)) * Vec3::from(sample.push).as_dvec3()
            }
        });
    }
}
