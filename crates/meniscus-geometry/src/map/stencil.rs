//! The weights of the points of a regular grid around a node: those of a kernel, and those of a ball without one.

use glam::DVec3;

use super::grid::{Grid, HALVES, lagrange};

/// Weights that are summed side by side `[1]`.
const LANES: usize = 4;
/// How much farther than the kernel its weights reach, in points `[1]`.
const SHARPER: f64 = 2.0;

/// What the mean of a cubic interpolation over a cell lacks, in fourth differences: ∫ t (t² − 1) (t − 2) dt / 24 `[1]`.
const ATTENUATION: f64 = 11.0 / 720.0;

/// Weights around a point that is `shift` spacings above a grid point along an axis; the same for all such nodes.
pub(super) struct Stencil {
    row: Vec<Row>,
    /// Rows one after the other, filled up with zeros to multiples of [`LANES`].
    weight: Vec<f64>,
}

/// Weights along x.
struct Row {
    /// Where it begins, in points from the node's.
    from: [isize; 3],
    /// Its part of the weights.
    weights: std::ops::Range<usize>,
}

impl Stencil {
    /// `weight` depends on the distance in spacings and is zero from `reach` on; the sum of all becomes `whole`.
    ///
    /// Masses are means of γ under cubic interpolation, which weakens short waves; the weights make up for that.
    pub fn kernel(weight: &impl Fn(f64) -> f64, reach: f64, shift: DVec3, planar: bool, whole: f64) -> Self {
        let at = |x: DVec3| weight(x.length());
        let sharpened = |x: DVec3| {
            let axes = if planar { &DVec3::AXES[..2] } else { &DVec3::AXES[..] };
            let fourth = |a: &DVec3| {
                at(x - 2.0 * *a) + at(x + 2.0 * *a) - 4.0 * (at(x - *a) + at(x + *a)) + 6.0 * at(x)
            };
            at(x) - ATTENUATION * axes.iter().map(fourth).sum::<f64>()
        };
        let far = (reach + SHARPER).ceil() as isize;
        Self::new(far, planar, whole, |at| sharpened(DVec3::from_array(at.map(|c| c as f64)) - shift))
    }

    /// The weights of a ball of radius `reach` spacings in which all counts the same; their sum becomes 1.
    pub fn ball(reach: f64, shift: DVec3, planar: bool) -> Self {
        let far = (reach + SHARPER).ceil() as isize;
        let weights = BallWeights::new(reach, shift, far, planar);
        Self::new(far, planar, 1.0, |at| weights.at(at))
    }

    /// From the weight of each point, as far as `far` points away along each axis and one more upwards.
    fn new(far: isize, planar: bool, whole: f64, weight: impl Fn([isize; 3]) -> f64) -> Self {
        let mut out = Self { row: Vec::new(), weight: Vec::new() };
        let across = if planar { 0..=0 } else { -far..=far + 1 };
        for (z, y) in across.flat_map(|z| (-far..=far + 1).map(move |y| (z, y))) {
            let mut inside = (-far..=far + 1).filter(|&x| weight([x, y, z]) != 0.0);
            let Some(first) = inside.next() else { continue };
            let last = inside.next_back().unwrap_or(first);
            let begin = out.weight.len();
            out.weight.extend((first..=last).map(|x| weight([x, y, z])));
            out.weight.resize(out.weight.len().next_multiple_of(LANES), 0.0);
            out.row.push(Row { from: [first, y, z], weights: begin..out.weight.len() });
        }
        let sum = out.weight.iter().sum::<f64>();
        out.weight.iter_mut().for_each(|w| *w *= whole / sum);
        out
    }

    /// How far from the node's point a row may read, in points.
    pub fn margin(reach: f64) -> usize {
        (reach + SHARPER).ceil() as usize + 1
    }

    /// The sum of weighted masses around the point with this index.
    pub fn sum(&self, grid: &Grid, mass: &[f64], index: usize) -> f64 {
        let stride = grid.stride().map(|s| s as isize);
        let mut lane = [0.0; LANES];
        for row in &self.row {
            let step: isize = row.from.iter().zip(stride).map(|(f, s)| f * s).sum();
            let begin = index.wrapping_add_signed(step);
            let weights = &self.weight[row.weights.clone()];
            let Some(masses) = mass.get(begin..begin + weights.len()) else { continue };
            for (m, w) in masses.chunks_exact(LANES).zip(weights.chunks_exact(LANES)) {
                for l in 0..LANES {
                    lane[l] += m[l] * w[l];
                }
            }
        }
        (lane[0] + lane[1]) + (lane[2] + lane[3])
    }
}

/// For each point around a node, the integral over the ball of the cubic that is 1 at the point and 0 at all others.
///
/// A jump cannot be interpolated, but γ can, and these integrate its interpolation.
struct BallWeights {
    /// Points are at most so far below the node's along an axis, and one more above it.
    far: isize,
    planar: bool,
    /// By z, y and x, x next to each other.
    value: Vec<f64>,
}

