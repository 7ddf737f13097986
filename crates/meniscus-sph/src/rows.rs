//! Compressed neighbour rows: who is near whom, and the gradient of the kernel between them.
//!
//! A row lists the neighbours j of one particle i together with V ∇W_ij, where V is the rest volume of a particle. It
//! is cut into blocks of eight neighbours of 64 bytes, a cache line: passes over rows wait for memory, so that an entry takes
//! eight bytes and not the sixteen of an index and three numbers (see `row.rs`). Gradients are whole multiples of a *quantum*, about
//! 1/32000 of the kernel's steepest slope; as both sides of a pair round alike, they are exactly opposite. Sums over rows and
//! the pressure equation's diagonal are those of the rounded gradients, so that solvers solve what they see. Neighbours
//! count from the block's base.
//!
//! Lanes that are left over have zero gradient and stand for the base: loops that weigh with the gradient need no mask.
//! Solvers read rows and never see a kernel.

use crate::grid::CellGrid;
use crate::kernel::{CubicSpline, Kernel, KernelKind, KernelShape, WendlandC2};
use crate::lanes::{F16, LANES, first_lanes, fma, sum, sum4};
use crate::row::{BlockHead, HIGH_HALF, RowBlock, WINDOW};
pub use crate::row::{Row, RowLanes};
use crate::search::{Candidates, Coordinates, PairKernel, Search};
use fearless_simd::{Bytes, Level, Select, Simd, SimdBase, SimdMask, dispatch, u32x8};
use meniscus_core::prefetch;
use meniscus_core::reduce::CHUNK;
use rayon::prelude::*;
use std::ops::Range;

/// Quanta of the steepest slope: what fits 16 bits with a sign, less a margin for the kernel's own rounding.
const STEEPEST: f64 = 32_000.0;

/// Added to a number below 2^22 it rounds to a whole one, which is then in the low bits of the sum.
const ROUNDER: f32 = 12_582_912.0;

/// How many blocks ahead of its row a pass asks for: some ten rows, the time that memory takes.
const PREFETCHED_BLOCKS: usize = 40;

/// How many particles of a cell are searched for at once.
const GROUP: usize = 16;

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
    /// Of each block.
    head: Vec<BlockHead>,
    /// Where each row ends in `block`.
    end: Vec<u32>,
    candidate: Candidates,
}

impl RowChunk {
    #[inline(always)]
    fn row(&self, start: usize, end: usize, quantum: f32) -> Row<'_> {
        Row { block: &self.block[start..end], head: &self.head[start..end], quantum }
    }
}

/// The rows of all particles, in chunks of [`CHUNK`] particles that are built and walked independently.
#[derive(Debug, Clone, Default)]
pub struct NeighbourRows {
    chunk: Vec<RowChunk>,
    coordinates: Coordinates,
    /// See [`Row::quantum`].
    quantum: f32,
}

/// Something that is computed for each particle from its row.
pub trait RowPass: Sync {
    /// The result for one particle.
    type Out: Send;
    /// The result for particle `i`.
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> Self::Out;
}

/// Something that the particles of a chunk add up to.
pub trait ChunkPass: Sync {
    /// What a chunk has.
    type Out: Send;
    /// Looks at the particles from `first` on, one for each of `rows`.
    fn eval<S: Simd>(&self, simd: S, first: usize, rows: ChunkRows<'_>, out: &mut Self::Out);
}

/// The rows of a chunk, one after the other.
pub struct ChunkRows<'a> {
    chunk: &'a RowChunk,
    quantum: f32,
    start: usize,
    next: usize,
}

