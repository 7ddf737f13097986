use std::f64::consts::PI;

use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::{MassProperties, MeshShape, TriangleMesh};

/// The smallest angle of any triangle `[degree]`.
fn smallest_angle(mesh: &TriangleMesh) -> f64 {
    let angle = |[a, b, c]: [DVec3; 3]| {
        [(a, b, c), (b, c, a), (c, a, b)]
            .iter()
            .map(|(p, q, r)| (*q - *p).angle_between(*r - *p))
            .fold(PI, f64::min)
    };
    mesh.corners().map(angle).fold(PI, f64::min).to_degrees()
}

/// Round shapes, with the smallest angle that they promise `[degree]`.
fn round(segments: u32) -> Vec<(&'static str, TriangleMesh, f64)> {
    vec![
        ("sphere", SphereMesh { radius: 0.5, segments }.mesh().unwrap(), 35.0),
        ("cylinder", CylinderMesh { radius: 0.4, height: 1.1, segments }.mesh().unwrap(), 20.0),
        ("capsule", Capsule { radius: 0.3, height: 1.2, segments }.mesh().unwrap(), 20.0),
        ("cone", Cone { radius: 0.4, height: 0.8, segments }.mesh().unwrap(), 20.0),
        ("torus", Torus { radius: 0.7, tube: 0.25, segments }.mesh().unwrap(), 20.0),
        ("bowl", Bowl { radius: 0.6, thickness: 0.06, segments }.mesh().unwrap(), 20.0),
        ("cup", Cup { radius: 0.3, height: 0.7, thickness: 0.04, segments }.mesh().unwrap(), 20.0),
    ]
}

/// The other closed shapes.
fn others() -> Vec<(&'static str, TriangleMesh, f64)> {
    vec![
        ("box", BoxMesh { size: DVec3::new(1.0, 0.4, 0.7), segments: 10 }.mesh().unwrap(), 35.0),
        (
            "hull",
            BoatHull { length: 3.0, beam: 1.2, height: 0.6, thickness: 0.05, segments: 96 }.mesh().unwrap(),
            5.0,
        ),
        (
            "gear",
            Gear { radius: 0.5, tooth_depth: 0.1, width: 0.2, teeth: 18, bore: None }.mesh().unwrap(),
            15.0,
        ),
        (
            "wheel",
            PaddleWheel { radius: 0.5, hub: 0.15, thickness: 0.03, width: 0.3, paddles: 8 }.mesh().unwrap(),
            15.0,
        ),
        ("bone", Bone { length: 1.0, triangles: Bone::TRIANGLES }.mesh().unwrap(), 12.0),
        ("duck", Duck { length: 1.0, triangles: Duck::TRIANGLES }.mesh().unwrap(), 12.0),
        ("statue", Statue { height: 2.0, triangles: Statue::TRIANGLES }.mesh().unwrap(), 10.0),
    ]
}

#[test]
fn every_shape_is_closed_outward_and_in_one_piece() {
    for (name, mesh, angle) in round(SEGMENTS).into_iter().chain(others()) {
        let volume = mesh.volume();
        let least = smallest_angle(&mesh);
        let (vertices, triangles) = (mesh.vertex.len(), mesh.triangle.len());
        let shape = MeshShape::new(mesh).unwrap();
        let report = shape.report();
        assert!(report.mended().is_empty() && report.warnings().is_empty(), "{name}: {report}");
        assert_eq!(report.component.len(), 1, "{name}");
        assert_eq!(report.non_manifold_edges, 0, "{name}");
        assert!(volume > 0.0, "{name}");
        assert!(least > angle, "{name}: {least}");
        // Euler's number: 2 without handles, 0 for the torus and for the statue, whose arm rests on its hip.
        let euler = vertices as i64 - triangles as i64 / 2;
        assert_eq!(euler, if matches!(name, "torus" | "statue") { 0 } else { 2 }, "{name}");
    }
}

#[test]
fn volumes_converge_to_the_formulas_at_second_order() {
    let formula = |name: &str| {
        Some(match name {
            "sphere" => PI / 6.0,
            "cylinder" => PI * 0.16 * 1.1,
            "capsule" => PI * 0.09 * 0.6 + 4.0 / 3.0 * PI * 0.027,
            "cone" => PI * 0.16 * 0.8 / 3.0,
            "torus" => 2.0 * PI * PI * 0.7 * 0.0625,
            "bowl" => 2.0 / 3.0 * PI * (0.216 - 0.54f64.powi(3)),
            "cup" => PI * (0.09 * 0.7 - 0.26f64.powi(2) * 0.66),
            _ => return None,
        })
    };
    let error = |segments: u32| -> Vec<f64> {
        let each =
            round(segments).into_iter().filter_map(|(n, m, _)| Some((m.volume() / formula(n)? - 1.0).abs()));
        each.collect()
    };
    for ((coarse, fine), k) in error(40).iter().zip(error(80)).zip(0..) {
        assert!(fine < 0.02 && coarse / fine > 3.0, "{k}: {coarse} {fine}");
    }
}

