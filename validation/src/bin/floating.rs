//! Bodies in water: how deep they float, whether they stay, how they start.

use anyhow::Result;
use clap::{Parser, ValueEnum};
use meniscus_validation::boundaries::Report;
use meniscus_validation::floating::{Form, METHODS, Selection, depth, neutral, response, start, vessel};
use std::path::PathBuf;
use std::process::ExitCode;

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Case {
    /// How deep bodies float.
    Depth,
    /// A body as heavy as water.
    Neutral,
    /// A sphere that is let go.
    Start,
    /// Hollow vessels.
    Vessel,
    /// The cost of a body's answer to its contacts.
    Response,
}

/// Compares bodies in water with Archimedes and with potential flow
#[derive(Debug, Parser)]
struct Args {
    /// What to run; everything if left out
    #[arg(value_enum)]
    case: Vec<Case>,
    /// Particles across a body
    #[arg(long, default_value_t = 10)]
    across: u32,
    /// Boundary methods
    #[arg(long, value_delimiter = ',', default_values = METHODS)]
    method: Vec<String>,
    /// Forms of the body
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Form::Box, Form::Sphere])]
    form: Vec<Form>,
    /// Density ratios of body and water, those of the case if left out
    #[arg(long, value_delimiter = ',')]
    ratio: Vec<f64>,
    /// Keys of the pressure solver
    #[arg(
        long,
        default_value = r#"method = "dfsph", density_tolerance = 1e-5, max_sweeps = 400, on_failure = "accept""#
    )]
    pressure: String,
    /// How long bodies float; the second half is looked at
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    seconds: f64,
    /// How many threads; as many as there are cores if left out
    #[arg(long)]
    threads: Option<usize>,
    /// Where the plots go
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/floating"))]
    out: PathBuf,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let mut report = Report { out: args.out, methods: Vec::new(), solvers: Vec::new(), failed: Vec::new() };
    let selection = Selection {
        across: args.across,
        method: args.method,
        form: args.form,
        ratio: args.ratio,
        pressure: args.pressure,
    };
    let cases = if args.case.is_empty() { Case::value_variants() } else { &args.case };
    for case in cases {
        match case {
            Case::Depth => depth::all(&mut report, &selection, args.seconds),
            Case::Neutral => neutral::all(&mut report, &selection),
            Case::Start => start::all(&mut report, &selection),
            Case::Vessel => vessel::all(&mut report, &selection),
            Case::Response => response::all(&mut report),
        }?;
    }
    println!();
    for claim in &report.failed {
        println!("does not hold: {claim}");
    }
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
