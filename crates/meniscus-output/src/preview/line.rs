//! Thin lines with soft edges that pass behind the water.

use glam::{DVec2, Vec3};

use super::band::Canvas;
use super::stage::Edge;

/// Half the width of a line, in samples.
const HALF_WIDTH: f64 = 1.1;

/// How much of the line's colour is seen in front of and behind the water.
const IN_FRONT: f32 = 0.62;
const BEHIND: f32 = 0.10;

/// Draws the part of an edge that lies in the canvas.
pub(crate) fn draw(canvas: &mut Canvas, edge: &Edge, colour: Vec3) {
    let [from, to] = edge.ends;
    let top = DVec2::new(0.0, canvas.top as f64);
    let size = DVec2::new(canvas.width as f64, canvas.height as f64);
    let (from, to) = (from - top, to - top);
    let Some((first, last)) = clip(from, to, size) else { return };
    let along = to - from;
    // Steps run along the longer direction, one sample at a time.
    let flat = along.x.abs() >= along.y.abs();
    let pick = |point: DVec2| if flat { point.x } else { point.y };
    let length = pick(along);
    if length == 0.0 {
        return;
    }
    let slope = along.length() / length.abs();
    let (start, end) = (pick(from.lerp(to, first)), pick(from.lerp(to, last)));
    for major in start.min(end).floor() as i64..=start.max(end).ceil() as i64 {
        let t = (major as f64 + 0.5 - pick(from)) / length;
        if !(0.0..=1.0).contains(&t) {
            continue;
        }
        let centre = from.lerp(to, t);
        let across = if flat { centre.y } else { centre.x };
        // Depth is linear in 1/z along a projected line.
        let depth = 1.0 / (1.0 / edge.depths[0] * (1.0 - t) + 1.0 / edge.depths[1] * t);
        let reach = (HALF_WIDTH + 0.5) * slope;
        for minor in (across - reach).floor() as i64..=(across + reach).ceil() as i64 {
            let distance = (minor as f64 + 0.5 - across).abs() / slope;
            let cover = (HALF_WIDTH + 0.5 - distance).clamp(0.0, 1.0) as f32;
            let (x, y) = if flat { (major, minor) } else { (minor, major) };
            blend(canvas, [x, y], depth as f32, colour, cover);
        }
    }
}

fn blend(canvas: &mut Canvas, [x, y]: [i64; 2], depth: f32, colour: Vec3, cover: f32) {
    let inside = (0..canvas.width as i64).contains(&x) && (0..canvas.height as i64).contains(&y);
    if !inside || cover <= 0.0 {
        return;
    }
    let sample = y as usize * canvas.width + x as usize;
    let strength = if depth <= canvas.depth[sample] { IN_FRONT } else { BEHIND };
    canvas.colour[sample] = canvas.colour[sample].lerp(colour, strength * cover);
}

/// The parameters between which a segment lies in the canvas, a few samples around it included.
fn clip(from: DVec2, to: DVec2, size: DVec2) -> Option<(f64, f64)> {
    const AROUND: f64 = 3.0;
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let (start, along) = (from[axis], to[axis] - from[axis]);
        let (low, high) = (-AROUND - start, size[axis] + AROUND - start);
        if along == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        first = first.max((low / along).min(high / along));
        last = last.min((low / along).max(high / along));
    }
    (first <= last).then_some((first, last))
}
