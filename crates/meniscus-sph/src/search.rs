//! Finding the particles within the support radius, as many candidates at a time as the processor can test.
//!
//! Serves fluid rows and boundary rows alike: the candidates of a block of cells are copied once next to each other,
//! relative to the cell's corner (exact in single precision, see [`crate::fixed`]), without those that are out of reach of
//! the least box around the cell's particles, about half of them; then tested for every fluid particle of the cell, and
//! the hits compressed. On a torus a distant particle may be among the candidates. It is never
//! near by accident, because coordinates keep below a quarter of the integer range and so their differences do not wrap.

use crate::grid::CellGrid;
use crate::kernel::{Kernel, KernelShape};
use crate::lanes::{F16, fma, positive};
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdFrom, SimdInt, SimdMask};
use rayon::prelude::*;
use std::marker::PhantomData;

/// What is added to the squared distance of two particles, in squared units of the fixed-point frame `[1]`.
const LEAST_SQUARE: f32 = 1e-6;

/// Lanes of the widest vectors there are.
pub(crate) const WIDEST: usize = 16;

const LANE_NUMBERS: [u32; WIDEST] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Fixed-point coordinates, one column each, in cell order, with room for the widest vector beyond the last `[units]`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coordinates([Vec<i32>; 3]);

impl Coordinates {
    /// Those of `packed`.
    pub fn set(&mut self, packed: &[[i32; 4]]) {
        for (c, column) in self.0.iter_mut().enumerate() {
            column.resize(packed.len() + WIDEST, 0);
            let pairs = column.par_iter_mut().zip(packed).with_min_len(4096);
            pairs.for_each(|(coordinate, packed)| *coordinate = packed[c]);
        }
    }
}

/// Particles in cell order, to be searched.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub grid: &'a CellGrid,
    pub coordinates: &'a Coordinates,
    /// Squared support radius `[units²]`.
    pub support_squared: f32,
}

/// The least room for candidates and hits: what cells of a fluid at rest need, so that buffers hardly grow while it spreads.
const LEAST_ROOM: usize = 256;

/// The candidates of one cell, and the hits of some of its particles, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    coordinate: [Vec<f32>; 3],
    index: Vec<u32>,
    /// How many there are; the columns are longer.
    len: usize,
    hit: Vec<u32>,
    /// Particle minus hit `[units]`.
    offset: [Vec<f32>; 3],
}

impl Candidates {
    /// Makes room for `len` candidates and the widest vector beyond them.
    #[inline(always)]
    fn reserve(&mut self, len: usize) {
        if self.index.len() < len + WIDEST {
            let room = (len + WIDEST).next_power_of_two().max(LEAST_ROOM);
            self.coordinate.iter_mut().for_each(|column| column.resize(room, 0.0));
            self.index.resize(room, 0);
        }
    }

    /// Makes room for `len` hits and the widest vector beyond them.
    #[inline(always)]
    fn reserve_hits(&mut self, len: usize) {
        if self.hit.len() < len + WIDEST {
            let room = (len + WIDEST).next_power_of_two().max(LEAST_ROOM);
            self.hit.resize(room, 0);
            self.offset.iter_mut().for_each(|column| column.resize(room, 0.0));
        }
    }

    /// Sixteen hits from number `first` on: particle minus hit `[units]`, and who they are. Lanes behind the last hit are
    /// candidates too.
    #[inline(always)]
    pub fn hits<S: Simd>(&self, simd: S, first: usize) -> Option<([F16<S>; 3], &[u32; WIDEST])> {
        let [x, y, z] = &self.offset;
        let (x, y) = (x.get(first..)?.first_chunk()?, y.get(first..)?.first_chunk()?);
        let (z, index) = (z.get(first..)?.first_chunk()?, self.hit.get(first..)?.first_chunk()?);
        let load = |values: &[f32; WIDEST]| F16::simd_from(simd, *values);
        Some(([load(x), load(y), load(z)], index))
    }

