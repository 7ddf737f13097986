//! Queries: the closest point of a mesh, what a ray meets, how often a mesh winds around a point, and what lies under a floor.
//!
//! In reading order: [`ClosestPoint`] with the pseudo-normal of \[Baerentzen2005\], [`RayHit`], and the [`WindingNumber`]
//! \[Jacobson2013\], summed over a tree \[Barill2018\]; they are asked of a [`MeshShape`](crate::MeshShape). `floor` asks a
//! container with open faces. Signs that are made from these are in [`distance`](crate::distance).
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | α_i n_i | pseudo-normals, from parry | normals weighted by the angle of their triangle | 1 |
//! | w | [`WindingNumber`] | 1 inside, 0 outside, in between near gaps | 1 |
//! | β | `winding` | how far away, in radii, a group of triangles becomes one dipole | 1 |
//!
//! **Departures.** \[Barill2018\] takes second derivatives into account as well; the dipole and its first derivative do here.

mod closest;
mod floor;
mod ray;
mod winding;

pub use closest::{ClosestFeature, ClosestPoint};
pub use ray::RayHit;
pub use winding::WindingNumber;
