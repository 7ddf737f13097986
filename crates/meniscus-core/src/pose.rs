//! Rigid frames: where something is, how it is turned, and how it moves.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Where a shape is and how it is turned: local coordinates are first rotated, then translated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Where the shape's local origin is `[m]`.
    pub translation: DVec3,
    /// How its local axes are turned; of unit length.
    pub rotation: DQuat,
}

impl Pose {
    /// Local coordinates are the scene's.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// A pose that only moves `[m]`.
    #[must_use]
    pub const fn at(translation: DVec3) -> Self {
        Self { translation, rotation: DQuat::IDENTITY }
    }

    /// From local coordinates to the scene's `[m]`.
    #[must_use]
    pub fn to_world(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// From the scene's coordinates to local ones `[m]`.
    #[must_use]
    pub fn to_local(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.translation)
    }

    /// Whether its coordinates are finite and its rotation has unit length: others would poison all that is computed with them.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.rotation.is_normalized()
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

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

    /// Where it will be after `dt` `[s]` if its velocities stay.
    #[must_use]
    pub fn after(&self, dt: f64) -> Self {
        let turn = DQuat::from_scaled_axis(dt * self.angular_velocity);
        let pose = Pose {
            translation: self.pose.translation + dt * self.velocity,
            rotation: if self.angular_velocity == DVec3::ZERO {
                self.pose.rotation
            } else {
                (turn * self.pose.rotation).normalize()
            },
        };
        Self { pose, ..*self }
    }

    /// The same with a change of its motion that is given for the point `centre` `[m]`.
    #[must_use]
    pub fn changed(&self, change: &crate::Twist, centre: DVec3) -> Self {
        let arm = self.pose.translation - centre;
        Self {
            velocity: self.velocity + change.at(arm),
            angular_velocity: self.angular_velocity + change.angular,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_local_undoes_to_world() {
        let pose = Pose {
            translation: DVec3::new(1.0, -2.0, 3.0),
            rotation: DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 0.7),
        };
        let x = DVec3::new(0.3, 0.2, -0.9);
        assert!(pose.to_local(pose.to_world(x)).abs_diff_eq(x, 1e-14));
    }

    #[test]
    fn poses_with_bad_numbers_are_not_valid() {
        assert!(Pose::IDENTITY.is_valid());
        assert!(!Pose::at(DVec3::NAN).is_valid());
        assert!(!Pose { rotation: DQuat::IDENTITY * 2.0, ..Pose::IDENTITY }.is_valid());
    }
}
