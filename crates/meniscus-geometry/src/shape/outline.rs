//! Wireframes for preview pictures.

use std::collections::HashMap;
use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use meniscus_core::Dimension;

use crate::shape::section::cut;
use crate::shape::section::{Flat, Section};
use crate::{OpenFaces, Pose, Shape, Solid, TriangleMesh};

/// Segments of a drawn circle.
const CIRCLE_SEGMENTS: usize = 32;
/// The most segments a mesh is drawn with.
const MAX_SEGMENTS: usize = 4000;
/// Edges are drawn where the surface bends by more than this: cos 30° `[1]`.
const FEATURE_COSINE: f64 = 0.866;

impl Solid {
    /// A few line segments `[m]` that show the shape: the edges of a box, circles, the rectangle of a plane's
    /// patch, the sharp edges of a mesh; in two dimensions the outline of the section with z = 0. Nothing if the
    /// sizes or the pose make no sense.
    #[must_use]
    pub fn outline(&self, dimension: Dimension) -> Vec<[DVec3; 2]> {
        if self.shape.check().is_err() || crate::pose::check(&self.pose).is_err() {
            return Vec::new();
        }
        match dimension {
            Dimension::Three => placed(in_space(&self.shape), &self.pose),
            Dimension::Two => in_plane(&Section::of(&self.shape, &self.pose)),
        }
    }
}

fn placed(mut segments: Vec<[DVec3; 2]>, pose: &Pose) -> Vec<[DVec3; 2]> {
    segments.iter_mut().flatten().for_each(|p| *p = pose.to_world(*p));
    segments
}

fn in_space(shape: &Shape) -> Vec<[DVec3; 2]> {
    match shape {
        Shape::Box { size, open } => box_edges(*size, *open),
        Shape::Sphere { radius } => [[DVec3::X, DVec3::Y], [DVec3::Y, DVec3::Z], [DVec3::Z, DVec3::X]]
            .into_iter()
            .flat_map(|[u, v]| circle(DVec3::ZERO, u * *radius, v * *radius))
            .collect(),
        Shape::Cylinder { radius, height } => {
            let (u, v, up) = (DVec3::X * *radius, DVec3::Z * *radius, DVec3::Y * (0.5 * height));
            let sides = [u, v, -u, -v].map(|side| [side - up, side + up]);
            circle(up, u, v).chain(circle(-up, u, v)).chain(sides).collect()
        }
        // A patch is a box without height: its four upper edges coincide with the lower ones.
        Shape::Plane { size } => {
            let upright = OpenFaces::new([true, true, true, false, true, true]);
            box_edges(DVec3::new(size[0], 0.0, size[1]), upright)
        }
        Shape::Mesh(mesh) => mesh_edges(mesh.mesh()),
    }
}

fn in_plane(section: &Section<'_>) -> Vec<[DVec3; 2]> {
    let segments = match &section.flat {
        Flat::Rectangle { size, open } => rectangle_sides(*size, *open),
        Flat::Circle { radius } => circle(DVec3::ZERO, DVec3::X * *radius, DVec3::Y * *radius).collect(),
        Flat::Line { length } => vec![[DVec3::X * (-0.5 * length), DVec3::X * (0.5 * length)]],
        Flat::Mesh(mesh) => return capped(cut(mesh.mesh(), &section.pose)),
        Flat::Nothing => Vec::new(),
    };
    placed(segments, &section.pose)
}

/// The closed sides of a rectangle.
fn rectangle_sides(size: DVec2, open: OpenFaces) -> Vec<[DVec3; 2]> {
    let mut sides = Vec::with_capacity(4);
    for (axis, along) in [(0, DVec2::Y), (1, DVec2::X)] {
        for upper in [false, true] {
            if !open.is_open(axis, upper) {
                let middle = DVec2::AXES[axis] * (size[axis] * if upper { 0.5 } else { -0.5 });
                let reach = along * (0.5 * size[1 - axis]);
                sides.push([middle - reach, middle + reach].map(|p| p.extend(0.0)));
            }
        }
    }
    sides
}

/// The edges of a box that belong to a closed face.
fn box_edges(size: DVec3, open: OpenFaces) -> Vec<[DVec3; 2]> {
    let mut edges = Vec::with_capacity(12);
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (upper_v, upper_u) in [(false, false), (true, false), (false, true), (true, true)] {
            if open.is_open(u, upper_u) && open.is_open(v, upper_v) {
                continue;
            }
            let mut middle = DVec3::ZERO;
            middle[u] = size[u] * if upper_u { 0.5 } else { -0.5 };
            middle[v] = size[v] * if upper_v { 0.5 } else { -0.5 };
            let reach = DVec3::AXES[axis] * (0.5 * size[axis]);
            edges.push([middle - reach, middle + reach]);
        }
    }
    edges
}

