//! How even samples are: number densities and the volumes that boundary samples stand for.
//!
//! | paper | here |
//! | --- | --- |
//! | h, smoothing length | the kernel's support radius |
//! | d = h/2, particle diameter | half of the support radius |
//! | δ, number density (\[Akinci2013\] Eq. 1) | [`number_density`] |
//! | V_b = 1/δ | [`boundary_volumes`] |
//! | Γ(h) = 1/h^d | `unit` |
//! | 3.6 Γ, 10 Γ (Sec. 2.3) | [`UNDER_SAMPLED`], [`OVER_SAMPLED`] |
//!
//! **What the paper's h is.** It says d = h/2 and h = 4 r, and calls 3.6 to 10 the right range of δ h³. A square lattice
//! of spacing d has δ h³ = 5.60 with the cubic spline if h is where the kernel ends, and 2.80, outside of the range,
//! if the kernel ends at 2 h. So h is the support radius. The range is that of space: the line of spacing d that bounds a
//! planar fluid has δ h² = 2.73. In the plane the same fractions of a regular boundary, 0.643 and 1.786, are taken as
//! limits. The lattice gives a fluid particle the density 0.35 ρ0 of Sec. 2.3 at a height of 0.42 h (1 ρ0 at its
//! surface, 0.21 ρ0 at h/2).
//!
//! **Departures.** None in space.

use glam::DVec3;
use meniscus_core::{Dimension, reduce};
use rayon::prelude::*;

use super::cells::PointGrid;
use crate::error::require_positive;
use crate::{GeometryError, RadialKernel};

/// A boundary whose δ h³ is less lets fluid through `[1]`.
pub const UNDER_SAMPLED: f64 = 3.6;
/// A boundary whose δ h³ is more has samples that only cost time `[1]`.
pub const OVER_SAMPLED: f64 = 10.0;

/// δ h^d of a regular boundary of spacing h/2 with the cubic spline, in the plane and in space `[1]`.
const REGULAR: [f64; 2] = [2.728, 5.604];
/// The most pairs that a number density looks at `[1]`; more is a mesh much finer than the spacing.
const MAX_PAIRS: f64 = 1e11;

/// The number density δ = Σ W of the samples at each of these places `[1/m^d]` (\[Akinci2013\] Eq. 1).
///
/// # Errors
/// If the kernel's support radius is not positive, or if so many samples lie within it of each other that their pairs
/// could not be summed in hours.
pub fn number_density(
    sample: &[DVec3],
    at: &[DVec3],
    kernel: &impl RadialKernel,
) -> Result<Vec<f64>, GeometryError> {
    require_positive("support radius", kernel.support_radius())?;
    let grid = PointGrid::new(kernel.support_radius(), sample);
    let pairs = grid.pair_bound(at);
    if pairs > MAX_PAIRS {
        return Err(GeometryError::Invalid {
            what: format!("a support radius with about {pairs:.0e} pairs of samples within it"),
            allowed: "a spacing near the edges of the mesh, or a coarser mesh",
        });
    }
    let density = |x: &DVec3| {
        let mut sum = 0.0;
        grid.any_near(*x, |_, squared| {
            sum += kernel.value(squared.sqrt());
            false
        });
        sum
    };
    Ok(at.par_iter().map(density).collect())
}

/// The volume V_b = 1/δ that each boundary sample stands for `[m^d]` (\[Akinci2013\] Eq. 1).
///
/// # Errors
/// As [`number_density`].
pub fn boundary_volumes(sample: &[DVec3], kernel: &impl RadialKernel) -> Result<Vec<f64>, GeometryError> {
    // A sample counts itself, so δ is never zero.
    Ok(number_density(sample, sample, kernel)?.into_iter().map(f64::recip).collect())
}

/// Number densities in units of Γ(h) = 1/h^d, summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingQuality {
    /// How many places `[1]`.
    pub count: usize,
    /// Mean of δ h^d `[1]`.
    pub mean: f64,
    /// Standard deviation of δ h^d `[1]`.
    pub deviation: f64,
    /// Least δ h^d `[1]`.
    pub min: f64,
    /// Largest δ h^d `[1]`.
    pub max: f64,
    /// Part of the places that are under-sampled `[1]`.
    pub under: f64,
    /// Part of the places that are over-sampled `[1]`.
    pub over: f64,
}

impl SamplingQuality {
    /// Sums up number densities `[1/m^d]` for a support radius `[m]`; all zero without any.
    #[must_use]
    pub fn of(density: &[f64], support_radius: f64, dimension: Dimension) -> Self {
        let unit = dimension.cell_volume(support_radius);
        let [low, high] = Self::limits(dimension);
        let n = density.len();
        let part = |count: f64| if n == 0 { 0.0 } else { count / n as f64 };
        let mean = part(reduce::sum(n, |i| density[i] * unit));
        let square = part(reduce::sum(n, |i| (density[i] * unit - mean).powi(2)));
        let values = || density.iter().map(|d| d * unit);
        Self {
            count: n,
            mean,
            deviation: square.sqrt(),
            min: if n == 0 { 0.0 } else { values().fold(f64::INFINITY, f64::min) },
            max: values().fold(0.0, f64::max),
            under: part(values().filter(|d| *d < low).count() as f64),
            over: part(values().filter(|d| *d > high).count() as f64),
        }
    }

