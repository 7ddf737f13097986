//! Bodies and how they move as binary glTF 2.0: each mesh once, and the place of every body at every frame.
//!
//! Blender, Houdini, ParaView and browsers read it. Coordinates are the scene's, y up, in single precision.

use std::io::Write;
use std::path::Path;

use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use crate::{OutputError, atomic};

/// What the places of all frames may take `[byte]`; of longer runs only every so many frames are kept.
const MAX_BYTES: usize = 256 << 20;
/// Bytes of a place: three and four numbers.
const PLACE_BYTES: usize = 28;

/// A mesh in the frame of its bodies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyMesh {
    /// The name.
    pub name: String,
    /// Vertices `[m]`.
    pub vertex: Vec<DVec3>,
    /// Triangles.
    pub triangle: Vec<[u32; 3]>,
}

/// A body: its name and the number of its mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyNode {
    /// The name.
    pub name: String,
    /// The number of its mesh.
    pub mesh: u32,
}

/// Where a body is at some moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyPlace {
    /// Where the origin of its mesh is `[m]`.
    pub position: DVec3,
    /// How it is turned.
    pub rotation: DQuat,
    /// Whether it is there at all.
    pub present: bool,
}

/// The places of all bodies at some moment.
pub type BodyPlaces = Vec<BodyPlace>;

/// How many frames are skipped for each one that is kept, for so many bodies and frames `[1]`.
#[must_use]
pub fn stride(bodies: usize, frames: usize) -> usize {
    (bodies.saturating_mul(frames).saturating_mul(PLACE_BYTES)).div_ceil(MAX_BYTES).max(1)
}

/// Writes meshes, bodies and frames, each with its time `[s]`, atomically. Frames with another number of bodies are
/// left out; bodies that never move have no animation. Bodies that are not there have no size.
///
/// # Errors
/// [`OutputError::Io`] when the file cannot be written.
pub fn write(
    path: &Path,
    meshes: &[BodyMesh],
    bodies: &[BodyNode],
    frames: &[(f64, BodyPlaces)],
) -> Result<(), OutputError> {
    let frames: Vec<&(f64, BodyPlaces)> = frames.iter().filter(|f| f.1.len() == bodies.len()).collect();
    let mut glb = Glb::default();
    let with_mesh: Vec<Option<usize>> = meshes.iter().map(|mesh| glb.mesh(mesh)).collect();
    let mut nodes = Vec::new();
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let times: Vec<f32> = frames.iter().map(|f| f.0 as f32).collect();
    let input = (times.len() > 1).then(|| glb.floats(&times, 1, "SCALAR", true));
    for (k, body) in bodies.iter().enumerate() {
        let places: BodyPlaces = frames.iter().map(|f| f.1[k]).collect();
        let mut node = json!({ "name": body.name });
        if let Some(mesh) = with_mesh.get(body.mesh as usize).copied().flatten() {
            node["mesh"] = json!(mesh);
        }
        if let Some(place) = places.first() {
            node["translation"] = json!(place.position.as_vec3().to_array());
            node["rotation"] = json!(place.rotation.as_quat().to_array());
            if !place.present {
                node["scale"] = json!([0.0, 0.0, 0.0]);
            }
        }
        nodes.push(node);
        let (Some(input), true) = (input, places.windows(2).any(|w| w[0] != w[1])) else { continue };
        let at: Vec<f32> = places.iter().flat_map(|p| p.position.as_vec3().to_array()).collect();
        let turn: Vec<f32> = whole_way(&places).iter().flat_map(|q| q.as_quat().to_array()).collect();
        for (values, kind, path) in [(at, "VEC3", "translation"), (turn, "VEC4", "rotation")] {
            let output = glb.floats(&values, if kind == "VEC3" { 3 } else { 4 }, kind, false);
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": k, "path": path } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        }
        if places.iter().any(|p| !p.present) {
            let size: Vec<f32> = places.iter().flat_map(|p| [f32::from(u8::from(p.present)); 3]).collect();
            let output = glb.floats(&size, 3, "VEC3", false);
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": k, "path": "scale" } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": "STEP" }));
        }
    }
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "Meniscus" },
        "scene": 0,
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes,
    });
    if !channels.is_empty() {
        document["animations"] = json!([{ "name": "motion", "samplers": samplers, "channels": channels }]);
    }
    glb.save(path, document)
}

/// Rotations such that neighbours are on the same side: the shorter way between them.
fn whole_way(places: &[BodyPlace]) -> Vec<DQuat> {
    let mut last = DQuat::IDENTITY;
    let side = |BodyPlace { rotation, .. }: &BodyPlace| {
        last = if rotation.dot(last) < 0.0 { -*rotation } else { *rotation };
        last
    };
    places.iter().map(side).collect()
}

/// The parts of the file.
#[derive(Default)]
struct Glb {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
}

