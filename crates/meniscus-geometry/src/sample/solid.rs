//! Boundary particles on the surface of a solid.
//!
//! Analytic shapes are sampled on themselves grown or shrunk by the depth, meshes by the scanlines of
//! \[Akinci2013\] Sec. 2.4 on a mesh moved by the depth. In two dimensions the outline of the section with z = 0 is
//! sampled by the same functions.

use glam::DVec3;
use meniscus_core::Dimension;

use super::offset::offset;
use super::{primitives, thinned};
use crate::error::{require_not_negative, require_positive};
use crate::shape::section::{Flat, Section, cut};
use crate::{GeometryError, Pose, Shape, Side, Solid};

impl Solid {
    /// Points about `spacing` `[m]` apart on the surface moved by `depth` `[m]` into the solid matter: inwards, for
    /// a container outwards. In two dimensions they lie on the outline and have z = 0 exactly.
    ///
    /// Where the solid is thinner than twice the depth, the layers of both sides meet in its middle.
    ///
    /// # Errors
    /// If the spacing, the depth, the shape's sizes or the pose make no sense, or if there would be more than
    /// [`MAX_POINTS`](crate::MAX_POINTS) points.
    pub fn sample_surface(
        &self,
        spacing: f64,
        depth: f64,
        dimension: Dimension,
    ) -> Result<Vec<DVec3>, GeometryError> {
        require_positive("spacing", spacing)?;
        require_not_negative("depth", depth)?;
        self.shape.check()?;
        crate::pose::check(&self.pose)?;
        let grow = match self.side {
            Side::Solid => -depth,
            Side::Container => depth,
        };
        match dimension {
            Dimension::Three => in_space(&self.shape, &self.pose, spacing, grow),
            Dimension::Two => in_plane(&Section::of(&self.shape, &self.pose), spacing, grow),
        }
    }
}

fn in_space(shape: &Shape, pose: &Pose, spacing: f64, grow: f64) -> Result<Vec<DVec3>, GeometryError> {
    let mut points = match shape {
        Shape::Box { size, open } => primitives::box_surface(*size + 2.0 * grow, *open, spacing)?,
        Shape::Sphere { radius } => primitives::sphere_surface(radius + grow, spacing)?,
        Shape::Cylinder { radius, height } => {
            primitives::cylinder_surface(radius + grow, height + 2.0 * grow, spacing)?
        }
        Shape::Plane { size } => primitives::patch(*size, grow, spacing)?,
        Shape::Mesh(mesh) => thinned::surface(&offset(mesh, grow), spacing)?,
    };
    for p in &mut points {
        *p = pose.to_world(*p);
    }
    Ok(points)
}

fn in_plane(section: &Section<'_>, spacing: f64, grow: f64) -> Result<Vec<DVec3>, GeometryError> {
    let mut points = match &section.flat {
        Flat::Rectangle { size, open } => {
            primitives::box_surface((*size + 2.0 * grow).extend(0.0), *open, spacing)?
        }
        Flat::Circle { radius } => primitives::circle(radius + grow, spacing)?,
        Flat::Line { length } => primitives::line(*length, grow, spacing)?,
        Flat::Mesh(mesh) => {
            return thinned::outline(&cut(&offset(mesh, grow), &section.pose), spacing);
        }
        Flat::Nothing => Vec::new(),
    };
    for p in &mut points {
        *p = section.pose.to_world(*p).with_z(0.0);
    }
    Ok(points)
}

/// The nearest whole number of intervals of about `spacing` in a length, at least one; none in no length.
/// Floating, because it may be absurd until it is checked.
pub(super) fn intervals(length: f64, spacing: f64) -> f64 {
    if length > 0.0 { (length / spacing).round().max(1.0) } else { 0.0 }
}

