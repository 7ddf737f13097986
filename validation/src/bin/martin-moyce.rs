//! The surge front of a collapsing column of water beside the measurements of Martin and Moyce (1952).

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use meniscus_coupling::{Setup, Simulation};
use meniscus_output::plot::{Axis, COLOURS, Curves, Figure, Key, Panel, Series, Style};
use meniscus_scene::model::{Scene, SourceShape};
use meniscus_scene::{SceneSource, load};
use meniscus_validation::front::leading_edge;
use meniscus_validation::reference::{Deviation, Measured, Point, deviation, parse};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The largest mean error that passes `[1]`.
const TOLERANCE: f64 = 0.08;
/// Distance in T of the points that are recorded `[1]`.
const RECORD_EVERY: f64 = 0.05;

/// Runs the dam break of Martin and Moyce and compares its front with the measured one
#[derive(Debug, Parser)]
struct Args {
    /// The folder with `scene.toml` and the measurements
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/martin-moyce"))]
    case: PathBuf,
    /// Where the results go; if left out, into the folder of the case
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Particles along the base of the column, one run for each
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [20, 40])]
    resolution: Vec<u32>,
    /// Pressure solvers, one run for each
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_values_t = ["dfsph".to_owned(), "wcsph".to_owned()])]
    solver: Vec<String>,
    /// Changes one key of the scene, to see what it does
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// One simulation and how far it is from the measurements.
struct Run {
    solver: String,
    resolution: u32,
    front: Vec<Point>,
    /// One for each set of measurements.
    by_set: Vec<Deviation>,
    all: Deviation,
    /// The time by which all measurements would have to be earlier for the best agreement `[1]`, and the error then.
    shifted: (f64, Deviation),
    /// Energy at the end over energy at the start `[1]`.
    energy: f64,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let data = args.case.join("martin-moyce-1952.csv");
    let text = std::fs::read_to_string(&data).with_context(|| format!("cannot read {}", data.display()))?;
    let measured = parse(&text)?;
    let scene = args.case.join("scene.toml");

    let mut runs = Vec::new();
    println!("{}", headings(&measured));
    for solver in &args.solver {
        for &resolution in &args.resolution {
            let run = run(&scene, solver, resolution, &args.set, &measured)?;
            println!("{}", row(&run));
            runs.push(run);
        }
    }

