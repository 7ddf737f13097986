//! A figure on a plinth.

use glam::DVec3;

use super::duck::scaled;
use super::field::{block, ellipsoid, rod, union};
use super::polygonise::surface;
use super::{SEGMENTS, check};
use crate::{Aabb, GeometryError, TriangleMesh};

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
