//! Collisions: bodies that approach and would overlap bounce.
//!
//! \[Guendelman2006\] Sec. 2.6. Velocities are those before gravity acts in this step, whether a pair interferes is judged
//! with those after, as for contacts. Pairs are processed one after another in a shuffled order, a few times over.
//!
//! **Departures**: all points of a pair are solved together, each with the normal velocity that restitution gives it, so that a
//! box that lands flat does not start to rock. Points that were in contact in the last step and approach no faster than
//! gravity alone makes them do not bounce: they are closing a gap that the contacts left open. Pairs without restitution are left to the contacts, which also close gaps.

use glam::DVec3;

use super::{ContactPair, friction};
use crate::rigid::body::InverseMass;
use crate::rigid::detect::narrow::MAX_POINTS;
use meniscus_core::Twist;

/// Passes over the points of one pair `[1]`.
const PASSES: u32 = 50;

/// The normal velocity `[m/s]` that each point of a pair is asked for, if it takes part.
type Wanted = [Option<f64>; MAX_POINTS];

/// Lets one pair bounce. `kick` is what forces will add to the velocities of this step. Points that carried a load in the
/// last step bounce only if they approach faster than `slow` `[m/s]`. Whether anything happened.
pub(crate) fn bounce(
    pair: &mut ContactPair,
    twist: &mut [Twist],
    kick: &[Twist],
    mobility: &[InverseMass],
    dt: f64,
    slow: f64,
) -> bool {
    let [a, b] = pair.body.map(|i| i as usize);
    if pair.restitution <= 0.0 {
        return false;
    }
    let (mut first, mut second) = (twist[a], twist[b]);
    let mut wanted: Wanted = [None; MAX_POINTS];
    for (point, wanted) in pair.point.iter().zip(&mut wanted) {
        let now = point.relative([&first, &second]).dot(point.normal);
        let later = now + point.relative([&kick[a], &kick[b]]).dot(point.normal);
        // Points that carried a load in the last step have collided already; what approaches there closes a gap.
        let settled = point.impulse != DVec3::ZERO && now > -slow;
        let interferes = point.gap + dt * later < 0.0 && now < 0.0 && !settled;
        *wanted = interferes.then_some(-pair.restitution * now);
    }
    if wanted.iter().all(Option::is_none) {
        return false;
    }
    settle(pair, &wanted, [&mut first, &mut second], [&mobility[a], &mobility[b]]);
    (twist[a], twist[b]) = (first, second);
    true
}

/// Gauss–Seidel over the points of one pair until nothing changes.
fn settle(pair: &mut ContactPair, wanted: &Wanted, twist: [&mut Twist; 2], mobility: [&InverseMass; 2]) {
    let [first, second] = twist;
    let mut impulse = [DVec3::ZERO; MAX_POINTS];
    for _ in 0..PASSES {
        let mut change = 0.0_f64;
        for ((point, wanted), impulse) in pair.point.iter().zip(wanted).zip(&mut impulse) {
            let Some(wanted) = *wanted else { continue };
            let velocity = point.relative([first, second]);
            let j = friction::impulse(point, velocity, *impulse, wanted, pair.friction);
            let delta = j - *impulse;
            *impulse = j;
            mobility[0].push(first, point.arm[0], delta);
            mobility[1].push(second, point.arm[1], -delta);
            change = change.max(delta.length_squared() / j.length_squared().max(f64::MIN_POSITIVE));
        }
        if change < 1e-20 {
            break;
        }
    }
}
