//! Values between slots.

use crate::lattice::{CellLattice, Site};
use glam::DVec3;

/// The eight values around a place (four pairs of equal ones in the plane), and where it is between them.
#[derive(Debug, Clone, Copy)]
pub struct Surrounding {
    value: [f64; 8],
    share: [f64; 3],
}

impl Surrounding {
    /// What is around `x` `[m]`, a place within the box.
    #[inline(always)]
    #[must_use]
    pub fn of(lattice: &CellLattice, site: Site, channel: &[f64], x: DVec3) -> Self {
        let place = lattice.in_slots(site, x).to_array();
        let (size, [sx, sy, sz]) = (lattice.size(), lattice.stride());
        let mut first = [0; 3];
        let mut share = [0.0; 3];
        for axis in 0..3 {
            // Not a number becomes slot 0: the check of the step finds what it was made from.
            first[axis] = (place[axis].max(0.0) as usize).min(size[axis].saturating_sub(2));
            share[axis] = place[axis] - first[axis] as f64;
        }
        let n = lattice.index(first);
        let value = [
            channel[n],
            channel[n + sx],
            channel[n + sy],
            channel[n + sx + sy],
            channel[n + sz],
            channel[n + sx + sz],
            channel[n + sy + sz],
            channel[n + sx + sy + sz],
        ];
        Self { value, share }
    }

    /// The trilinear mean.
    #[inline(always)]
    #[must_use]
    pub fn mean(&self) -> f64 {
        let (v, [x, y, z]) = (&self.value, self.share);
        let lower = mix(mix(v[0], v[1], x), mix(v[2], v[3], x), y);
        let upper = mix(mix(v[4], v[5], x), mix(v[6], v[7], x), y);
        mix(lower, upper, z)
    }

    /// The value within the range of those around.
    #[inline(always)]
    #[must_use]
    pub fn limit(&self, value: f64) -> f64 {
        let lowest = self.value.into_iter().fold(f64::INFINITY, f64::min);
        let highest = self.value.into_iter().fold(f64::NEG_INFINITY, f64::max);
        value.max(lowest).min(highest)
    }
}

#[inline(always)]
fn mix(a: f64, b: f64, share: f64) -> f64 {
    a + share * (b - a)
}

/// A velocity field on faces, to be asked anywhere.
#[derive(Debug, Clone, Copy)]
pub struct Flow<'a> {
    /// The grid.
    pub lattice: &'a CellLattice,
    /// By axis: the velocity along it, on the faces across it `[m/s]`.
    pub velocity: &'a [Vec<f64>; 3],
}

impl Flow<'_> {
    /// u(x) at a place within the box `[m/s]`.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, x: DVec3) -> DVec3 {
        let mut u = DVec3::ZERO;
        for axis in self.lattice.axes() {
            u[axis] = Surrounding::of(self.lattice, Site::Face(axis), &self.velocity[axis], x).mean();
        }
        u
    }

    /// u where a channel has the value number `index` `[m/s]`.
    #[inline(always)]
    #[must_use]
    pub fn at_slot(&self, site: Site, index: usize) -> DVec3 {
        let stride = self.lattice.stride();
        let mut u = DVec3::ZERO;
        for axis in self.lattice.axes() {
            let channel = &self.velocity[axis];
            let pair = |n: usize| channel[n] + channel[n + stride[axis]];
            u[axis] = match site {
                Site::Cell => 0.5 * pair(index),
                Site::Face(own) if own == axis => channel[index],
                Site::Face(own) => 0.25 * (pair(index) + pair(index - stride[own])),
            };
        }
        u
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_core::Dimension;

    #[test]
    fn linear_fields_are_met_exactly() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let grid = CellLattice::new(dimension, [5, 4, 3], 0.5, DVec3::new(1.0, -1.0, 0.3)).unwrap();
            let across = if dimension == Dimension::Two { 0.0 } else { 1.0 };
            let field = |x: DVec3| DVec3::new(x.y - 2.0 * x.x, 3.0 * x.x + across * x.z, x.x - x.y);
            let mut velocity = [grid.channel(), grid.channel(), grid.channel()];
            for axis in grid.axes() {
                for (index, value) in velocity[axis].iter_mut().enumerate() {
                    *value = field(grid.position(Site::Face(axis), grid.slot(index)))[axis];
                }
            }
            let flow = Flow { lattice: &grid, velocity: &velocity };
            let x = grid.origin() + grid.extent() * DVec3::new(0.31, 0.77, 0.46);
            let expected =
                if dimension == Dimension::Two { field(x).truncate().extend(0.0) } else { field(x) };
            assert!((flow.at(x) - expected).length() < 1e-12);
            for site in [Site::Cell, Site::Face(0), Site::Face(1)] {
                let slot = [3, 2, if dimension == Dimension::Two { 0 } else { 2 }];
                let (there, here) =
                    (flow.at(grid.position(site, slot)), flow.at_slot(site, grid.index(slot)));
                assert!((there - here).length() < 1e-12, "{site:?}");
            }
        }
    }
}
