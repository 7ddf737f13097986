//! Built-in shapes as meshes.
//!
//! Each is a struct of sizes with a method `mesh`. All but [`PlanePatch`] and [`cloth`] are closed, in one piece, and face outward.
//! Round shapes have the y axis as theirs, flat ones lie in the xy plane; boats, bones, ducks and statues lie or look
//! along x with y up. Unless said otherwise, the origin is the middle of the shape.
//!
//! Curves are cut into chords with their ends on the curve, so a mesh is a little smaller than what it stands for; the
//! difference falls with the square of `segments`.

mod extrude;
mod figures;
mod flat;
mod hull;
mod implicit;
mod lathe;
mod refine;
mod remesh;
mod round;
#[cfg(test)]
mod tests;

pub use extrude::{Gear, PaddleWheel};
pub use figures::{Bone, Duck, Statue};
pub use flat::{BoxMesh, PlanePatch, cloth};
pub use hull::BoatHull;
pub use round::{Bowl, Capsule, Cone, Cup, CylinderMesh, HollowSphere, SphereMesh, Torus};

use glam::DVec3;

use crate::error::require_positive;
use crate::{GeometryError, TriangleMesh};

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

/// The names of the built-in shapes, as scenes write them.
pub const NAMES: [&str; 16] = [
    "box",
    "sphere",
    "cylinder",
    "plane",
    "capsule",
    "cone",
    "torus",
    "bowl",
    "cup",
    "hollow-sphere",
    "boat",
    "paddle-wheel",
    "gear",
    "bone",
    "duck",
    "statue",
];

/// A built-in shape in the sizes that the examples of the scene format have, some decimetres; nothing if no shape has
/// this name. [`NAMES`] lists them.
#[must_use]
pub fn by_name(name: &str) -> Option<Result<TriangleMesh, GeometryError>> {
    Some(match name {
        "box" => BoxMesh { size: DVec3::new(1.0, 0.5, 0.5), segments: 10 }.mesh(),
        "plane" => PlanePatch { size: [2.0, 2.0], segments: 10 }.mesh(),
        "boat" => {
            BoatHull { length: 1.5, beam: 0.6, height: 0.3, thickness: 0.03, segments: BoatHull::SEGMENTS }
                .mesh()
        }
        "paddle-wheel" => {
            PaddleWheel { radius: 0.3, hub: 0.1, thickness: 0.02, width: 0.2, paddles: PaddleWheel::PADDLES }
                .mesh()
        }
        "gear" => Gear { radius: 0.3, tooth_depth: 0.06, width: 0.1, teeth: Gear::TEETH, bore: None }.mesh(),
        "bone" => Bone { length: 0.3, triangles: Bone::TRIANGLES }.mesh(),
        "duck" => Duck { length: 0.3, triangles: Duck::TRIANGLES }.mesh(),
        "statue" => Statue { height: 1.0, triangles: Statue::TRIANGLES }.mesh(),
        _ => return turned(name, SEGMENTS),
    })
}

/// The shapes with an axis that curves go around.
fn turned(name: &str, segments: u32) -> Option<Result<TriangleMesh, GeometryError>> {
    Some(match name {
        "sphere" => SphereMesh { radius: 0.1, segments }.mesh(),
        "cylinder" => CylinderMesh { radius: 0.1, height: 0.5, segments }.mesh(),
        "capsule" => Capsule { radius: 0.1, height: 0.5, segments }.mesh(),
        "cone" => Cone { radius: 0.1, height: 0.3, segments }.mesh(),
        "torus" => Torus { radius: 0.2, tube: 0.05, segments }.mesh(),
        "bowl" => Bowl { radius: 0.2, thickness: 0.02, segments }.mesh(),
        "hollow-sphere" => HollowSphere { radius: 0.2, thickness: 0.02, segments }.mesh(),
        "cup" => Cup { radius: 0.1, height: 0.2, thickness: 0.01, segments }.mesh(),
        _ => return None,
    })
}
