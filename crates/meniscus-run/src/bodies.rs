//! Files and pictures of bodies: meshes once, places for every frame.

use glam::{DQuat, DVec3};
use meniscus_core::DeformingFrame;
use meniscus_coupling::Setup;
use meniscus_output::glb::{self, BodyMesh, BodyNode, BodyPlace, BodyPlaces};
use meniscus_output::{Collection, OutputError, RunFolder, Surface, SurfaceMesh, body_vtu, write_mesh};
use std::sync::Arc;

/// The meshes of a scene, one for each entry, and who has which.
#[derive(Debug, Clone, Default)]
pub(crate) struct BodyMeshes {
    mesh: Vec<BodyMesh>,
    body: Vec<BodyNode>,
    /// Whether there are dynamic bodies, and thus have files of their own.
    has_files: bool,
}

impl BodyMeshes {
    /// Those of all bodies of a scene.
    pub fn new(setup: &Setup) -> Self {
        let mut meshes = Self { has_files: setup.solids.is_some(), ..Self::default() };
        let mut of_entry: Vec<(u32, u32)> = Vec::new();
        for body in &setup.bodies {
            let known = of_entry.iter().find(|(entry, _)| *entry == body.entry).map(|(_, mesh)| *mesh);
            let mesh = known.unwrap_or_else(|| {
                // Shapes with sizes from which no surface follows were refused with the scene.
                let surface = body.solid.shape.surface().unwrap_or_default();
                let name = body.name.trim_end_matches("-0").to_owned();
                meshes.mesh.push(BodyMesh { name, vertex: surface.vertex, triangle: surface.triangle });
                meshes.mesh.len() as u32 - 1
            });
            if known.is_none() {
                of_entry.push((body.entry, mesh));
            }
            meshes.body.push(BodyNode { name: body.name.clone(), mesh });
        }
        meshes
    }

    /// The meshes.
    pub fn meshes(&self) -> &[BodyMesh] {
        &self.mesh
    }

    /// The bodies and the numbers of their meshes.
    pub fn bodies(&self) -> &[BodyNode] {
        &self.body
    }

    /// The number of the mesh of each body.
    pub fn of_bodies(&self) -> Vec<u32> {
        self.body.iter().map(|body| body.mesh).collect()
    }

    /// Writes the meshes.
    pub fn write(&self, folder: &RunFolder) -> Result<(), OutputError> {
        if !self.has_files {
            return Ok(());
        }
        folder.begin_meshes()?;
        for (k, mesh) in self.mesh.iter().enumerate() {
            write_mesh(&folder.mesh_path(k, &mesh.name), &mesh.vertex, &mesh.triangle)?;
        }
        Ok(())
    }

    /// Writes the motion of all bodies over all frames that are on disk.
    pub fn write_animation(&self, folder: &RunFolder) -> Result<(), OutputError> {
        if !self.has_files {
            return Ok(());
        }
        let collection = Collection::load(&folder.body_collection_path())?;
        let entries = collection.entries();
        let stride = glb::stride(self.body.len(), entries.len());
        let read = |(index, time): &(u32, f64)| -> Result<(f64, BodyPlaces), OutputError> {
            Ok((*time, body_vtu::read(&folder.body_frame_path(*index))?))
        };
        let frames: Result<Vec<_>, _> = entries.iter().step_by(stride).map(read).collect();
        glb::write(&folder.body_animation_path(), &self.mesh, &self.body, &frames?)
    }

    /// The bodies as a picture shows them; `shown` says which.
    pub fn surfaces(
        &self,
        setup: &Setup,
        places: &BodyPlaces,
        shown: impl Fn(usize) -> bool,
    ) -> Vec<Surface> {
        let shared = |mesh: &BodyMesh| {
            Arc::new(SurfaceMesh { vertex: mesh.vertex.clone(), triangle: mesh.triangle.clone() })
        };
        let mesh: Vec<Arc<SurfaceMesh>> = self.mesh.iter().map(shared).collect();
        let moving: Vec<u32> = tints(setup);
        let surface = |(k, (body, place)): (usize, (&BodyNode, &BodyPlace))| {
            (place.present && shown(k)).then(|| Surface {
                mesh: mesh[body.mesh as usize].clone(),
                position: place.position,
                rotation: place.rotation,
                tint: moving.get(k).copied().unwrap_or(0),
                light: 1.0 - 0.04 * (k % 5) as f32,
                smooth: false,
            })
        };
        self.body.iter().zip(places).enumerate().filter_map(surface).collect()
    }
}

/// Deformable bodies as a picture shows them.
pub(crate) fn deformables(frame: &DeformingFrame) -> Vec<Surface> {
    let count = frame.body.last().map_or(0, |last| last + 1);
    let surface = |body: u32| {
        let nodes = frame.body.partition_point(|b| *b < body)..frame.body.partition_point(|b| *b <= body);
        let first = nodes.start as u32;
        let own = |t: &&[u32; 3]| nodes.contains(&(t[0] as usize));
        let triangle =
            frame.triangle.iter().filter(own).map(|t| t.map(|v| v.saturating_sub(first))).collect();
        Surface {
            mesh: Arc::new(SurfaceMesh { vertex: frame.position[nodes.clone()].to_vec(), triangle }),
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            // Six colours follow the grey of what stands still.
            tint: body % 6 + 1,
            light: 1.0,
            smooth: true,
        }
    };
    (0..count).map(surface).collect()
}

/// Colours: grey for what is not dynamic, one for each other entry of the scene.
pub(crate) fn tints(setup: &Setup) -> Vec<u32> {
    let mut entries: Vec<u32> = Vec::new();
    let mut tint = |k: usize, entry: u32| {
        if !setup.is_dynamic(k) {
            return 0;
        }
        let known = entries.iter().position(|e| *e == entry);
        let place = known.unwrap_or_else(|| {
            entries.push(entry);
            entries.len() - 1
        });
        // Six colours follow the grey.
        place as u32 % 6 + 1
    };
    setup.bodies.iter().enumerate().map(|(k, body)| tint(k, body.entry)).collect()
}