/// The circle with these two radii at right angles.
fn circle(centre: DVec3, u: DVec3, v: DVec3) -> impl Iterator<Item = [DVec3; 2]> {
    let at = move |i: usize| {
        let (sin, cos) = (TAU * (i % CIRCLE_SEGMENTS) as f64 / CIRCLE_SEGMENTS as f64).sin_cos();
        centre + cos * u + sin * v
    };
    (0..CIRCLE_SEGMENTS).map(move |i| [at(i), at(i + 1)])
}

/// The edges where a mesh ends or bends sharply; all edges if it is smooth.
fn mesh_edges(mesh: &TriangleMesh) -> Vec<[DVec3; 2]> {
    let mut normals: HashMap<[u32; 2], Vec<DVec3>> = HashMap::new();
    let mut order = Vec::new();
    for (&[a, b, c], [p, q, r]) in mesh.triangle.iter().zip(mesh.corners()) {
        let normal = (q - p).cross(r - p).normalize_or_zero();
        for [i, j] in [[a, b], [b, c], [c, a]] {
            let key = [i.min(j), i.max(j)];
            let known = normals.entry(key).or_insert_with(|| {
                order.push(key);
                Vec::with_capacity(2)
            });
            known.push(normal);
        }
    }
    let is_feature = |key: &[u32; 2]| match normals.get(key).map(Vec::as_slice) {
        Some([m, n]) => m.dot(*n) < FEATURE_COSINE,
        _ => true,
    };
    let features: Vec<[u32; 2]> = order.iter().copied().filter(is_feature).collect();
    // A few creases say little about a body that is smooth elsewhere.
    let drawn = if features.len() < 12 { order } else { features };
    capped(drawn.into_iter().map(|e| e.map(|v| mesh.vertex[v as usize])).collect())
}

/// At most [`MAX_SEGMENTS`] of them, evenly chosen.
fn capped(segments: Vec<[DVec3; 2]>) -> Vec<[DVec3; 2]> {
    let step = segments.len().div_ceil(MAX_SEGMENTS).max(1);
    segments.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use meniscus_core::Dimension::{Three, Two};

    use super::*;
    use crate::{MeshShape, Side, test_mesh};

    fn count(shape: Shape, dimension: Dimension) -> usize {
        let solid = Solid { shape, pose: Pose::IDENTITY, side: Side::Solid };
        let segments = solid.outline(dimension);
        assert!(segments.iter().all(|[a, b]| a != b), "{solid:?}");
        for p in segments.iter().flatten() {
            assert!(solid.signed_distance(*p, dimension).abs() < 0.01, "{solid:?} {p}");
        }
        segments.len()
    }

    #[test]
    fn every_shape_has_its_lines() {
        let tank = |open| Shape::Box { size: DVec3::ONE, open };
        let open_two = OpenFaces::new([false, true, false, true, false, false]);
        let mesh = |m| Shape::Mesh(Arc::new(MeshShape::new(m).unwrap()));
        assert_eq!((count(tank(OpenFaces::NONE), Three), count(tank(OpenFaces::NONE), Two)), (12, 4));
        assert_eq!((count(tank(open_two), Three), count(tank(open_two), Two)), (11, 2));
        let ball = Shape::Sphere { radius: 1.0 };
        assert_eq!((count(ball.clone(), Three), count(ball, Two)), (96, 32));
        let can = Shape::Cylinder { radius: 1.0, height: 2.0 };
        assert_eq!((count(can.clone(), Three), count(can, Two)), (68, 4));
        let plane = Shape::Plane { size: [2.0, 3.0] };
        assert_eq!((count(plane.clone(), Three), count(plane, Two)), (4, 1));
        assert_eq!(
            (count(mesh(test_mesh::cube(1.0)), Three), count(mesh(test_mesh::cube(1.0)), Two)),
            (12, 8)
        );
        assert!(count(mesh(test_mesh::sphere(5)), Three) <= MAX_SEGMENTS);
    }

    #[test]
    fn a_planar_box_shows_each_closed_wall_once() {
        let faces = [DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y];
        for mask in 0..16 {
            let is_open = |face: usize| mask >> face & 1 == 1;
            let open = OpenFaces::new([is_open(0), is_open(1), is_open(2), is_open(3), false, false]);
            let pose = Pose::at(DVec3::new(3.0, -2.0, 0.7));
            let shape = Shape::Box { size: DVec3::new(4.0, 2.0, 1.0), open };
            let tank = Solid { shape, pose, side: Side::Container };
            let segments = tank.outline(Two);
            for (face, normal) in faces.into_iter().enumerate() {
                let wall = DVec3::new(3.0, -2.0, 0.0) + normal * DVec3::new(2.0, 1.0, 0.0);
                let is_wall = |[a, b]: &&[DVec3; 2]| {
                    (*a + *b).abs_diff_eq(2.0 * wall, 1e-12) && (*b - *a).dot(normal).abs() < 1e-12
                };
                let drawn = segments.iter().filter(is_wall).count();
                assert_eq!(drawn, usize::from(!is_open(face)), "open {mask:04b}, wall {normal}");
            }
            assert_eq!(segments.len(), (0..4).filter(|&face| !is_open(face)).count());
        }
    }
}