    /// Puts those of some particles that `near` holds for behind `found` others; returns how many there are then.
    #[inline(always)]
    fn put<S: Simd>(
        &mut self,
        found: usize,
        number: S::u32s,
        coordinate: [S::f32s; 3],
        near: S::mask32s,
    ) -> usize {
        let Self { coordinate: [x, y, z], index, .. } = self;
        // All are compressed before any is stored, so that they share what depends on the mask.
        let number = number.compress(near);
        let [nx, ny, nz] = coordinate;
        let (nx, ny, nz) = (nx.compress(near), ny.compress(near), nz.compress(near));
        let range = found..found + S::f32s::LEN;
        nx.store_slice(&mut x[range.clone()]);
        ny.store_slice(&mut y[range.clone()]);
        nz.store_slice(&mut z[range.clone()]);
        number.store_slice(&mut index[range]);
        found + near.to_bitmask().count_ones() as usize
    }

    /// Moves what stands behind `found` candidates in the last vector out of everybody's reach.
    #[inline(always)]
    fn close(&mut self, found: usize) {
        self.reserve(found);
        self.coordinate[0][found..found + WIDEST].fill(f32::INFINITY);
        self.len = found;
    }
}

/// The least box around the particles of a cell, relative to the cell's corner `[units]`.
struct CellBox<S: Simd> {
    low: [S::f32s; 3],
    high: [S::f32s; 3],
}

impl<S: Simd> CellBox<S> {
    #[inline(always)]
    fn around(simd: S, corner: [i32; 3], particles: &[[i32; 4]]) -> Self {
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for p in particles {
            for c in 0..3 {
                low[c] = low[c].min(p[c]);
                high[c] = high[c].max(p[c]);
            }
        }
        let relative = |x: [i32; 3], c: usize| S::f32s::splat(simd, x[c].wrapping_sub(corner[c]) as f32);
        Self {
            low: [relative(low, 0), relative(low, 1), relative(low, 2)],
            high: [relative(high, 0), relative(high, 1), relative(high, 2)],
        }
    }

    /// Squared distances of some points. Rounded in the way of [`Search::filter`], so that none of them is larger than what
    /// any particle of the box finds.
    #[inline(always)]
    fn squared_distance(&self, simd: S, x: &[S::f32s; 3]) -> S::f32s {
        let beyond = |c: usize| positive(simd, (self.low[c] - x[c]).max(x[c] - self.high[c]));
        let (x, y, z) = (beyond(0), beyond(1), beyond(2));
        fma(x, x, fma(y, y, z * z))
    }
}

