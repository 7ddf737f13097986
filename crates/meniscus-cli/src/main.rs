//! The `meniscus` command.

mod benchmark;
mod cli;
mod command;
mod comparison;
mod error;
mod gallery;
mod limits;
mod progress;
mod terminal;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    limits::let_large_files_fail();
    let cli = cli::Cli::parse();
    match command::execute(cli.command) {
        Ok(code) => code,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(if error.is_bad_input() { 2 } else { 1 })
        }
    }
}
