//! `export`: a run in the formats of other programs.

use super::render::has_frames;
use crate::cli::{ExportArgs, ExportFormat};
use crate::error::CommandError;
use crate::progress::counter;
use crate::terminal::say;
use meniscus::run::Replay;

/// Writes the run in every format that was asked for.
pub fn export(args: &ExportArgs) -> Result<(), CommandError> {
    let replay = Replay::open(&args.folder)?;
    has_frames(&replay, &args.folder)?;
    for format in &args.format {
        let bar = counter("frames", replay.frames().len());
        let mut done = |k: usize| bar.set_position(k as u64);
        let written = match format {
            ExportFormat::Bgeo => {
                replay.write_bgeo(&mut done)?;
                args.folder.join("frames/fluid_*.bgeo")
            }
            ExportFormat::Ply => {
                replay.write_ply(&mut done)?;
                args.folder.join("frames/fluid_*.ply")
            }
            ExportFormat::Usda => {
                let path = args.out.clone().unwrap_or_else(|| args.folder.join("scene.usda"));
                replay.write_usd(&path, args.surface && replay.has_surface(), &mut done)?;
                path
            }
        };
        bar.finish_and_clear();
        say(&format!("{} frames: {}", replay.frames().len(), written.display()));
    }
    Ok(())
}
