//! Analytic shapes, and solids: a shape somewhere in space with matter on one side of its surface.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::builtin::{BoxMesh, CylinderMesh, PlanePatch, SEGMENTS, SphereMesh};
use crate::error::require_positive;
use crate::{Aabb, GeometryError, MeshShape, Pose, TriangleMesh};

/// Which faces of a box are missing, in the order −x, +x, −y, +y, −z, +z.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenFaces([bool; 6]);

impl OpenFaces {
    /// No face is missing.
    pub const NONE: Self = Self([false; 6]);

    /// Missing faces in the order −x, +x, −y, +y, −z, +z.
    #[must_use]
    pub const fn new(open: [bool; 6]) -> Self {
        Self(open)
    }

    /// Whether the face at the lower (`upper` = false) or upper end of `axis` (0, 1, 2) is missing.
    #[must_use]
    pub const fn is_open(self, axis: usize, upper: bool) -> bool {
        self.0[2 * axis + upper as usize]
    }

    /// Whether any face is missing.
    #[must_use]
    pub fn any(self) -> bool {
        self.0.contains(&true)
    }
}

/// A geometric shape in its local coordinates, centred at its origin (a mesh where its file puts it).
#[derive(Debug, Clone)]
pub enum Shape {
    /// A box along the local axes.
    Box {
        /// Its edge lengths `[m]`.
        size: DVec3,
        /// Its missing faces: they get no samples, and a container does not end there. (A solid's signed distance
        /// is that of the whole box all the same.)
        open: OpenFaces,
    },
    /// A ball.
    Sphere {
        /// Its radius `[m]`.
        radius: f64,
    },
    /// A cylinder along the local y axis.
    Cylinder {
        /// Its radius `[m]`.
        radius: f64,
        /// Its length `[m]`.
        height: f64,
    },
    /// The half space below the local plane y = 0. It is infinite, but only a patch of it is sampled and drawn.
    Plane {
        /// Edge lengths of that patch along local x and z `[m]`.
        size: [f64; 2],
    },
    /// A triangle mesh.
    Mesh(Arc<MeshShape>),
}

impl Shape {
    /// Refuses sizes that are not positive and finite.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] with the name and value of the first such size.
    pub fn check(&self) -> Result<(), GeometryError> {
        let positive =
            |list: &[(&str, f64)]| list.iter().try_for_each(|(name, v)| require_positive(name, *v));
        match self {
            Self::Box { size, .. } => {
                positive(&[("box size x", size.x), ("box size y", size.y), ("box size z", size.z)])
            }
            Self::Sphere { radius } => positive(&[("sphere radius", *radius)]),
            Self::Cylinder { radius, height } => {
                positive(&[("cylinder radius", *radius), ("cylinder height", *height)])
            }
            Self::Plane { size } => positive(&[("plane size x", size[0]), ("plane size z", size[1])]),
            Self::Mesh(_) => Ok(()),
        }
    }

    /// The smallest box along the scene's axes around the posed shape (a plane: around its patch).
    #[must_use]
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        let half = match self {
            Self::Box { size, .. } => rotated_half_size(pose, 0.5 * *size),
            Self::Plane { size } => rotated_half_size(pose, 0.5 * DVec3::new(size[0], 0.0, size[1])),
            Self::Sphere { radius } => DVec3::splat(*radius),
            Self::Cylinder { radius, height } => {
                // A disc with normal a reaches r √(1 − aᵢ²) along axis i.
                let axis = pose.rotation * DVec3::Y;
                let disc = (DVec3::ONE - axis * axis).max(DVec3::ZERO);
                0.5 * height * axis.abs() + *radius * DVec3::new(disc.x.sqrt(), disc.y.sqrt(), disc.z.sqrt())
            }
            Self::Mesh(mesh) => {
                return Aabb::of_points(mesh.mesh().vertex.iter().map(|v| pose.to_world(*v)));
            }
        };
        Aabb::around(pose.translation, half)
    }
}

fn rotated_half_size(pose: &Pose, half: DVec3) -> DVec3 {
    let turn = DMat3::from_quat(pose.rotation);
    turn.x_axis.abs() * half.x + turn.y_axis.abs() * half.y + turn.z_axis.abs() * half.z
}

/// On which side of a shape's surface its matter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The matter is inside of the shape, the fluid outside.
    Solid,
    /// The fluid is inside of the shape, the matter outside.
    Container,
}

/// A shape with a place in the scene and matter on one side of its surface.
#[derive(Debug, Clone)]
pub struct Solid {
    /// Its form.
    pub shape: Shape,
    /// Its place.
    pub pose: Pose,
    /// Where its matter is.
    pub side: Side,
}

impl Solid {
    /// The smallest box along the scene's axes around the shape (a plane: around its patch).
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.shape.bounds(&self.pose)
    }

    /// The same solid at another place.
    #[must_use]
    pub fn at(&self, pose: Pose) -> Self {
        Self { shape: self.shape.clone(), pose, side: self.side }
    }

    /// Whether its surface separates fluid from matter everywhere. A box with open faces and a mesh with holes do
    /// not; a plane, being infinite, does.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        match &self.shape {
            Shape::Box { open, .. } => !open.any(),
            Shape::Mesh(mesh) => mesh.is_watertight(),
            Shape::Sphere { .. } | Shape::Cylinder { .. } | Shape::Plane { .. } => true,
        }
    }
}

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
    use std::f64::consts::FRAC_PI_2;

    use glam::{DQuat, DVec3};

    use super::*;
    use crate::Pose;

    #[test]
    fn bounds_follow_the_rotation() {
        let pose =
            Pose { translation: DVec3::new(1.0, 2.0, 3.0), rotation: DQuat::from_rotation_z(FRAC_PI_2) };
        let size = DVec3::new(4.0, 2.0, 1.0);
        let b = Shape::Box { size, open: OpenFaces::NONE }.bounds(&pose);
        assert!(b.size().abs_diff_eq(DVec3::new(2.0, 4.0, 1.0), 1e-12));
        assert!(b.centre().abs_diff_eq(pose.translation, 1e-12));
        let b = Shape::Cylinder { radius: 0.5, height: 3.0 }.bounds(&pose);
        assert!(b.size().abs_diff_eq(DVec3::new(3.0, 1.0, 1.0), 1e-7));
        let b = Shape::Plane { size: [4.0, 6.0] }.bounds(&pose);
        assert!(b.size().abs_diff_eq(DVec3::new(0.0, 4.0, 6.0), 1e-12));
    }

    #[test]
    fn bad_sizes_are_named() {
        let error = Shape::Cylinder { radius: 1.0, height: f64::NAN }.check().unwrap_err().to_string();
        assert!(error.contains("cylinder height = NaN m"), "{error}");
        assert!(Shape::Sphere { radius: 0.0 }.check().is_err());
        assert!(Shape::Plane { size: [1.0, 1.0] }.check().is_ok());
    }

    #[test]
    fn only_a_whole_box_is_closed() {
        let tank = |open| Solid {
            shape: Shape::Box { size: DVec3::ONE, open },
            pose: Pose::IDENTITY,
            side: Side::Container,
        };
        assert!(tank(OpenFaces::NONE).is_closed());
        let open_top = OpenFaces::new([false, false, false, true, false, false]);
        assert!(open_top.is_open(1, true) && !open_top.is_open(1, false));
        assert!(!tank(open_top).is_closed());
    }

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
