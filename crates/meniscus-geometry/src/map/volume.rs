//! The volume of a body near a point.

use glam::DVec3;

use super::ball::{BallQuadrature, ball_volume};
use super::density::{MapParams, empty};
use crate::field::{DistanceField, SerendipityField};
use crate::{GeometryError, MeshDistance, MeshShape, Side};

/// What a [`VolumeMap`] knows at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryVolume {
    /// The volume of the body within the support radius, weighted with γ `[m³]`, in the plane `[m²]`.
    pub volume: f64,
    /// The point of the surface that stands for it `[m]`, if the volume is not zero.
    pub closest: Option<DVec3>,
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
        let quadrature = BallQuadrature::plain(support, params.profile, params.tolerance, params.dimension)?;
        let distance = params.sample_distance(&MeshDistance::new(mesh), &quadrature)?;
        let volume = params.map(&distance, &quadrature, ball_volume(support, params.dimension))?;
        Ok(Self { volume, distance, side: params.side })
    }

    /// From stored parts.
    pub(crate) fn from_parts(volume: SerendipityField, distance: DistanceField, side: Side) -> Self {
        Self { volume, distance, side }
    }

    /// The volume and the closest point at `x`; a volume of zero out of reach of the body, `None` deeper in its matter
    /// than the map knows.
    #[must_use]
    pub fn evaluate(&self, x: DVec3) -> Option<BoundaryVolume> {
        let (volume, _) = self.volume.evaluate(x).or_else(|| empty(&self.volume, self.side, x))?;
        let closest = self.distance.evaluate(x).filter(|_| volume > 0.0).map(|(phi, gradient)| {
            // The sampled gradient is not quite of unit length.
            x - phi * gradient / gradient.length_squared().max(1e-6)
        });
        Some(BoundaryVolume { volume, closest })
    }

    /// The sampled volume.
    #[must_use]
    pub fn field(&self) -> &SerendipityField {
        &self.volume
    }

    /// The sampled distance, negative inside.
    #[must_use]
    pub fn distance(&self) -> &DistanceField {
        &self.distance
    }
}
