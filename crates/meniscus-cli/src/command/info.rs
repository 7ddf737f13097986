//! `info`: what is in the folder of a run, or what a mesh is like.

use super::mesh;
use crate::error::CommandError;
use crate::progress::{duration, in_words};
use crate::terminal::{line, say};
use meniscus::output::{Collection, Outcome, RunFolder, Summary, checkpoint};
use meniscus::scene::{Scene, SceneSource};
use std::path::Path;

/// Describes the folder of a run, a mesh file or a built-in shape.
pub fn info(path: &Path) -> Result<(), CommandError> {
    // What exists comes before built-in shapes. Whatever else is no word must be a folder that is missing.
    if path.is_file() || !path.exists() && mesh::is_word(path) {
        say(&mesh::open(path)?.report().to_string());
        return Ok(());
    }
    run(path)
}

fn run(path: &Path) -> Result<(), CommandError> {
    let folder = RunFolder::open(path)?;
    let scene =
        SceneSource::from_text(&folder.scene_path().display().to_string(), &folder.scene_toml()?).check()?;
    let latest = checkpoint::load_latest(path)?;
    let title = if scene.title.is_empty() { "untitled".to_owned() } else { line(&scene.title) };
    let mut lines = vec![format!("scene        {title}")];
    let state = match latest.checkpoint {
        Some(saved) => {
            let percent = 100.0 * saved.time / scene.time.end;
            format!("step {}, t = {:.4} of {} s ({percent:.0} %)", saved.step, saved.time, scene.time.end)
        }
        None => "none".to_owned(),
    };
    lines.push(format!("checkpoint   {state}"));
    lines.extend(latest.skipped.iter().map(|error| format!("damaged      {error}")));
    lines.push(format!("frames       {}", frames(&folder, &scene)));
    let summary = Summary::read(&folder.summary_path()).ok();
    lines.push(format!("state        {}", status(&folder, summary.as_ref())));
    if let Some(summary) = summary {
        lines.extend(figures(&summary));
    }
    say(&lines.join("\n"));
    Ok(())
}

fn frames(folder: &RunFolder, scene: &Scene) -> String {
    match Collection::load(&folder.collection_path()) {
        Ok(collection) => match collection.entries() {
            [] => "none".to_owned(),
            [.., (_, time)] => format!("{}, the last at t = {time:.4} s", collection.entries().len()),
        },
        Err(_) if scene.output.formats.is_empty() => "none".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn status(folder: &RunFolder, summary: Option<&Summary>) -> &'static str {
    if folder.is_being_written() {
        return "running";
    }
    match summary.map(|summary| summary.outcome) {
        Some(Outcome::Completed) => "completed",
        Some(Outcome::Failed) => "failed; the last good state is saved",
        _ => "stopped; `meniscus resume` goes on",
    }
}

fn figures(summary: &Summary) -> Vec<String> {
    let cpu = summary.cpu_s.map(|cpu| format!(", {} of processor time", duration(cpu))).unwrap_or_default();
    vec![
        format!("particles    {} fluid, {} boundary", summary.fluid_particles, summary.boundary_particles),
        format!("steps        {} to t = {:.4} s", summary.steps, summary.simulated_s),
        format!("time         {}{cpu}, {}", duration(summary.wall_s), in_words(summary.particle_steps_per_s)),
        format!(
            "sweeps       {:.1} pressure, {:.1} divergence a step",
            summary.sweeps.pressure_mean, summary.sweeps.divergence_mean
        ),
        format!(
            "compression  {:.2e} mean, {:.2e} max; {} steps above the tolerance",
            summary.density_error.mean, summary.density_error.max, summary.unconverged_steps
        ),
        format!("escaped      {} particles", summary.escaped_particles),
        format!("state hash   {}", summary.state_hash),
    ]
}
