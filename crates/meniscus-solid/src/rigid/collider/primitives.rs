//! Primitives: boxes, balls, cylinders, capsules, and the walls that rooms consist of.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::DVec3;
use meniscus_geometry::{Aabb, ExactDistance, Inverted, OpenFaces, Side, SignedDistance, TriangleMesh};

use super::samples::Samples;
use super::{ColliderGeometry, ColliderShape};
use crate::SolidError;

/// Radius by which edges are rounded, as a share of the half thickness of the body `[1]`.
pub(super) const ROUNDING: f64 = 0.02;
/// Corners of the polygon that stands for a cylinder's rim `[1]`.
const RIM: u32 = 32;

/// The geometry behind simple shapes.
type Simple = meniscus_geometry::Shape;

impl ColliderShape {
    /// A box with edges `size` `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if an edge is not positive and finite.
    pub fn cuboid(size: DVec3) -> Result<Arc<Self>, SolidError> {
        require("box", &size.to_array())?;
        let half = 0.5 * size;
        let thickness = half.min_element();
        let samples = Samples::of_mesh(&cuboid_mesh(half), ROUNDING * thickness, true, 0.0);
        Ok(Self::exact(Simple::Box { size, open: OpenFaces::NONE }, samples, thickness))
    }

    /// A ball of radius `radius` `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if the radius is not positive and finite.
    pub fn sphere(radius: f64) -> Result<Arc<Self>, SolidError> {
        require("sphere", &[radius])?;
        let samples = Samples::new(vec![DVec3::ZERO], vec![], radius);
        Ok(Self::exact(Simple::Sphere { radius }, samples, radius))
    }

    /// A cylinder along y with `radius` and `height` `[m]`. As a distance it is exact; its points lie on polygons, so it
    /// rolls on its own a little unevenly.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if a length is not positive and finite.
    pub fn cylinder(radius: f64, height: f64) -> Result<Arc<Self>, SolidError> {
        require("cylinder", &[radius, height])?;
        let half_height = 0.5 * height;
        let thickness = radius.min(half_height);
        let samples = rim_samples(radius, half_height, ROUNDING * thickness);
        Ok(Self::exact(Simple::Cylinder { radius, height }, samples, thickness))
    }

    /// A capsule along y with `radius` and, between the centres of its caps, `height` `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if a length is not positive and finite.
    pub fn capsule(radius: f64, height: f64) -> Result<Arc<Self>, SolidError> {
        require("capsule", &[radius, height])?;
        let half_height = 0.5 * height;
        let ends = vec![DVec3::Y * half_height, DVec3::Y * -half_height];
        let samples = Samples::new(ends, vec![[0, 1]], radius);
        let field = CapsuleDistance { radius, half_height };
        Ok(Self::volumetric(
            ColliderGeometry::Capsule { radius, half_height },
            Arc::new(field),
            samples,
            radius,
        ))
    }

    /// The half space below y = 0, as a wall.
    #[must_use]
    pub fn half_space() -> Arc<Self> {
        let shape = Simple::Plane { size: [1.0; 2] };
        let field = ExactDistance { shape: shape.clone(), side: Side::Solid };
        Self::wall(ColliderGeometry::Exact { shape, side: Side::Solid }, Arc::new(field))
    }

    /// Everything outside of a box, ball or cylinder, as a wall. Open faces of a box let bodies through.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] for planes and meshes, and if a size is not positive and finite.
    pub fn room(shape: Simple) -> Result<Arc<Self>, SolidError> {
        if let Err(error) = shape.check() {
            return Err(SolidError::invalid("room", error.to_string(), "positive, finite sizes"));
        }
        if matches!(shape, Simple::Plane { .. } | Simple::Mesh(_)) {
            return Err(SolidError::invalid("room", format!("{shape:?}"), "a box, a sphere or a cylinder"));
        }
        let field = ExactDistance { shape: shape.clone(), side: Side::Container };
        Ok(Self::wall(ColliderGeometry::Exact { shape, side: Side::Container }, Arc::new(field)))
    }

    /// Everything outside of the surface with this distance, as a wall.
    #[must_use]
    pub fn container(room: Arc<dyn SignedDistance>) -> Arc<Self> {
        Self::wall(ColliderGeometry::Field, Arc::new(Inverted(room)))
    }

    fn exact(shape: Simple, samples: Samples, half_thickness: f64) -> Arc<Self> {
        let field = ExactDistance { shape: shape.clone(), side: Side::Solid };
        Self::volumetric(
            ColliderGeometry::Exact { shape, side: Side::Solid },
            Arc::new(field),
            samples,
            half_thickness,
        )
    }

