//! Fluids on grids beside formulas and published figures.

use anyhow::Result;
use clap::{Parser, ValueEnum};
use meniscus_grid::{Advection, Preconditioner, Splitting};
use meniscus_validation::grid::{cavity, cylinder, solver, vortex};
use std::path::PathBuf;

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Case {
    /// The lid-driven cavity.
    Cavity,
    /// A vortex that decays.
    Vortex,
    /// The pressure solve on larger and larger grids.
    Solver,
    /// A cylinder that is held in a stream.
    Cylinder,
}

/// Compares fluids on grids with formulas and published figures
#[derive(Debug, Parser)]
struct Args {
    /// What to run; everything if left out
    #[arg(value_enum)]
    case: Vec<Case>,
    /// Cells along an edge of the cavity and the vortex, one run for each
    #[arg(long, value_delimiter = ',', default_values_t = [32, 64, 128])]
    cells: Vec<usize>,
    /// Cells along an edge for the pressure solve
    #[arg(long, value_delimiter = ',', default_values_t = [32, 64, 128])]
    cube: Vec<usize>,
    /// Reynolds numbers of the cavity
    #[arg(long, value_delimiter = ',', default_values_t = [100, 400, 1000])]
    reynolds: Vec<u32>,
    /// Courant numbers of steps
    #[arg(long, value_delimiter = ',', default_values_t = [1.0])]
    courant: Vec<f64>,
    /// Cells across the cylinder
    #[arg(long, default_value_t = 16)]
    across: usize,
    /// Size of the stream in diameters
    #[arg(long, value_delimiter = ',', num_args = 2, default_values_t = [24, 16])]
    stream: Vec<usize>,
    /// How long the cylinder is in the stream, in diameters over speed
    #[arg(long, default_value_t = 120.0)]
    time: f64,
    /// Also plain projections, first order in time
    #[arg(long)]
    projection: bool,
    /// The folder with the published figures
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/grid"))]
    tables: PathBuf,
}

impl Args {
    fn runs(&self, case: Case) -> bool {
        self.case.is_empty() || self.case.contains(&case)
    }

    fn splittings(&self) -> &[Splitting] {
        if self.projection {
            &[Splitting::Reflection, Splitting::Projection]
        } else {
            &[Splitting::Reflection]
        }
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    if args.runs(Case::Vortex) {
        decaying(&args)?;
    }
    if args.runs(Case::Solver) {
        solving(&args)?;
    }
    if args.runs(Case::Cavity) {
        driven(&args)?;
    }
    if args.runs(Case::Cylinder) {
        held(&args)?;
    }
    Ok(())
}

fn decaying(args: &Args) -> Result<()> {
    println!(
        "## Vortex\n\n| viscosity | scheme | Courant | cells | energy / exact | largest error | order |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let schemes = [
        (Advection::MacCormack, Splitting::Reflection),
        (Advection::MacCormack, Splitting::Projection),
        (Advection::SemiLagrangian, Splitting::Projection),
    ];
    for viscosity in [0.01, 0.0] {
        for (advection, splitting) in schemes {
            for &courant in &args.courant {
                let mut last: Option<f64> = None;
                for &cells in &args.cells {
                    let params =
                        vortex::Params { cells, courant, viscosity, time: 2.0, advection, splitting };
                    let vortex::Outcome { energy, error } = vortex::run(&params)?;
                    let order = last.map_or_else(String::new, |last| format!("{:.2}", (last / error).log2()));
                    last = Some(error);
                    println!(
                        "| {viscosity} | {advection:?}, {splitting:?} | {courant} | {cells} | {energy:.5} | {error:.2e} | {order} |"
                    );
                }
            }
        }
    }
    println!();
    Ok(())
}

fn solving(args: &Args) -> Result<()> {
    println!("## Solver\n\n| box | preconditioner | cells | tolerance | iterations | step [s] | ns a cell |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for obstacle in [solver::Obstacle::Nothing, solver::Obstacle::Ball] {
        for &cells in &args.cube {
            for (choice, tolerance) in [
                (Preconditioner::Multigrid, 1e-3),
                (Preconditioner::Multigrid, 1e-4),
                (Preconditioner::Multigrid, 1e-6),
                (Preconditioner::IncompleteCholesky, 1e-4),
            ] {
                let solver::Outcome { iterations, rooms, step } =
                    solver::run(cells, obstacle, choice, tolerance)?;
                let per_cell = step / rooms as f64 * 1e9;
                println!(
                    "| {obstacle:?} | {choice:?} | {cells}³ | {tolerance:e} | {iterations} | {step:.3} | {per_cell:.0} |"
                );
            }
        }
    }
    println!();
    Ok(())
}

fn driven(args: &Args) -> Result<()> {
    println!("## Cavity\n\n| Re | cells | Courant | scheme | u off | v off | time | steps | divergence |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for &reynolds in &args.reynolds {
        for &cells in &args.cells {
            for &courant in &args.courant {
                for &splitting in args.splittings() {
                    let params = cavity::Params { reynolds, cells, courant, splitting };
                    let cavity::Outcome { u, v, time, steps, divergence } =
                        cavity::run(&params, &args.tables)?;
                    println!(
                        "| {reynolds} | {cells}² | {courant} | {splitting:?} | {:.2} % | {:.2} % | {time:.0} | {steps} | {divergence:.1e} |",
                        100.0 * u,
                        100.0 * v
                    );
                }
            }
        }
    }
    println!();
    Ok(())
}

fn held(args: &Args) -> Result<()> {
    println!("## Cylinder\n\n| Re | cells across | box | Courant | drag | lift | Strouhal |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for &courant in &args.courant {
        let (across, size) = (args.across, [args.stream[0], args.stream[1]]);
        let params = cylinder::Params { reynolds: 100.0, across, size, time: args.time, courant };
        let cylinder::Outcome { drag, lift, strouhal } = cylinder::run(&params)?;
        println!(
            "| 100 | {across} | {} × {} | {courant} | {drag:.3} | {lift:.3} | {strouhal:.4} |",
            size[0], size[1]
        );
    }
    println!();
    Ok(())
}
