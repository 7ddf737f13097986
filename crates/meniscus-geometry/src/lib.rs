//! Shapes and meshes of Meniscus: reading them, signed distances, surface samples and volume fills.
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

mod aabb;
mod distance;
mod error;
mod exact;
pub mod field;
mod fill;
pub mod map;
mod mass;
mod mesh;
mod mesh_shape;
mod outline;
mod pose;
mod query;
mod radial_kernel;
mod samples;
mod sampling;
mod section;
mod shape;
pub mod shapes;
mod signed_distance;
#[cfg(test)]
mod test_mesh;
mod under;

pub use aabb::Aabb;
pub use error::{GeometryError, MAX_POINTS, MeshError};
pub use exact::{ExactDistance, Inverted};
pub use field::{Band, DistanceField, SerendipityField, Spot, UniformField};
pub use fill::{fill, fill_count};
pub use map::{DensityMap, MapParams, Profile, VolumeMap};
pub use mass::MassProperties;
pub use mesh::{ComponentReport, MeshReport, TriangleMesh, Turn};
pub use mesh_shape::{MAX_COORDINATE, MeshShape};
pub use pose::{Kinematics, Pose};
pub use query::{ClosestFeature, ClosestPoint, MeshDistance, NodeSigns, RayHit, SixRayVote, WindingNumber};
pub use radial_kernel::RadialKernel;
pub use samples::{
    Anchor, Feature, InVolume, OVER_SAMPLED, OnSurface, RandomRelaxParams, RandomRelaxation, RandomStream,
    RelaxParams, Relaxation, ResampleReport, ResampledSurface, Rounding, SampleDomain, SamplingMethod,
    SamplingParams, SamplingQuality, ScanlineParams, SurfaceSamples, UNDER_SAMPLED, VolumeLattice,
    boundary_volumes, mix, number_density, places_in_triangle, poisson_disk, sample, scanline, seven_point,
    volume_lattice,
};
pub use shape::{OpenFaces, Shape, Side, Solid};
pub use signed_distance::{NearDistance, SignedDistance};
