//! How much a vertex is smoothed, and the smoothing.

use glam::DVec3;
use rayon::prelude::*;

/// How strongly a particle's surroundings are smoothed, from 0 for one that is alone to 1, by the neighbours it has
/// within the support radius `[m]`.
///
/// A particle in a film has about a third of the neighbours of one inside, and is smoothed; one with less than a tenth
/// belongs to spray, and is not.
pub(crate) fn weights(position: &[[f32; 3]], neighbours: &[Vec<usize>], support: f32) -> Vec<f32> {
    // Neighbours count less the farther they are, so that weights change smoothly in time.
    let near = |i: usize, j: usize| {
        let [a, b] = [position[i], position[j]].map(glam::Vec3::from);
        (1.0 - a.distance_squared(b) / (support * support)).max(0.0)
    };
    let around = |(i, list): (usize, &Vec<usize>)| list.iter().map(|&j| near(i, j)).sum::<f32>();
    let count = neighbours.par_iter().enumerate().map(around);
    // Inside a lattice of half the support radius this sum is about 12.6.
    count.map(|n| smooth_step((n - 1.0) / 5.0)).collect()
}

fn smooth_step(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// The neighbours of each vertex along edges, in one array: those of `v` are from `start[v]` to `start[v + 1]`.
pub(crate) struct Ring {
    start: Vec<u32>,
    other: Vec<u32>,
}

impl Ring {
    /// Those of a closed mesh, in which every edge is in two triangles, once in each direction.
    pub(crate) fn new(vertices: usize, triangle: &[[u32; 3]]) -> Self {
        let mut start = vec![0_u32; vertices + 1];
        for v in triangle.iter().flatten() {
            start[*v as usize + 1] += 1;
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut place = start.clone();
        let mut other = vec![0; 3 * triangle.len()];
        for &[a, b, c] in triangle {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let slot = &mut place[from as usize];
                other[*slot as usize] = to;
                *slot += 1;
            }
        }
        Self { start, other }
    }

    fn of(&self, v: usize) -> &[u32] {
        &self.other[self.start[v] as usize..self.start[v + 1] as usize]
    }
}

/// Moves vertices towards the middle of those around them, each by its weight.
pub(crate) fn smooth(vertex: &mut Vec<DVec3>, ring: &Ring, weight: &[f32], times: u32) {
    let mut before = vertex.clone();
    for _ in 0..times {
        std::mem::swap(&mut before, vertex);
        vertex.par_iter_mut().enumerate().for_each(|(v, x)| {
            let around = ring.of(v);
            let sum: DVec3 = around.iter().map(|w| before[*w as usize]).sum();
            let middle = if around.is_empty() { before[v] } else { sum / around.len() as f64 };
            *x = before[v].lerp(middle, f64::from(weight[v]));
        });
    }
}
