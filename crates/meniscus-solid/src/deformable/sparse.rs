//! Matrices of 3 × 3 blocks, and who adds to which block.
//!
//! Elements write what they add into slots of their own; rows gather from the slots, always in the same order. So the result
//! does not depend on threads.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Rows that one thread takes at least.
const ROWS: usize = 256;

/// For each target a list of slots.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gather {
    start: Vec<u32>,
    slot: Vec<u32>,
}

impl Gather {
    /// From pairs of target and slot, in the order in which slots are to be added.
    pub(crate) fn new(targets: usize, target_of_slot: &[u32]) -> Self {
        let mut start = vec![0; targets + 1];
        for &target in target_of_slot {
            start[target as usize + 1] += 1;
        }
        for k in 0..targets {
            start[k + 1] += start[k];
        }
        let mut next = start.clone();
        let mut slot = vec![0; target_of_slot.len()];
        for (number, &target) in (0..).zip(target_of_slot) {
            slot[next[target as usize] as usize] = number;
            next[target as usize] += 1;
        }
        Self { start, slot }
    }

    pub(crate) fn of(&self, target: usize) -> &[u32] {
        &self.slot[self.start[target] as usize..self.start[target + 1] as usize]
    }
}

/// Which blocks of a symmetric matrix there are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pattern {
    pub(crate) start: Vec<u32>,
    pub(crate) column: Vec<u32>,
    /// Of each row: its block on the diagonal.
    pub(crate) diagonal: Vec<u32>,
}

impl Pattern {
    /// The blocks of all pairs of nodes within each group, and the diagonal.
    pub(crate) fn new<'a>(nodes: usize, groups: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut beside: Vec<Vec<u32>> = (0..nodes as u32).map(|n| vec![n]).collect();
        for group in groups {
            for &a in group {
                beside[a as usize].extend_from_slice(group);
            }
        }
        let mut pattern = Self { start: vec![0], ..Self::default() };
        for (row, mut columns) in beside.into_iter().enumerate() {
            columns.sort_unstable();
            columns.dedup();
            let own = columns.partition_point(|c| (*c as usize) < row);
            pattern.diagonal.push((pattern.column.len() + own) as u32);
            pattern.column.extend(columns);
            pattern.start.push(pattern.column.len() as u32);
        }
        pattern
    }

    pub(crate) fn row(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    /// The block of a row and a column that is in the pattern.
    pub(crate) fn block(&self, row: u32, column: u32) -> usize {
        let range = self.row(row as usize);
        range.start + self.column[range].partition_point(|c| *c < column)
    }
}

/// out = A x.
pub(crate) fn multiply(pattern: &Pattern, block: &[DMat3], x: &[DVec3], out: &mut [DVec3]) {
    out.par_iter_mut().with_min_len(ROWS).enumerate().for_each(|(row, out)| {
        let mut sum = DVec3::ZERO;
        for k in pattern.row(row) {
            sum += block[k] * x[pattern.column[k] as usize];
        }
        *out = sum;
    });
}
