//! Reading glTF 2.0 and GLB files: all triangles of the default scene, placed by its nodes.
//!
//! Materials, cameras and animations say nothing about the surface. Skins and morph targets are not applied: a
//! figure has the pose in which it was modelled. Points and lines are left out.

mod accessor;
mod buffer;
mod document;
#[cfg(test)]
mod tests;

use std::path::Path;

use accessor::Data;
use document::{Document, Mesh, Node, Primitive};
use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::read::{fan, strip};
use crate::{MeshError, TriangleMesh};

/// The longest JSON that is read `[byte]`: in memory it becomes many times larger.
const MAX_JSON: usize = 1 << 27;
/// The most vertices or triangles of all nodes together `[1]`: a small file can repeat a mesh without end.
const MAX_REPEATED: u64 = 1 << 26;

pub(super) fn read(bytes: &[u8], folder: Option<&Path>) -> Result<TriangleMesh, MeshError> {
    let (json, binary) = buffer::split(bytes)?;
    if json.len() > MAX_JSON {
        let problem = format!("the JSON of the file has {} bytes", json.len());
        let remedy = format!("allowed are {MAX_JSON}; export as GLB, which keeps its numbers apart");
        return Err(MeshError::new(problem, remedy));
    }
    let document: Document = serde_json::from_slice(json).map_err(|error| json_error(&error))?;
    check_extensions(&document)?;
    let load = |(index, b)| buffer::load(b, index, binary, folder);
    let buffer = document.buffers.iter().enumerate().map(load).collect::<Result<_, _>>()?;
    let data = Data { document: &document, buffer };
    refuse_repeats(&data)?;
    let mut builder = Builder { data: &data, mesh: TriangleMesh::default() };
    instances(&document, |mesh, place| builder.add_mesh(mesh, place))?;
    Ok(builder.mesh)
}

/// Refuses scenes that repeat their meshes too often, before anything is built.
fn refuse_repeats(data: &Data<'_>) -> Result<(), MeshError> {
    let document = data.document;
    let size: Vec<[u64; 2]> = document.meshes.iter().map(|mesh| size(data, mesh)).collect();
    let mut sum = [0u64; 2];
    instances(document, |mesh, _| {
        let size = size.get(mesh).ok_or_else(|| missing("mesh", mesh, document.meshes.len()))?;
        sum = [0, 1].map(|k| sum[k].saturating_add(size[k]));
        if sum.iter().all(|count| *count <= MAX_REPEATED) {
            return Ok(());
        }
        let remedy = format!("allowed are {MAX_REPEATED} vertices and triangles; simplify or repeat less");
        Err(MeshError::new("the scene is too large", remedy))
    })
}

/// How many vertices and triangles a mesh has, without those that cannot be read.
fn size(data: &Data<'_>, mesh: &Mesh) -> [u64; 2] {
    let of = |primitive: &Primitive| {
        let position = primitive.attributes.position.filter(|_| primitive.mode > 3);
        let vertices = position.map_or(0, |position| data.count_positions(position));
        let corners = primitive.indices.map_or(vertices, |indices| data.count_indices(indices));
        [vertices, if primitive.mode == 4 { corners / 3 } else { corners.saturating_sub(2) }]
    };
    let add = |a: [u64; 2], b: [u64; 2]| [0, 1].map(|k| a[k].saturating_add(b[k]));
    mesh.primitives.iter().map(of).fold([0, 0], add)
}

/// Calls `with` for each mesh of the default scene and its place, in the order of the trees; without scenes for those of all
/// nodes, without nodes for all meshes.
fn instances(
    document: &Document,
    mut with: impl FnMut(usize, &DAffine3) -> Result<(), MeshError>,
) -> Result<(), MeshError> {
    let index = document.scene.unwrap_or(0);
    let roots = match document.scenes.get(index) {
        Some(scene) => scene.nodes.clone(),
        None if document.scene.is_some() => return Err(missing("scene", index, document.scenes.len())),
        None if document.nodes.is_empty() => {
            return (0..document.meshes.len()).try_for_each(|mesh| with(mesh, &DAffine3::IDENTITY));
        }
        None => roots(&document.nodes),
    };
    let mut visited = vec![false; document.nodes.len()];
    let mut stack: Vec<(usize, DAffine3)> =
        roots.into_iter().rev().map(|n| (n, DAffine3::IDENTITY)).collect();
    while let Some((index, parent)) = stack.pop() {
        let node = visit(&document.nodes, &mut visited, index)?;
        let place = parent * transform(node, index)?;
        if let Some(mesh) = node.mesh {
            with(mesh, &place)?;
        }
        stack.extend(node.children.iter().rev().map(|child| (*child, place)));
    }
    Ok(())
}

