//! Smoothing kernels with compact support, in the plane and in space.
//!
//! | here | papers |
//! | --- | --- |
//! | `support_radius` s | radius beyond which W = 0 (the papers' h or 2h) |
//! | `q` | r / s, in [0, 1] inside the support |
//! | `value` w(q) | W · s^d / σ |
//! | `slope_over_q` w'(q) / q | ∇W = σ / s^(d+2) · w'(q)/q · x |
//!
//! Both shapes are written without branches, as powers of clipped distances, so that all lanes cost the same
//! wherever the neighbours lie.

use crate::lanes::{fma, positive};
use fearless_simd::{Simd, SimdFloat};
use meniscus_core::Dimension;
use meniscus_geometry::RadialKernel;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The shape of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KernelKind {
    /// Monaghan's cubic spline (\[Monaghan2005\]).
    CubicSpline,
    /// Wendland's C2 function (\[Wendland1995\]).
    WendlandC2,
}

/// A kernel shape that can be evaluated for many distances at once.
pub trait KernelShape: Copy + Send + Sync {
    /// w(q) for q ≥ 0 `[1]`.
    fn value<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, q: V) -> V;
    /// w'(q)/q for q > 0 `[1]`.
    fn slope_over_q<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, q: V) -> V;
}

/// w(q) = 2 (1 − q)₊³ − 8 (½ − q)₊³.
#[derive(Debug, Clone, Copy)]
pub struct CubicSpline;

impl KernelShape for CubicSpline {
    #[inline(always)]
    fn value<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, q: V) -> V {
        let far = positive(simd, V::splat(simd, 1.0) - q);
        let near = positive(simd, V::splat(simd, 0.5) - q);
        fma(far * far * far, V::splat(simd, 2.0), V::splat(simd, -8.0) * (near * near * near))
    }

    #[inline(always)]
    fn slope_over_q<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, q: V) -> V {
        let far = positive(simd, V::splat(simd, 1.0) - q);
        let near = positive(simd, V::splat(simd, 0.5) - q);
        fma(far * far, V::splat(simd, -6.0), V::splat(simd, 24.0) * (near * near)) / q
    }
}

/// w(q) = (1 − q)₊⁴ (1 + 4 q).
#[derive(Debug, Clone, Copy)]
pub struct WendlandC2;

impl KernelShape for WendlandC2 {
    #[inline(always)]
    fn value<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, q: V) -> V {
        let far = positive(simd, V::splat(simd, 1.0) - q);
        let square = far * far;
        square * square * fma(q, V::splat(simd, 4.0), V::splat(simd, 1.0))
    }

    #[inline(always)]
    fn slope_over_q<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, q: V) -> V {
        let far = positive(simd, V::splat(simd, 1.0) - q);
        V::splat(simd, -20.0) * (far * far * far)
    }
}

/// A kernel with its support radius and dimension.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// The shape.
    pub kind: KernelKind,
    /// Beyond this distance the kernel is zero `[m]`.
    pub support_radius: f64,
    /// In which space it is normalised.
    pub dimension: Dimension,
}

impl Kernel {
    /// σ / s^d, so that W = `amplitude` · w(q) `[1/m^d]`.
    #[must_use]
    pub fn amplitude(&self) -> f64 {
        // σ, such that W integrates to one over the plane or over space.
        let normalisation = match (self.kind, self.dimension) {
            (KernelKind::CubicSpline, Dimension::Two) => 40.0 / (7.0 * PI),
            (KernelKind::CubicSpline, Dimension::Three) => 8.0 / PI,
            (KernelKind::WendlandC2, Dimension::Two) => 7.0 / PI,
            (KernelKind::WendlandC2, Dimension::Three) => 21.0 / (2.0 * PI),
        };
        normalisation / self.dimension.cell_volume(self.support_radius)
    }

    /// Half the support radius, the length that viscosity formulas call h `[m]`.
    #[must_use]
    pub fn smoothing_length(&self) -> f64 {
        0.5 * self.support_radius
    }

    /// W(r) `[1/m^d]`, the scalar reference in double precision.
    #[must_use]
    pub fn value(&self, r: f64) -> f64 {
        let q = r / self.support_radius;
        let far = (1.0 - q).max(0.0);
        let near = (0.5 - q).max(0.0);
        self.amplitude()
            * match self.kind {
                // w(q) of the shapes above.
                KernelKind::CubicSpline => 2.0 * far.powi(3) - 8.0 * near.powi(3),
                KernelKind::WendlandC2 => far.powi(4) * (1.0 + 4.0 * q),
            }
    }

    /// dW/dr `[1/m^(d+1)]`, the scalar reference in double precision.
    #[must_use]
    pub fn derivative(&self, r: f64) -> f64 {
        let q = r / self.support_radius;
        let far = (1.0 - q).max(0.0);
        let near = (0.5 - q).max(0.0);
        self.amplitude() / self.support_radius
            * match self.kind {
                // w'(q).
                KernelKind::CubicSpline => -6.0 * far * far + 24.0 * near * near,
                KernelKind::WendlandC2 => -20.0 * far.powi(3) * q,
            }
    }