impl BallWeights {
    /// Of a ball of radius `reach` spacings, whose middle is `shift` spacings above the node's point; `far` must be
    /// farther than the cubics around the ball reach.
    pub fn new(reach: f64, shift: DVec3, far: isize, planar: bool) -> Self {
        let edge = 2 * far as usize + 2;
        let value = vec![0.0; edge * edge * if planar { 1 } else { edge }];
        let mut out = Self { far, planar, value };
        for (y, pu, wu) in lines(shift.y, reach, far) {
            let disc = (reach * reach - (y as f64 + pu - shift.y).powi(2)).max(0.0).sqrt();
            let share = lagrange(pu).map(|l| wu * l);
            if planar {
                out.add_line([y, 0], disc, shift.x, [share, [0.0, 1.0, 0.0, 0.0]]);
                continue;
            }
            for (z, pv, wv) in lines(shift.z, disc, far) {
                let chord = (disc * disc - (z as f64 + pv - shift.z).powi(2)).max(0.0).sqrt();
                out.add_line([y, z], chord, shift.x, [share, lagrange(pv).map(|l| wv * l)]);
            }
        }
        out
    }

    /// The weight of a point, by its steps from the node's.
    pub fn at(&self, [x, y, z]: [isize; 3]) -> f64 {
        self.value[self.row(y, z) + (x + self.far) as usize]
    }

    /// Where the row of points along x begins.
    fn row(&self, y: isize, z: isize) -> usize {
        let edge = 2 * self.far as usize + 2;
        edge * ((y + self.far) as usize + if self.planar { 0 } else { edge * (z + self.far) as usize })
    }

    /// A line along x through the cell behind the points y and z, `half` spacings to both sides of `middle`; `share` is
    /// what the points around count along y and z.
    fn add_line(&mut self, [y, z]: [isize; 2], half: f64, middle: f64, share: [[f64; 4]; 2]) {
        for (k, sz) in share[1].into_iter().enumerate().filter(|(_, sz)| *sz != 0.0) {
            for (j, sy) in share[0].into_iter().enumerate() {
                let row = self.row(y + j as isize - 1, z + k as isize - 1);
                for x in -self.far..=self.far + 1 {
                    let from = middle - x as f64;
                    let part = cardinal_integral(from + half) - cardinal_integral(from - half);
                    self.value[row + (x + self.far) as usize] += sy * sz * part;
                }
            }
        }
    }
}

/// Lines that cut the stretch of `reach` spacings to both sides of `middle`: the point before each, its place behind that
/// point and its weight.
fn lines(middle: f64, reach: f64, far: isize) -> impl Iterator<Item = (isize, f64, f64)> {
    let cell = move |c: isize| {
        let (from, to) = ((middle - reach - c as f64).max(0.0), (middle + reach - c as f64).min(1.0));
        (c, from, to - from)
    };
    (1 - far..far).map(cell).filter(|(_, _, length)| *length > 0.0).flat_map(|(c, from, length)| {
        HALVES.map(|(place, weight)| (c, from + length * place, length * weight))
    })
}

/// ∫ from 0 to `t` of the cubic interpolation of 1 at 0 and 0 at all other whole numbers.
fn cardinal_integral(t: f64) -> f64 {
    let a = t.abs();
    let integral = if a < 1.0 {
        a * (1.0 + a * (-0.25 + a * (-1.0 / 3.0 + a * 0.125)))
    } else if a < 2.0 {
        1.0 / 6.0 + a * (1.0 + a * (-11.0 / 12.0 + a * (1.0 / 3.0 - a / 24.0)))
    } else {
        0.5
    };
    integral.copysign(t)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn weights_have_the_moments_of_the_ball() {
        let (reach, shift) = (5.3, DVec3::new(1.0 / 3.0, 0.0, 0.0));
        for planar in [false, true] {
            let weights = BallWeights::new(reach, shift, 8, planar);
            let mut moment = [0.0; 3];
            for z in if planar { 0..=0 } else { -8..=9 } {
                for (y, x) in (-8..=9).flat_map(|y| (-8..=9).map(move |x| (y, x))) {
                    let away = DVec3::new(x as f64, y as f64, z as f64) - shift;
                    let weight = weights.at([x, y, z]);
                    moment[0] += weight;
                    moment[1] += weight * away.x;
                    moment[2] += weight * away.length_squared();
                }
            }
            let exact = if planar {
                [PI * reach.powi(2), 0.0, 0.5 * PI * reach.powi(4)]
            } else {
                [4.0 / 3.0 * PI * reach.powi(3), 0.0, 0.8 * PI * reach.powi(5)]
            };
            for (found, exact) in moment.into_iter().zip(exact) {
                assert!((found - exact).abs() < 3e-4 * exact.max(1.0), "{planar} {moment:?} {found} {exact}");
            }
        }
    }
}
