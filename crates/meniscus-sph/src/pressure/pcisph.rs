//! Predictive-corrective incompressible SPH (\[Solenthaler2009\]).
//!
//! | here | paper |
//! | --- | --- |
//! | P | p, as ρ0 p / ρ² |
//! | `packed_star` | x*, where a particle will be with the current pressures |
//! | residual | ρ*_err / ρ0 |
//! | `relaxation` / (dt² `stiffness`) | δ |
//!
//! A sweep moves all particles as the current pressures would, evaluates the kernel at the places they come to, and
//! raises each pressure by δ times the density error found there. δ is the pressure that removes an error in a full
//! neighbourhood, if the neighbours' pressure is raised as well; it is computed once, on a lattice, and is less for wide kernels. The density is that of
//! the true new places, not its linear part: what is missed are neighbours that come into reach within the step.
//!
//! Departures: pressures are clipped at zero; a particle whose own diagonal is larger than the lattice's, as at a splash, is
//! corrected with its own, because the prototype's δ would overshoot there; walls enter by the rates of their rows and by
//! what [`Boundary::advance`](crate::boundary::Boundary::advance) knows beyond; a solve may start from a share of the last
//! step's pressures, by default none.

use super::system::{PressureSystem, Start};
use super::{Criterion, PressureSolver, SolveContext, Stage, SweepCoupling, lattice};
use crate::kernel::{CubicSpline, KernelKind, KernelShape, WendlandC2};
use crate::lanes::{splat, sum};
use crate::neighbourhood::{FluidParams, Neighbourhood};
use crate::particles::Particles;
use crate::rows::{Row, RowPass};
use crate::search::PairKernel;
use fearless_simd::{Select, Simd};
use glam::Vec3;
use rayon::prelude::*;

/// Parameters of predictive-corrective incompressible SPH.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PcisphParams {
    /// When the solve is done; residual: mean compression at the end of the step `[1]`.
    pub density: Criterion,
    /// Share of the last step's pressures that a solve starts from `[1]`.
    pub warm_factor: f64,
}

/// The solver of Solenthaler and Pajarola.
pub struct Pcisph {
    params: PcisphParams,
    fluid: FluidParams,
    /// Σ |V ∇W|² of a particle in a full lattice, whose Σ V ∇W is zero `[1/m²]`.
    stiffness: f32,
    /// Of a sweep: one half, less for wide kernels `[1]`.
    relaxation: f64,
    system: PressureSystem,
    packed_star: Vec<[i32; 4]>,
    /// What walls add to the density at the end of the step `[1]`.
    wall: Vec<f32>,
}

impl Pcisph {
    /// A solver with the given parameters for this fluid.
    #[must_use]
    pub fn new(params: PcisphParams, fluid: FluidParams) -> Self {
        Self {
            params,
            fluid,
            stiffness: lattice::stiffness(&fluid) as f32,
            relaxation: 0.5 * lattice::relaxation(&fluid),
            system: PressureSystem::with_even_reach(&fluid),
            packed_star: Vec::new(),
            wall: Vec::new(),
        }
    }

    /// x* of all particles, and what the walls will add to their densities.
    fn predict(&mut self, context: SolveContext<'_>, answer: &[f32]) {
        let SolveContext { neighbourhood, velocity, dt, relief, .. } = context;
        let (seconds, per_unit) = (dt as f32, (dt / neighbourhood.unit) as f32);
        let spacing = self.fluid.spacing as f32;
        let particles =
            neighbourhood.packed.par_iter().zip(velocity).zip(&self.system.acceleration).enumerate();
        particles
            .with_min_len(4096)
            .map(|(i, ((packed, v), a))| {
                let v = Vec3::from_slice(v) + seconds * Vec3::from_slice(a);
                // x* = x + dt (v + dt a(P)), the prediction of [Solenthaler2009].
                let moved = |c: usize| packed[c].saturating_add((per_unit * v[c]).round() as i32);
                let wall = &neighbourhood.boundary.sum[i];
                let surplus = neighbourhood.boundary.surplus.get(i).copied().unwrap_or(0.0);
                let surplus = surplus + answer.get(i).copied().unwrap_or(0.0);
                // A wall's share of the density grows along its gradient for about a spacing and no farther. Without an end to
                // it a particle that pressure drives along a wall would never find the place where it is less compressed.
                // ADR 15.
                let mirror = wall.mirror();
                let farthest = spacing * mirror.length();
                let change = (seconds * (v.dot(mirror) - wall.flux)).clamp(-farthest, farthest);
                // What is compressed by more than a step takes back is left to the next ones.
                // ADR 19.
                let left = (neighbourhood.density[i] - 1.0 - relief).max(0.0);
                let density = wall.density + change + surplus - left;
                ([moved(0), moved(1), moved(2), 0], density)
            })
            .unzip_into_vecs(&mut self.packed_star, &mut self.wall);
    }

