//! Figures made from functions: a bone, a rubber duck and a statue.

use glam::DVec3;

use super::implicit::{block, ellipsoid, intersection, rod, surface, union};
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
fn scaled(mut mesh: TriangleMesh, length: f64, axis: usize) -> TriangleMesh {
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

/// A robed figure with a raised arm on a stepped plinth; it looks along x with y up. The origin is the middle of the
/// box around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statue {
    /// From the bottom of the plinth to the raised hand, along y `[m]`.
    pub height: f64,
    /// How many triangles, 500 to 20 000 `[1]`.
    pub triangles: u32,
}

impl Statue {
    /// Enough to tell arms and folds `[1]`.
    pub const TRIANGLES: u32 = 6000;

    /// Makes the mesh.
    ///
    /// # Errors
    /// If the height is not positive and finite, or the number of triangles out of its range.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        check(&[("statue height", self.height)], SEGMENTS)?;
        let bounds = Aabb { min: DVec3::new(-0.5, -0.1, -0.5), max: DVec3::new(0.5, 2.3, 0.5) };
        Ok(scaled(surface(&statue, bounds, self.triangles)?, self.height, 1))
    }
}

/// The statue in units of its own.
fn statue(x: DVec3) -> f64 {
    let plinth = union(
        block(x, DVec3::new(0.0, 0.08, 0.0), DVec3::new(0.36, 0.08, 0.36), 0.02),
        block(x, DVec3::new(0.0, 0.30, 0.0), DVec3::new(0.28, 0.20, 0.28), 0.02),
        0.02,
    );
    let cornice = block(x, DVec3::new(0.0, 0.50, 0.0), DVec3::new(0.32, 0.04, 0.32), 0.02);
    union(union(plinth, cornice, 0.02), union(robe(x), upper_body(x), 0.05), 0.03)
}

/// The robe, with folds that run down it.
fn robe(x: DVec3) -> f64 {
    let angle = x.z.atan2(x.x);
    let low = ((1.2 - x.y) / 0.6).clamp(0.0, 1.0);
    let folds = 0.010 * low * (9.0 * angle).sin();
    let skirt = rod(x, DVec3::new(0.0, 0.55, 0.0), DVec3::new(0.0, 1.18, 0.0), [0.225, 0.125]);
    let foot = ellipsoid(x, DVec3::new(0.19, 0.57, 0.07), DVec3::new(0.11, 0.05, 0.05));
    union(skirt - folds, foot, 0.03)
}

fn upper_body(x: DVec3) -> f64 {
    let at = DVec3::new;
    let chest = ellipsoid(x, at(0.0, 1.36, 0.0), at(0.125, 0.22, 0.165));
    let shoulders = rod(x, at(0.0, 1.49, -0.14), at(0.0, 1.50, 0.14), [0.075, 0.075]);
    let neck = rod(x, at(0.0, 1.50, 0.0), at(0.02, 1.66, 0.0), [0.06, 0.05]);
    let head = ellipsoid(x, at(0.03, 1.76, 0.0), at(0.100, 0.125, 0.088));
    let hair = ellipsoid(x, at(-0.035, 1.77, 0.0), at(0.085, 0.110, 0.092));
    let nose = ellipsoid(x, at(0.128, 1.75, 0.0), at(0.020, 0.030, 0.016));
    let face = union(union(head, hair, 0.02), nose, 0.015);
    let body = union(union(chest, shoulders, 0.08), union(neck, face, 0.03), 0.04);
    // The left arm is raised and holds a ball, the right one holds a book to the hip.
    let raised = union(
        rod(x, at(0.0, 1.50, 0.17), at(0.06, 1.72, 0.27), [0.062, 0.050]),
        rod(x, at(0.06, 1.72, 0.27), at(0.12, 2.00, 0.22), [0.050, 0.038]),
        0.02,
    );
    let ball = ellipsoid(x, at(0.13, 2.09, 0.22), DVec3::splat(0.085));
    let lowered = union(
        rod(x, at(0.0, 1.49, -0.17), at(-0.04, 1.22, -0.24), [0.060, 0.050]),
        rod(x, at(-0.04, 1.22, -0.24), at(0.16, 1.15, -0.17), [0.048, 0.036]),
        0.02,
    );
    let book = block(x, at(0.17, 1.16, -0.12), at(0.030, 0.090, 0.070), 0.012);
    let arms = union(raised, ball, 0.02).min(union(lowered, book, 0.02));
    union(body, arms, 0.04)
}
