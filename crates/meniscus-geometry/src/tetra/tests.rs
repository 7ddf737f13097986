use std::collections::HashMap;

use glam::{DQuat, DVec3};

use super::{Embedding, TetMesh, TetReport};
use crate::collision::{CollisionSurface, intersections};
use crate::shape::builtin::{BoxMesh, Duck, SphereMesh, Torus};
use crate::{Aabb, MeshShape, SignedDistance, TriangleMesh};

fn filled(mesh: TriangleMesh, size: f64) -> (TetMesh, TetReport) {
    TetMesh::fill(&MeshShape::new(mesh).unwrap(), size).unwrap()
}

fn block(size: DVec3) -> TriangleMesh {
    BoxMesh { size, segments: 4 }.mesh().unwrap()
}

/// Every face is used by one tetrahedron, or by two from both sides; the boundary is closed and does not meet itself.
fn is_sound(mesh: &TetMesh) {
    let boundary = mesh.boundary();
    let mut uses: HashMap<[u32; 2], i32> = HashMap::new();
    for [a, b, c] in boundary.iter().copied() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *uses.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
        }
    }
    assert!(uses.values().all(|&n| n == 0), "the boundary is closed");
    let enclosed = TriangleMesh { vertex: mesh.vertex.clone(), triangle: boundary.clone() }.volume();
    assert!((enclosed / mesh.volume() - 1.0).abs() < 1e-9, "{enclosed} {}", mesh.volume());
    let surface = CollisionSurface::new(mesh.vertex.len(), &boundary, &[]);
    assert!(intersections(&surface, &mesh.vertex, &[]).is_empty());
}

fn is_good(report: &TetReport, volume_error: f64) {
    assert_eq!(report.inverted, 0);
    assert!(report.smallest_angle > 9.0 && report.largest_angle < 165.0, "{report}");
    assert!(report.volume_error().abs() < volume_error, "{report}");
}

#[test]
fn balls_tori_and_ducks_are_filled() {
    let ball = || SphereMesh { radius: 0.5, segments: 48 }.mesh().unwrap();
    let torus = || Torus { radius: 0.5, tube: 0.2, segments: 48 }.mesh().unwrap();
    let duck = || Duck { length: 1.0, triangles: 2160 }.mesh().unwrap();
    let cases: [(&dyn Fn() -> TriangleMesh, f64, f64); 5] = [
        (&ball, 0.1, 0.02),
        (&ball, 0.05, 0.005),
        (&torus, 0.1, 0.06),
        (&torus, 0.05, 0.015),
        (&duck, 0.06, 0.04),
    ];
    for (mesh, size, error) in cases {
        let (mesh, report) = filled(mesh(), size);
        is_sound(&mesh);
        is_good(&report, error);
        assert_eq!(report.pieces, 1);
        assert!(report.longest_edge < 1.6 * size && report.shortest_edge > 0.2 * size, "{report:?}");
    }
}

#[test]
fn boxes_of_whole_cells_are_exact() {
    for size in [0.1, 0.05] {
        let (mesh, report) = filled(block(DVec3::new(1.0, 0.2, 0.1)), size);
        is_sound(&mesh);
        is_good(&report, 1e-9);
    }
}

#[test]
fn other_boxes_lose_only_their_edges() {
    for (size, error) in [(0.12, 0.06), (0.06, 0.02), (0.03, 0.006)] {
        let mut mesh = block(DVec3::new(1.0, 0.7, 0.4));
        let turn = DQuat::from_axis_angle(DVec3::new(2.0, 1.0, -2.0) / 3.0, 0.7);
        mesh.vertex.iter_mut().for_each(|v| *v = turn * *v);
        let (mesh, report) = filled(mesh, size);
        is_sound(&mesh);
        is_good(&report, error);
    }
}

#[test]
fn plates_as_thin_as_a_cell_are_filled() {
    let turned = DQuat::from_axis_angle(DVec3::new(2.0, 1.0, -2.0) / 3.0, 0.7);
    for (size, error) in [(0.02, 0.2), (0.0175, 0.15), (0.011, 0.06)] {
        for turn in [DQuat::IDENTITY, turned] {
            let mut mesh = block(DVec3::new(0.3, 0.02, 0.3));
            mesh.vertex.iter_mut().for_each(|v| *v = turn * *v);
            let (mesh, report) = filled(mesh, size);
            is_sound(&mesh);
            is_good(&report, error);
        }
    }
    let thin = MeshShape::new(block(DVec3::new(0.5, 0.004, 0.5))).unwrap();
    let error = TetMesh::fill(&thin, 0.05).unwrap_err().to_string();
    assert!(error.contains("use a smaller size"), "{error}");
}

