//! Scenes of SPlisHSPlasH (JSON) in our form, in the layouts before and after its version 2.16.
//!
//! | theirs | ours |
//! | --- | --- |
//! | `particleRadius` r | `fluid.spacing` 2 r |
//! | `cflFactor` f: f · 0.4 · 2 r / v | `time.step.factor` 0.4 f |
//! | `maxError` in percent | `density_tolerance`, a fraction |
//! | a block of fluid with its first particle at `start` + 2 r | a box that begins r before that particle |
//! | Tait's stiffness k and exponent γ | `sound_speed` √(k γ / ρ0) |
//! | a turn in radians | in degrees |
//!
//! What has no counterpart is listed, key by key.

mod fluid;
mod reader;
mod solid;

use crate::{BuildProblem, Scene, SceneSource, survey};
use reader::{Block, Notes};
use serde_json::{Map, Value, json};
use std::path::Path;

/// How long a scene without an end runs `[s]`.
const DEFAULT_END: f64 = 5.0;

/// How much a camera that was carried over sees; their scenes do not say it `[°]`.
const FIELD_OF_VIEW: f64 = 50.0;

/// A scene that was carried over.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Our scene.
    pub toml: String,
    /// Everything that could not be carried over: the key, and why.
    pub lost: Vec<String>,
}

/// Why a scene cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The text is not JSON.
    #[error("it is not JSON: {0}")]
    Json(String),
    /// The text is TOML, as our own scenes are.
    #[error(
        "it is TOML, as scenes of Meniscus are, and needs no import: `meniscus check` and `meniscus run` take it as it is"
    )]
    OwnFormat,
    /// It is JSON, but no scene.
    #[error(
        "it is no scene of SPlisHSPlasH: it has none of the blocks Configuration, FluidBlocks, FluidModels, RigidBodies"
    )]
    NoScene,
    /// Its values cannot be written down.
    #[error("it cannot be written as TOML: {0}")]
    Toml(String),
}

/// A scene of theirs while it is read.
struct Theirs<'a> {
    root: &'a Value,
    /// Its blocks.
    all: &'a Block<'a>,
    config: &'a Block<'a>,
    notes: &'a Notes,
    /// Where its meshes are.
    folder: &'a Path,
}

/// Turns the text of a scene into ours. Meshes are looked for relative to `folder`, that of the scene.
///
/// # Errors
/// [`ImportError`] if the text is no such scene.
pub fn import(text: &str, title: &str, folder: &Path) -> Result<Imported, ImportError> {
    let root: Value = serde_json::from_str(text).map_err(|error| {
        let toml = text.parse::<toml::Table>().is_ok_and(|table| !table.is_empty());
        if toml { ImportError::OwnFormat } else { ImportError::Json(error.to_string()) }
    })?;
    let known = ["Configuration", "FluidBlocks", "FluidModels", "RigidBodies"];
    if !known.iter().any(|block| root.get(block).is_some()) {
        return Err(ImportError::NoScene);
    }
    let notes = Notes::default();
    let all = Block::new("scene", Some(&root), &notes);
    let config = Block::new("Configuration", all.get("Configuration"), &notes);
    let theirs = Theirs { root: &root, all: &all, config: &config, notes: &notes, folder };
    let mut scene = Map::new();
    scene.insert("title".to_owned(), json!(title));
    let planar = config.flag("sim2D").unwrap_or(false);
    if planar {
        scene.insert("dimension".to_owned(), json!(2));
    }
    if let Some(gravity) = config.vector("gravitation") {
        scene.insert("gravity".to_owned(), json!(gravity.to_array()));
    }
    scene.insert("time".to_owned(), time(&config, &notes));
    scene.insert("output".to_owned(), output(&config));
    if let Some(camera) = camera(&config, planar) {
        scene.insert("camera".to_owned(), camera);
    }
    fluid::carry_over(&mut scene, &theirs);
    solid::carry_over(&mut scene, &theirs);
    config.without_meaning(&[
        "pause",
        "pauseAt",
        "numberOfStepsPerRenderUpdate",
        "renderWalls",
        "enableZSort",
        "stepsPerZSort",
        "particleAttributes",
        "enableStateExport",
        "stateExportFPS",
        "enableAsyncExport",
        "enableObjectSplitting",
        "enableRigidBodyExport",
        "enableRigidBodyOBJExport",
        "enableRigidBodyPLYExport",
        "enableRigidBodyVTKExport",
    ]);
    config.finish();
    all.finish();
    let mut toml = written(&scene)?;
    match SceneSource::from_text("imported scene", &toml).check() {
        Ok(checked) => {
            let inside = fluid_in_bodies(&checked);
            if !inside.is_empty() {
                fluid::carve(&mut scene, &inside, &notes);
                toml = written(&scene)?;
            }
        }
        // It is known before it is run.
        Err(error) => {
            notes.add(format!("the scene does not pass our checks yet:\n{}", error.render(false)));
        }
    }
    Ok(Imported { toml, lost: notes.all() })
}

