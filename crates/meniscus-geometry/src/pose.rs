//! What shapes ask of poses.

use crate::GeometryError;
pub use meniscus_core::{Kinematics, Pose};

/// Refuses poses whose numbers would poison everything computed with them.
pub(crate) fn check(pose: &Pose) -> Result<(), GeometryError> {
    if pose.is_valid() {
        return Ok(());
    }
    Err(GeometryError::Invalid {
        what: format!("the pose {pose:?}"),
        allowed: "finite coordinates and a rotation of unit length",
    })
}
