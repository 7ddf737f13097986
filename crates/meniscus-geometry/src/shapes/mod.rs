//! Built-in shapes as meshes.
//!
//! Each is a struct of sizes with a method `mesh`. All but [`PlanePatch`] and [`cloth`] are closed, in one piece, and face outward.
//! Round shapes have the y axis as theirs, flat ones lie in the xy plane; boats, bones, ducks and statues lie or look
//! along x with y up. Unless said otherwise, the origin is the middle of the shape.
//!
//! Curves are cut into chords with their ends on the curve, so a mesh is a little smaller than what it stands for; the
//! difference falls with the square of `segments`.

mod bone;
mod duck;
mod extrude;
mod field;
mod flat;
mod hull;
mod lathe;
mod named;
mod polygon;
mod polygonise;
mod refine;
mod remesh;
mod round;
mod statue;
mod surface;
#[cfg(test)]
mod tests;

pub use bone::Bone;
pub use duck::Duck;
pub use extrude::{Gear, PaddleWheel};
pub use flat::{BoxMesh, PlanePatch, cloth};
pub use hull::BoatHull;
pub use named::{NAMES, by_name};
pub use round::{Bowl, Capsule, Cone, Cup, CylinderMesh, HollowSphere, SphereMesh, Torus};
pub use statue::Statue;

use crate::GeometryError;
use crate::error::require_positive;

/// Chords of a full circle if nobody asks for another number `[1]`.
pub const SEGMENTS: u32 = 48;
/// The most chords of a full circle `[1]`.
const MAX_SEGMENTS: u32 = 2048;
/// The most triangles of a shape `[1]`.
const MAX_TRIANGLES: f64 = 4e6;

/// Refuses sizes that are not positive and finite, and chords that are too few or too many.
fn check(sizes: &[(&str, f64)], segments: u32) -> Result<(), GeometryError> {
    sizes.iter().try_for_each(|(name, value)| require_positive(name, *value))?;
    if (3..=MAX_SEGMENTS).contains(&segments) {
        return Ok(());
    }
    Err(invalid(format!("segments = {segments}"), "3 to 2048"))
}

/// Refuses one length that is not smaller than another.
fn require_smaller(small: (&str, f64), large: (&str, f64)) -> Result<(), GeometryError> {
    if small.1 < large.1 {
        return Ok(());
    }
    let what = format!("{} = {} m beside {} = {} m", small.0, small.1, large.0, large.1);
    Err(invalid(what, "the first must be the smaller one"))
}

/// A length to four digits, for limits that people read `[m]`.
#[must_use]
pub fn short(length: f64) -> f64 {
    format!("{length:.3e}").parse().unwrap_or(length)
}

/// Refuses shapes with more triangles than memory should be spent on, before they are made.
fn allow_triangles(count: f64) -> Result<(), GeometryError> {
    if count <= MAX_TRIANGLES {
        return Ok(());
    }
    Err(invalid(format!("a shape of about {count:.1e} triangles"), "at most 4e6; use fewer segments"))
}

fn invalid(what: String, allowed: &'static str) -> GeometryError {
    GeometryError::Invalid { what, allowed }
}