fn written(scene: &Map<String, Value>) -> Result<String, ImportError> {
    let table = toml::Value::try_from(scene).map_err(|error| ImportError::Toml(error.to_string()))?;
    toml::to_string(&table).map_err(|error| ImportError::Toml(error.to_string()))
}

/// The sources of fluid that begins inside of bodies. Theirs are hollow where ours are solid.
fn fluid_in_bodies(scene: &Scene) -> Vec<usize> {
    if scene.bodies.iter().all(|body| body.container) {
        return Vec::new();
    }
    let problems = survey(scene).err().map(|error| error.problems).unwrap_or_default();
    let source = |problem: &BuildProblem| {
        let number = problem.key.strip_prefix("fluid.source[")?.strip_suffix(']')?;
        number.parse().ok().filter(|_| problem.message.contains("inside of the body"))
    };
    problems.iter().filter_map(source).collect()
}

fn time(config: &Block<'_>, notes: &Notes) -> Value {
    let end = config.positive_or_none("stopAt").unwrap_or_else(|| {
        notes.add(format!("Configuration.stopAt: none; the scene ends at {DEFAULT_END} s"));
        DEFAULT_END
    });
    let dt = config.positive("timeStepSize").unwrap_or(0.001);
    let method = config.choice("cflMethod").unwrap_or(1);
    let factor = 0.4 * config.positive("cflFactor").unwrap_or(0.5);
    let min = config.positive("cflMinTimeStepSize").unwrap_or(1e-4);
    let max = config.positive("cflMaxTimeStepSize").unwrap_or(0.005).max(min);
    let step = match method {
        0 => json!({ "method": "fixed", "dt": dt }),
        2 => json!({ "method": "cfl", "factor": factor.min(2.0), "min": min, "max": max, "sweeps": 10 }),
        _ => json!({ "method": "cfl", "factor": factor.min(2.0), "min": min, "max": max }),
    };
    json!({ "end": end, "step": step })
}

/// Where pictures are taken from; in the plane there is no choice.
fn camera(config: &Block<'_>, planar: bool) -> Option<Value> {
    let (position, target) = (config.vector("cameraPosition"), config.vector("cameraLookat"));
    let eye = position.filter(|eye| !planar && Some(*eye) != target)?;
    let mut camera = json!({ "position": eye.to_array(), "field_of_view": FIELD_OF_VIEW });
    if let Some(target) = target {
        camera["target"] = json!(target.to_array());
    }
    Some(camera)
}

fn output(config: &Block<'_>) -> Value {
    let mut formats = vec!["vtu"];
    if config.flag("enablePartioExport") == Some(true) {
        formats.push("bgeo");
    }
    let _ = config.flag("enableVTKExport");
    json!({ "frames_per_second": config.positive("dataExportFPS").unwrap_or(25.0), "formats": formats })
}
