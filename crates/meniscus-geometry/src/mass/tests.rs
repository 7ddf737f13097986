use std::f64::consts::PI;
use std::sync::Arc;

use glam::DAffine3;
use proptest::prelude::*;

use super::*;
use crate::OpenFaces;
use crate::test_mesh::{cube, sphere};

const DENSITY: f64 = 700.0;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

fn mat_close(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    let largest = b.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    a.abs_diff_eq(b, tolerance * largest)
}

fn of(mesh: TriangleMesh) -> MassProperties {
    MassProperties::of_mesh(&MeshShape::new(mesh).unwrap(), DENSITY).unwrap()
}

fn placed(mut mesh: TriangleMesh, place: DAffine3) -> TriangleMesh {
    mesh.vertex.iter_mut().for_each(|v| *v = place.transform_point3(*v));
    mesh
}

fn box_of(size: DVec3) -> Shape {
    Shape::Box { size, open: OpenFaces::NONE }
}

fn box_mesh(size: DVec3) -> TriangleMesh {
    let mut mesh = cube(1.0);
    mesh.scale(size);
    mesh
}

/// A torus about y.
fn torus(major: f64, minor: f64, n: u32, m: u32) -> TriangleMesh {
    let at = |i: u32, j: u32| {
        let (u, v) = (f64::from(i) / f64::from(n) * 2.0 * PI, f64::from(j) / f64::from(m) * 2.0 * PI);
        let r = major + minor * v.cos();
        DVec3::new(r * u.cos(), minor * v.sin(), -r * u.sin())
    };
    let id = |i: u32, j: u32| (i % n) * m + j % m;
    let quads = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    TriangleMesh {
        vertex: (0..n).flat_map(|i| (0..m).map(move |j| at(i, j))).collect(),
        triangle: quads
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect(),
    }
}

#[test]
fn a_box_far_away_and_turned_is_the_analytic_one() {
    let size = DVec3::new(0.5, 1.2, 0.3);
    let exact = MassProperties::of_shape(&box_of(size), DENSITY).unwrap();
    assert!(close(exact.mass, 0.18 * DENSITY, 1e-15));
    assert!(close(exact.inertia.x_axis.x, exact.mass * (1.44 + 0.09) / 12.0, 1e-14));
    assert!(exact.principal_moments.x < exact.principal_moments.y);
    for (translation, tolerance) in [(DVec3::ZERO, 1e-14), (DVec3::new(3e4, -5e4, 8e4), 1e-9)] {
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -2.0) / 3.0, 1.1);
        let body = of(placed(box_mesh(size), DAffine3::from_rotation_translation(turn, translation)));
        let r = DMat3::from_quat(turn);
        assert!(close(body.extent, exact.extent, tolerance) && close(body.mass, exact.mass, tolerance));
        assert!(body.centre.abs_diff_eq(translation, 1e-10));
        assert!(mat_close(body.inertia, r * exact.inertia * r.transpose(), tolerance));
        assert!(
            body.principal_moments
                .abs_diff_eq(exact.principal_moments, tolerance * exact.principal_moments.z)
        );
    }
}

#[test]
fn tetrahedron_and_prism_have_their_closed_forms() {
    // The corner of a cube of edge a: ∫ x² = a⁵/60, ∫ xy = a⁵/120, centre a/4.
    let a = 1.7;
    let vertex = vec![DVec3::ZERO, DVec3::X * a, DVec3::Y * a, DVec3::Z * a];
    let body = of(TriangleMesh { vertex, triangle: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] });
    let volume = a * a * a / 6.0;
    assert!(close(body.extent, volume, 1e-14));
    assert!(body.centre.abs_diff_eq(DVec3::splat(a / 4.0), 1e-14));
    let (square, mixed) = (a.powi(5) * (1.0 / 60.0 - 1.0 / 96.0), a.powi(5) * (1.0 / 120.0 - 1.0 / 96.0));
    let [i, o] = [2.0 * square * DENSITY, -mixed * DENSITY];
    assert!(mat_close(body.inertia, DMat3::from_cols_array(&[i, o, o, o, i, o, o, o, i]), 1e-13));
    // Symmetric about the diagonal: two moments are equal, the third is about it.
    let axis = body.principal_axes * DVec3::Z;
    assert!(close(body.principal_moments.x, body.principal_moments.y, 1e-12));
    assert!(close(axis.dot(DVec3::ONE).abs(), 3f64.sqrt(), 1e-12), "{axis}");

    // A right-angled triangle with legs b and c as base, height h: moments about the centroid are those of the area.
    let (b, c, h) = (0.9, 0.4, 2.0);
    let base = [DVec3::ZERO, DVec3::X * b, DVec3::Z * c];
    let vertex: Vec<DVec3> = base.into_iter().chain(base.map(|v| v + DVec3::Y * h)).collect();
    let triangle =
        vec![[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]];
    let body = of(TriangleMesh { vertex, triangle });
    let mass = 0.5 * b * c * h * DENSITY;
    assert!(close(body.mass, mass, 1e-14));
    assert!(body.centre.abs_diff_eq(DVec3::new(b / 3.0, h / 2.0, c / 3.0), 1e-14));
    let (xx, yy, zz) = (mass * b * b / 18.0, mass * h * h / 12.0, mass * c * c / 18.0);
    let zx = -mass * b * c / 36.0;
    let expected = DMat3::from_cols_array(&[yy + zz, 0.0, -zx, 0.0, zz + xx, 0.0, -zx, 0.0, xx + yy]);
    assert!(mat_close(body.inertia, expected, 1e-13));
}

