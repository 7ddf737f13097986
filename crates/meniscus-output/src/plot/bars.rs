//! Bars side by side, each made of parts.

use super::axis::Axis;
use super::curves::grid_colour;
use super::svg::{Anchor, Area, Svg, text_width};

/// Room for labels above, right and below `[px]`.
const MARGIN: [f64; 3] = [66.0, 64.0, 54.0];
/// Height of a bar with the gap to the next, and without `[px]`.
const ROW: f64 = 26.0;
const BAR: f64 = 18.0;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is of; it stands at the left.
    pub name: String,
    /// How long its parts are.
    pub parts: Vec<f64>,
    /// What stands behind it.
    pub remark: String,
}

/// Bars that lie above each other and grow to the right.
#[derive(Debug, Clone)]
pub struct Bars<'a> {
    /// What is shown.
    pub title: &'a str,
    /// What their lengths mean.
    pub axis: Axis,
    /// Names and colours of the parts.
    pub parts: Vec<(&'a str, &'a str)>,
    /// From above.
    pub bars: Vec<Bar>,
}

impl Bars<'_> {
    pub(super) fn height(&self) -> f64 {
        MARGIN[0] + ROW * self.bars.len().max(1) as f64 + MARGIN[2]
    }

    pub(super) fn draw(&self, svg: &mut Svg, area: Area) {
        let names = self.bars.iter().map(|bar| text_width(&bar.name)).fold(0.0, f64::max) + 20.0;
        // Names of any length leave half of the panel to the bars.
        let left = names.min(0.5 * area.width);
        let remarks = self.bars.iter().map(|bar| text_width(&bar.remark)).fold(MARGIN[1], f64::max);
        let right = (remarks + 8.0).min(0.25 * area.width);
        let inner = area.within([left, MARGIN[0], right, MARGIN[2]]);
        svg.text([area.left + 0.5 * area.width, area.top + 26.0], Anchor::Middle, self.title);
        self.draw_axis(svg, inner);
        self.draw_legend(svg, [inner.left, area.top + 50.0]);
        for (row, bar) in self.bars.iter().enumerate() {
            self.draw_bar(svg, inner, inner.top + ROW * (row as f64 + 0.5), bar);
        }
    }

    fn draw_axis(&self, svg: &mut Svg, inner: Area) {
        for (index, (value, text)) in self.axis.ticks().iter().enumerate() {
            let Some(place) = self.axis.place(*value) else { continue };
            let x = inner.left + place * inner.width;
            svg.line([x, inner.bottom()], [x, inner.top], grid_colour(index));
            svg.text([x, inner.bottom() + 19.0], Anchor::Middle, text);
        }
        svg.text([inner.left + 0.5 * inner.width, inner.bottom() + 42.0], Anchor::Middle, &self.axis.label);
    }

    fn draw_bar(&self, svg: &mut Svg, inner: Area, middle: f64, bar: &Bar) {
        let mut end = 0.0;
        for (&part, &(_, colour)) in bar.parts.iter().zip(&self.parts) {
            let Some([from, to]) = self.span(end, end + part) else { break };
            let (left, width) = (inner.left + from * inner.width, (to - from) * inner.width);
            svg.rectangle(Area { left, top: middle - 0.5 * BAR, width, height: BAR }, colour);
            end += part;
        }
        let end = self.axis.place(end).unwrap_or(0.0);
        svg.text([inner.left - 8.0, middle + 5.0], Anchor::End, &bar.name);
        svg.text([inner.left + end * inner.width + 6.0, middle + 5.0], Anchor::Start, &bar.remark);
    }

    /// Where a part begins and ends, if it is on the axis and not shorter than nothing.
    fn span(&self, from: f64, to: f64) -> Option<[f64; 2]> {
        (to >= from).then_some([self.axis.place(from)?, self.axis.place(to)?])
    }

    fn draw_legend(&self, svg: &mut Svg, [mut x, y]: [f64; 2]) {
        // A single part without a name needs no key.
        for (name, colour) in self.parts.iter().filter(|(name, _)| !name.is_empty()) {
            svg.rectangle(Area { left: x, top: y - 11.0, width: 12.0, height: 12.0 }, colour);
            svg.text([x + 17.0, y], Anchor::Start, name);
            x += 17.0 + text_width(name) + 14.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Figure, Panel};
    use super::*;

    #[test]
    fn every_part_of_a_measured_bar_is_drawn() {
        let bar = |name: &str, parts: &[f64]| Bar {
            name: name.to_owned(),
            parts: parts.to_vec(),
            remark: format!("{}", parts.iter().sum::<f64>()),
        };
        let bars = Bars {
            title: "t",
            axis: Axis::from_zero_to("ms", 4.0, 1.0),
            parts: vec![("a", "red"), ("b", "blue")],
            bars: vec![bar("one", &[1.0, 2.0]), bar("two", &[f64::NAN, 1.0]), bar("none", &[])],
        };
        let svg = Figure { title: "", rows: vec![vec![Panel::Bars(bars)]], legend: Vec::new() }.svg();
        // The page, two keys of the legend, two parts.
        assert_eq!(svg.matches("<rect ").count(), 5);
        assert!(["one", "two", "none"].iter().all(|name| svg.contains(&format!(">{name}</text>"))));
        let widths: Vec<f64> = svg
            .split("width=\"")
            .filter_map(|text| text.split('"').next()?.parse().ok())
            .filter(|&width: &f64| width > 20.0)
            .collect();
        assert!((widths[2] / widths[1] - 2.0).abs() < 1e-3, "{widths:?}");
    }
}
