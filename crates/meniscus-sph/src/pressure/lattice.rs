//! The pressure equation on an endless lattice: what solvers may expect before they see a fluid.

use crate::neighbourhood::FluidParams;
use glam::DVec3;
use meniscus_core::Dimension;
use std::f64::consts::PI;

/// What [`overshoot`] may be for sweeps that are relaxed by one half: 1.4 times what the equation asks for, which extrapolation along the last change still bears.
/// That of a cubic spline of two spacings in space is 2.82 `[1]`.
const MAX_OVERSHOOT: f64 = 2.83;

/// Wave numbers that are looked at in each direction `[1]`.
const WAVES: u32 = 64;

/// Σ_j |V ∇W|² over an endless lattice, seen from one of its points: the diagonal of the pressure equation, as Σ_j V ∇W is zero `[1/m²]`.
pub(super) fn stiffness(fluid: &FluidParams) -> f64 {
    gradients(fluid).map(|(_, gradient)| gradient.length_squared()).sum()
}

/// By how much sweeps must be shorter than those for a cubic spline of two spacings `[1]`.
///
/// A wide kernel has many neighbours, each with a small share of the diagonal, and waves that all of them answer alike: a sweep that is relaxed by a fixed number
/// overshoots them, more with each sweep.
pub(super) fn relaxation(fluid: &FluidParams) -> f64 {
    (MAX_OVERSHOOT / overshoot(fluid)).min(1.0)
}

/// The largest eigenvalue of the pressure equation on a lattice, over its diagonal `[1]`.
fn overshoot(fluid: &FluidParams) -> f64 {
    let points: Vec<(DVec3, DVec3)> = gradients(fluid).collect();
    // A wave exp(i k x) of pressures accelerates by Σ V ∇W sin(k x), and these accelerations change the density by the same sum.
    let answer = |wave: DVec3| {
        points.iter().map(|(x, gradient)| wave.dot(*x).sin() * *gradient).sum::<DVec3>().length_squared()
    };
    let directions = match fluid.kernel.dimension {
        Dimension::Two => &[DVec3::X, DVec3::new(1.0, 1.0, 0.0)][..],
        Dimension::Three => &[DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE],
    };
    let number = |n: u32| PI * f64::from(n) / f64::from(WAVES);
    let waves = directions.iter().flat_map(|&along| (1..=WAVES).map(move |n| number(n) * along));
    waves.map(answer).fold(0.0, f64::max) / stiffness(fluid)
}

/// The neighbours of a lattice point: places in spacings, and V ∇W `[1/m]`.
fn gradients(fluid: &FluidParams) -> impl Iterator<Item = (DVec3, DVec3)> {
    let FluidParams { kernel, spacing, .. } = *fluid;
    let reach = (kernel.support_radius / spacing).ceil() as i32;
    let across = if kernel.dimension == Dimension::Two { 0 } else { reach };
    let volume = fluid.kernel_volume();
    let plane = move |z: i32| (-reach..=reach).flat_map(move |x| (-reach..=reach).map(move |y| [x, y, z]));
    (-across..=across).flat_map(plane).filter(|point| *point != [0; 3]).map(move |point| {
        let x = DVec3::from(point.map(f64::from));
        let r = x.length();
        (x, volume * kernel.derivative(r * spacing) / r * x)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, KernelKind};

    fn fluid(kind: KernelKind, support: f64, dimension: Dimension) -> FluidParams {
        let kernel = Kernel { kind, support_radius: support * 0.02, dimension };
        FluidParams { spacing: 0.02, rest_density: 1000.0, kernel }
    }

    #[test]
    fn the_usual_kernels_keep_their_relaxation() {
        for kind in [KernelKind::CubicSpline, KernelKind::WendlandC2] {
            for dimension in [Dimension::Two, Dimension::Three] {
                let fluid = fluid(kind, 2.0, dimension);
                assert!((relaxation(&fluid) - 1.0).abs() < f64::EPSILON, "{}", overshoot(&fluid));
            }
        }
    }

    #[test]
    fn wide_kernels_have_shorter_sweeps() {
        // Sums over all waves, by other means: 2.82, 7.47 and 17.6 in space, 6.7 in the plane.
        for (support, dimension, expected) in [
            (2.0, Dimension::Three, 2.82),
            (3.0, Dimension::Three, 7.47),
            (4.0, Dimension::Three, 17.61),
            (4.0, Dimension::Two, 6.70),
        ] {
            let found = overshoot(&fluid(KernelKind::CubicSpline, support, dimension));
            assert!((found / expected - 1.0).abs() < 0.01, "{support}: {found}");
        }
    }
}