impl Search<'_> {
    /// Copies the particles of the block around `cell` that are near any of `particles`, which are in it, next to each
    /// other; returns how many there are.
    #[inline(always)]
    pub fn collect<S: Simd>(
        &self,
        simd: S,
        cell: [i32; 3],
        particles: &[[i32; 4]],
        candidate: &mut Candidates,
    ) -> usize {
        let corner = self.grid.corner(cell);
        let around = CellBox::around(simd, corner, particles);
        let support_squared = S::f32s::splat(simd, self.support_squared);
        let width = S::f32s::LEN;
        let lane = S::u32s::from_slice(simd, &LANE_NUMBERS[..width]);
        let Coordinates([x, y, z]) = self.coordinates;
        let mut found = 0;
        for run in self.grid.block(cell).ranges() {
            candidate.reserve(found + run.len());
            let end = S::u32s::splat(simd, run.end as u32);
            for first in run.clone().step_by(width) {
                let relative = |column: &[i32], c: usize| {
                    let there = S::i32s::from_slice(simd, &column[first..first + width]);
                    (there - S::i32s::splat(simd, corner[c])).to_float::<S::f32s>()
                };
                let x = [relative(x, 0), relative(y, 1), relative(z, 2)];
                let number = lane + S::u32s::splat(simd, first as u32);
                let near = around.squared_distance(simd, &x).simd_lt(support_squared);
                found = candidate.put::<S>(found, number, x, near & number.simd_lt(end));
            }
        }
        candidate.close(found);
        found
    }

    /// Adds the particles near `here`, except `own`, to the candidate's hits, of which there are `before`; returns how many
    /// there are then.
    #[inline(always)]
    pub fn filter<S: Simd>(
        &self,
        simd: S,
        cell: [i32; 3],
        here: [i32; 4],
        own: u32,
        before: usize,
        candidate: &mut Candidates,
    ) -> usize {
        candidate.reserve_hits(before + candidate.len);
        let corner = self.grid.corner(cell);
        let here = |c: usize| S::f32s::splat(simd, here[c].wrapping_sub(corner[c]) as f32);
        let (hx, hy, hz) = (here(0), here(1), here(2));
        let support_squared = S::f32s::splat(simd, self.support_squared);
        let own = S::u32s::splat(simd, own);
        let Candidates { coordinate: [x, y, z], index, hit, len, offset: [ox, oy, oz] } = candidate;
        let width = S::f32s::LEN;
        let (x, y) = (x.chunks_exact(width), y.chunks_exact(width));
        let (z, index) = (z.chunks_exact(width), index.chunks_exact(width));
        let (hit, ox, oy, oz) = (hit.as_mut_slice(), ox.as_mut_slice(), oy.as_mut_slice(), oz.as_mut_slice());
        let mut hits = before;
        for (((x, y), z), index) in x.zip(y).zip(z).zip(index).take(len.div_ceil(width)) {
            let dx = hx - S::f32s::from_slice(simd, x);
            let dy = hy - S::f32s::from_slice(simd, y);
            let dz = hz - S::f32s::from_slice(simd, z);
            let squared = dx.mul_add_precise(dx, dy.mul_add_precise(dy, dz * dz));
            let index = S::u32s::from_slice(simd, index);
            let near = squared.simd_lt(support_squared) & !index.simd_eq(own);
            let index = index.compress(near);
            let dx = dx.compress(near);
            let dy = dy.compress(near);
            let dz = dz.compress(near);
            let range = hits..hits + width;
            index.store_slice(&mut hit[range.clone()]);
            dx.store_slice(&mut ox[range.clone()]);
            dy.store_slice(&mut oy[range.clone()]);
            dz.store_slice(&mut oz[range]);
            hits += near.to_bitmask().count_ones() as usize;
        }
        hits
    }
}

/// A kernel prepared for offsets in units of the frame.
#[derive(Clone, Copy)]
pub(crate) struct PairKernel<K> {
    /// 1 / support radius `[1/units]`.
    to_q: f32,
    /// `scale` · W / w(q).
    value_factor: f32,
    /// `scale` · ∇W / (w'(q)/q · offset in units).
    gradient_factor: f32,
    shape: PhantomData<K>,
}

impl<K: KernelShape> PairKernel<K> {
    /// The kernel times `scale`, for offsets in units of `unit` metres.
    pub fn new(kernel: &Kernel, unit: f64, scale: f64) -> Self {
        Self::with_quantum(kernel, unit, scale, 1.0)
    }

    /// The same, with the gradient counted in multiples of `quantum`.
    pub fn with_quantum(kernel: &Kernel, unit: f64, scale: f64, quantum: f64) -> Self {
        let steepness = kernel.amplitude() * unit / kernel.support_radius.powi(2);
        Self {
            to_q: (unit / kernel.support_radius) as f32,
            value_factor: (scale * kernel.amplitude()) as f32,
            gradient_factor: (scale * steepness / quantum) as f32,
            shape: PhantomData,
        }
    }

    /// `scale` · W and `scale` · ∇W for some offsets.
    #[inline(always)]
    pub fn eval<S: Simd, V: SimdFloat<S, Element = f32>>(&self, simd: S, [x, y, z]: [V; 3]) -> (V, [V; 3]) {
        // Coincident particles have no direction: a tiny distance keeps the quotient finite, times x = 0.
        let r = fma(x, x, fma(y, y, fma(z, z, V::splat(simd, LEAST_SQUARE)))).sqrt();
        let q = r * V::splat(simd, self.to_q);
        let factor = K::slope_over_q(simd, q) * V::splat(simd, self.gradient_factor);
        (K::value(simd, q) * V::splat(simd, self.value_factor), [x * factor, y * factor, z * factor])
    }
}
