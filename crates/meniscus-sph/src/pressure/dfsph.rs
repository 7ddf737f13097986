//! Divergence-free SPH: a density solve and a divergence solve (Bender & Koschier 2015, 2017).
//!
//! | here | literature |
//! | --- | --- |
//! | P | ρ0 p / ρ² = ρ0 κ / ρ |
//! | `gradient[3]`, the diagonal D | ρ-scaled denominator of the factor α |
//! | source s | ρ*/ρ0 − 1 (density), dt · Dρ/Dt / ρ0 (divergence) |
//!
//! Both stages solve s_i + dt² (A P)_i = 0 for P ≥ 0, where A P is the density rate of the acceleration by P: the pressures
//! by which, within this step, the density becomes the rest density or its rate zero. One sweep is a relaxed Jacobi
//! step P_i += ω (s_i + dt² (A P)_i) / (dt² D_i), as each equation's own diagonal is −D_i, followed by an extrapolation along
//! the last change (Nesterov 1983; Beck & Teboulle 2009), which starts anew whenever the residual grows. A deep tank
//! needs sweeps in proportion to its depth then, and not to the depth squared.
//!
//! Departures: the update acts on the pressure, not on the velocity, so that pressures can be clipped at zero over the
//! whole solve and not only increment by increment, and the velocity is corrected once at the end; start values are
//! the last step's pressures. The residual is the mean compression or the mean overshoot of pressures that act, whichever is
//! larger: a free surface may thin out, but pressure may not drive it apart.

use super::{Criterion, DensityRate, Moment, PressureAcceleration, PressureSolver, Stage, reset};
use crate::particles::Particles;
use crate::rows::{RowBlock, RowPass};
use fearless_simd::Simd;
use meniscus_core::{Dimension, reduce};
use rayon::prelude::*;

/// Relaxation of the Jacobi sweep `[1]`.
const RELAXATION: f32 = 0.5;

/// Relative density deficit at which nothing is left of the last step's pressure as a start value `[1]`.
const WARM_RANGE: f32 = 0.01;

/// Parameters of divergence-free SPH.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DfsphParams {
    /// When the density solve is done; residual: mean compression at the end of the step `[1]`.
    pub density: Criterion,
    /// When the divergence solve is done, if there is one; residual: mean compression by one step at the current
    /// rate `[1]`.
    pub divergence: Option<Criterion>,
    /// Whether the last step's pressures are start values.
    pub warm_start: bool,
}

/// The implicit solver.
pub struct Dfsph {
    params: DfsphParams,
    /// Particles with fewer neighbours take no part in the divergence solve: their rate is noise.
    min_neighbours: u32,
    /// Where the equations are evaluated: extrapolated pressures.
    pressure: Vec<f32>,
    /// Result of the last Jacobi step, before extrapolation.
    relaxed: Vec<f32>,
    acceleration: Vec<[f32; 4]>,
    source: Vec<f32>,
    residual: Vec<f32>,
    momentum: Momentum,
}

/// Nesterov's sequence of extrapolation weights.
#[derive(Debug, Clone, Copy)]
struct Momentum {
    t: f32,
    last_residual: f64,
    residual: f64,
}

impl Momentum {
    const START: Self = Self { t: 1.0, last_residual: f64::INFINITY, residual: f64::INFINITY };

    fn observe(&mut self, residual: f64) {
        self.last_residual = self.residual;
        self.residual = residual;
    }

    fn next_weight(&mut self) -> f32 {
        if self.residual > self.last_residual {
            self.t = 1.0;
        }
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let weight = (self.t - 1.0) / t;
        self.t = t;
        weight
    }
}

