//! The folder of a run, opened to show what it holds: frames, surfaces, bodies, pictures, animations.

mod animate;
mod error;
mod export;
mod surfaces;

pub use error::ReplayError;
pub use surfaces::SurfaceFormats;

use crate::bodies::{BodyMeshes, tints};
use crate::look::Look;
use crate::picture::{self, Moment, View};
use meniscus_core::{DeformingFrame, ParticleFrame};
use meniscus_coupling::Setup;
use meniscus_geometry::{Pose, Solid};
use meniscus_output::glb::{BodyMesh, BodyPlace};
use meniscus_output::{Collection, OutputError, Picture, RunFolder, body_vtu, deformable, surface, vtu};
use meniscus_scene::{Scene, SceneSource};
use meniscus_surface::{FluidSurface, SurfaceParams, reconstruct};
use std::borrow::Cow;
use std::path::Path;

/// A run that can be looked at.
pub struct Replay<'a> {
    folder: Cow<'a, Path>,
    scene: Cow<'a, Scene>,
    setup: Cow<'a, Setup>,
    meshes: Cow<'a, BodyMeshes>,
    frames: Vec<(u32, f64)>,
}

impl Replay<'static> {
    /// Opens a folder. A run may still be going on there; what it writes later is not seen.
    ///
    /// # Errors
    /// When it is not that of a run, or the meshes of its scene are gone.
    pub fn open(path: &Path) -> Result<Self, ReplayError> {
        Self::open_with(path, &[])
    }

    /// Opens a folder and changes keys of its scene's `camera` and `light`, each `key=value`; the folder is left as it is.
    ///
    /// # Errors
    /// As [`Replay::open`], and when another key is to be changed.
    pub fn open_with(path: &Path, overrides: &[String]) -> Result<Self, ReplayError> {
        let other = overrides.iter().find(|text| !["camera.", "light."].iter().any(|t| text.starts_with(t)));
        if let Some(other) = other {
            return Err(ReplayError::OtherSimulation { path: path.to_path_buf(), change: other.clone() });
        }
        let folder = RunFolder::open(path)?;
        let name = folder.scene_path().display().to_string();
        let source = SceneSource::from_text(&name, &folder.scene_toml()?).with_overrides(overrides);
        // Pictures show shapes and meshes; maps are for steps.
        let (scene, setup) = source.survey()?;
        let meshes = BodyMeshes::new(&setup);
        Ok(Replay {
            frames: frames_in(&folder, &setup)?,
            folder: Cow::Owned(path.to_path_buf()),
            scene: Cow::Owned(scene),
            setup: Cow::Owned(setup),
            meshes: Cow::Owned(meshes),
        })
    }
}

impl<'a> Replay<'a> {
    /// That of a run which has its scene at hand.
    pub(crate) fn of_run(
        folder: &'a RunFolder,
        scene: &'a Scene,
        setup: &'a Setup,
        meshes: &'a BodyMeshes,
    ) -> Result<Self, OutputError> {
        Ok(Self {
            frames: frames_in(folder, setup)?,
            folder: Cow::Borrowed(folder.path()),
            scene: Cow::Borrowed(scene),
            setup: Cow::Borrowed(setup),
            meshes: Cow::Borrowed(meshes),
        })
    }

    /// Numbers and times `[s]` of the frames on disk.
    #[must_use]
    pub fn frames(&self) -> &[(u32, f64)] {
        &self.frames
    }

