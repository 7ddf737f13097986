//! The few shapes that plots are made of.

use std::fmt::Write as _;

/// Height of letters `[px]`.
const FONT_SIZE: f64 = 14.0;

/// A rectangle of the page `[px]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    /// What is left without margins: left, top, right, bottom.
    pub fn within(self, [left, top, right, bottom]: [f64; 4]) -> Self {
        Self {
            left: self.left + left,
            top: self.top + top,
            width: self.width - left - right,
            height: self.height - top - bottom,
        }
    }

    pub fn right(self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(self) -> f64 {
        self.top + self.height
    }
}

/// Which end of a text its place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// About how wide a text is, rather too wide: the font is the reader's `[px]`.
pub(super) fn text_width(text: &str) -> f64 {
    0.58 * FONT_SIZE * text.chars().count() as f64
}

/// The text of an SVG file that grows. Writing into a string does not fail, so results are not looked at.
pub(super) struct Svg {
    out: String,
}

impl Svg {
    /// A white page.
    pub fn new(width: f64, height: f64) -> Self {
        let mut out = String::new();
        let _ = writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="{FONT_SIZE}">"#
        );
        let _ = writeln!(out, r#"<rect width="{width}" height="{height}" fill="white"/>"#);
        Self { out }
    }

    pub fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    pub fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, text: &str) {
        let (anchor, text) = (anchor.name(), escaped(text));
        let _ = writeln!(self.out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
    }

    /// A text in larger letters about its middle; nothing for an empty one.
    pub fn title(&mut self, [x, y]: [f64; 2], text: &str) {
        if !text.is_empty() {
            let text = escaped(text);
            let _ = writeln!(
                self.out,
                r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" font-size="18">{text}</text>"#
            );
        }
    }

    /// A text that is read from below, about its middle.
    pub fn upright_text(&mut self, [x, y]: [f64; 2], text: &str) {
        let text = escaped(text);
        let _ = writeln!(
            self.out,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" transform="rotate(-90 {x:.1} {y:.1})">{text}</text>"#
        );
    }

    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], colour: &str) {
        let _ = writeln!(
            self.out,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}"/>"#
        );
    }

    /// A line through all places; `dashes` are lengths drawn and left out in turn, none for a solid line.
    pub fn polyline(&mut self, places: &[[f64; 2]], colour: &str, dashes: &str) {
        let dashes = if dashes.is_empty() { "" } else { &format!(r#" stroke-dasharray="{dashes}""#) };
        let _ =
            write!(self.out, r#"<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points=""#);
        for [x, y] in places {
            let _ = write!(self.out, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(self.out, r#""/>"#);
    }

    pub fn circle(&mut self, [x, y]: [f64; 2], fill: &str, colour: &str) {
        let _ =
            writeln!(self.out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{fill}" stroke="{colour}"/>"#);
    }

    pub fn rectangle(&mut self, area: Area, colour: &str) {
        let Area { left, top, width, height } = area;
        let _ = writeln!(
            self.out,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{width:.2}" height="{height:.1}" fill="{colour}"/>"#
        );
    }
}

/// Names come from users: what SVG would take as its own is written in another way, control characters not at all.
fn escaped(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    clean.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
