//! What a regular grid misses of γ(Φ) where it has kinks.
//!
//! Values of γ at grid points stand for their cubic interpolation. In cells where that differs from γ(Φ), the difference
//! is integrated along lines that are cut where γ breaks, and added to the points around as the interpolation of the
//! kernel asks for.

use glam::DVec3;
use rayon::prelude::*;

use super::grid::Grid;
use super::profile::Profile;

/// The Gauss rule with three points from 0 to 1: places and weights.
const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];
/// Pieces of a line through a cell in which Φ has a crease `[1]`.
const PIECES: usize = 4;
/// Second differences of Φ, in spacings, from which on it may be creased, and from which on it surely is.
const BEND: [f64; 2] = [0.05, 0.3];
/// By how much, in spacings, Φ in the middle of a cell then differs from its interpolation if it is.
const CREASE: f64 = 0.003;
/// Layers of cells that one task takes; a cell adds to points from one layer before to two layers behind it.
const LAYERS: usize = 3;

/// The four points of an interpolation along each of three axes, x first.
type Cube = [f64; 64];

/// The distance at the points of a grid, and what it is between them.
pub(super) struct Residue<'a, D> {
    pub grid: &'a Grid,
    /// Φ at the points `[m]`.
    pub phi: &'a [f64],
    /// Φ anywhere `[m]`.
    pub distance: &'a D,
    pub profile: Profile,
    /// The support radius `[m]`.
    pub support: f64,
}

