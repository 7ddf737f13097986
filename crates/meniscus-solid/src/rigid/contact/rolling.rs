//! Rolling and spinning friction.
//!
//! \[Guendelman2006\] Sec. 2.9: a contact resists relative rotation about its tangents (rolling) and its normal (spinning),
//! as far as the normal impulse allows, and never reverses it.
//!
//! **Departures**: the thesis subtracts μ j_n from the angular velocity, which makes the coefficient depend on the
//! inertia. Here the coefficient is a length, and μ j_n bounds the angular impulse, as sliding friction bounds the impulse.

use glam::DVec3;

use super::{ContactPair, ContactPoint};
use crate::rigid::body::InverseMass;
use meniscus_core::Twist;

/// Resists the relative rotation at one point; by how much it changed the relative angular velocity `[rad/s]`.
pub(crate) fn resist(
    point: &mut ContactPoint,
    coefficient: [f64; 2],
    twist: [&mut Twist; 2],
    mobility: [&InverseMass; 2],
) -> f64 {
    let [rolling, spinning] = coefficient;
    let [first, second] = twist;
    let k = mobility[0].inertia + mobility[1].inertia;
    let relative = first.angular - second.angular;
    let n = point.normal;
    let normal_impulse = point.impulse.dot(n).max(0.0);
    // Half of the exact answer along each direction: rolling and spinning are coupled through k.
    let spin = n.dot(k * n);
    let wanted_spin = if spin > 0.0 { -relative.dot(n) / spin } else { 0.0 };
    let tangential = relative - relative.dot(n) * n;
    let roll = tangential.try_normalize().map_or(0.0, |t| t.dot(k * t));
    let wanted_roll = if roll > 0.0 { -tangential / roll } else { DVec3::ZERO };
    let limit = spinning * normal_impulse;
    let total_spin = (point.twist.dot(n) + wanted_spin).clamp(-limit, limit);
    let before = point.twist - point.twist.dot(n) * n;
    let total_roll = (before + wanted_roll).clamp_length_max(rolling * normal_impulse);
    let delta = total_spin * n + total_roll - point.twist;
    point.twist += delta;
    first.angular += mobility[0].inertia * delta;
    second.angular -= mobility[1].inertia * delta;
    (k * delta).length()
}

/// Whether a pair has such friction.
pub(crate) fn matters(pair: &ContactPair) -> bool {
    pair.rolling > 0.0 || pair.spinning > 0.0
}
