//! Finds the mesh files of a scene.

use crate::diagnostic::{Finding, quoted};
use crate::model::{BodyShape, Scene, SourceShape};
use crate::suggest::list;
use crate::tree::Node;
use std::path::{Path, PathBuf};

/// The mesh formats that can be read.
const EXTENSIONS: [&str; 5] = ["obj", "ply", "stl", "gltf", "glb"];

/// Makes every mesh path absolute, and reports those that are no mesh files.
pub(crate) fn resolve(scene: &mut Scene, root: &Node, folder: Option<&Path>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut visit = |path: &mut PathBuf, key: &str| match find(path, folder) {
        Ok(found) => *path = found,
        Err((message, help)) => {
            let place = root.find(key).place.clone();
            findings.push(Finding::new(place, message).label("expected a mesh file").help(help));
        }
    };
    for (index, source) in scene.fluid.sources.iter_mut().enumerate() {
        if let SourceShape::Mesh(mesh) = &mut source.shape {
            visit(&mut mesh.path, &format!("fluid.source[{index}].path"));
        }
    }
    for (index, body) in scene.bodies.iter_mut().enumerate() {
        if let BodyShape::Mesh(mesh) = &mut body.shape {
            visit(&mut mesh.path, &format!("body[{index}].path"));
        }
    }
    findings
}

/// The absolute path, or what is wrong and what would be right.
fn find(path: &Path, folder: Option<&Path>) -> Result<PathBuf, (String, String)> {
    let shown = quoted(&path.display().to_string());
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_lowercase();
    if !EXTENSIONS.contains(&extension.as_str()) {
        let allowed = format!("formats that can be read: {}", list(EXTENSIONS, "and"));
        return Err((format!("{shown} is no mesh format that can be read"), allowed));
    }
    let full = folder.map_or_else(|| path.to_owned(), |folder| folder.join(path));
    if full.is_dir() {
        return Err((format!("{shown} is a folder"), "name a mesh file in it".to_owned()));
    }
    if !full.exists() {
        return Err((
            format!("there is no mesh file {shown}"),
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
