//! A solve seen from afar: what smooth pressures take out of residuals, which sweeps over neighbours cannot see.
//!
//! Parts of the fluid are the unknowns ([`cells`](super::cells)), with the equation that particles give them ([`galerkin`](super::galerkin)). It is solved roughly, by
//! one symmetric V-cycle over ever coarser parts: two Jacobi sweeps down, two up, and a dense solve at the end. Pressures that are the same all over
//! a part are stiffer than those that rise from part to part, about twice for each doubling of the parts, so that a coarser equation has half the weight.
//!
//! Parts in which no pressure acts have none: their rows count as if they were not there.

use super::cells::Cells;
use super::galerkin::{Assembly, Matrix};
use crate::neighbourhood::Neighbourhood;
use glam::Vec3;
use rayon::prelude::*;

/// Relaxation of Jacobi sweeps over parts, over the sum of magnitudes in a row, which is twice the diagonal if all others are negative `[1]`.
const RELAXATION: f32 = 1.4;

/// Of a coarser equation `[1]`.
const WEIGHT: f32 = 0.5;

/// So few unknowns are solved for directly.
const DIRECT: usize = 64;

/// Most levels.
const LEVELS: usize = 24;

/// Entries that fall onto the diagonal of the coarser equation.
const DIAGONAL: u32 = u32::MAX;

/// Rows that a thread takes at once.
const GRAIN: usize = 1024;

/// The equations of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Coarse {
    /// Of which neighbourhoods, see [`Neighbourhood::version`].
    made_for: Option<u64>,
    /// The parts of particles.
    pub cells: Cells,
    assembly: Assembly,
    level: Vec<Level>,
    /// How many of them are in use.
    depth: usize,
    dense: Dense,
    /// Whether values are those of the parts in which pressure acts now.
    current: bool,
}

#[derive(Debug, Clone, Default)]
struct Level {
    matrix: Matrix,
    place: Vec<[i32; 3]>,
    /// Whether pressure acts in a part.
    active: Vec<bool>,
    /// ω over the sum of magnitudes; nothing where no pressure acts `[m²]`.
    inverse: Vec<f32>,
    /// The coarser part of each, and where each entry of the matrix falls in the coarser one.
    parent: Vec<u32>,
    falls: Vec<u32>,
    /// Children of each coarser part.
    child_start: Vec<u32>,
    child: Vec<u32>,
    given: Vec<f32>,
    found: Vec<f32>,
    change: Vec<f32>,
}

/// The coarsest equation, by its Cholesky factor.
#[derive(Debug, Clone, Default)]
struct Dense {
    factor: Vec<f64>,
    x: Vec<f64>,
}

impl Coarse {
    /// Makes the equations for these neighbourhoods, if they are not there. What touches in the directions `firm`, by particle, gives no way there.
    pub fn make(&mut self, around: &Neighbourhood, firm: impl FnOnce() -> Vec<(u32, Vec3)>) {
        if self.made_for == Some(around.version()) {
            return;
        }
        self.made_for = Some(around.version());
        self.current = false;
        self.cells.find(&around.packed, around.cells());
        if self.level.is_empty() {
            self.level.push(Level::default());
        }
        let finest = &mut self.level[0];
        self.assembly.assemble(around, &self.cells, &firm(), &mut finest.matrix);
        finest.place.clone_from(&self.cells.place);
        self.depth = 1;
        while self.depth < LEVELS && self.level[self.depth - 1].matrix.len() > DIRECT {
            if self.level.len() == self.depth {
                self.level.push(Level::default());
            }
            let (fine, coarse) = self.level.split_at_mut(self.depth);
            let (fine, coarse) = (&mut fine[self.depth - 1], &mut coarse[0]);
            fine.coarsen(coarse);
            if 10 * coarse.matrix.len() > 9 * fine.matrix.len() {
                // Crumbs that do not hang together: no coarser look helps.
                break;
            }
            self.depth += 1;
        }
        for level in &mut self.level[..self.depth] {
            let n = level.matrix.len();
            level.active.clear();
            level.active.resize(n, false);
            for column in [&mut level.inverse, &mut level.given, &mut level.found, &mut level.change] {
                column.resize(n, 0.0);
            }
        }
    }

