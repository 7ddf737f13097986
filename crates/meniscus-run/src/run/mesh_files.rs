//! What the mesh files of a scene held when a run began.
//!
//! Particles, samples and maps are made from them, so a run can only go on with the same ones.

use meniscus_core::{DVec3, StateHash};
use meniscus_geometry::{MeshError, TriangleMesh};
use meniscus_scene::Scene;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A mesh file and the fingerprint of the mesh in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MeshFile {
    /// Its place, as the scene gives it.
    pub path: PathBuf,
    /// Of vertices and triangles as they are read; what else the file says does not matter.
    hash: u128,
}

/// All mesh files of a scene, each once, in the order of the scene.
pub(crate) fn mesh_files(scene: &Scene) -> Result<Vec<MeshFile>, MeshError> {
    let mut files: Vec<MeshFile> = Vec::new();
    for path in scene.mesh_paths() {
        if files.iter().all(|file| file.path != path) {
            let hash = fingerprint(&TriangleMesh::read(path)?);
            files.push(MeshFile { path: path.to_owned(), hash });
        }
    }
    Ok(files)
}

fn fingerprint(mesh: &TriangleMesh) -> u128 {
    let vertices = mesh.vertex.iter().flat_map(DVec3::to_array).flat_map(f64::to_le_bytes);
    let triangles = mesh.triangle.iter().flatten().flat_map(|v| v.to_le_bytes());
    let count = (mesh.vertex.len() as u64).to_le_bytes();
    StateHash::of_bytes(&count.into_iter().chain(vertices).chain(triangles).collect::<Vec<u8>>()).0
}

/// The first file that is not what it was.
pub(crate) fn changed<'a>(now: &'a [MeshFile], earlier: &'a [MeshFile]) -> Option<&'a MeshFile> {
    let differs = now.iter().find(|file| !earlier.contains(file));
    differs.or_else(|| earlier.iter().find(|file| !now.contains(file)))
}
