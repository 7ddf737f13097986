//! Planar bodies: the section of a shape with the plane z = 0.

use glam::{DMat3, DVec3};

use super::moments::Moments;
use super::{MassProperties, endless, nothing, require_finite};
use crate::section::{Flat, Section};
use crate::{GeometryError, MeshShape, Pose, Shape};

pub(super) fn section(shape: &Shape, pose: &Pose, density: f64) -> Result<MassProperties, GeometryError> {
    let section = Section::of(shape, pose);
    let (extent, local) = match section.flat {
        Flat::Rectangle { size, .. } => {
            let squares = size * size / 12.0;
            (size.element_product(), DVec3::new(squares.y, squares.x, squares.element_sum()))
        }
        Flat::Circle { radius } => {
            let square = radius * radius / 4.0;
            (4.0 * std::f64::consts::PI * square, DVec3::new(square, square, 2.0 * square))
        }
        Flat::Mesh(mesh) => return polygon(mesh, &section.pose, density),
        Flat::Line { .. } => return Err(endless()),
        Flat::Nothing => return Err(nothing("a shape that does not meet the plane z = 0")),
    };
    let turn = DMat3::from_quat(section.pose.rotation);
    let inertia = turn * DMat3::from_diagonal(local * (extent * density)) * turn.transpose();
    Ok(MassProperties::new(extent, density, section.pose.translation, inertia))
}

/// An area is none below this part of the diameter squared `[1]`.
const FLAT: f64 = 1e-13;

/// Where a mesh is cut, as the triangles between the sides of the section and a point; those that are seen from
/// outside count negative.
fn polygon(mesh: &MeshShape, pose: &Pose, density: f64) -> Result<MassProperties, GeometryError> {
    mesh.require_closed()?;
    let sides: Vec<[DVec3; 2]> =
        mesh.mesh().corners().filter_map(|triangle| side(triangle.map(|v| pose.to_world(v)))).collect();
    let bounds = crate::Aabb::of_points(sides.iter().flatten().copied());
    let moments = |origin: DVec3| {
        let mut moments = Moments::default();
        for [a, b] in sides.iter().map(|side| side.map(|v| v - origin)) {
            moments.add([DVec3::ZERO, a, b], 0.5 * a.truncate().perp_dot(b.truncate()));
        }
        moments
    };
    if sides.is_empty() {
        return Err(nothing("a shape that does not meet the plane z = 0"));
    }
    let middle = bounds.centre();
    let about_middle = moments(middle);
    if about_middle.extent() <= FLAT * bounds.size().length_squared() {
        return Err(nothing("a section without area"));
    }
    let origin = middle + about_middle.centre();
    require_finite(moments(origin).body(origin, density))
}

/// Where a triangle crosses z = 0, with the inside of the mesh on the left. Seen from outside its corners are
/// counter-clockwise, so it comes down on the left and goes up on the right.
fn side(triangle: [DVec3; 3]) -> Option<[DVec3; 2]> {
    let [a, b, c] = triangle;
    let crossing = |p: DVec3, q: DVec3| p.lerp(q, p.z / (p.z - q.z)).with_z(0.0);
    // Zero counts as above. From below to above for both triangles at an edge, so that they agree on the point.
    let edges = [[a, b], [b, c], [c, a]];
    let up = edges.iter().find(|[p, q]| p.z < 0.0 && q.z >= 0.0).map(|[p, q]| crossing(*p, *q))?;
    let down = edges.iter().find(|[p, q]| p.z >= 0.0 && q.z < 0.0).map(|[p, q]| crossing(*q, *p))?;
    Some([down, up])
}
