//! Figures of the current state: energies, momenta, escaped particles, frames.

use crate::simulation::Simulation;
use glam::DVec3;
use meniscus_core::{BodyRow, ParticleFrame, SeriesRow, reduce};
use meniscus_geometry::Solid;
use meniscus_sph::stress::Virial;

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    kinetic: f64,
    potential: f64,
    momentum: DVec3,
    angular: DVec3,
}

impl Simulation {
    /// The series row of the step that has just ended, or of the start.
    #[must_use]
    pub fn series_row(&self) -> SeriesRow {
        let particles = &self.world().particles;
        let mass = self.setup().fluid.mass();
        let gravity = self.setup().gravity;
        let sums = reduce::by_chunk(
            particles.len(),
            Sums::default(),
            |range| {
                range.fold(Sums::default(), |mut sums, i| {
                    let (x, v) = (particles.position[i], particles.velocity[i]);
                    sums.kinetic += 0.5 * mass * v.length_squared();
                    sums.potential -= mass * gravity.dot(x);
                    sums.momentum += mass * v;
                    sums.angular += mass * x.cross(v);
                    sums
                })
            },
            |a, b| Sums {
                kinetic: a.kinetic + b.kinetic,
                potential: a.potential + b.potential,
                momentum: a.momentum + b.momentum,
                angular: a.angular + b.angular,
            },
        );
        let report = self.last_report();
        SeriesRow {
            step: self.world().step,
            time: self.world().time,
            dt: self.world().last_dt,
            particles: particles.len() as u64,
            kinetic_energy: sums.kinetic,
            potential_energy: sums.potential,
            momentum: sums.momentum,
            angular_momentum: sums.angular,
            density_error_mean: report.density_error_mean,
            density_error_max: report.density_error_max,
            pressure_sweeps: report.pressure.sweeps,
            divergence_sweeps: report.divergence.sweeps,
            pressure_residual: report.pressure.residual,
            divergence_residual: report.divergence.residual,
            solids: self.solid_row(),
            bodies: self.body_rows(),
        }
    }

    fn body_rows(&self) -> Vec<BodyRow> {
        let dt = self.world().last_dt;
        self.world()
            .bodies
            .iter()
            .zip(&self.interface().load)
            .zip(&self.setup().bodies)
            .filter(|(_, body)| body.in_series)
            .map(|((body, load), _)| {
                let position = body.pose.translation;
                let per_second = if dt > 0.0 { 1.0 / dt } else { 0.0 };
                let force = load.impulse * per_second;
                BodyRow {
                    position,
                    velocity: body.velocity,
                    force,
                    torque: load.angular_impulse * per_second - position.cross(force),
                    angular_velocity: body.angular_velocity,
                    tilt: (body.pose.rotation * DVec3::Y).y.clamp(-1.0, 1.0).acos().to_degrees(),
                }
            })
            .collect()
    }

    /// The bodies' geometry where it is now.
    #[must_use]
    pub fn solids(&self) -> Vec<Solid> {
        self.setup().bodies.iter().zip(&self.world().bodies).map(|(b, now)| b.solid.at(now.pose)).collect()
    }

    /// Number of fluid particles inside solids or outside of closed containers.
    #[must_use]
    pub fn escaped(&self) -> u64 {
        let position = &self.world().particles.position;
        let dimension = self.setup().dimension;
        let here = |(k, solid): (usize, Solid)| (solid.is_closed() && self.is_present(k)).then_some(solid);
        let closed: Vec<_> = self.solids().into_iter().enumerate().filter_map(here).collect();
        reduce::by_chunk(
            position.len(),
            0,
            |range| {
                let out = |&i: &usize| closed.iter().any(|s| s.signed_distance(position[i], dimension) < 0.0);
                range.filter(out).count() as u64
            },
            |a, b| a + b,
        )
    }

    /// The pressure that each particle exerted in the last step, by which momentum goes through the fluid, in the order of the particles
    /// `[Pa]`. Nothing before the first step.
    #[must_use]
    pub fn pressures(&self) -> Vec<f32> {
        let particles = &self.world().particles;
        if self.wet.density.len() != particles.len() {
            return Vec::new();
        }
        let share = self.stress_shares(&particles.position);
        particles.pressure.iter().zip(share).map(|(pressure, share)| pressure * share).collect()
    }

    /// What of the solver's pressures acts, by the neighbourhoods that were last found, for particles at `position` `[m]` `[1]`.
    fn stress_shares(&self, position: &[DVec3]) -> Vec<f32> {
        let virial = Virial {
            wet: &self.wet,
            kernel: &self.setup().fluid.kernel,
            position,
            point: &self.interface().point,
            lasting: self.boundary.lasting(),
        };
        virial.shares()
    }

    /// The current particles in the order of their ids, with densities at their current positions.
    ///
    /// Scratch is used for it, the state is not touched: a run with frames and one without are the same.
    pub fn frame(&mut self, index: u32) -> ParticleFrame {
        let (step, time) = (self.world().step, self.world().time);
        let rest = self.setup().fluid.rest_density as f32;
        let sorted = self.resort();
        let share = self.stress_shares(&sorted.position);
        let density = &self.wet.density;
        let mut order: Vec<u32> = (0..sorted.len() as u32).collect();
        order.sort_unstable_by_key(|&i| sorted.id[i as usize]);
        let pick = |i: &u32| *i as usize;
        ParticleFrame {
            index,
            step,
            time,
            id: order.iter().map(|i| sorted.id[pick(i)]).collect(),
            position: order.iter().map(|i| sorted.position[pick(i)]).collect(),
            velocity: order.iter().map(|i| sorted.velocity[pick(i)]).collect(),
            density: order.iter().map(|i| density[pick(i)] * rest).collect(),
            pressure: order.iter().map(|i| sorted.pressure[pick(i)] * share[pick(i)]).collect(),
        }
    }
}
