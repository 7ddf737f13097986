//! Our joints as Rapier's.

use glam::{DMat3, DQuat, DVec3};
use meniscus_geometry::Pose;
use rapier3d_f64::prelude::{GenericJoint, GenericJointBuilder, JointAxesMask, JointAxis, MotorModel};

use super::convert;
use crate::{JointParams, JointType, Motor};

/// How stiffly a motor holds its speed below its strength `[N s/m]` or `[N m s]`.
const MOTOR_STIFFNESS: f64 = 1e6;

/// The joint between the second body (Rapier's first, which may be the scene) and the first, at their poses at the start.
pub(super) fn joint(params: &JointParams, [first, second]: [Pose; 2]) -> GenericJoint {
    let (mask, axis, other) = match params.kind {
        JointType::Ball => (JointAxesMask::LOCKED_SPHERICAL_AXES, DVec3::X, params.point),
        JointType::Fixed => (JointAxesMask::LOCKED_FIXED_AXES, DVec3::X, params.point),
        JointType::Hinge { axis, .. } => (JointAxesMask::LOCKED_REVOLUTE_AXES, axis, params.point),
        JointType::Slider { axis, .. } => (JointAxesMask::LOCKED_PRISMATIC_AXES, axis, params.point),
        JointType::Distance { other, .. } => (JointAxesMask::empty(), DVec3::X, other),
    };
    let turn = along_x(axis);
    let frame = |body: Pose, point: DVec3| {
        convert::pose(&Pose {
            translation: body.to_local(point),
            rotation: (body.rotation.conjugate() * turn).normalize(),
        })
    };
    let builder = GenericJointBuilder::new(mask)
        .local_frame1(frame(second, other))
        .local_frame2(frame(first, params.point))
        .contacts_enabled(params.collide);
    match params.kind {
        JointType::Ball | JointType::Fixed => builder,
        JointType::Hinge { limits, motor, .. } => free(builder, JointAxis::AngX, limits, motor),
        JointType::Slider { limits, motor, .. } => free(builder, JointAxis::LinX, limits, motor),
        JointType::Distance { range, .. } => {
            builder.coupled_axes(JointAxesMask::LIN_AXES).limits(JointAxis::LinX, range)
        }
    }
    .build()
}

fn free(
    mut builder: GenericJointBuilder,
    axis: JointAxis,
    limits: Option<[f64; 2]>,
    motor: Option<Motor>,
) -> GenericJointBuilder {
    if let Some(limits) = limits {
        builder = builder.limits(axis, limits);
    }
    if let Some(Motor { speed, strength }) = motor {
        builder = builder
            .motor_model(axis, MotorModel::ForceBased)
            .motor_velocity(axis, speed, MOTOR_STIFFNESS)
            .motor_max_force(axis, strength);
    }
    builder
}

/// A turn that takes x to `axis`.
fn along_x(axis: DVec3) -> DQuat {
    let x = axis.normalize_or(DVec3::X);
    let (y, z) = x.any_orthonormal_pair();
    DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize()
}
