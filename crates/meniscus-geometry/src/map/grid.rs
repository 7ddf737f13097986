//! The regular grid on which a part of a map is integrated, the distance at its points, and the lines through its cells on
//! which four points along an axis are interpolated.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use crate::SignedDistance;
use crate::distance::LocalDistance;

/// Edge of the blocks of points that one distance may settle `[1]`.
const BLOCK: usize = 4;
/// How far from a point the cubic cells that use it reach, in spacings along each axis `[1]`.
const NEIGHBOURS: f64 = 3.0;

/// Points at whole multiples of a spacing from the corner of the map's lattice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// The corner of the lattice `[m]`.
    pub origin: DVec3,
    /// Between points `[m]`.
    pub spacing: f64,
    /// The first point, in spacings from the corner.
    pub first: [i64; 3],
    /// Points along each axis; 1 along z in the plane.
    pub count: [usize; 3],
    /// Whether it lies in the plane z = 0.
    pub planar: bool,
}

impl Grid {
    /// How far apart in memory neighbours along each axis are; in the plane a point is its own neighbour along z.
    pub fn stride(&self) -> [usize; 3] {
        let [nx, ny, _] = self.count;
        [1, nx, if self.planar { 0 } else { nx * ny }]
    }

    /// How many points a layer has, and how many layers there are: across z, in the plane across y.
    pub fn layers(&self) -> (usize, usize) {
        let [nx, ny, nz] = self.count;
        if self.planar { (nx, ny) } else { (nx * ny, nz) }
    }

    /// Where `at` points from the first one is, which need not be a whole number `[m]`.
    pub fn position(&self, at: [f64; 3]) -> DVec3 {
        let first = DVec3::from_array(self.first.map(|f| f as f64));
        self.origin + self.spacing * (first + DVec3::from_array(at))
    }

    /// Φ at all points. Blocks around which all distances are between bounds of which `constant` is true get one value
    /// for all points, and in blocks farther than `support` `[m]` from the surface a straight Φ is not asked for at every
    /// point; Φ must change by at most the way gone.
    pub fn distances(
        &self,
        phi: &impl SignedDistance,
        support: f64,
        constant: &(impl Fn(f64, f64) -> bool + Sync),
    ) -> Vec<f64> {
        let (stride, layers) = self.layers();
        let mut out = vec![0.0; stride * layers];
        out.par_chunks_mut(BLOCK * stride).enumerate().for_each(|(i, slab)| {
            let thick = BLOCK * i..BLOCK * i + slab.len() / stride;
            if self.planar {
                self.blocks([thick, 0..1], BLOCK * i * stride, slab, phi, support, constant);
                return;
            }
            for y in (0..self.count[1]).step_by(BLOCK) {
                let rows = y..(y + BLOCK).min(self.count[1]);
                self.blocks([rows, thick.clone()], BLOCK * i * stride, slab, phi, support, constant);
            }
        });
        out
    }

    /// A row of blocks along x; `slab` begins at the point with the index `begin`.
    fn blocks(
        &self,
        [y, z]: [Range<usize>; 2],
        begin: usize,
        slab: &mut [f64],
        phi: &impl SignedDistance,
        support: f64,
        constant: &impl Fn(f64, f64) -> bool,
    ) {
        let [nx, ny, _] = self.count;
        for x0 in (0..nx).step_by(BLOCK) {
            let x = x0..(x0 + BLOCK).min(nx);
            let points = [x, y.clone(), z.clone()];
            let (middle, half) = middle_and_half(&points);
            let place = self.position(middle);
            let centre = phi.distance(place);
            let reach = self.spacing * (half + NEIGHBOURS).length();
            let mut fill = |points: &[Range<usize>; 3], value: &dyn Fn(DVec3) -> f64| {
                let [x, y, z] = points;
                for (k, j) in z.clone().flat_map(|k| y.clone().map(move |j| (k, j))) {
                    for i in x.clone() {
                        slab[i + nx * (j + ny * k) - begin] =
                            value(self.position([i, j, k].map(|c| c as f64)));
                    }
                }
            };
            if constant(centre - reach, centre + reach) {
                fill(&points, &|_| centre);
                continue;
            }
            let near = phi.near(place, self.spacing * half);
            let straight =
                (centre.abs() > support).then(|| straight(&*near, place, centre, self.spacing * half));
            if let Some(slope) = straight.flatten() {
                fill(&points, &|x| centre + slope.dot(x - place));
                continue;
            }
            for part in halves(&points) {
                let (middle, half) = middle_and_half(&part);
                let near = near.narrowed(self.position(middle), self.spacing * half);
                fill(&part, &|x| near.distance(x));
            }
        }
    }
}

