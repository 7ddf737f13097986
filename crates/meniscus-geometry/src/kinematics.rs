//! Rigid motion at one moment.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::Pose;

/// Where something rigid is, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Kinematics {
    /// Where its local frame is.
    pub pose: Pose,
    /// Velocity of the origin of its local frame `[m/s]`.
    pub velocity: DVec3,
    /// Angular velocity `[rad/s]`.
    pub angular_velocity: DVec3,
}

impl Kinematics {
    /// Something that stands still.
    #[must_use]
    pub const fn at_rest(pose: Pose) -> Self {
        Self { pose, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    /// How the point at `x` `[m]` moves with it `[m/s]`.
    #[must_use]
    pub fn velocity_at(&self, x: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(x - self.pose.translation)
    }
}
