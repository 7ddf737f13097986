//! The weights of a kernel at the points of a regular grid around a node.

use glam::DVec3;

use super::grid::Grid;

/// Weights that are summed side by side `[1]`.
const LANES: usize = 4;

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
    pub fn new(weight: &impl Fn(f64) -> f64, reach: f64, shift: DVec3, planar: bool, whole: f64) -> Self {
        let far = reach.ceil() as isize;
        let mut out = Self { row: Vec::new(), weight: Vec::new() };
        let across = if planar { 0..=0 } else { -far..=far + 1 };
        for (z, y) in across.flat_map(|z| (-far..=far + 1).map(move |y| (z, y))) {
            let away = |x: isize| DVec3::new(x as f64, y as f64, z as f64).distance(shift);
            let mut inside = (-far..=far + 1).filter(|&x| away(x) < reach);
            let Some(first) = inside.next() else { continue };
            let last = inside.last().unwrap_or(first);
            let begin = out.weight.len();
            out.weight.extend((first..=last).map(|x| weight(away(x))));
            out.weight.resize(out.weight.len().next_multiple_of(LANES), 0.0);
            out.row.push(Row { from: [first, y, z], weights: begin..out.weight.len() });
        }
        let sum = out.weight.iter().sum::<f64>();
        out.weight.iter_mut().for_each(|w| *w *= whole / sum);
        out
    }

    /// How far from the node's point a row may read, in points.
    pub fn margin(reach: f64) -> usize {
        reach.ceil() as usize + 1 + LANES
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
