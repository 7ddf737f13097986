//! The phase `couple`: who pushes whom.

use crate::foresight::Asked;
use crate::free::StepPartners;
use crate::setup::{OnFailure, Setup};
use crate::simulation::{Scratch, Simulation};
use glam::{DVec3, Vec3};
use meniscus_core::{Failure, InterfacePoint, Phase, SimulationError, Subject};
use meniscus_sph::boundary::{AnswerStep, BoundaryRows, BoundarySample};
use meniscus_sph::force::{WallFriction, adhesion, cohesion_strength};
use meniscus_sph::pressure::{Moment, Stage, StageReport, WallPressure, solve};
use rayon::prelude::*;

/// How much of the observed gap between predicted and true compression a solve makes up for `[1]`.
const GAP_MARGIN: f64 = 1.6;

impl Simulation {
    /// Divergence solve, forces, density solve.
    pub(crate) fn couple(&mut self, dt: f64) -> Result<(), SimulationError> {
        self.report.dt = dt;
        let kick = self.setup.integrator.kick(self.world.last_dt, dt);
        self.scratch.change.clear();
        self.scratch.change.resize(self.world.particles.len(), Vec3::ZERO);
        self.update_velocity_star();
        self.find_free_bodies();
        self.find_touches(dt);
        self.report.divergence = self.solve_stage(Stage::Divergence, kick)?;
        self.apply_forces(kick);
        self.drop_free_bodies();
        // Before the solve, so that it knows whom a wall stops; after it, because it may push others into a wall.
        self.hold_contacts(dt);
        let position = &self.world.particles.position;
        self.boundary.advance(
            position,
            &self.scratch.velocity_star,
            dt,
            &self.interface,
            &mut self.wet.boundary,
        );
        self.report.pressure = self.solve_stage(Stage::Density, kick)?;
        self.world.predicted_error = self.report.pressure.residual;
        self.hold_contacts(dt);
        Ok(())
    }

    pub(crate) fn update_velocity_star(&mut self) {
        let velocity = &self.world.particles.velocity;
        velocity
            .par_iter()
            .zip(&self.scratch.change)
            .with_min_len(4096)
            .map(|(v, change)| (v.as_vec3() + change).extend(0.0).to_array())
            .collect_into_vec(&mut self.scratch.velocity_star);
    }

    fn solve_stage(&mut self, stage: Stage, dt: f64) -> Result<StageReport, SimulationError> {
        let Some(mut criterion) = self.solver.criterion(stage) else {
            return Ok(StageReport { converged: true, ..StageReport::default() });
        };
        if stage == Stage::Density && criterion.tolerance.is_finite() {
            let gap = GAP_MARGIN * self.world.prediction_gap * dt * dt;
            criterion.tolerance -= gap.clamp(0.25 * criterion.tolerance, 0.8 * criterion.tolerance);
            criterion.aim = criterion.tolerance.min(self.setup.load_aim(dt));
        }
        let moment = Moment {
            wet: &self.wet,
            velocity: &self.scratch.velocity_star,
            dt,
            relief: self.setup.relief(dt),
        };
        let density = self.setup.fluid.rest_density;
        let particles = &mut self.world.particles;
        let engine = self.solids.as_mut().zip(self.free.foresight.as_mut());
        let load = &self.interface.load;
        let asked = engine.map(|(s, foresight)| Asked { engine: s.engine.as_mut(), foresight, load });
        let mut partners = StepPartners {
            completion: &mut self.completion,
            contacts: &mut self.contacts,
            penalties: (stage == Stage::Density).then_some(&mut self.penalties),
            velocity: &self.scratch.velocity_star,
            engine: asked,
            free: &mut self.free.bodies,
            step: AnswerStep { rows: &self.wet.boundary, mass: self.setup.fluid.mass(), dt },
        };
        let report = solve(self.solver.as_mut(), stage, criterion, moment, particles, density, &mut partners);
        self.completion.load(&mut self.interface, dt, self.setup.fluid.mass());
        self.contacts.load(&mut self.interface, self.setup.fluid.mass());
        if stage == Stage::Density {
            self.penalties.load(&mut self.interface, self.setup.fluid.mass());
        }
        if !report.converged && self.setup.on_failure != OnFailure::Accept {
            let reason = format!(
                "the {stage:?} solve stopped after {} sweeps with a mean error of {:.3e}; allow more sweeps, a shorter step or a larger tolerance",
                report.sweeps, report.residual
            );
            let StageReport { sweeps, residual, .. } = report;
            let failure = Failure::NotConverged { sweeps, residual, tolerance: criterion.tolerance };
            return Err(self.error(Phase::Couple, Subject::Whole, failure, reason));
        }
        self.load_walls(stage, dt);
        self.show_free_bodies();
        self.take_pressure(dt);
        self.rub_walls(stage, dt);
        Ok(report)
    }

