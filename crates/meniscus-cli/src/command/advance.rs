//! `run` and `resume`.

use crate::cli::{AdvanceArgs, ResumeArgs, RunArgs};
use crate::error::CommandError;
use crate::progress::{Progress, duration, in_words};
use crate::terminal::{line, mention, say, warn};
use meniscus::output::{Existing, Notice, Summary, Verdict};
use meniscus::run::{End, Limits, Run};
use meniscus::scene::{SceneSource, builtin};
use std::cell::RefCell;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ended by a signal: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Simulates a scene from its start.
pub fn run(args: &RunArgs) -> Result<ExitCode, CommandError> {
    use_threads(args.advance.threads);
    let mut overrides = args.scene.overrides.clone();
    overrides.extend(args.surface.then(|| "output.surface=true".to_owned()));
    let source = SceneSource::open(&args.scene.scene)?
        .with_overrides(&overrides)
        .with_map_cache(args.advance.map_cache.as_deref());
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(folder_name(&args.scene.scene)));
    let existing = if args.overwrite { Existing::Overwrite } else { Existing::Refuse };
    let run = Run::begin(&source, &folder, existing, args.advance.on_shortage())?;
    advance(run, &args.advance)
}

/// Goes on with a run.
pub fn resume(args: &ResumeArgs) -> Result<ExitCode, CommandError> {
    use_threads(args.advance.threads);
    let resumed = Run::resume(&args.folder, args.advance.map_cache.as_deref(), args.advance.on_shortage())?;
    for error in &resumed.skipped {
        warn(&format!("{error}; an older checkpoint is used"));
    }
    for loss in &resumed.losses {
        warn(&format!(
            "{loss}\nhelp: to have it whole, run the scene anew: `meniscus run {}`",
            rerun(&args.folder)
        ));
    }
    if resumed.run.is_completed() {
        if !args.advance.quiet {
            say(&format!("{} is complete; nothing is left to do", args.folder.display()));
        }
        return Ok(ExitCode::SUCCESS);
    }
    advance(resumed.run, &args.advance)
}

/// The arguments that run the scene of a folder anew.
fn rerun(folder: &Path) -> String {
    format!("{} --out OTHER_DIR", folder.join("scene.toml").display())
}

