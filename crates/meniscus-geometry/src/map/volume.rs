//! The volume of a body near a point.

use glam::DVec3;

use super::ball::{BallQuadrature, ball_volume};
use super::density::{MapParams, or_zero};
use super::shared::SharedQuadrature;
use crate::field::{Band, DistanceField, Lattice, SerendipityField, Spot};
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
        // The distance has creases where the volume is smooth, and is asked for wherever that is not zero.
        let cell = 0.5 * params.cell.min(support);
        let (inner, outer) = (params.depth, quadrature.reach() + 2.0 * cell);
        let band = match side {
            Side::Solid => Band { inner, outer },
            Side::Container => Band { inner: outer, outer: inner },
        };
        Ok(Self { volume, distance: DistanceField::sample(distance, cell, band, dimension)?, side })
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
