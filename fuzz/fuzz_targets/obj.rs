//! Any bytes as an OBJ file, and everything a scene does with the mesh: nothing may panic, and what comes out must
//! be finite.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use meniscus_core::{DVec3, Dimension};
use meniscus_fuzz::endure;
use meniscus_geometry::{MeshShape, Pose, Shape, Side, Solid, TriangleMesh, fill};

fuzz_target!(|data: &[u8]| {
    let Ok(mesh) = TriangleMesh::read_obj(data) else { return };
    endure(mesh.clone());
    let Ok(mesh) = MeshShape::new(mesh) else { return };
    let bounds = mesh.mesh().bounds();
    let probe = bounds.centre() + DVec3::new(0.1, 0.2, 0.3) * bounds.size();
    assert!(mesh.signed_distance(probe).is_finite() && mesh.closest_point(probe).is_finite());
    // Small meshes only: a fuzzer learns from many quick runs.
    if mesh.mesh().triangle.len() > 100 {
        return;
    }
    let spacing = bounds.size().max_element() / 6.0;
    let pose = Pose::at(DVec3::new(0.0, 0.0, -bounds.centre().z));
    let shape = Shape::Mesh(Arc::new(mesh));
    for dimension in [Dimension::Two, Dimension::Three] {
        if let Ok(points) = fill(&shape, &pose, spacing, dimension) {
            assert!(points.iter().all(|p| p.is_finite()));
        }
        for side in [Side::Solid, Side::Container] {
            let solid = Solid { shape: shape.clone(), pose, side };
            if let Ok(points) = solid.sample_surface(spacing, 0.5 * spacing, dimension) {
                assert!(points.iter().all(|p| p.is_finite()));
            }
            assert!(solid.outline(dimension).iter().flatten().all(|p| p.is_finite()));
        }
    }
});
