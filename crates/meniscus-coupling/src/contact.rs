//! Non-penetration: what pressure leaves undone at walls.

use crate::simulation::Simulation;
use glam::{DVec3, Vec3};
use meniscus_core::BodyId;
use meniscus_sph::boundary::Contact;
use rayon::prelude::*;

impl Simulation {
    /// Keeps particles from entering walls where pressure does not.
    pub(crate) fn hold_contacts(&mut self, dt: f64) {
        let Self { setup, wet, scratch, interface, .. } = self;
        let contact = Contact { dt: dt as f32 };
        let sum = &wet.boundary.sum;
        let velocity = &scratch.velocity_star;
        let excess = |i: usize| contact.excess(Vec3::from_slice(&velocity[i]), &sum[i]);
        scratch.change.par_iter_mut().enumerate().with_min_len(4096).for_each(|(i, change)| {
            if let Some((speed, direction)) = excess(i) {
                *change -= speed * direction;
            }
        });
        let mass = setup.fluid.mass();
        wet.boundary.load_interface(interface, |i, sample, _| {
            excess(i).map_or(DVec3::ZERO, |(speed, _)| {
                mass * f64::from(speed) * Contact::share(sample, &sum[i]).as_dvec3()
            })
        });
        self.update_velocity_star();
    }

    /// The last resort of non-penetration, at convex edges that rows feel too late: a particle that would end inside a
    /// solid it touches is put onto its surface and loses its inward velocity.
    pub(crate) fn keep_outside(&mut self) {
        let Self { setup, wet, scratch, interface, bodies, .. } = self;
        let position = &scratch.position;
        let touching = |i: &usize| wet.boundary.sum[*i].closeness > 0.5;
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
            let inward = (scratch.velocity[i] - wall).dot(normal).min(0.0);
            scratch.velocity[i] -= inward * normal;
            scratch.position[i] += out;
            interface.load[body.0 as usize].push(scratch.position[i], setup.fluid.mass() * inward * normal);
        }
    }
}