impl Glb {
    /// Adds a mesh; nothing if it has no triangles.
    fn mesh(&mut self, mesh: &BodyMesh) -> Option<usize> {
        let fits = |t: &&[u32; 3]| t.iter().all(|v| (*v as usize) < mesh.vertex.len());
        let index: Vec<u8> =
            mesh.triangle.iter().filter(fits).flatten().flat_map(|v| v.to_le_bytes()).collect();
        if index.is_empty() {
            return None;
        }
        let at: Vec<f32> = mesh.vertex.iter().flat_map(|v| v.as_vec3().to_array()).collect();
        let position = self.floats(&at, 3, "VEC3", true);
        let count = index.len() / 4;
        let view = self.view(&index);
        self.accessors
            .push(json!({ "bufferView": view, "componentType": 5125, "count": count, "type": "SCALAR" }));
        let primitive =
            json!({ "attributes": { "POSITION": position }, "indices": self.accessors.len() - 1 });
        self.meshes.push(json!({ "name": mesh.name, "primitives": [primitive] }));
        Some(self.meshes.len() - 1)
    }

    /// Adds numbers; the number of their accessor.
    fn floats(&mut self, values: &[f32], width: usize, kind: &str, bounds: bool) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let mut accessor = json!({
            "bufferView": view, "componentType": 5126, "count": values.len() / width, "type": kind
        });
        if bounds {
            let column = |k: usize| values.iter().skip(k).step_by(width).copied();
            let least: Vec<f32> = (0..width).map(|k| column(k).fold(f32::INFINITY, f32::min)).collect();
            let most: Vec<f32> = (0..width).map(|k| column(k).fold(f32::NEG_INFINITY, f32::max)).collect();
            (accessor["min"], accessor["max"]) = (json!(least), json!(most));
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.binary.len();
        self.binary.extend_from_slice(bytes);
        self.views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        self.views.len() - 1
    }

    fn save(self, path: &Path, mut document: Value) -> Result<(), OutputError> {
        if !self.meshes.is_empty() {
            document["meshes"] = Value::Array(self.meshes);
        }
        if !self.binary.is_empty() {
            document["buffers"] = json!([{ "byteLength": self.binary.len() }]);
            document["bufferViews"] = Value::Array(self.views);
            document["accessors"] = Value::Array(self.accessors);
        }
        let mut text = document.to_string().into_bytes();
        // Chunks are multiples of four bytes, filled up with blanks.
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + text.len() + 8 + self.binary.len();
        let too_long = || OutputError::io("write", path)(std::io::ErrorKind::FileTooLarge.into());
        let word = |n: usize| u32::try_from(n).map(u32::to_le_bytes).map_err(|_| too_long());
        let words = [word(total)?, word(text.len())?, word(self.binary.len())?];
        atomic::write_with(path, |out| {
            out.write_all(b"glTF\x02\0\0\0")?;
            out.write_all(&words[0])?;
            out.write_all(&words[1])?;
            out.write_all(b"JSON")?;
            out.write_all(&text)?;
            out.write_all(&words[2])?;
            out.write_all(b"BIN\0")?;
            out.write_all(&self.binary)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_there_once_and_only_what_moves_is_animated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bodies.glb");
        let mesh = BodyMesh {
            name: "tetra".to_owned(),
            vertex: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            triangle: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [0, 1, 9]],
        };
        let node = |name: &str| BodyNode { name: name.to_owned(), mesh: 0 };
        let frames: Vec<(f64, BodyPlaces)> = (0..4)
            .map(|k| {
                let place = |position, rotation, present| BodyPlace { position, rotation, present };
                let still = place(DVec3::ZERO, DQuat::IDENTITY, true);
                let moved = place(DVec3::X * f64::from(k), DQuat::from_rotation_y(f64::from(k)), true);
                (0.1 * f64::from(k), vec![still, moved, place(DVec3::Y, DQuat::IDENTITY, k > 1)])
            })
            .collect();
        write(&path, &[mesh], &[node("still"), node("moving"), node("late")], &frames).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], length(8)), (&b"glTF"[..], bytes.len()));
        let document: Value = serde_json::from_slice(&bytes[20..20 + length(12)]).unwrap();
        assert_eq!(document["meshes"].as_array().unwrap().len(), 1);
        assert_eq!(document["nodes"].as_array().unwrap().len(), 3);
        let channels = document["animations"][0]["channels"].as_array().unwrap();
        let of = |k: usize| channels.iter().filter(|c| c["target"]["node"] == k).count();
        assert_eq!([of(0), of(1), of(2)], [0, 2, 3]);
        assert_eq!(channels[4]["target"]["path"], "scale");
        assert_eq!(document["nodes"][2]["scale"][0], 0.0);
        let binary = bytes.len() - 28 - length(12);
        assert_eq!(document["buffers"][0]["byteLength"], binary);
        for view in document["bufferViews"].as_array().unwrap() {
            let end = view["byteOffset"].as_u64().unwrap() + view["byteLength"].as_u64().unwrap();
            assert!(end as usize <= binary && view["byteOffset"].as_u64().unwrap() % 4 == 0);
        }
        // Four triangles that fit, and times from 0 to 0.3.
        assert_eq!(document["accessors"][1]["count"], 12);
        assert_eq!(document["accessors"][2]["min"][0], 0.0);
    }

    #[test]
    fn long_runs_are_thinned_out() {
        assert_eq!(stride(1000, 720), 1);
        assert_eq!(stride(100_000, 1000), 11);
    }
}
