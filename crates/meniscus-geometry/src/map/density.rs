//! The density that a body adds to fluid near it.

use glam::DVec3;
use meniscus_core::Dimension;

use super::ball::BallQuadrature;
use super::profile::Profile;
use super::shared::SharedQuadrature;
use crate::error::require_positive;
use crate::field::{Band, DistanceField, Lattice, Region, SerendipityField};
use crate::{Aabb, GeometryError, MeshDistance, MeshShape, RadialKernel, Side, SignedDistance};

/// How a map is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapParams {
    /// Edge length of the map's cells `[m]`.
    pub cell: f64,
    /// Edge length of the cells in which volume maps sample the distance `[m]`; density maps take the exact distance.
    pub distance_cell: f64,
    /// How deep inside of the matter the map reaches `[m]`; \[Koschier2017\] takes the support radius.
    pub depth: f64,
    /// What error of a node's value is allowed, in units of ρ0 or of the ball's volume `[1]`.
    pub tolerance: f64,
    /// γ.
    pub profile: Profile,
    /// How far the matter is taken to reach beyond the drawn surface into the fluid; negative for less `[m]`.
    pub offset: f64,
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
            distance_cell: 0.25 * support_radius,
            depth: support_radius,
            tolerance: 1e-4,
            profile: Profile::default(),
            offset: 0.0,
            side: Side::Solid,
            dimension: Dimension::Three,
        }
    }

    fn check(&self) -> Result<(), GeometryError> {
        require_positive("cell", self.cell)?;
        require_positive("distance cell", self.distance_cell)?;
        require_positive("depth", self.depth)?;
        if self.offset.is_finite() {
            return Ok(());
        }
        let what = format!("offset = {} m", self.offset);
        Err(GeometryError::Invalid { what, allowed: "a finite length" })
    }

    /// The distances that the map covers, positive in the fluid.
    fn band(&self, quadrature: &BallQuadrature) -> Band {
        Band { inner: self.depth, outer: quadrature.reach() }
    }

    /// The distances that the quadrature of the map's nodes sees, and a little more.
    fn distance_band(&self, quadrature: &BallQuadrature) -> Band {
        let support = quadrature.support_radius();
        // Nodes of a cell that reaches into the band are up to a diagonal outside of it.
        let inner = self.depth + support + 3f64.sqrt() * self.cell + self.offset.abs();
        // Where γ is zero the distance does not matter, but places where it becomes zero are searched for.
        let outer = support * (quadrature.profile().reach() + 0.3) + self.offset.abs();
        match self.side {
            Side::Solid => Band { inner, outer },
            Side::Container => Band { inner: outer, outer: inner },
        }
    }

    /// Samples a distance as far as the map needs it; positive in the fluid.
    pub(super) fn sample_distance(
        &self,
        distance: &impl SignedDistance,
        quadrature: &BallQuadrature,
    ) -> Result<DistanceField, GeometryError> {
        self.check()?;
        DistanceField::sample(distance, self.distance_cell, self.distance_band(quadrature), self.dimension)
    }

    /// The grid of the map of a body with this box.
    fn lattice(&self, surface: Aabb, band: Band) -> Result<Lattice, GeometryError> {
        self.check()?;
        let reach = if self.side == Side::Solid { band.outer } else { band.inner };
        let reach = DVec3::splat(reach + self.offset.abs());
        let bounds = Aabb { min: surface.min - reach, max: surface.max + reach };
        Lattice::covering(bounds, self.cell, self.dimension)
    }

    /// The integral at the nodes of all cells that the map needs, node by node, times `unit`.
    pub(super) fn map(
        &self,
        distance: &impl SignedDistance,
        quadrature: &BallQuadrature,
        unit: f64,
    ) -> Result<SerendipityField, GeometryError> {
        let fluid = FluidDistance { distance, side: self.side, offset: self.offset };
        let band = self.band(quadrature);
        let lattice = self.lattice(distance.bounds(), band)?;
        let value = |x: DVec3| unit * quadrature.integrate(&fluid, x);
        let mut field = SerendipityField::sample(lattice, band, |x| fluid.distance(x), value)?;
        field.drop_zeros();
        Ok(field)
    }

    /// The same with a kernel, for all nodes at once.
    fn map_weighted(
        &self,
        distance: &impl SignedDistance,
        kernel: &impl RadialKernel,
    ) -> Result<SerendipityField, GeometryError> {
        let quadrature = BallQuadrature::weighted(kernel, self.profile, self.tolerance, self.dimension)?;
        let band = self.band(&quadrature);
        let lattice = self.lattice(distance.bounds(), band)?;
        let Some(shared) = SharedQuadrature::new(&lattice, kernel, self.profile, self.tolerance) else {
            return self.map(distance, &quadrature, 1.0);
        };
        let fluid = FluidDistance { distance, side: self.side, offset: self.offset };
        let phi = |x: DVec3| fluid.distance(x);
        let mut field =
            SerendipityField::sample_nodes(lattice, band, phi, |nodes| shared.integrate(nodes, &phi))?;
        field.drop_zeros();
        Ok(field)
    }
}

/// A distance that is positive where fluid may be.
pub(super) struct FluidDistance<'a, D> {
    pub distance: &'a D,
    pub side: Side,
    pub offset: f64,
}

impl<D: SignedDistance> SignedDistance for FluidDistance<'_, D> {
    #[inline]
    fn distance(&self, x: DVec3) -> f64 {
        let distance = self.distance.distance(x);
        (if self.side == Side::Solid { distance } else { -distance }) - self.offset
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.distance.distance_and_gradient(x);
        let (distance, gradient) = match self.side {
            Side::Solid => (distance, gradient),
            Side::Container => (-distance, -gradient),
        };
        (distance - self.offset, gradient)
    }

    fn bounds(&self) -> Aabb {
        self.distance.bounds()
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
        Ok(Self { field: params.map_weighted(distance, kernel)?, side: params.side })
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
        self.field.evaluate(x).or_else(|| empty(&self.field, self.side, x))
    }

    /// The sampled function.
    #[must_use]
    pub fn field(&self) -> &SerendipityField {
        &self.field
    }
}

/// What a map is where it has no cell: zero in the fluid, nothing in the matter.
pub(super) fn empty(field: &SerendipityField, side: Side, x: DVec3) -> Option<(f64, DVec3)> {
    let fluid = match field.region(x) {
        Region::Above => true,
        Region::Below | Region::Kept => false,
        Region::OffGrid => side == Side::Solid && !x.is_nan(),
    };
    fluid.then_some((0.0, DVec3::ZERO))
}
