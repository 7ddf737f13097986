//! Words of text files, and where they stand.

use crate::MeshError;

/// A word of the file and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub line: usize,
    pub column: usize,
    pub text: &'a [u8],
}

impl Token<'_> {
    pub fn error(&self, problem: impl Into<Box<str>>, remedy: impl Into<Box<str>>) -> MeshError {
        let shown: String = String::from_utf8_lossy(self.text).chars().take(40).collect();
        MeshError {
            line: Some(self.line),
            column: Some(self.column),
            text: Some(shown.into()),
            ..MeshError::new(problem, remedy)
        }
    }

    pub fn parse<T: std::str::FromStr>(&self) -> Option<T> {
        parse(self.text)
    }

    /// Whether this is the keyword, in small or capital letters.
    pub fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }
}

pub(super) fn parse<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The words of a text one after the other, across lines.
#[derive(Clone)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
    line: usize,
    column: usize,
}

impl<'a> Words<'a> {
    /// The words of `text`, whose first line is number `line` of the file.
    pub fn new(text: &'a [u8], line: usize) -> Self {
        Self { rest: text, line, column: 1 }
    }

    /// Skips what is left of the current line.
    pub fn skip_line(&mut self) {
        let Some(end) = self.rest.iter().position(|b| *b == b'\n') else {
            self.rest = &[];
            return;
        };
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.line += 1;
        self.column = 1;
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// An error at the end of the text.
    pub fn ended(&self, problem: impl Into<Box<str>>, remedy: impl Into<Box<str>>) -> MeshError {
        MeshError { line: Some(self.line), ..MeshError::new(problem, remedy) }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while let Some((&byte, rest)) = self.rest.split_first() {
            if !byte.is_ascii_whitespace() {
                break;
            }
            self.rest = rest;
            self.column += 1;
            if byte == b'\n' {
                self.line += 1;
                self.column = 1;
            }
        }
        let length = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        if length == 0 {
            return None;
        }
        let (text, rest) = self.rest.split_at(length);
        let token = Token { line: self.line, column: self.column, text };
        self.rest = rest;
        self.column += length;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_line_and_column() {
        let mut words = Words::new(b"a  bc\r\n\n d\nrest of it\ne", 3);
        let mut next = || words.next().map(|t| (t.line, t.column, t.text.to_vec()));
        assert_eq!(next(), Some((3, 1, b"a".to_vec())));
        assert_eq!(next(), Some((3, 4, b"bc".to_vec())));
        assert_eq!(next(), Some((5, 2, b"d".to_vec())));
        assert_eq!(next(), Some((6, 1, b"rest".to_vec())));
        words.skip_line();
        assert_eq!(words.next().map(|t| (t.line, t.column)), Some((7, 1)));
        assert!(words.next().is_none());
    }
}
