//! Our bodies as Rapier's.

use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_geometry::Pose;
use rapier3d_f64::prelude::{
    CoefficientCombineRule, ColliderBuilder, LockedAxes, MassProperties, RigidBodyBuilder, SharedShape,
};

use super::RapierParams;
use crate::body::BodyKind;
use crate::shape::{Form, Shape};
use crate::{BodyParams, SolidError};

/// Rapier's type of a pose.
type RapierPose = rapier3d_f64::math::Pose;

pub(super) fn pose(pose: &Pose) -> RapierPose {
    RapierPose::from_parts(pose.translation, pose.rotation)
}

/// The body without its shape.
pub(super) fn rigid_body(body: &BodyParams, params: &RapierParams) -> RigidBodyBuilder {
    let start = body.start(params.dimension).pose(body.centre());
    let builder = match &body.kind {
        BodyKind::Static => RigidBodyBuilder::fixed(),
        BodyKind::Scripted(_) => RigidBodyBuilder::kinematic_position_based(),
        BodyKind::Dynamic(mass) => {
            let mass = MassProperties::with_inertia_matrix(mass.centre, mass.mass, mass.inertia);
            RigidBodyBuilder::dynamic()
                .additional_mass_properties(mass)
                .linvel(body.velocity)
                .angvel(body.angular_velocity)
                .ccd_enabled(params.continuous)
        }
    };
    let plane =
        LockedAxes::TRANSLATION_LOCKED_Z | LockedAxes::ROTATION_LOCKED_X | LockedAxes::ROTATION_LOCKED_Y;
    let locked = if params.dimension == Dimension::Two { plane } else { LockedAxes::empty() };
    builder.pose(pose(&start)).locked_axes(locked)
}

/// The shape and surface of a body.
pub(super) fn collider(body: &BodyParams, place: &str) -> Result<ColliderBuilder, SolidError> {
    let m = &body.material;
    // The mass is the body's, not the shape's; the least restitution and the largest friction count, as with us.
    Ok(ColliderBuilder::new(shape(&body.shape, place)?)
        .density(0.0)
        .friction(m.friction)
        .friction_combine_rule(CoefficientCombineRule::Max)
        .restitution(m.restitution)
        .restitution_combine_rule(CoefficientCombineRule::Min))
}

fn shape(shape: &Shape, place: &str) -> Result<SharedShape, SolidError> {
    let degenerate =
        || SolidError::invalid(place, "a mesh or convex part without volume", "parts with a volume");
    if !shape.parts.is_empty() {
        let hull = |part: &Vec<DVec3>| SharedShape::convex_hull(part).map(|s| (RapierPose::IDENTITY, s));
        let hulls: Option<Vec<_>> = shape.parts.iter().map(hull).collect();
        return hulls.map(SharedShape::compound).ok_or_else(degenerate);
    }
    Ok(match shape.form() {
        Form::Box { half } => SharedShape::cuboid(half.x, half.y, half.z),
        Form::Sphere { radius } => SharedShape::ball(*radius),
        Form::Cylinder { radius, half_height } => SharedShape::cylinder(*half_height, *radius),
        Form::Capsule { radius, half_height } => SharedShape::capsule_y(*half_height, *radius),
        Form::HalfSpace => SharedShape::halfspace(DVec3::Y),
        Form::Mesh(mesh) => {
            SharedShape::trimesh(mesh.vertex.clone(), mesh.triangle.clone()).map_err(|_| degenerate())?
        }
        Form::Field => {
            let allowed =
                "boxes, balls, cylinders, capsules, half spaces and meshes, or the engine of our own";
            return Err(SolidError::invalid(place, "a container with Rapier", allowed));
        }
    })
}
