//! What the command understands.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

/// Simulates fluids and solids that push on each other.
#[derive(Debug, Parser)]
#[command(name = "meniscus", version, about, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write the results to a folder
    Run(RunArgs),
    /// Go on with a run that was stopped or killed
    Resume(ResumeArgs),
    /// Check a scene and tell its size without simulating it
    Check(CheckArgs),
    /// List the built-in scenes
    List,
    /// Tell what is in the folder of a run, or in a mesh file
    Info {
        /// The folder of a run, or a mesh file (OBJ, PLY, STL, glTF, GLB)
        #[arg(value_name = "PATH")]
        path: PathBuf,
    },
    /// Print the JSON schema of scene files, for editors
    Schema,
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Which scene.
#[derive(Debug, Args)]
pub struct SceneArgs {
    /// A scene file, or the name of a built-in scene
    pub scene: String,
    /// Change a key of the scene, such as `fluid.pressure.method=dfsph`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// How to simulate.
#[derive(Debug, Args)]
pub struct AdvanceArgs {
    /// Threads to compute with; if left out, one per core. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop after the first step that ends at this simulated time or later, in seconds
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub until: Option<f64>,
    /// Stop when the run has this many steps, counted from its beginning
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The folder for the results; if left out, `out/` and the name of the scene
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the results of an earlier run in that folder
    #[arg(long)]
    pub overwrite: bool,
    #[command(flatten)]
    pub advance: AdvanceArgs,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub advance: AdvanceArgs,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
}

fn seconds(text: &str) -> Result<f64, String> {
    let time: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if time.is_finite() && time >= 0.0 { Ok(time) } else { Err("must be finite and not negative".to_owned()) }
}
