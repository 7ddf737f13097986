//! Parallel sums whose bits do not depend on the number of threads.
//!
//! The input is cut into chunks of a fixed length, these into a fixed number of groups; chunks, and then groups, are folded
//! from left to right. Which thread took which group leaves no trace. Nothing is allocated, but for lists that [`gather`] fills: these
//! keep their room from step to step.

use rayon::prelude::*;
use std::ops::Range;

/// Length of a chunk: also the granularity at which particle loops are handed to threads.
pub const CHUNK: usize = 1024;

/// Most groups of chunks: enough work for as many threads.
const GROUPS: usize = 64;

/// Folds `0..len` in fixed chunks: `map` turns a chunk's index range into a value, `fold` joins values in order.
pub fn by_chunk<T: Send>(
    len: usize,
    identity: T,
    map: impl Fn(Range<usize>) -> T + Sync,
    fold: impl Fn(T, T) -> T + Sync,
) -> T {
    let chunks = len.div_ceil(CHUNK);
    let groups = chunks.min(GROUPS);
    let mut partial: [Option<T>; GROUPS] = std::array::from_fn(|_| None);
    partial[..groups].par_iter_mut().enumerate().for_each(|(group, total)| {
        let members = group_of(group, groups, chunks);
        *total = members.map(|c| map(c * CHUNK..((c + 1) * CHUNK).min(len))).reduce(&fold);
    });
    partial.into_iter().flatten().fold(identity, fold)
}

/// The part of `0..len` that belongs to one of some groups.
fn group_of(group: usize, groups: usize, len: usize) -> Range<usize> {
    group * len / groups..(group + 1) * len / groups
}

/// Looks through `0..len` in a fixed number of groups: `find` gets each group's range and a list of its own to fill. Read in
/// their order, the lists do not depend on the number of threads.
pub fn gather<T: Default + Send>(list: &mut Vec<T>, len: usize, find: impl Fn(Range<usize>, &mut T) + Sync) {
    list.resize_with(GROUPS, T::default);
    list.par_iter_mut().enumerate().for_each(|(group, list)| find(group_of(group, GROUPS, len), list));
}

/// The sum of `value(i)` for `i` in `0..len`, in double precision.
pub fn sum(len: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    by_chunk(len, 0.0, |range| range.map(&value).sum::<f64>(), |a, b| a + b)
}

/// The largest `value(i)` for `i` in `0..len`, or `floor` if that is larger.
pub fn max(len: usize, floor: f64, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    by_chunk(len, floor, |range| range.map(&value).fold(floor, f64::max), f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_for_any_number_of_threads() {
        let value = |i: usize| ((i * 7919) % 1013) as f64 * 1e-3 + 1.0 / (i + 1) as f64;
        let with = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(|| (sum(100_003, value), max(100_003, 0.0, value)))
        };
        assert_eq!(with(1), with(2));
        assert_eq!(with(1), with(7));
    }

    #[test]
    fn what_is_gathered_is_complete_and_in_order() {
        let mut list: Vec<Vec<usize>> = Vec::new();
        for len in [0, 3, 100, 12_345] {
            gather(&mut list, len, |range, found| {
                found.clear();
                found.extend(range.filter(|i| i % 7 == 2));
            });
            let expected: Vec<usize> = (0..len).filter(|i| i % 7 == 2).collect();
            assert_eq!(list.concat(), expected);
        }
    }

    #[test]
    fn nothing_sums_to_nothing() {
        assert!(sum(0, |_| 1.0).abs() < f64::EPSILON);
    }
}
