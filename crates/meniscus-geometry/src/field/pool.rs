//! Cells that are equal, kept once.
//!
//! Along a flat wall cells repeat bit by bit, so the map of a tank is a few hundred cells and a table that finds them.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::cell::Cell;

/// Different cells, in the order in which they first came.
#[derive(Default)]
pub(super) struct CellPool {
    cell: Vec<Cell>,
    /// The first cell of each hash.
    known: HashMap<u64, u32>,
}

impl CellPool {
    /// The place of a cell equal to this one.
    pub fn insert(&mut self, cell: Cell) -> u32 {
        let new = self.cell.len() as u32;
        let found = *self.known.entry(hash(&cell)).or_insert(new);
        // Different cells of one hash are kept all; only the first of them is shared.
        if self.cell.get(found as usize).is_some_and(|known| same_bits(known, &cell)) {
            return found;
        }
        self.cell.push(cell);
        new
    }

    /// The cells by their places.
    pub fn into_cells(mut self) -> Vec<Cell> {
        self.cell.shrink_to_fit();
        self.cell
    }
}

fn bits(cell: &Cell) -> impl Iterator<Item = u32> {
    cell.0.iter().flatten().map(|v| v.to_bits())
}

fn same_bits(a: &Cell, b: &Cell) -> bool {
    bits(a).eq(bits(b))
}

fn hash(cell: &Cell) -> u64 {
    let bytes = cell.0.map(|lanes| lanes.map(f32::to_le_bytes));
    xxh3_64(bytes.as_flattened().as_flattened())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_share_a_place_and_others_do_not() {
        let cell = |v: f32| Cell([[v; 4]; 8]);
        let mut pool = CellPool::default();
        let places = [1.0, 2.0, 1.0, 0.0, -0.0, f32::NAN, f32::NAN, 2.0].map(|v| pool.insert(cell(v)));
        assert_eq!(places, [0, 1, 0, 2, 3, 4, 4, 1]);
        assert_eq!(pool.into_cells().len(), 5);
    }
}