impl<'a> Iterator for ChunkRows<'a> {
    type Item = Row<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Row<'a>> {
        let end = *self.chunk.end.get(self.next)? as usize;
        if let Some(ahead) = self.chunk.block.get(end + PREFETCHED_BLOCKS) {
            prefetch(ahead);
        }
        let row = self.chunk.row(self.start, end, self.quantum);
        (self.start, self.next) = (end, self.next + 1);
        Some(row)
    }
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
        let mut coordinates = std::mem::take(&mut self.coordinates);
        coordinates.set(packed);
        let search = Search { grid, coordinates: &coordinates, support_squared: (support * support) as f32 };
        let own_value = (volume * kernel.value(0.0)) as f32;
        let quantum = volume * kernel.steepest() / STEEPEST;
        self.quantum = quantum as f32 / HIGH_HALF;
        match kernel.kind {
            KernelKind::CubicSpline => {
                let pair = PairKernel::<CubicSpline>::with_quantum(kernel, unit, volume, quantum);
                let quantum = quantum as f32;
                self.build_with(&RowBuilder { search, packed, pair, own_value, quantum }, sums);
            }
            KernelKind::WendlandC2 => {
                let pair = PairKernel::<WendlandC2>::with_quantum(kernel, unit, volume, quantum);
                let quantum = quantum as f32;
                self.build_with(&RowBuilder { search, packed, pair, own_value, quantum }, sums);
            }
        }
        self.coordinates = coordinates;
    }

    fn build_with<K: KernelShape>(&mut self, builder: &RowBuilder<'_, K>, sums: &mut Vec<RowSum>) {
        let particles = builder.packed.len();
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
            dispatch!(level, simd => walk(simd, chunk, self.quantum, c * CHUNK, pass, out));
        });
    }

    /// How many chunks there are.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.chunk.len()
    }

    /// Computes `pass` for every chunk, in parallel.
    pub fn run_chunks<P: ChunkPass>(&self, pass: &P, out: &mut [P::Out]) {
        let level = Level::new();
        self.chunk.par_iter().zip(out).enumerate().for_each(|(c, (chunk, out))| {
            let rows = ChunkRows { chunk, quantum: self.quantum, start: 0, next: 0 };
            dispatch!(level, simd => pass.eval(simd, c * CHUNK, rows, out));
        });
    }

    /// Memory that a pass over all rows reads `[byte]`.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let chunk = |chunk: &RowChunk| {
            size_of_val(&*chunk.block) + size_of_val(&*chunk.head) + size_of_val(&*chunk.end)
        };
        self.chunk.iter().map(chunk).sum()
    }

    /// The neighbours of particle `i` with V ∇W_ij, for tests and diagnosis.
    pub fn neighbours(&self, i: usize) -> impl Iterator<Item = (usize, [f32; 3])> + '_ {
        let chunk = &self.chunk[i / CHUNK];
        let local = i % CHUNK;
        let start = if local == 0 { 0 } else { chunk.end[local - 1] };
        chunk.row(start as usize, chunk.end[local] as usize, self.quantum).neighbours()
    }
}

#[inline(always)]
fn walk<S: Simd, P: RowPass>(
    simd: S,
    chunk: &RowChunk,
    quantum: f32,
    first: usize,
    pass: &P,
    out: &mut [P::Out],
) {
    let mut start = 0;
    let mut ahead = chunk.block.iter().skip(PREFETCHED_BLOCKS);
    for (local, (slot, &end)) in out.iter_mut().zip(&chunk.end).enumerate() {
        ahead.by_ref().take(end as usize - start).for_each(prefetch);
        *slot = pass.eval(simd, first + local, chunk.row(start, end as usize, quantum));
        start = end as usize;
    }
}

struct RowBuilder<'a, K> {
    search: Search<'a>,
    packed: &'a [[i32; 4]],
    /// Gradients in quanta.
    pair: PairKernel<K>,
    /// V W_ii `[1]`.
    own_value: f32,
    /// `[1/m]`.
    quantum: f32,
}

