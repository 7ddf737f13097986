//! A long bone.

use glam::DVec3;

use super::duck::scaled;
use super::field::{ellipsoid, rod, union};
use super::polygonise::surface;
use super::{SEGMENTS, check};
use crate::{Aabb, GeometryError, TriangleMesh};

/// A slightly bent bone along x with two knobs at each end. The origin is the middle of the box around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bone {
    /// From end to end, along x `[m]`.
    pub length: f64,
    /// How many triangles, 500 to 20 000 `[1]`.
    pub triangles: u32,
}

impl Bone {
    /// The number of triangles if nobody asks for another `[1]`.
    pub const TRIANGLES: u32 = 3000;

    /// Makes the mesh.
    ///
    /// # Errors
    /// If the length is not positive and finite, or the number of triangles out of its range.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        check(&[("bone length", self.length)], SEGMENTS)?;
        let bounds = Aabb { min: DVec3::new(-1.2, -0.35, -0.45), max: DVec3::new(1.2, 0.45, 0.45) };
        Ok(scaled(surface(&bone, bounds, self.triangles)?, self.length, 0))
    }
}

/// The bone in units of its own.
fn bone(x: DVec3) -> f64 {
    // Both ends and both sides are the same; the middle is bent upwards.
    let x = DVec3::new(x.x.abs(), x.y - 0.12 * (1.0 - x.x * x.x), x.z.abs());
    let at = DVec3::new;
    let shaft = rod(x, at(0.0, 0.0, 0.0), at(0.80, 0.0, 0.0), [0.11, 0.14]);
    let knob = ellipsoid(x, at(0.88, 0.0, 0.14), at(0.20, 0.19, 0.18));
    union(shaft, knob, 0.10)
}