    fn predicted_density<K: KernelShape>(&mut self, neighbourhood: &Neighbourhood) {
        let volume = self.fluid.kernel_volume();
        let pass = PredictedError {
            packed: &self.packed_star,
            wall: &self.wall,
            pair: PairKernel::<K>::new(&self.fluid.kernel, neighbourhood.unit, volume),
            own_value: (volume * self.fluid.kernel.value(0.0)) as f32,
        };
        neighbourhood.rows.run(&pass, &mut self.system.residual);
    }
}

/// ρ*/ρ0 − 1 at the predicted places.
struct PredictedError<'a, K> {
    packed: &'a [[i32; 4]],
    wall: &'a [f32],
    pair: PairKernel<K>,
    /// V W_ii `[1]`.
    own_value: f32,
}

impl<K: KernelShape> RowPass for PredictedError<'_, K> {
    type Out = f32;

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> f32 {
        let zero = splat(simd, 0.0);
        let mut density = zero;
        for lanes in row.lanes() {
            let offset = lanes.offsets(simd, self.packed[i], self.packed);
            let (value, _) = self.pair.eval(simd, offset);
            density += lanes.real(simd).select(value, zero);
        }
        // ρ*/ρ0 − 1 of the predicted positions.
        self.own_value + sum(density) + self.wall[i] - 1.0
    }
}

impl PressureSolver for Pcisph {
    fn criterion(&self, stage: Stage) -> Option<Criterion> {
        (stage == Stage::Density).then_some(self.params.density)
    }

    fn begin(&mut self, stage: Stage, context: SolveContext<'_>, particles: &Particles) {
        let share = self.params.warm_factor as f32;
        let warm = (share > 0.0).then_some((particles, share));
        self.system.begin(stage, context, Start { min_neighbours: 0, warm, after_divergence: false });
    }

    fn accelerate(&mut self, stage: Stage, context: SolveContext<'_>) {
        self.system.accelerate(stage, context);
    }

    fn residual(&mut self, _: Stage, context: SolveContext<'_>, answer: &[f32]) -> f64 {
        self.predict(context, answer);
        match self.fluid.kernel.kind {
            KernelKind::CubicSpline => self.predicted_density::<CubicSpline>(context.neighbourhood),
            KernelKind::WendlandC2 => self.predicted_density::<WendlandC2>(context.neighbourhood),
        }
        self.system.mean_residual()
    }

    fn worst(&self) -> f64 {
        self.system.worst()
    }

    fn relax(&mut self, _: Stage, context: SolveContext<'_>, _: &dyn SweepCoupling) {
        let scale = (self.relaxation / (context.dt * context.dt)) as f32;
        let stiffness = self.stiffness;
        let PressureSystem { pressure, residual, .. } = &mut self.system;
        let rows = pressure.par_iter_mut().zip(&*residual).zip(&context.neighbourhood.gradient);
        rows.with_min_len(4096).for_each(|((pressure, &residual), gradient)| {
            // δ ρ*_err of [Solenthaler2009], with the diagonal of a lattice, or the particle's own if that is larger.
            let change = PressureSystem::change(scale, residual, gradient[3].max(stiffness));
            *pressure = (*pressure + change).max(0.0);
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
