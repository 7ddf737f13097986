//! Golden bits: the same runs leave the same fingerprints as recorded.

use anyhow::Result;
use clap::Parser;
use meniscus_validation::golden::{self, Golden};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compares short runs of all built-in scenes and of all methods with recorded fingerprints
#[derive(Debug, Parser)]
struct Args {
    /// Runs only cases whose name contains this
    filter: Option<String>,
    /// Records what is found instead of comparing it
    #[arg(long)]
    record: bool,
    /// Compares motions only: how the state is laid out may differ
    #[arg(long)]
    motion: bool,
    /// How many threads; as many as there are cores if left out
    #[arg(long)]
    threads: Option<usize>,
    /// The list
    #[arg(long, value_name = "FILE", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/hashes.txt"))]
    list: PathBuf,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let mut recorded = if args.list.exists() { golden::read(&args.list)? } else { Golden::new() };
    let (mut compared, mut different) = (0, 0);
    for case in golden::cases() {
        if args.filter.as_ref().is_some_and(|part| !case.name.contains(part)) {
            continue;
        }
        let found = case.run()?;
        compared += 1;
        if args.record {
            recorded.insert(case.name, found);
            continue;
        }
        let expected = recorded.get(&case.name);
        let holds =
            expected.is_some_and(|e| e.motion == found.motion && (args.motion || e.state == found.state));
        if !holds {
            different += 1;
            let expected = expected.map_or("nothing".to_owned(), ToString::to_string);
            println!("{}: {found}, recorded is {expected}", case.name);
        }
    }
    if args.record {
        std::fs::write(&args.list, golden::text(&recorded))?;
        println!("{compared} recorded");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{compared} compared, {different} different");
    Ok(if compared > 0 && different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
