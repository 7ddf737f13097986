//! Our bodies as Rapier's.

use glam::{DQuat, DVec3};
use meniscus_core::Dimension;
use meniscus_geometry::{OpenFaces, Pose, Side};
use rapier3d_f64::prelude::{
    CoefficientCombineRule, ColliderBuilder, LockedAxes, MassProperties, RigidBodyBuilder, SharedShape,
};

use super::RapierParams;
use crate::rigid::body::BodyType;
use crate::rigid::collider::{ColliderGeometry, ColliderShape};
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
        BodyType::Static => RigidBodyBuilder::fixed(),
        BodyType::Scripted(_) => RigidBodyBuilder::kinematic_position_based(),
        BodyType::Dynamic(mass) => {
            let led = body.prescribed_motion(0.0).is_some();
            let builder = if led {
                RigidBodyBuilder::kinematic_position_based()
            } else {
                RigidBodyBuilder::dynamic().linvel(body.velocity).angvel(body.angular_velocity)
            };
            builder.additional_mass_properties(mass_properties(mass)).ccd_enabled(params.continuous)
        }
    };
    let plane =
        LockedAxes::TRANSLATION_LOCKED_Z | LockedAxes::ROTATION_LOCKED_X | LockedAxes::ROTATION_LOCKED_Y;
    let locked = if params.dimension == Dimension::Two { plane } else { LockedAxes::empty() };
    builder.pose(pose(&start)).locked_axes(locked).enabled(body.schedule.is_present(0.0))
}

pub(super) fn mass_properties(mass: &meniscus_geometry::MassProperties) -> MassProperties {
    MassProperties::with_inertia_matrix(mass.centre, mass.mass, mass.inertia)
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

fn shape(shape: &ColliderShape, place: &str) -> Result<SharedShape, SolidError> {
    let degenerate =
        || SolidError::invalid(place, "a mesh or convex part without volume", "parts with a volume");
    if !shape.parts.is_empty() {
        let hull = |part: &Vec<DVec3>| SharedShape::convex_hull(part).map(|s| (RapierPose::IDENTITY, s));
        let hulls: Option<Vec<_>> = shape.parts.iter().map(hull).collect();
        return hulls.map(SharedShape::compound).ok_or_else(degenerate);
    }
    Ok(match shape.geometry() {
        ColliderGeometry::Exact { shape, side: Side::Solid } => simple(shape),
        ColliderGeometry::Capsule { radius, half_height } => SharedShape::capsule_y(*half_height, *radius),
        ColliderGeometry::Mesh(mesh) => {
            SharedShape::trimesh(mesh.vertex.clone(), mesh.triangle.clone()).map_err(|_| degenerate())?
        }
        ColliderGeometry::Exact {
            shape: meniscus_geometry::Shape::Box { size, open },
            side: Side::Container,
        } => walls(*size, *open),
        ColliderGeometry::Exact { side: Side::Container, .. } | ColliderGeometry::Field => {
            let what = format!("{place}, a container that is no box");
            return Err(SolidError::Unsupported { engine: "Rapier", what });
        }
    })
}

/// The walls of a box as slabs as thick as the box is long.
fn walls(size: DVec3, open: OpenFaces) -> SharedShape {
    let thickness = size.max_element();
    let mut slabs = Vec::new();
    for axis in 0..3 {
        for upper in [false, true].into_iter().filter(|upper| !open.is_open(axis, *upper)) {
            let out = DVec3::AXES[axis] * if upper { 1.0 } else { -1.0 };
            let mut half = 0.5 * size + thickness;
            half[axis] = 0.5 * thickness;
            // Slabs end where an open face begins: they would stand in the way beyond it.
            let (mut low, mut high) = (-half, half);
            for other in (0..3).filter(|other| *other != axis) {
                if open.is_open(other, false) {
                    low[other] = -0.5 * size[other];
                }
                if open.is_open(other, true) {
                    high[other] = 0.5 * size[other];
                }
            }
            let middle = 0.5 * (low + high) + out * 0.5 * (size[axis] + thickness);
            let half = 0.5 * (high - low);
            let place = RapierPose::from_parts(middle, DQuat::IDENTITY);
            slabs.push((place, SharedShape::cuboid(half.x, half.y, half.z)));
        }
    }
    if slabs.is_empty() { SharedShape::ball(f64::MIN_POSITIVE) } else { SharedShape::compound(slabs) }
}

fn simple(shape: &meniscus_geometry::Shape) -> SharedShape {
    use meniscus_geometry::Shape as Simple;
    match shape {
        Simple::Box { size, .. } => SharedShape::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z),
        Simple::Sphere { radius } => SharedShape::ball(*radius),
        Simple::Cylinder { radius, height } => SharedShape::cylinder(0.5 * height, *radius),
        // Meshes have a collider geometry of their own.
        Simple::Plane { .. } | Simple::Mesh(_) => SharedShape::halfspace(DVec3::Y),
    }
}
