//! Eight lanes at a time, or sixteen: passes that read records of four numbers, and the search, take twice as many.
//!
//! A thin layer over `fearless_simd`, which chooses the instruction set at run time. Fused multiply-adds and the
//! order of horizontal sums are the same at every level, so that results do not depend on the processor's width.

use fearless_simd::{
    Bytes, Simd, SimdBase, SimdFloat, SimdFrom, SimdInt, f32x4, f32x8, f32x16, i32x4, i32x8, i32x16,
    mask32x8, u32x8,
};
use std::ops::Index;

/// Number of lanes.
pub const LANES: usize = 8;

/// Eight single-precision numbers.
pub type F8<S> = f32x8<S>;

/// Sixteen single-precision numbers: four records of four.
pub type F16<S> = f32x16<S>;

/// The same number in all lanes.
#[inline(always)]
pub fn splat<S: Simd>(simd: S, value: f32) -> F8<S> {
    F8::splat(simd, value)
}

/// a · b + c, rounded once.
#[inline(always)]
pub fn fma<S: Simd, V: SimdFloat<S>>(a: V, b: V, c: V) -> V {
    a.mul_add_precise(b, c)
}

/// Each lane where it is positive, else zero.
#[inline(always)]
pub fn positive<S: Simd, V: SimdFloat<S, Element = f32>>(simd: S, values: V) -> V {
    values.max(V::splat(simd, 0.0))
}

/// 0 to 7.
#[inline(always)]
pub fn lane_numbers<S: Simd>(simd: S) -> u32x8<S> {
    u32x8::simd_from(simd, [0, 1, 2, 3, 4, 5, 6, 7])
}

/// The first `count` lanes.
#[inline(always)]
pub fn first_lanes<S: Simd>(simd: S, count: u32) -> mask32x8<S> {
    lane_numbers(simd).simd_lt(u32x8::splat(simd, count))
}

/// The sum of all lanes, always in the same order.
#[inline(always)]
pub fn sum<S: Simd>(values: F8<S>) -> f32 {
    let lane: [f32; LANES] = values.into();
    ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
}

/// Where eight numbers are.
pub trait Places {
    /// The place of one of them.
    fn at(&self, lane: usize) -> usize;
}

impl Places for [u32; LANES] {
    #[inline(always)]
    fn at(&self, lane: usize) -> usize {
        self[lane] as usize
    }
}

/// The sums of all lanes of four vectors, each in the order of [`sum`].
#[inline(always)]
pub fn sum4<S: Simd>(simd: S, values: [F8<S>; 4]) -> [f32; 4] {
    let half = |n: usize| {
        let (low, high) = simd.split_f32x8(values[n]);
        low + high
    };
    let [a, b, c, d] = transpose([half(0), half(1), half(2), half(3)]);
    ((a + c) + (b + d)).into()
}

/// `read` for each of eight places. (`array::map` is not always inlined, which loses the instruction set.)
#[inline(always)]
fn each<T>(places: &impl Places, read: impl Fn(usize) -> T) -> [T; LANES] {
    [
        read(places.at(0)),
        read(places.at(1)),
        read(places.at(2)),
        read(places.at(3)),
        read(places.at(4)),
        read(places.at(5)),
        read(places.at(6)),
        read(places.at(7)),
    ]
}

/// Eight records of four numbers from anywhere in a slice or an array, the first four and the last four next to each other.
#[inline(always)]
pub fn records<S: Simd, D: Index<usize, Output = [f32; 4]> + ?Sized>(
    simd: S,
    data: &D,
    places: &impl Places,
) -> [F16<S>; 2] {
    side_by_side(simd, each(places, |j| f32x4::simd_from(simd, data[j])))
}

/// Eight numbers from anywhere, each as a record of four times the same.
#[inline(always)]
pub fn spread<S: Simd, D: Index<usize, Output = f32> + ?Sized>(
    simd: S,
    data: &D,
    places: &impl Places,
) -> [F16<S>; 2] {
    side_by_side(simd, each(places, |j| f32x4::splat(simd, data[j])))
}

/// Differences of fixed-point positions, `here` minus eight others, as records in units of the frame.
#[inline(always)]
pub fn record_offsets<S: Simd, D: Index<usize, Output = [i32; 4]> + ?Sized>(
    simd: S,
    here: [i32; 4],
    data: &D,
    places: &impl Places,
) -> [F16<S>; 2] {
    let there = side_by_side(simd, each(places, |j| i32x4::simd_from(simd, data[j]).bitcast::<f32x4<S>>()));
    let here: i32x16<S> = repeat(simd, here.map(|c| f32::from_bits(c as u32))).bitcast();
    there.map(|there| (here - there.bitcast::<i32x16<S>>()).to_float())
}

/// Four times the same record.
#[inline(always)]
pub fn repeat<S: Simd>(simd: S, record: [f32; 4]) -> F16<S> {
    let record = f32x4::simd_from(simd, record);
    let two = simd.combine_f32x4(record, record);
    simd.combine_f32x8(two, two)
}

/// The sum of four records, always in the same order.
#[inline(always)]
pub fn sum_records<S: Simd>(simd: S, records: F16<S>) -> [f32; 4] {
    let (low, high) = simd.split_f32x16(records);
    let (a, b) = simd.split_f32x8(low + high);
    (a + b).into()
}

