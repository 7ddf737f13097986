//! Surfaces of all frames, several at a time.

use super::Replay;
use meniscus_core::Dimension;
use meniscus_output::{Collection, OutputError, surface};
use meniscus_surface::{SurfaceParams, reconstruct};
use rayon::prelude::*;

/// What a particle takes while its surface is found, about `[byte]`.
const BYTES_A_PARTICLE: usize = 6000;
/// What all surfaces that are being found at the same time may take `[byte]`.
const MAX_BYTES: usize = 2 << 30;

/// The formats in which surfaces are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurfaceFormats {
    /// VTP, listed in `surface.pvd`.
    pub vtp: bool,
    /// PLY.
    pub ply: bool,
    /// OBJ.
    pub obj: bool,
}

impl SurfaceFormats {
    fn extensions(self) -> impl Iterator<Item = &'static str> {
        let all = [(self.vtp, "vtp"), (self.ply, "ply"), (self.obj, "obj")];
        all.into_iter().filter(|(wanted, _)| *wanted).map(|(_, extension)| extension)
    }
}

impl Replay<'_> {
    /// Whether the run has fluid in space, and thus a surface.
    #[must_use]
    pub fn has_surface(&self) -> bool {
        self.setup.dimension == Dimension::Three && self.setup.has_fluid && self.setup.grid.is_none()
    }

    /// Finds and writes the surfaces of all frames, several at a time, but not so many that memory runs out. `done` is
    /// told how many frames are finished.
    ///
    /// # Errors
    /// When a frame cannot be read, has no surface, or a file cannot be written.
    pub fn write_surfaces(
        &self,
        params: &SurfaceParams,
        formats: SurfaceFormats,
        done: &mut dyn FnMut(usize),
    ) -> Result<(), OutputError> {
        let particles = self.frames.last().map_or(Ok(0), |at| Ok(self.frame(*at)?.position.len()))?;
        let by_memory = MAX_BYTES / (particles * BYTES_A_PARTICLE).max(1);
        let at_once = by_memory.clamp(1, rayon::current_num_threads());
        let mut collection = Collection::new(&self.folder.join("surface.pvd"));
        for (k, batch) in self.frames.chunks(at_once).enumerate() {
            batch.par_iter().try_for_each(|at| self.write_surface(*at, params, formats))?;
            for (index, time) in batch.iter().filter(|_| formats.vtp) {
                collection.add(*index, *time)?;
            }
            done((k * at_once + batch.len()).min(self.frames.len()));
        }
        Ok(())
    }

    fn write_surface(
        &self,
        at: (u32, f64),
        params: &SurfaceParams,
        formats: SurfaceFormats,
    ) -> Result<(), OutputError> {
        let frame = self.frame(at)?;
        let path = |extension: &str| self.path("surface", at.0, extension);
        let found = reconstruct(&frame.position, &frame.velocity, params)
            .map_err(|source| OutputError::Surface { path: path("vtp"), source })?;
        formats.extensions().try_for_each(|e| surface::write(&path(e), &found, frame.time, frame.step))
    }
}
