//! The six sides of the box: walls, open sides and inflow, and the ghost values that stand for them.
//!
//! A Neumann side keeps the velocity across it and lets the pressure alone; an open side has a pressure of zero in the side itself
//! (\[Guendelman2006\] Sec. 4.4.4). Along a side, ghosts are mirror values: the mean of a ghost and its neighbour is the wall's
//! velocity where fluid sticks, and both are equal where it slips.
//!
//! **Departures**: the thesis puts the pressure of an open side into the middle of the cell beyond it.

use crate::lattice::{CellLattice, Site};
use glam::DVec3;

/// What is at a side of the box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GridSide {
    /// A wall, which may move along itself.
    Wall {
        /// Its velocity; the part across it is not used `[m/s]`.
        velocity: DVec3,
        /// Whether fluid slips along it.
        slip: bool,
    },
    /// Nothing: fluid leaves, and what surrounds the box comes in.
    Open,
    /// Fluid comes in.
    Inflow {
        /// How fast `[m/s]`.
        velocity: DVec3,
        /// With how much smoke `[1]`.
        smoke: f64,
        /// How much warmer than what surrounds the box `[K]`.
        temperature: f64,
    },
}

impl GridSide {
    /// A wall along which fluid slips.
    pub const SLIP: Self = Self::Wall { velocity: DVec3::ZERO, slip: true };
    /// A wall at which fluid rests.
    pub const STICK: Self = Self::Wall { velocity: DVec3::ZERO, slip: false };

    /// The velocity across it, if that is given `[m/s]`.
    #[must_use]
    pub fn across(&self, axis: usize) -> Option<f64> {
        match self {
            Self::Wall { .. } => Some(0.0),
            Self::Open => None,
            Self::Inflow { velocity, .. } => Some(velocity[axis]),
        }
    }

    /// The velocity along it, if fluid sticks to it `[m/s]`.
    fn along(&self, axis: usize) -> Option<f64> {
        match self {
            Self::Wall { velocity, slip: false } | Self::Inflow { velocity, .. } => Some(velocity[axis]),
            Self::Wall { slip: true, .. } | Self::Open => None,
        }
    }

    /// The fastest that it moves `[m/s]`.
    pub(crate) fn speed(&self) -> f64 {
        match self {
            Self::Wall { velocity, slip: false } | Self::Inflow { velocity, .. } => {
                velocity.abs().max_element()
            }
            Self::Wall { slip: true, .. } | Self::Open => 0.0,
        }
    }
}

/// A channel of the state, for its values beyond the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// The velocity along this axis.
    Velocity(usize),
    /// Smoke.
    Smoke,
    /// Temperature.
    Temperature,
}

impl Quantity {
    /// Where its values are.
    #[must_use]
    pub fn site(self) -> Site {
        match self {
            Self::Velocity(axis) => Site::Face(axis),
            Self::Smoke | Self::Temperature => Site::Cell,
        }
    }
}

/// The sides in the order −x, +x, −y, +y, −z, +z.
pub type GridSides = [GridSide; 6];

/// Fills the ghosts of a channel.
pub fn fill_ghosts(lattice: &CellLattice, sides: &GridSides, quantity: Quantity, channel: &mut [f64]) {
    for axis in lattice.axes() {
        fill_across(lattice, [&sides[2 * axis], &sides[2 * axis + 1]], axis, quantity, channel);
    }
}

/// The ghosts beyond the two sides of an axis, for all slots along the other axes: those in edges come with the last axis.
fn fill_across(
    lattice: &CellLattice,
    sides: [&GridSide; 2],
    axis: usize,
    quantity: Quantity,
    channel: &mut [f64],
) {
    let (last, stride) = (lattice.cells()[axis], lattice.stride()[axis]);
    let size = lattice.size();
    let mut others = [0..size[0], 0..size[1], 0..size[2]];
    others[axis] = 0..1;
    for (_, first) in lattice.each(&others) {
        let at = |slot: usize| first + slot * stride;
        if quantity == Quantity::Velocity(axis) {
            for (side, face, inner, ghost) in [(sides[0], 1, 2, 0), (sides[1], last + 1, last, last + 2)] {
                channel[at(ghost)] = if let Some(velocity) = side.across(axis) {
                    channel[at(face)] = velocity;
                    2.0 * velocity - channel[at(inner)]
                } else {
                    channel[at(face)]
                };
            }
        } else {
            channel[at(0)] = ghost(sides[0], quantity, channel[at(1)]);
            channel[at(last + 1)] = ghost(sides[1], quantity, channel[at(last)]);
            channel[at(last + 2)] = channel[at(last + 1)];
        }
    }
}

/// The value beyond a side next to an inner one.
fn ghost(side: &GridSide, quantity: Quantity, inner: f64) -> f64 {
    match (quantity, side) {
        (Quantity::Velocity(along), side) => side.along(along).map_or(inner, |wall| 2.0 * wall - inner),
        (_, GridSide::Wall { .. }) => inner,
        (_, GridSide::Open) => 0.0,
        (Quantity::Smoke, GridSide::Inflow { smoke, .. }) => *smoke,
        (Quantity::Temperature, GridSide::Inflow { temperature, .. }) => *temperature,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_core::Dimension;

    #[test]
    fn ghosts_mirror_what_the_side_says() {
        let grid = CellLattice::new(Dimension::Two, [4, 3, 1], 1.0, DVec3::ZERO).unwrap();
        let lid = GridSide::Wall { velocity: DVec3::X, slip: false };
        let inflow = GridSide::Inflow { velocity: DVec3::X * 2.0, smoke: 0.5, temperature: 3.0 };
        let sides = [inflow, GridSide::Open, GridSide::SLIP, lid, GridSide::SLIP, GridSide::SLIP];
        let mut u = vec![7.0; grid.slots()];
        fill_ghosts(&grid, &sides, Quantity::Velocity(0), &mut u);
        let at = |channel: &[f64], i, j| channel[grid.index([i, j, 0])];
        // The face in the inflow, beyond the lid, beyond the slippery floor.
        assert!((at(&u, 1, 2) - 2.0).abs() < 1e-15);
        assert!((at(&u, 3, 4) + 5.0).abs() < 1e-15 && (at(&u, 3, 0) - 7.0).abs() < 1e-15);
        let mut v = vec![1.0; grid.slots()];
        fill_ghosts(&grid, &sides, Quantity::Velocity(1), &mut v);
        assert!(at(&v, 2, 1).abs() < 1e-15 && at(&v, 2, 4).abs() < 1e-15);
        assert!((at(&v, 0, 2) + 1.0).abs() < 1e-15 && (at(&v, 5, 2) - 1.0).abs() < 1e-15);
        let mut smoke = vec![1.0; grid.slots()];
        fill_ghosts(&grid, &sides, Quantity::Smoke, &mut smoke);
        assert!((at(&smoke, 0, 2) - 0.5).abs() < 1e-15 && at(&smoke, 5, 2).abs() < 1e-15);
        assert!((at(&smoke, 2, 0) - 1.0).abs() < 1e-15);
    }
}
