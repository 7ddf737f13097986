//! Printing that never fails: a closed pipe is no reason to panic. Titles, names, claims and paths are written by others, so
//! whatever is printed is first made fit for a terminal.

use crate::error::CommandError;
use meniscus::output::OutputError;
use meniscus::run::RunError;
use meniscus::view::ViewError;
use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};

/// Prints to the standard output.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // Whoever closed the pipe does not want to read more.
    let _ = writeln!(out, "{}", fit(text)).and_then(|()| out.flush());
}

/// Prints to the standard error.
pub fn mention(text: &str) {
    mention_as_is(&fit(text));
}

/// Prints what this program has coloured itself.
fn mention_as_is(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A text in which nothing is left that a terminal would obey: control characters become their pictures, and marks that
/// turn the direction of writing become a question mark. Lines stay lines.
pub fn fit(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| match c {
        '\u{7f}' => '\u{2421}',
        // The pictures of the control characters are in their order.
        _ if c < ' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    };
    Cow::Owned(text.chars().map(|c| if is_obeyed(c) { shown(c) } else { c }).collect())
}

/// A text of a scene on one line, so that it cannot pass for a line of this program.
pub fn line(text: &str) -> String {
    fit(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

fn is_obeyed(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}');
    turns || c.is_control() && c != '\n' && c != '\t'
}

/// Prints an error with what may help.
pub fn complain(error: &CommandError) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = match error.scene() {
        // What the scene says has lost its control characters there; those that are left are colours.
        Some(mistakes) => mistakes.render(color).split('\x1b').map(fit).collect::<Vec<_>>().join("\x1b"),
        None => format!("{}: {}{}", label("error", "31", color), fit(&error.to_string()), hint(error)),
    };
    mention_as_is(&text);
}

/// Prints a warning.
pub fn warn(text: &str) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    mention_as_is(&format!("{}: {}", label("warning", "33", color), fit(text)));
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
                "\nhelp: the system limits the size of files; raise the limit (see `ulimit -f`). A run goes on from its last checkpoint with `meniscus resume DIR`"
            }
            Some(ErrorKind::NotFound) => "\nhelp: a file or folder is missing; was it moved or removed?",
            _ => "",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let hostile = "a\x1b[31mred\x07\rb\u{9b}2J\u{202e}c\x7f\0";
        assert_eq!(fit(hostile), "a␛[31mred␇␍b\u{fffd}2J\u{fffd}c␡␀");
        for c in (0..=0x10_ffff_u32).filter_map(char::from_u32) {
            let shown = fit(&c.to_string()).into_owned();
            assert!(!shown.contains(is_obeyed), "{c:?}");
            assert_eq!(shown.chars().count(), 1);
        }
        assert!(matches!(fit("two\nlines\tof 1.0 µm — ´ü´ 水"), Cow::Borrowed(_)));
        assert_eq!(line("a title\n  error: not so\u{1b}"), "a title error: not so␛");
    }
}