#[test]
fn a_cavity_is_empty() {
    let (outer, inner) = (DVec3::new(2.0, 1.0, 1.5), DVec3::new(1.0, 0.5, 0.4));
    let offset = DVec3::new(0.3, -0.1, 0.2);
    let mut mesh = box_mesh(outer);
    let mut hole = box_mesh(inner);
    hole.translate(offset);
    hole.flip();
    mesh.vertex.extend(&hole.vertex);
    mesh.triangle.extend(hole.triangle.iter().map(|t| t.map(|v| v + 8)));
    let body = of(mesh);
    let parts = [outer, inner].map(|size| MassProperties::of_shape(&box_of(size), DENSITY).unwrap());
    let mass = parts[0].mass - parts[1].mass;
    assert!(close(body.mass, mass, 1e-13));
    let centre = -offset * parts[1].mass / mass;
    assert!(body.centre.abs_diff_eq(centre, 1e-13));
    let at = |mass: f64, d: DVec3| {
        (DMat3::IDENTITY * d.length_squared() - DMat3::from_cols(d * d.x, d * d.y, d * d.z)) * mass
    };
    let expected =
        parts[0].inertia + at(parts[0].mass, centre) - parts[1].inertia - at(parts[1].mass, offset - centre);
    assert!(mat_close(body.inertia, expected, 1e-12));
}

#[test]
fn shells_have_their_closed_forms() {
    // The surface of a cube: two faces at ± a/2 with a²/12 across, four with a²/12 or a²/4 and so on: 5/18 m a².
    let a = 0.8;
    let body = MassProperties::of_shell(&cube(a), 3.0).unwrap();
    assert!(close(body.extent, 6.0 * a * a, 1e-14) && close(body.mass, 18.0 * a * a, 1e-14));
    let moment = 5.0 / 18.0 * body.mass * a * a;
    assert!(mat_close(body.inertia, DMat3::from_diagonal(DVec3::splat(moment)), 1e-13));
    // A regular tetrahedron of edge s: four triangles with s²/24 about each in-plane axis, and distance s/√24; 1/12 m s².
    let vertex = vec![
        DVec3::ONE,
        DVec3::new(1.0, -1.0, -1.0),
        DVec3::new(-1.0, 1.0, -1.0),
        DVec3::new(-1.0, -1.0, 1.0),
    ];
    let mut shell = TriangleMesh { vertex, triangle: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] };
    shell.translate(DVec3::new(7.0, 0.0, -9.0));
    let body = MassProperties::of_shell(&shell, 3.0).unwrap();
    assert!(body.centre.abs_diff_eq(DVec3::new(7.0, 0.0, -9.0), 1e-14));
    assert!(mat_close(body.inertia, DMat3::from_diagonal(DVec3::splat(body.mass * 8.0 / 12.0)), 1e-13));
    // One triangle, which has no volume but a mass.
    shell.triangle.truncate(1);
    assert!(MassProperties::of_shell(&shell, 3.0).is_ok());
}

/// How many times smaller an error gets when the mesh becomes twice as fine.
fn orders(error: impl Fn(u32) -> f64) -> [f64; 2] {
    let e = [3, 4, 5].map(error);
    [e[0] / e[1], e[1] / e[2]]
}

