//! Fluid: solver, material, blocks, models, emitters.

use super::Theirs;
use super::reader::{Block, Notes};
use super::solid::{mesh_path, rotation};
use glam::{DQuat, DVec3};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Adds all that concerns the fluid.
pub(super) fn carry_over(scene: &mut Map<String, Value>, theirs: &Theirs<'_>) {
    let Theirs { root, all, config, notes, folder } = *theirs;
    let spacing = 2.0 * config.positive("particleRadius").unwrap_or(0.025);
    let planar = config.flag("sim2D").unwrap_or(false);
    let mut fluid = Map::new();
    fluid.insert("spacing".to_owned(), json!(spacing));
    let material = material(root, all, notes);
    let density = material.positive("density0").or_else(|| config.positive("density0")).unwrap_or(1000.0);
    fluid.insert("density".to_owned(), json!(density));
    let pressure = pressure(config, notes, density);
    if config.choice("kernel") == Some(1) {
        fluid.insert("kernel".to_owned(), json!({ "method": "wendland-c2" }));
    }
    config.lost("gradKernel", "gradients are those of the kernel");
    fluid.insert("pressure".to_owned(), pressure);
    fluid.insert("viscosity".to_owned(), viscosity(&material, config));
    for (key, why) in [
        ("vorticityMethod", "there is no vorticity model"),
        ("dragMethod", "there is no air"),
        ("surfaceTensionMethod", "its coefficients mean other things there; see fluid.surface_tension"),
        ("elasticityMethod", "there are no elastic solids of particles"),
    ] {
        if material.choice(key).is_some_and(|method| method != 0) {
            material.lost(key, why);
        }
    }
    material.without_meaning(&[
        "colorField",
        "colorMapType",
        "renderMinValue",
        "renderMaxValue",
        "visible",
        "id",
    ]);
    let mut sources = blocks(root, notes, spacing, planar);
    sources.extend(models(root, notes, folder));
    if !sources.is_empty() {
        fluid.insert("source".to_owned(), Value::Array(sources));
    }
    let emitters = emitters(root, notes, spacing, planar, material.count("maxEmitterParticles"));
    if !emitters.is_empty() {
        scene.insert("emitter".to_owned(), Value::Array(emitters));
    }
    material.finish();
    for key in ["FluidBlocks", "FluidModels", "Emitters"] {
        let _ = all.get(key);
    }
    scene.insert("fluid".to_owned(), Value::Object(fluid));
}

/// Leaves particles inside of bodies out of these sources.
pub(super) fn carve(scene: &mut Map<String, Value>, sources: &[usize], notes: &Notes) {
    let list = scene.get_mut("fluid").and_then(|fluid| fluid.get_mut("source")).and_then(Value::as_array_mut);
    for (k, source) in list.into_iter().flatten().enumerate().filter(|(k, _)| sources.contains(k)) {
        source["carve"] = json!(true);
        notes.add(format!(
            "fluid.source[{k}]: its particles inside of bodies, which are solid here, are left out"
        ));
    }
}

/// The entries of an array, with their names.
pub(super) fn entries<'a>(root: &'a Value, key: &str, notes: &'a Notes) -> Vec<Block<'a>> {
    let list = root.get(key).and_then(Value::as_array);
    let block = |(k, value): (usize, &'a Value)| Block::new(format!("{key}[{k}]"), Some(value), notes);
    list.into_iter().flatten().enumerate().map(block).collect()
}

/// The material of the first fluid; older scenes have a block of the fluid's name in its place.
fn material<'a>(root: &'a Value, all: &Block<'_>, notes: &'a Notes) -> Block<'a> {
    let listed = ["FluidBlocks", "FluidModels", "Emitters"]
        .iter()
        .flat_map(|key| root.get(*key).and_then(Value::as_array).into_iter().flatten());
    let mut ids: Vec<&str> = listed.map(|v| v.get("id").and_then(Value::as_str).unwrap_or("Fluid")).collect();
    ids.dedup();
    let first = ids.first().copied().unwrap_or("Fluid");
    if ids.iter().any(|id| *id != first) {
        notes.add(format!("more fluids than one: all become the fluid `{first}`"));
    }
    let _ = (all.get("Materials"), all.get(first));
    let named = |v: &&Value| v.get("id").and_then(Value::as_str).unwrap_or("Fluid") == first;
    let list = root.get("Materials").and_then(Value::as_array);
    match list.and_then(|list| list.iter().find(named)) {
        Some(found) => Block::new(format!("Materials.{first}"), Some(found), notes),
        None => Block::new(first, root.get(first), notes),
    }
}

