//! The pressure equation between parts of the fluid: Rᵀ D K R for pressures R x that are the same all over a part.
//!
//! D K is Kᵀ K, as walls are mirrors (ADR 33), so that the entry of two parts is Σ_i κ_iI · κ_iJ with κ_iI = (K R)_iI, what a unit of pressure in part I does
//! to particle i. A particle feels at most the eight cells around a corner of its own, which are told apart by whether they are odd.

use super::cells::Cells;
use crate::lanes::F16;
use crate::neighbourhood::Neighbourhood;
use crate::rows::{ChunkPass, ChunkRows};
use fearless_simd::Simd;
use glam::Vec3;

/// How many cells a particle may feel `[1]`.
const CORNER: usize = 8;

/// No part.
const NOBODY: u32 = u32::MAX;

/// A symmetric matrix by rows, without its diagonal.
#[derive(Debug, Clone, Default)]
pub(super) struct Matrix {
    /// Where rows begin, and where the last one ends.
    pub start: Vec<u32>,
    /// Of each entry: its column and value.
    pub column: Vec<u32>,
    pub value: Vec<f32>,
    pub diagonal: Vec<f32>,
}

impl Matrix {
    /// The entries of a row.
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }
}

/// Scratch of its making.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembly {
    chunk: Vec<Sums>,
    /// Entries of all chunks, row by row.
    start: Vec<u32>,
    entry: Vec<(u32, f32)>,
    /// Of each column: where the row that is being added up has it.
    seen: Vec<u32>,
}

/// What the particles of a chunk add to pairs of parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    pair: Vec<([u32; 2], f32)>,
    /// Places in `pair` by hash.
    table: Vec<u32>,
}

/// What particles add that feel the same parts.
struct Group {
    part: [u32; CORNER],
    product: [[f32; CORNER]; CORNER],
}

impl Assembly {
    /// The matrix of these cells, `[1/m²]`. What touches in the directions `firm`, by particle, gives no way there.
    pub fn assemble(
        &mut self,
        around: &Neighbourhood,
        cells: &Cells,
        firm: &[(u32, Vec3)],
        out: &mut Matrix,
    ) {
        let pass = Products { around, cells, firm };
        self.chunk.resize_with(around.rows.chunks(), Sums::default);
        around.rows.run_chunks(&pass, &mut self.chunk);
        let Self { chunk, start, entry, seen } = self;
        let n = cells.len();
        start.clear();
        start.resize(n + 1, 0);
        out.diagonal.clear();
        out.diagonal.resize(n, 0.0);
        let pairs = || chunk.iter().flat_map(|sums| &sums.pair);
        for &([a, b], value) in pairs() {
            if a == b {
                out.diagonal[a as usize] += value;
            } else {
                start[a as usize + 1] += 1;
                start[b as usize + 1] += 1;
            }
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        entry.resize(start[n] as usize, (0, 0.0));
        for &([a, b], value) in pairs().filter(|([a, b], _)| a != b) {
            for (row, column) in [(a, b), (b, a)] {
                let end = &mut start[row as usize];
                entry[*end as usize] = (column, value);
                *end += 1;
            }
        }
        // Each entry is now at its end, which is the next one's start.
        start.rotate_right(1);
        start[0] = 0;
        out.start.clear();
        out.column.clear();
        out.value.clear();
        seen.clear();
        seen.resize(n, NOBODY);
        out.start.push(0);
        for i in 0..n {
            let first = out.column.len() as u32;
            for &(column, value) in &entry[start[i] as usize..start[i + 1] as usize] {
                let place = &mut seen[column as usize];
                if *place != NOBODY && *place >= first {
                    out.value[*place as usize] += value;
                } else {
                    *place = out.column.len() as u32;
                    out.column.push(column);
                    out.value.push(value);
                }
            }
            out.start.push(out.column.len() as u32);
        }
    }
}

/// κ_iI · κ_iJ of all particles.
struct Products<'a> {
    around: &'a Neighbourhood,
    cells: &'a Cells,
    firm: &'a [(u32, Vec3)],
}

