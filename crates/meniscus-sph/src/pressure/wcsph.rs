//! Weakly compressible SPH with the Tait equation (\[Becker2009\] Eq. 4 and 6, after \[Becker2007\]).
//!
//! | here | paper |
//! | --- | --- |
//! | `sound_speed` | c_s |
//! | `exponent` | 7 |
//!
//! Departures: walls count where the step will take the particle, as in \[Koschier2017\] Eq. 14, because a single particle meets a wall within a
//! few steps, and a force taken where it was would throw it back faster than it came; pressures below zero may be clipped (`clamp_negative`, default), because the cohesion they cause at free
//! surfaces is an artefact of missing neighbours; the exponent is a parameter.

use super::{Criterion, PressureAcceleration, PressureSolver, SolveContext, Stage, SweepCoupling, reset};
use crate::particles::Particles;
use glam::Vec3;
use rayon::prelude::*;

/// Parameters of weakly compressible SPH.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WcsphParams {
    /// Speed of sound c_s `[m/s]`: at least ten times the fastest motion keeps the compression near one percent.
    pub sound_speed: f64,
    /// Exponent of the Tait equation `[1]`.
    pub exponent: f64,
    /// Whether negative pressures become zero.
    pub clamp_negative: bool,
}

/// The explicit solver: pressure follows from density, one sweep and done.
pub struct Wcsph {
    params: WcsphParams,
    pressure: Vec<f32>,
    acceleration: Vec<[f32; 4]>,
}

impl Wcsph {
    /// A solver with the given parameters.
    #[must_use]
    pub fn new(params: WcsphParams) -> Self {
        Self { params, pressure: Vec::new(), acceleration: Vec::new() }
    }

    /// p / ρ0 of a density in units of the rest density `[m²/s²]`: \[Becker2009\] Eq. 6 over ρ0.
    fn tait(&self, density: f64) -> f64 {
        let WcsphParams { sound_speed, exponent, clamp_negative } = self.params;
        // [Becker2009] Eq. 6 over ρ0, with 7 as a parameter.
        let pressure = sound_speed * sound_speed / exponent * (density.powf(exponent) - 1.0);
        if clamp_negative { pressure.max(0.0) } else { pressure }
    }

    /// By how much the wall's share of a particle's density grows within the step, in units of the rest density `[1]`: to first order, as a
    /// spring that is integrated implicitly would see it.
    fn approach(&self, context: SolveContext<'_>, i: usize) -> f64 {
        let wall = &context.neighbourhood.boundary.sum[i];
        if wall.push == Vec3::ZERO {
            return 0.0;
        }
        let density = f64::from(context.neighbourhood.density[i]);
        let WcsphParams { sound_speed, exponent, .. } = self.params;
        // dp/dρ of [Becker2009] Eq. 6, in units of ρ0, over (ρ/ρ0)²: the spring constant of the wall.
        let stiffness = sound_speed * sound_speed * density.powf(exponent - 3.0);
        let spring = stiffness * f64::from(wall.mirror().dot(wall.gradient));
        let rate = wall.gradient.length() * wall.approach(Vec3::from_slice(&context.velocity[i]));
        context.dt * f64::from(rate) / (1.0 + spring.max(0.0) * context.dt * context.dt)
    }
}

impl PressureSolver for Wcsph {
    fn criterion(&self, stage: Stage) -> Option<Criterion> {
        (stage == Stage::Density).then_some(Criterion::new(f64::INFINITY, 0, 0))
    }

    fn begin(&mut self, _: Stage, context: SolveContext<'_>, _: &Particles) {
        let density = &context.neighbourhood.density;
        let mut pressure = std::mem::take(&mut self.pressure);
        (0..density.len())
            .into_par_iter()
            .with_min_len(1024)
            .map(|i| {
                let density = f64::from(density[i]) + self.approach(context, i);
                (self.tait(density) / (density * density)) as f32
            })
            .collect_into_vec(&mut pressure);
        self.pressure = pressure;
        reset(&mut self.acceleration, density.len(), [0.0; 4]);
    }

    fn accelerate(&mut self, stage: Stage, context: SolveContext<'_>) {
        let pass =
            PressureAcceleration { neighbourhood: context.neighbourhood, pressure: &self.pressure, stage };
        context.neighbourhood.rows.run(&pass, &mut self.acceleration);
    }

    fn residual(&mut self, _: Stage, _: SolveContext<'_>, _: &[f32]) -> f64 {
        0.0
    }

    fn relax(&mut self, _: Stage, _: SolveContext<'_>, _: &dyn SweepCoupling) {}

    fn finish(&mut self, _: Stage, context: SolveContext<'_>, particles: &mut Particles, rest_density: f64) {
        for ((stored, &pressure), &density) in
            particles.pressure.iter_mut().zip(&self.pressure).zip(&context.neighbourhood.density)
        {
            *stored = pressure * density * density * rest_density as f32;
        }
    }

    fn acceleration(&mut self) -> &mut [[f32; 4]] {
        &mut self.acceleration
    }

    fn pressure(&self) -> &[f32] {
        &self.pressure
    }
}
