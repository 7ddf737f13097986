//! A joint in the frames of its bodies.

use glam::{DQuat, DVec3};

use super::{JointParams, JointType};
use crate::rigid::body::BodyState;

/// Where a joint is attached; derived from its description once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointFrame {
    /// The bodies; the scene itself is `None`.
    pub body: [Option<u32>; 2],
    /// From the centre of mass to the attached point, in the frame of each body `[m]`.
    pub anchor: [DVec3; 2],
    /// The axis in the frame of the second body.
    pub axis: DVec3,
    /// Rotation of the first body relative to the second at the start.
    pub rest: DQuat,
    pub kind: JointType,
}

/// The scene itself as a body.
pub(crate) const SCENE: BodyState = BodyState {
    position: DVec3::ZERO,
    rotation: DQuat::IDENTITY,
    velocity: DVec3::ZERO,
    angular_velocity: DVec3::ZERO,
};

impl JointFrame {
    /// The joint `params` between bodies that start in `start`.
    pub fn new(params: &JointParams, start: &[BodyState]) -> Self {
        let body = [Some(params.first.0), params.second.map(|b| b.0)];
        let [a, b] = states(body, start);
        let (point, axis) = match params.kind {
            JointType::Distance { other, .. } => ([params.point, other], DVec3::X),
            JointType::Hinge { axis, .. } | JointType::Slider { axis, .. } => {
                ([params.point; 2], axis.normalize_or(DVec3::X))
            }
            JointType::Ball | JointType::Fixed => ([params.point; 2], DVec3::X),
        };
        Self {
            body,
            anchor: [
                a.rotation.conjugate() * (point[0] - a.position),
                b.rotation.conjugate() * (point[1] - b.position),
            ],
            axis: b.rotation.conjugate() * axis,
            rest: b.rotation.conjugate() * a.rotation,
            kind: params.kind,
        }
    }

    /// By how much the first body is turned relative to the second since the start, in the scene's axes `[rad]`.
    pub fn turn(&self, [a, b]: &[BodyState; 2]) -> DVec3 {
        let q = b.rotation.conjugate() * a.rotation * self.rest.conjugate();
        let q = if q.w < 0.0 { -q } else { q };
        b.rotation * q.normalize().to_scaled_axis()
    }

    /// By how much the axis of a hinge is turned away in the first body from where the second has it, in the scene's
    /// axes `[rad]`. It does not depend on how far the hinge is turned; the parts of [`JointFrame::turn`] across the axis do, and
    /// beyond half a turn they point the other way.
    pub fn swing(&self, [a, b]: &[BodyState; 2]) -> DVec3 {
        let own = a.rotation * (self.rest.conjugate() * self.axis);
        let wanted = b.rotation * self.axis;
        let cross = wanted.cross(own);
        cross.normalize_or_zero() * cross.length().atan2(wanted.dot(own))
    }

    /// The angle of a hinge, within a half turn of `middle` `[rad]`.
    pub fn angle(&self, [a, b]: &[BodyState; 2], middle: f64) -> f64 {
        let q = b.rotation.conjugate() * a.rotation * self.rest.conjugate();
        let from_middle = 2.0 * q.xyz().dot(self.axis).atan2(q.w) - middle;
        middle + (from_middle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
    }
}

/// The states of a joint's bodies.
pub(crate) fn states(body: [Option<u32>; 2], all: &[BodyState]) -> [BodyState; 2] {
    body.map(|b| b.and_then(|b| all.get(b as usize)).copied().unwrap_or(SCENE))
}
