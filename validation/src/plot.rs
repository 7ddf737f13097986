//! Plots of curves and measured points as SVG.

use crate::reference::Point;
use std::fmt::Write as _;

/// Size of the picture `[px]`.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 520.0;
/// Room for labels: left, top, right, bottom `[px]`.
const MARGIN: [f64; 4] = [62.0, 44.0, 20.0, 54.0];

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A line through them.
    Line,
    /// A line of dashes.
    Dashes,
    /// A disc on each.
    Discs,
    /// A circle around each.
    Circles,
}

/// Points that belong together.
#[derive(Debug, Clone)]
pub struct Series<'a> {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// A colour as in CSS.
    pub colour: &'a str,
    /// What is drawn.
    pub points: &'a [Point],
}

/// A plot with linear axes that begin at zero.
#[derive(Debug, Clone)]
pub struct Plot<'a> {
    /// What it shows.
    pub title: &'a str,
    /// What the axes mean, x first.
    pub labels: [&'a str; 2],
    /// Where the axes end, x first.
    pub ends: [f64; 2],
    /// Distances of the grid lines, x first.
    pub ticks: [f64; 2],
    /// In the order of drawing.
    pub series: Vec<Series<'a>>,
}

impl Plot<'_> {
    /// The picture as the text of an SVG file.
    ///
    /// # Errors
    /// None: formatting into a string does not fail.
    pub fn svg(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        self.write(&mut out)?;
        Ok(out)
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="14">"#
        )?;
        writeln!(out, r#"<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>"#)?;
        let middle = 0.5 * (MARGIN[0] + WIDTH - MARGIN[2]);
        text(out, [middle, 26.0], "middle", self.title)?;
        self.axes(out)?;
        for series in &self.series {
            self.series(out, series)?;
        }
        self.legend(out)?;
        writeln!(out, "</svg>")
    }

    /// From values to pixels.
    fn place(&self, x: f64, y: f64) -> [f64; 2] {
        let [left, top, right, bottom] = MARGIN;
        let x = left + x / self.ends[0] * (WIDTH - left - right);
        let y = HEIGHT - bottom - y / self.ends[1] * (HEIGHT - top - bottom);
        [x, y]
    }

    fn axes(&self, out: &mut String) -> std::fmt::Result {
        for axis in 0..2 {
            let count = (self.ends[axis] / self.ticks[axis] + 1e-9).floor() as u32;
            for tick in 0..=count {
                let value = f64::from(tick) * self.ticks[axis];
                let (from, to) = if axis == 0 {
                    (self.place(value, 0.0), self.place(value, self.ends[1]))
                } else {
                    (self.place(0.0, value), self.place(self.ends[0], value))
                };
                let colour = if tick == 0 { "#444" } else { "#ddd" };
                let ([x1, y1], [x2, y2]) = (from, to);
                writeln!(
                    out,
                    r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}"/>"#
                )?;
                let (at, anchor) =
                    if axis == 0 { ([x1, y1 + 19.0], "middle") } else { ([x1 - 8.0, y1 + 5.0], "end") };
                text(out, at, anchor, &format!("{value}"))?;
            }
        }
        let [x, y] = self.place(0.5 * self.ends[0], 0.0);
        text(out, [x, y + 42.0], "middle", self.labels[0])?;
        let [x, y] = self.place(0.0, 0.5 * self.ends[1]);
        let (x, y) = (x - 40.0, y);
        writeln!(
            out,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" transform="rotate(-90 {x:.1} {y:.1})">{}</text>"#,
            escaped(self.labels[1])
        )
    }

    fn series(&self, out: &mut String, series: &Series<'_>) -> std::fmt::Result {
        let visible = series.points.iter().filter(|p| p.time <= self.ends[0] && p.front <= self.ends[1]);
        let places: Vec<[f64; 2]> = visible.map(|p| self.place(p.time, p.front)).collect();
        draw(out, series, &places)
    }

    fn legend(&self, out: &mut String) -> std::fmt::Result {
        for (row, series) in self.series.iter().enumerate() {
            let (x, y) = (MARGIN[0] + 18.0, MARGIN[1] + 20.0 + 21.0 * row as f64);
            let sample = match series.style {
                Style::Line | Style::Dashes => vec![[x, y], [x + 26.0, y]],
                Style::Discs | Style::Circles => vec![[x + 13.0, y]],
            };
            draw(out, series, &sample)?;
            text(out, [x + 36.0, y + 5.0], "start", &series.name)?;
        }
        Ok(())
    }
}

fn draw(out: &mut String, series: &Series<'_>, places: &[[f64; 2]]) -> std::fmt::Result {
    let colour = series.colour;
    if matches!(series.style, Style::Line | Style::Dashes) {
        let dashes = if series.style == Style::Dashes { r#" stroke-dasharray="6 4""# } else { "" };
        write!(out, r#"<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points=""#)?;
        for [x, y] in places {
            write!(out, "{x:.1},{y:.1} ")?;
        }
        return writeln!(out, r#""/>"#);
    }
    let fill = if series.style == Style::Discs { colour } else { "white" };
    for [x, y] in places {
        writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{fill}" stroke="{colour}"/>"#)?;
    }
    Ok(())
}

fn text(out: &mut String, [x, y]: [f64; 2], anchor: &str, text: &str) -> std::fmt::Result {
    writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#, escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axes_and_every_visible_point_are_drawn() {
        let points = [(0.0, 0.0), (1.0, 1.0), (3.0, 1.0)].map(|(time, front)| Point { time, front });
        let series = Series { name: "a < b".to_owned(), style: Style::Discs, colour: "red", points: &points };
        let plot = Plot {
            title: "t",
            labels: ["x", "y"],
            ends: [2.0, 2.0],
            ticks: [1.0, 1.0],
            series: vec![series],
        };
        let svg = plot.svg().unwrap();
        // Two of three points, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg.matches("<line ").count(), 6);
        assert!(svg.contains("a &lt; b"));
        assert!(svg.ends_with("</svg>\n"));
    }
}
