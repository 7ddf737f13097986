//! Mistakes in the TOML itself.
//!
//! The parser goes on after an error and finds more. Those on other lines are worth showing, except after a bracket
//! that was never closed: then all that follows is misread, and the bracket is what the user must see.

use crate::diagnostic::Finding;
use crate::tree::Place;
use toml::de::Error;

/// What is wrong with text number `index`, of which `text` begins at `offset`.
pub(crate) fn findings(errors: &[Error], text: &str, index: usize, offset: usize) -> Vec<Finding> {
    let unclosed = errors.iter().any(|error| error.message().starts_with("unclosed"));
    let start = errors.first().and_then(Error::span).map_or(text.len(), |span| span.start);
    if let Some(bracket) = open_bracket(text, start).filter(|_| unclosed) {
        let place = Place { text: index, range: bracket + offset..bracket + offset + 1 };
        let opened = &text[bracket..=bracket];
        let closing = if opened == "[" { "]" } else { "}" };
        let finding = Finding::new(place, format!("this `{opened}` is never closed"))
            .label(format!("expected a `{closing}` before the next key"));
        return vec![finding];
    }
    let mut last_line = None;
    let mut all = Vec::new();
    for error in errors {
        let line = error
            .span()
            .map(|span| text.floor_char_boundary(span.start))
            .map(|at| text[..at].matches('\n').count());
        if line.is_none() || line != last_line {
            all.push(finding(error, text, index, offset));
        }
        last_line = line;
    }
    all
}

/// One error in better words where the parser's own would mislead.
fn finding(error: &Error, text: &str, index: usize, offset: usize) -> Finding {
    let span = error.span().unwrap_or(0..0);
    // An empty span would have nothing to underline.
    let end = span.end.max(span.start + 1);
    let place = Place { text: index, range: span.start + offset..end + offset };
    let word = text.get(span).unwrap_or("").trim();
    match (error.message(), error.message().rsplit_once(", expected ")) {
        (message, _) if message.starts_with("string values must be quoted") && word.is_empty() => {
            Finding::new(place, "a value is missing").label("expected a value")
        }
        (message, _) if message.starts_with("string values must be quoted") => {
            Finding::new(place, "this is no value")
                .label("expected a number, a string, …")
                .help(format!("a string needs quotes: \"{word}\""))
        }
        (_, Some((_, "`\"`" | "`'`" | "`\"\"\"`" | "`'''`"))) => {
            Finding::new(place, "this string is never closed").label("expected a quote")
        }
        (message, _) if message.starts_with("cannot recurse") => {
            Finding::new(place, "nested too deeply").label("too deep")
        }
        ("duplicate key", _) => Finding::new(place, "duplicate key").label("this was given before"),
        (_, Some((message, expected))) if expected != "nothing" => {
            Finding::new(place, message).label(format!("expected {expected}"))
        }
        (_, Some((message, _))) | (message, None) => Finding::new(place, message).label("not TOML"),
    }
}

/// The innermost bracket that is still open at the byte `end`. Quotes and comments are skipped, as well as that can be
/// done in a text that is not TOML.
fn open_bracket(text: &str, end: usize) -> Option<usize> {
    let mut open = Vec::new();
    let (mut quote, mut comment, mut escaped) = (None, false, false);
    for (at, &byte) in text.as_bytes().iter().enumerate().take(end) {
        match (byte, quote) {
            (b'\n', _) => (quote, comment, escaped) = (None, false, false),
            _ if comment => {}
            (_, Some(_)) if escaped => escaped = false,
            (b'\\', Some(b'"')) => escaped = true,
            (_, Some(end)) if byte == end => quote = None,
            (b'"' | b'\'', None) => quote = Some(byte),
            (b'#', None) => comment = true,
            (b'[' | b'{', None) => open.push(at),
            (b']' | b'}', None) => {
                open.pop();
            }
            _ => {}
        }
    }
    open.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        assert_eq!(open_bracket("a = [1, 2]\n", 11), None);
        assert_eq!(open_bracket("a = \"[\" # [\nb = '['\n", 20), None);
        assert_eq!(open_bracket("a = [[1, 2]\nb", 12), Some(4));
        assert_eq!(open_bracket(r#"a = { b = "\"{" "#, 16), Some(4));
    }
}