#[test]
fn extruded_shapes_have_the_area_of_their_outline() {
    let (radius, ground, n) = (0.5, 0.4, 18.0);
    let gear = Gear { radius, tooth_depth: 0.1, width: 0.2, teeth: 18, bore: None }.mesh().unwrap();
    // Triangles between the axis and the five sides of each tooth.
    let pitch = 2.0 * PI / n;
    let wedge = |r: f64, s: f64, share: f64| 0.5 * r * s * (share * pitch).sin();
    let tooth =
        2.0 * wedge(ground, radius, 0.15) + wedge(radius, radius, 0.3) + 2.0 * wedge(ground, ground, 0.2);
    assert!((gear.volume() - n * tooth * 0.2).abs() < 1e-12);
    assert!((gear.bounds().size().z - 0.2).abs() < 1e-15);
    // It is balanced: its centre of mass is on its axis.
    let body = MassProperties::of_mesh(&MeshShape::new(gear).unwrap(), 1.0).unwrap();
    assert!(body.centre.length() < 1e-12);
}

#[test]
fn a_bore_takes_away_its_prism_and_makes_a_handle() {
    for (teeth, bore) in [(18, 0.1), (3, 0.3), (97, 0.02)] {
        let gear = Gear { radius: 0.5, tooth_depth: 0.1, width: 0.2, teeth, bore: None };
        let bored = Gear { bore: Some(bore), ..gear }.mesh().unwrap();
        let euler = bored.vertex.len() as i64 - bored.triangle.len() as i64 / 2;
        assert_eq!(euler, 0, "{teeth}");
        // The hole has about 48 chords, so it is a little smaller than its circle.
        let hole = (gear.mesh().unwrap().volume() - bored.volume()) / 0.2;
        assert!((0.99..1.0).contains(&(hole / (PI * bore * bore))), "{teeth}: {hole}");
        assert!(MeshShape::new(bored).unwrap().is_watertight());
    }
    let gear = Gear { radius: 0.5, tooth_depth: 0.1, width: 0.2, teeth: 18, bore: Some(0.37) };
    let error = gear.mesh().unwrap_err().to_string();
    assert!(
        error.contains("gear bore = 0.37 m beside 0.9 times the radius of its ground = 0.36 m"),
        "{error}"
    );
}

#[test]
fn wheels_of_any_proportion_have_no_thin_triangles_on_their_faces() {
    let gear = |teeth, bore| Gear { radius: 0.5, tooth_depth: 0.07, width: 0.2, teeth, bore }.mesh().unwrap();
    let wheel = |hub, thickness, paddles| {
        PaddleWheel { radius: 0.5, hub, thickness, width: 0.3, paddles }.mesh().unwrap()
    };
    let meshes = [
        gear(3, None),
        gear(31, None),
        gear(120, Some(0.05)),
        gear(11, Some(0.35)),
        wheel(0.05, 0.01, 5),
        wheel(0.4, 0.05, 13),
        wheel(0.2, 0.02, 24),
    ];
    for (k, mesh) in meshes.iter().enumerate() {
        let top = mesh.bounds().max.z;
        let on_face = |t: &[u32; 3]| t.iter().all(|v| (mesh.vertex[*v as usize].z - top).abs() < 1e-12);
        let face = mesh.triangle.iter().copied().filter(on_face).collect();
        let face = TriangleMesh { vertex: mesh.vertex.clone(), triangle: face };
        let least = smallest_angle(&face);
        assert!(least > 19.9, "{k}: {least}");
    }
}

#[test]
fn the_duck_has_as_many_triangles_as_asked_for() {
    for triangles in [2160, 700, 5001] {
        let duck = Duck { length: 0.3, triangles }.mesh().unwrap();
        assert_eq!(duck.triangle.len() as u32, triangles - triangles % 2);
        assert!((duck.bounds().size().x - 0.3).abs() < 1e-12 && duck.bounds().centre().length() < 1e-9);
    }
    // The same bits every time, whatever the number of threads.
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Duck { length: 1.0, triangles: 2160 }.mesh().unwrap())
    };
    assert_eq!(with(1), with(2));
}

