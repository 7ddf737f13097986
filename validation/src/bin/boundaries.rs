//! Walls: what every boundary method does, with every pressure solver.

use anyhow::Result;
use clap::{Parser, ValueEnum};
use meniscus_core::Dimension;
use meniscus_validation::boundaries::{METHODS, Report, SOLVERS, drum, leak, obstacle, ramp, rest, slide};
use std::path::PathBuf;
use std::process::ExitCode;

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Case {
    /// One particle on an inclined plane.
    Single,
    /// A grid of particles on an inclined plane.
    Grid,
    /// Fluid in a turning sphere without friction.
    Sphere,
    /// A stream down a ramp, by slip.
    Slip,
    /// A falling particle, by restitution.
    Rebound,
    /// Thin vessels that move.
    Vessel,
    /// Dam breaks in the plane, from which nothing may escape.
    DamBreakPlane,
    /// Dam breaks in space, from which nothing may escape.
    DamBreakSpace,
    /// Water at rest in the plane.
    RestPlane,
    /// Water at rest in space.
    RestSpace,
    /// The cost of steps with a complex obstacle.
    Obstacle,
}

/// Compares boundary methods with formulas and with each other
#[derive(Debug, Parser)]
struct Args {
    /// What to run; everything if left out
    #[arg(value_enum)]
    case: Vec<Case>,
    /// Where the plots go
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/boundaries"))]
    out: PathBuf,
    /// How long the sphere turns
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    seconds: f64,
    /// Only these boundary methods, separated by commas
    #[arg(long, value_name = "METHODS", value_delimiter = ',', value_parser = METHODS)]
    boundary: Vec<String>,
    /// Only these pressure solvers, separated by commas
    #[arg(long, value_name = "SOLVERS", value_delimiter = ',', value_parser = SOLVERS)]
    pressure: Vec<String>,
    /// How many particles deep the water at rest is
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    layers: u32,
    /// How many particles wide it is; 20 in the plane and 12 in space if left out
    #[arg(long, value_name = "COUNT")]
    across: Option<u32>,
    /// The support radius of the water at rest, in spacings
    #[arg(long, value_name = "SPACINGS", default_value_t = 2.0)]
    support: f64,
    /// Distance of particles of the water at rest, or of the dam's
    #[arg(long, value_name = "METRES")]
    spacing: Option<f64>,
    /// How many rings the flow has to pass along, upwards and across
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_values_t = [3, 7, 3])]
    rings: Vec<u32>,
    /// The flow through rings is measured from this time on
    #[arg(long, value_name = "SECONDS", default_value_t = 0.2)]
    from: f64,
    /// Until this time
    #[arg(long, value_name = "SECONDS", default_value_t = 0.4)]
    to: f64,
    /// Keep the map of the rings in this folder
    #[arg(long, value_name = "DIR")]
    map_cache: Option<PathBuf>,
    /// Rule for the length of steps of dam breaks, as in a scene
    #[arg(long, value_name = "TABLE", default_value = "{ method = \"cfl\" }")]
    step: String,
}

/// Those of `all` that are named, or all if none is.
fn chosen(all: &[&'static str], named: &[String]) -> Vec<&'static str> {
    let wanted = |name: &&&str| named.is_empty() || named.iter().any(|n| n == **name);
    all.iter().filter(wanted).copied().collect()
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let (methods, solvers) = (chosen(&METHODS, &args.boundary), chosen(&SOLVERS, &args.pressure));
    let mut report = Report { out: args.out, methods, solvers, failed: Vec::new() };
    let water = rest::Water {
        spacing: args.spacing.unwrap_or(rest::Water::SPACING),
        layers: args.layers,
        support: args.support,
        across: args.across,
    };
    let dam = |dimension, spacing| leak::Dam {
        dimension,
        spacing: args.spacing.unwrap_or(spacing),
        step: args.step.clone(),
    };
    let count = <[u32; 3]>::try_from(args.rings).unwrap_or([3, 7, 3]).into();
    let flow = obstacle::Flow { count, span: [args.from, args.to], map_cache: args.map_cache };
    let cases = if args.case.is_empty() { Case::value_variants() } else { &args.case };
    for case in cases {
        match case {
            Case::Single => slide::single(&mut report),
            Case::Grid => slide::grid(&mut report),
            Case::Sphere => drum::all(&mut report, args.seconds),
            Case::Slip => ramp::slip(&mut report),
            Case::Rebound => ramp::rebound(&mut report),
            Case::Vessel => leak::vessel(&mut report),
            Case::DamBreakPlane => leak::dam_break(&mut report, &dam(2, 0.02)),
            Case::DamBreakSpace => leak::dam_break(&mut report, &dam(3, 0.03)),
            Case::RestPlane => rest::all(&mut report, &water, Dimension::Two),
            Case::RestSpace => rest::all(&mut report, &water, Dimension::Three),
            Case::Obstacle => obstacle::all(&mut report, &flow),
        }?;
    }
    println!();
    for claim in &report.failed {
        println!("does not hold: {claim}");
    }
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
