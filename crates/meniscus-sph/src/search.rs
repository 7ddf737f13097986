//! Finding the particles within the support radius, eight candidates at a time.
//!
//! Serves fluid rows and boundary rows alike: the candidates of a block of cells are copied once next to each other,
//! relative to the cell's corner (exact in single precision, see [`crate::fixed`]), then tested for every fluid
//! particle of the cell, and the hits compressed.

use crate::grid::CellGrid;
use crate::kernel::{Kernel, KernelShape};
use crate::lanes::{F8, LANES, fma, load, splat};
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
    pub hit: Vec<u32>,
}

impl Search<'_> {
    /// Copies the particles of the block around `cell` next to each other; returns how many there are.
    #[inline(always)]
    pub fn collect(&self, cell: [i32; 3], candidate: &mut Candidates) -> usize {
        let corner = self.grid.corner(cell);
        let Candidates { coordinate: [x, y, z], index, hit } = candidate;
        x.clear();
        y.clear();
        z.clear();
        index.clear();
        self.grid.visit_block(cell, |run: Range<usize>| {
            let particles = &self.packed[run.clone()];
            // On a torus a distant particle may stand here. It is never near by accident, because coordinates keep
            // below a quarter of the integer range and so their differences do not wrap.
            x.extend(particles.iter().map(|p| p[0].wrapping_sub(corner[0]) as f32));
            y.extend(particles.iter().map(|p| p[1].wrapping_sub(corner[1]) as f32));
            z.extend(particles.iter().map(|p| p[2].wrapping_sub(corner[2]) as f32));
            index.extend(run.map(|j| j as u32));
        });
        let found = index.len();
        let padded = found.next_multiple_of(LANES);
        x.resize(padded, f32::INFINITY);
        y.resize(padded, 0.0);
        z.resize(padded, 0.0);
        index.resize(padded, u32::MAX);
        hit.resize(hit.len().max(padded + LANES), 0);
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
        let Candidates { coordinate: [x, y, z], index, hit } = candidate;
        let (x, y) = (x.as_chunks::<LANES>().0, y.as_chunks::<LANES>().0);
        let (z, index) = (z.as_chunks::<LANES>().0, index.as_chunks::<LANES>().0);
        let mut hits = 0;
        for (((x, y), z), index) in x.iter().zip(y).zip(z).zip(index) {
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
        Self {
            to_q: (unit / kernel.support_radius) as f32,
            value_factor: (scale * kernel.amplitude()) as f32,
            gradient_factor: (scale * kernel.amplitude() * unit / kernel.support_radius.powi(2)) as f32,
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