impl ChunkPass for Products<'_> {
    type Out = Sums;

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, first: usize, rows: ChunkRows<'_>, out: &mut Sums) {
        out.clear();
        let code = &self.cells.code;
        let mut firm =
            self.firm.iter().skip(self.firm.partition_point(|f| (f.0 as usize) < first)).peekable();
        let mut group = Group::NONE;
        for (i, row) in (first..).zip(rows) {
            let mut part = [NOBODY; CORNER];
            let mut kappa = [[0.0_f32; 4]; CORNER];
            for lanes in row.lanes() {
                let gradient: [[f32; 16]; 2] = lanes.gradients(simd).map(|g: F16<S>| g.into());
                for (lane, j) in lanes.neighbours().enumerate() {
                    let slot = Cells::parity(code[j]);
                    let gradient = &gradient[lane / 4][4 * (lane % 4)..][..4];
                    (0..4).for_each(|c| kappa[slot][c] += gradient[c]);
                    // What feels two parts of one cell takes them for one.
                    part[slot] = Cells::part(code[j]) as u32;
                }
            }
            let own = Cells::parity(code[i]);
            part[own] = Cells::part(code[i]) as u32;
            let acting = self.around.gradient[i];
            let mut along = [[0.0_f32; CORNER]; 3];
            for slot in 0..CORNER {
                (0..3).for_each(|c| along[c][slot] = row.quantum * kappa[slot][c]);
            }
            (0..3).for_each(|c| along[c][own] += acting[c]);
            while let Some((_, normal)) = firm.next_if(|f| f.0 as usize == i) {
                let [x, y, z] = &mut along;
                for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
                    let left = Vec3::new(*x, *y, *z).reject_from_normalized(*normal);
                    [*x, *y, *z] = left.to_array();
                }
            }
            if !group.fits(&part) {
                out.add(&group);
                group = Group::NONE;
            }
            group.add(&part, &along);
        }
        out.add(&group);
    }
}

impl Group {
    const NONE: Self = Self { part: [NOBODY; CORNER], product: [[0.0; CORNER]; CORNER] };

    #[inline(always)]
    fn fits(&self, part: &[u32; CORNER]) -> bool {
        self.part.iter().zip(part).all(|(&a, &b)| a == b || a == NOBODY || b == NOBODY)
    }

    #[inline(always)]
    fn add(&mut self, part: &[u32; CORNER], along: &[[f32; CORNER]; 3]) {
        for (own, &part) in self.part.iter_mut().zip(part) {
            *own = (*own).min(part);
        }
        let [x, y, z] = along;
        for (a, product) in self.product.iter_mut().enumerate() {
            for (b, product) in product.iter_mut().enumerate() {
                *product += x[a] * x[b] + y[a] * y[b] + z[a] * z[b];
            }
        }
    }
}

impl Sums {
    fn clear(&mut self) {
        self.pair.clear();
        self.table.fill(NOBODY);
    }

    fn add(&mut self, group: &Group) {
        for a in (0..CORNER).filter(|&a| group.part[a] != NOBODY) {
            for b in (a..CORNER).filter(|&b| group.part[b] != NOBODY) {
                let (one, other) = (group.part[a], group.part[b]);
                self.add_pair([one.min(other), one.max(other)], group.product[a][b]);
            }
        }
    }

    fn add_pair(&mut self, pair: [u32; 2], value: f32) {
        if 2 * self.pair.len() >= self.table.len() {
            let size = (2 * self.table.len()).max(1024);
            self.table.clear();
            self.table.resize(size, NOBODY);
            for n in 0..self.pair.len() {
                let entry = self.entry_of(self.pair[n].0);
                self.table[entry] = n as u32;
            }
        }
        let entry = self.entry_of(pair);
        let known = self.table[entry];
        if known == NOBODY {
            self.table[entry] = self.pair.len() as u32;
            self.pair.push((pair, value));
        } else {
            self.pair[known as usize].1 += value;
        }
    }

    fn entry_of(&self, pair: [u32; 2]) -> usize {
        let mixed = pair[0].wrapping_mul(0x9E37_79B9) ^ pair[1].wrapping_mul(0x85EB_CA6B);
        let mut entry = (mixed ^ mixed >> 15) as usize & (self.table.len() - 1);
        while self.table[entry] != NOBODY && self.pair[self.table[entry] as usize].0 != pair {
            entry = (entry + 1) & (self.table.len() - 1);
        }
        entry
    }
}