impl<K: KernelShape> RowBuilder<'_, K> {
    #[inline(always)]
    fn build_chunk<S: Simd>(&self, simd: S, first: usize, chunk: &mut RowChunk, sums: &mut [RowSum]) {
        chunk.block.clear();
        chunk.head.clear();
        chunk.end.clear();
        let (grid, packed) = (self.search.grid, self.packed);
        let last = first + sums.len();
        let mut i = first;
        while i < last {
            let cell = grid.cell_of(packed[i]);
            let same = packed[i..last].iter().take_while(|p| grid.cell_of(**p) == cell).count();
            self.search.collect(simd, cell, &packed[i..i + same], &mut chunk.candidate);
            for start in (i..i + same).step_by(GROUP) {
                let group = start..(start + GROUP).min(i + same);
                // First all hits, then all rows: a row that is written at once waits for its hits to arrive in the cache.
                let mut end = [0; GROUP + 1];
                for (k, particle) in group.clone().enumerate() {
                    let (here, own) = (packed[particle], particle as u32);
                    end[k + 1] = self.search.filter(simd, cell, here, own, end[k], &mut chunk.candidate);
                }
                for (k, particle) in group.enumerate() {
                    sums[particle - first] = self.write_row(simd, end[k]..end[k + 1], chunk);
                }
            }
            i += same;
        }
    }

    #[inline(always)]
    fn write_row<S: Simd>(&self, simd: S, hits: Range<usize>, chunk: &mut RowChunk) -> RowSum {
        let RowChunk { candidate, block, head, end } = chunk;
        // So that a window fits behind nearly every base, and the last particle into the last window.
        let last_base = self.packed.len().saturating_sub(WINDOW).next_multiple_of(LANES) as u32;
        let zero = F16::splat(simd, 0.0);
        let (mut gradient, mut squared, mut density) = ([zero; 3], zero, zero);
        let mut done = hits.start;
        while done < hits.end {
            let Some((offset, index)) = candidate.hits(simd, done) else { break };
            let (value, exact) = self.pair.eval(simd, offset);
            let places = [&index[..LANES], &index[LANES..]].map(|index| {
                let base = BlockHead::base_of(index[0].min(last_base));
                let place = u32x8::from_slice(simd, index) - u32x8::splat(simd, base);
                // Mostly all eight. In very large scenes neighbours may be farther apart than places reach.
                let near = place.simd_lt(u32x8::splat(simd, WINDOW as u32)).to_bitmask().trailing_ones();
                (base, place, near)
            });
            let left = (hits.end - done) as u32;
            let first = places[0].2.min(left);
            let second = if first == LANES as u32 { places[1].2.min(left - first) } else { 0 };
            let real = simd.combine_mask32x8(first_lanes(simd, first), first_lanes(simd, second));
            let whole = exact.map(|c| real.select(c, zero) + F16::splat(simd, ROUNDER));
            let [x, y, z] = whole.map(|c| c - F16::splat(simd, ROUNDER));
            gradient = [gradient[0] + x, gradient[1] + y, gradient[2] + z];
            squared = fma(x, x, fma(y, y, fma(z, z, squared)));
            density += real.select(value, zero);
            let halves = whole.map(|c| simd.split_u32x16(c.bitcast()));
            let nowhere = u32x8::splat(simd, 0);
            let place = first_lanes(simd, first).select(places[0].1, nowhere);
            block.push(RowBlock::pack(simd, halves.map(|half| half.0), place));
            head.push(BlockHead::new(places[0].0, first));
            if second > 0 {
                let place = first_lanes(simd, second).select(places[1].1, nowhere);
                block.push(RowBlock::pack(simd, halves.map(|half| half.1), place));
                head.push(BlockHead::new(places[1].0, second));
            }
            done += (first + second) as usize;
        }
        end.push(block.len() as u32);
        let half = |v: F16<S>| {
            let (low, high) = simd.split_f32x16(v);
            low + high
        };
        let [x, y, z] = gradient;
        let [x, y, z, squared] = sum4(simd, [half(x), half(y), half(z), half(squared)]);
        RowSum {
            gradient: [self.quantum * x, self.quantum * y, self.quantum * z],
            gradient_squared: self.quantum * self.quantum * squared,
            density: self.own_value + sum(half(density)),
            neighbours: hits.len() as u32,
        }
    }
}
