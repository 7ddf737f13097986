//! Divergence-free SPH: a density solve and a divergence solve (\[Bender2015\], \[Bender2017\]).
//!
//! | here | literature |
//! | --- | --- |
//! | P | ρ0 p / ρ² = ρ0 κ / ρ |
//! | `gradient[3]`, the diagonal D | ρ-scaled denominator of the factor α |
//! | source s | ρ*/ρ0 − 1 (density), dt · Dρ/Dt / ρ0 (divergence) |
//!
//! Both stages solve the equation of [`system`](super::system), s_i + dt² (A P)_i = 0 for P ≥ 0. One sweep is a relaxed Jacobi
//! step P_i += ω (s_i + dt² (A P)_i) / (dt² D_i), as each equation's own diagonal is −D_i, followed by an extrapolation along
//! the last change (\[Nesterov1983\], \[Beck2009\]), which is restarted whenever the residual grows. A deep tank
//! needs sweeps in proportion to its depth then, and not to the depth squared.
//!
//! Departures: the update acts on the pressure, not on the velocity, so that pressures can be clipped at zero over the
//! whole solve and not only increment by increment, and the velocity is corrected once at the end; start values are
//! the last step's pressures. The residual is the mean compression or the mean overshoot of pressures that act, whichever is
//! larger: a free surface may thin out, but pressure may not drive it apart.

use super::system::{PressureSystem, Start};
use super::{Criterion, PressureSolver, SolveContext, Stage, lattice};
use crate::neighbourhood::FluidParams;
use crate::particles::Particles;
use meniscus_core::Dimension;
use rayon::prelude::*;

/// Relaxation of the Jacobi sweep, for kernels that are not wide `[1]`.
const RELAXATION: f64 = 0.5;

/// Sweeps diverge when the residual grows by this factor in one of them: bodies that are pinched with the fluid answer all of its pressures together `[1]`.
const DIVERGING: f64 = 1.5;

/// Sweeps become no shorter than this `[1]`.
const LEAST_DAMPING: f32 = 1.0 / 64.0;

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
    /// Of the Jacobi sweep `[1]`.
    relaxation: f64,
    /// Particles with fewer neighbours take no part in the divergence solve: their rate is noise.
    min_neighbours: u32,
    /// Its pressures are the extrapolated ones: there the equations are evaluated.
    system: PressureSystem,
    /// Result of the last Jacobi step, before extrapolation.
    relaxed: Vec<f32>,
    momentum: Momentum,
}

/// Nesterov's sequence of extrapolation weights.
#[derive(Debug, Clone, Copy)]
struct Momentum {
    t: f32,
    /// What is left of the relaxation: sweeps that diverge become shorter `[1]`.
    damping: f32,
    last_residual: f64,
    residual: f64,
}

impl Momentum {
    const START: Self = Self { t: 1.0, damping: 1.0, last_residual: f64::INFINITY, residual: f64::INFINITY };

    fn observe(&mut self, residual: f64) {
        self.last_residual = self.residual;
        self.residual = residual;
    }

    fn next_weight(&mut self) -> f32 {
        if self.residual > self.last_residual {
            // ADR 3: the sequence is restarted.
            self.t = 1.0;
        }
        if self.residual > DIVERGING * self.last_residual {
            // ADR 19.
            self.damping = (0.5 * self.damping).max(LEAST_DAMPING);
        }
        // t' = (1 + √(1 + 4 t²)) / 2 and the weight (t − 1) / t': [Nesterov1983], [Beck2009].
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let weight = (self.t - 1.0) / t;
        self.t = t;
        weight
    }
}

impl Dfsph {
    /// A solver with the given parameters for this fluid.
    #[must_use]
    pub fn new(params: DfsphParams, fluid: &FluidParams) -> Self {
        let min_neighbours = match fluid.kernel.dimension {
            Dimension::Two => 7,
            Dimension::Three => 20,
        };
        Self {
            params,
            relaxation: RELAXATION * lattice::relaxation(fluid),
            min_neighbours,
            system: PressureSystem::new(fluid),
            relaxed: Vec::new(),
            momentum: Momentum::START,
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

    fn begin(&mut self, stage: Stage, context: SolveContext<'_>, particles: &Particles) {
        let start = Start {
            min_neighbours: self.min_neighbours,
            warm: self.params.warm_start.then_some((particles, 1.0)),
            after_divergence: stage == Stage::Density && self.params.divergence.is_some(),
        };
        self.system.begin(stage, context, start);
        // The first sweep does not extrapolate: what stands here is not read before it is written.
        self.relaxed.resize(self.system.pressure.len(), 0.0);
        self.momentum = Momentum::START;
    }

    fn accelerate(&mut self, stage: Stage, context: SolveContext<'_>) {
        self.system.accelerate(stage, context);
    }

    fn residual(&mut self, _: Stage, context: SolveContext<'_>, answer: &[f32]) -> f64 {
        let mean = self.system.linear_residual(context, answer);
        self.momentum.observe(mean);
        mean
    }

    fn worst(&self) -> f64 {
        self.system.worst()
    }

    fn relax(&mut self, _: Stage, context: SolveContext<'_>) {
        let weight = self.momentum.next_weight();
        let scale = self.momentum.damping * self.relaxation as f32 / (context.dt * context.dt) as f32;
        let PressureSystem { pressure, residual, .. } = &mut self.system;
        pressure
            .par_iter_mut()
            .zip(&mut self.relaxed)
            .zip(residual.par_iter().zip(&context.neighbourhood.gradient))
            .with_min_len(4096)
            .for_each(|((pressure, relaxed), (&residual, gradient))| {
                let change = PressureSystem::change(scale, residual, gradient[3]);
                // A relaxed Jacobi step, then the extrapolation along the last change: ADR 3.
                let next = (*pressure + change).max(0.0);
                let ahead = if weight > 0.0 { weight * (next - *relaxed) } else { 0.0 };
                *pressure = (next + ahead).max(0.0);
                *relaxed = next;
            });
    }

    fn keep(&mut self) {
        self.system.keep();
    }

    fn recall(&mut self) {
        self.system.recall();
    }

    fn finish(
        &mut self,
        stage: Stage,
        context: SolveContext<'_>,
        particles: &mut Particles,
        rest_density: f64,
    ) {
        // The physical pressure of the step is what both stages exert together; the divergence stage comes first.
        let add = stage == Stage::Density && self.params.divergence.is_some();
        self.system.store(stage, context, rest_density, particles, add);
    }

    fn acceleration(&mut self) -> &mut [[f32; 4]] {
        &mut self.system.acceleration
    }

    fn pressure(&self) -> &[f32] {
        &self.system.pressure
    }
}
