//! Caption and colour bar, drawn over the finished picture.

use glam::Vec3;

use super::colour::{SpeedColours, srgb, to_bytes};
use super::font;
use super::stage::Stage;
use super::{Picture, PreviewView};

const INK: u32 = 0x2B_3743;
const BAR_WIDTH: usize = 180;
const BAR_HEIGHT: usize = 8;

/// Draws the caption at the upper left and the scale of the colours at the lower right.
pub(crate) fn draw(picture: &mut Picture, stage: &Stage, view: &PreviewView) {
    // Letters grow with the picture, in whole pixels so that they stay sharp.
    let unit = (picture.height as usize / 360).max(1);
    let margin = 12 * unit;
    text(picture, margin, margin, unit, &view.caption);
    if stage.balls.is_empty() && view.scale.is_none() && !view.surfaces.is_empty() {
        // No colour stands for anything.
        return;
    }
    let (width, height) = (BAR_WIDTH * unit / 2, BAR_HEIGHT * unit / 2);
    let left = (picture.width as usize).saturating_sub(margin + width);
    let top = (picture.height as usize).saturating_sub(margin + height + 12 * unit);
    bar(picture, [left, top], [width, height]);
    let below = top + height + 3 * unit;
    let (first, label) = match &view.scale {
        Some(scale) => {
            let [low, high] = scale.range.map(brief);
            (low, format!("{high} {}", scale.label).trim_end().to_owned())
        }
        None => ("0".to_owned(), format!("{} m/s", brief(stage.top_speed))),
    };
    text(picture, left, below, unit, &first);
    let label_left = (left + width + unit).saturating_sub(label.chars().count() * font::ADVANCE * unit);
    text(picture, label_left, below, unit, &label);
}

/// A number with about three digits.
fn brief(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 0.1 => format!("{value:.2}"),
        value => format!("{value:.1e}"),
    }
}

fn bar(picture: &mut Picture, [left, top]: [usize; 2], [width, height]: [usize; 2]) {
    let colours = SpeedColours::new();
    for y in 0..height {
        for x in 0..width {
            let frame = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            let fraction = x as f32 / width as f32;
            put(picture, left + x, top + y, if frame { srgb(INK) } else { colours.at(fraction) });
        }
    }
}

fn text(picture: &mut Picture, left: usize, top: usize, unit: usize, line: &str) {
    for (place, letter) in line.chars().enumerate() {
        let start = left + place * font::ADVANCE * unit;
        if start >= picture.width as usize {
            return;
        }
        let rows = font::glyph(letter);
        for pixel in 0..font::WIDTH * font::HEIGHT * unit * unit {
            let (x, y) = (pixel % (font::WIDTH * unit), pixel / (font::WIDTH * unit));
            if rows[y / unit] >> (font::WIDTH - 1 - x / unit) & 1 == 1 {
                put(picture, start + x, top + y, srgb(INK));
            }
        }
    }
}

fn put(picture: &mut Picture, x: usize, y: usize, colour: Vec3) {
    if x < picture.width as usize && y < picture.height as usize {
        let start = (y * picture.width as usize + x) * 3;
        picture.rgb[start..start + 3].copy_from_slice(&to_bytes(colour));
    }
}
