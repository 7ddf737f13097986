//! The impulse of one point: static or kinetic friction.
//!
//! | symbol | in code | meaning |
//! | --- | --- | --- |
//! | n | `normal` | from the second body to the first |
//! | K_T | `k` | impulse to change of relative velocity |
//! | u_rel | `velocity` | relative velocity at the point |
//! | −ε u_rel,n | `wanted` | the normal velocity that is asked for |
//! | μ | `friction` | coefficient of friction |
//!
//! **Departures**: the impulse is the whole one that the point receives in the phase, not an addition to earlier ones. So an
//! impulse of an earlier sweep can be taken back, and sweeps converge to the solution of all points together. The first impulse of a
//! point that slides is that of the thesis, against the velocity before it; later ones turn it against the velocity
//! that is left, so that friction does not do work where several points share a body.

use glam::DVec3;

use super::ContactPoint;

/// The impulse on the first body `[N s]` after which the bodies part with the normal velocity `wanted` `[m/s]`, or zero if
/// they part as fast without one. `velocity` is the relative one `[m/s]` that includes the impulse `current`.
#[inline]
pub(crate) fn impulse(
    point: &ContactPoint,
    velocity: DVec3,
    current: DVec3,
    wanted: f64,
    friction: f64,
) -> DVec3 {
    let n = point.normal;
    let free = velocity - point.k * current;
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
    let current_across = current - current.dot(n) * n;
    if current_across == DVec3::ZERO {
        sliding(point, free, approach, friction)
    } else {
        turning(point, free, current_across, wanted, friction)
    }
}

/// Kinetic friction against the direction of sliding.
fn sliding(point: &ContactPoint, free: DVec3, approach: f64, friction: f64) -> DVec3 {
    let n = point.normal;
    let t = (free - free.dot(n) * n).normalize_or_zero();
    let direction = n - friction * t;
    let kn = point.k * n;
    let (with, without) = (kn.dot(direction), kn.dot(n));
    if with > 0.1 * without {
        // [Guendelman2006] Sec. 2.7: j_n = −(ε + 1) u_rel,n / nᵀ K_T (n − μ t)
        -approach / with * direction
    } else {
        // Friction that would jam: it pulls the bodies together faster than the normal parts them.
        -approach / without * n
    }
}

/// Kinetic friction that is already acting, turned a little further against the velocity that is left.
fn turning(point: &ContactPoint, free: DVec3, across: DVec3, wanted: f64, friction: f64) -> DVec3 {
    let n = point.normal;
    let kn = point.k * n;
    let along = ((wanted - free.dot(n) - kn.dot(across)) / kn.dot(n)).max(0.0);
    let left = free + point.k * across + along * kn;
    let left_across = left - left.dot(n) * n;
    along * n + (across - point.slip * left_across).clamp_length_max(friction * along)
}
