//! Rigid bodies beside formulas, and heaps of nonconvex bodies beside Rapier.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use meniscus_validation::rigid::heap::{self, Heap, Run};
use meniscus_validation::rigid::shapes::{self, TUBE};
use meniscus_validation::rigid::{Engine, cases};

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Case {
    /// Blocks, balls and stacks with known answers.
    Exact,
    /// Rings above poles.
    Rings,
    /// Bones through a funnel.
    Bones,
}

/// Which engines run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Who {
    /// Meniscus and Rapier.
    Both,
    /// Ours alone.
    Meniscus,
    /// The peer alone.
    Rapier,
}

/// Compares rigid bodies with formulas, and heaps with Rapier
#[derive(Debug, Parser)]
struct Args {
    /// What to run
    #[arg(value_enum, default_values_t = [Case::Exact, Case::Rings, Case::Bones])]
    case: Vec<Case>,
    /// How many rings or bones fall
    #[arg(long, value_name = "N", default_value_t = 500)]
    count: usize,
    /// Frames of 1/30 s
    #[arg(long, value_name = "N", default_value_t = 720)]
    frames: u32,
    /// Which engines
    #[arg(long, value_enum, default_value_t = Who::Both)]
    engine: Who,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let engines: &[Engine] = match args.engine {
        Who::Both => &[Engine::Meniscus, Engine::Rapier],
        Who::Meniscus => &[Engine::Meniscus],
        Who::Rapier => &[Engine::Rapier],
    };
    let mut failed = false;
    for case in &args.case {
        failed |= match case {
            Case::Exact => exact(engines)?,
            Case::Rings => {
                let heap = heap::rings(args.count, shapes::ring(10.0)?)?;
                // 3 % of the thickness of a ring.
                pile("rings", &heap, engines, args.frames, 0.03 * 2.0 * TUBE)?
            }
            Case::Bones => {
                let heap = heap::bones(args.count, shapes::bone(500.0)?)?;
                pile("bones", &heap, engines, args.frames, 0.03 * 0.5)?
            }
        };
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Prints the table of exact cases; whether ours is off anywhere.
fn exact(engines: &[Engine]) -> Result<bool> {
    let mut failed = false;
    println!("| case | exact | tolerance | engine | value | off by |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for &engine in engines {
        for f in cases::all(engine)? {
            let off = (f.value - f.exact).abs();
            failed |= engine == Engine::Meniscus && (off.is_nan() || off > f.tolerance);
            let (name, exact, unit, tolerance) = (f.name, f.exact, f.unit, f.tolerance);
            let engine = engine.name();
            println!(
                "| {name} | {exact:.5} {unit} | {tolerance:.0e} | {engine} | {:.6} | {off:.1e} |",
                f.value
            );
        }
    }
    Ok(failed)
}

/// Prints the table of a heap; whether ours is not good enough.
fn pile(name: &str, heap: &Heap, engines: &[Engine], frames: u32, limit: f64) -> Result<bool> {
    let mut failed = false;
    println!(
        "| {name} | engine | frames | ms a frame | settled | settled, processor | good | loose | depth p50 | p97 | max | motion left |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for &engine in engines {
        let run = heap::run(heap, engine, frames, limit)?;
        println!("{}", row(&run));
        failed |= engine == Engine::Meniscus && (run.good as f64) < 0.97 * run.count as f64;
    }
    Ok(failed)
}

fn row(run: &Run) -> String {
    let at =
        |share: f64| run.depth.get((share * (run.depth.len() - 1) as f64) as usize).copied().unwrap_or(0.0);
    format!(
        "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} % | {} | {:.1e} m | {:.1e} m | {:.1e} m | {:.1e} |",
        run.count,
        run.engine.name(),
        run.frames,
        run.mean,
        run.settled,
        run.settled_cpu,
        100.0 * run.good as f64 / run.count as f64,
        run.loose,
        at(0.5),
        at(0.97),
        at(1.0),
        run.motion
    )
}
