//! Figures of the current state: energies, momenta, escaped particles, frames.

use crate::fluid::{SphFluid, SphReport};
use crate::state::SphState;
use crate::stress::Virial;
use glam::DVec3;
use meniscus_core::{BodyId, ParticleFrame, Solids, StepContext, Value, reduce};
use meniscus_geometry::Solid;

/// How deep a particle may be in a body that moves, in spacings: joints and contacts of a step may take the body a little farther than the
/// fluid was told `[1]`.
const ESCAPE_DEPTH: f64 = 1e-3;

/// Energies and momenta of a fluid.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FluidSums {
    /// Kinetic energy `[J]`.
    pub kinetic_energy: f64,
    /// Potential energy in the gravity field, zero at the origin `[J]`.
    pub potential_energy: f64,
    /// Linear momentum `[kg m/s]`.
    pub momentum: DVec3,
    /// Angular momentum about the origin `[kg m²/s]`.
    pub angular_momentum: DVec3,
}

impl FluidSums {
    fn add(mut self, mass: f64, gravity: DVec3, x: DVec3, v: DVec3) -> Self {
        self.kinetic_energy += 0.5 * mass * v.length_squared();
        self.potential_energy -= mass * gravity.dot(x);
        self.momentum += mass * v;
        self.angular_momentum += mass * x.cross(v);
        self
    }

    fn join(self, other: Self) -> Self {
        Self {
            kinetic_energy: self.kinetic_energy + other.kinetic_energy,
            potential_energy: self.potential_energy + other.potential_energy,
            momentum: self.momentum + other.momentum,
            angular_momentum: self.angular_momentum + other.angular_momentum,
        }
    }
}

impl SphFluid {
    /// Its columns in a series.
    ///
    /// Density errors are mean and largest compression of the particles at the start of the step, (ρ/ρ0 − 1) where positive `[1]`. They are
    /// measured at the particles' true positions, so they are what the step before has left. Residuals are what solves
    /// left: the mean compression that the pressure solve predicts for the end of the step, or the mean overshoot of its pressures
    /// if that is larger, and the mean compression by one step at the rate that the divergence solve left `[1]`.
    pub const COLUMNS: [&'static str; 15] = [
        "particles",
        "kinetic_energy",
        "potential_energy",
        "momentum_x",
        "momentum_y",
        "momentum_z",
        "angular_momentum_x",
        "angular_momentum_y",
        "angular_momentum_z",
        "density_error_mean",
        "density_error_max",
        "pressure_sweeps",
        "divergence_sweeps",
        "pressure_residual",
        "divergence_residual",
    ];

    /// Energies and momenta now, in a field of `gravity` `[m/s²]`.
    #[must_use]
    pub fn sums(&self, gravity: DVec3) -> FluidSums {
        let particles = &self.state.particles;
        let mass = self.setup.fluid.mass();
        let add =
            |sums: FluidSums, i: usize| sums.add(mass, gravity, particles.position[i], particles.velocity[i]);
        let zero = FluidSums::default();
        reduce::by_chunk(particles.len(), zero, |range| range.fold(zero, add), FluidSums::join)
    }

    /// The values of its columns.
    pub(crate) fn row(&self, step: &StepContext) -> [Value; 15] {
        let FluidSums { kinetic_energy, potential_energy, momentum, angular_momentum } =
            self.sums(step.gravity);
        let SphReport { pressure, divergence, density_error_mean, density_error_max, .. } = self.report;
        [
            Value::Count(self.state.particles.len() as u64),
            Value::Number(kinetic_energy),
            Value::Number(potential_energy),
            Value::Number(momentum.x),
            Value::Number(momentum.y),
            Value::Number(momentum.z),
            Value::Number(angular_momentum.x),
            Value::Number(angular_momentum.y),
            Value::Number(angular_momentum.z),
            Value::Number(density_error_mean),
            Value::Number(density_error_max),
            Value::Count(pressure.sweeps.into()),
            Value::Count(divergence.sweeps.into()),
            Value::Number(pressure.residual),
            Value::Number(divergence.residual),
        ]
    }

    /// Number of particles inside solids, outside of closed containers or under the floor of open ones.
    pub(crate) fn count_escaped(&self, step: &StepContext, solids: &dyn Solids) -> u64 {
        let position = &self.state.particles.position;
        let (dimension, up) = (step.dimension, -step.gravity);
        let here = |(k, wall): (u32, &crate::setup::Wall)| {
            let now = solids.kinematics(BodyId(k)).filter(|_| solids.is_present(BodyId(k)))?;
            let moves = now.velocity != DVec3::ZERO;
            let skin = if moves { ESCAPE_DEPTH * self.setup.fluid.spacing } else { 0.0 };
            Some((wall.solid.as_ref()?.at(now.pose), skin))
        };
        let (closed, open): (Vec<(Solid, f64)>, Vec<_>) =
            (0..).zip(&self.setup.walls).filter_map(here).partition(|(solid, _)| solid.is_closed());
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
    /// `[Pa]`. Uses scratch, as [`Fluid::snapshot`](meniscus_core::Fluid::snapshot) does.
    pub fn pressures(&mut self, step: &StepContext, solids: &dyn Solids) -> Vec<f32> {
        self.rebuild_for_observation(step, solids);
        self.acting_pressures()
    }

    /// The same for neighbourhoods that have just been found.
    fn acting_pressures(&self) -> Vec<f32> {
        let particles = &self.state.particles;
        let position: Vec<DVec3> =
            self.neighbourhood.order().iter().map(|&i| particles.position[i as usize]).collect();
        let virial = Virial {
            neighbourhood: &self.neighbourhood,
            kernel: &self.setup.fluid.kernel,
            position: &position,
            points: &self.points,
        };
        let share = self.by_particle(&virial.shares(), 1.0);
        particles.pressure.iter().zip(share).map(|(pressure, share)| pressure * share).collect()
    }

    /// A column of `neighbourhood` after a look around, times a factor, in the order of the particles.
    fn by_particle(&self, column: &[f32], factor: f32) -> Vec<f32> {
        let mut sorted = vec![0.0; column.len()];
        for (&i, value) in self.neighbourhood.order().iter().zip(column) {
            sorted[i as usize] = value * factor;
        }
        sorted
    }

    /// The current particles, with densities at their current positions, in whatever order they are.
    pub(crate) fn particle_frame(
        &mut self,
        index: u32,
        step: &StepContext,
        solids: &dyn Solids,
    ) -> ParticleFrame {
        let rest = self.setup.fluid.rest_density as f32;
        self.rebuild_for_observation(step, solids);
        let density = self.by_particle(&self.neighbourhood.density, rest);
        let pressure = self.acting_pressures();
        let SphState { particles, .. } = &self.state;
        ParticleFrame {
            index,
            step: step.clock.step,
            time: step.clock.time,
            id: particles.id.clone(),
            position: particles.position.clone(),
            velocity: particles.velocity.clone(),
            density,
            pressure,
        }
    }
}
