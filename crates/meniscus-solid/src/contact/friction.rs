//! The impulse of one point: static or kinetic friction.
//!
//! | symbol | in code | meaning |
//! | --- | --- | --- |
//! | n | `normal` | from the second body to the first |
//! | K_T | `k` | impulse to change of relative velocity |
//! | u_rel | `free` | relative velocity without any impulse at this point |
//! | −ε u_rel,n | `wanted` | the normal velocity that is asked for |
//! | μ | `friction` | coefficient of friction |
//!
//! **Departures**: the impulse is the whole one that the point receives in the phase, not an addition to earlier ones: `free`
//! is the velocity without it. So an impulse of an earlier sweep can be taken back, and sweeps converge to the
//! solution of all points together. For a single point it is the formula of the thesis.

use glam::{DMat3, DVec3};

use super::Point;

/// The impulse on the first body `[N s]` after which the bodies part with the normal velocity `wanted` `[m/s]`, or zero if
/// they part as fast without one.
#[inline]
pub(crate) fn impulse(point: &Point, free: DVec3, wanted: f64, friction: f64) -> DVec3 {
    let n = point.normal;
    let approach = free.dot(n) - wanted;
    if approach >= 0.0 {
        return DVec3::ZERO;
    }
    // [Guendelman2006] Sec. 2.7: stuck, u'_rel = wanted n
    let stuck = point.k_inverse * (wanted * n - free);
    let along = stuck.dot(n);
    let across = stuck - along * n;
    if along >= 0.0 && across.length_squared() <= (friction * along).powi(2) {
        return stuck;
    }
    sliding(&point.k, n, free, approach, friction, stuck)
}

/// Kinetic friction against the direction of sliding.
fn sliding(k: &DMat3, n: DVec3, free: DVec3, approach: f64, friction: f64, stuck: DVec3) -> DVec3 {
    let tangential = free - free.dot(n) * n;
    let stuck_across = stuck - stuck.dot(n) * n;
    // Friction never points along the sliding; if nothing slides yet, it acts as sticking would.
    let against =
        (-tangential).try_normalize().or_else(|| stuck_across.try_normalize()).unwrap_or(DVec3::ZERO);
    let direction = n + friction * against;
    let kn = *k * n;
    let (with, without) = (kn.dot(direction), kn.dot(n));
    if with > 0.1 * without {
        // [Guendelman2006] Sec. 2.7: j_n = −(ε + 1) u_rel,n / nᵀ K_T (n − μ t)
        -approach / with * direction
    } else {
        // Friction that would jam: it pulls the bodies together faster than the normal parts them.
        -approach / without * n
    }
}
