//! The pressure equation that the implicit solvers share.
//!
//! | here | literature |
//! | --- | --- |
//! | P | ρ0 p / ρ² |
//! | s | ρ_adv/ρ0 − 1 (density), dt · Dρ/Dt / ρ0 (divergence), both without pressure |
//! | dt² (A P)_i | the change of ρ_i/ρ0 by the pressure accelerations within the step |
//! | D_i, `Neighbourhood::gradient[3]` | −a_ii / dt² of \[Ihmsen2014\], the ρ-scaled denominator of α of \[Bender2017\] |
//!
//! The unknowns are pressures P ≥ 0 with s_i + dt² (A P)_i = 0 where P_i > 0 and ≤ 0 elsewhere: the pressures by which,
//! within this step, the density becomes the rest density or its rate zero. A P is never written down as a matrix: the
//! acceleration by P (\[Ihmsen2014\]: Σ d_ij p_j and d_ii p_i) and its density rate are two passes over the rows.
//!
//! s is never computed by itself, which would be a third pass: the residual s + dt² A P is what the velocities at the end of the
//! stage, v + dt a(P), do to the density.
//!
//! Departures: where something is compressed by more than [`SolveContext::relief`], a step takes back no more than that; less still where neighbours are so few or so far
//! that they would have to be thrown for it.

use super::{DensityRate, PressureAcceleration, SolveContext, Stage, lattice};
use crate::neighbourhood::FluidParams;
use crate::particles::Particles;
use crate::rows::{Row, RowPass};
use fearless_simd::Simd;
use meniscus_core::reduce;
use rayon::prelude::*;
use std::ops::Range;

/// Relative density deficit at which nothing is left of the last step's pressure as a start value `[1]`.
const WARM_RANGE: f32 = 0.01;

/// No start value is larger than what stops particles that would come this many spacings nearer in a step: contacts may take out all that the pressure of a
/// particle between them does, and it would grow from step to step until one of them lets go `[1]`.
const MOST_WARM: f64 = 0.5;

/// Below this diagonal a particle has nothing to push against `[1/m²]`.
const MIN_DIAGONAL: f32 = 1e-6;

/// Neighbours that are felt less count as if they were felt this much, in units of those in a lattice `[1]`.
const LEAST_REACH: f32 = 1e-3;

/// Pressures, and how far they are from a solution.
#[derive(Debug, Clone, Default)]
pub(super) struct PressureSystem {
    /// P `[m²/s²]`.
    pub pressure: Vec<f32>,
    /// The best P of the stage so far `[m²/s²]`.
    best: Vec<f32>,
    /// Acceleration by P `[m/s²]`.
    pub acceleration: Vec<[f32; 4]>,
    /// s + dt² A P `[1]`.
    pub residual: Vec<f32>,
    /// What the residual is without any motion of the fluid `[1]`.
    still: Vec<f32>,
    /// v + dt a `[m/s]`.
    velocity: Vec<[f32; 4]>,
    /// The largest compression that the last residual left `[1]`.
    worst: f64,
    /// D of a lattice `[1/m²]`.
    lattice: f32,
    /// Distance of particles at rest `[m]`.
    spacing: f64,
}

/// What a stage starts from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'a> {
    /// Particles with fewer neighbours take no part in a divergence stage: their rate is noise.
    pub min_neighbours: u32,
    /// The last step's pressures, as [`PressureSystem::store`] has kept them, and how much of them is taken `[1]`.
    pub warm: Option<(&'a Particles, f32)>,
    /// Whether the residual is still that of a divergence stage of this step.
    pub after_divergence: bool,
}

impl PressureSystem {
    /// One for this fluid.
    pub fn new(fluid: &FluidParams) -> Self {
        Self { lattice: lattice::stiffness(fluid) as f32, spacing: fluid.spacing, ..Self::default() }
    }

    /// One that takes compression back as if all particles had the neighbours of a lattice: for a solver that looks where particles come to.
    pub fn with_even_reach(fluid: &FluidParams) -> Self {
        Self { spacing: fluid.spacing, ..Self::default() }
    }

