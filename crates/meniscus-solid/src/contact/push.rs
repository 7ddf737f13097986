//! Pushing overlapping bodies apart.
//!
//! \[Guendelman2006\] Sec. 2.10: impulses of first order change positions and leave velocities alone. They go through the
//! levels as shock propagation does, and in each level correct a growing share of the overlap.
//!
//! **Departures**: the overlap is that at the end of the step as velocities foresee it; there is no new search. Points that
//! do not overlap take part too, so that pushing one pair apart does not push the next together. The centre of mass of
//! bodies that touch nothing immovable stays, but as in the thesis their angular momentum about a fixed point may change.

use super::sweep::{Effort, Island, held};
use super::{Pair, Twist};
use crate::body::Mobility;

/// The share of an overlap that is corrected in one step `[1]`.
const SHARE: f64 = 0.4;

/// Fills `island.push`.
pub(crate) fn apart(island: &mut Island, effort: &Effort) {
    let Island { twist, mobility, level, pair, push, .. } = island;
    push.clear();
    push.resize(twist.len(), Twist::default());
    let mut deepest = 0.0_f64;
    for pair in &mut *pair {
        let [a, b] = pair.body.map(|i| i as usize);
        for point in &mut pair.point {
            // From here on the gap is that at the end of the step.
            point.gap += effort.dt * point.relative([&twist[a], &twist[b]]).dot(point.normal);
            deepest = deepest.max(-point.gap);
            point.push = 0.0;
        }
    }
    if deepest <= 1e-12 {
        return;
    }
    for group in pair.chunk_by_mut(|a, b| a.level == b.level) {
        for pass in 1..=effort.push_passes {
            let share = SHARE * f64::from(pass) / f64::from(effort.push_passes);
            for pair in &mut *group {
                let held = held(pair, level, mobility);
                separate(pair, push, &held, share);
            }
        }
    }
}

/// Moves one pair apart by `share` of its overlaps `[1]`.
fn separate(pair: &mut Pair, push: &mut [Twist], mobility: &[Mobility; 2], share: f64) {
    let [a, b] = pair.body.map(|i| i as usize);
    let (mut first, mut second) = (push[a], push[b]);
    for point in &mut pair.point {
        let n = point.normal;
        let wanted = if point.gap < 0.0 { -share * point.gap } else { -point.gap };
        let k = n.dot(point.k * n);
        let moved = point.relative([&first, &second]).dot(n);
        let total = (point.push + (wanted - moved) / k).max(0.0);
        let delta = (total - point.push) * n;
        point.push = total;
        first.push(&mobility[0], point.arm[0], delta);
        second.push(&mobility[1], point.arm[1], -delta);
    }
    (push[a], push[b]) = (first, second);
}
