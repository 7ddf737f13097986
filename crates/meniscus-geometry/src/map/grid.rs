//! The regular grid on which a part of a map is integrated, and the distance at its points.

use glam::DVec3;
use rayon::prelude::*;

use crate::{NearDistance, SignedDistance};

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
        [y, z]: [std::ops::Range<usize>; 2],
        begin: usize,
        slab: &mut [f64],
        phi: &impl SignedDistance,
        support: f64,
        constant: &impl Fn(f64, f64) -> bool,
    ) {
        let [nx, ny, _] = self.count;
        for x0 in (0..nx).step_by(BLOCK) {
            let x = x0..(x0 + BLOCK).min(nx);
            let middle = [&x, &y, &z].map(|r| 0.5 * (r.start + r.end - 1) as f64);
            // Half of the way from the first to the last point.
            let half = DVec3::from_array([&x, &y, &z].map(|r| 0.5 * (r.end - r.start - 1) as f64));
            let place = self.position(middle);
            let centre = phi.distance(place);
            let reach = self.spacing * (half + NEIGHBOURS).length();
            let value: NearDistance<'_> = if constant(centre - reach, centre + reach) {
                Box::new(move |_| centre)
            } else {
                let near = phi.near(place, self.spacing * half.length());
                let straight =
                    (centre.abs() > support).then(|| straight(&*near, place, centre, self.spacing * half));
                straight.flatten().unwrap_or(near)
            };
            for (k, j) in z.clone().flat_map(|k| y.clone().map(move |j| (k, j))) {
                for i in x.clone() {
                    slab[i + nx * (j + ny * k) - begin] = value(self.position([i, j, k].map(|c| c as f64)));
                }
            }
        }
    }
}

/// Φ in a box around `middle`, if at its corners it is what its slope there foretells. Far from a surface, what bends Φ
/// between those points bends it very little.
fn straight<'a>(
    near: &dyn Fn(DVec3) -> f64,
    middle: DVec3,
    centre: f64,
    half: DVec3,
) -> Option<NearDistance<'a>> {
    let corner = |i: usize| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        half * DVec3::new(sign(1), sign(2), sign(4))
    };
    let value: [f64; 8] = std::array::from_fn(|i| near(middle + corner(i)));
    let rise = DVec3::new(value[1] - value[0], value[2] - value[0], value[4] - value[0]);
    let slope = DVec3::select(half.cmpgt(DVec3::ZERO), rise / (2.0 * half), DVec3::ZERO);
    let agrees = |i: usize| (centre + slope.dot(corner(i)) - value[i]).abs() < 1e-6 * half.max_element();
    (0..8).all(agrees).then(|| Box::new(move |x: DVec3| centre + slope.dot(x - middle)) as NearDistance<'a>)
}
