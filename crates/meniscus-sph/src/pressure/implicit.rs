//! Sweeps for the pressure equation, as DFSPH and IISPH make them.
//!
//! The first sweeps are Jacobi steps, each equation for itself: they take out what is rough, and where fluid moves on as it did they are enough. What is left then is smooth, and
//! is found along conjugate directions ([`conjugate`](super::conjugate)) by sweeps whose number does not grow with the depth of the fluid.

use super::conjugate::Conjugate;
use super::system::{PressureSystem, Start};
use super::{SolveContext, Stage, SweepCoupling, lattice};
use crate::neighbourhood::FluidParams;
use rayon::prelude::*;

/// The pressure equation and how it is solved.
pub(super) struct Implicit {
    pub system: PressureSystem,
    conjugate: Conjugate,
    /// Of a Jacobi sweep `[1]`.
    relaxation: f64,
    /// How many sweeps are still Jacobi steps.
    rough: u32,
    /// Whether solids answer.
    answered: bool,
}

impl Implicit {
    /// Of a fluid, with this relaxation ω of Jacobi sweeps, which is less for wide kernels `[1]`.
    pub fn new(fluid: &FluidParams, relaxation: f64) -> Self {
        let wide = lattice::relaxation(fluid);
        Self {
            system: PressureSystem::new(fluid),
            conjugate: Conjugate::new(wide),
            relaxation: wide * relaxation,
            rough: 0,
            answered: false,
        }
    }

    /// Sets up a stage, whose first `rough` sweeps are Jacobi steps.
    pub fn begin(&mut self, stage: Stage, context: SolveContext<'_>, start: Start<'_>, rough: u32) {
        self.system.begin(stage, context, start);
        self.conjugate.begin();
        self.rough = rough;
    }

    /// The mean residual of what was taken of the last sweep.
    pub fn residual(&mut self, context: SolveContext<'_>, answer: &[f32]) -> f64 {
        self.answered = !answer.is_empty();
        self.system.linear_residual(context, answer);
        self.conjugate.observe(&mut self.system);
        self.system.mean_residual()
    }

    /// See [`PressureSolver::owed`](super::PressureSolver::owed).
    pub fn owed(&mut self, context: SolveContext<'_>, coupling: &dyn SweepCoupling) -> f64 {
        self.conjugate.owed(&self.system, context, coupling)
    }

    /// A sweep.
    pub fn relax(&mut self, context: SolveContext<'_>, coupling: &dyn SweepCoupling) {
        if self.rough == 0 {
            self.conjugate.relax(&mut self.system, context, coupling, self.answered);
            return;
        }
        self.rough -= 1;
        let scale = (self.relaxation / (context.dt * context.dt)) as f32;
        let PressureSystem { pressure, residual, .. } = &mut self.system;
        let rows = pressure.par_iter_mut().zip(&*residual).zip(&context.neighbourhood.gradient);
        rows.with_min_len(4096).for_each(|((pressure, &residual), gradient)| {
            // P_i += ω (s_i + dt² (A P)_i) / (dt² D_i), clipped: [Ihmsen2014] in units of P.
            *pressure = (*pressure + PressureSystem::change(scale, residual, gradient[3])).max(0.0);
        });
    }

    /// See [`PressureSolver::settle`](super::PressureSolver::settle).
    pub fn settle(&mut self) -> bool {
        self.conjugate.settle()
    }

    /// Puts back the pressures that were kept last.
    pub fn recall(&mut self) {
        self.system.recall();
        self.conjugate.begin();
    }
}
