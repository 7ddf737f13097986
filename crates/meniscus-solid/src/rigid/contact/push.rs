//! Pushing overlapping bodies apart.
//!
//! \[Guendelman2006\] Sec. 2.10: impulses of first order change positions and leave velocities alone. They go through the
//! levels as shock propagation does, and in each level correct a growing share of the overlap.
//!
//! **Departures**: the overlap is that at the end of the step as velocities predict it; there is no new search. Points that
//! do not overlap take part too, so that pushing one pair apart does not push the next together. No body is moved farther
//! than the overlaps up to its level add up to: through a row of leaning bodies a push would else grow from one to the next
//! as by levers, without a limit. The centre of mass of
//! bodies that touch nothing immovable stays, but as in the thesis their angular momentum about a fixed point may change.

use super::ContactPair;
use super::graph::UNSUPPORTED;
use super::sweep::{Island, SolverParams, held, is_frozen};
use crate::rigid::body::InverseMass;
use meniscus_core::Twist;

/// The share of an overlap that is corrected in one step `[1]`.
const SHARE: f64 = 0.4;

/// Fills `island.push`.
pub(crate) fn apart(island: &mut Island, solver: &SolverParams) {
    let Island { twist, mobility, level, pair, push, .. } = island;
    push.clear();
    push.resize(twist.len(), Twist::default());
    let mut deepest = 0.0_f64;
    for pair in &mut *pair {
        let [a, b] = pair.body.map(|i| i as usize);
        for point in &mut pair.point {
            // From here on the gap is that at the end of the step.
            point.gap += solver.dt * point.relative([&twist[a], &twist[b]]).dot(point.normal);
            deepest = deepest.max(-point.gap);
            point.push = 0.0;
        }
    }
    if deepest <= 1e-12 {
        return;
    }
    let (mut most, mut share_of) = (0.0, vec![1.0_f64; push.len()]);
    for group in pair.chunk_by_mut(|a, b| a.level == b.level) {
        most += SHARE * group.iter().flat_map(|p| &p.point).map(|p| -p.gap).fold(0.0, f64::max);
        for pass in 1..=solver.push_passes {
            let share = SHARE * f64::from(pass) / f64::from(solver.push_passes);
            for pair in &mut *group {
                let held = held(pair, level, mobility);
                separate(pair, push, &held, share);
            }
        }
        limit(group, level, push, most, &mut share_of);
    }
}

/// Shortens the displacements of the bodies of a level so that neither their centres nor their points of contact are moved by more
/// than `most` `[m]`. `share_of` is 1 for every body, before and after.
fn limit(group: &[ContactPair], level: &[u32], push: &mut [Twist], most: f64, share_of: &mut [f64]) {
    let free = |body: u32, pair: &ContactPair| !is_frozen(level[body as usize], pair.level);
    let moved =
        || group.iter().flat_map(|p| [0, 1].map(|side| (p, side))).filter(|(p, s)| free(p.body[*s], p));
    for (pair, side) in moved() {
        let body = pair.body[side] as usize;
        let ways = pair.point.iter().map(|p| push[body].at(p.arm[side]).length());
        let farthest = ways.fold(push[body].linear.length(), f64::max);
        if farthest > most {
            share_of[body] = share_of[body].min(most / farthest);
        }
    }
    // Where nothing is immovable, all are shortened alike, so that their centre of mass stays.
    if group.first().is_some_and(|pair| pair.level == UNSUPPORTED) {
        let least = moved().map(|(p, s)| share_of[p.body[s] as usize]).fold(1.0, f64::min);
        moved().for_each(|(p, s)| share_of[p.body[s] as usize] = least);
    }
    for (pair, side) in moved() {
        let body = pair.body[side] as usize;
        let share = std::mem::replace(&mut share_of[body], 1.0);
        push[body].linear *= share;
        push[body].angular *= share;
    }
}

/// Moves one pair apart by `share` of its overlaps `[1]`.
fn separate(pair: &mut ContactPair, push: &mut [Twist], mobility: &[InverseMass; 2], share: f64) {
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
        mobility[0].push(&mut first, point.arm[0], delta);
        mobility[1].push(&mut second, point.arm[1], -delta);
    }
    (push[a], push[b]) = (first, second);
}
