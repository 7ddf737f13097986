//! Making the map of a body.

use super::rows::{BodyField, BodyMap};
use super::{FlatMap, MapKind, RoundMap};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension};
use meniscus_geometry::map::FieldCache;
use meniscus_geometry::{
    Aabb, DensityMap, FieldMemory, GeometryError, MapParams, MeshDistance, Pose, Shape, Side, SignedDistance,
    Solid, VolumeMap,
};
use std::sync::Arc;

/// The step of finite differences of the distance `[m]`.
const NORMAL_STEP: f64 = 1e-6;

/// Cells of the map of a curved kinematic body, in support radii `[1]`; others have ½.
///
/// Cells are round to a few thousandths, and a body that turns carries that roughness through the fluid: in a sphere, as a mesh,
/// without friction it left the water 1.0e-3 J, and half the cell leaves what a still one does. A kinematic body does not tire; a free
/// body has only what it was given.
const KINEMATIC_CELL: f64 = 0.25;

/// The most cells for which that is done `[1]`: 128 MB.
const MAX_KINEMATIC_CELLS: f64 = 1e6;

/// About how many cells of this edge length a solid's map has, `support` to both sides of its surface, if that is like its box's; both
/// lengths in `[m]`.
fn cells_around(solid: &Solid, support: f64, cell: f64) -> f64 {
    let size = solid.bounds().size();
    let surface = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    surface * 2.0 * support / cell.powi(3)
}

impl BodyMap {
    /// The map of a solid as the fluid that `flat` is made for feels it, from the cache if there is one; `led` bodies follow a script.
    ///
    /// # Errors
    /// If the solid has no extent, or is so large for the spacing that its map would not fit into memory.
    pub fn build(
        solid: &Solid,
        body: BodyId,
        led: bool,
        flat: &FlatMap,
        cache: Option<&FieldCache>,
    ) -> Result<Self, GeometryError> {
        let Plan { params, origin, round } = Plan::of(solid, led, flat);
        let kernel = &flat.kernel;
        let map = if let Some(radius) = round {
            BodyField::Round(Arc::new(RoundMap::new(radius, solid.side, flat)?))
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

    /// What the map of a solid takes, without making it.
    ///
    /// # Errors
    /// As [`BodyMap::build`].
    pub fn memory(solid: &Solid, led: bool, flat: &FlatMap) -> Result<FieldMemory, GeometryError> {
        let Plan { params, origin, round } = Plan::of(solid, led, flat);
        if let Some(radius) = round {
            // A table, which takes no memory worth mentioning.
            return RoundMap::new(radius, solid.side, flat).map(|_| FieldMemory::default());
        }
        let kernel = &flat.kernel;
        let support = kernel.support_radius;
        if let (Shape::Mesh(mesh), Dimension::Three) = (&solid.shape, kernel.dimension) {
            let distance = MeshDistance::new(mesh);
            return match flat.kind {
                MapKind::Density => DensityMap::memory(&distance, kernel, &params),
                MapKind::Volume => VolumeMap::memory(&distance, support, &params),
            };
        }
        let distance = AtOrigin { solid: solid.at(origin), dimension: kernel.dimension };
        match flat.kind {
            MapKind::Density => DensityMap::memory(&distance, kernel, &params),
            MapKind::Volume => VolumeMap::memory(&distance, support, &params),
        }
    }
}

/// How the map of a solid is made.
struct Plan {
    params: MapParams,
    /// The pose of the map's frame, in which the solid is at rest.
    origin: Pose,
    /// The radius, if it is a ball in its own frame `[m]`.
    round: Option<f64>,
}

impl Plan {
    fn of(solid: &Solid, led: bool, flat: &FlatMap) -> Self {
        let kernel = &flat.kernel;
        let mut params = MapParams {
            side: solid.side,
            dimension: kernel.dimension,
            ..MapParams::new(kernel.support_radius)
        };
        let curved = !matches!(solid.shape, Shape::Box { .. } | Shape::Plane { .. });
        let fine = KINEMATIC_CELL * kernel.support_radius;
        if led && curved && cells_around(solid, kernel.support_radius, fine) < MAX_KINEMATIC_CELLS {
            params.cell = fine;
        }
        let Pose { translation, rotation } = solid.pose;
        let upright = rotation.x == 0.0 && rotation.y == 0.0 && translation.z == 0.0;
        let in_own_frame = kernel.dimension == Dimension::Three || upright;
        // In the plane a tilted body is a section of its shape, which depends on its pose.
        let origin = if in_own_frame { Pose::IDENTITY } else { solid.pose };
        let round = match solid.shape {
            Shape::Sphere { radius } if in_own_frame => Some(radius),
            _ => None,
        };
        Self { params, origin, round }
    }
}

/// The exact distance to a solid's shape, negative inside of it whatever the solid's side.
struct AtOrigin {
    solid: Solid,
    dimension: Dimension,
}

impl SignedDistance for AtOrigin {
    fn planes(&self, x: DVec3, reach: f64) -> Option<[f64; 3]> {
        self.solid.planes(x, reach, self.dimension)
    }

    fn distance(&self, x: DVec3) -> f64 {
        let distance = self.solid.signed_distance(x, self.dimension);
        if self.solid.side == Side::Solid { distance } else { -distance }
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let distance = self.distance(x);
        let into_fluid = self.solid.normal(x, NORMAL_STEP, self.dimension);
        (distance, if self.solid.side == Side::Solid { into_fluid } else { -into_fluid })
    }

    fn bounds(&self) -> Aabb {
        self.solid.bounds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, KernelKind};
    use meniscus_geometry::{OpenFaces, Profile};

    /// The same distances, without a word about planes.
    struct Plain<'a>(&'a AtOrigin);

    impl SignedDistance for Plain<'_> {
        fn distance(&self, x: DVec3) -> f64 {
            self.0.distance(x)
        }

        fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
            self.0.distance_and_gradient(x)
        }