#[test]
fn a_boat_is_hollow_and_floats() {
    let hull = BoatHull { length: 3.0, beam: 1.2, height: 0.6, thickness: 0.05, segments: 96 };
    let boat = hull.mesh().unwrap();
    let size = boat.bounds().size();
    assert!((size.x - 3.0).abs() < 0.02 && (size.z - 1.2).abs() < 0.02 && size.y > 0.6 && size.y < 0.8);
    let shape = MeshShape::new(boat).unwrap();
    // Above the bottom there is air, below it water, between them the wall.
    assert!(shape.signed_distance(DVec3::new(0.0, 0.1, 0.0)) > 0.2);
    assert!((shape.signed_distance(DVec3::new(0.0, -0.275, 0.0)) + 0.025).abs() < 1e-3);
    let area = shape.report().area;
    // The wall is about as thick as asked for everywhere.
    assert!((2.0 * shape.mesh().volume() / area / 0.05 - 1.0).abs() < 0.25);
}

#[test]
fn a_patch_faces_upward() {
    let patch = PlanePatch { size: [2.0, 1.0], segments: 4 }.mesh().unwrap();
    assert_eq!(patch.triangle.len(), 16);
    assert!(patch.corners().all(|[a, b, c]| (b - a).cross(c - a).y > 0.0));
}

#[test]
fn nonsense_is_refused_with_names() {
    let error = Torus { radius: 0.2, tube: 0.3, segments: 20 }.mesh().unwrap_err().to_string();
    assert!(error.contains("torus tube = 0.3 m beside torus radius = 0.2 m"), "{error}");
    let error = Capsule { radius: 1.0, height: 1.5, segments: 20 }.mesh().unwrap_err().to_string();
    assert!(error.contains("twice the capsule radius"), "{error}");
    let error = Cone { radius: 1.0, height: 1.0, segments: 2 }.mesh().unwrap_err().to_string();
    assert!(error.contains("segments = 2"), "{error}");
    let error = CylinderMesh { radius: 1e-3, height: 1e9, segments: 20 }.mesh().unwrap_err().to_string();
    assert!(error.contains("use fewer segments"), "{error}");
    let thick = PaddleWheel { radius: 1.0, hub: 0.1, thickness: 0.1, width: 0.1, paddles: 12 };
    let error = thick.mesh().unwrap_err().to_string();
    assert!(error.contains("paddle thickness = 0.1 m beside the room at the hub = 0.04918 m"), "{error}");
    assert!(Gear { radius: 1.0, tooth_depth: 0.1, width: 1.0, teeth: 2, bore: None }.mesh().is_err());
    assert!(Duck { length: 1.0, triangles: 10 }.mesh().is_err());
    assert!(Duck { length: f64::NAN, triangles: 1000 }.mesh().is_err());
    assert!(Bowl { radius: 0.1, thickness: 0.2, segments: 20 }.mesh().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn shapes_of_any_size_are_closed(a in 0.05..1.0f64, b in 0.05..1.0f64, share in 0.02..0.9f64, n in 3..60u32) {
        let (hub, step) = (a * (0.1 + 0.8 * share), PI / f64::from(n));
        let meshes = [
            CylinderMesh { radius: a, height: b, segments: n }.mesh(),
            Capsule { radius: a, height: 2.0 * a + b, segments: n }.mesh(),
            Cone { radius: a, height: b, segments: n }.mesh(),
            Torus { radius: a, tube: share * a, segments: n }.mesh(),
            Bowl { radius: a, thickness: share * a, segments: n }.mesh(),
            Cup { radius: a, height: b, thickness: share * a.min(b), segments: n }.mesh(),
            SphereMesh { radius: a, segments: n }.mesh(),
            BoxMesh { size: DVec3::new(a, b, share), segments: n.min(20) }.mesh(),
            Gear { radius: a, tooth_depth: share * a, width: b, teeth: n, bore: None }.mesh(),
            Gear { radius: a, tooth_depth: share * a, width: b, teeth: n, bore: Some(0.8 * (1.0 - share) * a) }.mesh(),
            PaddleWheel { radius: a, hub, thickness: share * hub * step.sin(), width: b, paddles: n }.mesh(),
            BoatHull { length: 3.0 * a, beam: a, height: 0.5 * a, thickness: 0.1 * share * a, segments: n.max(12) }.mesh(),
        ];
        for mesh in meshes {
            let mesh = mesh.unwrap();
            let volume = mesh.volume();
            let shape = MeshShape::new(mesh).unwrap();
            prop_assert!(shape.is_watertight() && volume > 0.0, "{}", shape.report());
            prop_assert_eq!(shape.report().component.len(), 1);
            prop_assert_eq!(shape.report().turned_triangles, 0);
        }
    }
}

#[test]
fn every_name_has_a_sound_mesh_and_no_other_word_has_one() {
    for name in NAMES {
        let shape = MeshShape::new(by_name(name).unwrap().unwrap()).unwrap();
        assert_eq!(shape.is_watertight(), name != "plane", "{name}");
        assert!(shape.report().mended().is_empty(), "{name}");
    }
    assert!(["", "Duck", "duck.obj", "mesh", "swan"].into_iter().all(|name| by_name(name).is_none()));
}
