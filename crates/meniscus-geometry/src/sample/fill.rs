//! Lattice points of a fluid volume.

use glam::{DVec2, DVec3};
use meniscus_core::Dimension;
use rayon::prelude::*;

use crate::distance::solid::to_shape;
use crate::error::{allow_count, require_positive};
use crate::shape::section::{Flat, Section};
use crate::{GeometryError, Pose, Shape, Side};

/// The lattice points of a fluid volume, `spacing` `[m]` apart, x fastest, then y, then z.
///
/// A box gets a lattice along its own edges that starts half a spacing from its lower corner, with the nearest
/// whole number of cells (at least one) along each; spacing stays exact, so the last points may be up to half a
/// spacing nearer to or further from the upper faces. Every other shape gets those points of a lattice along the
/// scene's axes that lie inside; its cells meet at the shape's centre. In two dimensions there is one layer with
/// z = 0.
///
/// # Errors
/// If the spacing, the shape's sizes or its pose make no sense, if the shape has no volume (a plane, a mesh with
/// holes), or if [`fill_count`] exceeds [`MAX_POINTS`](crate::MAX_POINTS).
pub fn fill(
    shape: &Shape,
    pose: &Pose,
    spacing: f64,
    dimension: Dimension,
) -> Result<Vec<DVec3>, GeometryError> {
    let lattice = Lattice::new(shape, pose, spacing, dimension)?;
    allow_count(lattice.len())?;
    let distance = |x: DVec3| to_shape(shape, pose, Side::Solid, x, dimension);
    Ok(match shape {
        Shape::Box { .. } => lattice.rows().flat_map_iter(|row| lattice.row(row)).collect(),
        _ => lattice.rows().flat_map_iter(|row| lattice.row_inside(row, &distance)).collect(),
    })
}

/// How many points [`fill`] has to look at, and thus the most it can return `[1]`; exact for a box. Cheap for any
/// spacing, so that a scene can be refused before anything is allocated.
///
/// # Errors
/// As [`fill`], but not for the number of points.
pub fn fill_count(
    shape: &Shape,
    pose: &Pose,
    spacing: f64,
    dimension: Dimension,
) -> Result<f64, GeometryError> {
    Ok(Lattice::new(shape, pose, spacing, dimension)?.len())
}

/// A block of lattice points in the coordinates of `pose`.
struct Lattice {
    pose: Pose,
    first: DVec3,
    spacing: f64,
    /// Points along each axis, whole numbers; floating, because they may be absurd until they are checked.
    count: DVec3,
}

impl Lattice {
    fn new(shape: &Shape, pose: &Pose, spacing: f64, dimension: Dimension) -> Result<Self, GeometryError> {
        require_positive("spacing", spacing)?;
        shape.check()?;
        crate::pose::check(pose)?;
        let block = match (shape, dimension) {
            (Shape::Plane { .. }, _) => return Err(GeometryError::NoVolume),
            (Shape::Box { size, .. }, Dimension::Three) => Self::along_box(*pose, *size, spacing),
            (Shape::Box { .. }, Dimension::Two) => {
                let section = Section::of(shape, pose);
                let size = if let Flat::Rectangle { size, .. } = section.flat { size } else { DVec2::ZERO };
                Self::along_box(section.pose, size.extend(0.0), spacing)
            }
            _ => Self::around(shape, pose, spacing)?,
        };
        Ok(if dimension == Dimension::Two { block.flat() } else { block })
    }

    fn along_box(pose: Pose, size: DVec3, spacing: f64) -> Self {
        let first = DVec3::splat(0.5 * spacing) - 0.5 * size;
        Self { pose, first, spacing, count: (size / spacing).round().max(DVec3::ONE) }
    }

    /// All candidates in the bounds of a shape that is not a box.
    fn around(shape: &Shape, pose: &Pose, spacing: f64) -> Result<Self, GeometryError> {
        if let Shape::Mesh(mesh) = shape {
            mesh.require_closed()?;
        }
        let bounds = shape.bounds(pose);
        let half_count = (0.5 * bounds.size() / spacing).ceil();
        let first = bounds.centre() + (DVec3::splat(0.5) - half_count) * spacing;
        Ok(Self { pose: Pose::IDENTITY, first, spacing, count: 2.0 * half_count })
    }

    /// Only the layer z = 0.
    fn flat(mut self) -> Self {
        self.first.z = 0.0;
        self.count.z = 1.0;
        self
    }

    fn len(&self) -> f64 {
        self.count.element_product()
    }

    /// The rows along x in their order; only after [`Lattice::len`] was found sane.
    fn rows(&self) -> impl IndexedParallelIterator<Item = usize> {
        (0..self.count.y as usize * self.count.z as usize).into_par_iter()
    }

    /// The points of a row.
    fn row(&self, row: usize) -> impl Iterator<Item = DVec3> {
        let rows_per_layer = self.count.y as usize;
        let (j, k) = ((row % rows_per_layer) as f64, (row / rows_per_layer) as f64);
        (0..self.count.x as usize).map(move |i| {
            let step = DVec3::new(i as f64, j, k);
            self.pose.to_world(self.first + step * self.spacing)
        })
    }

