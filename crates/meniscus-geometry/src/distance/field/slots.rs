//! Which cell answers where, with equal blocks of 32 words kept once.
//!
//! Along a flat wall cells repeat bit by bit, so the map of a tank is a few hundred cells and a table that finds them; and
//! so do the lines of that table.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::cell::Cell;
use super::lattice::Lattice;

/// Cells of a run `[1]`.
const RUN: usize = 32;

/// Marks a cell above the band: farther outside than it reaches.
pub(crate) const ABOVE: u32 = u32::MAX;
/// Marks a cell below the band: deeper inside than it reaches.
pub(crate) const BELOW: u32 = u32::MAX - 1;

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

/// Something that is as large as a cell.
pub(super) trait Words: Copy {
    /// Its bits.
    fn words(&self) -> [u32; 32];
}

impl Words for Cell {
    fn words(&self) -> [u32; 32] {
        std::array::from_fn(|i| self.0[i / 4][i % 4].to_bits())
    }
}

impl Words for [u32; 32] {
    fn words(&self) -> [u32; 32] {
        *self
    }
}

/// Different blocks, in the order in which they first came.
pub(super) struct Pool<T> {
    item: Vec<T>,
    /// The first block of each hash.
    known: HashMap<u64, u32>,
}

impl<T: Words> Pool<T> {
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// For at most so many different blocks; memory is taken as they come.
    pub fn with_capacity(most: usize) -> Self {
        Self { item: Vec::with_capacity(most), known: HashMap::new() }
    }

    /// The place of a block equal to this one.
    pub fn insert(&mut self, item: T) -> u32 {
        let (new, words) = (self.item.len() as u32, item.words());
        let hash = xxh3_64(words.map(u32::to_le_bytes).as_flattened());
        let found = *self.known.entry(hash).or_insert(new);
        // Different blocks of one hash are kept all; only the first of them is shared.
        if self.item.get(found as usize).is_some_and(|known| known.words() == words) {
            return found;
        }
        self.item.push(item);
        new
    }

    /// The blocks by their places.
    pub fn into_items(mut self) -> Vec<T> {
        // What was never used takes no memory, and giving it back would take a copy.
        if self.item.len() < self.item.capacity() / 2 {
            self.item.shrink_to_fit();
        }
        self.item
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

    #[test]
    fn equal_cells_share_a_place_and_others_do_not() {
        let cell = |v: f32| Cell([[v; 4]; 8]);
        let mut pool = Pool::new();
        let places = [1.0, 2.0, 1.0, 0.0, -0.0, f32::NAN, f32::NAN, 2.0].map(|v| pool.insert(cell(v)));
        assert_eq!(places, [0, 1, 0, 2, 3, 4, 4, 1]);
        assert_eq!(pool.into_items().len(), 5);
    }
}
