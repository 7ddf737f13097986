//! The surface of a function as triangles: marching tetrahedra.
//!
//! Every cube of a lattice is cut into six tetrahedra around its diagonal, the same way everywhere, so that neighbours
//! agree on the faces between them. Within a tetrahedron the surface is one triangle or two; there are no ambiguous
//! cases, and the result is closed and manifold whatever the function is.

use std::collections::HashMap;

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::remesh;
use super::{allow_triangles, field, invalid};
use crate::{Aabb, GeometryError, TriangleMesh};

/// The fewest and most triangles of a body made from a function `[1]`.
const ALLOWED: std::ops::RangeInclusive<u32> = 500..=20_000;

/// The six ways along the edges of a cube from its lowest to its highest corner, as axes.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The surface of a function within a box, with this many triangles of about the same size. The function must be
/// positive on the box.
pub(super) fn surface(
    function: &(impl Fn(DVec3) -> f64 + Sync),
    bounds: Aabb,
    triangles: u32,
) -> Result<TriangleMesh, GeometryError> {
    if !ALLOWED.contains(&triangles) {
        return Err(invalid(format!("triangles = {triangles}"), "500 to 20000"));
    }
    // A coarse surface tells how fine a lattice it takes to have four times the triangles, which are then joined.
    let coarse = polygonise(function, bounds, 24);
    let count = coarse.triangle.len().max(1) as f64;
    let cells = 24.0 * (4.0 * f64::from(triangles) / count).sqrt();
    allow_triangles(count * (cells / 24.0).powi(2))?;
    let fine = polygonise(function, bounds, cells.round().clamp(24.0, 400.0) as u32);
    let edge = bounds.size().max_element() / cells;
    let on_surface = |x: DVec3| field::project(function, x, edge);
    Ok(remesh::to_count(fine, triangles as usize, &on_surface))
}

/// Marching tetrahedra with `cells` cubes along the longest side of the box.
fn polygonise(function: &(impl Fn(DVec3) -> f64 + Sync), bounds: Aabb, cells: u32) -> TriangleMesh {
    let edge = bounds.size().max_element() / f64::from(cells);
    let count = (bounds.size() / edge).ceil().as_uvec3() + UVec3::ONE;
    let place = |n: u32| {
        let p = UVec3::new(n % count.x, n / count.x % count.y, n / (count.x * count.y));
        bounds.min + p.as_dvec3() * edge
    };
    let points = count.x * count.y * count.z;
    let value: Vec<f64> = (0..points).into_par_iter().map(|n| function(place(n))).collect();
    let stride = [1, count.x, count.x * count.y];
    let mut surface =
        Surface { value: &value, place: &place, known: HashMap::new(), mesh: TriangleMesh::default() };
    for z in 0..count.z - 1 {
        for y in 0..count.y - 1 {
            for x in 0..count.x - 1 {
                let corner = x + y * stride[1] + z * stride[2];
                for path in PATHS {
                    let a = corner + stride[path[0]];
                    let b = a + stride[path[1]];
                    // Right-handed for the first three paths, left-handed for the others.
                    let right = path[1] == (path[0] + 1) % 3;
                    let (a, b) = if right { (a, b) } else { (b, a) };
                    surface.tetrahedron([corner, a, b, corner + stride[0] + stride[1] + stride[2]]);
                }
            }
        }
    }
    surface.mesh
}

struct Surface<'a, P: Fn(u32) -> DVec3> {
    value: &'a [f64],
    place: &'a P,
    /// Vertices by the lattice edges they lie on.
    known: HashMap<[u32; 2], u32>,
    mesh: TriangleMesh,
}

impl<P: Fn(u32) -> DVec3> Surface<'_, P> {
    /// Adds the surface within a tetrahedron: seen from its first corner, the others are clockwise.
    fn tetrahedron(&mut self, corner: [u32; 4]) {
        let inside = corner.map(|c| self.value[c as usize] < 0.0);
        let count = inside.iter().filter(|i| **i).count();
        if count == 0 || count == 4 {
            return;
        }
        // Turned so that the corners inside come first; even permutations only, so that its sense stays.
        let order = EVEN.into_iter().find(|o| (0..4).all(|k| inside[o[k]] == (k < count)));
        let Some([a, b, c, d]) = order.map(|o| o.map(|k| corner[k])) else { return };
        match count {
            1 => {
                let t = [[a, b], [a, c], [a, d]].map(|e| self.vertex(e));
                self.mesh.triangle.push(t);
            }
            2 => {
                let [p, q, r, s] = [[a, c], [a, d], [b, d], [b, c]].map(|e| self.vertex(e));
                self.mesh.triangle.extend([[p, q, r], [p, r, s]]);
            }
            _ => {
                let t = [[d, a], [d, b], [d, c]].map(|e| self.vertex(e));
                self.mesh.triangle.push(t);
            }
        }
    }

    /// The vertex on an edge of the lattice.
    fn vertex(&mut self, [a, b]: [u32; 2]) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        let Self { value, place, known, mesh } = self;
        *known.entry([a, b]).or_insert_with(|| {
            let (u, v) = (value[a as usize], value[b as usize]);
            // Not too near to the ends, where several vertices would fall together.
            let t = (u / (u - v)).clamp(0.1, 0.9);
            mesh.vertex.push(place(a).lerp(place(b), t));
            mesh.vertex.len() as u32 - 1
        })
    }
}

/// The even permutations of four things.
const EVEN: [[usize; 4]; 12] = [
    [0, 1, 2, 3],
    [0, 2, 3, 1],
    [0, 3, 1, 2],
    [1, 0, 3, 2],
    [1, 2, 0, 3],
    [1, 3, 2, 0],
    [2, 0, 1, 3],
    [2, 1, 3, 0],
    [2, 3, 0, 1],
    [3, 0, 2, 1],
    [3, 1, 0, 2],
    [3, 2, 1, 0],
];
