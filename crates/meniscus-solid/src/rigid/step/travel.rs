//! How far bodies travel, and how short a substep must be.

use glam::DVec3;
use meniscus_core::BodyId;
use meniscus_geometry::Aabb;

use super::substep_state::SubstepState;
use crate::SolidError;
use crate::rigid::RigidBodies;

/// The share of a body's half thickness that another may travel in a substep `[1]`.
const MAX_TRAVEL: f64 = 1.5;
/// The turn of a body in a substep while others are near `[rad]`.
const MAX_TURN_NEAR_OTHERS: f64 = 0.5;

impl RigidBodies {
    /// Into how many parts the time `left` of a step `dt` `[s]` must be divided so that nothing passes through anything, and
    /// the pairs that might meet in it.
    pub(super) fn parts(&self, left: f64, dt: f64) -> Result<(u32, Vec<[u32; 2]>), SolidError> {
        let substep = self.substep_state(left, left / dt);
        let boxes: Vec<Aabb> = (0..self.body.len()).map(|k| self.bounds(k, 0.0)).collect();
        let mut most = (1.0_f64, [0, 0], 0.0);
        let candidates = self.candidates(&substep);
        for &pair in &candidates {
            let [a, b] = pair.map(|k| k as usize);
            // Bodies that are apart may first close the distance.
            let apart = separation(&boxes[a], &boxes[b]);
            let travel = self.relative_travel(&substep, a, b) / (self.room(a, b) + apart);
            let turning =
                |k: usize| substep.dt * (substep.twist[k].angular + substep.kick[k].angular).length();
            let turn = if apart > 0.0 { 0.0 } else { (turning(a) + turning(b)) / MAX_TURN_NEAR_OTHERS };
            let needed = travel.max(turn);
            if needed > most.0 {
                most = (needed, pair, self.relative_travel(&substep, a, b) / left);
            }
        }
        let parts = most.0.ceil();
        if parts <= f64::from(self.params.max_substeps) {
            return Ok((parts as u32, candidates));
        }
        Err(self.too_fast_past(most.1.map(|k| k as usize), most.2, parts))
    }

    /// How far two bodies may travel relative to each other before the points of one may have passed the other `[m]`.
    fn room(&self, a: usize, b: usize) -> f64 {
        let depth = |solid: usize, points: usize| {
            let (solid, points) = (&self.body[solid].shape, &self.body[points].shape);
            let meet = solid.field.is_some() && !points.samples.item.is_empty();
            if meet { MAX_TRAVEL * solid.half_thickness } else { f64::INFINITY }
        };
        depth(a, b).min(depth(b, a))
    }

    pub(super) fn too_fast(&self, left: f64, dt: f64, substeps: f64) -> SolidError {
        let substep = self.substep_state(left, left / dt);
        let speed = |k: usize| self.travel(&substep, k) / left;
        let fastest = (0..self.body.len()).fold(0, |best, k| if speed(k) > speed(best) { k } else { best });
        self.too_fast_past([fastest; 2], speed(fastest), substeps)
    }

    fn too_fast_past(&self, bodies: [usize; 2], speed: f64, substeps: f64) -> SolidError {
        let [name, other] = bodies.map(|k| self.body[k].label(k));
        let limit = self.params.max_substeps;
        SolidError::TooFast { body: BodyId(bodies[0] as u32), name, other, speed, substeps, limit }
    }

    /// How far a body's farthest point travels in the substep at most `[m]`.
    pub(super) fn travel(&self, substep: &SubstepState, body: usize) -> f64 {
        let (twist, kick) = (&substep.twist[body], &substep.kick[body]);
        let radius = self.precomputed[body].radius;
        let turning = (twist.angular + kick.angular).length();
        let turn = if turning > 0.0 { turning * radius } else { 0.0 };
        substep.dt * ((twist.linear + kick.linear).length() + turn)
    }

    /// How far two bodies may travel relative to each other `[m]`.
    pub(super) fn relative_travel(&self, substep: &SubstepState, a: usize, b: usize) -> f64 {
        let velocity = |k: usize| substep.twist[k].linear + substep.kick[k].linear;
        let turning = |k: usize| {
            let rate = (substep.twist[k].angular + substep.kick[k].angular).length();
            if rate > 0.0 { rate * self.precomputed[k].radius } else { 0.0 }
        };
        // A turning wall moves as fast as the other body is far away; its own radius is infinite.
        let turn = |k: usize, other: usize| {
            if self.precomputed[k].radius.is_finite() {
                turning(k)
            } else {
                let rate = (substep.twist[k].angular + substep.kick[k].angular).length();
                let far = self.state.body[other].position.distance(self.state.body[k].position);
                rate * (far + self.precomputed[other].radius)
            }
        };
        substep.dt * ((velocity(a) - velocity(b)).length() + turn(a, b) + turn(b, a))
    }
}

/// The distance between two boxes, zero if they overlap `[m]`.
fn separation(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length()
}
