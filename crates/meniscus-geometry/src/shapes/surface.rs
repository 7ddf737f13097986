//! The surface of any shape as a mesh, for pictures and files.

use super::{BoxMesh, CylinderMesh, PlanePatch, SEGMENTS, SphereMesh};
use crate::{GeometryError, Shape, TriangleMesh};

impl Shape {
    /// Its surface: that of a box without its missing faces' holes, the patch of a plane, round shapes in chords.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] if a size is not positive and finite.
    pub fn surface(&self) -> Result<TriangleMesh, GeometryError> {
        match self {
            Self::Box { size, .. } => BoxMesh { size: *size, segments: 1 }.mesh(),
            Self::Sphere { radius } => SphereMesh { radius: *radius, segments: SEGMENTS }.mesh(),
            Self::Cylinder { radius, height } => {
                CylinderMesh { radius: *radius, height: *height, segments: SEGMENTS }.mesh()
            }
            Self::Plane { size } => PlanePatch { size: *size, segments: 1 }.mesh(),
            Self::Mesh(mesh) => Ok(mesh.mesh().clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{OpenFaces, Pose};

    #[test]
    fn surfaces_fill_the_bounds_of_their_shapes() {
        let shapes = [
            Shape::Box { size: DVec3::new(1.0, 2.0, 3.0), open: OpenFaces::NONE },
            Shape::Sphere { radius: 0.5 },
            Shape::Cylinder { radius: 0.5, height: 2.0 },
            Shape::Plane { size: [2.0, 3.0] },
        ];
        for shape in shapes {
            let (surface, bounds) = (shape.surface().unwrap(), shape.bounds(&Pose::IDENTITY));
            assert!((surface.bounds().size() - bounds.size()).abs().max_element() < 0.01, "{shape:?}");
        }
        let flat = Shape::Box { size: DVec3::new(1.0, 0.0, 3.0), open: OpenFaces::NONE };
        assert!(flat.surface().is_err());
    }
}
