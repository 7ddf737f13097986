//! Blocks of 32 words that are equal, kept once.
//!
//! Along a flat wall cells repeat bit by bit, so the map of a tank is a few hundred cells and a table that finds them; and
//! so do the lines of that table.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::cell::Cell;

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
        Self { item: Vec::new(), known: HashMap::new() }
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
        self.item.shrink_to_fit();
        self.item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_share_a_place_and_others_do_not() {
        let cell = |v: f32| Cell([[v; 4]; 8]);
        let mut pool = Pool::new();
        let places = [1.0, 2.0, 1.0, 0.0, -0.0, f32::NAN, f32::NAN, 2.0].map(|v| pool.insert(cell(v)));
        assert_eq!(places, [0, 1, 0, 2, 3, 4, 4, 1]);
        assert_eq!(pool.into_items().len(), 5);
    }
}
