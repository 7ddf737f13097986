//! Jacobi sweeps that gather momentum.
//!
//! A sweep is a relaxed Jacobi step P_i += ω (s_i + dt² (A P)_i) / (dt² D_i), as each equation's own diagonal is −D_i, clipped
//! at zero, followed by an extrapolation along the last change (Nesterov 1983; Beck & Teboulle 2009), which starts anew
//! whenever the residual grows. A deep tank needs sweeps in proportion to its depth then, and not to the depth squared.

use super::Moment;
use super::system::PressureSystem;
use rayon::prelude::*;

/// What a sweep remembers of those before it.
#[derive(Debug, Clone, Default)]
pub(super) struct Momentum {
    /// Result of the last Jacobi step, before extrapolation: the system's pressures are the extrapolated ones, where the
    /// equations are evaluated.
    relaxed: Vec<f32>,
    weights: Weights,
}

/// Nesterov's sequence of extrapolation weights.
#[derive(Debug, Clone, Copy)]
struct Weights {
    t: f32,
    last_residual: f64,
    residual: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { t: 1.0, last_residual: f64::INFINITY, residual: f64::INFINITY }
    }
}

impl Weights {
    fn next(&mut self) -> f32 {
        if self.residual > self.last_residual {
            self.t = 1.0;
        }
        let t = 0.5 * (1.0 + (1.0 + 4.0 * self.t * self.t).sqrt());
        let weight = (self.t - 1.0) / t;
        self.t = t;
        weight
    }
}

impl Momentum {
    /// Starts at the system's pressures, at rest.
    pub fn begin(&mut self, system: &PressureSystem) {
        self.relaxed.clone_from(&system.pressure);
        self.weights = Weights::default();
    }

    /// Takes note of the residual before a sweep.
    pub fn observe(&mut self, residual: f64) {
        self.weights.last_residual = self.weights.residual;
        self.weights.residual = residual;
    }

    /// One sweep with the relaxation ω `[1]`.
    pub fn relax(&mut self, system: &mut PressureSystem, moment: Moment<'_>, relaxation: f32) {
        let scale = relaxation / (moment.dt * moment.dt) as f32;
        let weight = self.weights.next();
        let PressureSystem { pressure, residual, .. } = system;
        pressure
            .par_iter_mut()
            .zip(&mut self.relaxed)
            .zip(residual.par_iter().zip(&moment.wet.gradient))
            .with_min_len(4096)
            .for_each(|((pressure, relaxed), (&residual, gradient))| {
                let change = PressureSystem::change(scale, residual, gradient[3]);
                let next = (*pressure + change).max(0.0);
                *pressure = (next + weight * (next - *relaxed)).max(0.0);
                *relaxed = next;
            });
    }
}
