//! Joints between bodies: ball, hinge, slider, fixed, distance, with limits and motors.
//!
//! \[Guendelman2006\] Sec. 8.1: the impulses of joints are such that the joints hold at the end of the step
//! (pre-stabilisation); afterwards forbidden relative velocity is taken out (post-stabilisation).
//!
//! **Departures**: the thesis goes from joint to joint. Here those of a [mechanism](crate::rigid::mechanism) are solved at once,
//! and push along the mean of their directions over the step, which does no work. [`form`] says what they demand.

mod form;
mod frame;

use glam::DVec3;
use meniscus_core::BodyId;
use serde::{Deserialize, Serialize};

use crate::{BodyParams, SolidError};
pub(crate) use form::{Form, Gradient, Span};
pub(crate) use frame::{JointFrame, SCENE};

/// A drive along the direction that a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// The speed that it aims at `[rad/s]`, for a slider `[m/s]`.
    pub speed: f64,
    /// The largest torque `[N m]`, for a slider the largest force `[N]`.
    pub strength: f64,
}

/// What a joint allows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum JointType {
    /// The bodies share a point.
    Ball,
    /// The bodies share a point and an axis.
    Hinge {
        /// The axis in the scene at the start; its length does not matter.
        axis: DVec3,
        /// Least and largest angle of the first body relative to the second, zero at the start, within ±π `[rad]`.
        limits: Option<[f64; 2]>,
        /// A drive.
        motor: Option<Motor>,
    },
    /// The first body moves along an axis of the second, without turning.
    Slider {
        /// The axis in the scene at the start; its length does not matter.
        axis: DVec3,
        /// Least and largest displacement of the first body relative to the second, zero at the start `[m]`.
        limits: Option<[f64; 2]>,
        /// A drive.
        motor: Option<Motor>,
    },
    /// The bodies do not move relative to each other.
    Fixed,
    /// Two points keep their distance.
    Distance {
        /// The point of the second body in the scene at the start `[m]`; that of the first is the joint's point.
        other: DVec3,
        /// Least and largest distance; equal for a rod `[m]`.
        range: [f64; 2],
    },
}

/// A joint as it is described.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointParams {
    /// The first body.
    pub first: BodyId,
    /// The second body; if left out, the scene itself.
    pub second: Option<BodyId>,
    /// Where the joint is at the start, in the scene `[m]`.
    pub point: DVec3,
    /// What it allows.
    pub kind: JointType,
    /// Whether its bodies still collide with each other.
    pub collide: bool,
}

impl JointParams {
    /// Refuses joints between `bodies` from which nothing can be computed.
    pub(crate) fn check(&self, place: &str, bodies: &[BodyParams]) -> Result<(), SolidError> {
        let invalid = |what: String, allowed| Err(SolidError::invalid(place, what, allowed));
        let known = |id: BodyId| (id.0 as usize) < bodies.len();
        if !known(self.first) || !self.second.is_none_or(known) || self.second == Some(self.first) {
            let what = format!("the bodies {:?} and {:?}", self.first, self.second);
            return invalid(what, "two different bodies of the scene");
        }
        let late = |id: &BodyId| bodies[id.0 as usize].schedule.enter > 0.0;
        if let Some(body) = [Some(self.first), self.second].into_iter().flatten().find(late) {
            let body = body.0 as usize;
            let what = format!("{}, which enters later,", bodies[body].label(body));
            return invalid(what, "bodies that are there from the start");
        }
        let range_ok = |range: [f64; 2]| range[0] <= range[1] && range.iter().all(|r| r.is_finite());
        let drive_ok = |m: &Motor| m.speed.is_finite() && m.strength.is_finite() && m.strength >= 0.0;
        let ok = match &self.kind {
            JointType::Ball | JointType::Fixed => true,
            JointType::Hinge { axis, limits, motor } | JointType::Slider { axis, limits, motor } => {
                axis.is_finite()
                    && axis.try_normalize().is_some()
                    && limits.is_none_or(range_ok)
                    && motor.as_ref().is_none_or(drive_ok)
            }
            JointType::Distance { other, range } => other.is_finite() && range_ok(*range) && range[0] >= 0.0,
        };
        if let JointType::Hinge { limits: Some(limits), .. } = self.kind
            && limits.iter().any(|l| l.abs() > std::f64::consts::PI)
        {
            return invalid(format!("a hinge with the limits {limits:?}"), "angles within ±π");
        }
        if ok && self.point.is_finite() {
            Ok(())
        } else {
            let allowed = "finite numbers, an axis with a direction, limits in ascending order, strengths that are not negative";
            invalid(format!("{self:?}"), allowed)
        }
    }
}
