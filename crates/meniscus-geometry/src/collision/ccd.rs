//! When two parts of a pair that move in straight lines come as close as a given separation: never missed by rounding.

use glam::DVec3;

use super::pair::{PairDistance, PairKind};

/// Most advances for one pair; after that it counts as a hit `[1]`. Few take ten; near misses of parts that turn while
/// they pass each other by little more than the separation take hundreds.
const ADVANCES: usize = 1024;
/// A hit is told when what is left above the separation is below this part of it `[1]`.
const TOLERANCE: f64 = 0.01;
/// What rounding can make of a gap, in parts of the largest length between vertices `[1]`: some thirty roundings.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// When the two parts come closer than `separation` `[m]`, as a part of the way from `start` to `end` `[1]`; `None` if
/// they never do.
///
/// Until the time that is told, or the end, the parts are farther apart than `separation`: that is certain, whatever
/// the shapes and whatever rounding does. That they come so close at that time is nearly so: they do within a hundredth
/// of the separation and a few roundings of their size, but for a few of those that pass each other within some percent
/// of the separation. Parts that start that close meet at once.
#[must_use]
pub fn first_approach(kind: PairKind, start: [DVec3; 4], end: [DVec3; 4], separation: f64) -> Option<f64> {
    first_approach_from(&PairDistance::of(kind, start), kind, start, end, separation)
}

/// The same for those who have the distance at the start.
#[must_use]
pub fn first_approach_from(
    at_start: &PairDistance,
    kind: PairKind,
    start: [DVec3; 4],
    end: [DVec3; 4],
    separation: f64,
) -> Option<f64> {
    if !(start.iter().chain(&end).all(|x| x.is_finite()) && separation.is_finite()) {
        return Some(0.0);
    }
    let across = kind.across();
    let size = across
        .iter()
        .map(|&[i, j]| (start[i] - start[j]).abs().max_element().max((end[i] - end[j]).abs().max_element()))
        .fold(0.0, f64::max);
    if size > 0.0 && !(1e-60..1e60).contains(&size) {
        return scaled(kind, start, end, separation, size);
    }
    let rounding = ROUNDING * size;
    let kept = separation + rounding;
    let near = kept + TOLERANCE * separation + rounding;
    let (mut time, mut x, mut pair) = (0.0, start, *at_start);
    for _ in 0..ADVANCES {
        let mut advance = clear_until(across, &start, &end, pair.normal, time, kept);
        if advance.gap <= near && pair.distance > near {
            // Closest points of slivers and of parallel edges can be off; a normal of both parts may still divide them.
            let other = common_normal(kind, &x);
            let second = clear_until(across, &start, &end, other, time, kept);
            if second.gap > advance.gap {
                advance = second;
            }
        }
        if advance.gap <= near {
            return Some(time);
        }
        if advance.until >= 1.0 {
            return None;
        }
        if advance.until <= time {
            return Some(time);
        }
        time = advance.until;
        x = std::array::from_fn(|i| start[i] + time * (end[i] - start[i]));
        pair = PairDistance::of(kind, x);
    }
    Some(time)
}

/// The same in units in which squares of lengths are numbers. Powers of two scale without rounding.
fn scaled(kind: PairKind, start: [DVec3; 4], end: [DVec3; 4], separation: f64, size: f64) -> Option<f64> {
    let exponent = size.log2().round().clamp(-1020.0, 1020.0) as i32;
    let factor = 2f64.powi(-exponent);
    // First to the origin: differences may still be numbers where the products of coordinates are not.
    let origin = start[0];
    let to_unit = |x: [DVec3; 4]| x.map(|p| (p - origin) * factor);
    let separation = separation * factor;
    let (start, end) = (to_unit(start), to_unit(end));
    if start.iter().chain(&end).all(|p| p.is_finite() && p.abs().max_element() < 1e60)
        && separation.is_finite()
    {
        first_approach(kind, start, end, separation)
    } else {
        Some(0.0)
    }
}

/// How long a direction keeps the two parts divided.
struct Advance {
    /// The gap along the direction now `[m]`: the parts are at least that far apart.
    gap: f64,
    /// Until when the gap is as wide as was asked for `[1]`.
    until: f64,
}

/// Along a fixed direction every vertex of one part keeps ahead of every one of the other until a linear equation says
/// no longer: so long the parts are apart. Nothing here depends on how well the direction was chosen.
fn clear_until(
    across: &[[usize; 2]],
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    normal: DVec3,
    time: f64,
    kept: f64,
) -> Advance {
    let mut advance = Advance { gap: f64::INFINITY, until: f64::INFINITY };
    for &[i, j] in across {
        let before = normal.dot(start[i] - start[j]);
        let after = normal.dot(end[i] - end[j]);
        advance.gap = advance.gap.min(before + time * (after - before));
        if after < kept {
            advance.until = advance.until.min((before - kept) / (before - after));
        }
    }
    advance
}

/// A direction at right angles to both parts, towards the first.
fn common_normal(kind: PairKind, x: &[DVec3; 4]) -> DVec3 {
    let (across, apart) = match kind {
        PairKind::PointTriangle => ((x[2] - x[1]).cross(x[3] - x[1]), x[0] - x[1]),
        PairKind::EdgeEdge => ((x[1] - x[0]).cross(x[3] - x[2]), x[0] - x[2]),
    };
    let normal = across.normalize_or_zero();
    if normal.dot(apart) < 0.0 { -normal } else { normal }
}