    /// Adds what the solver's accelerations change within `dt` `[s]` to the velocities.
    fn take_pressure(&mut self, dt: f64) {
        let seconds = dt as f32;
        let Scratch { change, velocity_star, .. } = &mut self.scratch;
        let changes = change.par_iter_mut().zip(&*self.solver.acceleration());
        changes.zip(&self.world.particles.velocity).zip(velocity_star).with_min_len(4096).for_each(
            |(((change, acceleration), v), star)| {
                *change += seconds * Vec3::from_slice(acceleration);
                *star = (v.as_vec3() + *change).extend(0.0).to_array();
            },
        );
    }

    /// Hands the reaction to this stage's pressures to the interface.
    fn load_walls(&mut self, stage: Stage, dt: f64) {
        let Self { setup, wet, solver, interface, world, .. } = self;
        let (pressure, position) = (solver.pressure(), &world.particles.position);
        let (impulse, gravity) = (setup.fluid.mass() * dt, setup.gravity);
        wet.boundary.load_interface(interface, position, |i| {
            let (x, exerted) = (position[i], WallPressure::new(stage, pressure[i], &wet.boundary.sum[i]));
            move |sample, point| {
                let fall = gravity.dot(point.position - x) as f32;
                impulse * f64::from(exerted.at(fall)) * Vec3::from(sample.push).as_dvec3()
            }
        });
    }

