//! Signs of closed and of damaged meshes beside the sum of all solid angles of the closed mesh.

use glam::DVec3;

use super::{MeshDistance, SixRayVote};
use crate::query::WindingNumber;
use crate::test_mesh::{cube, sphere};
use crate::{MeshShape, SignedDistance, TriangleMesh};

/// A sphere with spikes and hollows.
fn spiky() -> TriangleMesh {
    let mut mesh = sphere(3);
    for v in &mut mesh.vertex {
        let d = *v;
        *v *= 0.6 + 0.4 * ((5.0 * d.x).sin() * (7.0 * d.y).cos() * (6.0 * d.z).sin()).abs().sqrt();
    }
    mesh
}

/// Two cubes that share a vertex, and one that shares an edge with the first.
fn touching() -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for offset in [DVec3::ZERO, DVec3::ONE, DVec3::new(-1.0, -1.0, 0.0)] {
        let mut one = cube(1.0);
        one.translate(offset);
        let base = all.vertex.len() as u32;
        all.vertex.extend(one.vertex);
        all.triangle.extend(one.triangle.iter().map(|t| t.map(|v| v + base)));
    }
    all
}

fn plate() -> TriangleMesh {
    let mut mesh = cube(1.0);
    mesh.scale(DVec3::new(1.0, 0.7, 0.002));
    mesh
}

/// Points all over the box around a mesh, grown by a fifth.
fn probes(mesh: &MeshShape, count: u32) -> impl Iterator<Item = DVec3> {
    let bounds = mesh.mesh().bounds();
    (0..count).map(move |i| {
        let t =
            DVec3::from_array([0.819_172_5, 0.671_043_6, 0.549_700_5].map(|f| (f64::from(i) * f).fract()));
        bounds.min + bounds.size() * (1.2 * t - 0.1)
    })
}

/// Brute force: no tree.
fn is_inside(mesh: &MeshShape, x: DVec3) -> bool {
    let angle = |[a, b, c]: [DVec3; 3]| {
        let (a, b, c) = (a - x, b - x, c - x);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    mesh.mesh().corners().map(angle).sum::<f64>() > std::f64::consts::PI
}

#[test]
fn closed_meshes_have_no_wrong_sign() {
    for mesh in [cube(1.0), sphere(3), spiky(), plate(), touching()] {
        let mesh = MeshShape::new(mesh).unwrap();
        assert!(mesh.is_watertight());
        let distance = MeshDistance::new(&mesh);
        for x in probes(&mesh, 4000) {
            assert_eq!(distance.distance(x) < 0.0, is_inside(&mesh, x), "{mesh:?} {x}");
        }
    }
}

#[test]
fn with_triangles_missing_few_signs_are_wrong() {
    for (mesh, allowed_by_vote) in [(sphere(4), 60), (spiky(), 120)] {
        let closed = MeshShape::new(mesh.clone()).unwrap();
        let mut holed = mesh;
        let mut i = 0u32;
        holed.triangle.retain(|_| {
            i += 1;
            !i.wrapping_mul(2_654_435_761).is_multiple_of(100)
        });
        let holed = MeshShape::new(holed).unwrap();
        assert!(!holed.is_watertight());
        let distance = MeshDistance::new(&holed);
        let (winding, vote) = (WindingNumber::new(&holed), SixRayVote::new(&holed, 1e-6));
        let (mut wrong, mut outvoted) = (0, 0);
        for x in probes(&closed, 4000) {
            let truth = is_inside(&closed, x);
            wrong += u32::from(distance.is_inside(x) != truth);
            outvoted += u32::from(vote.is_inside(x) != truth);
            assert_eq!(winding.is_inside(x), distance.distance(x) < 0.0);
        }
        // A thousandth of 4000.
        assert!(wrong <= 4 && outvoted <= allowed_by_vote, "{wrong} {outvoted}");
    }
}
