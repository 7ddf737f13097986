//! What maps take, told before they are made.

use super::ball::BallQuadrature;
use super::density::{DensityMap, FluidDistance, MapParams};
use super::shared::SharedQuadrature;
use super::volume::VolumeMap;
use crate::distance::field::{DistanceField, FieldMemory, Lattice, NodeWork, field_memory};
use crate::{GeometryError, RadialKernel, SignedDistance};

impl DensityMap {
    /// What the map of this distance takes; see [`DensityMap::of_distance`].
    ///
    /// # Errors
    /// As [`DensityMap::of_distance`].
    pub fn memory(
        distance: &impl SignedDistance,
        kernel: &impl RadialKernel,
        params: &MapParams,
    ) -> Result<FieldMemory, GeometryError> {
        let MapParams { profile, tolerance, dimension, .. } = *params;
        let quadrature = BallQuadrature::weighted(kernel, profile, tolerance, dimension)?;
        let shared = |lattice: &Lattice| SharedQuadrature::weighted(lattice, kernel, profile, tolerance);
        params.memory(distance, &quadrature, shared)
    }
}

impl VolumeMap {
    /// What the map of this distance takes; see [`VolumeMap::of_distance`].
    ///
    /// # Errors
    /// As [`VolumeMap::of_distance`].
    pub fn memory(
        distance: &impl SignedDistance,
        support: f64,
        params: &MapParams,
    ) -> Result<FieldMemory, GeometryError> {
        let MapParams { profile, tolerance, dimension, .. } = *params;
        let quadrature = BallQuadrature::plain(support, profile, tolerance, dimension)?;
        let shared = |lattice: &Lattice| SharedQuadrature::plain(lattice, support, profile, tolerance);
        let volume = params.memory(distance, &quadrature, shared)?;
        let (cell, band) = Self::distance_grid(params, support, &quadrature);
        let lattice = DistanceField::lattice(distance, cell, band, dimension)?;
        Ok(volume.then(field_memory(&lattice, band, distance, NodeWork::Each, band.inner.max(band.outer))?))
    }
}

impl MapParams {
    fn memory(
        &self,
        distance: &impl SignedDistance,
        quadrature: &BallQuadrature,
        shared: impl FnOnce(&Lattice) -> Option<SharedQuadrature>,
    ) -> Result<FieldMemory, GeometryError> {
        let band = self.band(quadrature);
        let lattice = self.lattice(distance.bounds(), band)?;
        // Nodes that differ are all around a body; along planes only where these meet first.
        let reach = self.surroundings(quadrature);
        let alike = distance.planes(distance.bounds().centre(), reach).is_some();
        let cells = if alike { 2.0 * (band.inner + band.outer) / self.cell } else { f64::INFINITY };
        let work =
            shared(&lattice).map_or(NodeWork::Each, |shared| NodeWork::AtOnce(shared.tile_bytes(cells)));
        let distance = FluidDistance { distance, side: self.side };
        field_memory(&lattice, band, &distance, work, reach)
    }
}
