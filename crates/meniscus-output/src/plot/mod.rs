//! Plots as SVG: curves, stacked bars, and pages of several of them.
//!
//! A [`Figure`] puts [`Panel`]s into a grid. [`Curves`] have two [`Axis`] and series of points, [`Bars`] one axis and a
//! name for each bar. Numbers that are not finite are left out, so that whatever was measured can be drawn.

mod axis;
mod bars;
mod curves;
mod svg;

pub use axis::{Axis, Scale};
pub use bars::{Bar, Bars};
pub use curves::{Curves, Key, Series, Style};

use svg::{Area, Svg, text_width};

/// Colours that are told apart, as in CSS.
pub const COLOURS: [&str; 8] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2"];

/// Width of a panel `[px]`.
const PANEL_WIDTH: f64 = 760.0;
/// Height of a line of the legend `[px]`.
const LEGEND_LINE: f64 = 21.0;
/// Length of a line in a legend and its distance to the name `[px]`.
const LEGEND_SAMPLE: [f64; 2] = [34.0, 10.0];

/// One plot of a page.
#[derive(Debug, Clone)]
pub enum Panel<'a> {
    /// Points over an axis.
    Curves(Curves<'a>),
    /// Lengths side by side.
    Bars(Bars<'a>),
}

impl Panel<'_> {
    fn height(&self) -> f64 {
        match self {
            Self::Curves(_) => curves::HEIGHT,
            Self::Bars(bars) => bars.height(),
        }
    }

    fn draw(&self, svg: &mut Svg, area: Area) {
        match self {
            Self::Curves(curves) => curves.draw(svg, area),
            Self::Bars(bars) => bars.draw(svg, area),
        }
    }
}

/// Panels on one page.
#[derive(Debug, Clone)]
pub struct Figure<'a> {
    /// What the page shows; nothing is written above the panels if it is empty.
    pub title: &'a str,
    /// Panels side by side, row by row.
    pub rows: Vec<Vec<Panel<'a>>>,
    /// What lines mean in all panels; it stands below them.
    pub legend: Vec<Key<'a>>,
}

impl Figure<'_> {
    /// The page as the text of an SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = PANEL_WIDTH * columns.max(1) as f64;
        let head = if self.title.is_empty() { 0.0 } else { 34.0 };
        let heights: Vec<f64> =
            self.rows.iter().map(|row| row.iter().map(Panel::height).fold(0.0, f64::max)).collect();
        let legend_top = head + heights.iter().sum::<f64>();
        let mut svg = Svg::new(width, legend_top + self.legend_height(width));
        svg.title([0.5 * width, 26.0], self.title);
        let mut top = head;
        for (row, &height) in self.rows.iter().zip(&heights) {
            for (column, panel) in row.iter().enumerate() {
                let left = PANEL_WIDTH * column as f64;
                panel.draw(&mut svg, Area { left, top, width: PANEL_WIDTH, height: panel.height() });
            }
            top += height;
        }
        self.draw_legend(&mut svg, width, legend_top);
        svg.finish()
    }

    /// Names side by side and room for the widest of them `[1]`, `[px]`.
    fn legend_columns(&self, width: f64) -> (usize, f64) {
        let widest = self.legend.iter().map(|key| text_width(&key.name)).fold(0.0, f64::max);
        let each = widest + LEGEND_SAMPLE[0] + LEGEND_SAMPLE[1] + 24.0;
        let count = self.legend.len().max(1);
        let fitting = ((width / each) as usize).clamp(1, count);
        // As many rows as must be, all of about the same length.
        (count.div_ceil(count.div_ceil(fitting)), each)
    }

    fn legend_height(&self, width: f64) -> f64 {
        match self.legend.len() {
            0 => 0.0,
            count => 16.0 + LEGEND_LINE * count.div_ceil(self.legend_columns(width).0) as f64,
        }
    }

    fn draw_legend(&self, svg: &mut Svg, width: f64, top: f64) {
        let (columns, each) = self.legend_columns(width);
        let left = 0.5 * (width - columns as f64 * each) + 12.0;
        for (index, key) in self.legend.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            key.draw(svg, [left + each * column as f64, top + 12.0 + LEGEND_LINE * row as f64]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: usize) -> Vec<Key<'static>> {
        let key = |i: usize| Key { name: format!("line {i}"), style: Style::Dashes, colour: "red" };
        (0..count).map(key).collect()
    }

    #[test]
    fn a_page_has_room_for_its_whole_legend() {
        for count in [0, 1, 7, 40] {
            let figure = Figure { title: "", rows: Vec::new(), legend: keys(count) };
            let svg = figure.svg();
            assert_eq!(svg.matches("<polyline").count(), count);
            let height = svg.split("viewBox=\"0 0 760 ").nth(1).unwrap();
            let height: f64 = height.split('"').next().unwrap().parse().unwrap();
            let lowest = svg.split("<text ").skip(1).map(|text| {
                text.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap()
            });
            assert!(lowest.fold(0.0, f64::max) <= height);
        }
    }
}
