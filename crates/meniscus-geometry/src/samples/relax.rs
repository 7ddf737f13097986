//! Relaxation of samples along the gradient of their density, \[Wang2017\] Alg. 1.
//!
//! | paper | here |
//! | --- | --- |
//! | S, samples | the points |
//! | φ, level set | a [`SampleDomain`] |
//! | r, radius | [`RelaxParams::radius`] |
//! | t, iterations | calls of [`Relaxation::sweep`] |
//! | d, distance | `step` |
//! | ρ_i, ∇ρ_i | Σ (1 − q)² over the neighbours, and its gradient |
//!
//! **Departures.** The paper writes p + d ∇ρ; samples must leave crowds, so it is p − d ∇ρ here. The paper does not name
//! its kernel; with (1 − q)² the gradient is linear in the overlap, and one d is right for all samples: two that are
//! alone part to where the kernel ends, a little beyond because that converges sooner. The paper takes d from the
//! deviation of ρ from its mean, which makes the last few steps long or short by chance. The kernel's end shrinks from
//! 1.15 r to 1.02 r over the sweeps: first room is made even, then only what is too near moves. A sample that is nearer
//! than r to another could seldom move if its new place had to keep all disks at once, so no place is refused (lines 9
//! and 10); disks come true at the end. Samples move in four groups, each of which sees where those before have gone;
//! all at once would overshoot. These choices were compared in `validation/sampling`.

use glam::DVec3;
use rayon::prelude::*;

use super::cells::PointGrid;
use super::domain::SampleDomain;
use crate::GeometryError;
use crate::error::require_positive;

/// Where the density's kernel ends in the first and in the last sweep, in radii `[1]`.
const SUPPORT: [f64; 2] = [1.15, 1.02];
/// How much farther samples go than two of them need `[1]`.
const OVER: f64 = 1.15;
/// Groups of samples that move one after the other `[1]`.
const GROUPS: usize = 4;
/// The longest move of a sweep, in radii `[1]`.
const MAX_MOVE: f64 = 0.5;

/// So few samples are not worth waking other threads `[1]`.
const FEW: usize = 1024;

/// How to relax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RelaxParams {
    /// Samples should not be nearer to each other than this, r `[m]`.
    pub radius: f64,
    /// Sweeps in which it is to come true, t `[1]`.
    pub sweeps: u32,
}

/// Samples on their way to an even distribution.
#[derive(Debug, Clone)]
pub struct Relaxation<'a, D> {
    params: RelaxParams,
    domain: &'a D,
    grid: PointGrid,
    done: u32,
}

impl<'a, D: SampleDomain> Relaxation<'a, D> {
    /// Begins with these samples.
    ///
    /// # Errors
    /// If the radius is not positive.
    pub fn new(sample: &[DVec3], domain: &'a D, params: RelaxParams) -> Result<Self, GeometryError> {
        require_positive("radius", params.radius)?;
        Ok(Self { params, domain, grid: PointGrid::new(SUPPORT[0] * params.radius, sample), done: 0 })
    }

    /// The samples as they are now `[m]`.
    #[must_use]
    pub fn samples(&self) -> &[DVec3] {
        self.grid.points()
    }

    /// One iteration of \[Wang2017\] Alg. 1; returns how many samples have moved `[1]`.
    pub fn sweep(&mut self) -> usize {
        let last = self.params.sweeps.saturating_sub(1).max(1);
        let part = f64::from(self.done.min(last)) / f64::from(last);
        self.done = self.done.saturating_add(1);
        let support = self.params.radius * (SUPPORT[0] + (SUPPORT[1] - SUPPORT[0]) * part);
        let n = self.grid.points().len();
        let mut moved = 0;
        for group in 0..GROUPS.min(n) {
            let members = (n - group).div_ceil(GROUPS);
            let proposed = map_indices(members, |k| self.proposed(group + GROUPS * k, support));
            for (k, x) in proposed.into_iter().enumerate() {
                let i = group + GROUPS * k;
                if x != self.grid.points()[i] && x.is_finite() {
                    self.grid.move_to(i, x);
                    moved += 1;
                }
            }
        }
        moved
    }

    /// Where a sample goes if the density's kernel ends at `support` `[m]`.
    fn proposed(&self, i: usize, support: f64) -> DVec3 {
        let x = self.grid.points()[i];
        let mut gradient = DVec3::ZERO;
        self.grid.any_near(x, |j, squared| {
            if j != i && squared < support * support {
                let distance = squared.sqrt();
                let away = (x - self.grid.points()[j]) / distance.max(f64::MIN_POSITIVE);
                gradient -= 2.0 / support * (1.0 - distance / support) * away;
            }
            false
        });
        // Most samples have nobody near in the end and need not be settled again.
        if gradient == DVec3::ZERO {
            return x;
        }
        // Lines 5 and 6, with the sign that leads away from crowds: half of the overlap of two is the way of each.
        let step = OVER * 0.25 * support * support;
        self.domain.settle(i, x - (step * gradient).clamp_length_max(MAX_MOVE * self.params.radius))
    }

    /// The samples that have another one nearer than the radius `[1]`.
    #[must_use]
    pub fn violations(&self) -> usize {
        violations(&self.grid, self.params.radius)
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