impl<D: Fn(DVec3) -> f64 + Sync> Residue<'_, D> {
    /// Adds to the masses of the points, which hold γ. Points within three of the grid's faces do not get all.
    pub fn add_to(&self, mass: &mut [f64]) {
        let (stride, layers) = self.grid.layers();
        // Tasks of one pass are so far apart that they never write to the same point.
        for pass in [0, LAYERS] {
            let Some(rest) = mass.get_mut(pass * stride..) else { break };
            rest.par_chunks_mut(2 * LAYERS * stride).enumerate().for_each(|(i, chunk)| {
                let begin = pass + 2 * LAYERS * i;
                for layer in (begin + 1..=begin + LAYERS).filter(|layer| layer + 2 < layers) {
                    self.add_layer(layer, begin * stride, chunk);
                }
            });
        }
    }

    /// Adds what the cells of one layer miss; `chunk` begins at the point with the index `begin`.
    fn add_layer(&self, layer: usize, begin: usize, chunk: &mut [f64]) {
        let [nx, ny, _] = self.grid.count;
        let planar = self.grid.planar;
        let rows = if planar { layer..layer + 1 } else { 1..ny.saturating_sub(2) };
        let stride = self.grid.stride();
        for y in rows {
            for x in 1..nx.saturating_sub(2) {
                let at = [x, y, if planar { 0 } else { layer }];
                let index: usize = at.iter().zip(stride).map(|(a, s)| a * s).sum();
                let Some(missing) = self.of_cell(at, index) else { continue };
                for (i, missing) in missing.iter().enumerate().filter(|(_, m)| **m != 0.0) {
                    chunk[neighbour(index, i, stride) - begin] += missing;
                }
            }
        }
    }

    /// What to add to the points around a cell; nothing if γ is smooth there.
    fn of_cell(&self, at: [usize; 3], index: usize) -> Option<Cube> {
        // Points around are at most two spacings away along each axis.
        let (own, reach) = (self.phi[index], 12f64.sqrt() * self.grid.spacing);
        if self.profile.is_constant(own - reach, own + reach, self.support) {
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
        let bend = bend(&phi) / self.grid.spacing;
        let creased = bend > BEND[1] || bend > BEND[0] && self.is_creased(at, &phi);
        let passed = |b: &f64| low < b * self.support && b * self.support < high;
        (creased || self.profile.breaks().iter().any(passed)).then(|| self.integrate(at, &phi, creased))
    }

    /// Whether Φ in the middle of a cell is not what its interpolation says.
    fn is_creased(&self, at: [usize; 3], phi: &Cube) -> bool {
        let flat = self.grid.planar;
        let middle: [f64; 3] = std::array::from_fn(|a| at[a] as f64 + if flat && a == 2 { 0.0 } else { 0.5 });
        let half = lagrange(0.5);
        let sheet = contract::<16>(phi, if flat { &[0.0, 1.0, 0.0, 0.0] } else { &half });
        let foretold = dot(&contract::<4>(&sheet, &half), &half);
        let there = (self.distance)(self.grid.position(middle));
        (there - foretold).abs() > CREASE * self.grid.spacing
    }

    /// γ(Φ) less the interpolation of γ, times the interpolation's weights, over the cell.
    fn integrate(&self, at: [usize; 3], phi: &Cube, creased: bool) -> Cube {
        let along = steepest(phi);
        let [u, v] = [(along + 1) % 3, (along + 2) % 3];
        let turned = turn(phi, [along, u, v]);
        let gamma = turned.map(|phi| self.profile.at(phi, self.support));
        let mut sum = [0.0; 64];
        for &(pv, wv) in self.across(v) {
            let lv = lagrange(pv);
            let [phi_sheet, gamma_sheet] = [&turned, &gamma].map(|of| contract::<16>(of, &lv));
            let mut sheet = [0.0; 16];
            for &(pu, wu) in self.across(u) {
                let lu = lagrange(pu);
                let gamma = contract::<4>(&gamma_sheet, &lu);
                let mass = if creased {
                    let mut start = at.map(|c| c as f64);
                    (start[u], start[v]) = (start[u] + pu, start[v] + pv);
                    self.creased(start, along, &gamma)
                } else {
                    self.smooth(&contract::<4>(&phi_sheet, &lu), &gamma)
                };
                expand(&mass, &lu, wu, &mut sheet);
            }
            expand(&sheet, &lv, wv, &mut sum);
        }
        turn_back(&sum, [along, u, v])
    }

    /// Places and weights of lines across an axis.
    fn across(&self, axis: usize) -> &'static [(f64, f64)] {
        if axis == 2 && self.grid.planar { &[(0.0, 1.0)] } else { &GAUSS }
    }

    /// A line on which Φ is the cubic through four values.
    fn smooth(&self, phi: &[f64; 4], gamma: &[f64; 4]) -> [f64; 4] {
        let mut mass = [0.0; 4];
        self.piece(&|t| dot(&lagrange(t), phi), [0.0, 1.0], gamma, &mut mass);
        mass
    }

    /// A line on which Φ is asked for a few times and straight in between.
    fn creased(&self, start: [f64; 3], along: usize, gamma: &[f64; 4]) -> [f64; 4] {
        let value = |i: usize| {
            let mut at = start;
            at[along] += i as f64 / PIECES as f64;
            (self.distance)(self.grid.position(at))
        };
        let mut mass = [0.0; 4];
        let mut before = value(0);
        for i in 0..PIECES {
            let (a, behind) = (i as f64 / PIECES as f64, value(i + 1));
            let slope = (behind - before) * PIECES as f64;
            let phi = |t: f64| before + (t - a) * slope;
            self.piece(&phi, [a, (i + 1) as f64 / PIECES as f64], gamma, &mut mass);
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

/// The index of a point around a cell, whose own point has the number 1 along each axis.
fn neighbour(index: usize, i: usize, [sx, sy, sz]: [usize; 3]) -> usize {
    index + i % 4 * sx + i / 4 % 4 * sy + i / 16 * sz - (sx + sy + sz)
}

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
fn contract<const N: usize>(value: &[f64], weight: &[f64; 4]) -> [f64; N] {
    let mut out = [0.0; N];
    for (part, weight) in value.chunks_exact(N).zip(weight) {
        out.iter_mut().zip(part).for_each(|(out, value)| *out += weight * value);
    }
    out
}

/// Adds the values to each of four parts, as much as its weight says.
fn expand(value: &[f64], weight: &[f64; 4], whole: f64, out: &mut [f64]) {
    for (part, weight) in out.chunks_exact_mut(value.len()).zip(weight) {
        part.iter_mut().zip(value).for_each(|(out, value)| *out += whole * weight * value);
    }
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

/// The weights of values at −1, 0, 1 and 2 in their cubic at `t`.
fn lagrange(t: f64) -> [f64; 4] {
    let (a, b, c) = (t + 1.0, 1.0 - t, 2.0 - t);
    [-t * b * c / 6.0, 0.5 * a * b * c, 0.5 * a * t * c, -a * t * b / 6.0]
}
