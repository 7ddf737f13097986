//! Mistakes, where they are, and how they are shown.

use crate::tree::Place;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str};
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

/// How many mistakes are kept; the rest is counted.
const MAX_DIAGNOSTICS: usize = 50;

/// One mistake in a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file (or built-in scene) as it was named, or `command line` for an override.
    pub file: String,
    /// Where in the file, if the mistake is at one place of a text that could be read.
    pub location: Option<Location>,
    /// What is wrong.
    pub message: String,
    /// A short remark on the offending text.
    pub label: String,
    /// What is allowed.
    pub help: Option<String>,
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The offending bytes.
    pub span: Range<usize>,
    /// The line, from 1 `[1]`.
    pub line: usize,
    /// The column in characters, from 1 `[1]`.
    pub column: usize,
    text: Arc<str>,
}

/// All mistakes of a scene. Its `Display` shows each with the text around it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.render(false))]
pub struct SceneError {
    file: String,
    diagnostics: Vec<Diagnostic>,
    left_out: usize,
}

impl SceneError {
    /// An error about a file as a whole.
    pub(crate) fn whole(file: &str, message: String, help: Option<String>) -> Self {
        let file = file.to_owned();
        let diagnostic =
            Diagnostic { file: file.clone(), location: None, message, label: String::new(), help };
        Self { file, diagnostics: vec![diagnostic], left_out: 0 }
    }

    /// The findings in the order of the text, the file before the overrides.
    pub(crate) fn new(mut findings: Vec<Finding>, texts: &[Text]) -> Self {
        findings.sort_by_key(|finding| (finding.place.text, finding.place.range.start));
        let left_out = findings.len().saturating_sub(MAX_DIAGNOSTICS);
        let kept = findings.into_iter().take(MAX_DIAGNOSTICS);
        let diagnostics = kept.filter_map(|finding| finding.locate(texts)).collect();
        let file = texts.first().map(|text| text.name.clone()).unwrap_or_default();
        Self { file, diagnostics, left_out }
    }

    /// The mistakes in the order of the text; at most fifty.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The file (or built-in scene) as it was named.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// One line: how many mistakes there are and where, in the file or on the command line.
    #[must_use]
    pub fn summary(&self) -> String {
        let count = self.diagnostics.len() + self.left_out;
        let plural = if count == 1 { "" } else { "s" };
        let mut files: Vec<&str> =
            self.diagnostics.iter().map(|diagnostic| diagnostic.file.as_str()).collect();
        files.dedup();
        format!("{count} error{plural} in {}", normalize_untrusted_str(&files.join(" and ")))
    }

    /// All mistakes with the text around them and the summary, with terminal colours or without.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        for diagnostic in &self.diagnostics {
            out.push_str(&diagnostic.render(&renderer));
            out.push_str("\n\n");
        }
        if self.left_out > 0 {
            let _ = writeln!(out, "and {} more\n", self.left_out);
        }
        out.push_str(&self.summary());
        out
    }
}

impl Diagnostic {
    fn render(&self, renderer: &Renderer) -> String {
        let title = Level::ERROR.primary_title(normalize_untrusted_str(&self.message));
        let mut group = match &self.location {
            // The file as a whole has no text of its own to underline.
            Some(location) if location.span.end > 0 => title.element(self.snippet(location)),
            Some(location) => {
                let origin = Origin::path(self.file_shown()).line(location.line).char_column(location.column);
                title.element(origin)
            }
            None => Group::with_title(title),
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(normalize_untrusted_str(help)));
        }
        renderer.render(&[group])
    }

    /// The name of the file without characters that a terminal would obey.
    fn file_shown(&self) -> String {
        normalize_untrusted_str(&self.file)
    }

    /// The first line of the place: a value may run over many.
    fn snippet<'a>(&'a self, location: &'a Location) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let start = location.text[..location.span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = location.text[location.span.start..]
            .find('\n')
            .map_or(location.text.len(), |n| n + location.span.start);
        let line = location.text[start..end].trim_end_matches('\r');
        let span = location.span.start - start..location.span.end.min(start + line.len()) - start;
        let label = (!self.label.is_empty()).then(|| normalize_untrusted_str(&self.label));
        let annotation = AnnotationKind::Primary.span(span).label(label);
        Snippet::source(line).path(self.file_shown()).line_start(location.line).annotation(annotation)
    }
}

/// A text that takes part in a scene.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub name: String,
    pub text: Arc<str>,
}

/// A mistake as the checks report it.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub place: Place,
    message: String,
    label: String,
    help: Option<String>,
}

impl Finding {
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), label: String::new(), help: None }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn locate(self, texts: &[Text]) -> Option<Diagnostic> {
        let text = texts.get(self.place.text)?;
        let location = Some(Location::new(&text.text, self.place.range));
        let file = text.name.clone();
        Some(Diagnostic { file, location, message: self.message, label: self.label, help: self.help })
    }
}

impl Location {
    /// Any range will do: it is cut to the text and to whole characters.
    fn new(text: &Arc<str>, range: Range<usize>) -> Self {
        let start = text.floor_char_boundary(range.start);
        let end = text.ceil_char_boundary(range.end).max(start);
        let before = &text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        Self { span: start..end, line, column, text: Arc::clone(text) }
    }
}

/// `text` in backticks, shortened if it is very long.
pub(crate) fn quoted(text: &str) -> String {
    const MAX: usize = 60;
    if text.chars().count() > MAX {
        let head: String = text.chars().take(MAX).collect();
        return format!("`{head}…`");
    }
    format!("`{text}`")
}
