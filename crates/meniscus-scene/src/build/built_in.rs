//! Built-in shapes become meshes.

use crate::model::BodyShape;
use meniscus_geometry::shape::builtin::{
    BoatHull, Bone, Bowl, Capsule, Cone, Cup, Duck, Gear, HollowSphere, PaddleWheel, Statue, Torus,
};
use meniscus_geometry::{GeometryError, MeshShape};
use std::sync::Arc;

/// The mesh of a built-in shape. Shapes that are no meshes have none, and are refused.
pub(crate) fn mesh(shape: &BodyShape) -> Result<Arc<MeshShape>, GeometryError> {
    let mesh = match shape {
        BodyShape::Capsule(s) => Capsule { radius: s.radius, height: s.height, segments: s.segments }.mesh(),
        BodyShape::Cone(s) => Cone { radius: s.radius, height: s.height, segments: s.segments }.mesh(),
        BodyShape::Torus(s) => Torus { radius: s.radius, tube: s.tube, segments: s.segments }.mesh(),
        BodyShape::Bowl(s) => Bowl { radius: s.radius, thickness: s.thickness, segments: s.segments }.mesh(),
        BodyShape::HollowSphere(s) => {
            HollowSphere { radius: s.radius, thickness: s.thickness, segments: s.segments }.mesh()
        }
        BodyShape::Cup(s) => {
            let (radius, height) = (s.radius, s.height);
            Cup { radius, height, thickness: s.thickness, segments: s.segments }.mesh()
        }
        BodyShape::Boat(s) => {
            let (length, beam, height) = (s.length, s.beam, s.height);
            BoatHull { length, beam, height, thickness: s.thickness, segments: s.segments }.mesh()
        }
        BodyShape::PaddleWheel(s) => {
            let (radius, hub, width) = (s.radius, s.hub, s.width);
            PaddleWheel { radius, hub, thickness: s.thickness, width, paddles: s.paddles }.mesh()
        }
        BodyShape::Gear(s) => {
            let (radius, tooth_depth) = (s.radius, s.tooth_depth);
            Gear { radius, tooth_depth, width: s.width, teeth: s.teeth, bore: s.bore }.mesh()
        }
        BodyShape::Bone(s) => Bone { length: s.length, triangles: s.triangles }.mesh(),
        BodyShape::Duck(s) => Duck { length: s.length, triangles: s.triangles }.mesh(),
        BodyShape::Statue(s) => Statue { height: s.height, triangles: s.triangles }.mesh(),
        BodyShape::Box(_)
        | BodyShape::Sphere(_)
        | BodyShape::Cylinder(_)
        | BodyShape::Plane(_)
        | BodyShape::Mesh(_) => Err(GeometryError::Invalid {
            what: "a built-in mesh of this shape".to_owned(),
            allowed: "capsule, cone, torus, bowl, hollow-sphere, cup, boat, paddle-wheel, gear, bone, duck or statue",
        }),
    }?;
    Ok(Arc::new(MeshShape::new(mesh)?))
}