    /// Sets up a stage and its first pressures.
    pub fn begin(&mut self, stage: Stage, context: SolveContext<'_>, start: Start<'_>) {
        let SolveContext { neighbourhood, dt, relief, .. } = context;
        let n = neighbourhood.density.len();
        // Written before they are read.
        self.acceleration.resize(n, [0.0; 4]);
        self.velocity.resize(n, [0.0; 4]);
        self.residual.resize(n, 0.0);
        let residual = &self.residual;
        let seconds = dt as f32;
        let warm = start.warm.map(|(particles, share)| match stage {
            Stage::Density => (&particles.density_warm, share / warm_scale(stage, dt)),
            Stage::Divergence => (&particles.divergence_warm, share / warm_scale(stage, dt)),
        });
        let lattice = self.lattice;
        // ADR 23.
        let most = (MOST_WARM * (self.spacing / dt).powi(2)) as f32;
        let first = |i: usize| {
            let flux = neighbourhood.wall(i).map_or(0.0, |wall| wall.flux);
            let (still, kept) = match stage {
                Stage::Density => {
                    // Of maps: [Koschier2017] Eq. 14.
                    let surplus = neighbourhood.boundary.surplus.get(i).copied().unwrap_or(0.0);
                    // What a step takes back at most: ADR 19 (relief), ADR 21 (reach).
                    let excess = (neighbourhood.density[i] - 1.0)
                        .min(reach(neighbourhood.gradient[i][3], lattice) * relief)
                        + surplus;
                    // Fluid at rest has densities scattered about the rest density and keeps its pressure; where it
                    // comes apart, an old pressure would only drive it farther.
                    let drift = if start.after_divergence { residual[i] } else { 0.0 };
                    (excess - seconds * flux, (1.0 + (excess + drift) / WARM_RANGE).clamp(0.0, 1.0))
                }
                Stage::Divergence => {
                    let samples =
                        neighbourhood.wall(i).map_or(0, |_| neighbourhood.boundary.row(i).len() as u32);
                    let neighbours = neighbourhood.sum[i].neighbours + samples;
                    // ADR 3.
                    if neighbours < start.min_neighbours {
                        (f32::NEG_INFINITY, 0.0)
                    } else {
                        (-seconds * flux, 1.0)
                    }
                }
            };
            (still, warm.map_or(0.0, |(warm, scale)| (kept * scale * warm[i]).min(most)))
        };
        let particles = (0..n).into_par_iter().with_min_len(4096);
        particles.map(first).unzip_into_vecs(&mut self.still, &mut self.pressure);
    }

    /// Remembers the current pressures.
    pub fn keep(&mut self) {
        self.best.clone_from(&self.pressure);
    }

    /// Puts back the pressures that were kept last.
    pub fn recall(&mut self) {
        self.pressure.clone_from(&self.best);
    }

    /// The acceleration by the current pressures.
    pub fn accelerate(&mut self, stage: Stage, context: SolveContext<'_>) {
        let pass =
            PressureAcceleration { neighbourhood: context.neighbourhood, pressure: &self.pressure, stage };
        context.neighbourhood.rows.run(&pass, &mut self.acceleration);
    }

    /// The residual to first order in time, with what bodies that give way add.
    pub fn linear_residual(&mut self, context: SolveContext<'_>, answer: &[f32]) {
        let SolveContext { neighbourhood, velocity, dt, .. } = context;
        let seconds = dt as f32;
        // The density at the end of the step by its rate for v + dt a(P): [Koschier2017] Eq. 13.
        let end = self.velocity.par_iter_mut().zip(velocity).zip(&self.acceleration).with_min_len(4096);
        end.for_each(|((end, v), a)| *end = [0, 1, 2, 3].map(|c| v[c] + seconds * a[c]));
        let rate = DensityRate { neighbourhood, field: &self.velocity };
        neighbourhood
            .rows
            .run(&Residual { rate, dt: seconds, still: &self.still, answer }, &mut self.residual);
    }

    /// The mean compression that is left, or the mean by which pressures that act overshoot, whichever is larger `[1]`: a
    /// free surface may thin out, but pressure may not drive it apart.
    pub fn mean_residual(&mut self) -> f64 {
        let (residual, pressure) = (&self.residual, &self.pressure);
        let n = residual.len();
        let left = |range: Range<usize>| {
            let rows = residual[range.clone()].iter().zip(&pressure[range]);
            rows.fold(Left::default(), |left, (&residual, &pressure)| left.and(residual, pressure))
        };
        let left = reduce::by_chunk(n, Left::default(), left, Left::joined);
        self.worst = f64::from(left.worst);
        left.compression.max(left.excess) / n.max(1) as f64
    }

