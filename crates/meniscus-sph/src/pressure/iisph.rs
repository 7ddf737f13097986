//! Implicit incompressible SPH: a density solve for pressures (\[Ihmsen2014\]).
//!
//! | here | paper |
//! | --- | --- |
//! | P | p, as ρ0 p / ρ² |
//! | source s | (ρ_adv − ρ0) / ρ0 |
//! | dt² D_i | −a_ii |
//! | `relaxation` | ω |
//! | `warm_factor` | the share of the last step's p that a solve starts from |
//!
//! One of the first sweeps is p_i ← p_i + ω (ρ0 − ρ_adv − (A p)_i) / a_ii, clipped at zero, as \[Koschier2017\] and others use it with boundary
//! rows of their own.
//!
//! Departures: later sweeps go along conjugate directions ([`implicit`](super::implicit)); the last step's pressures fade where the fluid thins out, as in DFSPH, and start values keep their effect
//! on positions when dt changes; a wall's answer is that of all solvers here (k P_i, continued hydrostatically), and its
//! share of the diagonal with it; a solve has converged when neither compression nor overshoot exceed the tolerance.

use super::implicit::Implicit;
use super::system::Start;
use super::{Criterion, PressureSolver, SolveContext, Stage, SweepCoupling};
use crate::neighbourhood::FluidParams;
use crate::particles::Particles;

/// Parameters of implicit incompressible SPH.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IisphParams {
    /// When the solve is done; residual: mean compression at the end of the step `[1]`.
    pub density: Criterion,
    /// ω of the Jacobi sweep; for kernels wider than two spacings as much of it as converges `[1]`.
    pub relaxation: f64,
    /// Share of the last step's pressures that a solve starts from `[1]`.
    pub warm_factor: f64,
}

/// The solver of Ihmsen et al.
pub struct Iisph {
    params: IisphParams,
    implicit: Implicit,
}

impl Iisph {
    /// A solver with the given parameters for this fluid.
    #[must_use]
    pub fn new(params: IisphParams, fluid: &FluidParams) -> Self {
        Self { params, implicit: Implicit::new(fluid, params.relaxation) }
    }
}

impl PressureSolver for Iisph {
    fn criterion(&self, stage: Stage) -> Option<Criterion> {
        (stage == Stage::Density).then_some(self.params.density)
    }

    fn begin(&mut self, stage: Stage, context: SolveContext<'_>, particles: &Particles) {
        let warm = Some((particles, self.params.warm_factor as f32));
        let start = Start { min_neighbours: 0, warm, after_divergence: false };
        self.implicit.begin(stage, context, start, self.params.density.min_sweeps);
    }

    fn accelerate(&mut self, stage: Stage, context: SolveContext<'_>) {
        self.implicit.system.accelerate(stage, context);
    }

    fn residual(&mut self, _: Stage, context: SolveContext<'_>, answer: &[f32]) -> f64 {
        self.implicit.residual(context, answer)
    }

    fn owed(&mut self, context: SolveContext<'_>, coupling: &dyn SweepCoupling) -> f64 {
        self.implicit.owed(context, coupling)
    }

    fn worst(&self) -> f64 {
        self.implicit.system.worst()
    }

    fn relax(&mut self, _: Stage, context: SolveContext<'_>, coupling: &dyn SweepCoupling) {
        self.implicit.relax(context, coupling);
    }

    fn settle(&mut self) -> bool {
        self.implicit.settle()
    }

    fn keep(&mut self) {
        self.implicit.system.keep();
    }

    fn recall(&mut self) {
        self.implicit.recall();
    }

    fn finish(
        &mut self,
        stage: Stage,
        context: SolveContext<'_>,
        particles: &mut Particles,
        rest_density: f64,
    ) {
        self.implicit.system.store(stage, context, rest_density, particles, false);
    }

    fn acceleration(&mut self) -> &mut [[f32; 4]] {
        &mut self.implicit.system.acceleration
    }

    fn pressure(&self) -> &[f32] {
        &self.implicit.system.pressure
    }
}
