//! Forces that are known without a solve, and friction at walls.

use crate::boundary::{BoundaryRows, BoundarySample};
use crate::fluid::{Scratch, SphFluid};
use crate::force::{WallFriction, adhesion, cohesion_strength};
use crate::pressure::WallPressure;
use crate::setup::SphSetup;
use glam::{DVec3, Vec3};
use meniscus_core::{Exchange, InterfacePoint, InterfacePoints, Stage, StepContext};
use rayon::prelude::*;

impl SphFluid {
    /// Gravity, viscosity and cohesion.
    pub(crate) fn apply_body_forces(&mut self, step: &StepContext) {
        let dt = self.kick(step);
        let Self { setup, neighbourhood, scratch, viscosity, cohesion, .. } = self;
        let gravity = (step.gravity * dt).as_vec3();
        let velocity = &scratch.velocity_star;
        let viscous = viscosity.accelerate(setup.viscosity, &setup.fluid, neighbourhood, velocity, dt);
        let cohesive = cohesion.accelerate(setup.surface_tension, &setup.fluid, neighbourhood);
        let seconds = dt as f32;
        let forces = [viscous.as_deref(), cohesive];
        scratch.change.par_iter_mut().enumerate().with_min_len(4096).for_each(|(i, change)| {
            *change += gravity;
            for acceleration in forces.iter().flatten() {
                *change += seconds * Vec3::from_slice(&acceleration[i]);
            }
        });
    }

    /// Viscous friction of walls.
    pub(crate) fn apply_wall_viscosity(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let dt = self.kick(step);
        let Some(friction) = WallFriction::new(self.setup.viscosity, &self.setup.fluid, dt) else { return };
        let Self { setup, neighbourhood, points, state, scratch, .. } = self;
        let Scratch { change, velocity_star, .. } = scratch;
        let position = &state.particles.position;
        let rows = &neighbourhood.boundary;
        let acceleration = |i: usize, sample: &BoundarySample, point: &InterfacePoint| {
            let v = Vec3::from_slice(&velocity_star[i]);
            friction.acceleration(position[i], v, sample, point, rows.traits(point.body))
        };
        WallForces { rows, points, position, mass: setup.fluid.mass(), dt }.act(
            change,
            exchange,
            acceleration,
        );
    }

    /// Adhesion to walls.
    pub(crate) fn apply_adhesion(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let SphSetup { walls, fluid, .. } = &self.setup;
        if walls.iter().all(|wall| wall.adhesion <= 0.0) {
            return;
        }
        let strength: Vec<f64> = walls.iter().map(|wall| cohesion_strength(wall.adhesion, fluid)).collect();
        let dt = self.kick(step);
        let Self { neighbourhood, points, state, scratch, .. } = self;
        let position = &state.particles.position;
        let acceleration = |i: usize, sample: &BoundarySample, point: &InterfacePoint| {
            adhesion(strength[point.body.index()], position[i], sample, point)
        };
        let rows = &neighbourhood.boundary;
        WallForces { rows, points, position, mass: fluid.mass(), dt }.act(
            &mut scratch.change,
            exchange,
            acceleration,
        );
    }

    /// Sliding friction against walls that answer pressure, \[Koschier2017\] Eq. 15, which stops particles at most (Eq. 16).
    ///
    /// Departure: the tangent has unit length, so that the coefficient is Coulomb's.
    pub(crate) fn apply_wall_friction(
        &mut self,
        stage: Stage,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) {
        if self.setup.walls.iter().all(|wall| wall.friction <= 0.0) {
            return;
        }
        let dt = self.kick(step);
        let Self { setup, neighbourhood, solver, points, state, scratch, .. } = self;
        let Scratch { change, velocity_star, .. } = scratch;
        let (rows, pressure, position) =
            (&neighbourhood.boundary, solver.pressure(), &state.particles.position);
        let kick = |i: usize, sample: &BoundarySample, point: &InterfacePoint| {
            let fall = step.gravity.dot(point.position - position[i]) as f32;
            let through = rows.traits(point.body).tangential_push(sample);
            let normal = through.normalize_or_zero();
            let strength = WallPressure::new(stage, pressure[i], &rows.sum[i]).at(fall).max(0.0);
            let push = strength * through.length() * dt as f32;
            let relative = Vec3::from_slice(&velocity_star[i]) - point.velocity.as_vec3();
            let sliding = relative - relative.dot(normal) * normal;
            // [Koschier2017] Eqs. 15 and 16
            let most = setup.walls[point.body.index()].friction as f32 * push;
            -sliding.clamp_length_max(most)
        };
        // It says how velocities change, not accelerations.
        WallForces { rows, points, position, mass: setup.fluid.mass(), dt: 1.0 }.act(change, exchange, kick);
        self.update_velocity_star();
        self.update_interface_velocities(step, exchange);
    }
}

/// What samples of walls do to particles one by one.
struct WallForces<'a> {
    rows: &'a BoundaryRows,
    points: &'a InterfacePoints,
    /// Of the particles `[m]`.
    position: &'a [DVec3],
    /// Of a particle `[kg]`.
    mass: f64,
    /// For how long they act `[s]`.
    dt: f64,
}

impl WallForces<'_> {
    /// Adds to the particles' changes of velocity what `acceleration(i, sample, point)` says of each sample `[m/s²]`, and hands the
    /// walls the reaction.
    fn act(
        self,
        change: &mut [Vec3],
        exchange: &mut Exchange<'_>,
        acceleration: impl Fn(usize, &BoundarySample, &InterfacePoint) -> Vec3 + Sync,
    ) {
        let Self { rows, points, position, mass, dt } = self;
        let seconds = dt as f32;
        change.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, change)| {
            for sample in rows.row(i) {
                *change += seconds * acceleration(i, sample, &points.get(sample.point as usize));
            }
        });
        let impulse = -(mass * dt);
        let load = |i, sample: &_, point: &_| impulse * acceleration(i, sample, point).as_dvec3();
        rows.load_at_particles(points, exchange.interface, position, load);
    }
}
