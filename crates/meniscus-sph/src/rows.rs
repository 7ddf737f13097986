//! Compressed neighbour rows: who is near whom, and the gradient of the kernel between them.
//!
//! A row lists the neighbours j of one particle i together with V ∇W_ij, where V is the rest volume of a particle. It
//! is cut into blocks of eight lanes; lanes that are left over in the last block hold i itself, whose gradient is
//! zero: a particle exerts no force on itself, so loops need no mask. Solvers read rows and never see a kernel.

use crate::grid::CellGrid;
use crate::kernel::{CubicSpline, Kernel, KernelKind, KernelShape, WendlandC2};
use crate::lanes::{F8, LANES, fma, offsets, splat, sum};
use crate::search::{Candidates, PairKernel, Search};
use fearless_simd::{Level, Select, Simd, SimdBase, SimdFrom, dispatch};
use meniscus_core::reduce::CHUNK;
use rayon::prelude::*;

/// Eight entries of a row.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct RowBlock {
    /// The neighbours.
    pub index: [u32; LANES],
    /// x, y and z of V ∇W_ij `[1/m]`.
    pub gradient: [[f32; LANES]; 3],
}

/// What a row adds up to.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowSum {
    /// Σ_j V ∇W_ij `[1/m]`.
    pub gradient: [f32; 3],
    /// Σ_j |V ∇W_ij|² `[1/m²]`.
    pub gradient_squared: f32,
    /// V W_ii + Σ_j V W_ij, the fluid's share of the density in units of the rest density `[1]`.
    pub density: f32,
    /// Number of neighbours.
    pub neighbours: u32,
}

#[derive(Debug, Clone, Default)]
struct RowChunk {
    block: Vec<RowBlock>,
    /// Where each row ends in `block`.
    end: Vec<u32>,
    candidate: Candidates,
}

/// The rows of all particles, in chunks of [`CHUNK`] particles that are built and walked independently.
#[derive(Debug, Clone, Default)]
pub struct NeighbourRows {
    chunk: Vec<RowChunk>,
}

/// Something that is computed for each particle from its row.
pub trait RowPass: Sync {
    /// The result for one particle.
    type Out: Send;
    /// The result for particle `i`.
    fn eval<S: Simd>(&self, simd: S, i: usize, row: &[RowBlock]) -> Self::Out;
}

impl NeighbourRows {
    /// Rebuilds all rows for particles that are already in the order of `grid`, and sums them up. `unit` is the
    /// frame's `[m]`, `volume` the rest volume of a particle `[m^d]`.
    pub fn build(
        &mut self,
        grid: &CellGrid,
        unit: f64,
        packed: &[[i32; 4]],
        kernel: &Kernel,
        volume: f64,
        sums: &mut Vec<RowSum>,
    ) {
        let support = kernel.support_radius / unit;
        let search = Search { grid, packed, support_squared: (support * support) as f32 };
        let own_value = (volume * kernel.value(0.0)) as f32;
        match kernel.kind {
            KernelKind::CubicSpline => {
                let pair = PairKernel::<CubicSpline>::new(kernel, unit, volume);
                self.build_with(&RowBuilder { search, pair, own_value }, sums);
            }
            KernelKind::WendlandC2 => {
                let pair = PairKernel::<WendlandC2>::new(kernel, unit, volume);
                self.build_with(&RowBuilder { search, pair, own_value }, sums);
            }
        }
    }

    fn build_with<K: KernelShape>(&mut self, builder: &RowBuilder<'_, K>, sums: &mut Vec<RowSum>) {
        let particles = builder.search.packed.len();
        self.chunk.resize_with(particles.div_ceil(CHUNK), RowChunk::default);
        sums.resize(particles, RowSum::default());
        let level = Level::new();
        self.chunk.par_iter_mut().zip(sums.par_chunks_mut(CHUNK)).enumerate().for_each(
            |(c, (chunk, sums))| {
                dispatch!(level, simd => builder.build_chunk(simd, c * CHUNK, chunk, sums));
            },
        );
    }

