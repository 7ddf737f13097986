//! Which particles stand for one unknown where a solve looks at the fluid from afar.
//!
//! Cells are two support radii wide and lie on the grid by which particles are sorted. What a cell holds may hang together on its other side only, as on
//! either side of a thin wall: a cell is cut into *parts*, whose places, a quarter of a cell wide each, touch one another. One part is one unknown.

use rayon::prelude::*;

/// Log2 of the grid cells along an edge of a cell.
const COARSER: u32 = 1;

/// Log2 of the places along an edge of a cell.
const PLACES: u32 = 2;

/// No part: of entries of the table that are empty.
const NOWHERE: u32 = u32::MAX;

/// The parts that particles belong to.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// Of each particle: its part, and in the low three bits whether its cell is odd along x, y and z.
    pub code: Vec<u32>,
    /// Of each part: its cell.
    pub place: Vec<[i32; 3]>,
    /// Where each part's particles begin in `member`, and where the last one's end.
    pub start: Vec<u32>,
    /// Particles, part after part.
    pub member: Vec<u32>,
    /// Of each cell.
    cell: Vec<Cell>,
    /// Occupied places of each part, cell after cell.
    mask: Vec<u64>,
    /// Where a cell is in `cell`, by the hash of its place.
    table: Vec<u32>,
    /// Of each particle: its cell.
    cell_of: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    place: [i32; 3],
    /// Which of its places are occupied.
    occupied: u64,
    /// Its parts, as a range of all parts.
    parts: [u32; 2],
}

impl Cells {
    /// The part of a particle.
    #[inline(always)]
    pub fn part(code: u32) -> usize {
        (code >> 3) as usize
    }

