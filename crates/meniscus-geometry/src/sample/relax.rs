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
//!
//! [`RandomRelaxation`] relaxes by random trials, as \[Schechter2012\] relaxes its Poisson disks: every sample tries random places
//! around it and takes the one whose nearest neighbour is farthest. The reach of the trials shrinks from sweep to sweep. It is
//! the peer with which \[Wang2017\] compares its own relaxation; the number of trials is the caller's choice.

use glam::DVec3;
use rayon::prelude::*;

use super::cells::PointGrid;
use super::domain::SampleDomain;
use super::random::RandomStream;
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
/// How far around a sample its nearest neighbour is looked for, in radii `[1]`.
const REACH: f64 = 2.0;

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
fn violations(grid: &PointGrid, radius: f64) -> usize {
    let limit = radius * radius * (1.0 - 1e-9);
    (0..grid.points().len()).filter(|&i| grid.nearest_squared(grid.points()[i], i) < limit).count()
}

/// How to relax by random trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomRelaxParams {
    /// The radius r of the disks `[m]`.
    pub radius: f64,
    /// Trials of each sample in a sweep `[1]`.
    pub attempts: u32,
    /// Sweeps until the trials have no reach any more `[1]`.
    pub sweeps: u32,
    /// The seed of the trials `[1]`.
    pub seed: u64,
}

/// Samples that are relaxed by random trials.
#[derive(Debug, Clone)]
pub struct RandomRelaxation<'a, D> {
    params: RandomRelaxParams,
    domain: &'a D,
    grid: PointGrid,
    random: RandomStream,
    done: u32,
}

impl<'a, D: SampleDomain> RandomRelaxation<'a, D> {
    /// Begins with these samples.
    ///
    /// # Errors
    /// If the radius is not positive.
    pub fn new(sample: &[DVec3], domain: &'a D, params: RandomRelaxParams) -> Result<Self, GeometryError> {
        require_positive("radius", params.radius)?;
        let grid = PointGrid::new(REACH * params.radius, sample);
        Ok(Self { params, domain, grid, random: RandomStream::new(params.seed), done: 0 })
    }

    /// The samples as they are now `[m]`.
    #[must_use]
    pub fn samples(&self) -> &[DVec3] {
        self.grid.points()
    }

    /// Lets every sample try new places once, in order; returns how many have moved `[1]`.
    pub fn sweep(&mut self) -> usize {
        let left = self.params.sweeps.saturating_sub(self.done);
        let reach = self.params.radius * f64::from(left) / f64::from(self.params.sweeps.max(1));
        self.done = self.done.saturating_add(1);
        let mut moved = 0;
        for i in 0..self.grid.points().len() {
            let start = self.grid.points()[i];
            let mut best = (self.grid.nearest_squared(start, i), start);
            for _ in 0..self.params.attempts {
                let x = self.domain.settle(i, start + reach * self.random.in_ball());
                let nearest = self.grid.nearest_squared(x, i);
                if nearest > best.0 {
                    best = (nearest, x);
                }
            }
            if best.1 != start && best.1.is_finite() {
                self.grid.move_to(i, best.1);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;

    /// The experiment of \[Wang2017\] Sec. 5: random points in a square of 0.1 m.
    fn square(seed: u64) -> (Aabb, Vec<DVec3>) {
        let mut random = RandomStream::new(seed);
        let points = (0..100).map(|_| DVec3::new(random.unit(), random.unit(), 0.0) * 0.1).collect();
        (Aabb { min: DVec3::ZERO, max: DVec3::new(0.1, 0.1, 0.0) }, points)
    }

    #[test]
    fn fewer_points_of_the_experiment_are_too_near_than_after_trials() {
        // 0.95 to 1.07 of the distance in a square lattice of 100 points, which is 0.01 m; the last is the densest packing's.
        for (radius, most) in [(0.0095, 0), (0.01, 0), (0.0103, 12), (0.0107, 40)] {
            let (mut left, mut tried) = (0, 0);
            for seed in 0..12 {
                let (domain, points) = square(seed);
                let params = RelaxParams { radius, sweeps: 100 };
                let mut gradient = Relaxation::new(&points, &domain, params).unwrap();
                let params = RandomRelaxParams { radius, attempts: 20, sweeps: 100, seed };
                let mut random = RandomRelaxation::new(&points, &domain, params).unwrap();
                assert!(gradient.violations() > 80);
                for _ in 0..100 {
                    gradient.sweep();
                    random.sweep();
                }
                left += gradient.violations();
                tried += random.violations();
                assert!(gradient.samples().iter().all(|x| domain.contains(*x)));
            }
            assert!(left <= most, "{radius}: {left} {tried}");
            assert!(radius < 0.0105 || 2 * left < tried, "{radius}: {left} {tried}");
        }
    }

    #[test]
    fn samples_do_not_depend_on_threads() {
        let (domain, _) = square(0);
        let mut random = RandomStream::new(3);
        let points: Vec<DVec3> =
            (0..6000).map(|_| DVec3::new(random.unit(), random.unit(), 0.0) * 0.1).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let params = RelaxParams { radius: 0.0012, sweeps: 3 };
                let mut relaxation = Relaxation::new(&points, &domain, params).unwrap();
                (0..3).for_each(|_| assert!(relaxation.sweep() > 0));
                relaxation.samples().to_vec()
            })
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn an_even_lattice_stays() {
        let lattice: Vec<DVec3> =
            (0..100).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.0)).collect();
        let domain = Aabb { min: DVec3::ZERO, max: DVec3::new(9.0, 9.0, 0.0) };
        let mut relaxation =
            Relaxation::new(&lattice, &domain, RelaxParams { radius: 0.8, sweeps: 10 }).unwrap();
        for _ in 0..10 {
            relaxation.sweep();
        }
        for (a, b) in relaxation.samples().iter().zip(&lattice) {
            assert!(a.distance(*b) < 1e-9);
        }
    }

    #[test]
    fn crowds_nothing_and_bad_parameters_do_no_harm() {
        let domain = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let mut crowd =
            Relaxation::new(&[DVec3::splat(0.5); 20], &domain, RelaxParams { radius: 0.1, sweeps: 5 })
                .unwrap();
        for _ in 0..5 {
            crowd.sweep();
        }
        assert!(crowd.samples().iter().all(|x| x.is_finite()));
        let mut nothing = Relaxation::new(&[], &domain, RelaxParams { radius: 0.1, sweeps: 5 }).unwrap();
        assert_eq!((nothing.sweep(), nothing.violations()), (0, 0));
        for radius in [0.0, f64::NAN, f64::INFINITY] {
            assert!(Relaxation::new(&[DVec3::ZERO], &domain, RelaxParams { radius, sweeps: 5 }).is_err());
        }
    }
}