    /// The largest compression that the last residual left `[1]`.
    pub fn worst(&self) -> f64 {
        self.worst
    }

    /// What a Jacobi step adds to P, for each equation on its own: `scale` times residual over diagonal.
    #[inline(always)]
    pub fn change(scale: f32, residual: f32, diagonal: f32) -> f32 {
        // (s_i + dt² (A P)_i) / (dt² D_i): ADR 3.
        if is_diagonal(diagonal) { scale * residual / diagonal } else { 0.0 }
    }

    /// Keeps the pressures as start values of the next step, and adds the physical pressure p = ρ² P / ρ0 to what `particles` hold,
    /// or replaces it `[Pa]`.
    pub fn store(
        &self,
        stage: Stage,
        context: SolveContext<'_>,
        rest_density: f64,
        particles: &mut Particles,
        add: bool,
    ) {
        let Particles { density_warm, divergence_warm, pressure: stored, .. } = particles;
        let warm = match stage {
            Stage::Density => density_warm,
            Stage::Divergence => divergence_warm,
        };
        let scale = warm_scale(stage, context.dt);
        let rest_density = rest_density as f32;
        let rows = warm.par_iter_mut().zip(stored).zip(&self.pressure).zip(&context.neighbourhood.density);
        rows.with_min_len(4096).for_each(|(((warm, stored), &pressure), &density)| {
            *warm = pressure * scale;
            let before = if add { *stored } else { 0.0 };
            // p = ρ² P / ρ0.
            *stored = before + pressure * density * density * rest_density;
        });
    }
}

/// Whether a particle has something to push against, by its diagonal `[1/m²]`.
#[inline(always)]
pub(super) fn is_diagonal(diagonal: f32) -> bool {
    diagonal > MIN_DIAGONAL
}

/// What a residual leaves to do.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    /// Sum of compressions `[1]`.
    compression: f64,
    /// Sum of what acting pressures overshoot `[1]`.
    excess: f64,
    /// Largest compression `[1]`.
    worst: f32,
}

impl Left {
    #[inline(always)]
    fn and(self, residual: f32, pressure: f32) -> Self {
        let excess = if pressure > 0.0 { -residual } else { 0.0 };
        Self {
            compression: self.compression + f64::from(residual.max(0.0)),
            excess: self.excess + f64::from(excess.max(0.0)),
            worst: self.worst.max(residual),
        }
    }

    fn joined(self, other: Self) -> Self {
        Self {
            compression: self.compression + other.compression,
            excess: self.excess + other.excess,
            worst: self.worst.max(other.worst),
        }
    }
}

/// How much a density changes when neighbours move at some speed, in units of what it does in a lattice; of both D is given `[1]`.
///
/// A particle between walls that answer no pressure may be compressed by them and have one neighbour only, at the end of its reach.
fn reach(diagonal: f32, lattice: f32) -> f32 {
    // √(D / D of a lattice): ADR 21.
    (diagonal.max(0.0) / lattice).sqrt().clamp(LEAST_REACH, 1.0)
}

/// Power of dt by which a stage's stored start values are scaled: what stays alike from step to step is the effect of
/// a pressure, on positions for the density solve, on velocities for the divergence solve.
fn warm_scale(stage: Stage, dt: f64) -> f32 {
    match stage {
        Stage::Density => (dt * dt) as f32,
        Stage::Divergence => dt as f32,
    }
}

/// s_i + dt² (A P)_i, with what bodies add.
struct Residual<'a> {
    rate: DensityRate<'a>,
    dt: f32,
    still: &'a [f32],
    /// Empty if no body gives way.
    answer: &'a [f32],
}

impl RowPass for Residual<'_> {
    type Out = f32;

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> f32 {
        let answer = self.answer.get(i).copied().unwrap_or(0.0);
        // s_i + dt² (A P)_i, with s_i as what v does to the density, and the bodies' part: ADR 3, ADR 13.
        self.still[i] + self.dt * self.rate.rate(simd, i, row) + answer
    }
}
