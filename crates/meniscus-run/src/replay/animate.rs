//! Animations of a run.

use super::Replay;
use crate::look::Look;
use crate::picture::{self, Moment, View};
use glam::DVec3;
use meniscus_output::OutputError;
use meniscus_render::animation;
use std::path::{Path, PathBuf};

/// The most pictures of an animation that nobody asked for in detail `[1]`.
const MOST: usize = 40;
/// Pictures a second of such an animation, at most `[1/s]`.
const RATE: f64 = 20.0;

impl Replay<'_> {
    /// Renders a short animation that repeats for ever: a few frames, evenly over the run, in real time if that is possible.
    /// `done` is told how many pictures are finished. Tells the file; nothing if there are no frames.
    ///
    /// # Errors
    /// When a frame cannot be read or the file not be written.
    pub fn animate(
        &self,
        path: &Path,
        view: &View,
        done: &mut dyn FnMut(usize),
    ) -> Result<Option<PathBuf>, OutputError> {
        let stride = self.frames.len().div_ceil(MOST).max(1);
        let chosen: Vec<(u32, f64)> = self.frames.iter().copied().step_by(stride).collect();
        self.movie(path, view, &chosen, None, done)
    }

    /// Renders these frames as an animation; if no rate `[1/s]` is given, in real time as far as viewers can.
    ///
    /// # Errors
    /// When a frame cannot be read or the file not be written.
    pub fn movie(
        &self,
        path: &Path,
        view: &View,
        frames: &[(u32, f64)],
        rate: Option<f64>,
        done: &mut dyn FnMut(usize),
    ) -> Result<Option<PathBuf>, OutputError> {
        let [(_, first), .., (_, last)] = frames else { return Ok(None) };
        let real = (frames.len() - 1) as f64 / (last - first);
        let rate = rate.unwrap_or(if real.is_finite() { real.clamp(1.0, RATE) } else { RATE });
        let view = View { bounds: self.framing(frames, view)?, ..*view };
        let pictures = frames.iter().enumerate().map(|(k, at)| {
            let picture = self.picture(*at, &view);
            done(k + 1);
            picture
        });
        animation::write(path, rate, pictures).map(Some)
    }

    /// What a camera must frame that does not move while the fluid does: all that is seen in these frames `[m]`. Nothing if
    /// there are none.
    ///
    /// # Errors
    /// When a frame cannot be read.
    pub fn framing(&self, frames: &[(u32, f64)], view: &View) -> Result<Option<(DVec3, DVec3)>, OutputError> {
        let mut whole: Option<(DVec3, DVec3)> = None;
        for at in frames {
            let (frame, solids, present) = (self.frame(*at)?, self.solids(*at)?, self.present(*at)?);
            let deforming = self.deforming(*at)?;
            let deforming = deforming.as_ref();
            let moment =
                Moment { frame: &frame, surface: None, solids: &solids, present: &present, deforming };
            let (low, high) =
                picture::framed(moment, &self.setup, &self.meshes, &Look::of(&self.scene), view);
            whole = Some(whole.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
        }
        Ok(whole)
    }
}