    /// Computes `pass` for every particle, in parallel.
    pub fn run<P: RowPass>(&self, pass: &P, out: &mut [P::Out]) {
        let level = Level::new();
        self.chunk.par_iter().zip(out.par_chunks_mut(CHUNK)).enumerate().for_each(|(c, (chunk, out))| {
            dispatch!(level, simd => walk(simd, chunk, c * CHUNK, pass, out));
        });
    }

    /// Memory that a pass over all rows reads `[byte]`.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let chunk = |chunk: &RowChunk| size_of_val(&*chunk.block) + size_of_val(&*chunk.end);
        self.chunk.iter().map(chunk).sum()
    }

    /// The neighbours of particle `i` with V ∇W_ij, for tests and diagnosis.
    pub fn neighbours(&self, i: usize) -> impl Iterator<Item = (usize, [f32; 3])> + '_ {
        let chunk = &self.chunk[i / CHUNK];
        let local = i % CHUNK;
        let start = if local == 0 { 0 } else { chunk.end[local - 1] };
        chunk.block[start as usize..chunk.end[local] as usize]
            .iter()
            .flat_map(|b| (0..LANES).map(|l| (b.index[l] as usize, b.gradient.map(|column| column[l]))))
            .filter(move |(j, _)| *j != i)
    }
}

#[inline(always)]
fn walk<S: Simd, P: RowPass>(simd: S, chunk: &RowChunk, first: usize, pass: &P, out: &mut [P::Out]) {
    let mut start = 0;
    for (local, (slot, &end)) in out.iter_mut().zip(&chunk.end).enumerate() {
        *slot = pass.eval(simd, first + local, &chunk.block[start..end as usize]);
        start = end as usize;
    }
}

struct RowBuilder<'a, K> {
    search: Search<'a>,
    pair: PairKernel<K>,
    /// V W_ii `[1]`.
    own_value: f32,
}

impl<K: KernelShape> RowBuilder<'_, K> {
    #[inline(always)]
    fn build_chunk<S: Simd>(&self, simd: S, first: usize, chunk: &mut RowChunk, sums: &mut [RowSum]) {
        chunk.block.clear();
        chunk.end.clear();
        let Search { grid, packed, .. } = self.search;
        let last = first + sums.len();
        let mut i = first;
        while i < last {
            let cell = grid.cell_of(packed[i]);
            let same = packed[i..last].iter().take_while(|p| grid.cell_of(**p) == cell).count();
            self.search.collect(cell, &mut chunk.candidate);
            for particle in i..i + same {
                let own = particle as u32;
                let hits = self.search.filter(simd, cell, packed[particle], own, &mut chunk.candidate);
                sums[particle - first] = self.write_row(simd, particle, hits, chunk);
            }
            i += same;
        }
    }

    #[inline(always)]
    fn write_row<S: Simd>(&self, simd: S, i: usize, hits: usize, chunk: &mut RowChunk) -> RowSum {
        let packed = self.search.packed;
        let hit = &mut chunk.candidate.hit;
        hit[hits..hits.next_multiple_of(LANES)].fill(i as u32);
        let zero = splat(simd, 0.0);
        let (mut gradient, mut squared, mut density) = ([zero; 3], zero, zero);
        let lane = F8::simd_from(simd, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        for (n, index) in hit.as_chunks::<LANES>().0.iter().take(hits.div_ceil(LANES)).enumerate() {
            let (offset, _) = offsets(simd, packed[i], packed, index);
            let (value, [x, y, z]) = self.pair.eval(simd, offset);
            gradient = [gradient[0] + x, gradient[1] + y, gradient[2] + z];
            squared = fma(x, x, fma(y, y, fma(z, z, squared)));
            let real = (lane + splat(simd, (n * LANES) as f32)).simd_lt(splat(simd, hits as f32));
            density += real.select(value, zero);
            chunk.block.push(RowBlock { index: *index, gradient: [x.into(), y.into(), z.into()] });
        }
        chunk.end.push(chunk.block.len() as u32);
        RowSum {
            gradient: [sum(gradient[0]), sum(gradient[1]), sum(gradient[2])],
            gradient_squared: sum(squared),
            density: self.own_value + sum(density),
            neighbours: hits as u32,
        }
    }
}
