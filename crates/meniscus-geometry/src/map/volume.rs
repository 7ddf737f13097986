//! The volume of a body near a point.

use glam::DVec3;

use super::ball::{BallQuadrature, ball_volume};
use super::density::{MapParams, or_zero};
use super::shared::SharedQuadrature;
use crate::distance::field::{Band, DistanceField, Lattice, SerendipityField, Spot};
use crate::{GeometryError, MeshDistance, MeshShape, Side, SignedDistance};

/// What a [`VolumeMap`] knows at a point that its body reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryVolume {
    /// The volume of the body within the support radius, weighted with γ `[m³]`, in the plane `[m²]`.
    pub volume: f64,
    /// Its gradient, which points into the body `[m²]`, in the plane `[m]`.
    pub gradient: DVec3,
    /// How far away the surface is, negative inside of the matter `[m]`.
    pub distance: f64,
    /// Out of the matter `[1]`: the direction in which the distance grows.
    pub normal: DVec3,
    /// The point of the surface that stands for the volume `[m]`.
    pub closest: DVec3,
}

/// V_B(x) = ∫ γ(Φ) over the ball of the support radius around x, and the closest point of the surface, in the body's
/// frame \[Bender2019\]. Fluid then meets one boundary particle of that volume at that point.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeMap {
    volume: SerendipityField,
    distance: DistanceField,
    side: Side,
}

impl VolumeMap {
    /// The map of a mesh for a support radius `[m]`. \[Bender2019\] takes
    /// [`Profile::Smooth`](crate::map::Profile::Smooth); [`Profile::Flush`](crate::map::Profile::Flush) gives the volume
    /// of the body as it is. (SPlisHSPlasH multiplies with 0.8 and lets γ grow inside by 0.1 per support radius; this
    /// map does neither.)
    ///
    /// # Errors
    /// As [`DensityMap::of_mesh`](crate::DensityMap::of_mesh).
    pub fn of_mesh(mesh: &MeshShape, support: f64, params: &MapParams) -> Result<Self, GeometryError> {
        Self::of_distance(&MeshDistance::new(mesh), support, params)
    }

    /// The map of anything whose distance (negative inside, also of a container) is known.
    ///
    /// # Errors
    /// As [`DensityMap::of_mesh`](crate::DensityMap::of_mesh).
    pub fn of_distance(
        distance: &impl SignedDistance,
        support: f64,
        params: &MapParams,
    ) -> Result<Self, GeometryError> {
        let MapParams { profile, tolerance, dimension, side, .. } = *params;
        let quadrature = BallQuadrature::plain(support, profile, tolerance, dimension)?;
        let shared = |lattice: &Lattice| SharedQuadrature::plain(lattice, support, profile, tolerance);
        let volume = params.map(distance, &quadrature, shared, ball_volume(support, dimension))?;
        let (cell, band) = Self::distance_grid(params, support, &quadrature);
        Ok(Self { volume, distance: DistanceField::sample(distance, cell, band, dimension)?, side })
    }

    /// The cells `[m]` and the band of the distance: it has creases where the volume is smooth, and is asked for wherever that
    /// is not zero.
    pub(super) fn distance_grid(
        params: &MapParams,
        support: f64,
        quadrature: &BallQuadrature,
    ) -> (f64, Band) {
        let cell = 0.5 * params.cell.min(support);
        let (inner, outer) = (params.depth, quadrature.reach() + 2.0 * cell);
        let band = match params.side {
            Side::Solid => Band { inner, outer },
            Side::Container => Band { inner: outer, outer: inner },
        };
        (cell, band)
    }

    /// From stored parts.
    pub(crate) fn from_parts(volume: SerendipityField, distance: DistanceField, side: Side) -> Self {
        Self { volume, distance, side }
    }