    let out = args.out.as_ref().unwrap_or(&args.case);
    write(out, "results.csv", &results(&runs, &measured)?)?;
    write(out, "fronts.csv", &fronts(&runs)?)?;
    write(out, "front.svg", &picture(&runs, &measured))?;
    let failed = runs.iter().filter(|run| run.all.mean > TOLERANCE).count();
    if failed > 0 {
        eprintln!("{failed} of {} runs have a mean error above {:.0} %", runs.len(), 100.0 * TOLERANCE);
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Simulates the scene and compares it with all measurements.
fn run(path: &Path, solver: &str, resolution: u32, set: &[String], measured: &[Measured]) -> Result<Run> {
    let path = path.to_str().context("the path of the scene is not UTF-8")?;
    let base = column_base(&load(path, &[])?)?;
    let mut overrides = vec![
        format!("fluid.spacing={}", base / f64::from(resolution)),
        format!("fluid.pressure={{method=\"{solver}\"}}"),
    ];
    overrides.extend_from_slice(set);
    let (scene, setup) = SceneSource::open(path)?.with_overrides(&overrides).build()?;
    let (front, energy) = simulate(setup, base, scene.time.end)?;
    let points = || measured.iter().flat_map(|set| &set.points);
    Ok(Run {
        solver: solver.to_owned(),
        resolution,
        by_set: measured.iter().map(|set| deviation(&front, &set.points, 0.0)).collect::<Result<_>>()?,
        all: deviation(&front, points(), 0.0)?,
        shifted: best_shift(&front, points)?,
        front,
        energy,
    })
}

/// The a of the experiment: the width of the scene's only volume of fluid `[m]`.
fn column_base(scene: &Scene) -> Result<f64> {
    let [source] = &scene.fluid.sources[..] else { bail!("the scene must have one volume of fluid") };
    let SourceShape::Box(column) = &source.shape else { bail!("the column must be a box") };
    ensure!(column.min[0] == 0.0, "the column must begin at x = 0, from where the front is measured");
    Ok(column.max[0])
}

/// The front over time, both dimensionless, and the share of the energy that is left at the end.
fn simulate(setup: Setup, base: f64, end: f64) -> Result<(Vec<Point>, f64)> {
    let (spacing, reach) = (setup.sph.fluid.spacing, setup.sph.fluid.kernel.support_radius);
    let per_second = (2.0 * setup.gravity.length() / base).sqrt();
    let mut simulation = Simulation::new(setup)?;
    let start = energy(&simulation);
    let mut front: Vec<Point> = Vec::new();
    loop {
        let seconds = simulation.clock().time;
        let time = seconds * per_second;
        if time >= front.len() as f64 * RECORD_EVERY || seconds >= end {
            let x = leading_edge(&simulation.particles().position, spacing, reach);
            front.push(Point { time, front: x.context("the fluid is gone")? / base });
        }
        if seconds >= end {
            break;
        }
        simulation.step()?;
    }
    Ok((front, energy(&simulation) / start))
}

/// Kinetic and potential energy, the latter above the floor y = 0 `[J]`.
fn energy(simulation: &Simulation) -> f64 {
    let sums = simulation.fluid_sums();
    sums.kinetic_energy + sums.potential_energy
}

/// The shift of the measured times that gives the least mean error, in hundredths, and that error.
fn best_shift<'a, I>(front: &[Point], points: impl Fn() -> I) -> Result<(f64, Deviation)>
where
    I: Iterator<Item = &'a Point>,
{
    let mut best = (0.0, deviation(front, points(), 0.0)?);
    for hundredths in 1..=60 {
        let shift = -0.01 * f64::from(hundredths);
        let found = deviation(front, points(), shift)?;
        if found.mean < best.1.mean {
            best = (shift, found);
        }
    }
    Ok(best)
}

fn headings(measured: &[Measured]) -> String {
    let sets: String =
        measured.iter().map(|set| [" a = ", &set.name, " in: mean, largest |"].concat()).collect();
    let line = format!(
        "| solver | a / spacing | mean error | largest | bias |{sets} times shifted by: mean, largest | energy left |"
    );
    let columns = line.matches('|').count() - 1;
    format!("{line}\n|{}", " --- |".repeat(columns))
}

fn row(run: &Run) -> String {
    let percent = |value: f64| format!("{:.1} %", 100.0 * value);
    let pair = |deviation: &Deviation| format!("{}, {}", percent(deviation.mean), percent(deviation.max));
    let Run { solver, resolution, all, .. } = run;
    let sets: Vec<String> = run.by_set.iter().map(pair).collect();
    format!(
        "| {solver} | {resolution} | {} | {} | {:+.1} % | {} | {:.2}: {} | {} |",
        percent(all.mean),
        percent(all.max),
        100.0 * all.bias,
        sets.join(" | "),
        run.shifted.0,
        pair(&run.shifted.1),
        percent(run.energy),
    )
}

/// The errors of all runs: once for each set of measurements and once for all of them.
fn results(runs: &[Run], measured: &[Measured]) -> Result<String> {
    let mut text = "solver,resolution,a_inch,mean_error,max_error,bias\n".to_owned();
    for run in runs {
        let names = measured.iter().map(|set| set.name.as_str()).chain(["all"]);
        for (name, found) in names.zip(run.by_set.iter().chain([&run.all])) {
            let Deviation { mean, max, bias } = found;
            writeln!(text, "{},{},{name},{mean:.4},{max:.4},{bias:.4}", run.solver, run.resolution)?;
        }
    }
    Ok(text)
}

/// The simulated fronts.
fn fronts(runs: &[Run]) -> Result<String> {
    let mut text = "solver,resolution,T,Z\n".to_owned();
    for Run { solver, resolution, front, .. } in runs {
        for point in front {
            writeln!(text, "{solver},{resolution},{:.4},{:.4}", point.time, point.front)?;
        }
    }
    Ok(text)
}

fn picture(runs: &[Run], measured: &[Measured]) -> String {
    let places = |points: &[Point]| points.iter().map(|p| [p.time, p.front]).collect::<Vec<_>>();
    let simulated = runs.iter().enumerate().map(|(index, run)| {
        let key = Key {
            name: format!("{}, {} particles on a", run.solver.to_uppercase(), run.resolution),
            style: if run.solver == "wcsph" { Style::Dashes } else { Style::Line },
            colour: COLOURS[index % COLOURS.len()],
        };
        (key, places(&run.front))
    });
    let experiments = measured.iter().enumerate().map(|(index, set)| {
        let key = Key {
            name: format!("experiment, a = {} in", set.name),
            style: if index % 2 == 0 { Style::Circles } else { Style::Discs },
            colour: "#222",
        };
        (key, places(&set.points))
    });
    let all: Vec<_> = simulated.chain(experiments).collect();
    let plot = Curves {
        title: "Surge front of a collapsing column of water, n² = 2",
        axes: [Axis::from_zero_to("T = t √(2g / a)", 9.5, 1.0), Axis::from_zero_to("Z = x / a", 16.0, 2.0)],
        series: all.iter().map(|(key, points)| Series { key: key.clone(), points }).collect(),
        legend: true,
    };
    Figure { title: "", rows: vec![vec![Panel::Curves(plot)]], legend: Vec::new() }.svg()
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}
