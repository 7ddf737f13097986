//! Boxes and patches of a plane.

use std::collections::HashMap;

use glam::DVec3;

use super::{allow_triangles, check};
use crate::{GeometryError, TriangleMesh};

/// A box along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxMesh {
    /// The edge lengths `[m]`.
    pub size: DVec3,
    /// Into how many parts the longest edge is cut; the others into parts of about that length `[1]`.
    pub segments: u32,
}

/// A rectangle in the plane y = 0 that faces upward; it is not closed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanePatch {
    /// The edge lengths along x and z `[m]`.
    pub size: [f64; 2],
    /// Into how many parts the longer edge is cut `[1]`.
    pub segments: u32,
}

/// Into how many parts each length is cut if the longest has `segments`.
fn parts<const N: usize>(size: [f64; N], segments: u32) -> [u32; N] {
    let longest = size.into_iter().fold(0.0, f64::max);
    size.map(|s| (s / longest * f64::from(segments)).round().max(1.0) as u32)
}

impl BoxMesh {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size is not positive and finite, or if there would be too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let size = self.size;
        // One part is allowed here, unlike one chord of a circle.
        check(
            &[("box size x", size.x), ("box size y", size.y), ("box size z", size.z)],
            self.segments.max(3),
        )?;
        let n = parts(size.to_array(), self.segments.max(1));
        let [x, y, z] = n.map(f64::from);
        allow_triangles(4.0 * (x * y + y * z + z * x))?;
        let mut lattice = Lattice { size, parts: n, known: HashMap::new(), mesh: TriangleMesh::default() };
        for axis in 0..3 {
            lattice.face(axis, false);
            lattice.face(axis, true);
        }
        Ok(lattice.mesh)
    }
}

/// The points of a box, found by their numbers along the axes, so that faces share those of their edges.
struct Lattice {
    size: DVec3,
    parts: [u32; 3],
    known: HashMap<[u32; 3], u32>,
    mesh: TriangleMesh,
}

impl Lattice {
    fn face(&mut self, axis: usize, upper: bool) {
        // Seen from the positive end of the axis, u to v is counter-clockwise.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let level = if upper { self.parts[axis] } else { 0 };
        for i in 0..self.parts[u] {
            for j in 0..self.parts[v] {
                let mut at = |di: u32, dj: u32| {
                    let mut place = [level; 3];
                    (place[u], place[v]) = (i + di, j + dj);
                    self.vertex(place)
                };
                let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                let turn = |t: [u32; 3]| if upper { t } else { [t[0], t[2], t[1]] };
                // Diagonals alternate, so that no direction is preferred.
                let pair = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                self.mesh.triangle.extend(pair.map(turn));
            }
        }
    }

    fn vertex(&mut self, place: [u32; 3]) -> u32 {
        let Self { size, parts, known, mesh } = self;
        *known.entry(place).or_insert_with(|| {
            let share = |k: usize| f64::from(place[k]) / f64::from(parts[k]) - 0.5;
            mesh.vertex.push(DVec3::new(share(0), share(1), share(2)) * *size);
            mesh.vertex.len() as u32 - 1
        })
    }
}

impl PlanePatch {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size is not positive and finite, or if there would be too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let [x, z] = self.size;
        check(&[("plane size x", x), ("plane size z", z)], self.segments.max(3))?;
        let [m, n] = parts(self.size, self.segments.max(1));
        let share = |k: u32, of: u32| f64::from(k) / f64::from(of) - 0.5;
        let vertex = |k: u32| DVec3::new(x * share(k % (m + 1), m), 0.0, z * share(k / (m + 1), n));
        let quad = |k: u32| {
            let a = k / m * (m + 1) + k % m;
            let [b, c, d] = [a + 1, a + m + 2, a + m + 1];
            [[a, c, b], [a, d, c]]
        };
        Ok(TriangleMesh {
            vertex: (0..(m + 1) * (n + 1)).map(vertex).collect(),
            triangle: (0..m * n).flat_map(quad).collect(),
        })
    }
}

/// A cloth of squares of edge `edge` `[m]` in the plane z = 0, each cut in two; it is not closed. A vertex is at the
/// origin, and rows of `columns` squares follow each other along y.
#[must_use]
pub fn cloth(columns: u32, rows: u32, edge: f64) -> TriangleMesh {
    let across = columns + 1;
    let vertex = (0..across * (rows + 1))
        .map(|i| DVec3::new(f64::from(i % across), f64::from(i / across), 0.0) * edge)
        .collect();
    let square = |i: u32| {
        let a = i / columns * across + i % columns;
        [[a, a + 1, a + across], [a + across, a + 1, a + across + 1]]
    };
    TriangleMesh { vertex, triangle: (0..columns * rows).flat_map(square).collect() }
}