#[test]
fn round_meshes_converge_at_second_order() {
    let ball = MassProperties::of_shape(&Shape::Sphere { radius: 1.0 }, DENSITY).unwrap();
    let (major, minor) = (1.0, 0.4);
    let volume = 2.0 * PI * PI * major * minor * minor;
    let about_axis = volume * DENSITY * (major * major + 0.75 * minor * minor);
    let across = volume * DENSITY * (0.5 * major * major + 0.625 * minor * minor);
    let ring = |k: u32| of(torus(major, minor, 16 << (k - 3), 8 << (k - 3)));
    for ratios in [
        orders(|k| (of(sphere(k)).mass / ball.mass - 1.0).abs()),
        orders(|k| (of(sphere(k)).inertia.x_axis.x / ball.inertia.x_axis.x - 1.0).abs()),
        orders(|k| {
            (MassProperties::of_shell(&sphere(k), 1.0).unwrap().inertia.y_axis.y / (8.0 * PI / 3.0) - 1.0)
                .abs()
        }),
        orders(|k| (ring(k).extent / volume - 1.0).abs()),
        orders(|k| (ring(k).inertia.y_axis.y / about_axis - 1.0).abs()),
        orders(|k| (ring(k).inertia.x_axis.x / across - 1.0).abs()),
    ] {
        assert!(ratios.iter().all(|r| *r > 3.7 && *r < 4.3), "{ratios:?}");
    }
}

#[test]
fn a_cylinder_is_the_limit_of_its_prisms() {
    let exact = MassProperties::of_shape(&Shape::Cylinder { radius: 0.3, height: 1.1 }, DENSITY).unwrap();
    let n = 2000u32;
    let rim = |k: u32, y: f64| {
        let angle = f64::from(k) / f64::from(n) * 2.0 * PI;
        DVec3::new(0.3 * angle.sin(), y, 0.3 * angle.cos())
    };
    let mut vertex: Vec<DVec3> = (0..n).flat_map(|k| [rim(k, -0.55), rim(k, 0.55)]).collect();
    vertex.extend([DVec3::Y * -0.55, DVec3::Y * 0.55]);
    let triangle = (0..n).flat_map(|k| {
        let [a, b, c, d] = [2 * k, 2 * ((k + 1) % n), 2 * ((k + 1) % n) + 1, 2 * k + 1];
        [[a, b, c], [a, c, d], [2 * n, b, a], [2 * n + 1, d, c]]
    });
    let body = of(TriangleMesh { vertex, triangle: triangle.collect() });
    assert!(close(body.mass, exact.mass, 1e-5) && mat_close(body.inertia, exact.inertia, 1e-5));
}

#[test]
fn sections_are_planar_bodies() {
    let pose = Pose { translation: DVec3::new(3.0, 4.0, 0.0), rotation: DQuat::from_rotation_z(0.4) };
    let size = DVec3::new(0.8, 0.3, 0.5);
    let flat = MassProperties::of_section(&box_of(size), &pose, DENSITY).unwrap();
    assert!(close(flat.mass, 0.24 * DENSITY, 1e-14) && flat.centre.abs_diff_eq(pose.translation, 1e-14));
    assert!(close(flat.inertia.z_axis.z, flat.mass * (0.64 + 0.09) / 12.0, 1e-13));
    let mesh = Shape::Mesh(Arc::new(MeshShape::new(box_mesh(size)).unwrap()));
    let cut = MassProperties::of_section(&mesh, &pose, DENSITY).unwrap();
    assert!(close(cut.mass, flat.mass, 1e-13) && cut.centre.abs_diff_eq(flat.centre, 1e-13));
    assert!(mat_close(cut.inertia, flat.inertia, 1e-12));
    let disc =
        MassProperties::of_section(&Shape::Sphere { radius: 0.5 }, &Pose::at(DVec3::Z * 0.3), 2.0).unwrap();
    assert!(
        close(disc.mass, 2.0 * PI * 0.16, 1e-14) && close(disc.inertia.z_axis.z, disc.mass * 0.08, 1e-14)
    );
    // A tilted cube: the section through opposite corners is a regular hexagon with side a/√2.
    let turn = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    let cube = Shape::Mesh(Arc::new(MeshShape::new(cube(1.0)).unwrap()));
    let hexagon =
        MassProperties::of_section(&cube, &Pose { translation: DVec3::ZERO, rotation: turn }, 1.0).unwrap();
    assert!(close(hexagon.extent, 3.0 * 3f64.sqrt() / 4.0, 1e-12));
    assert!(close(hexagon.inertia.z_axis.z, hexagon.mass * 5.0 / 24.0, 1e-12));
}