fn advance(mut run: Run, args: &AdvanceArgs) -> Result<ExitCode, CommandError> {
    let folder = run.folder().path().to_owned();
    let stop = stop_on_signal(args.quiet, "the state will not be saved");
    if !args.quiet {
        announce(&run);
    }
    let mut progress = Progress::new(args.quiet, run.scene().time.end, run.simulation());
    let news: Rc<RefCell<Vec<Notice>>> = Rc::default();
    let heard = Rc::clone(&news);
    run.listen(move |notice| heard.borrow_mut().push(notice.clone()));
    let limits = Limits { until: args.until, steps: args.steps };
    let end = run.advance(limits, &mut |simulation| {
        progress.aside(|| news.borrow_mut().drain(..).for_each(|notice| tell(&notice, args.quiet)));
        progress.update(simulation);
        unless_stopped(&stop)
    });
    progress.finish();
    news.borrow_mut().drain(..).for_each(|notice| tell(&notice, args.quiet));
    let interrupted = matches!(end, End::Interrupted);
    let unfinished = !matches!(end, End::Completed);
    if !args.quiet && run.scene().output.animation && !unfinished {
        mention("rendering the picture and the animation");
    }
    let summary = run.finish(end)?;
    if !args.quiet {
        report(&folder, &summary);
        if unfinished {
            say(&format!("stopped before its end; go on with `meniscus resume {}`", folder.display()));
        }
    }
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Prints what a run tells while it goes on. Warnings are told even if nothing else should be.
fn tell(notice: &Notice, quiet: bool) {
    let Notice { sign, time, text, help, .. } = notice;
    let help = if help.is_empty() { String::new() } else { format!("\nhelp: {help}") };
    let told = format!("t = {time:.4} s: {}{help}", line(text));
    match (sign.is_harmless(), quiet) {
        (false, _) => warn(&told),
        (true, false) => mention(&format!("note: {told}")),
        (true, true) => {}
    }
}

/// The name of the scene without folders and extension.
pub fn scene_name(scene: &str) -> String {
    let name = Path::new(scene).file_stem().unwrap_or_default().to_string_lossy();
    if name.is_empty() { "scene".to_owned() } else { name.into_owned() }
}

/// The folder of a run inside of `out`: a built-in scene's whole name, of a file the name without folders.
fn folder_name(scene: &str) -> String {
    let is_builtin = builtin(scene).is_some() && !Path::new(scene).exists();
    if is_builtin { scene.to_owned() } else { scene_name(scene) }
}

/// One pool for all: the simulation, the compression of frames, the picture.
pub fn use_threads(threads: Option<u16>) {
    let threads = threads.map_or(0, usize::from);
    // It fails only if the pool was made before, and nothing does that.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
}

/// A flag that becomes true with the first signal; the second one ends the process at once. `otherwise` says what is lost
/// if signals cannot be caught.
pub fn stop_on_signal(quiet: bool, otherwise: &str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        if !quiet {
            // On a terminal the bar is in this line.
            let below = if std::io::stderr().is_terminal() { "\n" } else { "" };
            mention(&format!("{below}stopping after this step; once more to stop at once"));
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        warn(&format!("after Ctrl-C {otherwise}: {error}"));
    }
    stop
}

/// Whether to go on.
pub fn unless_stopped(stop: &AtomicBool) -> ControlFlow<()> {
    if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn announce(run: &Run) {
    let (clock, scene) = (run.simulation().clock(), run.scene());
    let title = if scene.title.is_empty() { "scene".to_owned() } else { line(&scene.title) };
    let at = if clock.step > 0 { format!(" from t = {:.4} s", clock.time) } else { String::new() };
    let setup = run.simulation().setup();
    let moving = (0..setup.bodies.len()).filter(|k| setup.is_dynamic(*k)).count();
    let mut what = Vec::new();
    if let Some(grid) = &setup.grid {
        what.push(format!("{} grid cells", grid.lattice.cells().iter().product::<usize>()));
    } else if setup.has_fluid {
        let boundary = run.simulation().boundary_particles();
        let fluid = run.simulation().particles().len();
        what.push(match boundary {
            // Bodies with maps have none.
            0 => format!("{fluid} fluid particles"),
            _ => format!("{fluid} fluid and {boundary} boundary particles"),
        });
    }
    if moving > 0 {
        what.push(format!("{moving} moving bodies"));
    }
    mention(&format!(
        "{title}: {} to t = {} s{at}, {} threads, into {}",
        what.join(", "),
        scene.time.end,
        rayon::current_num_threads(),
        run.folder().path().display(),
    ));
}

fn report(folder: &Path, summary: &Summary) {
    let wet = summary.particle_steps_per_s > 0.0;
    let rate = if wet { format!(", {}", in_words(summary.particle_steps_per_s)) } else { String::new() };
    let took = duration(summary.wall_s);
    say(&format!("{} steps to t = {:.4} s in {took}{rate}", summary.steps, summary.simulated_s));
    if wet || summary.solids.is_none() {
        say(&format!(
            "density error {:.2e} mean, {:.2e} max ({}); {:.1} + {:.1} sweeps a step; {} particles escaped",
            summary.density_error.mean,
            summary.density_error.max,
            summary.density_error.verdict(),
            summary.sweeps.pressure_mean,
            summary.sweeps.divergence_mean,
            summary.escaped_particles,
        ));
    }
    if let Some(solids) = &summary.solids {
        say(&format!(
            "{} of {} bodies move freely; {} contacts, the deepest overlap {:.1e} m",
            solids.moving_bodies, solids.bodies, solids.contacts, solids.penetration,
        ));
    }
    if summary.departed_particles > 0 || !summary.departed_bodies.is_empty() {
        let bodies = summary.departed_bodies.len();
        say(&format!("{} particles and {bodies} bodies have left the world", summary.departed_particles));
    }
    if summary.unconverged_steps > 0 {
        warn(&format!("{} steps ended above the solver's tolerance", summary.unconverged_steps));
    }
    for claim in &summary.claims {
        let verdict = match claim.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "does NOT hold",
            Verdict::Open => "is open",
        };
        let value = claim.value_in_words();
        let [text, figure, condition] = [&claim.text, &claim.figure, &claim.condition].map(|text| line(text));
        say(&format!("claim {verdict}: {text} ({figure}: {value}; {condition})"));
    }
    for (name, what) in [
        ("preview.png", "picture of the last state"),
        ("animation.gif", "animation"),
        ("fluid.pvd", "frames, for ParaView"),
        ("surface.pvd", "surface, for ParaView"),
        ("bodies.glb", "bodies as an animation"),
        ("bodies.pvd", "bodies as points"),
        ("series.csv", "series"),
        ("report.html", "report, for a browser"),
        ("summary.json", "summary"),
    ] {
        let path = folder.join(name);
        if path.exists() {
            say(&format!("{:<27}{}", format!("{what}:"), path.display()));
        }
    }
}
