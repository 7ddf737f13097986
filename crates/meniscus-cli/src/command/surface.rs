//! `surface`: the surface of the fluid for every frame of a run.

use super::render::has_frames;
use crate::cli::{SurfaceArgs, SurfaceFormat};
use crate::error::CommandError;
use crate::progress::counter;
use crate::terminal::say;
use meniscus::run::{Replay, SurfaceFormats};
use meniscus::surface::SurfaceParams;

/// Finds the surfaces of all frames and writes them.
pub fn surface(args: &SurfaceArgs) -> Result<(), CommandError> {
    let replay = Replay::open(&args.folder)?;
    if !replay.has_surface() {
        let reason = "surfaces are found of fluid in space, and its scene has none".to_owned();
        return Err(CommandError::Show { path: args.folder.clone(), reason });
    }
    has_frames(&replay, &args.folder)?;
    let has = |format| args.format.contains(&format);
    let formats = SurfaceFormats {
        vtp: has(SurfaceFormat::Vtp),
        ply: has(SurfaceFormat::Ply),
        obj: has(SurfaceFormat::Obj),
    };
    let params = SurfaceParams {
        cube: args.cube,
        smoothing: args.smoothing,
        ..SurfaceParams::new(replay.setup().sph.fluid.spacing)
    };
    let frames = replay.frames().len();
    let bar = counter("surfaces", frames);
    replay.write_surfaces(&params, formats, &mut |done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    let names: Vec<String> = ["vtp", "ply", "obj"]
        .into_iter()
        .zip([formats.vtp, formats.ply, formats.obj])
        .filter(|(_, wanted)| *wanted)
        .map(|(e, _)| args.folder.join(format!("frames/surface_*.{e}")).display().to_string())
        .collect();
    say(&format!("{frames} surfaces: {}", names.join(", ")));
    Ok(())
}
