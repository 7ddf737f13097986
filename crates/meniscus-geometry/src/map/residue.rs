//! What a regular grid misses of γ(Φ) where it has kinks.
//!
//! Values of γ at grid points stand for their cubic interpolation. In cells where that differs from γ(Φ), the difference
//! is integrated along lines that are cut where γ breaks, and added to the points around as the interpolation of the
//! kernel asks for.

use std::cell::OnceCell;
use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::grid::{ALIKE, GAUSS, Grid, Line, SMOOTH_LINES, STEEP_LINES, WITHIN_PLANE, lagrange};
use super::profile::Profile;
use crate::SignedDistance;
use crate::distance::LocalDistance;

/// Edge of the blocks of cells whose distances are asked for together `[1]`.
const BLOCK: usize = 4;
/// How much of γ must change around a cell for a crease in it to be integrated with more lines and pieces `[1]`.
const STEEP: f64 = 0.75;
/// By how much, in spacings, Φ in the middle of a cell then differs from the mean of its corners `[1]`.
const INSIDE: f64 = 0.02;
/// Second differences of Φ, in spacings, from which on it may be creased, and from which on it surely is.
const BEND: [f64; 2] = [0.05, 0.3];
/// By how much, in spacings, Φ in the middle of a cell then differs from its interpolation if it is.
const CREASE: f64 = 0.003;
/// By how much values along an axis may differ, beside those from corner to corner, and still be the same `[1]`.
const ALIKE_WITHIN: f64 = 1e-12;
/// Layers of cells that one task takes; a cell adds to points from one layer before to two layers behind it.
const LAYERS: usize = 3;

/// The four points of an interpolation along each of three axes, x first.
type Cube = [f64; 64];

/// The distance at the points of a grid, and what it is between them.
pub(super) struct Residue<'a, D> {
    pub grid: &'a Grid,
    /// Φ at the points `[m]`.
    pub phi: &'a [f64],
    /// Whether Φ may be creased around the cell behind each point; see [`bent`].
    pub bent: &'a [bool],
    /// Φ anywhere.
    pub distance: &'a D,
    pub profile: Profile,
    /// The support radius `[m]`.
    pub support: f64,
}

/// Φ in a cell with a crease, and whether γ is steep there.
struct Crease<'n> {
    phi: &'n dyn LocalDistance,
    steep: bool,
}

impl Crease<'_> {
    /// Pieces of a line through the cell `[1]`.
    fn pieces(&self) -> usize {
        if self.steep { 8 } else { 4 }
    }
}

