//! Meshes: the volume inside, or the surface itself.

use glam::DVec3;

use super::moments::Moments;
use super::{MassProperties, nothing, require_finite};
use crate::{GeometryError, TriangleMesh};

/// A volume is none below this part of surface times diameter `[1]`: rounding makes as much of a flat mesh.
const FLAT: f64 = 1e-13;

/// The inside of a closed mesh, as the tetrahedra between its triangles and a point; those that look at the point
/// from behind count negative.
pub(super) fn solid(mesh: &TriangleMesh, density: f64) -> Result<MassProperties, GeometryError> {
    let moments = |origin: DVec3| {
        let mut moments = Moments::default();
        for triangle in mesh.corners() {
            let [a, b, c] = triangle.map(|v| v - origin);
            moments.add([DVec3::ZERO, a, b, c], a.dot(b.cross(c)) / 6.0);
        }
        moments
    };
    let bounds = mesh.bounds();
    let about_middle = moments(bounds.centre());
    let area: f64 = mesh.corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
    if about_middle.extent() <= FLAT * area * bounds.size().length() {
        return Err(nothing("a mesh without volume"));
    }
    // Once more about the centre of mass: what is small there is not the difference of large numbers.
    let origin = bounds.centre() + about_middle.centre();
    require_finite(moments(origin).body(origin, density))
}

/// The triangles of a mesh, as if they were cut from a sheet.
pub(super) fn shell(mesh: &TriangleMesh, density: f64) -> Result<MassProperties, GeometryError> {
    let moments = |origin: DVec3| {
        let mut moments = Moments::default();
        for triangle in mesh.corners() {
            let [a, b, c] = triangle.map(|v| v - origin);
            moments.add([a, b, c], 0.5 * (b - a).cross(c - a).length());
        }
        moments
    };
    let middle = mesh.bounds().centre();
    let about_middle = moments(middle);
    if !(about_middle.extent() > 0.0 && about_middle.extent().is_finite()) {
        return Err(GeometryError::Invalid {
            what: "the mass of a shell without area".to_owned(),
            allowed: "a mesh with at least one triangle that is not degenerate",
        });
    }
    let origin = middle + about_middle.centre();
    require_finite(moments(origin).body(origin, density))
}