/// The pressure solver, with its numbers from its own block or, in older scenes, from the configuration.
fn pressure(config: &Block<'_>, notes: &Notes, density: f64) -> Value {
    let names = ["WCSPH", "PCISPH", "PBF", "IISPH", "DFSPH", "Projective Fluids", "ICSPH"];
    let method = config.choice("simulationMethod").unwrap_or(4);
    let name = usize::try_from(method).ok().and_then(|k| names.get(k)).copied().unwrap_or("DFSPH");
    // The blocks of other solvers have no effect there either.
    for other in names {
        let _ = config.get(other);
    }
    let block = config.block(name);
    let number = |key: &str| block.positive(key).or_else(|| config.positive(key));
    let flag = |key: &str| block.flag(key).or_else(|| config.flag(key));
    let mut ours = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            ours.insert(key.to_owned(), value);
        }
    };
    let least = number("minIterations").map(|n| n.max(1.0) as u64);
    let most = number("maxIterations").map(|n| (n as u64).max(least.unwrap_or(1)));
    let tolerance = |percent: f64| json!((percent / 100.0).min(1.0));
    let kind = match name {
        "WCSPH" => "wcsph",
        "PCISPH" => "pcisph",
        "IISPH" => "iisph",
        "DFSPH" => "dfsph",
        other => {
            notes.add(format!("Configuration.simulationMethod: there is no {other}; DFSPH takes its place"));
            "dfsph"
        }
    };
    put("method", Some(json!(kind)));
    if kind == "wcsph" {
        let exponent = number("exponent").unwrap_or(7.0).clamp(1.0, 20.0);
        put("exponent", Some(json!(exponent)));
        let stiffness = number("stiffness").unwrap_or(50.0);
        put("sound_speed", Some(json!((stiffness * exponent / density).sqrt())));
    } else if kind == name.to_lowercase() {
        put("min_sweeps", least.map(|n| json!(n)));
        put("max_sweeps", most.map(|n| json!(n)));
        put("density_tolerance", number("maxError").map(tolerance));
        if kind == "dfsph" {
            put("max_divergence_sweeps", number("maxIterationsV").map(|n| json!(n as u64)));
            put("divergence_tolerance", number("maxErrorV").map(tolerance));
            put("divergence", flag("enableDivergenceSolver").map(|on| json!(on)));
        }
        block.finish();
    }
    Value::Object(ours)
}

/// Friction: their standard viscosity is ours by Laplacian; XSPH where there is no other.
fn viscosity(material: &Block<'_>, config: &Block<'_>) -> Value {
    let method = material.choice("viscosityMethod").unwrap_or(0);
    let standard = material.block("Standard viscosity");
    let xsph = material.block("XSPH").number("xsph").filter(|x| *x > 0.0);
    let friction = |block: &Block<'_>, key: &str| block.within(key, 0.0, f64::MAX);
    let old = friction(material, "viscosity").or_else(|| friction(config, "viscosity"));
    let old_wall = friction(material, "viscosityBoundary");
    match (method, xsph) {
        (1, _) => {
            let inside = friction(&standard, "viscosity").or(old).unwrap_or(0.01);
            let wall = friction(&standard, "viscosityBoundary").or(old_wall).unwrap_or(0.0);
            json!({ "method": "laplacian", "kinematic": inside, "boundary_kinematic": wall })
        }
        (0, Some(coefficient)) => json!({ "method": "xsph", "coefficient": coefficient.min(1.0) }),
        (0, None) => json!({ "method": "none" }),
        _ => {
            material.lost(
                "viscosityMethod",
                "there are no implicit viscosities; artificial viscosity takes its place",
            );
            json!({ "method": "artificial" })
        }
    }
}

/// Velocities of a block or model.
fn moving(source: &mut Map<String, Value>, block: &Block<'_>) {
    for (theirs, ours) in [("initialVelocity", "velocity"), ("initialAngularVelocity", "angular_velocity")] {
        if let Some(v) = block.vector(theirs).filter(|v| *v != DVec3::ZERO) {
            source.insert(ours.to_owned(), json!(v.to_array()));
        }
    }
    block.without_meaning(&["visMesh"]);
    let _ = block.text("id");
}

