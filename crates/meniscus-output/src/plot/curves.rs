//! Curves and measured points over an axis.

use super::axis::Axis;
use super::svg::{Anchor, Area, Svg};
use super::{LEGEND_LINE, LEGEND_SAMPLE};

/// Height of the panel `[px]`.
pub(super) const HEIGHT: f64 = 520.0;
/// Room for labels: left, top, right, bottom `[px]`.
const MARGIN: [f64; 4] = [74.0, 44.0, 24.0, 54.0];

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A line through them.
    Line,
    /// A line of dashes.
    Dashes,
    /// A line of dots.
    Dots,
    /// A line of dashes and dots in turn.
    DashDots,
    /// A disc on each.
    Discs,
    /// A circle around each.
    Circles,
}

impl Style {
    /// The styles that are lines.
    pub const LINES: [Self; 4] = [Self::Line, Self::Dashes, Self::Dots, Self::DashDots];

    /// Lengths drawn and left out in turn; nothing if it is no line `[px]`.
    fn dashes(self) -> Option<&'static str> {
        match self {
            Self::Line => Some(""),
            Self::Dashes => Some("7 4"),
            Self::Dots => Some("2 3"),
            Self::DashDots => Some("9 3 2 3"),
            Self::Discs | Self::Circles => None,
        }
    }
}

/// A name and what is drawn for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key<'a> {
    /// The name in the legend.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// A colour as in CSS.
    pub colour: &'a str,
}

impl Key<'_> {
    /// A sample and the name behind it; the place is the sample's left end.
    pub(super) fn draw(&self, svg: &mut Svg, [x, y]: [f64; 2]) {
        let [length, gap] = LEGEND_SAMPLE;
        let sample: &[[f64; 2]] = match self.style.dashes() {
            Some(_) => &[[x, y], [x + length, y]],
            None => &[[x + 0.5 * length, y]],
        };
        self.draw_points(svg, sample);
        svg.text([x + length + gap, y + 5.0], Anchor::Start, &self.name);
    }

    fn draw_points(&self, svg: &mut Svg, places: &[[f64; 2]]) {
        if let Some(dashes) = self.style.dashes() {
            svg.polyline(places, self.colour, dashes);
            return;
        }
        let fill = if self.style == Style::Discs { self.colour } else { "white" };
        for &place in places {
            svg.circle(place, fill, self.colour);
        }
    }
}

/// Points that belong together.
#[derive(Debug, Clone)]
pub struct Series<'a> {
    /// Its name and looks.
    pub key: Key<'a>,
    /// What is drawn, x first. Points beyond the axes are left out.
    pub points: &'a [[f64; 2]],
}

/// Series over a common axis.
#[derive(Debug, Clone)]
pub struct Curves<'a> {
    /// What is shown.
    pub title: &'a str,
    /// The axes, x first.
    pub axes: [Axis; 2],
    /// In the order of drawing.
    pub series: Vec<Series<'a>>,
    /// Whether the names of the series stand in the upper left corner.
    pub legend: bool,
}

impl Curves<'_> {
    pub(super) fn draw(&self, svg: &mut Svg, area: Area) {
        let inner = area.within(MARGIN);
        svg.text([inner.left + 0.5 * inner.width, inner.top - 18.0], Anchor::Middle, self.title);
        self.draw_axes(svg, inner);
        for series in &self.series {
            let places: Vec<_> = series.points.iter().map(|&point| self.place(inner, point)).collect();
            // A line does not bridge what is left out.
            for piece in places.split(Option::is_none).filter(|piece| !piece.is_empty()) {
                let piece: Vec<[f64; 2]> = piece.iter().flatten().copied().collect();
                series.key.draw_points(svg, &piece);
            }
        }
        if self.legend {
            for (row, series) in self.series.iter().enumerate() {
                let y = inner.top + 20.0 + LEGEND_LINE * row as f64;
                series.key.draw(svg, [inner.left + 18.0, y]);
            }
        }
    }

    /// From values to pixels.
    fn place(&self, inner: Area, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        let (x, y) = (self.axes[0].place(x)?, self.axes[1].place(y)?);
        Some([inner.left + x * inner.width, inner.bottom() - y * inner.height])
    }

    fn draw_axes(&self, svg: &mut Svg, inner: Area) {
        let [across, up] = &self.axes;
        for (index, (value, text)) in across.ticks().iter().enumerate() {
            let Some(place) = across.place(*value) else { continue };
            let x = inner.left + place * inner.width;
            svg.line([x, inner.bottom()], [x, inner.top], grid_colour(index));
            svg.text([x, inner.bottom() + 19.0], Anchor::Middle, text);
        }
        for (index, (value, text)) in up.ticks().iter().enumerate() {
            let Some(place) = up.place(*value) else { continue };
            let y = inner.bottom() - place * inner.height;
            svg.line([inner.left, y], [inner.right(), y], grid_colour(index));
            svg.text([inner.left - 8.0, y + 5.0], Anchor::End, text);
        }
        svg.text([inner.left + 0.5 * inner.width, inner.bottom() + 42.0], Anchor::Middle, &across.label);
        svg.upright_text([inner.left - 54.0, inner.top + 0.5 * inner.height], &up.label);
    }
}

/// The first grid line is the axis.
pub(super) fn grid_colour(index: usize) -> &'static str {
    if index == 0 { "#444" } else { "#ddd" }
}

#[cfg(test)]
mod tests {
    use super::super::{Figure, Panel};
    use super::*;

    fn figure(style: Style, points: &[[f64; 2]]) -> String {
        let key = Key { name: "a < b".to_owned(), style, colour: "red" };
        let curves = Curves {
            title: "t",
            axes: ["x", "y"].map(|label| Axis::from_zero_to(label, 2.0, 1.0)),
            series: vec![Series { key, points }],
            legend: true,
        };
        Figure { title: "", rows: vec![vec![Panel::Curves(curves)]], legend: Vec::new() }.svg()
    }

    #[test]
    fn the_axes_and_every_visible_point_are_drawn() {
        let svg = figure(Style::Discs, &[[0.0, 0.0], [1.0, 1.0], [3.0, 1.0], [1.0, f64::NAN]]);
        // Two of four points, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg.matches("<line ").count(), 6);
        assert!(svg.contains("a &lt; b"));
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn a_line_is_broken_where_points_are_left_out() {
        let svg = figure(Style::Line, &[[0.0, 0.0], [0.5, 1.0], [1.0, 5.0], [1.5, 1.0], [2.0, 0.0]]);
        // Two pieces, and one in the legend.
        assert_eq!(svg.matches("<polyline").count(), 3);
    }
}