impl<D: SignedDistance> Residue<'_, D> {
    /// Adds to the masses of the points, which hold γ. Points within three of the grid's faces do not get all.
    pub fn add_to(&self, mass: &mut [f64]) {
        let (stride, layers) = self.grid.layers();
        // Tasks of one pass are so far apart that they never write to the same point.
        for pass in [0, LAYERS] {
            let Some(rest) = mass.get_mut(pass * stride..) else { break };
            rest.par_chunks_mut(2 * LAYERS * stride).enumerate().for_each(|(i, chunk)| {
                let begin = pass + 2 * LAYERS * i;
                let cells = begin + 1..(begin + 1 + LAYERS).min(layers.saturating_sub(2));
                self.add_layers(cells, begin * stride, chunk);
            });
        }
    }

    /// Adds what the cells of some layers miss; `chunk` begins at the point with the index `begin`.
    fn add_layers(&self, layers: Range<usize>, begin: usize, chunk: &mut [f64]) {
        let [nx, ny, _] = self.grid.count;
        let block = |first: usize, end: usize| first..(first + BLOCK).min(end);
        let along =
            |count: usize| (1..count.saturating_sub(2)).step_by(BLOCK).map(move |c| block(c, count - 2));
        if self.grid.planar {
            along(nx).for_each(|x| self.add_block(&[x, layers.clone(), 0..1], begin, chunk));
            return;
        }
        for y in along(ny) {
            along(nx).for_each(|x| self.add_block(&[x, y.clone(), layers.clone()], begin, chunk));
        }
    }

    fn add_block(&self, cells: &[Range<usize>; 3], begin: usize, chunk: &mut [f64]) {
        let stride = self.grid.stride();
        let near = OnceCell::new();
        let (centre, half) = self.around(cells);
        let near = || &**near.get_or_init(|| self.distance.near(centre, half));
        let [x, y, z] = cells;
        for (k, j) in z.clone().flat_map(|k| y.clone().map(move |j| (k, j))) {
            for at in x.clone().map(|i| [i, j, k]) {
                let index: usize = at.iter().zip(stride).map(|(a, s)| a * s).sum();
                let Some(missing) = self.of_cell(at, index, &near) else { continue };
                for (i, missing) in missing.iter().enumerate().filter(|(_, m)| **m != 0.0) {
                    chunk[neighbour(index, i, stride) - begin] += missing;
                }
            }
        }
    }

    /// The middle of a block of cells and how far it reaches to both sides `[m]`.
    fn around(&self, cells: &[Range<usize>; 3]) -> (DVec3, DVec3) {
        let flat = |axis: usize| axis == 2 && self.grid.planar;
        let middle = |a: usize| if flat(a) { 0.0 } else { 0.5 * (cells[a].start + cells[a].end) as f64 };
        let half = |a: usize| if flat(a) { 0.0 } else { 0.5 * cells[a].len() as f64 };
        let half = DVec3::from_array([0, 1, 2].map(half));
        (self.grid.position([0, 1, 2].map(middle)), self.grid.spacing * half)
    }

    /// What to add to the points around a cell; nothing if γ is smooth there.
    fn of_cell<'n>(
        &self,
        at: [usize; 3],
        index: usize,
        near: &impl Fn() -> &'n dyn LocalDistance,
    ) -> Option<Cube> {
        // Points around are at most two spacings away along each axis.
        let (own, reach) = (self.phi[index], 12f64.sqrt() * self.grid.spacing);
        if self.profile.is_constant(own - reach, own + reach, self.support) {
            return None;
        }
        let passes = |b: &f64| (own - b * self.support).abs() <= reach;
        if !self.bent[index] && !self.profile.breaks().iter().any(passes) {
            return None;
        }
        let stride = self.grid.stride();
        let mut phi = [0.0; 64];
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, phi) in phi.iter_mut().enumerate() {
            *phi = self.phi[neighbour(index, i, stride)];
            (low, high) = (low.min(*phi), high.max(*phi));
        }
        if self.profile.is_constant(low, high, self.support) {
            return None;
        }
        // What is not bent between any of the points around is not bent here.
        let bend = if self.bent[index] { bend(&phi) / self.grid.spacing } else { 0.0 };
        if bend > BEND[0] {
            let near = near();
            if bend > BEND[1] || self.is_creased(at, &phi, near) {
                let (middle, half) = self.around(&at.map(|c| c..c + 1));
                let near = near.narrowed(middle, half);
                let fall = self.profile.at(low, self.support) - self.profile.at(high, self.support);
                let steep = bend > BEND[1] && fall > STEEP && self.is_inside(at, &phi, &*near);
                let crease = Crease { phi: &*near, steep };
                return Some(self.integrate(at, &phi, Some(&crease)));
            }
        }
        let passed = |b: &f64| low < b * self.support && b * self.support < high;
        self.profile.breaks().iter().any(passed).then(|| self.integrate(at, &phi, None))
    }

    /// The middle of a cell.
    fn middle(&self, at: [usize; 3]) -> DVec3 {
        let flat = |axis: usize| axis == 2 && self.grid.planar;
        self.grid.position(std::array::from_fn(|a| at[a] as f64 + if flat(a) { 0.0 } else { 0.5 }))
    }

    /// Whether Φ in the middle of a cell is not what its interpolation says.
    fn is_creased(&self, at: [usize; 3], phi: &Cube, near: &dyn LocalDistance) -> bool {
        let half = lagrange(0.5);
        let sheet = contract::<16>(phi, if self.grid.planar { &[0.0, 1.0, 0.0, 0.0] } else { &half });
        let foretold = dot(&contract::<4>(&sheet, &half), &half);
        (near.distance(self.middle(at)) - foretold).abs() > CREASE * self.grid.spacing
    }

    /// Whether a crease passes through the cell itself, and not only between the points around it.
    fn is_inside(&self, at: [usize; 3], phi: &Cube, near: &dyn LocalDistance) -> bool {
        let mean = [21, 22, 25, 26, 37, 38, 41, 42].iter().map(|i| phi[*i]).sum::<f64>() / 8.0;
        (near.distance(self.middle(at)) - mean).abs() > INSIDE * self.grid.spacing
    }

    /// γ(Φ) less the interpolation of γ, times the interpolation's weights, over the cell.
    fn integrate(&self, at: [usize; 3], phi: &Cube, crease: Option<&Crease<'_>>) -> Cube {
        let along = steepest(phi);
        let [u, v] = [(along + 1) % 3, (along + 2) % 3];
        let turned = turn(phi, [along, u, v]);
        let gamma = turned.map(|phi| self.profile.at(phi, self.support));
        // Along a wall that is parallel to the grid, one line stands for all.
        let [alike_u, alike_v] =
            if crease.is_none() { [4, 16].map(|part| alike(&turned, part)) } else { [false; 2] };
        let mut sum = [0.0; 64];
        for line_v in self.across(v, crease, alike_v) {
            let [phi_sheet, gamma_sheet] = [&turned, &gamma].map(|of| contract::<16>(of, &line_v.value));
            let mut sheet = [0.0; 16];
            for line_u in self.across(u, crease, alike_u) {
                let gamma = contract::<4>(&gamma_sheet, &line_u.value);
                let mass = if let Some(crease) = crease {
                    let mut start = at.map(|c| c as f64);
                    (start[u], start[v]) = (start[u] + line_u.place, start[v] + line_v.place);
                    self.creased(crease, start, along, &gamma)
                } else {
                    self.smooth(&contract::<4>(&phi_sheet, &line_u.value), &gamma)
                };
                expand(&mass, &line_u.share, &mut sheet);
            }
            expand(&sheet, &line_v.share, &mut sum);
        }
        turn_back(&sum, [along, u, v])
    }

    /// Lines across an axis.
    fn across(&self, axis: usize, crease: Option<&Crease<'_>>, alike: bool) -> &'static [Line] {
        if axis == 2 && self.grid.planar {
            &WITHIN_PLANE
        } else if crease.is_some_and(|crease| crease.steep) {
            &STEEP_LINES
        } else if alike {
            &ALIKE
        } else {
            &SMOOTH_LINES
        }
    }

    /// A line on which Φ is the cubic through four values.
    fn smooth(&self, phi: &[f64; 4], gamma: &[f64; 4]) -> [f64; 4] {
        let mut mass = [0.0; 4];
        self.piece(&|t| dot(&lagrange(t), phi), [0.0, 1.0], gamma, &mut mass);
        mass
    }

    /// A line on which Φ is asked for a few times and straight in between.
    fn creased(&self, crease: &Crease<'_>, start: [f64; 3], along: usize, gamma: &[f64; 4]) -> [f64; 4] {
        let count = crease.pieces();
        let value = |t: f64| {
            let mut at = start;
            at[along] += t;
            crease.phi.distance(self.grid.position(at))
        };
        let mut mass = [0.0; 4];
        let mut before = value(0.0);
        for i in 0..count {
            let [a, b] = [i, i + 1].map(|i| i as f64 / count as f64);
            let behind = value(b);
            let phi = |t: f64| before + (behind - before) * (t - a) / (b - a);
            self.piece(&phi, [a, b], gamma, &mut mass);
            before = behind;
        }
        mass
    }

    /// Adds the integral over a piece of a line, cut where γ breaks.
    fn piece(&self, phi: &impl Fn(f64) -> f64, [a, b]: [f64; 2], gamma: &[f64; 4], mass: &mut [f64; 4]) {
        let (start, end) = (phi(a), phi(b));
        let levels = self.profile.breaks();
        let mut from = a;
        for i in 0..levels.len() {
            // Breaks fall; a line that leaves the body passes them in the other order.
            let i = if start > end { i } else { levels.len() - 1 - i };
            let level = levels[i] * self.support;
            if (start > level) != (end > level) {
                let to = super::ray::crossing(phi, level, [a, start - level], [b, end - level]);
                self.gauss(phi, [from, to.clamp(from, b)], gamma, mass);
                from = to.clamp(from, b);
            }
        }
        self.gauss(phi, [from, b], gamma, mass);
    }

    /// Adds the integral over a piece in which γ(Φ) is smooth.
    fn gauss(&self, phi: &impl Fn(f64) -> f64, [a, b]: [f64; 2], gamma: &[f64; 4], mass: &mut [f64; 4]) {
        for (place, weight) in GAUSS {
            let t = a + (b - a) * place;
            let share = lagrange(t);
            let missing = self.profile.at(phi(t), self.support) - dot(&share, gamma);
            for (mass, share) in mass.iter_mut().zip(share) {
                *mass += (b - a) * weight * missing * share;
            }
        }
    }
}

