//! The limit of the approach to walls that are felt by their share of the density.

use crate::boundary::ApproachLimit;
use crate::fluid::SphFluid;
use glam::Vec3;
use meniscus_core::{Exchange, StepContext, reduce};

impl SphFluid {
    /// Keeps particles from entering walls where pressure does not.
    pub(crate) fn limit_approach(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let Self { setup, neighbourhood, scratch, points, state, .. } = self;
        let contact = ApproachLimit { dt: step.dt as f32 };
        let rows = &neighbourhood.boundary;
        let velocity = &scratch.velocity_star;
        let excess = |i: &usize| {
            let v = Vec3::from_slice(&velocity[*i]);
            neighbourhood.wall(*i).is_some_and(|wall| contact.excess(v, wall).is_some())
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
            ApproachLimit::find_bodies(rows, points, i, &mut scratch.walls);
            for &(body, wall) in &scratch.walls {
                let v = Vec3::from_slice(&scratch.velocity_star[i]);
                let Some((speed, direction)) = contact.excess(v, &wall) else { continue };
                scratch.change[i] -= speed * direction;
                let stopped = state.particles.velocity[i].as_vec3() + scratch.change[i];
                scratch.velocity_star[i] = stopped.extend(0.0).to_array();
                for sample in rows.row(i) {
                    let k = sample.point as usize;
                    if points.body[k] == body {
                        let impulse =
                            mass * f64::from(speed) * ApproachLimit::share(sample, &wall).as_dvec3();
                        exchange.interface.load.push(body, points.anchor(k), points.position[k], impulse);
                    }
                }
            }
        }
        self.update_interface_velocities(step, exchange);
    }
}
