//! How deep a floating body is, from volumes.

use crate::run::Run;
use glam::DVec3;
use meniscus_core::Dimension;

/// Points along an edge of the box around a body at which it is asked whether they are in it `[1]`.
const POINTS: usize = 40;

/// The matter of a body where it is now, as points.
#[derive(Debug, Clone)]
pub struct Hull {
    /// Heights of the points `[m]`.
    height: Vec<f64>,
    /// How high a point's cell is `[m]`.
    cell: f64,
    /// Of the body, in the plane for a metre of depth `[m³]`.
    volume: f64,
}

impl Hull {
    /// The matter of body `k`.
    pub fn of(run: &Run, k: usize) -> Self {
        let (solid, planar) = (run.solid(k), run.dimension() == Dimension::Two);
        let bounds = solid.bounds();
        let cell = bounds.size() / POINTS as f64;
        let layers = if planar { 1 } else { POINTS };
        let at = |n: usize| n as f64 + 0.5;
        let place = |n: usize| {
            let corner = DVec3::new(at(n % POINTS), at(n / POINTS % POINTS), at(n / POINTS / POINTS));
            let x = bounds.min + corner * cell;
            if planar { x.with_z(0.0) } else { x }
        };
        let inside = |x: &DVec3| solid.signed_distance(*x, run.dimension()) < 0.0;
        let points = (0..POINTS * POINTS * layers).map(place).filter(inside);
        let height: Vec<f64> = points.map(|x| x.y).collect();
        let volume = cell.x * cell.y * if planar { 1.0 } else { cell.z };
        Self { volume: volume * height.len() as f64, height, cell: cell.y }
    }

    /// The share of it that is below a level `[m]`; cells that the level cuts count in part `[1]`.
    pub fn below(&self, level: f64) -> f64 {
        let share = |height: &f64| ((level - height) / self.cell + 0.5).clamp(0.0, 1.0);
        self.height.iter().map(share).sum::<f64>() / self.height.len() as f64
    }

    /// The level at which a tank of this area holds this volume of water and what is under water of the body `[m]`.
    pub fn level(&self, water: f64, area: f64) -> f64 {
        let mut level = water / area;
        // Converges quickly: the body is a small part of the tank's area.
        for _ in 0..30 {
            level = (water + self.volume * self.below(level)) / area;
        }
        level
    }
}

impl Run {
    /// The share of body `k` that is under water in a tank of this area, in the plane this width, with level floor at y
    /// = 0: from the body's pose and the level at which the tank holds all particles and it `[1]`.
    pub fn submerged(&self, k: usize, area: f64) -> f64 {
        let hull = Hull::of(self, k);
        hull.below(hull.level(self.fluid_volume(), area))
    }
}
