//! The pressure that the fluid really exerts.
//!
//! Solvers find the P by which the forces −(P_i + P_j) V ∇W_ij make the density what it shall be. Whatever these forces are,
//! the momentum that they carry through a surface is the virial −½ Σ_j (P_i + P_j) V ∇W_ij · r_ij / d times the density, and not P
//! itself: P is multiplied by
//!
//! C_i = −(1/d) Σ V ∇W_ij · r_ij,
//!
//! an integral that is ρ_i / ρ0, as a sum over neighbours. With a cubic spline of two spacings it is 1.01 to 1.02 for square lattices, 0.97 to 0.98
//! for closely packed particles. So with P alone the pressure of settled water would rise by 1 to 4 % too fast with depth, while loads
//! on walls are right.

use crate::boundary::BoundarySample;
use crate::kernel::Kernel;
use crate::lanes::{F16, fma, sum_records};
use crate::neighbourhood::Neighbourhood;
use crate::rows::{Row, RowPass};
use fearless_simd::{Simd, SimdBase};
use glam::DVec3;
use meniscus_core::InterfacePoints;
use rayon::prelude::*;

/// What is needed to weigh neighbourhoods.
#[derive(Clone, Copy)]
pub struct Virial<'a> {
    /// The neighbourhoods.
    pub neighbourhood: &'a Neighbourhood,
    /// The fluid's kernel.
    pub kernel: &'a Kernel,
    /// Positions, in the order of the rows `[m]`.
    pub position: &'a [DVec3],
    /// The points of the boundary rows.
    pub points: &'a InterfacePoints,
}

impl Virial<'_> {
    /// What of the pressure p = ρ² P / ρ0 of every particle acts: ρ P C / p = C ρ0 / ρ `[1]`.
    #[must_use]
    pub fn shares(&self) -> Vec<f32> {
        let dimension = self.kernel.dimension.count() as f32;
        let mut share = vec![0.0; self.position.len()];
        self.neighbourhood.rows.run(&Moments { neighbourhood: self.neighbourhood }, &mut share);
        share.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, share)| {
            let walls = self.neighbourhood.boundary.row(i).iter().map(|sample| self.wall(i, sample));
            *share = (*share + walls.sum::<f32>()) / (dimension * self.neighbourhood.density[i]);
        });
        share
    }

    fn wall(&self, i: usize, sample: &BoundarySample) -> f32 {
        let point = self.points.get(sample.point as usize);
        let away = self.position[i] - point.position;
        self.neighbourhood.boundary.traits(point.body).virial(sample, away, self.kernel)
    }
}

/// −Σ_j V ∇W_ij · r_ij of the fluid.
struct Moments<'a> {
    neighbourhood: &'a Neighbourhood,
}

impl RowPass for Moments<'_> {
    type Out = f32;

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> f32 {
        let mut total = [F16::splat(simd, 0.0); 2];
        for lanes in row.lanes() {
            let offset = lanes.record_offsets(simd, self.neighbourhood.packed[i], &self.neighbourhood.packed);
            let gradient = lanes.gradients(simd);
            total = [fma(offset[0], gradient[0], total[0]), fma(offset[1], gradient[1], total[1])];
        }
        let [x, y, z, _] = sum_records(simd, total[0] + total[1]);
        -row.quantum * self.neighbourhood.unit as f32 * (x + y + z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Boundary;
    use crate::fixed::FixedFrame;
    use crate::kernel::KernelKind;
    use crate::neighbourhood::{FluidParams, Surroundings};
    use crate::particles::Particles;
    use meniscus_core::Dimension;

    /// The share in the middle of 21 × 21 particles in the plane, in rows that are shifted against each other if closely packed.
    fn share(closely: bool) -> f64 {
        let spacing = 0.1;
        let kernel = Kernel {
            kind: KernelKind::CubicSpline,
            support_radius: 2.0 * spacing,
            dimension: Dimension::Two,
        };
        let (across, along) = if closely { (0.75f64.sqrt().sqrt(), 0.5) } else { (1.0, 0.0) };
        let mut particles = Particles::default();
        for n in 0..441 {
            let (row, column) = (f64::from(n / 21), f64::from(n % 21));
            let shift = along * (row % 2.0);
            particles.push(spacing * DVec3::new((column + shift) / across, row * across, 0.0), DVec3::ZERO);
        }
        let centre = particles.position[220];
        let mut points = InterfacePoints::default();
        let mut boundary = Boundary::new(Vec::new(), 0);
        let mut around =
            Surroundings { boundary: &mut boundary, bodies: &[], points: &mut points, gravity: DVec3::ZERO };
        let frame = FixedFrame::covering(DVec3::ZERO, DVec3::ONE * 3.0, kernel.support_radius).unwrap();
        let mut neighbourhood = Neighbourhood::default();
        let fluid = FluidParams { spacing, rest_density: 1000.0, kernel };
        neighbourhood.rebuild(&fluid, &frame, &mut particles, &mut around);
        let virial = Virial {
            neighbourhood: &neighbourhood,
            kernel: &kernel,
            position: &particles.position,
            points: &points,
        };
        let n = particles.position.iter().position(|x| *x == centre).unwrap();
        f64::from(virial.shares()[n])
    }

    #[test]
    fn lattices_have_the_shares_that_their_sums_say() {
        // By hand: four neighbours at 1, four at √2 spacings; six at 1.0746, six at 1.861 spacings.
        assert!((share(false) - 1.012).abs() < 2e-3, "{}", share(false));
        assert!((share(true) - 0.981).abs() < 2e-3, "{}", share(true));
    }
}
