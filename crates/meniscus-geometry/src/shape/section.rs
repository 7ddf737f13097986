//! Shapes in two dimensions: what the plane z = 0 sees of them.
//!
//! A planar scene's bodies turn about z only, so a section is again a simple shape with a planar pose. A box, and a
//! cylinder that stands on the plane, are taken as endless along z: their depth and their z coordinate do not
//! matter. A sphere and a lying cylinder are cut where they are. Poses that tilt a shape out of the plane are taken
//! as the nearest planar one; only a mesh is cut exactly in any pose.

use glam::{DQuat, DVec2, DVec3};

use crate::{MeshShape, OpenFaces, Pose, Shape, TriangleMesh};

/// The form of a section in the coordinates of its planar pose.
pub(crate) enum Flat<'a> {
    /// Edge lengths along local x and y `[m]`; the z faces of `open` count as missing.
    Rectangle { size: DVec2, open: OpenFaces },
    /// A disc `[m]`.
    Circle { radius: f64 },
    /// The half plane below local y = 0, of which `length` `[m]` along x is sampled.
    Line { length: f64 },
    /// A mesh, cut on demand.
    Mesh(&'a MeshShape),
    /// The shape does not meet the plane.
    Nothing,
}

/// A shape's section with the plane z = 0.
pub(crate) struct Section<'a> {
    pub flat: Flat<'a>,
    /// Turns about z and keeps z = 0, except for a mesh, whose pose is the given one.
    pub pose: Pose,
}

impl<'a> Section<'a> {
    pub(crate) fn of(shape: &'a Shape, pose: &Pose) -> Self {
        let (flat, angle) = match shape {
            Shape::Box { size, open } => rectangle(*size, *open, pose.rotation),
            Shape::Sphere { radius } => (circle(chord(*radius, pose.translation.z)), 0.0),
            Shape::Cylinder { radius, height } => cylinder(*radius, *height, pose),
            Shape::Plane { size } => line(*size, pose.rotation),
            Shape::Mesh(mesh) => return Self { flat: Flat::Mesh(mesh), pose: *pose },
        };
        let translation = pose.translation.truncate().extend(0.0);
        Self { flat, pose: Pose { translation, rotation: DQuat::from_rotation_z(angle) } }
    }
}

/// Half the width of a round body of this radius at the height `z` from its centre; not positive where it ends.
fn chord(radius: f64, z: f64) -> f64 {
    (radius * radius - z * z).max(0.0).sqrt()
}

fn circle(radius: f64) -> Flat<'static> {
    if radius > 0.0 { Flat::Circle { radius } } else { Flat::Nothing }
}

/// The angle of a direction about z.
fn angle_of(direction: DVec3) -> f64 {
    direction.y.atan2(direction.x)
}

/// The box seen along its local axis nearest to z.
fn rectangle(size: DVec3, open: OpenFaces, rotation: DQuat) -> (Flat<'static>, f64) {
    let axes = DVec3::AXES.map(|a| rotation * a);
    // z first, so that an exact tie keeps the box upright.
    let along = (0..3).fold(2, |best, a| if axes[a].z.abs() > axes[best].z.abs() { a } else { best });
    let (u, v) = ((along + 1) % 3, (along + 2) % 3);
    // Seen from below, the second axis points the other way.
    let mirrored = axes[along].z < 0.0;
    let open = OpenFaces::new([
        open.is_open(u, false),
        open.is_open(u, true),
        open.is_open(v, mirrored),
        open.is_open(v, !mirrored),
        true,
        true,
    ]);
    (Flat::Rectangle { size: DVec2::new(size[u], size[v]), open }, angle_of(axes[u]))
}

/// A disc if the cylinder stands on the plane, else the rectangle of its length and chord.
fn cylinder(radius: f64, height: f64, pose: &Pose) -> (Flat<'static>, f64) {
    let axis = pose.rotation * DVec3::Y;
    if axis.z.abs() > std::f64::consts::FRAC_1_SQRT_2 {
        return (circle(radius), 0.0);
    }
    let width = 2.0 * chord(radius, pose.translation.z);
    if width > 0.0 {
        let open = OpenFaces::new([false, false, false, false, true, true]);
        (Flat::Rectangle { size: DVec2::new(height, width), open }, angle_of(axis))
    } else {
        (Flat::Nothing, 0.0)
    }
}

