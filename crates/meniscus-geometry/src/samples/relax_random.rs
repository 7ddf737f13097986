//! Relaxation of samples by random trials, as \[Schechter2012\] relaxes its Poisson disks.
//!
//! Every sample tries random places around it and takes the one whose nearest neighbour is farthest. The reach of the
//! trials shrinks from sweep to sweep. The peer with which \[Wang2017\] compares its own relaxation.
//!
//! **Departures.** None known; the number of trials is the caller's choice.

use glam::DVec3;

use super::cells::PointGrid;
use super::domain::SampleDomain;
use super::random::RandomStream;
use super::relax::violations;
use crate::GeometryError;
use crate::error::require_positive;

/// How far around a sample its nearest neighbour is looked for, in radii `[1]`.
const REACH: f64 = 2.0;

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
