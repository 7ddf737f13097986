//! Shapes and meshes of Meniscus: reading them, signed distances, mass, samples of surfaces and volumes, density maps.
//!
//! Nine rooms, in reading order:
//!
//! 1. [`mesh`]: triangle meshes from files, repaired and reported on.
//! 2. [`shape`]: analytic shapes, solids, and built-in meshes.
//! 3. [`query`]: closest points, rays, winding numbers.
//! 4. [`distance`]: signed distances, exact ones and fields on grids.
//! 5. [`sample`]: points on surfaces and in volumes.
//! 6. [`mass`]: mass, centre of mass and inertia.
//! 7. [`map`]: what a body adds to the density of fluid near it.
//! 8. [`collision`]: surfaces that move and deform: pairs that may meet, when they do, and what passes through what.
//! 9. [`tetra`]: tetrahedra that fill closed surfaces.
//!
//! A room uses those before it, except that meshes and shapes know each other. What is at the root of the crate are the words that
//! they share: [`Aabb`], [`Pose`], [`Kinematics`], [`RadialKernel`] and errors, and the types that other crates use most.
//!
//! A [`Solid`] is a [`Shape`] somewhere in space ([`Pose`]) with the fluid outside of it or, for a container,
//! inside of it ([`Side`]). It answers how far a point is from its matter ([`Solid::signed_distance`]), where its
//! boundary particles are ([`Solid::sample_surface`]) and what it looks like ([`Solid::outline`]). [`fill`] places
//! the particles of a fluid volume.
//!
//! All lengths are metres. Every signed distance of a solid is positive where fluid may be. In two dimensions
//! everything is cut with the plane z = 0; [`Solid::signed_distance`] says what that means for each shape.
//!
//! Nothing here panics, and no input makes it allocate without bound: a bad file is a [`MeshError`] that names the
//! line, an absurd request is a [`GeometryError`] that names the limit.

pub mod collision;
pub mod distance;
pub mod map;
pub mod mass;
pub mod mesh;
pub mod query;
pub mod sample;
pub mod shape;
pub mod tetra;

mod aabb;
mod error;
mod pose;
mod radial_kernel;
#[cfg(test)]
mod test_mesh;

pub use aabb::Aabb;
pub use distance::field::{Band, DistanceField, FieldMemory, SerendipityField, Spot, UniformField};
pub use distance::{ExactDistance, Inverted, MeshDistance, SignedDistance};
pub use error::{GeometryError, MAX_POINTS, MeshError};
pub use map::{DensityMap, MapParams, Profile, VolumeMap};
pub use mass::MassProperties;
pub use mesh::{MeshShape, TriangleMesh};
pub use pose::{Kinematics, Pose};
pub use radial_kernel::RadialKernel;
pub use sample::{SamplingQuality, fill, fill_count, mix, number_density};
pub use shape::{OpenFaces, Shape, Side, Solid};
