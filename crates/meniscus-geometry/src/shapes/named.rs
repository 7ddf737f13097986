//! Built-in shapes by their names, in sizes that suit a first try.

use glam::DVec3;

use super::{
    BoatHull, Bone, Bowl, BoxMesh, Capsule, Cone, Cup, CylinderMesh, Duck, Gear, HollowSphere, PaddleWheel,
    PlanePatch, SEGMENTS, SphereMesh, Statue, Torus,
};
use crate::{GeometryError, TriangleMesh};

/// The names of the built-in shapes, as scenes write them.
pub const NAMES: [&str; 16] = [
    "box",
    "sphere",
    "cylinder",
    "plane",
    "capsule",
    "cone",
    "torus",
    "bowl",
    "cup",
    "hollow-sphere",
    "boat",
    "paddle-wheel",
    "gear",
    "bone",
    "duck",
    "statue",
];

/// A built-in shape in the sizes that the examples of the scene format have, some decimetres; nothing if no shape has
/// this name. [`NAMES`] lists them.
#[must_use]
pub fn by_name(name: &str) -> Option<Result<TriangleMesh, GeometryError>> {
    Some(match name {
        "box" => BoxMesh { size: DVec3::new(1.0, 0.5, 0.5), segments: 10 }.mesh(),
        "plane" => PlanePatch { size: [2.0, 2.0], segments: 10 }.mesh(),
        "boat" => {
            BoatHull { length: 1.5, beam: 0.6, height: 0.3, thickness: 0.03, segments: BoatHull::SEGMENTS }
                .mesh()
        }
        "paddle-wheel" => {
            PaddleWheel { radius: 0.3, hub: 0.1, thickness: 0.02, width: 0.2, paddles: PaddleWheel::PADDLES }
                .mesh()
        }
        "gear" => Gear { radius: 0.3, tooth_depth: 0.06, width: 0.1, teeth: Gear::TEETH, bore: None }.mesh(),
        "bone" => Bone { length: 0.3, triangles: Bone::TRIANGLES }.mesh(),
        "duck" => Duck { length: 0.3, triangles: Duck::TRIANGLES }.mesh(),
        "statue" => Statue { height: 1.0, triangles: Statue::TRIANGLES }.mesh(),
        _ => return turned(name, SEGMENTS),
    })
}

/// The shapes with an axis that curves go around.
fn turned(name: &str, segments: u32) -> Option<Result<TriangleMesh, GeometryError>> {
    Some(match name {
        "sphere" => SphereMesh { radius: 0.1, segments }.mesh(),
        "cylinder" => CylinderMesh { radius: 0.1, height: 0.5, segments }.mesh(),
        "capsule" => Capsule { radius: 0.1, height: 0.5, segments }.mesh(),
        "cone" => Cone { radius: 0.1, height: 0.3, segments }.mesh(),
        "torus" => Torus { radius: 0.2, tube: 0.05, segments }.mesh(),
        "bowl" => Bowl { radius: 0.2, thickness: 0.02, segments }.mesh(),
        "hollow-sphere" => HollowSphere { radius: 0.2, thickness: 0.02, segments }.mesh(),
        "cup" => Cup { radius: 0.1, height: 0.2, thickness: 0.01, segments }.mesh(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeshShape;

    #[test]
    fn every_name_has_a_sound_mesh_and_no_other_word_has_one() {
        for name in NAMES {
            let shape = MeshShape::new(by_name(name).unwrap().unwrap()).unwrap();
            assert_eq!(shape.is_watertight(), name != "plane", "{name}");
            assert!(shape.report().mended().is_empty(), "{name}");
        }
        assert!(["", "Duck", "duck.obj", "mesh", "swan"].into_iter().all(|name| by_name(name).is_none()));
    }
}