    /// The points of a row where the signed distance is not positive. It changes no faster than the place does, so
    /// all points nearer than its value are on the same side and need not be asked; only few far from the surface
    /// are, where a mesh takes longest to answer.
    fn row_inside(&self, row: usize, distance: &impl Fn(DVec3) -> f64) -> Vec<DVec3> {
        let mut inside = Vec::new();
        let mut points = self.row(row).peekable();
        while let Some(&x) = points.peek() {
            let d = distance(x);
            let same_side = ((d.abs() / self.spacing).ceil() as usize).max(1);
            let run = points.by_ref().take(same_side);
            if d <= 0.0 {
                inside.extend(run);
            } else {
                run.for_each(drop);
            }
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DQuat;
    use meniscus_core::Dimension::{Three, Two};

    use super::*;
    use crate::{MAX_POINTS, MeshShape, OpenFaces, test_mesh};

    fn block(size: DVec3) -> Shape {
        Shape::Box { size, open: OpenFaces::NONE }
    }

    #[test]
    fn a_box_gets_the_nearest_whole_number_of_cells_in_order() {
        let shape = block(DVec3::new(1.0, 0.52, 0.01));
        let points = fill(&shape, &Pose::IDENTITY, 0.1, Three).unwrap();
        assert_eq!(points.len(), 10 * 5);
        assert!(points[0].abs_diff_eq(DVec3::new(-0.45, -0.21, 0.045), 1e-12));
        assert!((points[1] - points[0]).abs_diff_eq(DVec3::X * 0.1, 1e-12));
        assert!((points[10] - points[0]).abs_diff_eq(DVec3::Y * 0.1, 1e-12));
        let count = fill_count(&shape, &Pose::IDENTITY, 0.1, Three).unwrap();
        assert!((count - 50.0).abs() < f64::EPSILON);
    }

    #[test]
    fn two_dimensions_have_one_layer_at_zero() {
        let pose = Pose { translation: DVec3::new(1.0, 2.0, 3.0), rotation: DQuat::from_rotation_z(0.4) };
        let points = fill(&block(DVec3::ONE), &pose, 0.1, Two).unwrap();
        assert_eq!(points.len(), 100);
        assert!(points.iter().all(|p| p.z == 0.0));
        let centre = points.iter().sum::<DVec3>() / 100.0;
        assert!(centre.abs_diff_eq(DVec3::new(1.0, 2.0, 0.0), 1e-12));
        let disc = fill(&Shape::Sphere { radius: 1.0 }, &Pose::IDENTITY, 0.05, Two).unwrap();
        assert!((disc.len() as f64 * 0.05 * 0.05 - std::f64::consts::PI).abs() < 0.02);
        assert!(disc.iter().all(|p| p.z == 0.0));
    }

    #[test]
    fn round_shapes_are_filled_to_their_volume() {
        let pose = Pose {
            translation: DVec3::ONE,
            rotation: DQuat::from_rotation_x(0.3) * DQuat::from_rotation_z(0.2),
        };
        let cases = [
            (Shape::Sphere { radius: 0.5 }, 4.0 / 3.0 * std::f64::consts::PI * 0.125),
            (Shape::Cylinder { radius: 0.4, height: 1.2 }, std::f64::consts::PI * 0.16 * 1.2),
            (Shape::Mesh(Arc::new(MeshShape::new(test_mesh::cube(1.0)).unwrap())), 1.0),
        ];
        for (shape, volume) in cases {
            let points = fill(&shape, &pose, 0.04, Three).unwrap();
            assert!((points.len() as f64 * 0.04f64.powi(3) / volume - 1.0).abs() < 0.02, "{shape:?}");
        }
    }

    #[test]
    fn a_filled_mesh_has_exactly_the_points_inside() {
        let mesh = Arc::new(MeshShape::new(test_mesh::sphere(2)).unwrap());
        let pose = Pose { translation: DVec3::new(0.1, 0.2, 0.3), rotation: DQuat::from_rotation_y(0.4) };
        let shape = Shape::Mesh(mesh.clone());
        for dimension in [Two, Three] {
            let lattice = Lattice::new(&shape, &pose, 0.11, dimension).unwrap();
            let all = (0..lattice.rows().len()).flat_map(|row| lattice.row(row));
            let inside: Vec<DVec3> = all.filter(|x| mesh.signed_distance(pose.to_local(*x)) <= 0.0).collect();
            assert_eq!(fill(&shape, &pose, 0.11, dimension).unwrap(), inside);
        }
    }

    #[test]
    fn absurd_and_meaningless_requests_are_errors() {
        let big = block(DVec3::splat(1e6));
        assert!(fill_count(&big, &Pose::IDENTITY, 1e-3, Three).unwrap() > MAX_POINTS);
        assert!(matches!(fill(&big, &Pose::IDENTITY, 1e-3, Three), Err(GeometryError::TooMany { .. })));
        let ball = Shape::Sphere { radius: 1e300 };
        assert!(matches!(fill(&ball, &Pose::IDENTITY, 1e-300, Three), Err(GeometryError::TooMany { .. })));
        let plane = Shape::Plane { size: [1.0, 1.0] };
        assert_eq!(fill(&plane, &Pose::IDENTITY, 0.1, Three), Err(GeometryError::NoVolume));
        assert!(fill(&big, &Pose::IDENTITY, 0.0, Three).is_err());
    }
}
