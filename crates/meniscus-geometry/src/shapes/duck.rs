//! A rubber duck.

use glam::DVec3;

use super::field::{ellipsoid, intersection, rod, union};
use super::polygonise::surface;
use super::{SEGMENTS, check};
use crate::{Aabb, GeometryError, TriangleMesh};

/// A rubber duck that looks along x with y up: body, tail, wings, head and beak. The origin is the middle of the box
/// around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duck {
    /// From tail to beak, along x `[m]`.
    pub length: f64,
    /// How many triangles, 500 to 20 000 `[1]`.
    pub triangles: u32,
}

impl Duck {
    /// The number of triangles of the duck in published tests of this kind `[1]`.
    pub const TRIANGLES: u32 = 2160;

    /// Makes the mesh.
    ///
    /// # Errors
    /// If the length is not positive and finite, or the number of triangles out of its range.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        check(&[("duck length", self.length)], SEGMENTS)?;
        let bounds = Aabb { min: DVec3::new(-0.9, -0.5, -0.6), max: DVec3::new(0.95, 1.05, 0.6) };
        Ok(scaled(surface(&duck, bounds, self.triangles)?, self.length, 0))
    }
}

/// Scales a mesh so that it has this length along an axis, about the middle of the box around it.
pub(super) fn scaled(mut mesh: TriangleMesh, length: f64, axis: usize) -> TriangleMesh {
    let bounds = mesh.bounds();
    mesh.translate(-bounds.centre());
    mesh.scale(DVec3::splat(length / bounds.size()[axis]));
    mesh
}

/// The duck in units of its own.
fn duck(x: DVec3) -> f64 {
    // Left and right are the same.
    let x = DVec3::new(x.x, x.y, x.z.abs());
    let at = DVec3::new;
    let body = ellipsoid(x, at(-0.05, 0.0, 0.0), at(0.56, 0.34, 0.40));
    let tail = rod(x, at(-0.36, 0.08, 0.0), at(-0.68, 0.30, 0.0), [0.20, 0.035]);
    let chest = ellipsoid(x, at(0.18, 0.10, 0.0), at(0.30, 0.30, 0.30));
    let wing = ellipsoid(x, at(-0.12, 0.07, 0.37), at(0.27, 0.15, 0.10));
    let tip = rod(x, at(-0.16, 0.10, 0.38), at(-0.42, 0.20, 0.37), [0.09, 0.035]);
    let mut d = union(union(body, tail, 0.16), chest, 0.12);
    d = union(d, union(wing, tip, 0.12), 0.04);
    // It stands on a flat bottom.
    d = intersection(d, -0.27 - x.y, 0.10);
    let head = ellipsoid(x, at(0.30, 0.58, 0.0), at(0.275, 0.27, 0.265));
    d = union(d, head, 0.10);
    let upper = ellipsoid(x, at(0.585, 0.555, 0.0), at(0.175, 0.060, 0.150));
    let lower = ellipsoid(x, at(0.545, 0.475, 0.0), at(0.135, 0.050, 0.110));
    d = union(union(d, upper, 0.05), lower, 0.05);
    union(d, ellipsoid(x, at(0.450, 0.670, 0.160), DVec3::splat(0.062)), 0.012)
}
