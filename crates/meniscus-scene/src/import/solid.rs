//! Bodies: their meshes, places and how the fluid feels them.

use super::Theirs;
use super::fluid::entries;
use super::reader::Block;
use glam::DVec3;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Adds all bodies.
pub(super) fn carry_over(scene: &mut Map<String, Value>, theirs: &Theirs<'_>) {
    let Theirs { root, all, config, notes, folder } = *theirs;
    let boundary = match config.choice("boundaryHandlingMethod").unwrap_or(2) {
        0 => "volume-particles",
        2 => "volume-map",
        _ => "density-map",
    };
    let planar = config.flag("sim2D").unwrap_or(false);
    let mut names = BTreeMap::new();
    let blocks = entries(root, "RigidBodies", notes);
    let bodies: Vec<Value> =
        blocks.iter().filter_map(|block| body(block, boundary, planar, &mut names, folder)).collect();
    if !bodies.is_empty() {
        scene.insert("body".to_owned(), Value::Array(bodies));
    }
    let _ = all.get("RigidBodies");
    for (key, why) in [
        ("AnimationFields", "there are no fields that drive particles"),
        ("TriangleModels", "there is no cloth"),
        ("TetModels", "there are no elastic solids"),
        ("Simulation", "numbers of their engine for bodies"),
    ] {
        all.lost(key, why);
    }
    let joints = root.as_object().into_iter().flat_map(Map::keys);
    for key in joints.filter(|key| key.ends_with("Joints") || key.ends_with("Springs")) {
        all.lost(key, "joints are not carried over; see [[joint]]");
    }
}

fn body(
    block: &Block<'_>,
    boundary: &str,
    planar: bool,
    names: &mut BTreeMap<String, usize>,
    folder: &Path,
) -> Option<Value> {
    let Some(file) = block.text("geometryFile") else {
        block.lost("particleFile", "a body needs a mesh");
        return None;
    };
    let stem = Path::new(file).file_stem().map_or("body".into(), |stem| stem.to_string_lossy().into_owned());
    // Our names are plain texts that are no formulas.
    let stem: String = stem.chars().filter(|c| !c.is_control()).collect();
    let stem = match stem.trim_start_matches(|c: char| !c.is_alphanumeric()) {
        "" => "body".to_owned(),
        plain => plain.to_owned(),
    };
    let seen = names.entry(stem.clone()).or_insert(0);
    *seen += 1;
    let name = if *seen == 1 { stem } else { format!("{stem}-{seen}") };
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    put("name", json!(name));
    let scale = block.vector("scale").unwrap_or(DVec3::ONE);
    if scale.min_element() < 0.0 {
        block.lost("scale", "bodies are not mirrored; the sizes are taken");
    }
    let scale = scale.abs();
    // Their box from -½ to ½ is ours, which is exact and quicker than a mesh.
    if file.ends_with("UnitBox.obj") {
        put("shape", json!("box"));
        put("size", json!(scale.to_array()));
    } else {
        put("shape", json!("mesh"));
        put("path", json!(mesh_path(folder, file)));
        put("scale", json!(scale.to_array()));
    }
    let position = block.vector("translation").unwrap_or(DVec3::ZERO);
    put("position", json!(if planar { position.with_z(0.0) } else { position }.to_array()));
    if let Some(turn) = rotation(block, DVec3::X) {
        put("rotation", turn);
    }
    let around = [block.flag("mapInvert"), block.flag("isWall")].contains(&Some(true));
    if around {
        put("container", json!(true));
    }
    put("boundary", json!({ "method": boundary }));
    if block.flag("isDynamic") == Some(true) {
        let vector = |key: &str| block.vector(key).unwrap_or(DVec3::ZERO).to_array();
        let density = block.positive("density").unwrap_or(1.0);
        put(
            "dynamics",
            json!({
                "density": density, "velocity": vector("velocity"), "angular_velocity": vector("angularVelocity"),
            }),
        );
        let part = |key: &str, other: f64| block.within(key, 0.0, 1.0).unwrap_or(other);
        put(
            "material",
            json!({ "restitution": part("restitution", 0.6), "friction": part("friction", 0.2) }),
        );
    }
    if block.flag("isAnimated") == Some(true) {
        block.lost("isAnimated", "motions of scripts are not carried over; see body.motion");
    }
    block.without_meaning(&[
        "id",
        "color",
        "samplingMode",
        "mapFile",
        "mapThickness",
        "mapResolution",
        "tubeMapOrder",
        "particleFile",
        "collisionObjectType",
        "collisionObjectScale",
        "collisionObjectFileName",
        "invertSDF",
        "thicknessSDF",
        "resolutionSDF",
        "testMesh",
        "flatShading",
        "density",
        "velocity",
        "angularVelocity",
        "restitution",
        "friction",
    ]);
    block.finish();
    Some(Value::Object(body))
}

/// A turn about an axis, in degrees; nothing if there is none.
pub(super) fn rotation(block: &Block<'_>, default_axis: DVec3) -> Option<Value> {
    let axis = block.vector("rotationAxis").unwrap_or(default_axis);
    let angle = block.number("rotationAngle").filter(|angle| *angle != 0.0)?;
    (axis != DVec3::ZERO).then(|| json!({ "axis": axis.to_array(), "angle": angle.to_degrees() }))
}

/// Where a mesh is.
pub(super) fn mesh_path(folder: &Path, file: &str) -> String {
    folder.join(file.replace('\\', "/")).display().to_string()
}
