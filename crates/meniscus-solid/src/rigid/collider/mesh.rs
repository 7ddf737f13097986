//! Shapes of meshes.

use std::sync::Arc;

use glam::DVec3;
use meniscus_geometry::{
    Aabb, ExactDistance, MeshDistance, MeshShape, Side, SignedDistance, TriangleMesh, UniformField,
};

use super::primitives::{ROUNDING, require};
use super::samples::Samples;
use super::{ColliderGeometry, ColliderShape, MeshCollider};
use crate::SolidError;

/// What an edge may hide before it is sampled, as a share of the half thickness `[1]`.
const EDGE_TOLERANCE: f64 = 0.01;
/// Cells of a distance across the half thickness, if there is room for so many `[1]`.
const CELLS_ACROSS: f64 = 5.0;
/// Cells of a distance along the longest side, at least `[1]`.
const CELLS_ALONG: f64 = 24.0;
/// The most cells of a distance `[1]`: 16 MB.
const MAX_FIELD_CELLS: f64 = 4e6;
/// Cells across the half thickness below which a grid would lose the inside `[1]`.
const TOO_COARSE: f64 = 1.5;
/// Triangles below which the inside is looked for `[1]`.
const PROBES: usize = 4096;

impl ColliderShape {
    /// A closed mesh with its distance. Without one the mesh is a shell of the given half thickness `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if the mesh has no vertices, its distance has no inside, or the thickness is not positive
    /// and finite.
    pub fn mesh(mesh: Arc<TriangleMesh>, body: MeshCollider) -> Result<Arc<Self>, SolidError> {
        let complete = mesh.corners().count() == mesh.triangle.len();
        if mesh.vertex.is_empty() || !complete || mesh.vertex.iter().any(|v| !v.is_finite()) {
            let what = format!("{} vertices and {} triangles", mesh.vertex.len(), mesh.triangle.len());
            return Err(SolidError::invalid("mesh", what, "finite vertices and triangles between them"));
        }
        match body {
            MeshCollider::Volume(field) => {
                let thickness = deepest(field.as_ref(), &mesh);
                if !(thickness > 0.0 && thickness.is_finite()) {
                    let what = format!("a depth of {thickness} m inside of it");
                    return Err(SolidError::invalid("mesh", what, "a distance that is negative somewhere"));
                }
                Ok(Self::with_thickness(mesh, field, thickness))
            }
            MeshCollider::Shell { half_thickness } => {
                require("shell", &[half_thickness])?;
                let samples = Samples::of_mesh(&mesh, half_thickness, false, EDGE_TOLERANCE * half_thickness);
                let bounds = samples.bounds();
                let (geometry, parts) = (ColliderGeometry::Mesh(mesh), Vec::new());
                Ok(Arc::new(Self { geometry, field: None, samples, bounds, parts, half_thickness: 0.0 }))
            }
        }
    }

    /// The volume of a closed mesh, with its distance on a grid as fine as its thickness asks for; where such a grid would
    /// be too large, with the exact distance, which takes many times longer to ask.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if the mesh is not closed or has no inside.
    pub fn volume(mesh: &Arc<MeshShape>) -> Result<Arc<Self>, SolidError> {
        let (field, thickness) = sampled(mesh)?;
        Ok(Self::with_thickness(Arc::new(mesh.mesh().clone()), field, thickness))
    }

    /// Everything outside of a closed mesh, as a wall.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if the mesh is not closed or has no inside.
    pub fn room_in_mesh(mesh: &Arc<MeshShape>) -> Result<Arc<Self>, SolidError> {
        Ok(Self::container(sampled(mesh)?.0))
    }

    fn with_thickness(mesh: Arc<TriangleMesh>, field: Arc<dyn SignedDistance>, thickness: f64) -> Arc<Self> {
        let samples = Samples::of_mesh(&mesh, ROUNDING * thickness, true, EDGE_TOLERANCE * thickness);
        Self::volumetric(ColliderGeometry::Mesh(mesh), field, samples, thickness)
    }
}

/// The distance to a closed mesh, and how deep inside of it one can be `[m]`.
fn sampled(mesh: &Arc<MeshShape>) -> Result<(Arc<dyn SignedDistance>, f64), SolidError> {
    let invalid = |what: String| SolidError::invalid("mesh", what, "a closed mesh with a volume");
    mesh.require_closed().map_err(|error| invalid(error.to_string()))?;
    let exact = MeshDistance::new(mesh);
    let thickness = deepest(&exact, mesh.mesh());
    if !(thickness > 0.0 && thickness.is_finite()) {
        return Err(invalid(format!("a depth of {thickness} m inside of it")));
    }
    let size = exact.bounds().size();
    let smallest = (size.element_product() / MAX_FIELD_CELLS).cbrt();
    let cell = (thickness / CELLS_ACROSS).min(size.max_element() / CELLS_ALONG).max(smallest);
    if cell * TOO_COARSE > thickness {
        let field = ExactDistance { shape: meniscus_geometry::Shape::Mesh(mesh.clone()), side: Side::Solid };
        return Ok((Arc::new(field), thickness));
    }
    let field = UniformField::of_distance(&exact, cell).map_err(|error| invalid(error.to_string()))?;
    Ok((Arc::new(field), thickness))
}