/// The line where the plane meets z = 0, as long as the patch is in the nearer of its two directions.
fn line(size: [f64; 2], rotation: DQuat) -> (Flat<'static>, f64) {
    let normal = rotation * DVec3::Y;
    if normal.truncate().length() < 1e-9 {
        return (Flat::Nothing, 0.0);
    }
    let (x, z) = (rotation * DVec3::X, rotation * DVec3::Z);
    let length = if x.z.abs() <= z.z.abs() { size[0] } else { size[1] };
    (Flat::Line { length }, angle_of(normal) - std::f64::consts::FRAC_PI_2)
}

/// The segments where a posed mesh meets the plane z = 0; in the scene's coordinates, z = 0 exactly.
pub(crate) fn cut(mesh: &TriangleMesh, pose: &Pose) -> Vec<[DVec3; 2]> {
    let mut segments = Vec::new();
    for triangle in mesh.corners() {
        let [a, b, c] = triangle.map(|v| pose.to_world(v));
        // Zero counts as above: a triangle then has no crossing or two, and an edge in the plane belongs to the
        // triangle below it.
        let crossing = |p: DVec3, q: DVec3| {
            // From below to above for both triangles at an edge, so that they agree on the point to the last bit.
            let (p, q) = if p.z < 0.0 { (p, q) } else { (q, p) };
            (p.z < 0.0 && q.z >= 0.0).then(|| p.lerp(q, p.z / (p.z - q.z)).with_z(0.0))
        };
        let mut crossings = [crossing(a, b), crossing(b, c), crossing(c, a)].into_iter().flatten();
        if let (Some(p), Some(q)) = (crossings.next(), crossings.next())
            && p != q
        {
            segments.push([p, q]);
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use crate::test_mesh::cube;

    fn size_and_open(rotation: DQuat, open: OpenFaces) -> (DVec2, OpenFaces, f64) {
        let shape = Shape::Box { size: DVec3::new(1.0, 2.0, 3.0), open };
        match rectangle(DVec3::new(1.0, 2.0, 3.0), open, rotation) {
            (Flat::Rectangle { size, open }, angle) => (size, open, angle),
            _ => panic!("{shape:?} must be a rectangle"),
        }
    }

    #[test]
    fn a_box_is_seen_along_the_axis_nearest_to_z() {
        let (size, _, angle) = size_and_open(DQuat::from_rotation_z(0.3), OpenFaces::NONE);
        assert_eq!(size, DVec2::new(1.0, 2.0));
        assert!((angle - 0.3).abs() < 1e-12);
        // Turned about x: local y is seen along z, so z and x span the rectangle.
        let (size, ..) = size_and_open(DQuat::from_rotation_x(FRAC_PI_2), OpenFaces::NONE);
        assert_eq!(size, DVec2::new(3.0, 1.0));
    }

    #[test]
    fn open_faces_stay_where_the_rotation_puts_them() {
        // The open +y face of a box turned over about x points to −y, and x stays.
        let open_top = OpenFaces::new([false, false, false, true, false, false]);
        let (_, open, angle) = size_and_open(DQuat::from_rotation_x(std::f64::consts::PI), open_top);
        assert!(angle.abs() < 1e-12);
        assert!(open.is_open(1, false) && !open.is_open(1, true));
    }

    #[test]
    fn a_lying_cylinder_is_a_rectangle_and_a_standing_one_a_circle() {
        let standing =
            Pose { rotation: DQuat::from_rotation_x(FRAC_PI_2), ..Pose::at(DVec3::new(0.0, 0.0, 9.0)) };
        assert!(
            matches!(cylinder(1.0, 2.0, &standing).0, Flat::Circle { radius } if (radius - 1.0).abs() < 1e-15)
        );
        let lying = Pose::at(DVec3::new(0.0, 0.0, 0.6));
        let (Flat::Rectangle { size, .. }, angle) = cylinder(1.0, 5.0, &lying) else { panic!() };
        assert!(size.abs_diff_eq(DVec2::new(5.0, 1.6), 1e-12) && (angle - FRAC_PI_2).abs() < 1e-12);
        assert!(matches!(cylinder(1.0, 5.0, &Pose::at(DVec3::Z)).0, Flat::Nothing));
    }

    #[test]
    fn sections_meet_and_lie_in_the_plane() {
        for z in [0.0, 0.3, -0.5, 0.5] {
            let segments = cut(&cube(1.0), &Pose::at(DVec3::new(0.0, 0.0, z)));
            let length: f64 = segments.iter().map(|[a, b]| a.distance(*b)).sum();
            // At +0.5 the bottom lies in the plane and has nothing below; at -0.5 the top has.
            let expected = if z > 0.4 { 0.0 } else { 4.0 };
            assert!((length - expected).abs() < 1e-12, "{z} {length}");
            assert!(segments.iter().flatten().all(|p| p.z == 0.0));
        }
    }
}
