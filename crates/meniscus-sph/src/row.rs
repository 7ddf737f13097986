//! One row of neighbours, eight at a time.

use crate::lanes::{
    F8, F16, LANES, Places, first_lanes, gather4, offsets, record_offsets, records, spread, transpose,
};
use fearless_simd::{Bytes, Simd, SimdBase, SimdFrom, SimdInt, f32x4, i32x16, mask32x8, u32x4, u32x8};

/// Places that count from one base.
pub(crate) const WINDOW: usize = 1 << 16;

/// Values of high halves are read without shifting them down.
pub(crate) const HIGH_HALF: f32 = 65_536.0;

/// Words of a block: records of x, y, z of V ∇W_ij and a place, for two neighbours each.
const WORDS: usize = 2 * LANES;

/// Eight entries of a row, as records of four 16-bit numbers: x, y, z of V ∇W_ij, and where the neighbour is. Word 4 n + c holds
/// number c of neighbour n in its low half and of neighbour n + 4 in its high half, so that a shift and a mask
/// lay out four records each as gathered records are laid out: passes need no transposition.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct RowBlock {
    word: [i32; WORDS],
}

/// Where the entries of a block count from, a multiple of eight, and in its low bits how many they are, less one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockHead(u32);

impl BlockHead {
    /// The base at or shortly before `place`.
    #[inline(always)]
    pub fn base_of(place: u32) -> u32 {
        place & !(LANES as u32 - 1)
    }

    /// Of a block with 1 to 8 entries.
    #[inline(always)]
    pub fn new(base: u32, lanes: u32) -> Self {
        Self(base | (lanes - 1))
    }

    #[inline(always)]
    fn base(self) -> usize {
        Self::base_of(self.0) as usize
    }

    #[inline(always)]
    fn lanes(self) -> u32 {
        self.0 % LANES as u32 + 1
    }
}

impl RowBlock {
    /// Whole numbers of quanta in the low bits of `gradient`, at places in a window.
    #[inline(always)]
    pub fn pack<S: Simd>(simd: S, gradient: [u32x8<S>; 3], place: u32x8<S>) -> Self {
        let low = u32x4::splat(simd, 0xFFFF);
        let halves = |number: u32x8<S>| {
            let (near, far) = simd.split_u32x8(number);
            ((near & low) | (far << 16)).bitcast::<f32x4<S>>()
        };
        let [x, y, z] = gradient;
        let [a, b, c, d] = transpose([halves(x), halves(y), halves(z), halves(place)]);
        let words = simd.combine_f32x8(simd.combine_f32x4(a, b), simd.combine_f32x4(c, d));
        Self { word: words.bitcast::<i32x16<S>>().into() }
    }

    /// Number `column` of a neighbour.
    #[inline(always)]
    fn number(&self, lane: usize, column: usize) -> u16 {
        let word = self.word[4 * (lane % 4) + column];
        (if lane < 4 { word } else { word >> 16 }) as u16
    }
}

impl Places for RowBlock {
    #[inline(always)]
    fn at(&self, lane: usize) -> usize {
        usize::from(self.number(lane, 3))
    }
}

/// The neighbours of one particle.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub(crate) block: &'a [RowBlock],
    pub(crate) head: &'a [BlockHead],
    /// What the numbers of [`RowLanes::gradients`] are multiples of `[1/m]`.
    pub quantum: f32,
}

impl<'a> Row<'a> {
    /// The row, eight neighbours at a time.
    #[inline(always)]
    pub fn lanes(self) -> impl Iterator<Item = RowLanes<'a>> {
        self.block.iter().zip(self.head).map(|(block, &head)| RowLanes { block, head })
    }

    /// The neighbours one by one, with V ∇W_ij `[1/m]`.
    pub fn neighbours(self) -> impl Iterator<Item = (usize, [f32; 3])> + 'a {
        self.lanes().flat_map(move |lanes| {
            let quantum = self.quantum * HIGH_HALF;
            let gradient =
                move |lane| [0, 1, 2].map(|c| quantum * f32::from(lanes.block.number(lane, c) as i16));
            lanes.neighbours().enumerate().map(move |(lane, j)| (j, gradient(lane)))
        })
    }
}

