//! One module for each subcommand that does more than print.

mod advance;
mod bench;
mod check;
mod compare;
mod export;
mod gallery;
mod import;
mod info;
mod map;
mod mesh;
mod render;
mod sample;
mod shape;
mod surface;
mod view;

use crate::cli::{Cli, Command};
use crate::error::CommandError;
use crate::terminal::say;
use clap::CommandFactory;
use meniscus::scene::{builtins, json_schema};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Does what was asked.
pub fn execute(command: Command) -> Result<ExitCode, CommandError> {
    match command {
        Command::Run(args) => return advance::run(&args),
        Command::Resume(args) => return advance::resume(&args),
        Command::Check(args) => check::check(&args)?,
        Command::Map(args) => map::map(&args)?,
        Command::Compare(args) => return compare::compare(&args),
        Command::Bench(args) => bench::bench(&args)?,
        Command::Gallery(args) => return gallery::gallery(&args),
        Command::List => list(),
        Command::Info { path } => info::info(&path)?,
        Command::Surface(args) => surface::surface(&args)?,
        Command::Import(args) => import::import(&args)?,
        Command::View(args) => view::view(&args)?,
        Command::Export(args) => export::export(&args)?,
        Command::Render(args) => render::render(&args)?,
        Command::Sample(args) => sample::sample(&args)?,
        Command::Shape(args) => shape::shape(&args)?,
        Command::Schema => say(&format!("{:#}", json_schema())),
        Command::Completions { shell } => completions(shell),
    }
    Ok(ExitCode::SUCCESS)
}

/// The name of a picture: one without an extension gets that of PNG, another extension is refused.
fn png_path(path: &Path) -> Result<PathBuf, CommandError> {
    match path.extension() {
        None => Ok(path.with_extension("png")),
        Some(extension) if extension.eq_ignore_ascii_case("png") => Ok(path.to_path_buf()),
        Some(_) => {
            let reason = "the picture is a PNG; end its name in .png".to_owned();
            Err(CommandError::Show { path: path.to_path_buf(), reason })
        }
    }
}

fn list() {
    let widest = builtins().iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    let lines = builtins().iter().map(|scene| format!("{:widest$}  {}", scene.name, scene.summary));
    say(&lines.collect::<Vec<_>>().join("\n"));
}

fn completions(shell: clap_complete::Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "meniscus", &mut script);
    say(String::from_utf8_lossy(&script).trim_end());
}
