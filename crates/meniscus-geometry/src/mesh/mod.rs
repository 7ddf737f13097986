//! Triangle meshes: reading, repair and report.
//!
//! In reading order: [`TriangleMesh`] is a mesh as a file gives it, which `read` fetches from OBJ, STL (`stl`), PLY (`ply`) and
//! glTF files (`gltf`); `text` has the words of those that are text. `clean` checks it, merges vertices and lists
//! its edges, `orient` turns its triangles outward, [`MeshReport`] says what was mended and what is wrong. [`MeshShape`] is the
//! mesh that has gone through all of this and can be asked for distances.

mod clean;
mod gltf;
mod mesh_shape;
mod obj;
mod orient;
mod ply;
mod read;
mod report;
#[cfg(test)]
mod report_tests;
mod stl;
mod text;

use glam::DVec3;

pub use mesh_shape::{MAX_COORDINATE, MeshShape};
pub use report::{ComponentReport, MeshReport, Turn};

use crate::Aabb;

/// A bare triangle mesh, as a file gives it: nothing about it is checked.
/// [`MeshShape`] is the checked one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions `[m]`.
    pub vertex: Vec<DVec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangle: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// The corners of every triangle `[m]`; triangles with indices out of range are left out.
    pub fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangle.iter().filter_map(|t| {
            let corner = |k: usize| self.vertex.get(t[k] as usize).copied();
            Some([corner(0)?, corner(1)?, corner(2)?])
        })
    }

    /// The smallest box around all vertices, [`Aabb::EMPTY`] if there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.vertex.iter().copied())
    }

    /// The enclosed volume `[m^3]`, negative if the triangles are turned inside out; meaningless with holes.
    #[must_use]
    pub fn volume(&self) -> f64 {
        // Relative to a vertex, so that a small mesh far from the origin keeps its digits.
        let origin = self.vertex.first().copied().unwrap_or_default();
        self.corners().map(|[a, b, c]| (a - origin).dot((b - origin).cross(c - origin)) / 6.0).sum()
    }

    /// Multiplies all coordinates, axis by axis; a mirroring factor also turns the triangles, so that outside stays
    /// outside.
    pub fn scale(&mut self, factor: DVec3) {
        self.vertex.iter_mut().for_each(|v| *v *= factor);
        if factor.element_product() < 0.0 {
            self.flip();
        }
    }

    /// Moves all vertices `[m]`.
    pub fn translate(&mut self, by: DVec3) {
        self.vertex.iter_mut().for_each(|v| *v += by);
    }

    /// Turns every triangle over: inside becomes outside.
    pub fn flip(&mut self) {
        self.triangle.iter_mut().for_each(|t| t.swap(1, 2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh;

    #[test]
    fn volume_is_signed_and_survives_distance_and_mirrors() {
        let mut cube = test_mesh::cube(2.0);
        cube.translate(DVec3::splat(1e5));
        assert!((cube.volume() - 8.0).abs() < 1e-6);
        cube.scale(DVec3::new(-1.0, 1.0, 0.5));
        assert!((cube.volume() - 4.0).abs() < 1e-6);
        cube.flip();
        assert!((cube.volume() + 4.0).abs() < 1e-6);
        assert!(cube.bounds().size().abs_diff_eq(DVec3::new(2.0, 2.0, 1.0), 1e-9));
    }

    #[test]
    fn indices_out_of_range_are_not_followed() {
        let mesh = TriangleMesh { vertex: vec![DVec3::ZERO], triangle: vec![[0, 1, u32::MAX]] };
        assert_eq!(mesh.corners().count(), 0);
        assert!(mesh.volume().abs() < f64::EPSILON);
    }
}
