//! The pressure equation that the implicit solvers share.
//!
//! | here | literature |
//! | --- | --- |
//! | P | ρ0 p / ρ² |
//! | s | ρ_adv/ρ0 − 1 (density), dt · Dρ/Dt / ρ0 (divergence) |
//! | dt² (A P)_i | the change of ρ_i/ρ0 by the pressure accelerations within the step |
//! | D_i, `Wet::gradient[3]` | −a_ii / dt² of \[Ihmsen2014\], the ρ-scaled denominator of α of \[Bender2017\] |
//!
//! The unknowns are pressures P ≥ 0 with s_i + dt² (A P)_i = 0 where P_i > 0 and ≤ 0 elsewhere: the pressures by which,
//! within this step, the density becomes the rest density or its rate zero. A P is never written down as a matrix: the
//! acceleration by P (\[Ihmsen2014\]: Σ d_ij p_j and d_ii p_i) and its density rate are two passes over the rows.
//!
//! Departures: none of its own; see the solvers.

use super::{DensityRate, Moment, PressureAcceleration, Stage, reset};
use crate::particles::Particles;
use crate::rows::{Row, RowPass};
use fearless_simd::Simd;
use meniscus_core::reduce;
use rayon::prelude::*;

/// Relative density deficit at which nothing is left of the last step's pressure as a start value `[1]`.
const WARM_RANGE: f32 = 0.01;

/// Below this diagonal a particle has nothing to push against `[1/m²]`.
const MIN_DIAGONAL: f32 = 1e-6;

/// The source of particles that take no part in a stage: so thin that no pressure is ever found for them `[1]`.
const SILENT: f32 = -1.0;

/// Pressures, and how far they are from a solution.
#[derive(Debug, Clone, Default)]
pub(super) struct PressureSystem {
    /// P `[m²/s²]`.
    pub pressure: Vec<f32>,
    /// Acceleration by P `[m/s²]`.
    pub acceleration: Vec<[f32; 4]>,
    /// s: the relative compression to be removed `[1]`.
    pub source: Vec<f32>,
    /// s + dt² A P `[1]`.
    pub residual: Vec<f32>,
}

impl PressureSystem {
    /// Sets up a stage with zero pressure. Particles with fewer than `min_neighbours` take no part in a divergence stage:
    /// their rate is noise.
    pub fn begin(&mut self, stage: Stage, moment: Moment<'_>, min_neighbours: u32) {
        let Moment { wet, velocity, dt } = moment;
        let n = wet.density.len();
        // Written before they are read, unlike the pressures.
        self.source.resize(n, 0.0);
        self.residual.resize(n, 0.0);
        self.acceleration.resize(n, [0.0; 4]);
        reset(&mut self.pressure, n, 0.0);
        let rate = DensityRate { wet, field: velocity };
        wet.rows.run(&Source { rate, stage, dt: dt as f32, min_neighbours }, &mut self.source);
    }

    /// Starts from `share` `[1]` of the pressures that [`PressureSystem::store`] has kept.
    pub fn warm_start(&mut self, stage: Stage, dt: f64, particles: &Particles, share: f32) {
        let warm = match stage {
            Stage::Density => &particles.density_warm,
            Stage::Divergence => &particles.divergence_warm,
        };
        let scale = share / warm_scale(stage, dt);
        let start = self.pressure.par_iter_mut().zip(warm).zip(&self.source).with_min_len(4096);
        start.for_each(|((pressure, &warm), &source)| {
            // Fluid at rest has densities scattered about the rest density and keeps its pressure; where it comes apart,
            // an old pressure would only drive it farther.
            let kept = match stage {
                Stage::Density => (1.0 + source / WARM_RANGE).clamp(0.0, 1.0),
                Stage::Divergence => f32::from(source > 0.0),
            };
            *pressure = warm * scale * kept;
        });
    }

    /// The acceleration by the current pressures.
    pub fn accelerate(&mut self, stage: Stage, moment: Moment<'_>) {
        let pass = PressureAcceleration { wet: moment.wet, pressure: &self.pressure, stage };
        moment.wet.rows.run(&pass, &mut self.acceleration);
    }

