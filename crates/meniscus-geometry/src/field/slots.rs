//! Which cell answers where.

use super::lattice::Lattice;
use super::pool::Pool;

/// Marks a cell above the band: farther outside than it reaches.
pub(crate) const ABOVE: u32 = u32::MAX;
/// Marks a cell below the band: deeper inside than it reaches.
pub(crate) const BELOW: u32 = u32::MAX - 1;

/// Cells of a run `[1]`.
const RUN: usize = 32;

/// For each cell of a grid its place among the cells that are kept, or [`ABOVE`] or [`BELOW`]: in runs along x, equal ones
/// once. Far from a body, and along a flat wall, they are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slots {
    /// Cells along each axis, one along z in the plane.
    count: [usize; 3],
    /// For each run its place in `run`, line after line.
    place: Vec<u32>,
    run: Vec<[u32; RUN]>,
}

impl Slots {
    /// From the slots of all cells, in their order.
    pub fn new(lattice: &Lattice, cells: impl IntoIterator<Item = u32>) -> Self {
        let count = lattice.count().map(|c| c.max(1) as usize);
        let runs = count[0].div_ceil(RUN);
        let mut place = Vec::with_capacity(runs * count[1] * count[2]);
        let mut pool = Pool::new();
        let mut cells = cells.into_iter();
        for _ in 0..count[1] * count[2] {
            for r in 0..runs {
                // Nobody asks for what is beyond the end of a line.
                let mut run = [ABOVE; RUN];
                let length = RUN.min(count[0] - r * RUN);
                for (slot, cell) in run.iter_mut().zip(cells.by_ref().take(length)) {
                    *slot = cell;
                }
                place.push(pool.insert(run));
            }
        }
        Self { count, place, run: pool.into_items() }
    }

    /// The slot of the cell at these coordinates.
    #[inline(always)]
    pub fn get(&self, [x, y, z]: [usize; 3]) -> u32 {
        let [nx, ny, _] = self.count;
        let run = x / RUN + nx.div_ceil(RUN) * (y + ny * z);
        let slots = self.place.get(run).and_then(|&place| self.run.get(place as usize));
        slots.map_or(ABOVE, |slots| slots[x % RUN])
    }

    /// The slots of all cells, in their order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let line = self.count[0].div_ceil(RUN);
        self.place.chunks(line.max(1)).flat_map(move |line| {
            line.iter().flat_map(|&place| &self.run[place as usize]).take(self.count[0]).copied()
        })
    }

    /// What they occupy `[byte]`.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.place.as_slice()) + size_of_val(self.run.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use meniscus_core::Dimension;

    use super::*;
    use crate::Aabb;

    #[test]
    fn each_cell_gets_back_what_was_put_there_and_equal_lines_are_kept_once() {
        for (size, dimension) in
            [(DVec3::new(70.0, 5.0, 4.0), Dimension::Three), (DVec3::splat(33.0), Dimension::Two)]
        {
            let lattice = Lattice::covering(Aabb::around(DVec3::ZERO, size), 1.0, dimension).unwrap();
            let different: Vec<u32> = (0..lattice.cells() as u32).collect();
            let slots = Slots::new(&lattice, different.iter().copied());
            assert!(slots.iter().eq(different.iter().copied()));
            for cell in 0..lattice.cells() {
                assert_eq!(slots.get(lattice.cell_at(cell).map(|c| c as usize)), cell as u32);
            }
            let along = lattice.count()[0] as u32;
            let alike = Slots::new(&lattice, different.iter().map(|c| c % along));
            assert_eq!(alike.run.len(), along.div_ceil(RUN as u32) as usize);
            assert!(alike.memory_bytes() < slots.memory_bytes() / 3);
        }
    }
}