fn blocks(root: &Value, notes: &Notes, spacing: f64, planar: bool) -> Vec<Value> {
    let one = |block: &Block<'_>| {
        let (start, end) = (block.vector("start")?, block.vector("end")?);
        let scale = block.vector("scale").unwrap_or(DVec3::ONE);
        let shift = block.vector("translation").unwrap_or(DVec3::ZERO);
        let (a, b) = (start * scale + shift, end * scale + shift);
        let (low, high) = (a.min(b), a.max(b));
        // One particle fewer than fits, the first a whole spacing from the corner.
        let count = ((high - low) / spacing).round() - 1.0;
        let mut min = low + 0.5 * spacing;
        let mut max = min + count * spacing;
        if planar {
            (min.z, max.z) = (0.0, 0.0);
        }
        let extent = if planar { (max - min).truncate().min_element() } else { (max - min).min_element() };
        if extent < 0.5 * spacing {
            notes.add("a block of fluid: too thin for one particle".to_owned());
            return None;
        }
        if block.choice("denseMode").is_some_and(|mode| mode != 0) {
            block.lost("denseMode", "particles are placed at rest density");
        }
        let mut source = Map::new();
        source.insert("shape".to_owned(), json!("box"));
        source.insert("min".to_owned(), json!(min.to_array()));
        source.insert("max".to_owned(), json!(max.to_array()));
        moving(&mut source, block);
        block.finish();
        Some(Value::Object(source))
    };
    entries(root, "FluidBlocks", notes).iter().filter_map(one).collect()
}

fn models(root: &Value, notes: &Notes, folder: &Path) -> Vec<Value> {
    let one = |block: &Block<'_>| {
        let file = block.text("particleFile")?;
        let shape = match file.to_lowercase().rsplit_once('.') {
            Some((_, "obj")) => "mesh",
            Some((_, "bgeo")) => "particles",
            _ => {
                block.lost("particleFile", "it is neither a closed mesh (OBJ) nor particles (BGEO)");
                return None;
            }
        };
        let mut source = Map::new();
        source.insert("shape".to_owned(), json!(shape));
        source.insert("path".to_owned(), json!(mesh_path(folder, file)));
        if let Some(scale) = block.vector("scale") {
            source.insert("scale".to_owned(), json!(scale.to_array()));
        }
        if let Some(shift) = block.vector("translation") {
            source.insert("translation".to_owned(), json!(shift.to_array()));
        }
        if let Some(turn) = rotation(block, DVec3::X) {
            source.insert("rotation".to_owned(), turn);
        }
        moving(&mut source, block);
        block.without_meaning(&["resolutionSDF", "denseMode"]);
        block.finish();
        Some(Value::Object(source))
    };
    entries(root, "FluidModels", notes).iter().filter_map(one).collect()
}

fn emitters(root: &Value, notes: &Notes, spacing: f64, planar: bool, most: Option<u64>) -> Vec<Value> {
    let flat = |v: DVec3| if planar { v.with_z(0.0) } else { v };
    let one = |block: &Block<'_>| {
        let size = |key: &str| spacing * block.positive(key).unwrap_or(5.0);
        let nozzle = match block.choice("type").unwrap_or(0) {
            0 => json!({ "shape": "box", "width": size("width"), "height": size("height") }),
            _ => json!({ "shape": "disc", "radius": size("width") }),
        };
        let _ = block.positive("height");
        let axis = block.vector("rotationAxis").unwrap_or(DVec3::Z).normalize_or(DVec3::Z);
        let turn = DQuat::from_axis_angle(axis, block.number("rotationAngle").unwrap_or(0.0));
        let mut emitter = Map::new();
        let mut put = |key: &str, value: Value| {
            emitter.insert(key.to_owned(), value);
        };
        put("nozzle", nozzle);
        put("position", json!(flat(block.vector("translation").unwrap_or(DVec3::ZERO)).to_array()));
        put("direction", json!(flat(turn * DVec3::X).to_array()));
        put("speed", json!(block.positive("velocity").unwrap_or(1.0)));
        if let Some(start) = block.positive_or_none("emitStartTime") {
            put("start", json!(start));
        }
        if let Some(stop) = block.positive_or_none("emitEndTime").filter(|t| *t < 1e6) {
            put("stop", json!(stop));
        }
        put("max_particles", json!(most.unwrap_or(10_000)));
        let _ = block.text("id");
        block.finish();
        Value::Object(emitter)
    };
    entries(root, "Emitters", notes).iter().map(one).collect()
}
