//! The uniform grid: where cells and faces are, and where their values lie in memory.
//!
//! Velocities are on faces, all else is in cells: the MAC grid, "marker and cell" (\[Guendelman2006\] Sec. 4.4.1, Fig. 4.1a).
//! Every channel has one value for each *slot*. Cell i along an axis has slot i + 1, and so has the face at its lower end; slot 0
//! and those above the last cell are ghosts, which sides of the box fill. So all channels share one numbering, and kernels need no
//! branches at the box's sides. A planar grid has one layer and a stride of 0 along z: differences along z vanish by themselves.

use glam::DVec3;
use meniscus_core::Dimension;
use rayon::prelude::*;
use std::ops::Range;

/// Ghost slots below and above the cells of an axis, the last face included.
const PADDING: usize = 3;

/// Most slots that a grid may have: each channel of 8 bytes then takes 8 GB.
pub const MAX_SLOTS: usize = 1 << 30;

/// Rows that one thread takes at least.
const ROWS: usize = 4;

/// Where a channel has its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// In the middles of cells.
    Cell,
    /// In the middles of the faces across this axis.
    Face(usize),
}

/// A box of cubic cells along the axes of the scene; squares in the plane z = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellLattice {
    cells: [usize; 3],
    size: [usize; 3],
    stride: [usize; 3],
    spacing: f64,
    origin: DVec3,
    dimension: Dimension,
}

/// Why there is no such grid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LatticeError {
    /// A length is not one.
    #[error("a grid needs a positive, finite cell width and a finite corner, not {spacing} m and {origin} m")]
    Length {
        /// The width of a cell `[m]`.
        spacing: f64,
        /// The lower corner `[m]`.
        origin: DVec3,
    },
    /// There are too few or too many cells.
    #[error(
        "a grid of {cells:?} cells cannot be made; allowed are 1 cell along each axis up to {MAX_SLOTS} in all"
    )]
    Size {
        /// Along each axis.
        cells: [usize; 3],
    },
}

impl CellLattice {
    /// A grid of so many cells of the width `spacing` `[m]` whose lower corner is at `origin` `[m]`; in the plane the third number
    /// is not used.
    ///
    /// # Errors
    /// If a length is not positive and finite, or the number of cells is zero or too large.
    pub fn new(
        dimension: Dimension,
        cells: [usize; 3],
        spacing: f64,
        origin: DVec3,
    ) -> Result<Self, LatticeError> {
        if !(spacing.is_normal() && spacing > 0.0 && origin.is_finite()) {
            return Err(LatticeError::Length { spacing, origin });
        }
        let plane = dimension == Dimension::Two;
        let cells = if plane { [cells[0], cells[1], 1] } else { cells };
        let padded = |axis: usize| {
            if plane && axis == 2 { Some(1) } else { cells[axis].checked_add(PADDING) }
        };
        let slots = (0..3).try_fold(1_usize, |product, axis| product.checked_mul(padded(axis)?));
        if cells.contains(&0) || slots.is_none_or(|slots| slots > MAX_SLOTS) {
            return Err(LatticeError::Size { cells });
        }
        let size = [0, 1, 2].map(|axis| padded(axis).unwrap_or(0));
        let stride = [1, size[0], if plane { 0 } else { size[0] * size[1] }];
        let origin = if plane { origin.truncate().extend(0.0) } else { origin };
        Ok(Self { cells, size, stride, spacing, origin, dimension })
    }

    /// Cells along each axis `[1]`.
    #[must_use]
    pub fn cells(&self) -> [usize; 3] {
        self.cells
    }

    /// Plane or space.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Width of a cell `[m]`.
    #[must_use]
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// The lower corner `[m]`.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The upper corner `[m]`.
    #[must_use]
    pub fn end(&self) -> DVec3 {
        self.origin + self.extent()
    }

    /// The edge lengths of the box; none along z in the plane `[m]`.
    #[must_use]
    pub fn extent(&self) -> DVec3 {
        let [x, y, z] = self.cells.map(|n| n as f64 * self.spacing);
        DVec3::new(x, y, if self.dimension == Dimension::Two { 0.0 } else { z })
    }

    /// The axes along which the fluid can move.
    #[must_use]
    pub fn axes(&self) -> Range<usize> {
        0..self.dimension.count() as usize
    }

    /// Volume of a cell `[m^d]`.
    #[must_use]
    pub fn cell_volume(&self) -> f64 {
        self.dimension.cell_volume(self.spacing)
    }

