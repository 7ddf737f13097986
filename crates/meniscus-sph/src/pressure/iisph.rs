//! Implicit incompressible SPH: a density solve by relaxed Jacobi sweeps (\[Ihmsen2014\]).
//!
//! | here | paper |
//! | --- | --- |
//! | P | p, as ρ0 p / ρ² |
//! | source s | (ρ_adv − ρ0) / ρ0 |
//! | dt² D_i | −a_ii |
//! | `relaxation` | ω |
//! | `warm_factor` | the share of the last step's p that a solve starts from |
//!
//! One sweep is p_i ← p_i + ω (ρ0 − ρ_adv − (A p)_i) / a_ii, clipped at zero, as \[Koschier2017\] and others use it with boundary
//! rows of their own.
//!
//! Departures: the last step's pressures fade where the fluid thins out, as in DFSPH, and start values keep their effect
//! on positions when dt changes; a wall's answer is that of all solvers here (k P_i, continued hydrostatically), and its
//! share of the diagonal with it; a solve has converged when neither compression nor overshoot exceed the tolerance.

use super::system::{PressureSystem, Start};
use super::{Criterion, PressureSolver, SolveContext, Stage, lattice};
use crate::neighbourhood::FluidParams;
use crate::particles::Particles;
use rayon::prelude::*;

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
    /// What is taken of the relaxation with a wide kernel `[1]`.
    share: f64,
    system: PressureSystem,
}

impl Iisph {
    /// A solver with the given parameters for this fluid.
    #[must_use]
    pub fn new(params: IisphParams, fluid: &FluidParams) -> Self {
        Self { params, share: lattice::relaxation(fluid), system: PressureSystem::new(fluid) }
    }
}

impl PressureSolver for Iisph {
    fn criterion(&self, stage: Stage) -> Option<Criterion> {
        (stage == Stage::Density).then_some(self.params.density)
    }

    fn begin(&mut self, stage: Stage, context: SolveContext<'_>, particles: &Particles) {
        let warm = Some((particles, self.params.warm_factor as f32));
        self.system.begin(stage, context, Start { min_neighbours: 0, warm, after_divergence: false });
    }

    fn accelerate(&mut self, stage: Stage, context: SolveContext<'_>) {
        self.system.accelerate(stage, context);
    }

    fn residual(&mut self, _: Stage, context: SolveContext<'_>, answer: &[f32]) -> f64 {
        self.system.linear_residual(context, answer)
    }

    fn worst(&self) -> f64 {
        self.system.worst()
    }

    fn relax(&mut self, _: Stage, context: SolveContext<'_>) {
        let scale = (self.share * self.params.relaxation / (context.dt * context.dt)) as f32;
        let PressureSystem { pressure, residual, .. } = &mut self.system;
        let rows = pressure.par_iter_mut().zip(&*residual).zip(&context.neighbourhood.gradient);
        rows.with_min_len(4096).for_each(|((pressure, &residual), gradient)| {
            // A relaxed Jacobi step of [Ihmsen2014], clipped: p + ω (ρ0 − ρ_adv − (A p)) / a_ii in units of P.
            *pressure = (*pressure + PressureSystem::change(scale, residual, gradient[3])).max(0.0);
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
        self.system.store(stage, context, rest_density, particles, false);
    }

    fn acceleration(&mut self) -> &mut [[f32; 4]] {
        &mut self.system.acceleration
    }

    fn pressure(&self) -> &[f32] {
        &self.system.pressure
    }
}