#[test]
fn nonsense_is_refused() {
    let ball = Shape::Sphere { radius: 1.0 };
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = MassProperties::of_shape(&ball, density).unwrap_err().to_string();
        assert!(error.contains("a positive, finite density"), "{error}");
        assert!(MassProperties::of_shell(&cube(1.0), density).is_err());
        assert!(MassProperties::of_section(&ball, &Pose::IDENTITY, density).is_err());
        assert!(MassProperties::of_shape(&ball, 1.0).unwrap().with_mass(density).is_err());
    }
    assert!(MassProperties::of_shape(&Shape::Plane { size: [1.0, 1.0] }, 1.0).is_err());
    assert!(MassProperties::of_shape(&Shape::Sphere { radius: -1.0 }, 1.0).is_err());
    assert!(MassProperties::of_section(&ball, &Pose::at(DVec3::Z * 2.0), 1.0).is_err());
    let mut open = cube(1.0);
    open.triangle.pop();
    let error = MassProperties::of_mesh(&MeshShape::new(open).unwrap(), 1.0).unwrap_err().to_string();
    assert!(error.contains("not closed"), "{error}");
    // Two triangles back to back enclose nothing.
    let vertex = vec![DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.1, 0.7, 0.4), DVec3::new(0.3, 0.9, 1.2)];
    let flat = TriangleMesh { vertex, triangle: vec![[0, 1, 2], [0, 2, 1]] };
    let error = MassProperties::of_mesh(&MeshShape::new(flat).unwrap(), 1.0).unwrap_err().to_string();
    assert!(error.contains("without volume"), "{error}");
    assert!(MassProperties::of_shell(&TriangleMesh::default(), 1.0).is_err());
    let heavy = MassProperties::of_shape(&ball, 1.0).unwrap().with_mass(5.0).unwrap();
    assert!(close(heavy.inertia.x_axis.x, 2.0, 1e-14) && close(heavy.principal_moments.z, 2.0, 1e-14));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn moving_turning_and_scaling_do_what_they_should(
        corner in proptest::collection::vec(proptest::array::uniform3(-1.0..1.0f64), 4),
        axis in proptest::array::uniform3(-1.0..1.0f64),
        angle in 0.0..3.0f64,
        by in proptest::array::uniform3(-1e3..1e3f64),
        factor in 0.01..100.0f64,
        as_shell: bool,
    ) {
        let vertex: Vec<DVec3> = corner.into_iter().map(DVec3::from).collect();
        let volume = (vertex[1] - vertex[0]).cross(vertex[2] - vertex[0]).dot(vertex[3] - vertex[0]) / 6.0;
        prop_assume!(volume.abs() > 0.01);
        prop_assume!(DVec3::from(axis).length() > 0.1);
        let mesh = TriangleMesh { vertex, triangle: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] };
        let of = |mesh: TriangleMesh| if as_shell { MassProperties::of_shell(&mesh, DENSITY).unwrap() } else { of(mesh) };
        let body = of(mesh.clone());
        let turn = DQuat::from_axis_angle(DVec3::from(axis).normalize(), angle);
        let place = DAffine3::from_scale_rotation_translation(DVec3::splat(factor), turn, DVec3::from(by));
        let moved = of(placed(mesh, place));
        let (power, r) = (if as_shell { 2 } else { 3 }, DMat3::from_quat(turn));
        // Coordinates of 1000 m are known to 1e-13 m, the smallest bodies are 0.01 m.
        prop_assert!(close(moved.mass, body.mass * factor.powi(power), 1e-9));
        prop_assert!(moved.centre.abs_diff_eq(place.transform_point3(body.centre), 1e-9));
        let expected = r * (body.inertia * factor.powi(power + 2)) * r.transpose();
        prop_assert!(mat_close(moved.inertia, expected, 1e-9));
        let axes = DMat3::from_quat(moved.principal_axes);
        let again = axes * DMat3::from_diagonal(moved.principal_moments) * axes.transpose();
        prop_assert!(mat_close(again, moved.inertia, 1e-13));
        let m = moved.principal_moments;
        // No body is harder to turn about one axis than about both others together.
        prop_assert!(m.x > 0.0 && m.z <= (m.x + m.y) * (1.0 + 1e-9));
    }
}