/// What each of eight records adds up to, for two sets of them.
#[inline(always)]
pub fn sums_of_records<S: Simd>(simd: S, first: [F16<S>; 2], second: [F16<S>; 2]) -> [F8<S>; 2] {
    let pairs = |a: F16<S>, b: F16<S>| a.unzip_low(b) + a.unzip_high(b);
    let sums = pairs(pairs(first[0], first[1]), pairs(second[0], second[1]));
    let (first, second) = simd.split_f32x16(sums);
    [first, second]
}

/// Each of eight numbers as a record of four times the same.
#[inline(always)]
pub fn as_records<S: Simd>(simd: S, numbers: F8<S>) -> [F16<S>; 2] {
    let both = simd.combine_f32x8(numbers, numbers);
    let twice = both.zip_low(both);
    [twice.zip_low(twice), twice.zip_high(twice)]
}

#[inline(always)]
fn side_by_side<S: Simd>(simd: S, record: [f32x4<S>; LANES]) -> [F16<S>; 2] {
    let two = |a, b| simd.combine_f32x4(a, b);
    let [a, b, c, d, e, f, g, h] = record;
    [simd.combine_f32x8(two(a, b), two(c, d)), simd.combine_f32x8(two(e, f), two(g, h))]
}

/// Eight records of four numbers from anywhere, turned into four vectors of eight.
#[inline(always)]
pub fn gather4<S: Simd, D: Index<usize, Output = [f32; 4]> + ?Sized>(
    simd: S,
    data: &D,
    places: &impl Places,
) -> [F8<S>; 4] {
    columns(simd, each(places, |j| f32x4::simd_from(simd, data[j])))
}

/// Eight records of four numbers as four vectors of eight.
#[inline(always)]
fn columns<S: Simd>(simd: S, row: [f32x4<S>; LANES]) -> [F8<S>; 4] {
    let low = transpose([row[0], row[1], row[2], row[3]]);
    let high = transpose([row[4], row[5], row[6], row[7]]);
    [
        simd.combine_f32x4(low[0], high[0]),
        simd.combine_f32x4(low[1], high[1]),
        simd.combine_f32x4(low[2], high[2]),
        simd.combine_f32x4(low[3], high[3]),
    ]
}

/// Four records of four numbers, turned.
#[inline(always)]
pub fn transpose<S: Simd>(row: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (a, b) = (row[0].zip_low(row[2]), row[0].zip_high(row[2]));
    let (c, d) = (row[1].zip_low(row[3]), row[1].zip_high(row[3]));
    [a.zip_low(c), a.zip_high(c), b.zip_low(d), b.zip_high(d)]
}

/// Differences of fixed-point positions, `here` minus eight others, in units of the frame, and the others' fourth
/// column as it is stored.
#[inline(always)]
pub fn offsets<S: Simd, D: Index<usize, Output = [i32; 4]> + ?Sized>(
    simd: S,
    here: [i32; 4],
    data: &D,
    places: &impl Places,
) -> ([F8<S>; 3], F8<S>) {
    let column = columns(simd, each(places, |j| i32x4::simd_from(simd, data[j]).bitcast::<f32x4<S>>()));
    let offset = |c: usize| {
        let there: i32x8<S> = column[c].bitcast();
        (i32x8::splat(simd, here[c]) - there).to_float::<F8<S>>()
    };
    ([offset(0), offset(1), offset(2)], column[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn gathering_records_transposes_them() {
        let data: Vec<[f32; 4]> =
            (0..20u8).map(|i| [0.0, 100.0, 200.0, 300.0].map(|base| base + f32::from(i))).collect();
        let index = [3, 19, 0, 7, 7, 12, 1, 5];
        let column: [[f32; 8]; 4] =
            dispatch!(Level::new(), simd => gather4(simd, &data, &index).map(Into::into));
        for (lane, &j) in index.iter().enumerate() {
            for c in 0..4 {
                assert_eq!(column[c][lane].to_bits(), data[j as usize][c].to_bits());
            }
        }
    }

    #[test]
    fn four_sums_are_those_of_each() {
        let value: [[f32; 8]; 4] =
            std::array::from_fn(|n| std::array::from_fn(|lane| 1.0 / (3.0 + (8 * n + lane) as f32)));
        let (one, four) = dispatch!(Level::new(), simd => {
            let lanes = value.map(|v| F8::simd_from(simd, v));
            (lanes.map(sum), sum4(simd, lanes))
        });
        assert_eq!(one.map(f32::to_bits), four.map(f32::to_bits));
    }

    #[test]
    fn offsets_are_exact_and_antisymmetric() {
        let data: Vec<[i32; 4]> = (0..16).map(|i| [i * 1_000_003, -i * 77_777, i * i, i]).collect();
        let index = [0, 1, 2, 3, 4, 5, 6, 7];
        let ([x, y, z], _) = dispatch!(Level::new(), simd => {
            let (offset, w) = offsets(simd, data[9], &data, &index);
            (offset.map(Into::<[f32; 8]>::into), Into::<[f32; 8]>::into(w))
        });
        for j in 0..8 {
            assert_eq!(x[j].to_bits(), ((data[9][0] - data[j][0]) as f32).to_bits());
            assert_eq!(y[j].to_bits(), ((data[9][1] - data[j][1]) as f32).to_bits());
            assert_eq!(z[j].to_bits(), ((data[9][2] - data[j][2]) as f32).to_bits());
        }
    }
}