/// A node, which must not have been met before: else the walk might never end.
fn visit<'a>(nodes: &'a [Node], visited: &mut [bool], index: usize) -> Result<&'a Node, MeshError> {
    match (nodes.get(index), visited.get_mut(index)) {
        (Some(node), Some(visited)) if !*visited => {
            *visited = true;
            Ok(node)
        }
        (Some(_), _) => {
            let problem = format!("node {index} is its own ancestor or has two parents");
            Err(MeshError::new(problem, "nodes form trees; export the file again"))
        }
        (None, _) => Err(missing("node", index, nodes.len())),
    }
}

fn json_error(error: &serde_json::Error) -> MeshError {
    let place = (error.line() > 0).then_some((error.line(), error.column()));
    MeshError {
        line: place.map(|p| p.0),
        column: place.map(|p| p.1),
        ..MeshError::new(format!("this is not glTF: {error}"), "export or download the file again")
    }
}

/// Extensions that the file cannot do without must not change where its triangles are.
fn check_extensions(document: &Document) -> Result<(), MeshError> {
    let harmless = |name: &str| {
        let looks = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "MSFT_texture_"];
        name == "KHR_mesh_quantization" || looks.iter().any(|prefix| name.starts_with(prefix))
    };
    match document.extensions_required.iter().find(|name| !harmless(name)) {
        None => Ok(()),
        Some(name) => {
            let shown: String = name.chars().take(60).collect();
            let remedy =
                "export without compression (Draco, meshopt) and without extensions that move vertices";
            Err(MeshError::new(format!("the file needs the extension {shown}, which cannot be read"), remedy))
        }
    }
}

fn missing(what: &str, index: usize, count: usize) -> MeshError {
    MeshError::new(format!("there is no {what} {index}"), format!("there are {count}, counted from 0"))
}

struct Builder<'a> {
    data: &'a Data<'a>,
    mesh: TriangleMesh,
}

impl Builder<'_> {
    fn add_mesh(&mut self, index: usize, place: &DAffine3) -> Result<(), MeshError> {
        let meshes = &self.data.document.meshes;
        let mesh = meshes.get(index).ok_or_else(|| missing("mesh", index, meshes.len()))?;
        let named = |k: usize| {
            move |e: MeshError| {
                let problem = format!("mesh {index}, primitive {k}: {}", e.problem);
                MeshError { problem: problem.into(), ..e }
            }
        };
        mesh.primitives.iter().enumerate().try_for_each(|(k, p)| self.add(p, place).map_err(named(k)))
    }

    fn add(&mut self, primitive: &Primitive, place: &DAffine3) -> Result<(), MeshError> {
        let Some(position) = primitive.attributes.position.filter(|_| primitive.mode > 3) else {
            return Ok(());
        };
        let vertex = self.data.positions(position)?;
        let corner = match primitive.indices {
            Some(indices) => self.data.indices(indices)?,
            None => (0..vertex.len() as u32).collect(),
        };
        if let Some(index) = corner.iter().find(|i| **i as usize >= vertex.len()) {
            return Err(missing("vertex", *index as usize, vertex.len()));
        }
        let base = self.mesh.vertex.len() as u32;
        self.mesh.vertex.extend(vertex.into_iter().map(|v| place.transform_point3(v)));
        // A mirror turns triangles over.
        let mirrored = place.matrix3.determinant() < 0.0;
        let turn = |[a, b, c]: [u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] }.map(|v| base + v);
        match primitive.mode {
            4 => self.mesh.triangle.extend(corner.chunks_exact(3).map(|t| turn([t[0], t[1], t[2]]))),
            5 => self.mesh.triangle.extend(strip(&corner).map(turn)),
            6 => self.mesh.triangle.extend(fan(&corner).map(turn)),
            mode => return Err(MeshError::new(format!("unknown mode {mode}"), "allowed are 0 to 6")),
        }
        Ok(())
    }
}

/// Nodes that are nobody's child.
fn roots(nodes: &[Node]) -> Vec<usize> {
    let mut is_root = vec![true; nodes.len()];
    for child in nodes.iter().flat_map(|node| &node.children) {
        if let Some(root) = is_root.get_mut(*child) {
            *root = false;
        }
    }
    (0..nodes.len()).filter(|n| is_root[*n]).collect()
}

/// Where a node puts its mesh and its children.
fn transform(node: &Node, index: usize) -> Result<DAffine3, MeshError> {
    let place = if let Some(matrix) = &node.matrix {
        DAffine3::from_mat4(DMat4::from_cols_array(matrix))
    } else {
        let translation = node.translation.as_ref().map_or(DVec3::ZERO, |t| DVec3::from(**t));
        let scale = node.scale.as_ref().map_or(DVec3::ONE, |s| DVec3::from(**s));
        let rotation = node.rotation.as_ref().map_or(DQuat::IDENTITY, |r| DQuat::from_array(**r));
        // Files round their quaternions; one without length means nothing.
        let rotation = if rotation.length() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
        DAffine3::from_scale_rotation_translation(scale, rotation, translation)
    };
    if place.is_finite() {
        Ok(place)
    } else {
        let problem = format!("node {index} is placed by numbers that are too large");
        Err(MeshError::new(problem, "give finite coordinates"))
    }
}
