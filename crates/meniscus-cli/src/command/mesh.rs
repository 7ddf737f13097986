//! Meshes that are given by a file or by the name of a built-in shape.

use meniscus::geometry::shape::builtin;
use meniscus::geometry::{GeometryError, MeshError, MeshShape, TriangleMesh};
use std::path::Path;

/// The checked mesh of a file or, if there is no such file, of the built-in shape with that name.
pub fn open(path: &Path) -> Result<MeshShape, GeometryError> {
    let mesh = match built_in(path) {
        Some(mesh) => mesh?,
        None if is_word(path) && !path.exists() => return Err(unknown(path).into()),
        None => TriangleMesh::read(path)?,
    };
    MeshShape::new(mesh).map_err(|error| error.in_file(path).into())
}

/// The built-in shape that is meant; a file of its name comes first.
pub fn built_in(path: &Path) -> Option<Result<TriangleMesh, GeometryError>> {
    path.to_str().filter(|_| !path.is_file()).and_then(builtin::by_name)
}

/// Whether this may be a misspelt name of a shape, and not the path of a file.
pub fn is_word(path: &Path) -> bool {
    path.extension().is_none() && path.components().count() == 1
}

/// A word that is neither.
pub fn unknown(path: &Path) -> MeshError {
    MeshError {
        path: None,
        line: None,
        column: None,
        offset: None,
        text: Some(path.to_string_lossy().into()),
        problem: "there is neither a file nor a built-in shape".into(),
        remedy: format!("give the path of a mesh file, or one of {}", builtin::NAMES.join(", ")).into(),
    }
}