    /// What pressures that are the same all over a part, and nothing where not `free`, have to be to take out `residual`, roughly: see [`Coarse::found`].
    pub fn solve(&mut self, residual: &[f32], free: &[bool], dt: f64) {
        let Self { cells, level, depth, dense, current, .. } = self;
        let finest = &mut level[0];
        let each = finest.given.par_iter_mut().zip(&mut finest.change).zip(&finest.active).enumerate();
        let same = each.with_min_len(GRAIN).map(|(part, ((given, change), active))| {
            let (mut sum, mut any) = (0.0, false);
            for &i in cells.members(part) {
                if free[i as usize] {
                    any = true;
                    sum += f64::from(residual[i as usize]);
                }
            }
            (*given, *change) = (sum as f32, if any { 1.0 } else { 0.0 });
            any == *active
        });
        let same = same.reduce(|| true, |a, b| a && b);
        if !(same && *current) {
            let Level { active, change, .. } = finest;
            active.iter_mut().zip(change).for_each(|(active, change)| *active = *change > 0.0);
            for n in 1..*depth {
                let (fine, coarse) = level.split_at_mut(n);
                fine[n - 1].fill(&mut coarse[0]);
            }
            let level = &mut level[..*depth];
            level.iter_mut().for_each(Level::invert);
            if let Some(last) = level.last() {
                dense.factorise(last);
            }
            *current = true;
        }
        cycle(&mut level[..*depth], dense);
        let scale = (1.0 / (dt * dt)) as f32;
        level[0].found.iter_mut().for_each(|x| *x *= scale);
    }

    /// A pressure for each part `[m²/s²]`.
    pub fn found(&self) -> &[f32] {
        self.level.first().map_or(&[], |level| &level.found)
    }
}

/// One V-cycle for `given`, from nothing.
fn cycle(level: &mut [Level], dense: &mut Dense) {
    let Some((fine, coarser)) = level.split_first_mut() else { return };
    let Some(coarse) = coarser.first_mut() else {
        if fine.matrix.len() <= DIRECT {
            dense.solve(fine);
        } else {
            fine.begin();
            fine.sweep();
            fine.sweep();
            fine.sweep();
        }
        return;
    };
    fine.begin();
    fine.sweep();
    fine.restrict(coarse);
    cycle(coarser, dense);
    fine.prolong(&coarser[0]);
    fine.sweep();
    fine.sweep();
}

impl Level {
    /// A first Jacobi sweep, from nothing.
    fn begin(&mut self) {
        let Self { inverse, given, found, .. } = self;
        let each = found.par_iter_mut().zip(&*inverse).zip(&*given).with_min_len(GRAIN);
        each.for_each(|((x, inverse), b)| *x = inverse * b);
    }

    /// What is left of row i `[1]`.
    #[inline(always)]
    fn left(matrix: &Matrix, given: &[f32], found: &[f32], i: usize) -> f32 {
        let row = matrix.row(i);
        let entries = matrix.column[row.clone()].iter().zip(&matrix.value[row]);
        entries.fold(given[i] - matrix.diagonal[i] * found[i], |left, (&j, value)| {
            left - value * found[j as usize]
        })
    }

    /// A Jacobi sweep.
    fn sweep(&mut self) {
        let Self { matrix, inverse, given, found, change, .. } = self;
        let each = change.par_iter_mut().enumerate().with_min_len(GRAIN);
        each.for_each(|(i, change)| {
            // Rows without pressure need not be looked at.
            *change = if inverse[i] > 0.0 { inverse[i] * Self::left(matrix, given, found, i) } else { 0.0 };
        });
        found.par_iter_mut().zip(&*change).with_min_len(GRAIN).for_each(|(x, change)| *x += change);
    }

    fn restrict(&mut self, coarse: &mut Self) {
        let Self { matrix, inverse, given, found, change, child_start, child, .. } = self;
        let each = change.par_iter_mut().enumerate().with_min_len(GRAIN);
        each.for_each(|(i, change)| {
            *change = if inverse[i] > 0.0 { Self::left(matrix, given, found, i) } else { 0.0 };
        });
        let each = coarse.given.par_iter_mut().enumerate().with_min_len(GRAIN);
        each.for_each(|(p, given)| {
            let children = &child[child_start[p] as usize..child_start[p + 1] as usize];
            *given = children.iter().map(|&i| change[i as usize]).sum();
        });
    }

    fn prolong(&mut self, coarse: &Self) {
        let each = self.found.par_iter_mut().zip(&self.parent).zip(&self.inverse).with_min_len(GRAIN);
        each.for_each(|((x, &parent), &inverse)| {
            if inverse > 0.0 {
                *x += coarse.found[parent as usize];
            }
        });
    }

