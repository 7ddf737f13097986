//! Joints in a substep, and what is left of their errors after it.

use glam::{DQuat, DVec3};

use super::substep_state::SubstepState;
use crate::rigid::RigidBodies;
use crate::rigid::body::{BodyState, InverseMass};
use crate::rigid::joint::{JointAim, JointFrame, JointRows};
use meniscus_core::Twist;

/// How often what is left of joint errors is closed in a substep `[1]`.
const CLOSINGS: u32 = 3;
/// Sweeps over the joints alone `[1]`.
const JOINT_SWEEPS: u32 = 50;

impl RigidBodies {
    /// The joints' rows at the start of the substep. The scene itself is the body after the last.
    pub(super) fn joint_rows(&self, substep: &SubstepState) -> Vec<JointRows> {
        let scene = self.body.len();
        let rows = |frame: &JointFrame| {
            let body = frame.body.map(|b| b.map_or(scene, |b| b as usize));
            let mobility = body.map(|b| &substep.mobility[b]);
            JointRows::new(frame, &self.state.body, body, mobility, JointAim::Step(substep.dt))
        };
        self.joint.iter().map(rows).collect()
    }

    pub(super) fn prepare_joints(
        &self,
        joints: Vec<JointRows>,
        level: &[u32],
        scale: f64,
    ) -> Vec<(u32, JointRows)> {
        let each = |(k, mut rows): (usize, JointRows)| {
            rows.level = rows.body.iter().map(|b| level[*b]).max().unwrap_or(0);
            rows.warm_start(self.state.contact_cache.joint(k), scale);
            (k as u32, rows)
        };
        joints.into_iter().enumerate().map(each).collect()
    }

    /// Closes what is left of the joints' errors, and takes the relative velocities that closed the rest out of them again
    /// (\[Guendelman2006\] Sec. 8.1).
    pub(super) fn post_stabilise_joints(&mut self, tolerance: f64) {
        if self.joint.is_empty() {
            return;
        }
        for _ in 0..CLOSINGS {
            let still = vec![Twist::default(); self.body.len() + 1];
            let (push, change) = self.solve_joints(JointAim::Close, still, 1e-12);
            for (state, push) in self.state.body.iter_mut().zip(&push) {
                state.position += push.linear;
                if push.angular != DVec3::ZERO {
                    state.rotation = (DQuat::from_scaled_axis(push.angular) * state.rotation).normalize();
                }
            }
            if change <= 1e-9 {
                break;
            }
        }
        let moving = |s: &BodyState| Twist { linear: s.velocity, angular: s.angular_velocity };
        let twist = self.state.body.iter().map(moving).chain([Twist::default()]).collect();
        let (twist, _) = self.solve_joints(JointAim::Keep, twist, tolerance);
        let time = self.state.time;
        for ((body, state), twist) in self.body.iter().zip(&mut self.state.body).zip(twist) {
            if body.mass_properties(time).is_some() {
                (state.velocity, state.angular_velocity) = (twist.linear, twist.angular);
            }
        }
    }

    /// Sweeps over the joints alone; the velocities or displacements, and the largest change of the first sweep.
    fn solve_joints(&self, aim: JointAim, mut twist: Vec<Twist>, tolerance: f64) -> (Vec<Twist>, f64) {
        let scene = self.body.len();
        let mobility: Vec<InverseMass> =
            (0..scene).map(|k| self.inverse_mass(k)).chain([InverseMass::NONE]).collect();
        let new = |frame: &JointFrame| {
            let body = frame.body.map(|b| b.map_or(scene, |b| b as usize));
            JointRows::new(frame, &self.state.body, body, body.map(|b| &mobility[b]), aim)
        };
        let mut rows: Vec<JointRows> = self.joint.iter().map(new).collect();
        let mut first = 0.0;
        for sweep in 0..JOINT_SWEEPS {
            let change = rows.iter_mut().map(|r| r.relax(&mut twist, &mobility)).fold(0.0, f64::max);
            if sweep == 0 {
                first = change;
            }
            if change <= tolerance {
                break;
            }
        }
        (twist, first)
    }
}
