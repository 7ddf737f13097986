//! A regular grid of cells, and the numbers of its cells and nodes.

use glam::{DVec3, IVec3};
use meniscus_core::Dimension;

use crate::error::require_positive;
use crate::{Aabb, GeometryError};

/// The most cells of a grid `[1]`: 270 MB for the table that finds a cell.
const MAX_CELLS: f64 = (1u64 << 26) as f64;

/// How far outside of the grid a point still counts as on its face, in cells: what rounding may do to a point that was
/// moved there.
const SLACK: DVec3 = DVec3::splat(1e-9);

/// A grid of equal cubes (in the plane z = 0: squares).
///
/// Nodes are numbered through: first the corners of cells, then two nodes for each edge along x, y and z. What two
/// cells share has one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    origin: DVec3,
    cell: f64,
    /// Cells along each axis; 0 along z in the plane.
    count: [u64; 3],
}

/// The nodes of one cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellNodes {
    /// Bit a of the index says whether the corner is at the upper end of axis a.
    pub corner: [u64; 8],
    /// Per axis, per edge along it (the bits of the index are those of the other two axes), its two nodes.
    pub edge: [[[u64; 2]; 4]; 3],
}

impl Lattice {
    /// The grid of cells with this edge length `[m]` that covers a box and has it in its middle. In the plane the box's
    /// extent along z is ignored.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] if the box is empty or infinite, the cell is not positive and finite, or there would
    /// be too many cells.
    pub fn covering(bounds: Aabb, cell: f64, dimension: Dimension) -> Result<Self, GeometryError> {
        require_positive("cell", cell)?;
        if bounds.is_empty() || !(bounds.min.is_finite() && bounds.max.is_finite()) {
            let what = format!("a grid from {} to {} m", bounds.min, bounds.max);
            return Err(GeometryError::Invalid { what, allowed: "a finite box" });
        }
        let size = bounds.size();
        // A box that is a whole number of cells gets that number despite of rounding.
        let along = |length: f64| (length / cell - 1e-9).ceil().max(1.0);
        let planar = dimension == Dimension::Two;
        let count = [along(size.x), along(size.y), if planar { 1.0 } else { along(size.z) }];
        let cells = count[0] * count[1] * count[2];
        if cells.is_nan() || cells > MAX_CELLS {
            return Err(GeometryError::Invalid {
                what: format!("cell = {cell} m, which makes {cells:.2e} cells,"),
                allowed: "at most 6.7e7 cells; use larger ones",
            });
        }
        let mut origin = bounds.centre() - 0.5 * cell * DVec3::from_array(count);
        let mut count = count.map(|c| c as u64);
        if planar {
            origin.z = 0.0;
            count[2] = 0;
        }
        Ok(Self { origin, cell, count })
    }

    /// From stored numbers; `None` if they make no grid.
    pub(crate) fn from_parts(origin: DVec3, cell: f64, count: [u64; 3]) -> Option<Self> {
        let cells = count[0] as f64 * count[1] as f64 * count[2].max(1) as f64;
        let sound =
            origin.is_finite() && cell.is_finite() && cell > 0.0 && (1.0..=MAX_CELLS).contains(&cells);
        sound.then_some(Self { origin, cell, count })
    }

    /// The corner with the smallest coordinates `[m]`.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The edge length of a cell `[m]`.
    #[must_use]
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// Cells along each axis; 0 along z if the grid is in the plane `[1]`.
    #[must_use]
    pub fn count(&self) -> [u64; 3] {
        self.count
    }

