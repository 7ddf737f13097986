//! The density that a body adds to fluid near it.

use std::collections::HashMap;

use glam::DVec3;
use meniscus_core::Dimension;
use rayon::prelude::*;

use super::ball::BallQuadrature;
use super::profile::Profile;
use super::shared::SharedQuadrature;
use crate::distance::field::{Band, Lattice, NodeValues, Region, SerendipityField, Spot};
use crate::distance::{LocalDistance, NearDistance};
use crate::error::require_positive;
use crate::{Aabb, GeometryError, MeshDistance, MeshShape, RadialKernel, Side, SignedDistance};

/// How a map is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapParams {
    /// Edge length of the map's cells `[m]`.
    pub cell: f64,
    /// How deep inside of the matter the map reaches `[m]`; \[Koschier2017\] takes the support radius.
    pub depth: f64,
    /// What error of a node's value is allowed, in units of ρ0 or of the ball's volume `[1]`.
    pub tolerance: f64,
    /// γ.
    pub profile: Profile,
    /// On which side of the surface the matter is.
    pub side: Side,
    /// Plane or space.
    pub dimension: Dimension,
}

impl MapParams {
    /// A map of a solid in space as \[Koschier2017\] makes it, with cells of half the support radius `[m]`.
    #[must_use]
    pub fn new(support_radius: f64) -> Self {
        Self {
            cell: 0.5 * support_radius,
            depth: support_radius,
            tolerance: 1e-4,
            profile: Profile::default(),
            side: Side::Solid,
            dimension: Dimension::Three,
        }
    }

    fn check(&self) -> Result<(), GeometryError> {
        require_positive("cell", self.cell)?;
        require_positive("depth", self.depth)
    }

    /// The distances that the map covers, positive in the fluid.
    pub(super) fn band(&self, quadrature: &BallQuadrature) -> Band {
        Band { inner: self.depth, outer: quadrature.reach() }
    }

    /// How far from a node a surface may be that its value depends on: in the matter γ may depend on how deep a place is, up to
    /// the depth of the map and the ball's radius more, from surfaces that far from a place in the ball `[m]`.
    pub(super) fn surroundings(&self, quadrature: &BallQuadrature) -> f64 {
        self.depth + 2.0 * quadrature.support_radius()
    }

    /// The grid of the map of a body with this box.
    pub(super) fn lattice(&self, surface: Aabb, band: Band) -> Result<Lattice, GeometryError> {
        self.check()?;
        let reach = DVec3::splat(if self.side == Side::Solid { band.outer } else { band.inner });
        let bounds = Aabb { min: surface.min - reach, max: surface.max + reach };
        Lattice::covering(bounds, self.cell, self.dimension)
    }

    /// The integral at the nodes of all cells that the map needs, times `unit`: all at once if `shared` is to be had
    /// for the grid, else node by node.
    pub(super) fn map(
        &self,
        distance: &impl SignedDistance,
        quadrature: &BallQuadrature,
        shared: impl FnOnce(&Lattice) -> Option<SharedQuadrature>,
        unit: f64,
    ) -> Result<SerendipityField, GeometryError> {
        let fluid = FluidDistance { distance, side: self.side };
        let band = self.band(quadrature);
        let lattice = self.lattice(distance.bounds(), band)?;
        let phi = |x: DVec3| fluid.distance(x);
        let mut field = if let Some(shared) = shared(&lattice) {
            let reach = self.surroundings(quadrature);
            SerendipityField::sample_nodes(lattice, band, phi, |nodes| {
                let planes = |node: u64| distance.planes(lattice.node_position(node), reach);
                let alike = Alike::of(nodes, reach, planes);
                let mut value = shared.integrate(&alike.representatives, &fluid);
                for value in &mut value {
                    *value *= unit;
                }
                NodeValues::Alike(alike.class, value)
            })?
        } else {
            let value = |x: DVec3| unit * quadrature.integrate(&fluid, x);
            SerendipityField::sample(lattice, band, phi, value)?
        };
        field.drop_zeros();
        Ok(field)
    }
}

/// A distance that is positive where fluid may be: outside of a solid, inside of a container.
#[derive(Debug, Clone, Copy)]
pub struct FluidDistance<'a, D> {
    /// Negative inside, also of a container.
    pub distance: &'a D,
    /// On which side the matter is.
    pub side: Side,
}

impl<D: SignedDistance> SignedDistance for FluidDistance<'_, D> {
    #[inline]
    fn distance(&self, x: DVec3) -> f64 {
        let distance = self.distance.distance(x);
        if self.side == Side::Solid { distance } else { -distance }
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.distance.distance_and_gradient(x);
        match self.side {
            Side::Solid => (distance, gradient),
            Side::Container => (-distance, -gradient),
        }
    }

    fn near(&self, centre: DVec3, half: DVec3) -> NearDistance<'_> {
        let near = self.distance.near(centre, half);
        match self.side {
            Side::Solid => near,
            Side::Container => Box::new(InsideOut(near)),
        }
    }

    fn planes(&self, x: DVec3, reach: f64) -> Option<[f64; 3]> {
        self.distance.planes(x, reach)
    }

    fn bounds(&self) -> Aabb {
        self.distance.bounds()
    }
}