        fn bounds(&self) -> Aabb {
            self.0.bounds()
        }
    }

    #[test]
    fn a_box_that_knows_its_planes_has_the_map_of_one_that_does_not() {
        let kernel =
            Kernel { kind: KernelKind::CubicSpline, support_radius: 0.04, dimension: Dimension::Three };
        let flat = FlatMap::new(MapKind::Density, &kernel, 0.02, Profile::default()).unwrap();
        let sizes = [DVec3::new(0.4, 0.31, 0.27), DVec3::new(0.5, 0.05, 0.3)];
        for (size, side) in
            sizes.into_iter().flat_map(|size| [Side::Solid, Side::Container].map(|s| (size, s)))
        {
            let shape = Shape::Box { size, open: OpenFaces::NONE };
            let solid =
                AtOrigin { solid: Solid { shape, pose: Pose::IDENTITY, side }, dimension: Dimension::Three };
            let params = MapParams { side, ..MapParams::new(flat.kernel.support_radius) };
            let quick = DensityMap::of_distance(&solid, &flat.kernel, &params).unwrap();
            let plain = DensityMap::of_distance(&Plain(&solid), &flat.kernel, &params).unwrap();
            let mut compared = 0;
            for n in 0..20_000_u32 {
                let share = |k: u32| f64::from(n.wrapping_mul(k) % 10_007) / 10_006.0 - 0.5;
                let x = 1.15 * DVec3::new(share(7), share(1013), share(7919)) * size;
                let (Some((a, da)), Some((b, db))) = (quick.evaluate(x), plain.evaluate(x)) else { continue };
                assert!((a - b).abs() < 1e-4, "{side:?} {size} at {x}: {a} {b}");
                assert!((da - db).length() * 0.02 < 2e-4, "{side:?} {size} at {x}: {da} {db}");
                compared += u32::from(b > 1e-3);
            }
            assert!(compared > 1000, "{side:?} {size}: only {compared}");
        }
    }
}
