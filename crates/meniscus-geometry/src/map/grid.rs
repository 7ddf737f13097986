//! The regular grid on which a part of a map is integrated, and the distance at its points.

use glam::DVec3;
use rayon::prelude::*;

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

    /// `phi` at all points. Blocks around which all distances are between bounds of which `constant` is true get one
    /// value for all points; `phi` must change by at most the way gone.
    pub fn distances(
        &self,
        phi: &(impl Fn(DVec3) -> f64 + Sync),
        constant: &(impl Fn(f64, f64) -> bool + Sync),
    ) -> Vec<f64> {
        let (stride, layers) = self.layers();
        let mut out = vec![0.0; stride * layers];
        out.par_chunks_mut(BLOCK * stride).enumerate().for_each(|(i, slab)| {
            let thick = BLOCK * i..BLOCK * i + slab.len() / stride;
            if self.planar {
                self.blocks([thick, 0..1], BLOCK * i * stride, slab, phi, constant);
                return;
            }
            for y in (0..self.count[1]).step_by(BLOCK) {
                let rows = y..(y + BLOCK).min(self.count[1]);
                self.blocks([rows, thick.clone()], BLOCK * i * stride, slab, phi, constant);
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
        phi: &impl Fn(DVec3) -> f64,
        constant: &impl Fn(f64, f64) -> bool,
    ) {
        let [nx, ny, _] = self.count;
        for x0 in (0..nx).step_by(BLOCK) {
            let x = x0..(x0 + BLOCK).min(nx);
            let middle = [&x, &y, &z].map(|r| 0.5 * (r.start + r.end - 1) as f64);
            let half = [&x, &y, &z].map(|r| 0.5 * (r.end - r.start - 1) as f64 + NEIGHBOURS);
            let centre = phi(self.position(middle));
            let reach = self.spacing * DVec3::from_array(half).length();
            let all = constant(centre - reach, centre + reach).then_some(centre);
            for (k, j) in z.clone().flat_map(|k| y.clone().map(move |j| (k, j))) {
                for i in x.clone() {
                    let value = || phi(self.position([i, j, k].map(|c| c as f64)));
                    slab[i + nx * (j + ny * k) - begin] = all.unwrap_or_else(value);
                }
            }
        }
    }
}