    /// The residual to first order in time, with what bodies that give way add; returns its mean, see
    /// [`PressureSystem::mean_residual`].
    pub fn linear_residual(&mut self, moment: Moment<'_>, answer: &[f32]) -> f64 {
        let Moment { wet, dt, .. } = moment;
        let rate = DensityRate { wet, field: &self.acceleration };
        let pass = Residual { rate, dt_squared: (dt * dt) as f32, source: &self.source, answer };
        wet.rows.run(&pass, &mut self.residual);
        self.mean_residual()
    }

    /// The mean compression that is left, or the mean by which pressures that act overshoot, whichever is larger `[1]`: a
    /// free surface may thin out, but pressure may not drive it apart.
    pub fn mean_residual(&self) -> f64 {
        let (residual, pressure) = (&self.residual, &self.pressure);
        let n = residual.len();
        let left = |i: usize| {
            let excess = if pressure[i] > 0.0 { (-residual[i]).max(0.0) } else { 0.0 };
            [residual[i].max(0.0), excess].map(f64::from)
        };
        let add = |a: [f64; 2], b: [f64; 2]| [a[0] + b[0], a[1] + b[1]];
        let [compression, excess] =
            reduce::by_chunk(n, [0.0; 2], |range| range.map(left).fold([0.0; 2], add), add);
        compression.max(excess) / n.max(1) as f64
    }

    /// The largest compression that is left `[1]`.
    pub fn worst(&self) -> f64 {
        let residual = &self.residual;
        reduce::max(residual.len(), 0.0, |i| f64::from(residual[i]))
    }

    /// What a Jacobi step adds to P, for each equation on its own: `scale` times residual over diagonal.
    #[inline(always)]
    pub fn change(scale: f32, residual: f32, diagonal: f32) -> f32 {
        if diagonal > MIN_DIAGONAL { scale * residual / diagonal } else { 0.0 }
    }

    /// Keeps the pressures as start values of the next step.
    pub fn store(&self, stage: Stage, dt: f64, particles: &mut Particles) {
        let warm = match stage {
            Stage::Density => &mut particles.density_warm,
            Stage::Divergence => &mut particles.divergence_warm,
        };
        let scale = warm_scale(stage, dt);
        let kept = warm.par_iter_mut().zip(&self.pressure).with_min_len(4096);
        kept.for_each(|(warm, pressure)| *warm = pressure * scale);
    }

    /// Adds the physical pressure p = ρ² P / ρ0 to what `particles` hold, or replaces it `[Pa]`.
    pub fn publish(&self, moment: Moment<'_>, rest_density: f64, particles: &mut Particles, add: bool) {
        let stored = particles.pressure.par_iter_mut().zip(&self.pressure).zip(&moment.wet.density);
        stored.with_min_len(4096).for_each(|((stored, &pressure), &density)| {
            let before = if add { *stored } else { 0.0 };
            *stored = before + pressure * density * density * rest_density as f32;
        });
    }
}

/// Power of dt by which a stage's stored start values are scaled: what stays alike from step to step is the effect of
/// a pressure, on positions for the density solve, on velocities for the divergence solve.
fn warm_scale(stage: Stage, dt: f64) -> f32 {
    match stage {
        Stage::Density => (dt * dt) as f32,
        Stage::Divergence => dt as f32,
    }
}

/// s_i: the relative compression to be removed.
struct Source<'a> {
    rate: DensityRate<'a>,
    stage: Stage,
    dt: f32,
    min_neighbours: u32,
}

impl RowPass for Source<'_> {
    type Out = f32;

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> f32 {
        let wet = self.rate.wet;
        let change = self.dt * (self.rate.rate(simd, i, row) - wet.boundary.sum[i].flux);
        match self.stage {
            Stage::Density => {
                wet.density[i] - 1.0 + change + wet.boundary.surplus.get(i).copied().unwrap_or(0.0)
            }
            Stage::Divergence => {
                let neighbours = wet.sum[i].neighbours + wet.boundary.row(i).len() as u32;
                if neighbours < self.min_neighbours { SILENT } else { change.max(0.0) }
            }
        }
    }
}

/// s_i + dt² (A P)_i, with what bodies add.
struct Residual<'a> {
    rate: DensityRate<'a>,
    dt_squared: f32,
    source: &'a [f32],
    /// Empty if no body gives way.
    answer: &'a [f32],
}

impl RowPass for Residual<'_> {
    type Out = f32;

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> f32 {
        let answer = self.answer.get(i).copied().unwrap_or(0.0);
        self.source[i] + self.dt_squared * self.rate.rate(simd, i, row) + answer
    }
}