    /// Which of eight neighbouring cells a particle's is.
    #[inline(always)]
    pub fn parity(code: u32) -> usize {
        (code & 7) as usize
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// The particles of a part.
    pub fn members(&self, part: usize) -> &[u32] {
        &self.member[self.start[part] as usize..self.start[part + 1] as usize]
    }

    /// Finds the parts of particles at fixed-point places, in a grid that begins at `low` and whose cells are 2^`cell_bits` units wide: cells lie alike in
    /// the fluid wherever it is.
    pub fn find(&mut self, packed: &[[i32; 4]], (low, cell_bits): ([i32; 3], u32)) {
        self.find_cells(packed, low, cell_bits);
        self.cut();
        let Self { code, cell, mask, cell_of, .. } = self;
        let particles = packed.par_iter().zip(&*cell_of).with_min_len(4096);
        particles
            .map(|(x, &c)| {
                let Cell { place, parts: [first, end], .. } = cell[c as usize];
                let bit = place_in_cell(*x, low, cell_bits);
                let own = (first..end).find(|&part| mask[part as usize] & bit != 0).unwrap_or(first);
                let odd = |axis: usize| (place[axis] & 1).cast_unsigned() << axis;
                own << 3 | odd(0) | odd(1) | odd(2)
            })
            .collect_into_vec(code);
        self.sort();
    }

    /// The cells in the order of their first particles, and their occupied places.
    fn find_cells(&mut self, packed: &[[i32; 4]], low: [i32; 3], cell_bits: u32) {
        let Self { cell, table, cell_of, .. } = self;
        cell.clear();
        cell_of.clear();
        table.fill(NOWHERE);
        let mut last = ([i32::MIN; 3], 0);
        for x in packed {
            let place = [0, 1, 2].map(|axis| (x[axis] - low[axis]) >> (cell_bits + COARSER));
            if cell.is_empty() || place != last.0 {
                if 2 * cell.len() >= table.len() {
                    grow(table, cell);
                }
                let entry = entry_of(table, cell, place);
                if table[entry] == NOWHERE {
                    table[entry] = cell.len() as u32;
                    cell.push(Cell { place, ..Cell::default() });
                }
                last = (place, table[entry]);
            }
            cell[last.1 as usize].occupied |= place_in_cell(*x, low, cell_bits);
            cell_of.push(last.1);
        }
    }

    /// Cuts cells into parts.
    fn cut(&mut self) {
        let Self { cell, mask, place, .. } = self;
        mask.clear();
        place.clear();
        for cell in cell {
            let first = mask.len() as u32;
            let mut left = cell.occupied;
            while left != 0 {
                let mut part = left & left.wrapping_neg();
                loop {
                    let wider = spread(part) & left;
                    if wider == part {
                        break;
                    }
                    part = wider;
                }
                left &= !part;
                mask.push(part);
                place.push(cell.place);
            }
            cell.parts = [first, mask.len() as u32];
        }
    }

    /// The particles of each part, in their order.
    fn sort(&mut self) {
        let Self { code, place, start, member, .. } = self;
        start.clear();
        start.resize(place.len() + 1, 0);
        for &code in &*code {
            start[Self::part(code) + 1] += 1;
        }
        for part in 0..place.len() {
            start[part + 1] += start[part];
        }
        member.resize(code.len(), 0);
        for (i, &code) in (0_u32..).zip(&*code) {
            let end = &mut start[Self::part(code)];
            member[*end as usize] = i;
            *end += 1;
        }
        // Each entry is now at its end, which is the next one's start.
        start.rotate_right(1);
        start[0] = 0;
    }
}

/// The bit of a particle's place in its cell.
fn place_in_cell(x: [i32; 4], low: [i32; 3], cell_bits: u32) -> u64 {
    let along = |axis: usize| ((x[axis] - low[axis]) >> (cell_bits + COARSER - PLACES)) & ((1 << PLACES) - 1);
    1 << (along(0) | along(1) << PLACES | along(2) << (2 * PLACES))
}

/// Places, and those that touch them.
fn spread(places: u64) -> u64 {
    // Places with x = 0, and with y = 0.
    const FIRST_X: u64 = 0x1111_1111_1111_1111;
    const FIRST_Y: u64 = 0x000F_000F_000F_000F;
    let x = places | (places << 1 & !FIRST_X) | (places >> 1 & !(FIRST_X << 3));
    let y = x | (x << 4 & !FIRST_Y) | (x >> 4 & !(FIRST_Y << 12));
    y | y << 16 | y >> 16
}

fn hash([x, y, z]: [i32; 3]) -> usize {
    let mixed = (x.cast_unsigned().wrapping_mul(0x9E37_79B9))
        ^ (y.cast_unsigned().wrapping_mul(0x85EB_CA6B))
        ^ (z.cast_unsigned().wrapping_mul(0xC2B2_AE35));
    (mixed ^ mixed >> 15) as usize
}

/// Where a cell is in the table, or where it would be.
fn entry_of(table: &[u32], cell: &[Cell], place: [i32; 3]) -> usize {
    let mut entry = hash(place) & (table.len() - 1);
    while table[entry] != NOWHERE && cell[table[entry] as usize].place != place {
        entry = (entry + 1) & (table.len() - 1);
    }
    entry
}

fn grow(table: &mut Vec<u32>, cell: &[Cell]) {
    let size = (2 * table.len()).max(64);
    table.clear();
    table.resize(size, NOWHERE);
    for (n, known) in (0..).zip(cell) {
        let entry = entry_of(table, cell, known.place);
        table[entry] = n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITS: u32 = 11;

    /// A place in units of a quarter of a cell.
    fn at([x, y, z]: [i32; 3]) -> [i32; 4] {
        let unit = 1 << (BITS + COARSER - PLACES);
        [x * unit + 3, y * unit + 3, z * unit + 3, 0]
    }

    #[test]
    fn particles_on_either_side_of_a_gap_are_two_parts_of_their_cell() {
        let sides = [0, 1, 3].map(|x| [[x, 0, 0], [x, 1, 2]]).concat();
        let packed: Vec<[i32; 4]> = sides.into_iter().map(at).collect();
        let mut cells = Cells::default();
        cells.find(&packed, ([0; 3], BITS));
        // A place lies empty between z = 0 and 2, and between x = 1 and 3.
        let parts: Vec<usize> = cells.code.iter().map(|&code| Cells::part(code)).collect();
        assert_eq!(parts, [0, 2, 0, 2, 1, 3]);
        let mut seen = cells.member.clone();
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_full_block_has_one_part_in_each_cell_also_below_zero() {
        let packed: Vec<[i32; 4]> = (-8..8_i32)
            .flat_map(|x| (-4..4_i32).flat_map(move |y| (0..4_i32).map(move |z| at([x, y, z]))))
            .collect();
        let mut cells = Cells::default();
        for _ in 0..2 {
            cells.find(&packed, ([0; 3], BITS));
            assert_eq!(cells.len(), 8);
            assert!((0..8).all(|part| cells.members(part).len() == 64));
            for (x, &code) in packed.iter().zip(&cells.code) {
                let place = cells.place[Cells::part(code)];
                assert_eq!(place, [0, 1, 2].map(|axis| x[axis] >> (BITS + COARSER)));
                assert_eq!(Cells::parity(code) & 1, (place[0] & 1) as usize);
            }
        }
    }
}
