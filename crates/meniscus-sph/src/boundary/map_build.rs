//! Making the map of a body.

use super::mapped::{BodyField, BodyMap};
use super::{FlatMap, MapKind, RoundMap};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension};
use meniscus_geometry::map::FieldCache;
use meniscus_geometry::{
    Aabb, DensityMap, GeometryError, MapParams, Pose, Shape, Side, SignedDistance, Solid, VolumeMap,
};
use std::sync::Arc;

impl BodyMap {
    /// The map of a solid as the fluid that `flat` is made for feels it, from the cache if there is one.
    ///
    /// # Errors
    /// If the solid has no extent, or is so large for the spacing that its map would not fit into memory.
    pub fn build(
        solid: &Solid,
        body: BodyId,
        flat: &FlatMap,
        cache: Option<&FieldCache>,
    ) -> Result<Self, GeometryError> {
        let kernel = &flat.kernel;
        let params = MapParams {
            side: solid.side,
            dimension: kernel.dimension,
            ..MapParams::new(kernel.support_radius)
        };
        let Pose { translation, rotation } = solid.pose;
        let upright = rotation.x == 0.0 && rotation.y == 0.0 && translation.z == 0.0;
        let in_own_frame = kernel.dimension == Dimension::Three || upright;
        // In the plane a tilted body is a section of its shape, which depends on its pose.
        let origin = if in_own_frame { Pose::IDENTITY } else { solid.pose };
        let map = if let (Shape::Sphere { radius }, true) = (&solid.shape, in_own_frame) {
            BodyField::Round(Arc::new(RoundMap::new(*radius, solid.side, flat)?))
        } else {
            let own = FieldCache::default();
            let cache = cache.unwrap_or(&own);
            let distance = AtOrigin { solid: solid.at(origin), dimension: kernel.dimension };
            let support = kernel.support_radius;
            match (&solid.shape, kernel.dimension, flat.kind) {
                (Shape::Mesh(mesh), Dimension::Three, MapKind::Density) => {
                    BodyField::Density(cache.density(mesh, kernel, &params)?.0)
                }
                (Shape::Mesh(mesh), Dimension::Three, MapKind::Volume) => {
                    BodyField::Volume(cache.volume(mesh, support, &params)?.0)
                }
                // Sections of meshes are cheap.
                (Shape::Mesh(_), _, MapKind::Density) => {
                    BodyField::Density(Arc::new(DensityMap::of_distance(&distance, kernel, &params)?))
                }
                (Shape::Mesh(_), _, MapKind::Volume) => {
                    BodyField::Volume(Arc::new(VolumeMap::of_distance(&distance, support, &params)?))
                }
                (shape, _, MapKind::Density) => {
                    let name = format!("{shape:?} {origin:?}");
                    BodyField::Density(cache.density_of(&name, &distance, kernel, &params)?.0)
                }
                (shape, _, MapKind::Volume) => {
                    let name = format!("{shape:?} {origin:?}");
                    BodyField::Volume(cache.volume_of(&name, &distance, support, &params)?.0)
                }
            }
        };
        Ok(Self { body, map, origin })
    }
}

/// The exact distance to a solid's shape, negative inside of it whatever the solid's side.
struct AtOrigin {
    solid: Solid,
    dimension: Dimension,
}

impl SignedDistance for AtOrigin {
    fn distance(&self, x: DVec3) -> f64 {
        let distance = self.solid.signed_distance(x, self.dimension);
        if self.solid.side == Side::Solid { distance } else { -distance }
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let distance = self.distance(x);
        let into_fluid = self.solid.normal(x, 1e-6, self.dimension);
        (distance, if self.solid.side == Side::Solid { into_fluid } else { -into_fluid })
    }

    fn bounds(&self) -> Aabb {
        self.solid.bounds()
    }
}
