//! A run in the formats of other programs.

use super::Replay;
use crate::picture;
use meniscus_output::usd::UsdWriter;
use meniscus_output::{OutputError, bgeo, ply};
use std::path::Path;

impl Replay<'_> {
    /// Writes all frames as BGEO beside those that are there; `done` is told how many are finished.
    ///
    /// # Errors
    /// When a frame cannot be read or written.
    pub fn write_bgeo(&self, done: &mut dyn FnMut(usize)) -> Result<(), OutputError> {
        self.convert("bgeo", bgeo::write, done)
    }

    /// Writes all frames as PLY beside those that are there; `done` is told how many are finished.
    ///
    /// # Errors
    /// When a frame cannot be read or written.
    pub fn write_ply(&self, done: &mut dyn FnMut(usize)) -> Result<(), OutputError> {
        self.convert("ply", ply::write, done)
    }

    fn convert(
        &self,
        extension: &str,
        write: fn(&Path, &meniscus_core::ParticleFrame) -> Result<(), OutputError>,
        done: &mut dyn FnMut(usize),
    ) -> Result<(), OutputError> {
        for (k, at) in self.frames.iter().enumerate() {
            write(&self.path("fluid", at.0, extension), &self.frame(*at)?)?;
            done(k + 1);
        }
        Ok(())
    }

    /// Writes the whole run as one USD file: particles, bodies and, if wanted, the surface. `done` is told how many frames
    /// are finished.
    ///
    /// # Errors
    /// When a frame cannot be read, has no surface, or the file cannot be written.
    pub fn write_usd(
        &self,
        path: &Path,
        with_surface: bool,
        done: &mut dyn FnMut(usize),
    ) -> Result<(), OutputError> {
        let mut writer = UsdWriter::new(self.setup.sph.fluid.spacing, self.scene.output.frames_per_second)?;
        for (k, at) in self.frames.iter().enumerate() {
            let frame = self.frame(*at)?;
            let skin = if with_surface { self.surface_around(*at, &frame)? } else { None };
            let places = picture::places(&self.solids(*at)?, &self.present(*at)?);
            writer.add(&frame, skin.as_ref(), places)?;
            done(k + 1);
        }
        writer.finish(path, self.meshes.meshes(), self.meshes.bodies())
    }
}
