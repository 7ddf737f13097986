//! Printing that never fails: a closed pipe is no reason to panic.

use crate::error::CommandError;
use meniscus::output::OutputError;
use meniscus::run::RunError;
use meniscus::view::ViewError;
use std::io::{ErrorKind, IsTerminal, Write};

/// Prints to the standard output.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // Whoever closed the pipe does not want to read more.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
}

/// Prints to the standard error.
pub fn mention(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints an error with what may help.
pub fn complain(error: &CommandError) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = match error.scene() {
        Some(mistakes) => mistakes.render(color),
        None => format!("{}: {error}{}", label("error", "31", color), hint(error)),
    };
    mention(&text);
}

/// Prints a warning.
pub fn warn(text: &str) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    mention(&format!("{}: {text}", label("warning", "33", color)));
}

fn label(word: &str, code: &str, color: bool) -> String {
    if color { format!("\x1b[1;{code}m{word}\x1b[0m") } else { word.to_owned() }
}

/// What the options of the command can do about an error.
fn hint(error: &CommandError) -> &'static str {
    match error {
        CommandError::Run(RunError::Simulation(_)) => "\nhelp: the last good state was saved",
        CommandError::View(ViewError::Port { .. }) => " with --port",
        other => other.output().map_or("", output_hint),
    }
}

fn output_hint(error: &OutputError) -> &'static str {
    match error {
        OutputError::FolderInUse { .. } => {
            "\nhelp: use `--out DIR` for another folder, `--overwrite` to replace an earlier run, or `meniscus resume DIR` to go on with it"
        }
        OutputError::NotARunFolder { .. } => "\nhelp: `meniscus run SCENE --out DIR` makes such a folder",
        other => match other.io_kind() {
            Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
                "\nhelp: the disk is full; make room. A run goes on from its last checkpoint with `meniscus resume DIR`"
            }
            Some(ErrorKind::FileTooLarge) => {
                "\nhelp: the system limits the size of files (see `ulimit -f`). A run goes on from its last checkpoint with `meniscus resume DIR`"
            }
            Some(ErrorKind::NotFound) => "\nhelp: a file or folder is missing; was it moved or removed?",
            _ => "",
        },
    }
}
