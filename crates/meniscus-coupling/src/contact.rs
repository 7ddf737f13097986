//! Non-penetration: what pressure leaves undone at walls.

use crate::simulation::Simulation;
use glam::{DVec3, Vec3};
use meniscus_core::{BodyId, BodyLoad};
use meniscus_sph::boundary::{Contact, ForcingFluid, ForcingWalls, TouchEnd};
use rayon::prelude::*;

impl Simulation {
    /// Keeps particles from entering walls where pressure does not.
    pub(crate) fn hold_contacts(&mut self, dt: f64) {
        let Self { setup, wet, scratch, interface, world, .. } = self;
        let contact = Contact { dt: dt as f32 };
        let sum = &wet.boundary.sum;
        let velocity = &scratch.velocity_star;
        let excess = |i: usize| {
            let (speed, direction) = contact.excess(Vec3::from_slice(&velocity[i]), wet.wall(i)?)?;
            Some((i, speed, direction))
        };
        // Few: they are found by all threads and stopped by one.
        let stopped: Vec<(usize, f32, Vec3)> =
            (0..sum.len()).into_par_iter().with_min_len(4096).filter_map(excess).collect();
        let mass = setup.fluid.mass();
        for (i, speed, direction) in stopped {
            scratch.change[i] -= speed * direction;
            let stopped = world.particles.velocity[i].as_vec3() + scratch.change[i];
            scratch.velocity_star[i] = stopped.extend(0.0).to_array();
            for sample in wet.boundary.row(i) {
                let point = &interface.point[sample.point as usize];
                let impulse = mass
                    * f64::from(speed)
                    * Contact::share(sample, wet.boundary.rise(sample), &sum[i]).as_dvec3();
                interface.load[point.body.0 as usize].push(point.position, impulse);
            }
        }
        self.show_free_bodies();
    }

    /// Finds where the fluid touches bodies that answer by direct forcing.
    pub(crate) fn find_touches(&mut self, dt: f64) {
        let Some((touch, response)) = self.boundary.touches() else { return };
        let Self { setup, wet, scratch, interface, contacts, world, free, .. } = self;
        let fluid = ForcingFluid {
            rows: &wet.boundary,
            position: &world.particles.position,
            radius: 0.5 * setup.fluid.spacing,
            dt,
        };
        let walls = ForcingWalls { interface, touch, response, free: &free.bodies, mass: setup.fluid.mass() };
        contacts.find(fluid, walls, &scratch.velocity_star);
    }

    /// Sets velocities and positions of particles that touch such bodies.
    pub(crate) fn finish_touches(&mut self, dt: f64) {
        let Self { setup, scratch, interface, contacts, world, free, .. } = self;
        let (velocity, before) = (&scratch.velocity, &world.particles.velocity);
        for end in contacts.finish(velocity, before, &free.bodies, setup.fluid.mass()) {
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

    /// The last resort of non-penetration, at convex edges that rows feel too late: a particle that would end inside a
    /// solid it touches is put onto its surface and loses its inward velocity.
    pub(crate) fn keep_outside(&mut self) {
        let Self { setup, wet, scratch, interface, bodies, .. } = self;
        let position = &scratch.position;
        let touching = |i: &usize| wet.wall(*i).is_some_and(|wall| wall.closeness > 0.5);
        let caught: Vec<(usize, BodyId, DVec3)> = (0..position.len())
            .into_par_iter()
            .with_min_len(1024)
            .filter(touching)
            .filter_map(|i| {
                let row = wet.boundary.row(i);
                let deepest = row.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
                let body = interface.point[deepest.point as usize].body;
                let solid = setup.bodies[body.0 as usize].solid.at(bodies[body.0 as usize].end.pose);
                let out = solid.way_out(position[i], setup.dimension)?;
                Some((i, body, out))
            })
            .collect();
        for (i, body, out) in caught {
            let normal = out.normalize_or_zero();
            let wall = bodies[body.0 as usize].end.velocity_at(scratch.position[i] + out);
            let (x, v) = (scratch.position[i], scratch.velocity[i]);
            scratch.velocity[i] -= (v - wall).dot(normal).min(0.0) * normal;
            scratch.position[i] += out;
            interface.load[body.0 as usize] +=
                lost((x, v), (scratch.position[i], scratch.velocity[i]), setup.fluid.mass());
        }
    }
}

/// What a particle of this mass `[kg]` loses, and a body gains, when its place `[m]` and velocity `[m/s]` are set.
fn lost(before: (DVec3, DVec3), after: (DVec3, DVec3), mass: f64) -> BodyLoad {
    BodyLoad {
        impulse: mass * (before.1 - after.1),
        angular_impulse: mass * (before.0.cross(before.1) - after.0.cross(after.1)),
    }
}
