//! Questions to a triangle mesh: the closest point, what a ray meets, and what is inside.
//!
//! Of a closed mesh the pseudo-normal at the closest point tells the side \[Baerentzen2005\]. Where triangles are
//! missing, or where parts of the mesh touch in an edge or a vertex, it does not; the winding number \[Jacobson2013\],
//! summed over a tree \[Barill2018\], does. [`SixRayVote`] is the method of \[Guendelman2006\] Sec. 2.3.1.
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | α_i n_i | pseudo-normals, from parry | normals weighted by the angle of their triangle | 1 |
//! | w | [`WindingNumber`] | 1 inside, 0 outside, in between near gaps | 1 |
//! | β | [`winding`] | how far away, in radii, a group of triangles becomes one dipole | 1 |
//! | thickened triangle | `thickness` | triangles are met beyond their edges by this | m |
//!
//! **Departures.** \[Guendelman2006\] casts each ray from a node; here all nodes on a grid line share what the line
//! meets. \[Barill2018\] takes second derivatives into account as well; the dipole and its first derivative do here.

mod closest;
mod facet;
mod mesh_distance;
mod near;
mod ray;
#[cfg(test)]
mod tests;
mod vote;
mod winding;

pub use closest::{ClosestFeature, ClosestPoint};
pub use mesh_distance::MeshDistance;
pub use ray::RayHit;
pub use vote::{NodeSigns, SixRayVote};
pub use winding::WindingNumber;
