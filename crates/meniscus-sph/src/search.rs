//! Finding the particles within the support radius, eight candidates at a time.
//!
//! Serves fluid rows and boundary rows alike: the candidates of a block of cells are copied once next to each other,
//! relative to the cell's corner (exact in single precision, see [`crate::fixed`]), then tested for every fluid
//! particle of the cell, and the hits compressed. On a torus a distant particle may be among the candidates. It is never
//! near by accident, because coordinates keep below a quarter of the integer range and so their differences do not wrap.

use crate::grid::CellGrid;
use crate::kernel::{Kernel, KernelShape};
use crate::lanes::{F8, LANES, fma, load, relative, splat};
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdFrom, SimdMask, u32x8};
use std::marker::PhantomData;
use std::ops::Range;

/// Particles in cell order, to be searched.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub grid: &'a CellGrid,
    pub packed: &'a [[i32; 4]],
    /// Squared support radius `[units²]`.
    pub support_squared: f32,
}

/// The candidates of one cell, and the hits of one particle.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    coordinate: [Vec<f32>; 3],
    index: Vec<u32>,
    /// How many vectors of eight are in use; the columns are longer.
    vectors: usize,
    pub hit: Vec<u32>,
}

impl Candidates {
    /// Makes room for `len` candidates and a vector beyond them.
    #[inline(always)]
    fn reserve(&mut self, len: usize) {
        if self.index.len() < len + LANES {
            let room = (len + LANES).next_power_of_two();
            self.coordinate.iter_mut().for_each(|column| column.resize(room, 0.0));
            self.index.resize(room, 0);
            self.hit.resize(room + LANES, 0);
        }
    }

    /// Puts eight particles, from number `first` on, at place `at`.
    #[inline(always)]
    fn put<S: Simd>(&mut self, simd: S, at: usize, first: usize, coordinate: [F8<S>; 3]) {
        let Self { coordinate: [x, y, z], index, .. } = self;
        coordinate[0].store_slice(&mut x[at..at + LANES]);
        coordinate[1].store_slice(&mut y[at..at + LANES]);
        coordinate[2].store_slice(&mut z[at..at + LANES]);
        let lane = u32x8::simd_from(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        (lane + u32x8::splat(simd, first as u32)).store_slice(&mut index[at..at + LANES]);
    }

    /// The same for fewer than eight particles, the last of all.
    fn put_rest(&mut self, at: usize, first: usize, corner: [i32; 3], packed: &[[i32; 4]]) {
        for (n, p) in packed.iter().enumerate() {
            for (c, column) in self.coordinate.iter_mut().enumerate() {
                column[at + n] = p[c].wrapping_sub(corner[c]) as f32;
            }
            self.index[at + n] = (first + n) as u32;
        }
    }

    /// Moves what stands behind `found` candidates in the last vector out of everybody's reach.
    #[inline(always)]
    fn close(&mut self, found: usize) {
        self.reserve(found);
        self.coordinate[0][found..found + LANES].fill(f32::INFINITY);
        self.vectors = found.div_ceil(LANES);
    }
}

impl Search<'_> {
    /// Copies the particles of the block around `cell` next to each other; returns how many there are.
    #[inline(always)]
    pub fn collect<S: Simd>(&self, simd: S, cell: [i32; 3], candidate: &mut Candidates) -> usize {
        let corner = self.grid.corner(cell);
        let mut found = 0;
        for Range { start: first, end } in self.grid.block(cell).iter() {
            candidate.reserve(found + end - first);
            // Eight at a time. What the last eight of a run copy beyond it is overwritten by the next run.
            for start in (first..end).step_by(LANES) {
                let at = found + start - first;
                match self.packed[start..].first_chunk::<LANES>() {
                    Some(eight) => candidate.put(simd, at, start, relative(simd, corner, eight)),
                    None => candidate.put_rest(at, start, corner, &self.packed[start..end]),
                }
            }
            found += end - first;
        }
        candidate.close(found);
        found
    }

    /// Leaves the particles near `here`, except `own`, at the front of `candidate.hit` and returns their number.
    #[inline(always)]
    pub fn filter<S: Simd>(
        &self,
        simd: S,
        cell: [i32; 3],
        here: [i32; 4],
        own: u32,
        candidate: &mut Candidates,
    ) -> usize {
        let corner = self.grid.corner(cell);
        let here: [F8<S>; 3] = std::array::from_fn(|c| splat(simd, here[c].wrapping_sub(corner[c]) as f32));
        let support_squared = splat(simd, self.support_squared);
        let own = u32x8::splat(simd, own);
        let Candidates { coordinate: [x, y, z], index, hit, vectors } = candidate;
        let (x, y) = (x.as_chunks::<LANES>().0, y.as_chunks::<LANES>().0);
        let (z, index) = (z.as_chunks::<LANES>().0, index.as_chunks::<LANES>().0);
        let mut hits = 0;
        for (((x, y), z), index) in x.iter().zip(y).zip(z).zip(index).take(*vectors) {
            let dx = here[0] - load(simd, x);
            let dy = here[1] - load(simd, y);
            let dz = here[2] - load(simd, z);
            let squared = fma(dx, dx, fma(dy, dy, dz * dz));
            let index = u32x8::simd_from(simd, *index);
            let near = squared.simd_lt(support_squared) & !index.simd_eq(own);
            simd.compress_u32x8(index, near).store_slice(&mut hit[hits..hits + LANES]);
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

    /// `scale` · W and `scale` · ∇W for eight offsets.
    #[inline(always)]
    pub fn eval<S: Simd>(&self, simd: S, [x, y, z]: [F8<S>; 3]) -> (F8<S>, [F8<S>; 3]) {
        // Coincident particles have no direction: a tiny distance keeps the quotient finite, times x = 0.
        let r = fma(x, x, fma(y, y, fma(z, z, splat(simd, 1e-6)))).sqrt();
        let q = r * splat(simd, self.to_q);
        let factor = K::slope_over_q(simd, q) * splat(simd, self.gradient_factor);
        (K::value(simd, q) * splat(simd, self.value_factor), [x * factor, y * factor, z * factor])
    }
}