    /// Sliding friction against walls that answer pressure, \[Koschier2017\] Eq. 15, which stops particles at most (Eq. 16).
    ///
    /// Departure: the tangent has unit length, so that the coefficient is Coulomb's.
    fn rub_walls(&mut self, stage: Stage, dt: f64) {
        let Self { setup, wet, solver, interface, world, scratch, .. } = self;
        if setup.bodies.iter().all(|body| body.friction <= 0.0) {
            return;
        }
        let (pressure, position) = (solver.pressure(), &world.particles.position);
        let velocity = &scratch.velocity_star;
        let rub = |i: usize, sample: &BoundarySample, point: &InterfacePoint| {
            if wet.boundary.is_touched(point.body) {
                return Vec3::ZERO;
            }
            let fall = setup.gravity.dot(point.position - position[i]) as f32;
            let normal = Vec3::from(sample.push).normalize_or_zero();
            let strength = WallPressure::new(stage, pressure[i], &wet.boundary.sum[i]).at(fall).max(0.0);
            let push = strength * Vec3::from(sample.push).length() * dt as f32;
            let relative = Vec3::from_slice(&velocity[i]) - point.velocity.as_vec3();
            let sliding = relative - relative.dot(normal) * normal;
            let most = setup.bodies[point.body.0 as usize].friction as f32 * push;
            -sliding.clamp_length_max(most)
        };
        scratch.change.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, change)| {
            for sample in wet.boundary.row(i) {
                *change += rub(i, sample, &interface.point[sample.point as usize]);
            }
        });
        let mass = setup.fluid.mass();
        let load = |i, sample: &_, point: &_| -mass * rub(i, sample, point).as_dvec3();
        wet.boundary.load_at_particles(interface, position, load);
        self.update_velocity_star();
        self.show_free_bodies();
    }

    /// Gravity, viscosity and cohesion, and what walls add to both.
    fn apply_forces(&mut self, dt: f64) {
        let Self { setup, wet, scratch, viscosity, cohesion, .. } = self;
        let gravity = (setup.gravity * dt).as_vec3();
        let velocity = &scratch.velocity_star;
        let viscous = viscosity.accelerate(setup.viscosity, &setup.fluid, wet, velocity, dt);
        let cohesive = cohesion.accelerate(setup.surface_tension, &setup.fluid, wet);
        let seconds = dt as f32;
        let forces = [viscous.as_deref(), cohesive];
        scratch.change.par_iter_mut().enumerate().with_min_len(4096).for_each(|(i, change)| {
            *change += gravity;
            for acceleration in forces.iter().flatten() {
                *change += seconds * Vec3::from_slice(&acceleration[i]);
            }
        });
        self.find_penalties();
        self.drag_along_walls(dt);
        self.cling_to_walls(dt);
        self.update_velocity_star();
    }

    /// Viscous friction of walls.
    fn drag_along_walls(&mut self, dt: f64) {
        let Some(friction) = WallFriction::new(self.setup.viscosity, &self.setup.fluid, dt) else { return };
        let lasting = self.boundary.lasting();
        let depth = self.setup.maps.first().map_or(0.0, |maps| maps.flat.depth as f32);
        let velocity = std::mem::take(&mut self.scratch.velocity_star);
        let position = std::mem::take(&mut self.world.particles.position);
        self.accelerate_at_walls(dt, &position, |rows, i, sample, point| {
            let (x, v) = (position[i], Vec3::from_slice(&velocity[i]));
            if rows.is_touched(point.body) {
                Vec3::ZERO
            } else if (sample.point as usize) < lasting {
                friction.acceleration(x, v, sample, point)
            } else {
                friction.smooth(x, v, sample, point, depth)
            }
        });
        self.scratch.velocity_star = velocity;
        self.world.particles.position = position;
    }

    /// Adhesion to walls.
    fn cling_to_walls(&mut self, dt: f64) {
        let Setup { bodies, fluid, .. } = &self.setup;
        if bodies.iter().all(|body| body.adhesion <= 0.0) {
            return;
        }
        let strength: Vec<f64> = bodies.iter().map(|body| cohesion_strength(body.adhesion, fluid)).collect();
        let position = std::mem::take(&mut self.world.particles.position);
        self.accelerate_at_walls(dt, &position, |_, i, sample, point| {
            adhesion(strength[point.body.0 as usize], position[i], sample, point)
        });
        self.world.particles.position = position;
    }

    /// Adds what `acceleration(rows, i, sample, point)` `[m/s²]` says of each sample to the particles at `position` `[m]`, and the reaction
    /// to the walls.
    fn accelerate_at_walls(
        &mut self,
        dt: f64,
        position: &[DVec3],
        acceleration: impl Fn(&BoundaryRows, usize, &BoundarySample, &InterfacePoint) -> Vec3 + Sync,
    ) {
        let Self { setup, wet, scratch, interface, .. } = self;
        let seconds = dt as f32;
        scratch.change.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, change)| {
            for sample in wet.boundary.row(i) {
                let point = &interface.point[sample.point as usize];
                *change += seconds * acceleration(&wet.boundary, i, sample, point);
            }
        });
        let mass = setup.fluid.mass() * dt;
        let rows = &wet.boundary;
        let load = |i, sample: &_, point: &_| -mass * acceleration(rows, i, sample, point).as_dvec3();
        rows.load_at_particles(interface, position, load);
    }
}
