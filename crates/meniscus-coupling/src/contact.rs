//! Non-penetration: what pressure leaves undone at walls.

use crate::simulation::Simulation;
use glam::{DVec3, Vec3};
use meniscus_core::{Wrench, reduce};
use meniscus_sph::boundary::{
    AlongWalls, Contact, ForcingFluid, ForcingWalls, TouchEnd, missing_density, missing_gradient,
};
use meniscus_sph::wet::{FluidParams, WALL_PRESSURE};

/// How fast particles leave a body that they are in, in units of the speed of waves as short as the spacing, √(g spacing) `[1]`.
const CALM: f64 = 0.5;

impl Simulation {
    /// Keeps particles from entering walls where pressure does not.
    pub(crate) fn hold_contacts(&mut self, dt: f64) {
        let Self { setup, wet, scratch, interface, world, .. } = self;
        let contact = Contact { dt: dt as f32 };
        let rows = &wet.boundary;
        let velocity = &scratch.velocity_star;
        let excess = |i: &usize| {
            let v = Vec3::from_slice(&velocity[*i]);
            wet.wall(*i).is_some_and(|wall| contact.excess(v, wall).is_some())
        };
        // Few: they are found by all threads and stopped by one.
        reduce::gather(&mut scratch.stopped, rows.sum.len(), |range, stopped| {
            stopped.clear();
            // Room for more than are ever stopped, so that lists do not grow now and then.
            stopped.reserve(range.len() / 4);
            stopped.extend(range.filter(excess));
        });
        let mass = setup.fluid.mass();
        for &i in scratch.stopped.iter().flatten() {
            Contact::find_bodies(rows, interface, i, &mut scratch.walls);
            for &(body, wall) in &scratch.walls {
                let v = Vec3::from_slice(&scratch.velocity_star[i]);
                let Some((speed, direction)) = contact.excess(v, &wall) else { continue };
                scratch.change[i] -= speed * direction;
                let stopped = world.particles.velocity[i].as_vec3() + scratch.change[i];
                scratch.velocity_star[i] = stopped.extend(0.0).to_array();
                for sample in rows.row(i) {
                    let point = &interface.point[sample.point as usize];
                    if point.body == body {
                        let share = Contact::share(sample, rows.rise(sample), &wall).as_dvec3();
                        interface.load[body.0 as usize].push(point.position, mass * f64::from(speed) * share);
                    }
                }
            }
        }
        self.show_free_bodies();
    }

    /// Finds where the fluid touches bodies that answer by direct forcing.
    pub(crate) fn find_touches(&mut self, dt: f64) {
        let Some((touch, response)) = self.boundary.touches() else { return };
        let Self { setup, wet, scratch, interface, completion, container, contacts, world, free, .. } = self;
        let FluidParams { kernel, spacing, .. } = &setup.fluid;
        let rows = &wet.boundary;
        let along = AlongWalls { rows, interface, touch, response, container, kernel, spacing: *spacing };
        completion.find(along, &world.particles.position);
        let fluid = ForcingFluid {
            rows: &wet.boundary,
            position: &world.particles.position,
            radius: 0.5 * setup.fluid.spacing,
            dt,
            calm: CALM * setup.wave_speed(),
            fill: missing_density(kernel, *spacing) as f32,
        };
        let walls = ForcingWalls { interface, touch, response, free: &free.bodies, mass: setup.fluid.mass() };
        contacts.find(fluid, walls, &scratch.velocity_star);
        for (i, surplus) in contacts.pinched() {
            wet.density[i] -= surplus;
        }
    }

    /// Sets velocities and positions of particles that touch such bodies.
    pub(crate) fn finish_touches(&mut self, dt: f64) {
        if self.contacts.count() == 0 {
            return;
        }
        let Self { setup, scratch, interface, contacts, world, free, solver, .. } = self;
        let (velocity, before) = (&scratch.velocity, &world.particles.velocity);
        let FluidParams { kernel, spacing, .. } = &setup.fluid;
        let (pressure, steepness) = (solver.pressure(), dt * missing_gradient(kernel, *spacing));
        // As a wall that mirrors the pressure: [Wang2017] Eq. 10.
        let press = |i: usize| f64::from(WALL_PRESSURE * pressure[i].max(0.0)) * steepness;
        for end in contacts.finish(velocity, before, &free.bodies, setup.fluid.mass(), press) {
            let TouchEnd { particle: i, body, moving, lasting } = end;
            let (start, free) = (world.particles.position[i], scratch.velocity[i]);
            scratch.position[i] = start + dt * moving;
            scratch.velocity[i] = lasting;
            // Not at one place: the particle moves on by another velocity than the one it keeps.
            interface.load[body.0 as usize] +=
                lost((start, free), (scratch.position[i], lasting), setup.fluid.mass());
        }
    }

    /// Finds the particles that bodies repel which answer with penalties.
    pub(crate) fn find_penalties(&mut self) {
        let Some(touches) = self.boundary.touches() else { return };
        let Self { setup, wet, interface, world, penalties, .. } = self;
        let position = &world.particles.position;
        penalties.find(&wet.boundary, position, interface, touches, setup.fluid.spacing);
    }
}

/// What a particle of this mass `[kg]` loses, and a body gains, when its place `[m]` and velocity `[m/s]` are set.
pub(crate) fn lost(before: (DVec3, DVec3), after: (DVec3, DVec3), mass: f64) -> Wrench {
    Wrench {
        impulse: mass * (before.1 - after.1),
        angular_impulse: mass * (before.0.cross(before.1) - after.0.cross(after.1)),
    }
}
