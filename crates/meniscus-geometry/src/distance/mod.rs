//! Signed distances: exact ones, and fields that are sampled on grids.
//!
//! In reading order: [`SignedDistance`] is what all of them have in common. `solid` has the distance of a
//! [`Solid`](crate::Solid) in the scene, in space and in the plane; [`ExactDistance`] that of a shape in its own frame, with
//! gradients; [`MeshDistance`] that of a mesh that need not be perfect, for which `facet` finds closest points of one triangle.
//! [`field`] has distances in cells, which are looked up quickly.
//!
//! Of a closed mesh the pseudo-normal at the closest point tells the side \[Baerentzen2005\]. Where triangles are missing, or
//! where parts of the mesh touch in an edge or a vertex, it does not; the [winding number](crate::query::WindingNumber) does.
//! [`SixRayVote`] is the method of \[Guendelman2006\] Sec. 2.3.1, the peer with which `validation` compares these signs; nothing
//! else uses it.
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | thickened triangle | `thickness` | triangles are met beyond their edges by this | m |
//!
//! **Departures.** \[Guendelman2006\] casts each ray from a node; here all nodes on a grid line share what the line meets.

mod exact;
mod facet;
pub mod field;
mod mesh;
mod near;
pub(crate) mod solid;
#[cfg(test)]
mod tests;
mod vote;

pub use exact::{ExactDistance, Inverted};
pub use mesh::MeshDistance;
pub use near::{LocalDistance, NearDistance};
pub use vote::{NodeSigns, SixRayVote};

use glam::DVec3;

use crate::{Aabb, MeshShape};

/// A signed distance in the frame of a body: positive outside of the closed surface, negative inside `[m]`.
///
/// Exact ones (meshes) and sampled ones (fields on grids) answer the same questions, so that whoever asks need not
/// know which it is.
pub trait SignedDistance: Send + Sync {
    /// The distance from `x` to the surface, negative inside `[m]`.
    fn distance(&self, x: DVec3) -> f64;

    /// The distance `[m]` and its gradient `[1]`, which is the outward normal near the surface; zero where it has no
    /// direction.
    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3);

    /// The distance of points in the box that reaches `half` `[m]` to both sides of `centre`, for those who ask for many of
    /// them: a mesh then looks for the triangles that matter there once.
    fn near(&self, _centre: DVec3, _half: DVec3) -> NearDistance<'_> {
        Box::new(near::Anywhere(self))
    }

    /// What determines all distances within `reach` `[m]` of `x`, if little does: distances of planes at right angles to each other
    /// `[m]`, ascending, −∞ for those out of reach. Places with the same ones have the same surroundings.
    fn planes(&self, _x: DVec3, _reach: f64) -> Option<[f64; 3]> {
        None
    }

    /// A box around the surface.
    fn bounds(&self) -> Aabb;
}

impl SignedDistance for MeshShape {
    fn distance(&self, x: DVec3) -> f64 {
        self.signed_distance(x)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        // Only a point that is not finite has no closest one.
        self.closest(x).map_or((f64::NAN, DVec3::ZERO), |closest| closest.signed_distance(x))
    }

    fn bounds(&self) -> Aabb {
        self.mesh().bounds()
    }
}