#[test]
fn what_cannot_be_filled_is_told() {
    let mut open = block(DVec3::ONE);
    open.triangle.pop();
    let open = MeshShape::new(open).unwrap();
    assert!(TetMesh::fill(&open, 0.1).unwrap_err().to_string().contains("not closed"));
    let closed = MeshShape::new(block(DVec3::ONE)).unwrap();
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(TetMesh::fill(&closed, size).is_err());
    }
    let error = TetMesh::fill(&closed, 1e-4).unwrap_err().to_string();
    assert!(error.contains("cells") && error.contains("use a size"), "{error}");
    // Two balls that nearly touch: too large tetrahedra join them.
    let mut two = SphereMesh { radius: 0.5, segments: 32 }.mesh().unwrap();
    let first = two.vertex.len() as u32;
    let second: Vec<[u32; 3]> = two.triangle.iter().map(|t| t.map(|v| v + first)).collect();
    let moved: Vec<DVec3> = two.vertex.iter().map(|v| *v + 1.02 * DVec3::X).collect();
    two.vertex.extend(moved);
    two.triangle.extend(second);
    let two = MeshShape::new(two).unwrap();
    match TetMesh::fill(&two, 0.1) {
        Ok((_, report)) => assert_eq!(report.pieces, 2),
        Err(error) => assert!(error.to_string().contains("pieces"), "{error}"),
    }
}

/// A distance with any values at the places where it is asked: every way in which a lattice can be cut.
struct Noise;

impl SignedDistance for Noise {
    fn distance(&self, x: DVec3) -> f64 {
        let r = x.length();
        // Waves shorter than a cell on a ball.
        let wave = (23.0 * x.x).sin() * (19.0 * x.y + 1.0).sin() + (29.0 * x.z + 11.0 * x.x).sin();
        (r - 0.7) + 0.12 * wave
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        (self.distance(x), DVec3::ZERO)
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::splat(1.05))
    }
}

#[test]
fn angles_are_bounded_however_the_lattice_is_cut() {
    let (mut smallest, mut largest) = (180f64, 0f64);
    for size in [0.2, 0.17, 0.14, 0.11, 0.09, 0.07, 0.05] {
        let mesh = TetMesh::of_distance(&Noise, size);
        let report = TetReport::of(&mesh, mesh.volume());
        assert!(report.tetrahedra > 500 && report.inverted == 0);
        smallest = smallest.min(report.smallest_angle);
        largest = largest.max(report.largest_angle);
        let boundary = mesh.boundary();
        let enclosed = TriangleMesh { vertex: mesh.vertex.clone(), triangle: boundary }.volume();
        assert!((enclosed / mesh.volume() - 1.0).abs() < 1e-9, "{enclosed} {}", mesh.volume());
    }
    assert!(smallest > 9.0 && largest < 165.0, "{smallest} {largest}");
}

#[test]
fn points_follow_their_tetrahedra() {
    let surface = MeshShape::new(Duck { length: 1.0, triangles: 2160 }.mesh().unwrap()).unwrap();
    let (mesh, _) = TetMesh::fill(&surface, 0.08).unwrap();
    let points = &surface.mesh().vertex;
    let embedding = Embedding::of(&mesh, points, 0.16).unwrap();
    assert!(embedding.farthest < 0.04, "{}", embedding.farthest);
    let mut followed = vec![DVec3::ZERO; points.len()];
    embedding.follow(&mesh, &mesh.vertex, &mut followed);
    assert!(followed.iter().zip(points).all(|(a, b)| a.distance(*b) < 1e-12));
    // Any affine motion is followed exactly.
    let bend =
        |x: DVec3| DVec3::new(1.3 * x.x + 0.2 * x.y, 0.8 * x.y - 0.1 * x.z, x.z + 0.3 * x.x) + DVec3::Y;
    let moved: Vec<DVec3> = mesh.vertex.iter().map(|x| bend(*x)).collect();
    embedding.follow(&mesh, &moved, &mut followed);
    assert!(followed.iter().zip(points).all(|(a, b)| a.distance(bend(*b)) < 1e-12));
    assert!(Embedding::of(&mesh, &[DVec3::splat(9.0)], 0.16).is_err());
    assert!(Embedding::of(&mesh, &[DVec3::NAN], 0.16).is_err());
}