    /// Whether the grid is in the plane z = 0.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        self.count[2] == 0
    }

    /// How many cells there are `[1]`.
    #[must_use]
    pub fn cells(&self) -> usize {
        (self.count[0] * self.count[1] * self.count[2].max(1)) as usize
    }

    /// How many nodes there are `[1]`.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.edge_base(3)
    }

    /// The box it covers.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let count = DVec3::from_array(self.count.map(|c| c as f64));
        Aabb { min: self.origin, max: self.origin + self.cell * count }
    }

    /// The number of the cell at these coordinates.
    pub(crate) fn cell_index(&self, at: [u64; 3]) -> usize {
        (at[0] + self.count[0] * (at[1] + self.count[1] * at[2])) as usize
    }

    /// The coordinates of the cell with this number.
    pub(crate) fn cell_at(&self, index: usize) -> [u64; 3] {
        let (index, [nx, ny, _]) = (index as u64, self.count);
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    /// The coordinates of the cell that `x` lies in and where in it, from 0 to 1 along each axis; in the plane z counts for
    /// nothing. `per_cell` is the inverse of the edge length `[1/m]`: it is asked so often that a division counts.
    #[inline(always)]
    pub(crate) fn place(&self, x: DVec3, per_cell: f64) -> Option<([usize; 3], DVec3)> {
        let (at, within) = self.within((x - self.origin) * per_cell)?;
        Some(([at.x as usize, at.y as usize, at.z as usize], within))
    }

    /// The cell that the point `u`, in cells from the origin, lies in, and where in it.
    #[inline(always)]
    fn within(&self, mut u: DVec3) -> Option<(IVec3, DVec3)> {
        let mut limit = DVec3::new(self.count[0] as f64, self.count[1] as f64, self.count[2] as f64);
        if self.is_planar() {
            (u.z, limit.z) = (0.0, 1.0);
        }
        // NaN fails this too.
        if !(u.cmpge(-SLACK).all() && u.cmple(limit + SLACK).all()) {
            return None;
        }
        let u = u.clamp(DVec3::ZERO, limit);
        // Truncation is the floor here, and on the upper faces the last cell answers.
        let at = u.min(limit - DVec3::ONE).as_ivec3();
        Some((at, u - at.as_dvec3()))
    }

    /// Nodes before those of edges along `axis`; all nodes for axis 3.
    fn edge_base(&self, axis: usize) -> u64 {
        let corners = self.count.map(|c| c + 1).iter().product::<u64>();
        corners + (0..axis).map(|a| 2 * self.edge_count(a).iter().product::<u64>()).sum::<u64>()
    }

    /// Edges along `axis`, counted along each axis.
    fn edge_count(&self, axis: usize) -> [u64; 3] {
        let mut count = self.count.map(|c| c + 1);
        count[axis] -= 1;
        count
    }

    /// The nodes of a cell. In the plane both ends of z have the same nodes, and edges along z those of corner 0.
    pub(crate) fn nodes_of(&self, cell: usize) -> CellNodes {
        let at = self.cell_at(cell);
        let depth = u64::from(!self.is_planar());
        let shifted = |bits: [u64; 3]| [at[0] + bits[0], at[1] + bits[1], at[2] + bits[2] * depth];
        let number = |at: [u64; 3], count: [u64; 3]| at[0] + count[0] * (at[1] + count[1] * at[2]);
        let corners = self.count.map(|c| c + 1);
        let corner =
            std::array::from_fn(|c| number(shifted([0, 1, 2].map(|a| (c as u64 >> a) & 1)), corners));
        let edge = std::array::from_fn(|axis| {
            let (base, count) = (self.edge_base(axis), self.edge_count(axis));
            std::array::from_fn(|e| {
                if axis == 2 && self.is_planar() {
                    return [corner[0]; 2];
                }
                let mut bits = [0; 3];
                let [first, second] = other_axes(axis);
                (bits[first], bits[second]) = (e as u64 & 1, e as u64 >> 1);
                let node = base + 2 * number(shifted(bits), count);
                [node, node + 1]
            })
        });
        CellNodes { corner, edge }
    }

    /// Where a node is `[m]`.
    pub(crate) fn node_position(&self, node: u64) -> DVec3 {
        let decode = |index: u64, [nx, ny, _]: [u64; 3]| [index % nx, index / nx % ny, index / (nx * ny)];
        let mut axis = 3;
        while axis > 0 && node < self.edge_base(axis - 1) {
            axis -= 1;
        }
        if axis == 0 {
            let at = decode(node, self.count.map(|c| c + 1)).map(|i| i as f64);
            return self.origin + self.cell * DVec3::from_array(at);
        }
        let axis = axis - 1;
        let local = node - self.edge_base(axis);
        let mut at = decode(local / 2, self.edge_count(axis)).map(|i| i as f64);
        at[axis] += ((local % 2) as f64 + 1.0) / 3.0;
        self.origin + self.cell * DVec3::from_array(at)
    }
}

