//! `compare`: one scene with several boundary methods and pressure solvers.

use super::advance::{INTERRUPTED, scene_name, stop_on_signal, unless_stopped, use_threads};
use crate::cli::CompareArgs;
use crate::comparison::{Comparison, Trial};
use crate::error::CommandError;
use crate::progress::Progress;
use crate::terminal::{mention, say, warn};
use meniscus::output::{Outcome, OutputError};
use meniscus::run::Limits;
use meniscus::scene::SceneSource;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs all combinations one after the other and tells how they did.
pub fn compare(args: &CompareArgs) -> Result<ExitCode, CommandError> {
    use_threads(args.advance.threads);
    let source = SceneSource::open(&args.scene.scene)?.with_overrides(&args.scene.overrides);
    let limits = Limits { until: args.advance.until, steps: args.advance.steps };
    let comparison =
        Comparison::new(&source, &args.boundary, &args.pressure, limits, args.advance.on_shortage())?;
    let folder = args
        .out
        .clone()
        .unwrap_or_else(|| Path::new("out").join(format!("compare-{}", scene_name(&args.scene.scene))));
    std::fs::create_dir_all(&folder).map_err(OutputError::io("create", &folder))?;
    if comparison.scene().bodies.is_empty() {
        warn(
            "the scene has no bodies: there is nothing to compare for boundaries, only pressure solvers are compared",
        );
    }
    let stop = stop_on_signal(args.advance.quiet, "the table will not be written");
    let trials = run_all(&comparison, &folder, &stop, args.advance.quiet)?;
    if !args.advance.quiet {
        say(comparison.markdown(&trials).trim_end());
        say(&format!("\ntable and plot: {}", folder.join("compare.{md,csv,svg}").display()));
    }
    Ok(exit_code(&trials, stop.load(Ordering::Relaxed)))
}

/// The files are written after each trial, so that little is lost whatever happens.
fn run_all(
    comparison: &Comparison,
    folder: &Path,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<Vec<Trial>, CommandError> {
    let mut trials = Vec::new();
    for (index, combination) in comparison.combinations().iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if !quiet {
            mention(&format!("{}/{} {combination}", index + 1, comparison.combinations().len()));
        }
        let mut progress = None;
        let trial = comparison.run(combination, &mut |simulation| {
            let end = simulation.setup().stops.end;
            progress.get_or_insert_with(|| Progress::new(quiet, end, simulation)).update(simulation);
            unless_stopped(stop)
        });
        if let Some(progress) = progress {
            progress.finish();
        }
        trials.push(trial);
        comparison.write(folder, &trials)?;
    }
    Ok(trials)
}

/// A combination that fails is a result; only if nothing else came out is it a failure.
fn exit_code(trials: &[Trial], interrupted: bool) -> ExitCode {
    if interrupted {
        return ExitCode::from(INTERRUPTED);
    }
    let failed = trials.iter().all(|trial| trial.summary.outcome == Outcome::Failed);
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
