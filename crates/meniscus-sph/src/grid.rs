//! A counting-sort grid on a torus.
//!
//! Cells are as wide as the support radius, and particles are stored in cell order, x fastest, so that three cells in
//! a row are one contiguous run. The table of cells wraps around in each axis: when particles spread too far for a
//! dense table, distant cells share an entry. Their particles then meet as candidates and are told apart by their
//! distance, which is tested anyway. No hashing, no lost particles, memory proportional to the number of particles.

use crate::fixed::FixedFrame;
use meniscus_core::Dimension;
use std::ops::Range;

/// Smallest number of cells along an axis for which the three neighbours −1, 0, +1 are distinct on the torus.
const MIN_CELLS: u32 = 3;

/// Nine rows of cells, each of which may be cut in two by the torus' seam.
const MAX_RUNS: usize = 18;

/// Runs of particles that stand next to each other.
#[derive(Debug, Clone, Copy)]
pub struct Runs {
    run: [(u32, u32); MAX_RUNS],
    len: usize,
}

impl Runs {
    /// Adds a run, unless it is empty.
    #[inline(always)]
    fn push(&mut self, run: (u32, u32)) {
        self.run[self.len] = run;
        self.len += usize::from(run.0 < run.1);
    }

    /// The runs.
    #[inline(always)]
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.run[..self.len].iter().map(|&(first, end)| first as usize..end as usize)
    }

    /// The runs, for those who keep nothing else.
    pub fn into_ranges(self) -> impl Iterator<Item = Range<usize>> {
        self.run.into_iter().take(self.len).map(|(first, end)| first as usize..end as usize)
    }
}

/// The table that tells where the particles of a cell are.
#[derive(Debug, Clone, Default)]
pub struct CellGrid {
    min: [i32; 3],
    size: [u32; 3],
    planar: bool,
    cell_bits: u32,
    start: Vec<u32>,
    key: Vec<u32>,
}

impl CellGrid {
    /// Sorts particles by cell: afterwards `order[n]` is the previous index of the n-th particle in cell order.
    /// Particles of one cell keep their order.
    pub fn sort(
        &mut self,
        frame: &FixedFrame,
        dimension: Dimension,
        packed: &[[i32; 4]],
        order: &mut Vec<u32>,
    ) {
        self.cell_bits = frame.cell_bits;
        self.planar = dimension == Dimension::Two;
        self.choose_size(packed);
        let cells = self.size.iter().map(|&n| n as usize).product::<usize>();
        self.start.clear();
        self.start.resize(cells + 1, 0);
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.extend(packed.iter().map(|p| self.entry(self.cell_of(*p))));
        for &k in &key {
            self.start[k as usize + 1] += 1;
        }
        for c in 0..cells {
            self.start[c + 1] += self.start[c];
        }
        order.clear();
        order.resize(packed.len(), 0);
        for (i, &k) in key.iter().enumerate() {
            order[self.start[k as usize] as usize] = i as u32;
            self.start[k as usize] += 1;
        }
        // The scan above left each entry at its end, which is the next one's start.
        self.start.rotate_right(1);
        self.start[0] = 0;
        self.key = key;
    }

    /// The low corner of the lowest cells `[units]`.
    #[must_use]
    pub fn low(&self) -> [i32; 3] {
        self.corner(self.min)
    }

    /// Log2 of the units along an edge of a cell.
    #[must_use]
    pub fn cell_bits(&self) -> u32 {
        self.cell_bits
    }

    /// The cell a fixed-point position lies in.
    #[inline(always)]
    #[must_use]
    pub fn cell_of(&self, packed: [i32; 4]) -> [i32; 3] {
        [packed[0] >> self.cell_bits, packed[1] >> self.cell_bits, packed[2] >> self.cell_bits]
    }

    /// The position of a cell's low corner `[units]`.
    #[inline(always)]
    #[must_use]
    pub fn corner(&self, cell: [i32; 3]) -> [i32; 3] {
        [cell[0] << self.cell_bits, cell[1] << self.cell_bits, cell[2] << self.cell_bits]
    }

    /// The runs of particles in the block of cells around `cell`, in a fixed order.
    #[inline(always)]
    #[must_use]
    pub fn block(&self, cell: [i32; 3]) -> Runs {
        let mut runs = Runs { run: [(0, 0); MAX_RUNS], len: 0 };
        let depth = if self.planar { 0..=0 } else { -1..=1 };
        for dz in depth {
            for dy in -1..=1 {
                self.add_row([cell[0], cell[1] + dy, cell[2] + dz], &mut runs);
            }
        }
        runs
    }

    #[inline(always)]
    fn add_row(&self, cell: [i32; 3], runs: &mut Runs) {
        let (row, x) = self.entry_in_row([cell[0] - 1, cell[1], cell[2]]);
        let first = row + x;
        let run = |from: u32, to: u32| (self.start[from as usize], self.start[to as usize]);
        if x + 3 <= self.size[0] {
            runs.push(run(first, first + 3));
        } else {
            runs.push(run(first, row + self.size[0]));
            runs.push(run(row, row + x + 3 - self.size[0]));
        }
    }

    #[inline(always)]
    fn entry(&self, cell: [i32; 3]) -> u32 {
        let (row, x) = self.entry_in_row(cell);
        row + x
    }

    /// Where the row of a cell begins, and the cell's place in it.
    #[inline(always)]
    fn entry_in_row(&self, cell: [i32; 3]) -> (u32, u32) {
        let wrap = |axis: usize| {
            let (place, size) = (cell[axis] - self.min[axis], self.size[axis]);
            // Mostly there is nothing to wrap, and divisions take time.
            if (place as u32) < size { place as u32 } else { place.rem_euclid(size as i32) as u32 }
        };
        ((wrap(2) * self.size[1] + wrap(1)) * self.size[0], wrap(0))
    }

    fn choose_size(&mut self, packed: &[[i32; 4]]) {
        let mut low = [i32::MAX; 3];
        let mut high = [i32::MIN; 3];
        for p in packed {
            for ((low, high), &c) in low.iter_mut().zip(&mut high).zip(p) {
                *low = c.min(*low);
                *high = c.max(*high);
            }
        }
        if packed.is_empty() {
            (low, high) = ([0; 3], [0; 3]);
        }
        self.min = low.map(|c| c >> self.cell_bits);
        // One empty layer more, so that opposite faces do not meet around the torus.
        let layers = |axis: usize| ((high[axis] >> self.cell_bits) - self.min[axis] + 2) as u32;
        self.size = [0, 1, 2].map(|axis| layers(axis).max(MIN_CELLS));
        if self.planar {
            self.size[2] = 1;
        }
        let limit = (4 * packed.len() as u64).max(4096);
        while self.size.iter().map(|&n| u64::from(n)).product::<u64>() > limit {
            let Some(longest) = (0..3).filter(|&a| self.size[a] > MIN_CELLS).max_by_key(|&a| self.size[a])
            else {
                break;
            };
            self.size[longest] = self.size[longest].div_ceil(2).max(MIN_CELLS);
        }
    }
}