/// The two axes that are not `axis`, ascending.
pub(crate) fn other_axes(axis: usize) -> [usize; 2] {
    [[1, 2], [0, 2], [0, 1]][axis]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(dimension: Dimension) -> Lattice {
        let bounds = Aabb { min: DVec3::new(-1.0, 0.0, 2.0), max: DVec3::new(0.5, 1.0, 4.0) };
        Lattice::covering(bounds, 0.5, dimension).unwrap()
    }

    #[test]
    fn every_node_belongs_to_a_cell_and_lies_where_the_cell_says() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let lattice = lattice(dimension);
            let mut seen = vec![false; lattice.nodes() as usize];
            for cell in 0..lattice.cells() {
                let low = lattice.origin()
                    + lattice.cell() * DVec3::from_array(lattice.cell_at(cell).map(|c| c as f64));
                let nodes = lattice.nodes_of(cell);
                for (c, node) in nodes.corner.into_iter().enumerate() {
                    let bits = DVec3::from_array([0, 1, 2].map(|a| (c >> a & 1) as f64));
                    let flat = if lattice.is_planar() { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
                    let expected = low + lattice.cell() * bits * flat;
                    assert!(lattice.node_position(node).abs_diff_eq(expected, 1e-12));
                    seen[node as usize] = true;
                }
                for (axis, edges) in nodes.edge.iter().enumerate() {
                    if axis == 2 && lattice.is_planar() {
                        continue;
                    }
                    for (e, pair) in edges.iter().enumerate() {
                        let [first, second] = other_axes(axis);
                        let start = nodes.corner[(e & 1) << first | (e >> 1) << second];
                        for (k, &node) in pair.iter().enumerate() {
                            let mut expected = lattice.node_position(start);
                            expected[axis] += lattice.cell() * (k as f64 + 1.0) / 3.0;
                            assert!(lattice.node_position(node).abs_diff_eq(expected, 1e-12));
                            seen[node as usize] = true;
                        }
                    }
                }
            }
            assert!(seen.into_iter().all(|s| s));
        }
    }

    #[test]
    fn the_upper_faces_belong_to_the_last_cells() {
        let lattice = lattice(Dimension::Three);
        assert_eq!(lattice.count(), [3, 2, 4]);
        let (at, within) = lattice.place(lattice.bounds().max, 2.0).unwrap();
        assert_eq!(at, [2, 1, 3]);
        assert!(within.abs_diff_eq(DVec3::ONE, 1e-12));
        assert!(lattice.place(lattice.bounds().max + 1e-9, 2.0).is_none());
        assert!(lattice.place(DVec3::NAN, 2.0).is_none());
    }

    #[test]
    fn absurd_grids_are_refused() {
        let bounds = Aabb::around(DVec3::ZERO, DVec3::ONE);
        for cell in [0.0, -1.0, f64::NAN, 1e-9, f64::MIN_POSITIVE] {
            assert!(Lattice::covering(bounds, cell, Dimension::Three).is_err(), "{cell}");
        }
        assert!(Lattice::covering(Aabb::EMPTY, 0.1, Dimension::Three).is_err());
    }
}
