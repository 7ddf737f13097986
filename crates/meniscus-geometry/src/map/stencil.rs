//! The weights of a kernel at the points of a regular grid around a node.

use glam::DVec3;

use super::ball_weights::BallWeights;
use super::grid::Grid;

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
