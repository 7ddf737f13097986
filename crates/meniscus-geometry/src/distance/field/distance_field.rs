//! The signed distance to a surface in cubic cells.

use glam::DVec3;
use meniscus_core::Dimension;

use super::uniform::off_grid;
use super::{Band, Lattice, Region, SerendipityField, Spot};
use crate::{Aabb, GeometryError, MeshDistance, MeshShape, SignedDistance};

/// The signed distance to a surface, sampled once and looked up quickly: value and gradient together, in a few tens of
/// nanoseconds. Its value is continuous.
///
/// In the band, [`DistanceField::evaluate`] answers. As a [`SignedDistance`] it answers everywhere: above the band with
/// the band's outer end, which the distance is not below; below it with the inner end, which the distance is not above;
/// both with a gradient of zero. Outside of the grid it adds the way to the grid. The sign is right in all of these.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceField {
    field: SerendipityField,
    band: Band,
    surface: Aabb,
}

impl DistanceField {
    /// The distance to a mesh, in cells of this edge length `[m]`. If the mesh is not closed, its gaps are bridged as
    /// [`MeshDistance`] describes. `Band { inner: f64::INFINITY, .. }` keeps all of the inside.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] if `cell` is not a positive length, the band has no extent or reaches out without
    /// end, or there would be too many cells.
    pub fn build(mesh: &MeshShape, cell: f64, band: Band) -> Result<Self, GeometryError> {
        Self::sample(&MeshDistance::new(mesh), cell, band, Dimension::Three)
    }

    /// The distance that `source` knows, in cells of this edge length `[m]`; in the plane, at z = 0.
    ///
    /// # Errors
    /// As [`DistanceField::build`].
    pub fn sample(
        source: &impl SignedDistance,
        cell: f64,
        band: Band,
        dimension: Dimension,
    ) -> Result<Self, GeometryError> {
        let lattice = Self::lattice(source, cell, band, dimension)?;
        let distance = |x: DVec3| source.distance(x);
        let field = SerendipityField::sample(lattice, band, distance, distance)?;
        Ok(Self { field, band, surface: source.bounds() })
    }

    /// The grid on which a distance is sampled.
    pub(crate) fn lattice(
        source: &impl SignedDistance,
        cell: f64,
        band: Band,
        dimension: Dimension,
    ) -> Result<Lattice, GeometryError> {
        band.check()?;
        let surface = source.bounds();
        let reach = DVec3::splat(band.outer.max(0.0));
        let bounds = Aabb { min: surface.min - reach, max: surface.max + reach };
        Lattice::covering(bounds, cell, dimension)
    }

    /// From stored parts.
    pub(crate) fn from_parts(field: SerendipityField, band: Band, surface: Aabb) -> Self {
        Self { field, band, surface }
    }

    /// The distance `[m]` and its gradient `[1]`; `None` outside of the band.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, x: DVec3) -> Option<(f64, DVec3)> {
        self.field.evaluate(x)
    }

    /// The sampled function.
    #[must_use]
    pub fn field(&self) -> &SerendipityField {
        &self.field
    }

    /// The distances it covers.
    #[must_use]
    pub fn band(&self) -> Band {
        self.band
    }

    /// In the grid: the value, or the end of the band.
    #[inline]
    fn in_grid(&self, x: DVec3) -> Option<(f64, DVec3)> {
        match self.field.find(x) {
            Ok(spot) => Some(spot.evaluate()),
            Err(Region::Above) => Some((self.band.outer, DVec3::ZERO)),
            Err(Region::Below) => Some((-self.band.inner, DVec3::ZERO)),
            Err(Region::Kept | Region::OffGrid) => None,
        }
    }
}

impl SignedDistance for DistanceField {
    #[inline]
    fn distance(&self, x: DVec3) -> f64 {
        self.field.find(x).map_or_else(|_| self.distance_and_gradient(x).0, Spot::value)
    }

    #[inline]
    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        off_grid(self.field.lattice(), x, |x| self.in_grid(x))
    }

    fn bounds(&self) -> Aabb {
        self.surface
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn a_mesh_and_its_field_agree() {
        let mesh = MeshShape::new(sphere(4)).unwrap();
        let field = DistanceField::build(&mesh, 0.1, Band { inner: 0.5, outer: 0.3 }).unwrap();
        for i in 0..2000 {
            let x = DVec3::from_array(
                [0.618_034, 0.754_878, 0.569_84].map(|f| 4.0 * ((f64::from(i) * f).fract() - 0.5)),
            );
            let exact = mesh.signed_distance(x);
            match field.evaluate(x) {
                Some((value, gradient)) => {
                    assert!((value - exact).abs() < 2e-3, "{x} {value} {exact}");
                    // Deep inside, the facets' distances meet in kinks.
                    assert!(exact < -0.1 || gradient.dot(x.normalize()) > 0.9, "{x} {gradient}");
                }
                None => assert!(!(-0.5..=0.3).contains(&exact)),
            }
            let anywhere = field.distance(x);
            assert!(anywhere * exact >= 0.0 || exact.abs() < 2e-3, "{x} {anywhere} {exact}");
        }
        assert!((field.distance(DVec3::new(3.3, 0.0, 0.0)) - 2.3).abs() < 1e-6);
        assert!((field.distance(DVec3::ZERO) + 0.5).abs() < 1e-12);
    }

    #[test]
    fn every_place_off_the_grid_has_a_distance() {
        let mesh = MeshShape::new(sphere(2)).unwrap();
        // Sizes that are no round numbers, so that the last face is not met exactly.
        for cell in [0.1, 0.07, 0.113, 0.2 / 3.0] {
            let field = DistanceField::build(&mesh, cell, Band { inner: 0.17, outer: 0.19 }).unwrap();
            for i in 0..3000 {
                let x = DVec3::from_array(
                    [0.618_034, 0.754_878, 0.569_84].map(|f| 6.0 * ((f64::from(i) * f).fract() - 0.5)),
                );
                let distance = field.distance(x);
                assert!(distance.is_finite() && (distance > 0.0 || x.length() < 1.1), "{x} {distance}");
            }
        }
    }

    #[test]
    fn all_of_the_inside_can_be_kept_and_mistakes_are_named() {
        let mesh = MeshShape::new(cube(1.0)).unwrap();
        let whole = DistanceField::build(&mesh, 0.1, Band { inner: f64::INFINITY, outer: 0.1 }).unwrap();
        assert!((whole.evaluate(DVec3::new(0.0, 0.0, 0.45)).unwrap().0 + 0.05).abs() < 1e-6);
        assert!(whole.evaluate(DVec3::ZERO).unwrap().0 < -0.4);
        for (cell, band) in [(0.0, Band { inner: 0.1, outer: 0.1 }), (0.1, Band::ALL), (1e-9, whole.band())] {
            assert!(DistanceField::build(&mesh, cell, band).is_err(), "{cell} {band:?}");
        }
    }
}