/// A distance with the other sign.
struct InsideOut<'a>(NearDistance<'a>);

impl LocalDistance for InsideOut<'_> {
    fn distance(&self, x: DVec3) -> f64 {
        -self.0.distance(x)
    }

    fn narrowed(&self, centre: DVec3, half: DVec3) -> NearDistance<'_> {
        Box::new(InsideOut(self.0.narrowed(centre, half)))
    }
}

/// Nodes that are looked at together: few, so that their keys take no memory worth mentioning.
const BLOCK: usize = 1 << 16;

/// Nodes with the same surroundings, which have the same value: in a box nearly all of them.
struct Alike {
    /// One node of each class, ascending.
    representatives: Vec<u64>,
    /// Of each node.
    class: Vec<u32>,
}

impl Alike {
    /// Of nodes in ascending order; `planes` tells what determines the surroundings within `reach` `[m]`.
    fn of(nodes: &[u64], reach: f64, planes: impl Fn(u64) -> Option<[f64; 3]> + Sync) -> Self {
        // Fine enough that rounding changes no value, coarse enough that coordinates' own rounding parts nobody.
        let quantum = 1e-9 * reach;
        let key = |node: &u64| planes(*node).map(|planes| planes.map(|d| (d / quantum).round() as i64));
        let mut known = HashMap::new();
        let (mut representatives, mut class) = (Vec::new(), Vec::with_capacity(nodes.len()));
        let mut keys = Vec::new();
        for block in nodes.chunks(BLOCK) {
            block.par_iter().map(key).collect_into_vec(&mut keys);
            for (&node, key) in block.iter().zip(&keys) {
                let new = representatives.len() as u32;
                let found = key.map_or(new, |key| *known.entry(key).or_insert(new));
                if found == new {
                    representatives.push(node);
                }
                class.push(found);
            }
        }
        Self { representatives, class }
    }
}

/// The boundary density ρ_B / ρ0 around a body, in the body's frame \[Koschier2017\].
#[derive(Debug, Clone, PartialEq)]
pub struct DensityMap {
    field: SerendipityField,
    side: Side,
}

impl DensityMap {
    /// The map of a mesh.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] if a parameter makes no sense or there would be too many cells.
    pub fn of_mesh(
        mesh: &MeshShape,
        kernel: &impl RadialKernel,
        params: &MapParams,
    ) -> Result<Self, GeometryError> {
        Self::of_distance(&MeshDistance::new(mesh), kernel, params)
    }

    /// The map of anything whose distance (negative inside, also of a container) is known.
    ///
    /// # Errors
    /// As [`DensityMap::of_mesh`].
    pub fn of_distance(
        distance: &impl SignedDistance,
        kernel: &impl RadialKernel,
        params: &MapParams,
    ) -> Result<Self, GeometryError> {
        let MapParams { profile, tolerance, dimension, side, .. } = *params;
        let quadrature = BallQuadrature::weighted(kernel, profile, tolerance, dimension)?;
        let shared = |lattice: &Lattice| SharedQuadrature::weighted(lattice, kernel, profile, tolerance);
        Ok(Self { field: params.map(distance, &quadrature, shared, 1.0)?, side })
    }

    /// From stored parts.
    pub(crate) fn from_parts(field: SerendipityField, side: Side) -> Self {
        Self { field, side }
    }

    /// ρ_B / ρ0 at `x` `[1]` and its gradient `[1/m]`: zero out of reach of the body, `None` deeper in its matter than
    /// the map knows.
    #[inline]
    #[must_use]
    // [Koschier2017] Eq. 11 and 12
    pub fn evaluate(&self, x: DVec3) -> Option<(f64, DVec3)> {
        or_zero(self.field.find(x).map(Spot::evaluate), self.side, x)
    }

    /// The value alone.
    #[inline]
    #[must_use]
    pub fn value(&self, x: DVec3) -> Option<f64> {
        or_zero(self.field.find(x).map(Spot::value), self.side, x)
    }

    /// The sampled function.
    #[must_use]
    pub fn field(&self) -> &SerendipityField {
        &self.field
    }
}

/// What a map says: where it has no cell zero in the fluid, nothing in the matter.
#[inline(always)]
pub(super) fn or_zero<T: Default>(found: Result<T, Region>, side: Side, x: DVec3) -> Option<T> {
    match found {
        Ok(value) => Some(value),
        Err(Region::Above) => Some(T::default()),
        Err(Region::OffGrid) if side == Side::Solid && !x.is_nan() => Some(T::default()),
        Err(_) => None,
    }
}