/// Eight neighbours of a row. Records are those of neighbours 0 to 3 and of 4 to 7.
#[derive(Debug, Clone, Copy)]
pub struct RowLanes<'a> {
    block: &'a RowBlock,
    head: BlockHead,
}

impl<'a> RowLanes<'a> {
    /// Records of x, y, z of V ∇W_ij in multiples of the row's quantum, and a finite number without meaning.
    #[inline(always)]
    #[must_use]
    pub fn gradients<S: Simd>(self, simd: S) -> [F16<S>; 2] {
        let word = i32x16::simd_from(simd, self.block.word);
        let high = i32x16::splat(simd, !0xFFFF);
        [(word << 16).to_float(), (word & high).to_float()]
    }

    /// What a place counts into: a whole window of numbers wherever there are so many, in which no place can be out of
    /// bounds, so that no lane needs a check.
    #[inline(always)]
    fn window<T>(self, data: &[T]) -> Result<&[T; WINDOW], &[T]> {
        let rest = &data[self.head.base()..];
        rest.first_chunk().ok_or(rest)
    }

    /// The neighbours' numbers, each in all four places of a record.
    #[inline(always)]
    #[must_use]
    pub fn spread<S: Simd>(self, simd: S, data: &[f32]) -> [F16<S>; 2] {
        match self.window(data) {
            Ok(window) => spread(simd, window, self.block),
            Err(rest) => spread(simd, rest, self.block),
        }
    }

    /// The neighbours' records.
    #[inline(always)]
    #[must_use]
    pub fn records<S: Simd>(self, simd: S, data: &[[f32; 4]]) -> [F16<S>; 2] {
        match self.window(data) {
            Ok(window) => records(simd, window, self.block),
            Err(rest) => records(simd, rest, self.block),
        }
    }

    /// The neighbours' records of four numbers, number by number.
    #[inline(always)]
    #[must_use]
    pub fn gather4<S: Simd>(self, simd: S, data: &[[f32; 4]]) -> [F8<S>; 4] {
        match self.window(data) {
            Ok(window) => gather4(simd, window, self.block),
            Err(rest) => gather4(simd, rest, self.block),
        }
    }

    /// `here` minus the neighbours' positions, coordinate by coordinate, in units of the frame.
    #[inline(always)]
    #[must_use]
    pub fn offsets<S: Simd>(self, simd: S, here: [i32; 4], packed: &[[i32; 4]]) -> [F8<S>; 3] {
        match self.window(packed) {
            Ok(window) => offsets(simd, here, window, self.block).0,
            Err(rest) => offsets(simd, here, rest, self.block).0,
        }
    }

    /// `here` minus the neighbours' positions, as records, in units of the frame.
    #[inline(always)]
    #[must_use]
    pub fn record_offsets<S: Simd>(self, simd: S, here: [i32; 4], packed: &[[i32; 4]]) -> [F16<S>; 2] {
        match self.window(packed) {
            Ok(window) => record_offsets(simd, here, window, self.block),
            Err(rest) => record_offsets(simd, here, rest, self.block),
        }
    }

    /// Which lanes are neighbours.
    #[inline(always)]
    #[must_use]
    pub fn real<S: Simd>(self, simd: S) -> mask32x8<S> {
        first_lanes(simd, self.head.lanes())
    }

    /// The neighbours one by one.
    #[inline(always)]
    pub fn neighbours(self) -> impl Iterator<Item = usize> + 'a {
        let Self { block, head } = self;
        (0..head.lanes() as usize).map(move |lane| head.base() + block.at(lane))
    }
}
