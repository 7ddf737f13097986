//! `render`: pictures and animations of a run.

use crate::cli::{ColourField, RenderArgs};
use crate::error::CommandError;
use crate::progress::counter;
use crate::terminal::{say, warn};
use meniscus::render::Quality;
use meniscus::run::Replay;
use meniscus::run::{Field, View};
use std::path::{Path, PathBuf};

/// Renders what was asked for.
pub fn render(args: &RenderArgs) -> Result<(), CommandError> {
    let replay = Replay::open_with(&args.folder, &args.overrides)?;
    let chosen = frames(&replay, args)?;
    let out = args.out.clone().unwrap_or_else(|| args.folder.join("animation.gif"));
    let name = out.to_string_lossy().into_owned();
    let is_png = out.extension().is_some_and(|e| e == "png");
    let still = is_png && !name.contains('%');
    let [width, height] = args.size.unwrap_or(if is_png { [1280, 720] } else { [640, 360] });
    let quality = if is_png { Quality::Still } else { Quality::Motion };
    let particles = args.particles.map(field);
    let view = View { width, height, particles, quality, bounds: None };
    if still {
        let last = chosen.last().copied().unwrap_or_default();
        replay.picture(last, &view)?.write(&out)?;
        say(&format!("picture of t = {:.4} s: {name}", last.1));
        return Ok(());
    }
    let bar = counter("pictures", chosen.len());
    let mut done = |k: usize| bar.set_position(k as u64);
    if is_png {
        // One camera for all, and one floor.
        let view = View { bounds: replay.framing(&chosen, &view)?, ..view };
        for (k, at) in chosen.iter().enumerate() {
            let path =
                numbered(&name, k).ok_or_else(|| unfit(&out, "its name needs one pattern such as %04d"))?;
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)
                    .map_err(meniscus::output::OutputError::io("create", folder))?;
            }
            replay.picture(*at, &view)?.write(&path)?;
            done(k + 1);
        }
        bar.finish_and_clear();
        say(&format!("{} pictures: {name}", chosen.len()));
        return Ok(());
    }
    let written = replay.movie(&out, &view, &chosen, args.rate, &mut done)?;
    bar.finish_and_clear();
    match written {
        Some(path) => {
            if path != out {
                warn("ffmpeg is not installed, so that there is a GIF in place of the MP4");
            }
            say(&format!("animation of {} pictures: {}", chosen.len(), path.display()));
            Ok(())
        }
        None => Err(unfit(&args.folder, "an animation needs two frames or more")),
    }
}

fn field(colour: ColourField) -> Field {
    match colour {
        ColourField::Speed => Field::Speed,
        ColourField::Pressure => Field::Pressure,
        ColourField::Density => Field::Density,
    }
}

fn unfit(path: &Path, reason: &str) -> CommandError {
    CommandError::Show { path: path.to_path_buf(), reason: reason.to_owned() }
}

/// The frames that are wanted.
fn frames(replay: &Replay<'_>, args: &RenderArgs) -> Result<Vec<(u32, f64)>, CommandError> {
    has_frames(replay, &args.folder)?;
    let all = replay.frames();
    let within = |at: &&(u32, f64)| args.from.is_none_or(|t| at.1 >= t) && args.to.is_none_or(|t| at.1 <= t);
    let chosen: Vec<(u32, f64)> = all.iter().filter(within).copied().step_by(args.every as usize).collect();
    match (all.last(), chosen.is_empty()) {
        (Some((_, last)), true) => {
            Err(unfit(&args.folder, &format!("no frame is in that time; the last one is of t = {last:.4} s")))
        }
        _ => Ok(chosen),
    }
}

/// Refuses a run without frames.
pub fn has_frames(replay: &Replay<'_>, folder: &Path) -> Result<(), CommandError> {
    if replay.frames().is_empty() {
        let reason = "it has no VTU frames; let `output.formats` of the scene contain \"vtu\"";
        return Err(unfit(folder, reason));
    }
    Ok(())
}

/// The name of the `k`-th picture: `%d` and `%04d` stand for its number.
fn numbered(pattern: &str, k: usize) -> Option<PathBuf> {
    let (before, rest) = pattern.split_once('%')?;
    let (width, after) = rest.split_once('d')?;
    let digits = width.bytes().all(|b| b.is_ascii_digit());
    let width = if width.is_empty() { 1 } else { width.parse::<usize>().ok()? };
    (digits && width <= 20 && !after.contains('%'))
        .then(|| PathBuf::from(format!("{before}{k:0width$}{after}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_numbered_as_in_other_programs() {
        assert_eq!(numbered("a/%04d.png", 7), Some("a/0007.png".into()));
        assert_eq!(numbered("%d.png", 12), Some("12.png".into()));
        for wrong in ["a.png", "%s.png", "%04.png", "%d%d.png", "%99d.png", "%-4d.png"] {
            assert_eq!(numbered(wrong, 1), None, "{wrong}");
        }
    }
}