    /// Between these δ h^d is neither under- nor over-sampled `[1]`.
    #[must_use]
    pub fn limits(dimension: Dimension) -> [f64; 2] {
        match dimension {
            Dimension::Three => [UNDER_SAMPLED, OVER_SAMPLED],
            Dimension::Two => [UNDER_SAMPLED, OVER_SAMPLED].map(|limit| limit * REGULAR[0] / REGULAR[1]),
        }
    }
}

/// Places on a grid of the given step `[m]` inside of a triangle, its border included: where a picture of δ asks.
///
/// # Errors
/// If the step is not positive or there would be more than [`MAX_POINTS`](crate::MAX_POINTS) places.
pub fn places_in_triangle(corner: [DVec3; 3], step: f64) -> Result<Vec<DVec3>, GeometryError> {
    require_positive("step", step)?;
    let [a, b, c] = corner;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let n = (longest / step).ceil().max(1.0);
    crate::error::allow_count(0.5 * (n + 1.0) * (n + 2.0))?;
    let rows = 0..=n as usize;
    Ok(rows
        .flat_map(|i| (0..=n as usize - i).map(move |j| a + i as f64 / n * (b - a) + j as f64 / n * (c - a)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radial_kernel::tests::CubicSpline;
    use crate::shape::builtin::cloth;

    #[test]
    fn lattices_have_the_densities_of_the_module_text() {
        let lattice = cloth(20, 20, 0.5).vertex;
        let space = CubicSpline { support_radius: 1.0, dimension: Dimension::Three };
        let middle = DVec3::new(5.0, 5.0, 0.0);
        let at = |h: f64| number_density(&lattice, &[middle + DVec3::Z * h], &space).unwrap()[0];
        assert!((at(0.0) - REGULAR[1]).abs() < 1e-3, "{}", at(0.0));
        // ρ_f←b / ρ0 = V_b Σ W.
        assert!((at(0.42) / at(0.0) - 0.35).abs() < 0.005 && (at(0.5) / at(0.0) - 0.21).abs() < 0.005);
        let wide = CubicSpline { support_radius: 2.0, ..space };
        let density = number_density(&lattice, &[middle], &wide).unwrap()[0];
        assert!((density - 2.80).abs() < 0.01, "{density}");
        let line: Vec<DVec3> = (0..20).map(|i| DVec3::X * 0.5 * f64::from(i)).collect();
        let plane = CubicSpline { dimension: Dimension::Two, ..space };
        let density = number_density(&line, &[line[10]], &plane).unwrap()[0];
        assert!((density - REGULAR[0]).abs() < 1e-3, "{density}");
    }

    #[test]
    fn volumes_are_the_reciprocals_and_the_summary_is_right() {
        let lattice = cloth(20, 20, 0.05).vertex;
        let kernel = CubicSpline { support_radius: 0.1, dimension: Dimension::Three };
        let volume = boundary_volumes(&lattice, &kernel).unwrap();
        let density = number_density(&lattice, &lattice, &kernel).unwrap();
        assert!(volume.iter().zip(&density).all(|(v, d)| (v * d - 1.0).abs() < 1e-12));
        let quality = SamplingQuality::of(&density, 0.1, Dimension::Three);
        // The corners see a quarter of the lattice; all are well sampled.
        assert!((quality.max - 5.604).abs() < 1e-3 && (quality.min - 3.948).abs() < 1e-3, "{quality:?}");
        assert!(quality.under == 0.0 && quality.over == 0.0 && quality.count == 441);
        let sparse = SamplingQuality::of(&[1.0, 20.0, 5.0, 5.0], 1.0, Dimension::Three);
        assert_eq!((sparse.under, sparse.over, sparse.mean), (0.25, 0.25, 7.75));
        assert!(SamplingQuality::of(&[], 1.0, Dimension::Three).mean.abs() < f64::EPSILON);
    }

    #[test]
    fn crowds_and_bad_kernels_are_refused() {
        let kernel = CubicSpline { support_radius: 10.0, dimension: Dimension::Three };
        let crowd = vec![DVec3::splat(0.5); 200_000];
        assert!(boundary_volumes(&crowd, &kernel).unwrap_err().to_string().contains("coarser mesh"));
        let bad = CubicSpline { support_radius: f64::NAN, ..kernel };
        assert!(boundary_volumes(&crowd[..2], &bad).is_err());
        assert!(places_in_triangle([DVec3::ZERO, DVec3::X, DVec3::Y], 1e-9).is_err());
        assert_eq!(places_in_triangle([DVec3::ZERO, DVec3::X, DVec3::Y], 0.8).unwrap().len(), 6);
    }
}
