//! Bodies as functions, negative inside and roughly a distance near the surface, and their surface by marching tetrahedra.
//!
//! Every cube of a lattice is cut into six tetrahedra around its diagonal, the same way everywhere, so that neighbours
//! agree on the faces between them. Within a tetrahedron the surface is one triangle or two; there are no ambiguous
//! cases, and the result is closed and manifold whatever the function is.

use std::collections::HashMap;

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::{allow_triangles, invalid, remesh};
use crate::{Aabb, GeometryError, TriangleMesh};

/// The fewest and most triangles of a body made from a function `[1]`.
const ALLOWED: std::ops::RangeInclusive<u32> = 500..=20_000;
/// The six ways along the edges of a cube from its lowest to its highest corner, as axes.
const PATHS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// A ball stretched along the axes.
pub(super) fn ellipsoid(x: DVec3, centre: DVec3, radii: DVec3) -> f64 {
    let p = x - centre;
    let (near, steep) = ((p / radii).length(), (p / (radii * radii)).length());
    // Along a ray from the centre `near` grows linearly to 1 on the surface; its slope there makes it a distance.
    if steep > 0.0 { near * (near - 1.0) / steep } else { -radii.min_element() }
}

/// A rod with round ends whose radius changes from one end to the other.
pub(super) fn rod(x: DVec3, a: DVec3, b: DVec3, radius: [f64; 2]) -> f64 {
    let (along, length) = (b - a, a.distance(b));
    let axial = (x - a).dot(along) / length;
    let radial = (x - a - along * (axial / length)).length();
    // The nearest of all balls along the rod is not beside the point but a little towards the thick end, for the side
    // leans by this sine. Without that, balls at thin ends would show as knobs.
    let sin = ((radius[0] - radius[1]) / length).clamp(-0.95, 0.95);
    let t = ((axial - radial * sin / (1.0 - sin * sin).sqrt()) / length).clamp(0.0, 1.0);
    x.distance(a + along * t) - (radius[0] + (radius[1] - radius[0]) * t)
}

/// A box with rounded edges.
pub(super) fn block(x: DVec3, centre: DVec3, half: DVec3, round: f64) -> f64 {
    let q = (x - centre).abs() - (half - round);
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - round
}

/// Both together, with a fillet of about this width.
pub(super) fn union(a: f64, b: f64, fillet: f64) -> f64 {
    let h = (fillet - (a - b).abs()).max(0.0) / fillet;
    a.min(b) - 0.25 * fillet * h * h
}

/// What both share, with a rounded edge of about this width.
pub(super) fn intersection(a: f64, b: f64, fillet: f64) -> f64 {
    -union(-a, -b, fillet)
}

/// Moves a point onto the surface of a body near which it is, along the gradient.
fn project(field: &impl Fn(DVec3) -> f64, mut x: DVec3, step: f64) -> DVec3 {
    let h = 1e-5;
    for _ in 0..4 {
        let slope = |axis: DVec3| (field(x + h * axis) - field(x - h * axis)) / (2.0 * h);
        let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
        let square = gradient.length_squared();
        if square < 1e-6 {
            break;
        }
        // Where the function is far from a distance, a step must not leave the neighbourhood.
        x -= (gradient * (field(x) / square)).clamp_length_max(step);
    }
    x
}

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
    let on_surface = |x: DVec3| project(function, x, edge);
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