/// Φ in a box around `middle`, if at its corners it is what its slope there foretells. Far from a surface, what bends Φ
/// between those points bends it very little.
fn straight(near: &dyn LocalDistance, middle: DVec3, centre: f64, half: DVec3) -> Option<DVec3> {
    let corner = |i: usize| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(1), sign(2), sign(4))
    };
    let value: [f64; 8] = std::array::from_fn(|i| near.distance(middle + corner(i)));
    let rise = DVec3::new(value[1] - value[0], value[2] - value[0], value[4] - value[0]);
    let slope = DVec3::select(half.cmpgt(DVec3::ZERO), rise / (2.0 * half), DVec3::ZERO);
    let agrees = |i: usize| (centre + slope.dot(corner(i)) - value[i]).abs() < 1e-6 * half.max_element();
    (0..8).all(agrees).then_some(slope)
}

/// The middle of a block of points, and half of the way from its first to its last point.
fn middle_and_half(points: &[Range<usize>; 3]) -> ([f64; 3], DVec3) {
    let half = |r: &Range<usize>| 0.5 * (r.end - r.start - 1) as f64;
    let middle = |r: &Range<usize>| 0.5 * (r.start + r.end - 1) as f64;
    ([0, 1, 2].map(|a| middle(&points[a])), DVec3::from_array([0, 1, 2].map(|a| half(&points[a]))))
}

/// A block of points cut in two along each axis, without empty parts.
fn halves(points: &[Range<usize>; 3]) -> impl Iterator<Item = [Range<usize>; 3]> {
    let half = |part: usize, r: &Range<usize>| {
        let middle = r.start + r.len() / 2;
        if part == 0 { r.start..middle } else { middle..r.end }
    };
    let part = move |i: usize| [0, 1, 2].map(|a| half(i >> a & 1, &points[a]));
    (0..8).map(part).filter(|part| part.iter().all(|r| !r.is_empty()))
}

/// The Gauss rule with three points from 0 to 1: places and weights.
pub(super) const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];
/// The same rule in both halves, for lines through cells in which a crease counts most.
pub(super) const HALVES: [(f64, f64); 6] = {
    let mut halves = [(0.0, 0.0); 6];
    let mut i = 0;
    while i < 6 {
        let (place, weight) = GAUSS[i % 3];
        halves[i] = (0.5 * (place + (i / 3) as f64), 0.5 * weight);
        i += 1;
    }
    halves
};

/// A line, by its place along an axis that it crosses.
pub(super) struct Line {
    /// Where it crosses, from the second of the four points `[1]`.
    pub place: f64,
    /// What the points count in a value on the line `[1]`.
    pub value: [f64; 4],
    /// How much of the line's integral each point gets `[1]`.
    pub share: [f64; 4],
}

/// For integrals of smooth functions.
pub(super) static SMOOTH_LINES: [Line; 3] = [line(GAUSS[0]), line(GAUSS[1]), line(GAUSS[2])];
/// For cells in which a crease counts most.
pub(super) static STEEP_LINES: [Line; 6] =
    [line(HALVES[0]), line(HALVES[1]), line(HALVES[2]), line(HALVES[3]), line(HALVES[4]), line(HALVES[5])];
/// In a plane there is nothing across.
pub(super) static WITHIN_PLANE: [Line; 1] =
    [Line { place: 0.0, value: [0.0, 1.0, 0.0, 0.0], share: [0.0, 1.0, 0.0, 0.0] }];
/// For functions that do not change along the axis: the points get the integrals of their interpolation.
pub(super) static ALIKE: [Line; 1] = [Line {
    place: 0.0,
    value: [0.0, 1.0, 0.0, 0.0],
    share: [-1.0 / 24.0, 13.0 / 24.0, 13.0 / 24.0, -1.0 / 24.0],
}];

const fn line((place, weight): (f64, f64)) -> Line {
    let value = lagrange(place);
    let share = [weight * value[0], weight * value[1], weight * value[2], weight * value[3]];
    Line { place, value, share }
}

/// The weights of values at −1, 0, 1 and 2 in their cubic at `t`.
#[inline]
pub(super) const fn lagrange(t: f64) -> [f64; 4] {
    let (a, b, c) = (t + 1.0, 1.0 - t, 2.0 - t);
    [-t * b * c / 6.0, 0.5 * a * b * c, 0.5 * a * t * c, -a * t * b / 6.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_stands_for_many_that_are_alike() {
        for lines in [&SMOOTH_LINES[..], &STEEP_LINES[..]] {
            for point in 0..4 {
                let share: f64 = lines.iter().map(|line| line.share[point]).sum();
                assert!((share - ALIKE[0].share[point]).abs() < 1e-15, "{point}: {share}");
            }
        }
    }
}
