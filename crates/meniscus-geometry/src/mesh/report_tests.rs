use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::MeshShape;
use crate::test_mesh::{cube, moebius, sphere, together};

fn shape(mesh: TriangleMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

fn at(mut mesh: TriangleMesh, x: f64) -> TriangleMesh {
    mesh.translate(DVec3::X * x);
    mesh
}

fn flipped(mut mesh: TriangleMesh) -> TriangleMesh {
    mesh.flip();
    mesh
}

#[test]
fn a_good_mesh_has_nothing_to_mend() {
    let shape = shape(sphere(2));
    let report = shape.report();
    assert!(report.is_closed() && report.mended().is_empty() && report.warnings().is_empty(), "{report}");
    assert_eq!((report.triangles, report.vertices, report.component.len()), (128, 66, 1));
    assert!(shape.mesh().corners().eq(sphere(2).corners()));
}

#[test]
fn any_wrongly_turned_triangles_are_turned_back() {
    // Every third triangle, then all but every third.
    for keep in [true, false] {
        let mut mesh = sphere(2);
        let volume = mesh.volume();
        for (k, t) in mesh.triangle.iter_mut().enumerate() {
            if k.is_multiple_of(3) == keep {
                t.swap(0, 1);
            }
        }
        let shape = shape(mesh);
        let report = shape.report();
        assert_eq!(report.turned_triangles, 43);
        assert!(shape.is_watertight() && (report.volume - volume).abs() < 1e-12);
        assert_eq!(report.component[0].turned, (!keep).then_some(Turn::InsideOut));
        assert!(shape.signed_distance(DVec3::ZERO) < 0.0);
    }
}

#[test]
fn nested_components_alternate_between_body_and_cavity() {
    // A shell with a ball in its cavity; every way in which a file may have turned them.
    for wrong in 0..8u32 {
        let layer =
            |bit: u32, edge: f64| if wrong >> bit & 1 == 1 { flipped(cube(edge)) } else { cube(edge) };
        let shape = shape(together(&[layer(0, 1.0), layer(1, 3.0), layer(2, 2.0)]));
        let report = shape.report();
        let depths: Vec<usize> = report.component.iter().map(|c| c.depth).collect();
        assert_eq!(depths, [2, 0, 1]);
        assert!((report.volume - (27.0 - 8.0 + 1.0)).abs() < 1e-9, "{report}");
        assert!((report.component[2].volume + 8.0).abs() < 1e-9);
        let expected = |bit: u32, why| (wrong >> bit & 1 == 1).then_some(why);
        assert_eq!(report.component[0].turned, expected(0, Turn::InsideOut));
        assert_eq!(report.component[1].turned, expected(1, Turn::InsideOut));
        // The middle one is a cavity, which faces inward: turned unless it was already.
        assert_eq!(report.component[2].turned, (wrong >> 2 & 1 == 0).then_some(Turn::Cavity));
        for (x, inside) in [(0.0, true), (0.75, false), (1.25, true), (1.75, false)] {
            assert_eq!(shape.signed_distance(DVec3::X * x) < 0.0, inside, "{x}");
        }
    }
}

#[test]
fn bodies_side_by_side_all_face_outward() {
    // The second touches the first, sharing two vertices of an edge after merging.
    let mut corner = flipped(cube(2.0));
    corner.translate(DVec3::new(2.0, 2.0, 0.0));
    let shape = shape(together(&[cube(2.0), corner, flipped(at(sphere(2), -5.0))]));
    let report = shape.report();
    assert_eq!(report.component.len(), 3);
    assert!(report.component.iter().all(|c| c.is_closed && c.depth == 0 && c.volume > 0.0), "{report}");
    assert_eq!(report.non_manifold_edges, 1);
    assert!(shape.is_watertight());
}

#[test]
fn overlaps_holes_and_strips_are_told() {
    let report = |mesh| shape(mesh).report().clone();
    let overlap = report(together(&[cube(2.0), at(cube(2.0), 0.7)]));
    assert_eq!(overlap.overlap, [[0, 1]]);
    assert!(overlap.warnings()[0].contains("counts twice"), "{overlap}");
    let strip = report(moebius(12));
    assert!(!strip.component[0].is_orientable && !strip.is_closed());
    assert!(strip.warnings().iter().any(|w| w.contains("Möbius")), "{strip}");
    let mut holed = cube(1.0);
    holed.triangle.pop();
    let holed = report(holed);
    assert_eq!((holed.open_edges, holed.component[0].is_closed), (3, false));
    assert!(holed.to_string().contains("not closed"), "{holed}");
    // A wall inside of a body, and a body whose surface is there twice, once turned.
    let mut wall = cube(1.0);
    wall.triangle.push([0, 3, 7]);
    assert!(report(wall).warnings().len() >= 2);
    let double = report(together(&[cube(1.0), flipped(cube(1.0))]));
    assert!(double.warnings().iter().any(|w| w.contains("no volume")), "{double}");
}

#[test]
fn what_was_left_out_is_counted() {
    let soup = cube(1.0);
    let vertex: Vec<DVec3> = soup.corners().flatten().chain([DVec3::splat(9.0)]).collect();
    let mut triangle: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    triangle.push([1, 2, 0]);
    triangle.push([4, 4, 5]);
    let shape = shape(TriangleMesh { vertex, triangle });
    let report = shape.report();
    assert_eq!((report.duplicate_vertices, report.unused_vertices), (28, 1));
    assert_eq!((report.repeated_triangles, report.degenerate_triangles), (1, 1));
    assert_eq!((report.vertices, report.triangles), (8, 12));
    assert_eq!(report.mended().len(), 4);
    let text = report.to_string();
    assert!(text.starts_with("mesh         12 triangles, 8 vertices, 1 component\n"), "{text}");
}

#[test]
fn very_many_components_are_not_compared() {
    let tetrahedron = TriangleMesh {
        vertex: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
        triangle: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
    };
    let many: Vec<TriangleMesh> = (0..12_000).map(|k| at(tetrahedron.clone(), f64::from(k) * 2.0)).collect();
    let shape = shape(together(&many));
    let report = shape.report();
    assert!(!report.nesting_is_known && report.component.len() == 12_000);
    assert!((report.volume - 2000.0).abs() < 1e-6);
    assert!(report.to_string().lines().count() < 25);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_turns_of_a_sphere_are_mended(turn in proptest::collection::vec(any::<bool>(), 128)) {
        let mut mesh = sphere(2);
        for (t, turn) in mesh.triangle.iter_mut().zip(turn) {
            if turn {
                t.swap(1, 2);
            }
        }
        let mended = MeshShape::new(mesh).unwrap();
        prop_assert!(mended.is_watertight());
        prop_assert!((mended.mesh().volume() - sphere(2).volume()).abs() < 1e-12);
    }
}