    /// The volume at `x` `[m^d]` and its gradient `[m^(d−1)]`: zero out of reach of the body, `None` deeper in its
    /// matter than the map knows.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, x: DVec3) -> Option<(f64, DVec3)> {
        or_zero(self.volume.find(x).map(Spot::evaluate), self.side, x)
    }

    /// All that stands for the body at `x`: the volume, and where the surface is. `None` where the volume is not
    /// positive, and deeper in the matter than the map knows.
    #[inline]
    #[must_use]
    pub fn sample(&self, x: DVec3) -> Option<BoundaryVolume> {
        let (volume, gradient) = self.volume.evaluate(x).filter(|(volume, _)| *volume > 0.0)?;
        let (phi, slope) = self.distance.evaluate(x)?;
        let sign = if self.side == Side::Solid { 1.0 } else { -1.0 };
        // The sampled slope is not quite of unit length, and has none where opposite walls are equally far.
        let steep = slope.length_squared().max(1e-6);
        Some(BoundaryVolume {
            volume,
            gradient,
            distance: sign * phi,
            normal: sign * slope / steep.sqrt(),
            closest: x - phi * slope / steep,
        })
    }

    /// The sampled volume.
    #[must_use]
    pub fn field(&self) -> &SerendipityField {
        &self.volume
    }

    /// The sampled distance, negative inside, also of a container.
    #[must_use]
    pub fn distance(&self) -> &DistanceField {
        &self.distance
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use meniscus_core::Dimension;

    use super::super::Profile;
    use super::*;
    use crate::Aabb;
    use crate::test_mesh::sphere;

    /// What is below y = 0, as far as a box of edge 2 reaches.
    struct HalfSpace;

    impl SignedDistance for HalfSpace {
        fn distance(&self, x: DVec3) -> f64 {
            x.y
        }

        fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
            (x.y, DVec3::Y)
        }

        fn bounds(&self) -> Aabb {
            Aabb::around(DVec3::ZERO, DVec3::ONE)
        }
    }

    const SUPPORT: f64 = 0.4;

    /// ∫ γ(Φ) over the ball at this height above the half space, by discs (in the plane chords).
    fn above_floor(profile: Profile, height: f64, dimension: Dimension) -> f64 {
        let n = 20_000;
        let slice = |i: i32| {
            let y = SUPPORT * (2.0 * (f64::from(i) + 0.5) / f64::from(n) - 1.0);
            let squared = SUPPORT * SUPPORT - y * y;
            let size = if dimension == Dimension::Two { 2.0 * squared.sqrt() } else { PI * squared };
            2.0 * SUPPORT / f64::from(n) * size * profile.at(height + y, SUPPORT)
        };
        (0..n).map(slice).sum()
    }

    #[test]
    fn half_spaces_give_the_volume_of_caps_and_its_slope() {
        for (dimension, ball) in
            [(Dimension::Three, 4.0 / 3.0 * PI * SUPPORT.powi(3)), (Dimension::Two, PI * SUPPORT.powi(2))]
        {
            for profile in [Profile::Smooth, Profile::Flush, Profile::Inflated] {
                let params = MapParams { profile, dimension, ..MapParams::new(SUPPORT) };
                let map = VolumeMap::of_distance(&HalfSpace, SUPPORT, &params).unwrap();
                // Between nodes the cubic cells are off by more than the quadrature at nodes.
                let error = |height: f64, at_node: bool| {
                    let x = map.field().lattice().origin();
                    let x = DVec3::new(x.x + if at_node { 1.0 } else { 1.07 }, height, 0.0);
                    let (found, gradient) = map.evaluate(x).unwrap();
                    let exact = |h: f64| above_floor(profile, h, dimension);
                    let slope = (exact(height + 1e-3) - exact(height - 1e-3)) / 2e-3;
                    assert!(
                        (gradient.y - slope).abs() < 0.15 * ball / SUPPORT,
                        "{height} {gradient} {slope}"
                    );
                    assert!(gradient.with_y(0.0).length() < 0.02 * ball / SUPPORT, "{height} {gradient}");
                    (found - exact(height)).abs() / ball
                };
                let origin = map.field().lattice().origin().y;
                let nodes = (0..12).map(|i| origin + f64::from(i) * params.cell);
                let worst =
                    nodes.filter(|y| (-0.3..0.7).contains(y)).map(|y| error(y, true)).fold(0.0, f64::max);
                assert!(worst < 1e-4, "{profile:?} {dimension:?} {worst:.1e}");
                let between = (0..40).map(|i| error(-0.3 + 0.024 * f64::from(i), false)).fold(0.0, f64::max);
                assert!(between < 5e-3, "{profile:?} {dimension:?} {between:.1e}");
            }
        }
    }

    #[test]
    fn balls_share_a_lens_with_the_support_and_know_their_surface() {
        let mesh = MeshShape::new(sphere(4)).unwrap();
        for side in [Side::Solid, Side::Container] {
            let params = MapParams { side, tolerance: 1e-3, ..MapParams::new(SUPPORT) };
            let map = VolumeMap::of_mesh(&mesh, SUPPORT, &params).unwrap();
            let (sign, ball) =
                (if side == Side::Solid { 1.0 } else { -1.0 }, 4.0 / 3.0 * PI * SUPPORT.powi(3));
            for d in [0.05, 0.1, 0.2, 0.3] {
                let out = DVec3::new(0.6, 0.0, 0.8);
                let x = out * (1.0 + sign * d);
                // Two balls of radii 1 and s at the distance c share this lens.
                let (s, c) = (SUPPORT, x.length());
                let lens =
                    PI * (1.0 + s - c).powi(2) * (c * c + 2.0 * c * (1.0 + s) - 3.0 * (1.0 - s).powi(2))
                        / (12.0 * c);
                let volume = if side == Side::Solid { lens } else { ball - lens };
                let found = map.sample(x).unwrap();
                // The facets sag by 0.005, and γ's ramp is smoother than a jump.
                assert!(
                    (found.volume - volume).abs() < 0.02 * ball,
                    "{side:?} {d} {} {volume}",
                    found.volume
                );
                assert!(found.gradient.dot(sign * out) < 0.0, "{side:?} {d}");
                assert!((found.distance - d).abs() < 6e-3, "{side:?} {d} {}", found.distance);
                assert!(found.closest.distance(out) < 0.03, "{side:?} {d} {}", found.closest);
                assert!(found.normal.dot(sign * out) > 0.99, "{side:?} {d} {}", found.normal);
            }
        }
    }

    #[test]
    fn out_of_reach_there_is_no_volume_and_deep_inside_no_answer() {
        let mesh = MeshShape::new(sphere(3)).unwrap();
        let map =
            VolumeMap::of_mesh(&mesh, 0.2, &MapParams { tolerance: 1e-3, ..MapParams::new(0.2) }).unwrap();
        for far in [DVec3::splat(3.0), DVec3::new(1.5, 0.0, 0.0)] {
            assert_eq!(map.evaluate(far), Some((0.0, DVec3::ZERO)));
            assert_eq!(map.sample(far), None);
        }
        assert_eq!(map.evaluate(DVec3::ZERO), None);
        assert_eq!(map.sample(DVec3::ZERO), None);
        assert_eq!(map.sample(DVec3::NAN), None);
        assert!(VolumeMap::of_mesh(&mesh, f64::NAN, &MapParams::new(0.2)).is_err());
    }
}
