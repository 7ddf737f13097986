//! `gallery`.

use super::advance::{INTERRUPTED, stop_on_signal};
use crate::cli::GalleryArgs;
use crate::error::CommandError;
use crate::gallery::{Exhibit, ExhibitState, exhibits, write};
use crate::terminal::{mention, say, warn};
use meniscus::output::{ClaimSummary, OutputError, Verdict};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::atomic::Ordering;

/// Runs what is missing, one scene after the other, and writes the page after each.
pub fn gallery(args: &GalleryArgs) -> Result<ExitCode, CommandError> {
    let exhibits = exhibits(&args.only, &args.out)?;
    let stop = stop_on_signal(true, "the scene that is running is lost");
    let mut all_ran = true;
    for (n, exhibit) in exhibits.iter().enumerate() {
        let progress = exhibit.progress();
        if matches!(progress, ExhibitState::Complete(_)) && !args.overwrite {
            continue;
        }
        if !args.quiet {
            mention(&format!("{} of {}: {}", n + 1, exhibits.len(), exhibit.name));
        }
        let status = simulate(exhibit, &progress, args)?;
        if !status.success() {
            all_ran = false;
            warn(&format!("{} did not come to its end ({status})", exhibit.name));
        }
        write(&exhibits, &args.out)?;
        if stop.load(Ordering::Relaxed) {
            say("stopped; the same command goes on");
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    let page = write(&exhibits, &args.out)?;
    if !args.quiet {
        say(&format!("gallery: {}", page.display()));
    }
    let all_hold = !args.check || every_claim_holds(&exhibits);
    Ok(if all_ran && all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Names the claims that do not hold, or that nothing could be said about.
fn every_claim_holds(exhibits: &[Exhibit]) -> bool {
    let mut all = true;
    for exhibit in exhibits {
        for claim in exhibit.answers().iter().filter(|claim| claim.verdict != Verdict::Holds) {
            all = false;
            let ClaimSummary { text, figure, condition, unit, .. } = claim;
            let value = claim.value_in_words();
            warn(&format!("{}: \"{text}\": {figure} is {value} {unit}, asked: {condition}", exhibit.name));
        }
    }
    all
}

/// Runs or resumes one scene in a process of its own.
fn simulate(
    exhibit: &Exhibit,
    progress: &ExhibitState,
    args: &GalleryArgs,
) -> Result<ExitStatus, CommandError> {
    let program = std::env::current_exe().map_err(OutputError::io("find", "this program".as_ref()))?;
    let mut command = Command::new(&program);
    if *progress == ExhibitState::Begun && !args.overwrite {
        command.arg("resume").arg(&exhibit.folder);
    } else {
        command.args(["run", exhibit.name, "--overwrite", "--out"]).arg(&exhibit.folder);
    }
    command.arg("--quiet");
    if let Some(folder) = &args.map_cache {
        command.arg("--map-cache").arg(folder);
    }
    if let Some(threads) = args.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    Ok(command.status().map_err(OutputError::io("start", &program))?)
}
