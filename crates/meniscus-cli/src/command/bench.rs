//! `bench`: what steps cost.

use super::advance::{scene_name, use_threads};
use crate::benchmark::{Part, Whole, markdown, memory_bandwidth, parts, whole};
use crate::cli::BenchArgs;
use crate::error::CommandError;
use crate::terminal::{mention, say};
use meniscus::coupling::Simulation;
use meniscus::output::atomic;
use meniscus::run::{OnShortage, survey};
use meniscus::scene::SceneSource;

/// Measures all scenes with all solvers and prints the tables.
pub fn bench(args: &BenchArgs) -> Result<(), CommandError> {
    use_threads(args.threads);
    let mut measured = Vec::new();
    for scene in &args.scene {
        if args.pressure.is_empty() {
            measured.push(measure(args, scene, None)?);
        }
        for solver in &args.pressure {
            measured.push(measure(args, scene, Some(solver))?);
        }
    }
    // Last, because it needs memory of its own.
    let bandwidth = memory_bandwidth(args.repeats);
    let text = markdown(&measured, rayon::current_num_threads(), bandwidth);
    say(text.trim_end());
    if let Some(path) = &args.out {
        atomic::write(path, text.as_bytes())?;
    }
    Ok(())
}

fn measure(args: &BenchArgs, scene: &str, solver: Option<&str>) -> Result<(Whole, Vec<Part>), CommandError> {
    let mut overrides = args.overrides.clone();
    overrides.extend(solver.map(|solver| format!("fluid.pressure.method={solver}")));
    let source = SceneSource::open(scene)?.with_overrides(&overrides);
    let (scene_read, setup) = survey(&source, OnShortage::Refuse)?;
    let setup = source.with_maps(&scene_read, setup)?;
    let name = solver.map_or(scene_name(scene), |solver| format!("{}, {solver}", scene_name(scene)));
    mention(&name);
    let mut simulation = Simulation::new(setup)?;
    let found = whole(&name, &mut simulation, args.warm_up, args.steps)?;
    let parts = parts(&simulation, args.repeats);
    Ok((found, parts))
}