    /// Finds coarser parts, twice as wide, of those in a block of eight that hang together, and where entries fall.
    fn coarsen(&mut self, coarse: &mut Self) {
        let Self { matrix, place, parent, falls, child_start, child, .. } = self;
        let n = matrix.len();
        let block = |i: usize| place[i].map(|c| c >> 1);
        parent.clear();
        parent.resize(n, DIAGONAL);
        coarse.place.clear();
        child.clear();
        child_start.clear();
        child_start.push(0);
        for first in 0..n {
            if parent[first] != DIAGONAL {
                continue;
            }
            let number = coarse.place.len() as u32;
            coarse.place.push(block(first));
            let mut next = child.len();
            parent[first] = number;
            child.push(first as u32);
            while let Some(&i) = child.get(next) {
                next += 1;
                for &j in &matrix.column[matrix.row(i as usize)] {
                    if parent[j as usize] == DIAGONAL && block(j as usize) == block(first) {
                        parent[j as usize] = number;
                        child.push(j);
                    }
                }
            }
            child_start.push(child.len() as u32);
        }
        let (m, out) = (coarse.place.len(), &mut coarse.matrix);
        falls.resize(matrix.column.len(), DIAGONAL);
        out.start.clear();
        out.column.clear();
        out.start.push(0);
        // Where the row that is being made has each column; `change` is free for it.
        let mut seen = std::mem::take(&mut coarse.parent);
        seen.clear();
        seen.resize(m, DIAGONAL);
        for p in 0..m {
            let first = out.column.len() as u32;
            for &i in &child[child_start[p] as usize..child_start[p + 1] as usize] {
                for e in matrix.row(i as usize) {
                    let q = parent[matrix.column[e] as usize] as usize;
                    falls[e] = if q == p {
                        DIAGONAL
                    } else {
                        if seen[q] == DIAGONAL || seen[q] < first {
                            seen[q] = out.column.len() as u32;
                            out.column.push(q as u32);
                        }
                        seen[q]
                    };
                }
            }
            out.start.push(out.column.len() as u32);
        }
        coarse.parent = seen;
        out.value.resize(out.column.len(), 0.0);
        out.diagonal.resize(m, 0.0);
    }

    /// Values of the coarser equation, from parts in which pressure acts.
    fn fill(&self, coarse: &mut Self) {
        coarse.matrix.value.fill(0.0);
        coarse.matrix.diagonal.fill(0.0);
        coarse.active.fill(false);
        for (i, &p) in self.parent.iter().enumerate().filter(|(i, _)| self.active[*i]) {
            coarse.active[p as usize] = true;
            coarse.matrix.diagonal[p as usize] += WEIGHT * self.matrix.diagonal[i];
            for e in self.matrix.row(i) {
                if self.active[self.matrix.column[e] as usize] {
                    let value = WEIGHT * self.matrix.value[e];
                    match self.falls[e] {
                        DIAGONAL => coarse.matrix.diagonal[p as usize] += value,
                        place => coarse.matrix.value[place as usize] += value,
                    }
                }
            }
        }
    }

    fn invert(&mut self) {
        let Self { matrix, active, inverse, .. } = self;
        inverse.par_iter_mut().enumerate().with_min_len(GRAIN).for_each(|(i, inverse)| {
            let entries = matrix.row(i).filter(|&e| active[matrix.column[e] as usize]);
            // Sums of magnitudes bound the eigenvalues: no matrix makes these sweeps diverge.
            let sum = matrix.diagonal[i] + entries.map(|e| matrix.value[e].abs()).sum::<f32>();
            *inverse = if active[i] && matrix.diagonal[i] > 0.0 { RELAXATION / sum } else { 0.0 };
        });
    }
}

/// A pivot that is smaller than this, in units of its diagonal, is none `[1]`.
const LEAST_PIVOT: f64 = 1e-5;

impl Dense {
    /// L with L Lᵀ the matrix of a level, where pressure acts; nothing if it is too large.
    fn factorise(&mut self, level: &Level) {
        let n = level.matrix.len();
        self.factor.clear();
        if n > DIRECT {
            return;
        }
        self.factor.resize(n * n, 0.0);
        let a = &mut self.factor;
        for i in (0..n).filter(|&i| level.inverse[i] > 0.0) {
            a[i * n + i] = f64::from(level.matrix.diagonal[i]);
            for e in level.matrix.row(i) {
                let j = level.matrix.column[e] as usize;
                if level.inverse[j] > 0.0 {
                    a[i * n + j] = f64::from(level.matrix.value[e]);
                }
            }
        }
        for j in 0..n {
            let whole = a[j * n + j];
            let pivot = whole - (0..j).map(|k| a[j * n + k] * a[j * n + k]).sum::<f64>();
            // A part that floats freely has a pressure that nothing tells.
            let root = if pivot > LEAST_PIVOT * whole { pivot.sqrt() } else { f64::INFINITY };
            a[j * n + j] = root;
            for i in j + 1..n {
                let sum = a[i * n + j] - (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>();
                a[i * n + j] = sum / root;
            }
        }
    }

    fn solve(&mut self, level: &mut Level) {
        let (n, a, x) = (level.matrix.len(), &self.factor, &mut self.x);
        x.clear();
        x.extend(level.given.iter().map(|&b| f64::from(b)));
        for i in 0..n {
            let sum = x[i] - (0..i).map(|k| a[i * n + k] * x[k]).sum::<f64>();
            x[i] = sum / a[i * n + i];
        }
        for i in (0..n).rev() {
            let sum = x[i] - (i + 1..n).map(|k| a[k * n + i] * x[k]).sum::<f64>();
            x[i] = sum / a[i * n + i];
        }
        level.found.iter_mut().zip(&*x).for_each(|(found, &x)| *found = x as f32);
    }
}
