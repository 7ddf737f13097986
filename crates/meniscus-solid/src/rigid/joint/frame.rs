//! A joint in the frames of its bodies.

use glam::{DQuat, DVec3};

use super::form::Form;
use super::{JointParams, JointType, Motor};
use crate::rigid::body::BodyState;

/// Limits that are nearer to each other hold their joint there, as a share of a turn or of a metre `[1]`.
const MIN_RANGE: f64 = 1e-12;

/// Where a joint is attached, and what it demands; derived from its description once.
#[derive(Debug, Clone)]
pub(crate) struct JointFrame {
    /// The bodies; the scene itself is `None`.
    pub body: [Option<u32>; 2],
    /// From the centre of mass to the attached point, in the frame of each body `[m]`.
    pub anchor: [DVec3; 2],
    /// The axis and a direction across it, which coincide in both bodies at the start, in the frame of each.
    axis: [DVec3; 2],
    across: [DVec3; 2],
    kind: JointType,
    /// What always holds.
    pub hold: Vec<Form>,
    /// What may not become negative, and what may not become positive.
    pub limit: [Option<Form>; 2],
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
        let into = [a, b].map(|body| body.rotation.conjugate());
        let across = axis.any_orthonormal_vector();
        let mut frame = Self {
            body,
            anchor: [into[0] * (point[0] - a.position), into[1] * (point[1] - b.position)],
            axis: into.map(|into| into * axis),
            across: into.map(|into| into * across),
            kind: params.kind,
            hold: Vec::new(),
            limit: [None; 2],
        };
        frame.demand();
        frame
    }

    /// Fills in what it demands.
    fn demand(&mut self) {
        let (anchor, [own, axis], [own_across, across]) = (self.anchor, self.axis, self.across);
        let (own_other, other) = (own.cross(own_across), axis.cross(across));
        let point = DVec3::AXES.map(|along| Form::point(anchor, along));
        let welded =
            [(own, across), (own_across, other), (own_other, axis)].map(|(a, b)| Form::directions(a, b));
        match self.kind {
            JointType::Ball => self.hold.extend(point),
            JointType::Fixed => self.hold.extend(point.into_iter().chain(welded)),
            JointType::Hinge { limits, .. } => {
                let tilt = [across, other].map(|across| Form::directions(own, across));
                self.hold.extend(point.into_iter().chain(tilt));
                self.limit(limits, |angle| {
                    Some(Form::directions(own_across, at_right_angles(angle, [across, other])))
                });
            }
            JointType::Slider { limits, .. } => {
                let aside = [across, other].map(|across| Form::along(anchor, across, 0.0));
                self.hold.extend(aside.into_iter().chain(welded));
                self.limit(limits, |reach| Some(Form::along(anchor, axis, reach)));
            }
            // Points that coincide have no direction: they are a ball.
            JointType::Distance { range: [_, most], .. } if most < 1e-9 => self.hold.extend(point),
            JointType::Distance { range, .. } => {
                let of_length = |length: f64| (length > 0.0).then(|| Form::distance(anchor, length));
                self.limit(Some(range), of_length);
            }
        }
    }

    fn limit(&mut self, limits: Option<[f64; 2]>, form: impl Fn(f64) -> Option<Form>) {
        match limits {
            Some([least, most]) if most - least <= MIN_RANGE * (1.0 + most.abs()) => {
                self.hold.extend(form(most));
            }
            Some(limits) => self.limit = limits.map(form),
            None => {}
        }
    }

    /// How far it is from its limits: what is left to the lower and to the upper one, negative beyond them `[rad]` or `[m]`.
    pub fn room(&self, state: &[BodyState; 2]) -> [f64; 2] {
        if let JointType::Hinge { limits: Some([least, most]), .. } = self.kind {
            // A hinge that is pressed a little beyond a limit near half a turn must not seem to be at the other one.
            let angle = self.angle(state, 0.5 * (least + most));
            return [angle - least, most - angle];
        }
        let [down, up] = self.limit.map(|form| form.map_or(f64::INFINITY, |form| form.error(state)));
        [down, if up == f64::INFINITY { up } else { -up }]
    }

    /// The same after a step. A hinge that has turned past a limit is beyond that one, however near the other is behind it.
    pub fn room_after(&self, start: &[BodyState; 2], end: &[BodyState; 2]) -> [f64; 2] {
        if let JointType::Hinge { limits: Some([least, most]), .. } = self.kind {
            let angle = self.angle(end, self.angle(start, 0.5 * (least + most)));
            return [angle - least, most - angle];
        }
        self.room(end)
    }

    /// The coordinate that limits bound and a motor drives, up to a constant; of a rope there is one for each limit.
    pub fn free(&self, state: &[BodyState; 2]) -> [Option<Form>; 2] {
        match self.kind {
            JointType::Hinge { .. } => {
                let other = state[0].rotation * self.axis[0].cross(self.across[0]);
                // Its product with what the first body carries across the axis is zero now.
                [Some(Form::directions(self.across[0], state[1].rotation.conjugate() * other)); 2]
            }
            JointType::Slider { .. } => [Some(Form::along(self.anchor, self.axis[1], 0.0)); 2],
            JointType::Distance { .. } => self.limit,
            JointType::Ball | JointType::Fixed => [None; 2],
        }
    }

    /// Its drive.
    pub fn motor(&self) -> Option<Motor> {
        match self.kind {
            JointType::Hinge { motor, .. } | JointType::Slider { motor, .. } => motor,
            JointType::Ball | JointType::Fixed | JointType::Distance { .. } => None,
        }
    }

    /// The angle of a hinge, within a half turn of `middle` `[rad]`.
    fn angle(&self, [a, b]: &[BodyState; 2], middle: f64) -> f64 {
        let (axis, zero, now) =
            (b.rotation * self.axis[1], b.rotation * self.across[1], a.rotation * self.across[0]);
        let from_middle = axis.dot(zero.cross(now)).atan2(zero.dot(now)) - middle;
        middle + (from_middle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
    }
}

/// The direction across an axis that is at right angles to the one at `angle` `[rad]`.
fn at_right_angles(angle: f64, [x, y]: [DVec3; 2]) -> DVec3 {
    angle.cos() * y - angle.sin() * x
}

/// The states of a joint's bodies at the start.
fn states(body: [Option<u32>; 2], all: &[BodyState]) -> [BodyState; 2] {
    body.map(|b| b.and_then(|b| all.get(b as usize)).copied().unwrap_or(SCENE))
}
