//! Points that are carried by tetrahedra.

use std::collections::HashMap;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::TetMesh;

/// A point tied to a tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Embedded {
    /// The tetrahedron.
    pub tetrahedron: u32,
    /// What its corners count for; their sum is 1, and one is negative for a point outside `[1]`.
    pub weight: [f64; 4],
}

/// Points of a finer surface, tied to the tetrahedra in or nearest to which they are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embedding {
    /// By point.
    pub point: Vec<Embedded>,
    /// How far outside of its tetrahedron a point may be at most, by the height over its faces `[m]`.
    pub farthest: f64,
}

impl Embedding {
    /// Ties points to the tetrahedra in which they are, or of which they are least outside.
    ///
    /// # Errors
    /// The first point that is farther than `reach` `[m]` from all tetrahedra, or not a number.
    pub fn of(mesh: &TetMesh, point: &[DVec3], reach: f64) -> Result<Self, DVec3> {
        let frame: Vec<Frame> = (0..mesh.tetrahedron.len()).map(|t| Frame::new(mesh.corners(t))).collect();
        let cells = Cells::new(mesh, reach);
        let found: Vec<Option<(Embedded, f64)>> = point
            .par_iter()
            .map(|&x| {
                let mut best: Option<(Embedded, f64)> = None;
                for &t in cells.near(x) {
                    let weight = frame[t as usize].weights(x);
                    let outside = frame[t as usize].outside(weight);
                    // Equally good ones by number: tetrahedra are listed in their order.
                    if outside <= reach && best.is_none_or(|(_, least)| outside < least) {
                        best = Some((Embedded { tetrahedron: t, weight }, outside));
                    }
                }
                best
            })
            .collect();
        let mut embedding = Self { point: Vec::with_capacity(point.len()), farthest: 0.0 };
        for (found, &x) in found.into_iter().zip(point) {
            let (embedded, outside) = found.ok_or(x)?;
            embedding.farthest = embedding.farthest.max(outside);
            embedding.point.push(embedded);
        }
        Ok(embedding)
    }

    /// Where the points are when the vertices of the mesh are at `vertex` `[m]`.
    pub fn follow(&self, mesh: &TetMesh, vertex: &[DVec3], point: &mut [DVec3]) {
        for (to, from) in point.iter_mut().zip(&self.point) {
            let corner = mesh.tetrahedron[from.tetrahedron as usize];
            *to = corner.iter().zip(from.weight).map(|(&v, w)| w * vertex[v as usize]).sum();
        }
    }
}

/// What turns a place into weights.
struct Frame {
    origin: DVec3,
    inverse: DMat3,
    /// The heights over the faces opposite of the corners `[m]`.
    height: [f64; 4],
}

impl Frame {
    fn new([a, b, c, d]: [DVec3; 4]) -> Self {
        let edges = DMat3::from_cols(b - a, c - a, d - a);
        let inverse = edges.inverse();
        // Rows of the inverse are gradients of weights: as long as one over the height.
        let gradient = inverse.transpose();
        let of_a = gradient.x_axis + gradient.y_axis + gradient.z_axis;
        let height = [of_a, gradient.x_axis, gradient.y_axis, gradient.z_axis].map(|g| 1.0 / g.length());
        Self { origin: a, inverse, height }
    }

    fn weights(&self, x: DVec3) -> [f64; 4] {
        let w = self.inverse * (x - self.origin);
        [1.0 - w.x - w.y - w.z, w.x, w.y, w.z]
    }

    /// How far outside of a face a place with these weights is, 0 inside `[m]`.
    fn outside(&self, weight: [f64; 4]) -> f64 {
        // A tetrahedron without volume has weights that are not numbers, and holds nothing.
        let far = |(w, h): (f64, f64)| if w.is_finite() { (-w * h).max(0.0) } else { f64::INFINITY };
        weight.into_iter().zip(self.height).map(far).fold(0.0, f64::max)
    }
}

/// The tetrahedra near each cell of a grid.
struct Cells {
    size: f64,
    list: HashMap<[i64; 3], Vec<u32>>,
}

impl Cells {
    fn new(mesh: &TetMesh, reach: f64) -> Self {
        let mut cells = Self { size: 2.0 * reach, list: HashMap::new() };
        for t in 0..mesh.tetrahedron.len() {
            let bounds = crate::Aabb::of_points(mesh.corners(t));
            let (low, high) = (cells.cell(bounds.min - reach), cells.cell(bounds.max + reach));
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        cells.list.entry([x, y, z]).or_default().push(t as u32);
                    }
                }
            }
        }
        cells
    }

    fn cell(&self, x: DVec3) -> [i64; 3] {
        (x / self.size).floor().to_array().map(|c| c as i64)
    }

    fn near(&self, x: DVec3) -> &[u32] {
        self.list.get(&self.cell(x)).map_or(&[], Vec::as_slice)
    }
}
