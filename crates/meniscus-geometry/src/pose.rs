use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::GeometryError;

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

    /// Refuses poses whose numbers would poison everything computed with them.
    pub(crate) fn check(&self) -> Result<(), GeometryError> {
        if self.translation.is_finite() && self.rotation.is_finite() && self.rotation.is_normalized() {
            Ok(())
        } else {
            Err(GeometryError::Invalid {
                what: format!("the pose {self:?}"),
                allowed: "finite coordinates and a rotation of unit length",
            })
        }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
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
    fn non_finite_and_scaling_poses_are_refused() {
        assert!(Pose::IDENTITY.check().is_ok());
        assert!(Pose::at(DVec3::NAN).check().is_err());
        let scaling = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..Pose::IDENTITY };
        assert!(scaling.check().is_err());
    }
}