impl Dfsph {
    /// A solver with the given parameters.
    #[must_use]
    pub fn new(params: DfsphParams, dimension: Dimension) -> Self {
        let min_neighbours = match dimension {
            Dimension::Two => 7,
            Dimension::Three => 20,
        };
        Self {
            params,
            min_neighbours,
            pressure: Vec::new(),
            relaxed: Vec::new(),
            momentum: Momentum::START,
            acceleration: Vec::new(),
            source: Vec::new(),
            residual: Vec::new(),
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
    fn eval<S: Simd>(&self, simd: S, i: usize, row: &[RowBlock]) -> f32 {
        let wet = self.rate.wet;
        let change = self.dt * (self.rate.rate(simd, i, row) - wet.boundary.sum[i].flux);
        match self.stage {
            Stage::Density => {
                wet.density[i] - 1.0 + change + wet.boundary.surplus.get(i).copied().unwrap_or(0.0)
            }
            Stage::Divergence => {
                let neighbours = wet.sum[i].neighbours + wet.boundary.row(i).len() as u32;
                if neighbours < self.min_neighbours { 0.0 } else { change.max(0.0) }
            }
        }
    }
}

impl PressureSolver for Dfsph {
    fn criterion(&self, stage: Stage) -> Option<Criterion> {
        match stage {
            Stage::Density => Some(self.params.density),
            Stage::Divergence => self.params.divergence,
        }
    }

    fn begin(&mut self, stage: Stage, moment: Moment<'_>, particles: &Particles) {
        let Moment { wet, velocity, dt } = moment;
        let n = wet.density.len();
        reset(&mut self.source, n, 0.0);
        reset(&mut self.residual, n, 0.0);
        reset(&mut self.acceleration, n, [0.0; 4]);
        reset(&mut self.pressure, n, 0.0);
        let pass = Source {
            rate: DensityRate { wet, field: velocity },
            stage,
            dt: dt as f32,
            min_neighbours: self.min_neighbours,
        };
        wet.rows.run(&pass, &mut self.source);
        if self.params.warm_start {
            let warm = match stage {
                Stage::Density => &particles.density_warm,
                Stage::Divergence => &particles.divergence_warm,
            };
            let scale = 1.0 / Self::warm_scale(stage, dt);
            for ((pressure, &warm), &source) in self.pressure.iter_mut().zip(warm).zip(&self.source) {
                // Fluid at rest has densities scattered about the rest density and keeps its pressure; where it comes apart,
                // an old pressure would only drive it farther.
                let kept = match stage {
                    Stage::Density => (1.0 + source / WARM_RANGE).clamp(0.0, 1.0),
                    Stage::Divergence => f32::from(source > 0.0),
                };
                *pressure = warm * scale * kept;
            }
        }
        self.relaxed.clone_from(&self.pressure);
        self.momentum = Momentum::START;
    }

    fn accelerate(&mut self, stage: Stage, moment: Moment<'_>) {
        let pass = PressureAcceleration { wet: moment.wet, pressure: &self.pressure, stage };
        moment.wet.rows.run(&pass, &mut self.acceleration);
    }

    fn residual(&mut self, _: Stage, moment: Moment<'_>) -> f64 {
        let Moment { wet, dt, .. } = moment;
        wet.rows.run(&DensityRate { wet, field: &self.acceleration }, &mut self.residual);
        let dt_squared = (dt * dt) as f32;
        self.residual.par_iter_mut().zip(&self.source).with_min_len(4096).for_each(|(rate, source)| {
            *rate = source + dt_squared * *rate;
        });
        let n = self.residual.len();
        let (residual, pressure) = (&self.residual, &self.pressure);
        let compression = reduce::sum(n, |i| f64::from(residual[i].max(0.0)));
        // Where pressure acts it must not do more than undo the compression, or it drives the fluid apart.
        let excess =
            reduce::sum(n, |i| f64::from(if pressure[i] > 0.0 { (-residual[i]).max(0.0) } else { 0.0 }));
        let mean = compression.max(excess) / n.max(1) as f64;
        self.momentum.observe(mean);
        mean
    }

    fn relax(&mut self, _: Stage, moment: Moment<'_>) {
        let scale = RELAXATION / (moment.dt * moment.dt) as f32;
        let weight = self.momentum.next_weight();
        self.pressure
            .par_iter_mut()
            .zip(&mut self.relaxed)
            .zip(self.residual.par_iter().zip(&moment.wet.gradient))
            .with_min_len(4096)
            .for_each(|((pressure, relaxed), (residual, gradient))| {
                let diagonal = gradient[3];
                // A particle without neighbours has nothing to push against.
                let change = if diagonal > 1e-6 { scale * residual / diagonal } else { 0.0 };
                let next = (*pressure + change).max(0.0);
                *pressure = (next + weight * (next - *relaxed)).max(0.0);
                *relaxed = next;
            });
    }

    fn finish(&mut self, stage: Stage, moment: Moment<'_>, particles: &mut Particles, rest_density: f64) {
        let scale = Self::warm_scale(stage, moment.dt);
        let warm = match stage {
            Stage::Density => &mut particles.density_warm,
            Stage::Divergence => &mut particles.divergence_warm,
        };
        for (warm, pressure) in warm.iter_mut().zip(&self.pressure) {
            *warm = pressure * scale;
        }
        // The physical pressure of the step is what both stages exert together.
        if stage == Stage::Divergence {
            particles.pressure.fill(0.0);
        }
        let accumulate = self.params.divergence.is_some();
        for ((stored, &pressure), &density) in
            particles.pressure.iter_mut().zip(&self.pressure).zip(&moment.wet.density)
        {
            let before = if accumulate { *stored } else { 0.0 };
            *stored = before + pressure * density * density * rest_density as f32;
        }
    }

    fn acceleration(&mut self) -> &mut [[f32; 4]] {
        &mut self.acceleration
    }

    fn pressure(&self) -> &[f32] {
        &self.pressure
    }
}
