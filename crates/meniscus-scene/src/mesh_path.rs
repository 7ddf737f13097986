//! Finds the files of meshes and of particles of a scene.

use crate::diagnostic::{Finding, quoted};
use crate::model::{BodyShape, Scene, SourceShape};
use crate::suggest::list;
use crate::tree::Node;
use std::path::{Path, PathBuf};

/// The mesh formats that can be read.
const EXTENSIONS: [&str; 5] = ["obj", "ply", "stl", "gltf", "glb"];

/// The format of particles that can be read.
const PARTICLES: [&str; 1] = ["bgeo"];

/// Makes every path absolute, and reports those that are no files of the right kind.
pub(crate) fn resolve(scene: &mut Scene, root: &Node, folder: Option<&Path>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut visit = |path: &mut PathBuf, key: &str, kind: Kind| match find(path, folder, &kind) {
        Ok(found) => *path = found,
        Err((message, help)) => {
            let place = root.find(key).place.clone();
            findings.push(
                Finding::new(place, message).label(format!("expected a {} file", kind.name)).help(help),
            );
        }
    };
    for (index, source) in scene.fluid.sources.iter_mut().enumerate() {
        let key = format!("fluid.source[{index}].path");
        match &mut source.shape {
            SourceShape::Mesh(mesh) => visit(&mut mesh.path, &key, MESH),
            SourceShape::Particles(file) => visit(&mut file.path, &key, PARTICLE),
            _ => {}
        }
    }
    for (index, body) in scene.bodies.iter_mut().enumerate() {
        if let BodyShape::Mesh(mesh) = &mut body.shape {
            visit(&mut mesh.path, &format!("body[{index}].path"), MESH);
        }
    }
    for (index, cloth) in scene.cloths.iter_mut().enumerate() {
        if let Some(path) = &mut cloth.path {
            visit(path, &format!("cloth[{index}].path"), MESH);
        }
    }
    for (index, elastic) in scene.elastics.iter_mut().enumerate() {
        if let Some(path) = &mut elastic.path {
            visit(path, &format!("elastic[{index}].path"), MESH);
        }
    }
    findings
}

/// A kind of file.
struct Kind {
    name: &'static str,
    extensions: &'static [&'static str],
}

const MESH: Kind = Kind { name: "mesh", extensions: &EXTENSIONS };
const PARTICLE: Kind = Kind { name: "particle", extensions: &PARTICLES };

/// The absolute path, or what is wrong and what would be right.
fn find(path: &Path, folder: Option<&Path>, kind: &Kind) -> Result<PathBuf, (String, String)> {
    let Kind { name, extensions } = *kind;
    let shown = quoted(&path.display().to_string());
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_lowercase();
    if !extensions.contains(&extension.as_str()) {
        let allowed = format!("formats that can be read: {}", list(extensions.iter().copied(), "and"));
        return Err((format!("{shown} is no {name} format that can be read"), allowed));
    }
    let full = folder.map_or_else(|| path.to_owned(), |folder| folder.join(path));
    if full.is_dir() {
        return Err((format!("{shown} is a folder"), format!("name a {name} file in it")));
    }
    if !full.exists() {
        return Err((
            format!("there is no {name} file {shown}"),
            "a path is relative to the scene file".to_owned(),
        ));
    }
    let absolute = std::path::absolute(&full).unwrap_or(full);
    if absolute.to_str().is_none() {
        let help = "the scene could not be stored for a restart; rename the folder".to_owned();
        return Err((format!("the path of {shown} is not UTF-8"), help));
    }
    Ok(absolute)
}