    /// How many slots a channel has.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.size.iter().product()
    }

    /// Slots along each axis.
    pub(crate) fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Slots from one neighbour to the next along each axis.
    #[inline(always)]
    #[must_use]
    pub fn stride(&self) -> [usize; 3] {
        self.stride
    }

    /// A channel of zeros.
    #[must_use]
    pub fn channel(&self) -> Vec<f64> {
        vec![0.0; self.slots()]
    }

    /// The number of a slot.
    #[inline(always)]
    #[must_use]
    pub fn index(&self, slot: [usize; 3]) -> usize {
        slot[0] + slot[1] * self.size[0] + slot[2] * self.size[0] * self.size[1]
    }

    /// The slot of a number.
    #[must_use]
    pub fn slot(&self, index: usize) -> [usize; 3] {
        let [x, y, _] = self.size;
        [index % x, index / x % y, index / (x * y)]
    }

    /// The slots of cells along each axis.
    #[must_use]
    pub fn cell_range(&self) -> [Range<usize>; 3] {
        [0, 1, 2].map(|axis| self.span(axis, 0))
    }

    /// The slots of the faces across `axis`, those in the box's sides included.
    #[must_use]
    pub fn face_range(&self, axis: usize) -> [Range<usize>; 3] {
        [0, 1, 2].map(|other| self.span(other, usize::from(other == axis)))
    }

    /// The slots of a channel's values.
    #[must_use]
    pub fn range(&self, site: Site) -> [Range<usize>; 3] {
        match site {
            Site::Cell => self.cell_range(),
            Site::Face(axis) => self.face_range(axis),
        }
    }

    fn span(&self, axis: usize, more: usize) -> Range<usize> {
        if axis == 2 && self.dimension == Dimension::Two { 0..1 } else { 1..self.cells[axis] + 1 + more }
    }

    /// Where the value of a slot is `[m]`.
    #[inline]
    #[must_use]
    pub fn position(&self, site: Site, slot: [usize; 3]) -> DVec3 {
        let along = |axis: usize| (slot[axis] as f64 - Self::shift(site, axis)) * self.spacing;
        let z = if self.dimension == Dimension::Two { 0.0 } else { along(2) };
        self.origin + DVec3::new(along(0), along(1), z)
    }

    /// How many slots lie between slot 0 of a channel and the lower corner of the box.
    #[inline(always)]
    fn shift(site: Site, axis: usize) -> f64 {
        if site == Site::Face(axis) { 1.0 } else { 0.5 }
    }

    /// The same place in units of slots of a channel.
    #[inline(always)]
    #[must_use]
    pub(crate) fn in_slots(&self, site: Site, x: DVec3) -> DVec3 {
        let local = (x - self.origin) / self.spacing;
        let z = if self.dimension == Dimension::Two { 0.0 } else { local.z + Self::shift(site, 2) };
        DVec3::new(local.x + Self::shift(site, 0), local.y + Self::shift(site, 1), z)
    }

    /// The nearest place within the box.
    #[inline(always)]
    #[must_use]
    pub fn clamp(&self, x: DVec3) -> DVec3 {
        x.max(self.origin).min(self.end())
    }

    /// Sets values of a channel row by row, each row by one thread: `fill` gets the first slot, its number, and the row.
    pub fn fill<T: Send>(
        &self,
        channel: &mut [T],
        range: &[Range<usize>; 3],
        fill: impl Fn([usize; 3], usize, &mut [T]) + Sync,
    ) {
        let [x, y, z] = range;
        let rows = channel.par_chunks_mut(self.size[0]).enumerate().with_min_len(ROWS);
        rows.for_each(|(row, values)| {
            let (j, k) = (row % self.size[1], row / self.size[1]);
            if y.contains(&j) && z.contains(&k) {
                let slot = [x.start, j, k];
                fill(slot, self.index(slot), &mut values[x.clone()]);
            }
        });
    }

    /// The numbers of slots in a range, in their order.
    pub fn each(&self, range: &[Range<usize>; 3]) -> impl Iterator<Item = ([usize; 3], usize)> + use<> {
        let (lattice, [x, y, z]) = (*self, range.clone());
        z.flat_map(move |k| {
            let x = x.clone();
            y.clone().flat_map(move |j| x.clone().map(move |i| ([i, j, k], lattice.index([i, j, k]))))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_places_agree() {
        let grid = CellLattice::new(Dimension::Three, [4, 5, 6], 0.5, DVec3::new(1.0, 2.0, 3.0)).unwrap();
        for (slot, index) in grid.each(&grid.cell_range()) {
            assert_eq!(grid.slot(index), slot);
            let x = grid.position(Site::Cell, slot);
            assert!((grid.in_slots(Site::Cell, x) - DVec3::from(slot.map(|n| n as f64))).length() < 1e-12);
            let face = grid.position(Site::Face(1), slot);
            assert!((x - face - DVec3::new(0.0, 0.25, 0.0)).length() < 1e-12);
        }
        assert_eq!(grid.each(&grid.cell_range()).count(), 120);
        assert_eq!(grid.each(&grid.face_range(2)).count(), 140);
        assert!((grid.end() - DVec3::new(3.0, 4.5, 6.0)).length() < 1e-12);
    }

    #[test]
    fn a_plane_has_one_layer_and_no_stride_across() {
        let grid = CellLattice::new(Dimension::Two, [4, 5, 0], 0.5, DVec3::ONE).unwrap();
        assert_eq!((grid.stride()[2], grid.cells()[2]), (0, 1));
        assert_eq!(grid.each(&grid.cell_range()).count(), 20);
        assert!(grid.position(Site::Cell, [1, 1, 0]).z.abs() < 1e-15);
    }

    #[test]
    fn grids_that_cannot_be_are_refused() {
        let new = |cells, spacing| CellLattice::new(Dimension::Three, cells, spacing, DVec3::ZERO);
        assert!(new([0, 1, 1], 1.0).is_err());
        assert!(new([usize::MAX, 1, 1], 1.0).is_err());
        assert!(new([1 << 12, 1 << 12, 1 << 12], 1.0).is_err());
        assert!(new([1, 1, 1], f64::NAN).is_err());
        assert!(new([1, 1, 1], 0.0).is_err());
    }
}
