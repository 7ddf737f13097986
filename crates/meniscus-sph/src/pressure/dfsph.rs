//! Divergence-free SPH: a density solve and a divergence solve (\[Bender2015\], \[Bender2017\]).
//!
//! | here | literature |
//! | --- | --- |
//! | P | ρ0 p / ρ² = ρ0 κ / ρ |
//! | `gradient[3]`, the diagonal D | ρ-scaled denominator of the factor α |
//! | source s | ρ*/ρ0 − 1 (density), dt · Dρ/Dt / ρ0 (divergence) |
//!
//! Both stages solve the equation of [`system`](super::system), s_i + dt² (A P)_i = 0 for P ≥ 0, by the sweeps of [`implicit`](super::implicit).
//!
//! Departures: the update acts on the pressure, not on the velocity, so that pressures can be clipped at zero over the
//! whole solve and not only increment by increment, and the velocity is corrected once at the end; directions are conjugate; start values are
//! the last step's pressures. The residual is the mean compression or the mean overshoot of pressures that act, whichever is
//! larger: a free surface may thin out, but pressure may not drive it apart.

use super::implicit::Implicit;
use super::system::Start;
use super::{Criterion, PressureSolver, SolveContext, Stage, SweepCoupling};
use crate::neighbourhood::FluidParams;
use crate::particles::Particles;
use meniscus_core::Dimension;

/// Relaxation of the Jacobi sweep, for kernels that are not wide `[1]`.
const RELAXATION: f64 = 0.5;

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
    implicit: Implicit,
}

impl Dfsph {
    /// A solver with the given parameters for this fluid.
    #[must_use]
    pub fn new(params: DfsphParams, fluid: &FluidParams) -> Self {
        let min_neighbours = match fluid.kernel.dimension {
            Dimension::Two => 7,
            Dimension::Three => 20,
        };
        Self { params, min_neighbours, implicit: Implicit::new(fluid, RELAXATION) }
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
        let rough = self.criterion(stage).map_or(0, |criterion| criterion.min_sweeps);
        self.implicit.begin(stage, context, start, rough);
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
        // The physical pressure of the step is what both stages exert together; the divergence stage comes first.
        let add = stage == Stage::Density && self.params.divergence.is_some();
        self.implicit.system.store(stage, context, rest_density, particles, add);
    }

    fn acceleration(&mut self) -> &mut [[f32; 4]] {
        &mut self.implicit.system.acceleration
    }

    fn pressure(&self) -> &[f32] {
        &self.implicit.system.pressure
    }
}