    /// The largest |dW/dr| `[1/m^(d+1)]`.
    #[must_use]
    pub fn steepest(&self) -> f64 {
        let slope = match self.kind {
            KernelKind::CubicSpline => 2.0,         // at q = 1/3
            KernelKind::WendlandC2 => 135.0 / 64.0, // at q = 1/4
        };
        self.amplitude() / self.support_radius * slope
    }

    /// Σ W over an endless square or cubic lattice, seen from one of its points, times the volume of its cell `[1]`.
    ///
    /// Near one, but only near: up to three percent above it for narrow supports.
    #[must_use]
    pub fn lattice_density(&self, spacing: f64) -> f64 {
        let reach = (self.support_radius / spacing).ceil() as i32;
        let layers = (-reach..=reach).map(|n| self.layer(f64::from(n), spacing));
        layers.sum::<f64>() * self.dimension.cell_volume(spacing)
    }

    /// Σ W over one endless layer of such a lattice, `height` spacings away `[1/m^d]`.
    #[must_use]
    pub fn layer(&self, height: f64, spacing: f64) -> f64 {
        let reach = (self.support_radius / spacing).ceil() as i32 + 1;
        let across = if self.dimension == Dimension::Two { 0 } else { reach };
        let square = (-reach..=reach).flat_map(|a| (-across..=across).map(move |b| f64::from(a * a + b * b)));
        square.map(|s| self.value((s + height * height).sqrt() * spacing)).sum()
    }
}

impl RadialKernel for Kernel {
    fn support_radius(&self) -> f64 {
        self.support_radius
    }

    fn value(&self, r: f64) -> f64 {
        Self::value(self, r)
    }

    fn slope(&self, r: f64) -> f64 {
        self.derivative(r)
    }

    fn breaks(&self) -> &[f64] {
        match self.kind {
            KernelKind::CubicSpline => &[0.5],
            KernelKind::WendlandC2 => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels() -> impl Iterator<Item = Kernel> {
        [KernelKind::CubicSpline, KernelKind::WendlandC2].into_iter().flat_map(|kind| {
            [Dimension::Two, Dimension::Three].map(|dimension| Kernel {
                kind,
                support_radius: 0.7,
                dimension,
            })
        })
    }

    #[test]
    fn kernels_integrate_to_one() {
        for kernel in kernels() {
            let n = 20_000;
            let dr = kernel.support_radius / f64::from(n);
            let total: f64 = (0..n)
                .map(|i| {
                    let r = (f64::from(i) + 0.5) * dr;
                    let shell = match kernel.dimension {
                        Dimension::Two => 2.0 * PI * r,
                        Dimension::Three => 4.0 * PI * r * r,
                    };
                    kernel.value(r) * shell * dr
                })
                .sum();
            assert!((total - 1.0).abs() < 1e-6, "{kernel:?}: {total}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        for kernel in kernels() {
            for i in 1..140 {
                let r = f64::from(i) * 0.005;
                let e = 1e-6;
                let difference = (kernel.value(r + e) - kernel.value(r - e)) / (2.0 * e);
                assert!(
                    (kernel.derivative(r) - difference).abs() < 1e-4 * kernel.amplitude(),
                    "{kernel:?} {r}"
                );
            }
        }
    }

    #[test]
    fn nowhere_is_a_kernel_steeper_than_its_steepest_slope() {
        for kernel in kernels() {
            let slope = |i: i32| kernel.derivative(f64::from(i) * 1e-3 * kernel.support_radius).abs();
            let found = (0..=1000).map(slope).fold(0.0, f64::max);
            assert!((found / kernel.steepest() - 1.0).abs() < 1e-5, "{kernel:?}: {found}");
        }
    }

    #[test]
    fn eight_lanes_agree_with_the_scalar_reference() {
        fn check<K: KernelShape>(kernel: Kernel) {
            let q: [f32; 8] = [1e-3, 0.1, 0.3, 0.5, 0.6, 0.9, 1.0, 1.3];
            let (value, slope) = fearless_simd::dispatch!(fearless_simd::Level::new(), simd => {
                use crate::lanes::F8;
                use fearless_simd::SimdFrom;
                let lanes = F8::simd_from(simd, q);
                let value: [f32; 8] = K::value(simd, lanes).into();
                let slope: [f32; 8] = K::slope_over_q(simd, lanes).into();
                (value, slope)
            });
            for lane in 0..8 {
                let r = f64::from(q[lane]) * kernel.support_radius;
                let expected = kernel.value(r) / kernel.amplitude();
                assert!((f64::from(value[lane]) - expected).abs() < 1e-6);
                let expected = kernel.derivative(r) / kernel.amplitude() * kernel.support_radius;
                assert!((f64::from(slope[lane] * q[lane]) - expected).abs() < 1e-5);
            }
        }
        let kernel = |kind| Kernel { kind, support_radius: 0.04, dimension: Dimension::Three };
        check::<CubicSpline>(kernel(KernelKind::CubicSpline));
        check::<WendlandC2>(kernel(KernelKind::WendlandC2));
    }
}