    /// Those that are on disk now, if the run goes on.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn frames_now(&self, folder: &Path) -> Result<Vec<(u32, f64)>, OutputError> {
        frames_in(&RunFolder::open(folder)?, &self.setup)
    }

    /// The numbers of bodies that do not hide the others: neither containers nor planes.
    #[must_use]
    pub fn shown_bodies(&self, solids: &[Solid]) -> Vec<usize> {
        (0..solids.len()).filter(|k| !picture::is_around(&solids[*k])).collect()
    }

    /// The meshes of bodies.
    #[must_use]
    pub fn meshes(&self) -> &[BodyMesh] {
        self.meshes.meshes()
    }

    /// The number of the mesh of a body.
    #[must_use]
    pub fn mesh_of(&self, body: usize) -> u32 {
        self.meshes.bodies().get(body).map_or(0, |body| body.mesh)
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The setup of the scene.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Where a file of the run is.
    fn path(&self, kind: &str, index: u32, extension: &str) -> std::path::PathBuf {
        self.folder.join(format!("frames/{kind}_{index:06}.{extension}"))
    }

    /// A frame; without particles if the scene has none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn frame(&self, (index, time): (u32, f64)) -> Result<ParticleFrame, OutputError> {
        if !self.setup.has_fluid {
            return Ok(ParticleFrame { index, time, ..ParticleFrame::default() });
        }
        vtu::read(&self.path("fluid", index, "vtu"))
    }

    /// When the file of a frame was written, as far as that is known.
    #[must_use]
    pub fn written(&self, (index, _): (u32, f64)) -> Option<std::time::SystemTime> {
        self.path("fluid", index, "vtu").metadata().and_then(|file| file.modified()).ok()
    }

    /// The bodies where they are at a frame.
    ///
    /// # Errors
    /// When there are dynamic bodies and their frame cannot be read.
    pub fn solids(&self, (index, time): (u32, f64)) -> Result<Vec<Solid>, OutputError> {
        let free = match &self.setup.solids {
            Some(_) => body_vtu::read(&self.path("bodies", index, "vtu"))?,
            None => Vec::new(),
        };
        let place = |(k, body): (usize, &meniscus_coupling::Body)| match free.get(k) {
            Some(&BodyPlace { position: translation, rotation, .. }) => {
                body.solid.at(Pose { translation, rotation })
            }
            None => body.solid.at(body.at(time).pose),
        };
        Ok(self.setup.bodies.iter().enumerate().map(place).collect())
    }

    /// Which bodies are there at a frame.
    ///
    /// # Errors
    /// As [`Replay::solids`].
    pub fn present(&self, (index, _): (u32, f64)) -> Result<Vec<bool>, OutputError> {
        match &self.setup.solids {
            Some(_) => {
                let places = body_vtu::read(&self.path("bodies", index, "vtu"))?;
                Ok(places.iter().map(|place| place.present).collect())
            }
            None => Ok(vec![true; self.setup.bodies.len()]),
        }
    }

    /// The bodies that deform at a frame; nothing if there are none.
    ///
    /// # Errors
    /// When there are some and their frame cannot be read.
    pub fn deforming(&self, (index, _): (u32, f64)) -> Result<Option<DeformingFrame>, OutputError> {
        if self.setup.deformables.is_empty() {
            return Ok(None);
        }
        deformable::read(&self.path("deformable", index, "vtp")).map(Some)
    }

    /// The surface of a frame, as it was written or, if it was not, found now; nothing if the run has none.
    ///
    /// # Errors
    /// When the frame cannot be read or has no surface.
    pub fn surface(&self, at: (u32, f64)) -> Result<Option<FluidSurface>, OutputError> {
        match self.written_surface(at) {
            Some(written) => Ok(Some(written)),
            None => self.surface_around(at, &self.frame(at)?),
        }
    }

    fn written_surface(&self, at: (u32, f64)) -> Option<FluidSurface> {
        surface::read(&self.path("surface", at.0, "vtp")).ok()
    }

    /// The same when the frame is at hand.
    fn surface_around(
        &self,
        at: (u32, f64),
        frame: &ParticleFrame,
    ) -> Result<Option<FluidSurface>, OutputError> {
        let path = self.path("surface", at.0, "vtp");
        self.written_surface(at)
            .map_or_else(|| surface_of(frame, &self.setup, &View::STILL, &path), |written| Ok(Some(written)))
    }

    /// The colour of each body, as a number: 0 if it is not dynamic, else one for each entry of the scene.
    #[must_use]
    pub fn tints(&self) -> Vec<u32> {
        tints(&self.setup)
    }

    /// A picture of a frame.
    ///
    /// # Errors
    /// When the frame cannot be read or has no surface.
    pub fn picture(&self, at: (u32, f64), view: &View) -> Result<Picture, OutputError> {
        let (frame, solids, present) = (self.frame(at)?, self.solids(at)?, self.present(at)?);
        let surface = if view.needs_surface(&self.setup) { self.surface_around(at, &frame)? } else { None };
        let deforming = self.deforming(at)?;
        let moment = Moment {
            frame: &frame,
            surface,
            solids: &solids,
            present: &present,
            deforming: deforming.as_ref(),
        };
        Ok(picture::draw(moment, &self.setup, &self.meshes, &Look::of(&self.scene), view))
    }
}

/// The frames on disk: those of the fluid, or of rigid bodies where there is none, or of deformable ones.
fn frames_in(folder: &RunFolder, setup: &Setup) -> Result<Vec<(u32, f64)>, OutputError> {
    let path = match setup {
        Setup { has_fluid: true, .. } => folder.collection_path(),
        Setup { solids: Some(_), .. } => folder.body_collection_path(),
        _ => folder.deformable_collection_path(),
    };
    Ok(Collection::load(&path)?.entries().to_vec())
}

/// The surface of a frame, if pictures like this show it; `path` is named in errors.
pub(crate) fn surface_of(
    frame: &ParticleFrame,
    setup: &Setup,
    view: &View,
    path: &Path,
) -> Result<Option<FluidSurface>, OutputError> {
    if !view.needs_surface(setup) {
        return Ok(None);
    }
    let found = reconstruct(&frame.position, &frame.velocity, &SurfaceParams::new(setup.sph.fluid.spacing));
    found.map(Some).map_err(|source| OutputError::Surface { path: path.to_path_buf(), source })
}