/// How deep inside of a surface one can be, by trying a lattice of points, and points below the triangles of its mesh,
/// which also find thin walls `[m]`.
fn deepest(field: &dyn SignedDistance, mesh: &TriangleMesh) -> f64 {
    const POINTS: u32 = 24;
    let bounds: Aabb = field.bounds();
    let cell = bounds.size() / f64::from(POINTS);
    let at = |k: u32| {
        let index =
            DVec3::new(f64::from(k % POINTS), f64::from(k / POINTS % POINTS), f64::from(k / POINTS / POINTS));
        -field.distance(bounds.min + (index + 0.5) * cell)
    };
    let lattice = (0..POINTS.pow(3)).map(at).fold(0.0, f64::max);
    let every = mesh.triangle.len().div_ceil(PROBES).max(1);
    let below = |[a, b, c]: [DVec3; 3]| {
        let inward = -(b - a).cross(c - a).normalize_or_zero();
        let depth =
            |k: i32| -field.distance((a + b + c) / 3.0 + inward * cell.max_element() * 0.5_f64.powi(k));
        (0..8).map(depth).fold(0.0, f64::max)
    };
    mesh.corners().step_by(every).map(below).fold(lattice, f64::max)
}

#[cfg(test)]
mod tests {
    use meniscus_geometry::OpenFaces;
    use meniscus_geometry::shape::builtin::{Cup, Torus};

    use super::*;
    use crate::rigid::collider::primitives::cuboid_mesh;

    #[test]
    fn a_mesh_cube_is_like_a_box() {
        let mesh = Arc::new(cuboid_mesh(DVec3::splat(0.5)));
        assert!((mesh.volume() - 1.0).abs() < 1e-12);
        let shape = meniscus_geometry::Shape::Box { size: DVec3::ONE, open: OpenFaces::NONE };
        let field = Arc::new(ExactDistance { shape, side: Side::Solid });
        let shape = ColliderShape::mesh(mesh, MeshCollider::Volume(field)).unwrap();
        let cube = ColliderShape::cuboid(DVec3::ONE).unwrap();
        assert_eq!(shape.samples.item, cube.samples.item);
        assert!((shape.half_thickness - 0.5).abs() < 0.03);
    }

    #[test]
    fn grids_follow_the_thickness_of_meshes() {
        let torus = Torus { radius: 2.0, tube: 0.5, segments: 192 }.mesh().unwrap();
        let torus = Arc::new(MeshShape::new(torus).unwrap());
        let shape = ColliderShape::volume(&torus).unwrap();
        assert!((shape.half_thickness - 0.5).abs() < 0.05, "{}", shape.half_thickness);
        let field = shape.field().unwrap();
        for k in 0..200 {
            let t = f64::from(k);
            let across = 2.0 + 0.6 * (t * 0.371).sin();
            let x = DVec3::new(across * t.cos(), 0.6 * (t * 0.737).sin(), across * t.sin());
            let exact = (x.x.hypot(x.z) - 2.0).hypot(x.y) - 0.5;
            // In the middle of the tube the distance has a kink.
            assert!(exact < -0.2 || (field.distance(x) - exact).abs() < 0.02, "{x}");
        }
        // A wall of a hundredth of the cup's height has an inside too.
        let cup = Cup { radius: 0.4, height: 1.0, thickness: 0.01, segments: 48 }.mesh().unwrap();
        let cup = ColliderShape::volume(&Arc::new(MeshShape::new(cup).unwrap())).unwrap();
        assert!((0.003..0.006).contains(&cup.half_thickness), "{}", cup.half_thickness);
        assert!(cup.field().unwrap().distance(DVec3::new(0.395, 0.0, 0.0)) < -0.003);
    }

    #[test]
    fn meshes_without_sense_are_refused() {
        let flat = Arc::new(TriangleMesh {
            vertex: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            triangle: vec![[0, 1, 2]],
        });
        assert!(ColliderShape::volume(&Arc::new(MeshShape::new((*flat).clone()).unwrap())).is_err());
        assert!(ColliderShape::mesh(flat.clone(), MeshCollider::Shell { half_thickness: 0.0 }).is_err());
        assert!(ColliderShape::mesh(flat, MeshCollider::Shell { half_thickness: 0.01 }).is_ok());
        let broken = Arc::new(TriangleMesh { vertex: vec![DVec3::ZERO], triangle: vec![[0, 1, 2]] });
        assert!(ColliderShape::mesh(broken, MeshCollider::Shell { half_thickness: 0.01 }).is_err());
    }
}