    pub(super) fn volumetric(
        geometry: ColliderGeometry,
        field: Arc<dyn SignedDistance>,
        samples: Samples,
        half_thickness: f64,
    ) -> Arc<Self> {
        let bounds = field.bounds().join(samples.bounds());
        Arc::new(Self { geometry, field: Some(field), samples, bounds, parts: Vec::new(), half_thickness })
    }

    fn wall(geometry: ColliderGeometry, field: Arc<dyn SignedDistance>) -> Arc<Self> {
        Arc::new(Self {
            geometry,
            field: Some(field),
            samples: Samples::default(),
            bounds: Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY },
            parts: Vec::new(),
            half_thickness: f64::INFINITY,
        })
    }
}

pub(super) fn require(name: &str, lengths: &[f64]) -> Result<(), SolidError> {
    match lengths.iter().find(|l| !(l.is_finite() && **l > 0.0)) {
        None => Ok(()),
        Some(l) => Err(SolidError::invalid(name, format!("a length of {l} m"), "positive, finite lengths")),
    }
}

/// Rims and side lines of a cylinder, drawn in by `rounding` `[m]`.
fn rim_samples(radius: f64, half_height: f64, rounding: f64) -> Samples {
    let (r, h) = (radius - rounding, half_height - rounding);
    let corner = |k: u32, y: f64| {
        let angle = TAU * f64::from(k) / f64::from(RIM);
        DVec3::new(r * angle.cos(), y, r * angle.sin())
    };
    let vertex = (0..RIM).map(|k| corner(k, h)).chain((0..RIM).map(|k| corner(k, -h))).collect();
    let next = |k: u32| (k + 1) % RIM;
    let edges = (0..RIM).flat_map(|k| [[k, next(k)], [RIM + k, RIM + next(k)], [k, RIM + k]]).collect();
    Samples::new(vertex, edges, rounding)
}

/// The mesh of a box with half edges `half` `[m]`.
pub(crate) fn cuboid_mesh(half: DVec3) -> TriangleMesh {
    let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
    let vertex = (0..8).map(|k| half * DVec3::new(sign(k & 1), sign(k & 2), sign(k & 4))).collect();
    let faces: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangle = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
    TriangleMesh { vertex, triangle }
}

/// The exact distance of a capsule, a cylinder along y that ends in half balls; no shape of its own elsewhere.
#[derive(Debug, Clone, Copy)]
struct CapsuleDistance {
    /// Its radius `[m]`.
    radius: f64,
    /// Half of the distance between the centres of its caps `[m]`.
    half_height: f64,
}

impl SignedDistance for CapsuleDistance {
    fn distance(&self, x: DVec3) -> f64 {
        self.distance_and_gradient(x).0
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let from_axis = x - DVec3::Y * x.y.clamp(-self.half_height, self.half_height);
        (from_axis.length() - self.radius, from_axis.normalize_or_zero())
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::new(self.radius, self.half_height + self.radius, self.radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_without_sense_are_refused() {
        assert!(ColliderShape::cuboid(DVec3::new(1.0, 0.0, 1.0)).is_err());
        assert!(ColliderShape::sphere(f64::NAN).is_err());
        assert!(ColliderShape::cylinder(1.0, -1.0).is_err());
        assert!(ColliderShape::capsule(f64::INFINITY, 1.0).is_err());
        assert!(ColliderShape::room(Simple::Plane { size: [1.0; 2] }).is_err());
        assert!(ColliderShape::room(Simple::Sphere { radius: 0.0 }).is_err());
        assert!(ColliderShape::room(Simple::Sphere { radius: 2.0 }).unwrap().is_wall());
    }

    #[test]
    fn ends_are_round_and_sides_straight() {
        let capsule = CapsuleDistance { radius: 0.3, half_height: 0.4 };
        assert!(capsule.distance(DVec3::new(0.0, 0.7, 0.0)).abs() < 1e-15);
        let (d, g) = capsule.distance_and_gradient(DVec3::new(0.5, 0.1, 0.0));
        assert!((d - 0.2).abs() < 1e-15 && g == DVec3::X);
        let (d, g) = capsule.distance_and_gradient(DVec3::new(0.0, -0.8, 0.3));
        assert!((d - 0.2).abs() < 1e-12 && g.abs_diff_eq(DVec3::new(0.0, -0.8, 0.6), 1e-12));
    }
}
