//! Which part of space a sparse field covers, and which cells that takes.

use glam::DVec3;
use rayon::prelude::*;

use super::lattice::Lattice;
use super::slots::{ABOVE, BELOW};
use crate::GeometryError;

/// Edge length of the blocks that are looked at first `[cells]`.
const FIRST_BLOCK: u64 = 16;

/// Signed distances that a sparse field covers: from −`inner` to `outer`.
///
/// \[Koschier2017\] keeps −r to 2r for density maps of support radius r.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// How deep it reaches inside `[m]`; infinite: all of the inside.
    pub inner: f64,
    /// How far it reaches outside `[m]`; infinite: all of the grid.
    pub outer: f64,
}

impl Band {
    /// Everything.
    pub const ALL: Self = Self { inner: f64::INFINITY, outer: f64::INFINITY };

    /// Refuses bands without an extent.
    pub(crate) fn check(self) -> Result<(), GeometryError> {
        // The comparison is false for NaN.
        if self.inner + self.outer > 0.0 {
            return Ok(());
        }
        let what = format!("a band from {} m inside to {} m outside", self.inner, self.outer);
        Err(GeometryError::Invalid { what, allowed: "an inner and outer reach with a positive sum" })
    }

    /// For each cell 0 if it may hold a point of the band, else [`ABOVE`] or [`BELOW`] it. `distance` must change by at
    /// most the way gone.
    pub(crate) fn select(self, lattice: &Lattice, distance: &(impl Fn(DVec3) -> f64 + Sync)) -> Vec<u32> {
        let mut mark = vec![0; lattice.cells()];
        if self == Self::ALL {
            return mark;
        }
        let mut blocks = first_blocks(lattice);
        while !blocks.is_empty() {
            let verdicts: Vec<Verdict> =
                blocks.par_iter().map(|b| self.judge(lattice, b, distance)).collect();
            let mut finer = Vec::new();
            for (block, verdict) in blocks.iter().zip(verdicts) {
                match verdict {
                    Verdict::Drop(value) => block.cells(lattice).for_each(|cell| mark[cell] = value),
                    Verdict::Divide => finer.extend(block.octants(lattice)),
                    Verdict::Keep => {}
                }
            }
            blocks = finer;
        }
        mark
    }

    // [Koschier2017] Sec. 5, "Identification of Sparse Structure", for blocks of cells.
    fn judge(self, lattice: &Lattice, block: &Block, distance: &impl Fn(DVec3) -> f64) -> Verdict {
        let (centre, reach) = block.ball(lattice);
        let phi = distance(centre);
        if phi - reach >= self.outer {
            Verdict::Drop(ABOVE)
        } else if phi + reach <= -self.inner {
            Verdict::Drop(BELOW)
        } else if block.edge == 1 {
            Verdict::Keep
        } else {
            Verdict::Divide
        }
    }
}

enum Verdict {
    Drop(u32),
    Divide,
    Keep,
}

/// Cells `low` to `low` + `edge`, as far as they are in the grid.
struct Block {
    low: [u64; 3],
    edge: u64,
}

impl Block {
    /// One past the last cell along each axis.
    fn high(&self, lattice: &Lattice) -> [u64; 3] {
        let count = lattice.count();
        std::array::from_fn(|a| (self.low[a] + self.edge).min(count[a].max(1)))
    }

    fn cells(&self, lattice: &Lattice) -> impl Iterator<Item = usize> {
        let ([x0, y0, z0], [x1, y1, z1]) = (self.low, self.high(lattice));
        let lattice = *lattice;
        (z0..z1).flat_map(move |z| {
            (y0..y1).flat_map(move |y| (x0..x1).map(move |x| lattice.cell_index([x, y, z])))
        })
    }

    /// The middle `[m]` and the distance from there to the corners `[m]`.
    fn ball(&self, lattice: &Lattice) -> (DVec3, f64) {
        let as_f64 = |v: [u64; 3]| DVec3::from_array(v.map(|c| c as f64));
        let (mut low, mut high) = (as_f64(self.low), as_f64(self.high(lattice)));
        if lattice.is_planar() {
            (low.z, high.z) = (0.0, 0.0);
        }
        let centre = lattice.origin() + 0.5 * lattice.cell() * (low + high);
        // A touch more, for roundings of the distance.
        (centre, 0.5 * lattice.cell() * (high - low).length() * (1.0 + 1e-9))
    }

    fn octants(&self, lattice: &Lattice) -> Vec<Self> {
        let edge = self.edge / 2;
        let high = self.high(lattice);
        (0..8u64)
            .map(|o| std::array::from_fn(|a| self.low[a] + edge * (o >> a & 1)))
            .filter(|low: &[u64; 3]| (0..3).all(|a| low[a] < high[a]))
            .map(|low| Self { low, edge })
            .collect()
    }
}

fn first_blocks(lattice: &Lattice) -> Vec<Block> {
    let [nx, ny, nz] = lattice.count().map(|c| c.max(1).div_ceil(FIRST_BLOCK));
    (0..nx * ny * nz)
        .map(|i| Block {
            low: [i % nx * FIRST_BLOCK, i / nx % ny * FIRST_BLOCK, i / (nx * ny) * FIRST_BLOCK],
            edge: FIRST_BLOCK,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use meniscus_core::Dimension;

    use super::*;
    use crate::Aabb;

    #[test]
    fn no_cell_with_a_point_of_the_band_is_lost_and_few_others_stay() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let bounds = Aabb::around(DVec3::ZERO, DVec3::splat(1.3));
            let lattice = Lattice::covering(bounds, 0.037, dimension).unwrap();
            let band = Band { inner: 0.1, outer: 0.2 };
            let distance = |x: DVec3| x.length() - 1.0;
            let mark = band.select(&lattice, &distance);
            for (cell, &mark) in mark.iter().enumerate() {
                let corners = lattice.nodes_of(cell).corner.map(|n| distance(lattice.node_position(n)));
                let least = corners.into_iter().fold(f64::INFINITY, f64::min);
                let most = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
                match mark {
                    0 => assert!(least < 0.2 + 0.07 && most > -0.1 - 0.07, "{least} {most}"),
                    ABOVE => assert!(least > 0.2),
                    _ => assert!(most < -0.1),
                }
            }
        }
    }

    #[test]
    fn bands_without_extent_are_refused() {
        assert!(Band { inner: f64::NAN, outer: 1.0 }.check().is_err());
        assert!(Band { inner: -1.0, outer: 0.5 }.check().is_err());
        assert!(Band { inner: f64::INFINITY, outer: 0.0 }.check().is_ok());
    }
}
