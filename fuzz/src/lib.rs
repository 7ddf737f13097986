//! What every mesh that was read must endure.

use meniscus_geometry::{MassProperties, MeshShape, TriangleMesh};

/// Indices must be in range and places finite; the mesh is then mended, described and weighed.
pub fn endure(mesh: TriangleMesh) {
    assert!(mesh.triangle.iter().flatten().all(|i| (*i as usize) < mesh.vertex.len()));
    assert!(mesh.vertex.iter().all(|v| v.is_finite()));
    // A fuzzer learns from many quick runs.
    if mesh.triangle.len() > 2000 {
        return;
    }
    let Ok(shape) = MeshShape::new(mesh) else { return };
    let report = shape.report();
    assert_eq!(report.is_closed(), shape.require_closed().is_ok());
    assert!(!report.to_string().is_empty());
    if let Ok(body) = MassProperties::of_mesh(&shape, 1000.0) {
        assert!(body.mass > 0.0 && body.centre.is_finite() && body.principal_axes.is_normalized());
    }
}