/// `n` + 1 coordinates that cut a length centred at 0 into `n` intervals; only the centre if `n` is 0.
pub(super) fn ticks(length: f64, n: f64) -> Vec<f64> {
    if n < 1.0 { vec![0.0] } else { (0..=n as usize).map(|i| length * (i as f64 / n - 0.5)).collect() }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use glam::DQuat;
    use meniscus_core::Dimension::{Three, Two};

    use super::*;
    use crate::{MeshShape, OpenFaces, test_mesh};

    /// The smallest and largest distance of a point to its nearest neighbour.
    pub(crate) fn neighbour_distances(points: &[DVec3]) -> (f64, f64) {
        let nearest = |i: usize| {
            let others = points.iter().enumerate().filter(|(j, _)| *j != i);
            others.map(|(_, p)| p.distance(points[i])).fold(f64::INFINITY, f64::min)
        };
        (0..points.len()).map(nearest).fold((f64::INFINITY, 0.0), |(a, b), d| (d.min(a), d.max(b)))
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::Box { size: DVec3::new(1.0, 0.6, 0.8), open: OpenFaces::NONE },
            Shape::Sphere { radius: 0.5 },
            Shape::Cylinder { radius: 0.4, height: 0.9 },
            Shape::Plane { size: [1.0, 0.7] },
        ]
    }

    #[test]
    fn samples_lie_at_the_depth_and_keep_their_spacing() {
        let (spacing, depth) = (0.06, 0.03);
        let space = DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 0.8);
        let plane = DQuat::from_rotation_z(0.8);
        for shape in shapes() {
            for side in [Side::Solid, Side::Container] {
                for (dimension, rotation) in [(Three, space), (Two, plane)] {
                    let pose = Pose { translation: DVec3::new(0.3, 0.2, 0.1), rotation };
                    let solid = Solid { shape: shape.clone(), pose, side };
                    let points = solid.sample_surface(spacing, depth, dimension).unwrap();
                    assert!(points.len() > 10);
                    for p in &points {
                        let d = solid.signed_distance(*p, dimension);
                        // The corners of a grown box are further away than its faces.
                        let is_corner = side == Side::Container && !matches!(shape, Shape::Sphere { .. });
                        let corner = if is_corner { depth * 3f64.sqrt() } else { depth };
                        assert!(-d > depth - 1e-9 && -d < corner + 1e-9, "{solid:?} {dimension:?} {d}");
                        assert!(dimension == Three || p.z == 0.0);
                    }
                    let (min, max) = neighbour_distances(&points);
                    assert!(
                        min > 0.6 * spacing && max < 1.4 * spacing,
                        "{solid:?} {dimension:?} {min} {max}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_cube_mesh_gives_the_layer_of_the_analytic_box() {
        let (spacing, depth) = (0.1, 0.05);
        for side in [Side::Solid, Side::Container] {
            for dimension in [Two, Three] {
                let with = |shape| {
                    let solid = Solid { shape, pose: Pose::at(DVec3::new(0.1, 0.2, 0.013)), side };
                    solid.sample_surface(spacing, depth, dimension).unwrap()
                };
                let size = DVec3::ONE;
                let exact = with(Shape::Box { size, open: OpenFaces::NONE });
                let mesh = with(Shape::Mesh(Arc::new(MeshShape::new(test_mesh::cube(1.0)).unwrap())));
                let grow = if side == Side::Solid { -depth } else { depth };
                let layer = Solid {
                    shape: Shape::Box { size: size + 2.0 * grow, open: OpenFaces::NONE },
                    pose: Pose::at(DVec3::new(0.1, 0.2, 0.013)),
                    side: Side::Solid,
                };
                for p in &mesh {
                    assert!(layer.signed_distance(*p, dimension).abs() < 1e-9);
                }
                let gap = |x: &DVec3| mesh.iter().map(|p| p.distance(*x)).fold(f64::INFINITY, f64::min);
                assert!(exact.iter().map(gap).fold(0.0, f64::max) < 0.75 * spacing);
                let (min, max) = neighbour_distances(&mesh);
                assert!(min >= 0.5 * spacing && max <= spacing * (1.0 + 1e-9), "{dimension:?} {min} {max}");
                let ratio = mesh.len() as f64 / exact.len() as f64;
                assert!(ratio > 0.9 && ratio < 1.6, "{ratio}");
            }
        }
    }

    #[test]
    fn a_round_mesh_is_a_circle_in_the_plane() {
        let mesh = MeshShape::new(test_mesh::sphere(4)).unwrap();
        let solid = Solid {
            shape: Shape::Mesh(Arc::new(mesh)),
            pose: Pose { translation: DVec3::new(2.0, 0.0, 0.6), rotation: DQuat::from_rotation_x(0.4) },
            side: Side::Solid,
        };
        let points = solid.sample_surface(0.1, 0.0, Two).unwrap();
        for p in &points {
            assert!(p.z == 0.0 && (p.distance(DVec3::X * 2.0) - 0.8).abs() < 0.01, "{p}");
        }
        // The polyline's own vertices are kept where they are not too near, so there may be more than needed.
        let needed = std::f64::consts::TAU * 0.8 / 0.1;
        assert!(points.len() as f64 >= needed && (points.len() as f64) < 2.0 * needed, "{}", points.len());
        let (min, max) = neighbour_distances(&points);
        assert!(min >= 0.05 * (1.0 - 1e-9) && max <= 0.15, "{min} {max}");
    }

    #[test]
    fn solids_thinner_than_the_depth_still_have_samples() {
        for shape in shapes() {
            let solid = Solid { shape, pose: Pose::IDENTITY, side: Side::Solid };
            for dimension in [Two, Three] {
                let points = solid.sample_surface(0.1, 0.45, dimension).unwrap();
                assert!(!points.is_empty());
                assert!(points.len() < 2 || neighbour_distances(&points).0 > 0.05, "{solid:?}");
            }
        }
    }

    #[test]
    fn absurd_requests_are_errors() {
        let mut all = shapes();
        all.push(Shape::Mesh(Arc::new(MeshShape::new(test_mesh::cube(1.0)).unwrap())));
        for shape in all {
            let solid = Solid { shape, pose: Pose::IDENTITY, side: Side::Solid };
            for dimension in [Two, Three] {
                for spacing in [1e-300, 1e-12] {
                    let result = solid.sample_surface(spacing, 0.01, dimension);
                    assert!(matches!(result, Err(GeometryError::TooMany { .. })), "{solid:?} {dimension:?}");
                }
                assert!(solid.sample_surface(f64::NAN, 0.0, dimension).is_err());
                assert!(solid.sample_surface(0.1, -1.0, dimension).is_err());
            }
        }
    }
}
