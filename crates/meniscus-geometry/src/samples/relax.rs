//! Relaxation of samples along the gradient of their density, \[Wang2017\] Alg. 1.
//!
//! | paper | here |
//! | --- | --- |
//! | S, samples | the points |
//! | φ, level set | a [`SampleDomain`] |
//! | r, radius | [`RelaxParams::radius`] |
//! | t, iterations | calls of [`Relaxation::sweep`] |
//! | f, constant | [`RelaxParams::strength`] |
//! | ρ_i, ∇ρ_i | `density`, `gradient` |
//!
//! **Departures.** The paper writes p + d ∇ρ; samples must leave crowds, so it is p − d ∇ρ/|∇ρ| here: only the direction
//! of ∇ρ counts, because d is the distance already. A move is at most r/2. A sample that is nearer than r to another
//! could seldom move if its new place had to keep all disks, so only samples that keep them now must keep them. The
//! paper does not name its kernel; it is (1 − q)³ here, whose slope is steepest where samples meet, where a spline's is
//! zero, and it ends at 1.2 r, because what lies farther away is no reason to move. All moves of a sweep are proposed
//! from the same state, then judged in order.

use glam::DVec3;
use meniscus_core::reduce;
use rayon::prelude::*;

use super::cells::PointGrid;
use super::domain::SampleDomain;
use crate::GeometryError;
use crate::error::require_positive;

/// The support of the density's kernel, in radii `[1]`.
const SUPPORT: f64 = 1.2;
/// The longest move of a sweep, in radii `[1]`.
const MAX_MOVE: f64 = 0.5;

/// So few samples are not worth waking other threads `[1]`. A chunk of a reduction, so that sums have the same bits.
const FEW: usize = reduce::CHUNK;

/// How to relax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelaxParams {
    /// Samples should not be nearer to each other than this, r `[m]`.
    pub radius: f64,
    /// How far samples go, f `[1]`.
    pub strength: f64,
}

impl RelaxParams {
    /// Relaxation towards a radius `[m]` with the strength that was found to do best.
    #[must_use]
    pub const fn towards(radius: f64) -> Self {
        Self { radius, strength: 4.0 }
    }
}

/// Samples on their way to an even distribution.
#[derive(Debug, Clone)]
pub struct Relaxation<'a, D> {
    params: RelaxParams,
    domain: &'a D,
    grid: PointGrid,
}

impl<'a, D: SampleDomain> Relaxation<'a, D> {
    /// Begins with these samples.
    ///
    /// # Errors
    /// If the radius or the strength is not positive.
    pub fn new(sample: &[DVec3], domain: &'a D, params: RelaxParams) -> Result<Self, GeometryError> {
        require_positive("radius", params.radius)?;
        require_positive("strength", params.strength)?;
        Ok(Self { params, domain, grid: PointGrid::new(SUPPORT * params.radius, sample) })
    }

    /// The samples as they are now `[m]`.
    #[must_use]
    pub fn samples(&self) -> &[DVec3] {
        self.grid.points()
    }

    /// One iteration of \[Wang2017\] Alg. 1; returns how many samples have moved `[1]`.
    pub fn sweep(&mut self) -> usize {
        let n = self.grid.points().len();
        let field = map_indices(n, |i| self.density(i));
        let mean = if n <= FEW { field.iter().map(|f| f.0).sum() } else { reduce::sum(n, |i| field[i].0) }
            / n.max(1) as f64;
        let propose = |i: usize| {
            let (density, gradient) = field[i];
            // Line 5: d = r |ρ − ρ̄| / ρ̄ f. Line 6 with the sign that leads away from crowds.
            let d = self.params.radius * ((density - mean) / mean).abs() * self.params.strength;
            let step = d.min(MAX_MOVE * self.params.radius) * gradient.normalize_or_zero();
            let x = self.grid.points()[i];
            // Most samples have nobody near in the end and need not be settled again.
            if step == DVec3::ZERO { x } else { self.domain.settle(i, x - step) }
        };
        let proposed = map_indices(n, propose);
        let mut moved = 0;
        for (i, x) in proposed.into_iter().enumerate() {
            if x != self.grid.points()[i] && x.is_finite() && self.keeps_disks(i, x) {
                self.grid.move_to(i, x);
                moved += 1;
            }
        }
        moved
    }

    /// The samples that have another one nearer than the radius `[1]`.
    #[must_use]
    pub fn violations(&self) -> usize {
        violations(&self.grid, self.params.radius)
    }

    /// Density and its gradient.
    fn density(&self, i: usize) -> (f64, DVec3) {
        let x = self.grid.points()[i];
        let support = self.grid.radius();
        let (mut density, mut gradient) = (1.0, DVec3::ZERO);
        self.grid.any_near(x, |j, squared| {
            if j != i {
                let distance = squared.sqrt();
                let left = 1.0 - distance / support;
                density += left * left * left;
                let away = (x - self.grid.points()[j]) / distance.max(f64::MIN_POSITIVE);
                gradient -= 3.0 / support * left * left * away;
            }
            false
        });
        (density, gradient)
    }

    /// Lines 9 and 10: whether a place breaks no disk, or this sample's is broken already.
    fn keeps_disks(&self, i: usize, x: DVec3) -> bool {
        let enough = self.params.radius * self.params.radius;
        let nearest = |x: DVec3| self.grid.nearest_squared(x, i);
        nearest(x) >= enough || nearest(self.grid.points()[i]) < enough
    }
}

/// A value for each index, in parallel if there are many.
fn map_indices<T: Send>(n: usize, value: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
    if n <= FEW { (0..n).map(value).collect() } else { (0..n).into_par_iter().map(value).collect() }
}

/// The points of a grid that have another one nearer than this `[1]`.
pub(super) fn violations(grid: &PointGrid, radius: f64) -> usize {
    let limit = radius * radius * (1.0 - 1e-9);
    (0..grid.points().len()).filter(|&i| grid.nearest_squared(grid.points()[i], i) < limit).count()
}

#[cfg(test)]
#[path = "relax_tests.rs"]
mod tests;
