//! Figures of the current state: energies, momenta, escaped particles, frames.

use crate::simulation::Simulation;
use crate::world::World;
use glam::DVec3;
use meniscus_core::{BodyRow, ParticleFrame, SeriesRow, reduce};
use meniscus_geometry::Solid;
use meniscus_sph::stress::Virial;

/// How deep a particle may be in a body that moves, in spacings: joints and contacts of a step may take the body a little farther than the
/// fluid was told `[1]`.
const SKIN: f64 = 1e-3;

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

    /// Number of fluid particles inside solids, outside of closed containers or under the floor of open ones.
    #[must_use]
    pub fn escaped(&self) -> u64 {
        let position = &self.world().particles.position;
        let dimension = self.setup().dimension;
        let up = -self.setup().gravity;
        let here = |(k, solid): (usize, Solid)| {
            let moves = self.world().bodies[k].velocity != DVec3::ZERO;
            let skin = if moves { SKIN * self.setup().fluid.spacing } else { 0.0 };
            self.is_present(k).then_some((solid, skin))
        };
        let (closed, open): (Vec<_>, Vec<_>) =
            self.solids().into_iter().enumerate().filter_map(here).partition(|(solid, _)| solid.is_closed());
        let is_out = |x: DVec3| {
            closed.iter().any(|(solid, skin)| solid.signed_distance(x, dimension) < -skin)
                || open.iter().any(|(solid, _)| solid.way_to_floor(x, up).is_some())
        };
        reduce::by_chunk(
            position.len(),
            0,
            |range| range.filter(|&i| is_out(position[i])).count() as u64,
            |a, b| a + b,
        )
    }

    /// The pressure that each particle exerted in the last step, by which momentum goes through the fluid, in the order of the particles
    /// `[Pa]`. Uses scratch, as [`Simulation::frame`] does.
    pub fn pressures(&mut self) -> Vec<f32> {
        self.look_around();
        self.acting_pressures()
    }

    /// The same for neighbourhoods that have just been found.
    fn acting_pressures(&self) -> Vec<f32> {
        let particles = &self.world().particles;
        let position: Vec<DVec3> = self.wet.order().iter().map(|&i| particles.position[i as usize]).collect();
        let virial = Virial {
            wet: &self.wet,
            kernel: &self.setup().fluid.kernel,
            position: &position,
            point: &self.interface().point,
            lasting: self.boundary.lasting(),
        };
        let share = self.by_particle(&virial.shares(), 1.0);
        particles.pressure.iter().zip(share).map(|(pressure, share)| pressure * share).collect()
    }

    /// A column of `wet` after a look around, times a factor, in the order of the particles.
    fn by_particle(&self, column: &[f32], factor: f32) -> Vec<f32> {
        let mut sorted = vec![0.0; column.len()];
        for (&i, value) in self.wet.order().iter().zip(column) {
            sorted[i as usize] = value * factor;
        }
        sorted
    }

    /// The current particles in the order of their ids, with densities at their current positions.
    ///
    /// Scratch is used for it, the state is not touched: a run with frames and one without are the same.
    pub fn frame(&mut self, index: u32) -> ParticleFrame {
        self.snapshot(index).in_order()
    }

    /// As [`Simulation::frame`], but in whatever order the particles are, which is quicker; see [`ParticleFrame::in_order`].
    pub fn snapshot(&mut self, index: u32) -> ParticleFrame {
        let rest = self.setup().fluid.rest_density as f32;
        self.look_around();
        let density = self.by_particle(&self.wet.density, rest);
        let pressure = self.acting_pressures();
        let World { step, time, particles, .. } = self.world();
        ParticleFrame {
            index,
            step: *step,
            time: *time,
            id: particles.id.clone(),
            position: particles.position.clone(),
            velocity: particles.velocity.clone(),
            density,
            pressure,
        }
    }
}