/// For each point whether Φ bends so much between any of the points around the cell behind it that it may be creased.
pub(super) fn bent(grid: &Grid, phi: &[f64]) -> Vec<bool> {
    let limit = BEND[0] * grid.spacing;
    let steps = grid.stride().into_iter().filter(|step| *step > 0);
    let second = |i: usize, step: usize| {
        let before = phi.get(i.wrapping_sub(step)).copied().unwrap_or(phi[i]);
        let behind = phi.get(i + step).copied().unwrap_or(phi[i]);
        before - 2.0 * phi[i] + behind
    };
    let here = |i: usize| steps.clone().any(|step| second(i, step).abs() > limit);
    let bent: Vec<bool> = (0..phi.len()).into_par_iter().with_min_len(4096).map(here).collect();
    // At the ends of rows this sees the next row, which does no harm.
    steps.fold(bent, |bent, step| {
        let around = |i: usize| {
            let at = |i: usize| bent.get(i).is_some_and(|bent| *bent);
            at(i.wrapping_sub(step)) || at(i) || at(i + step) || at(i + 2 * step)
        };
        (0..bent.len()).into_par_iter().with_min_len(4096).map(around).collect()
    })
}

/// The index of a point around a cell, whose own point has the number 1 along each axis.
#[inline]
fn neighbour(index: usize, i: usize, [sx, sy, sz]: [usize; 3]) -> usize {
    index + i % 4 * sx + i / 4 % 4 * sy + i / 16 * sz - (sx + sy + sz)
}

