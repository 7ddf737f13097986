//! What everything that knows its distance to a surface has in common.

use glam::DVec3;

use crate::{Aabb, MeshShape};

/// The distance `[m]` of points in one neighbourhood; see [`SignedDistance::near`].
pub type NearDistance<'a> = Box<dyn Fn(DVec3) -> f64 + 'a>;

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

    /// The distance of points within `radius` `[m]` of `centre`, for those who ask for many of them: a mesh then looks
    /// for the triangles that matter there once.
    fn near(&self, _centre: DVec3, _radius: f64) -> NearDistance<'_> {
        Box::new(|x| self.distance(x))
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
