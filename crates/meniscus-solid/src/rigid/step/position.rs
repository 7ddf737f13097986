//! Positions at the end of a substep.

use glam::{DQuat, DVec3};
use meniscus_core::{BodyId, Dimension, Twist, Wrench};

use super::substep_state::SubstepState;
use crate::SolidError;
use crate::rigid::RigidBodies;
use crate::rigid::body::{BodyState, BodyType};
use crate::rigid::contact::ContactPoint;
use crate::rigid::contact::sweep::{Island, Motions};
use crate::rigid::integrate::rotate_torque_free;
use crate::rigid::mechanism::Mechanism;
use crate::rigid::mechanism::motion::{Motion, displace};

/// What joints may be off by after bodies were pushed out of others, as a share of their arms `[1]`.
const CLOSED: f64 = 1e-7;

impl RigidBodies {
    /// Moves all bodies to the end of the substep.
    pub(super) fn advance_positions(
        &mut self,
        substep: &SubstepState,
        before: &[Twist],
        islands: &[Island],
        motions: Vec<Motions>,
    ) -> Result<(), SolidError> {
        let mut twist = substep.twist.clone();
        let mut push = vec![Twist::default(); twist.len()];
        // What pushes from outside acts where the step begins, as a fluid's symplectic step has it: with the mean velocity the
        // body would not gain the angular momentum that the fluid loses.
        let pushed = |k: usize| self.load[k] != Wrench::default();
        let mut smooth: Vec<bool> = (0..self.body.len()).map(|k| !self.jointed[k] && !pushed(k)).collect();
        for island in islands {
            for (local, body) in island.body.iter().enumerate() {
                if !substep.mobility[*body as usize].is_none() {
                    twist[*body as usize] = island.twist[local];
                    push[*body as usize] = island.push[local];
                }
            }
            slides(island, before, substep.dt, &mut smooth);
        }
        let time = self.state.time + substep.dt;
        for k in 0..self.body.len() {
            let mean =
                if smooth[k] { 0.5 * substep.dt * (before[k].linear - twist[k].linear) } else { DVec3::ZERO };
            let moved = substep.dt * twist[k].linear + mean + push[k].linear;
            let state = match self.body[k].prescribed_motion(self.state.time) {
                _ if !self.is_there(k) || self.jointed[k] && self.is_dynamic(k) => continue,
                Some(motion) => self.body[k].follow(motion, time),
                None if substep.mobility[k].is_none() => continue,
                None => self.moved(k, twist[k], moved, push[k].angular, substep.dt),
            };
            if !state.is_finite() {
                return Err(SolidError::NotFinite { body: BodyId(k as u32), name: self.body[k].label(k) });
            }
            self.state.body[k] = state;
        }
        self.state.time = time;
        for (index, motion) in motions.into_iter().flatten() {
            self.store_motion(&self.mechanism[index].clone(), motion, &push)?;
        }
        let pushed =
            |mechanism: &Mechanism| mechanism.body.iter().any(|b| push[*b as usize] != Twist::default());
        self.close_joints(CLOSED, pushed);
        Ok(())
    }

    /// Moves the bodies of a mechanism to where it was led, and pushes them out of others.
    fn store_motion(
        &mut self,
        mechanism: &Mechanism,
        motion: Motion,
        push: &[Twist],
    ) -> Result<(), SolidError> {
        for (body, mut state) in mechanism.body.iter().zip(motion.state) {
            let k = *body as usize;
            displace(&mut state, push[k]);
            if !state.is_finite() {
                return Err(SolidError::NotFinite { body: BodyId(*body), name: self.body[k].label(k) });
            }
            self.state.body[k] = state;
        }
        let joints = self.joint.len();
        for (link, impulse) in mechanism.joint.iter().zip(motion.impulse) {
            self.state.contact_cache.store_joint(link.index as usize, joints, impulse);
        }
        Ok(())
    }

    fn moved(&self, body: usize, twist: Twist, by: DVec3, turn: DVec3, dt: f64) -> BodyState {
        let old = &self.state.body[body];
        let BodyType::Dynamic(mass) = &self.body[body].kind else { return *old };
        let (rotation, angular_velocity) = match self.params.dimension {
            Dimension::Two => {
                ((DQuat::from_rotation_z(twist.angular.z * dt) * old.rotation).normalize(), twist.angular)
            }
            Dimension::Three => rotate_torque_free(
                old.rotation,
                twist.angular,
                mass.inertia,
                self.precomputed[body].inverse,
                dt,
            ),
        };
        let rotation = if turn == DVec3::ZERO {
            rotation
        } else {
            (DQuat::from_scaled_axis(turn) * rotation).normalize()
        };
        BodyState { position: old.position + by, rotation, velocity: twist.linear, angular_velocity }
    }
}

/// Clears the flags of bodies that may not move with their mean velocity: that of the end of the step would keep them off
/// others, but the mean would not, or others are pushed by them and must see the same motion.
fn slides(island: &Island, before: &[Twist], dt: f64, smooth: &mut [bool]) {
    for pair in &island.pair {
        let movable = pair.body.map(|b| !island.mobility[b as usize].is_none());
        for side in 0..2 {
            let local = pair.body[side] as usize;
            let body = island.body[local] as usize;
            if !movable[side] || body >= smooth.len() {
                continue;
            }
            let mean = 0.5 * dt * (before[body].linear - island.twist[local].linear);
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let approaches = |p: &ContactPoint| sign * mean.dot(p.normal) < -1e-9 * (mean.length() + 1e-6);
            if movable[1 - side] || pair.point.iter().any(approaches) {
                smooth[body] = false;
            }
        }
    }
}