#[inline]
fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// The values with the axes in another order.
fn turn(value: &Cube, [a, b, c]: [usize; 3]) -> Cube {
    let step = [1, 4, 16];
    std::array::from_fn(|i| value[i % 4 * step[a] + i / 4 % 4 * step[b] + i / 16 * step[c]])
}

/// The values with the axes in their own order again.
fn turn_back(value: &Cube, [a, b, c]: [usize; 3]) -> Cube {
    let step = [1, 4, 16];
    let mut out = [0.0; 64];
    for (i, value) in value.iter().enumerate() {
        out[i % 4 * step[a] + i / 4 % 4 * step[b] + i / 16 * step[c]] = *value;
    }
    out
}

/// The weighted sum of four parts of N values.
#[inline]
fn contract<const N: usize>(value: &[f64], weight: &[f64; 4]) -> [f64; N] {
    let mut out = [0.0; N];
    for (part, weight) in value.chunks_exact(N).zip(weight) {
        out.iter_mut().zip(part).for_each(|(out, value)| *out += weight * value);
    }
    out
}

/// Adds the values to each of four parts, as much as its weight says.
#[inline]
fn expand(value: &[f64], weight: &[f64; 4], out: &mut [f64]) {
    for (part, weight) in out.chunks_exact_mut(value.len()).zip(weight) {
        part.iter_mut().zip(value).for_each(|(out, value)| *out += weight * value);
    }
}

/// Whether values do not change along an axis whose neighbours are `step` apart.
fn alike(value: &Cube, step: usize) -> bool {
    let limit = ALIKE_WITHIN * (value[0] - value[63]).abs();
    let same = |i: usize| (value[i] - value[i - i / step % 4 * step]).abs() <= limit;
    (0..64).all(same)
}

/// The largest second difference along any axis.
fn bend(value: &Cube) -> f64 {
    let second = |i: usize, step: usize| (value[i] - 2.0 * value[i + step] + value[i + 2 * step]).abs();
    let mut most = 0f64;
    for i in 0..16 {
        let (x, y) = (4 * i, i % 4 + i / 4 * 16);
        for k in 0..2 {
            most = most.max(second(x + k, 1)).max(second(y + 4 * k, 4)).max(second(i + 16 * k, 16));
        }
    }
    most
}

/// The axis along which the corners of the cell differ most.
fn steepest(value: &Cube) -> usize {
    const CORNER: usize = 1 + 4 + 16;
    let rise = [1, 4, 16].map(|step| {
        let [u, v] = if step == 1 { [4, 16] } else { [1, 20 - step] };
        let along = |shift: usize| value[CORNER + shift + step] - value[CORNER + shift];
        (along(0) + along(u) + along(v) + along(u + v)).abs()
    });
    if rise[0] >= rise[1] && rise[0] >= rise[2] {
        0
    } else if rise[1] >= rise[2] {
        1
    } else {
        2
    }
}
