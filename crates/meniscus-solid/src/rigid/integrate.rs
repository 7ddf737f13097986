//! Torque-free rotation that keeps angular momentum and energy.
//!
//! Euler's equations in the frame of the body are stepped with the implicit midpoint rule, which keeps every quadratic
//! invariant: the length of the angular momentum Π and the energy ½ Π·I⁻¹Π. The step of Π is a Cayley rotation, and
//! turning the body by the same rotation the other way keeps the angular momentum in space, direction and all.
//!
//! | symbol | in code | meaning |
//! | --- | --- | --- |
//! | q | `rotation` | orientation |
//! | ω | `angular_velocity` | angular velocity in space |
//! | Π | `momentum` | angular momentum in the frame of the body |
//!
//! **Departures**: \[Guendelman2006\] turns by forward Euler (Sec. 2.5, footnote 1), which gains energy.

use glam::{DMat3, DQuat, DVec3};

/// Turning in one substep of the rotation `[rad]`: Newton's iteration converges from anywhere below it.
const MAX_SUBSTEP_TURN: f64 = 0.5;

/// Turns a body without torque for `dt` `[s]`: its new rotation and angular velocity `[rad/s]`.
pub(crate) fn rotate_torque_free(
    rotation: DQuat,
    angular_velocity: DVec3,
    inertia: DMat3,
    inverse_inertia: DMat3,
    dt: f64,
) -> (DQuat, DVec3) {
    let speed = angular_velocity.length();
    if speed == 0.0 {
        return (rotation, angular_velocity);
    }
    let substeps = (speed * dt / MAX_SUBSTEP_TURN).ceil().clamp(1.0, 1e4);
    let h = dt / substeps;
    let mut rotation = rotation;
    let mut omega = rotation.conjugate() * angular_velocity;
    // The angular momentum in space, which stays.
    let angular_momentum = rotation * (inertia * omega);
    for _ in 0..substeps as u32 {
        let middle = middle_velocity(omega, inertia, inverse_inertia, h);
        rotation = (rotation * stretched_cayley(middle, h)).normalize();
        omega = inverse_inertia * (rotation.conjugate() * angular_momentum);
    }
    (rotation, rotation * omega)
}

/// The rotation by a Cayley vector: it changes a vector r by θ × (r + r')/2.
pub(crate) fn cayley(theta: DVec3) -> DQuat {
    let half = 0.5 * theta;
    DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize()
}

/// The matrix that takes a change of a Cayley vector to the turn at its end.
pub(crate) fn cayley_turning(theta: DVec3) -> DMat3 {
    (DMat3::IDENTITY + 0.5 * cross_matrix(theta)) * (1.0 + 0.25 * theta.length_squared()).recip()
}

/// The turn that has exactly the angle |ω| h: tan(angle/2) is what Cayley's formula wants.
fn stretched_cayley(omega: DVec3, h: f64) -> DQuat {
    let half = 0.5 * h * stretch(omega, h) * omega;
    DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize()
}

/// tan(x)/x of the half angle: makes steady spin exact without touching what the midpoint rule keeps.
fn stretch(omega: DVec3, h: f64) -> f64 {
    let half = 0.5 * h * omega.length();
    if half < 1e-6 { 1.0 } else { half.tan() / half }
}

/// Solves Π' − Π = h Π_m × ω_m for the midpoint ω_m in the frame of the body, by Newton's method.
fn middle_velocity(omega: DVec3, inertia: DMat3, inverse: DMat3, h: f64) -> DVec3 {
    let momentum = inertia * omega;
    let mut middle = omega;
    for _ in 0..8 {
        let half = 0.5 * h * stretch(middle, h);
        let current = inertia * middle;
        let residual = current - momentum - half * current.cross(middle);
        // d/dω (I ω × ω) = [I ω]× − [ω]× I, with the stretch held fixed.
        let jacobian = inertia - half * (cross_matrix(current) - cross_matrix(middle) * inertia);
        let change = jacobian.inverse() * residual;
        if !change.is_finite() {
            break;
        }
        middle -= change;
        if change.length_squared() <= 1e-30 * middle.length_squared() {
            break;
        }
    }
    if middle.is_finite() { middle } else { inverse * momentum }
}

/// The matrix that takes a vector to `r` × vector.
pub(crate) fn cross_matrix(r: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, r.z, -r.y), DVec3::new(-r.z, 0.0, r.x), DVec3::new(r.y, -r.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(rotation: DQuat, omega: DVec3, inertia: DMat3) -> f64 {
        let local = rotation.conjugate() * omega;
        0.5 * local.dot(inertia * local)
    }

    #[test]
    fn a_tumbling_body_keeps_momentum_and_energy() {
        // Spinning about the middle axis, which is unstable: the body flips over and over.
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
        for dt in [0.001, 0.02, 0.3] {
            let (mut q, mut w) = (DQuat::from_rotation_x(0.3), DVec3::new(0.01, 5.0, 0.02));
            let momentum = q * (inertia * (q.conjugate() * w));
            let start = energy(q, w, inertia);
            let mut flipped = false;
            for _ in 0..2000 {
                (q, w) = rotate_torque_free(q, w, inertia, inertia.inverse(), dt);
                flipped |= (q.conjugate() * w).y < -4.0;
                assert!((energy(q, w, inertia) / start - 1.0).abs() < 1e-11);
            }
            let now = q * (inertia * (q.conjugate() * w));
            assert!((now - momentum).length() < 1e-11 * momentum.length() * 10.0);
            assert!(flipped);
        }
    }

    #[test]
    fn steady_spin_turns_by_the_exact_angle() {
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
        let (mut q, mut w) = (DQuat::IDENTITY, DVec3::Z * 20.0);
        for _ in 0..100 {
            (q, w) = rotate_torque_free(q, w, inertia, inertia.inverse(), 0.1);
        }
        assert!(q.dot(DQuat::from_rotation_z(200.0)).abs() > 1.0 - 1e-12);
    }

    #[test]
    fn precession_converges_to_second_order() {
        // A symmetric top precesses in its own frame at (I3 − I1) / I1 ω3.
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 1.8));
        let error = |steps: u32| {
            let (mut q, mut w) = (DQuat::IDENTITY, DVec3::new(0.5, 0.0, 4.0));
            for _ in 0..steps {
                (q, w) = rotate_torque_free(q, w, inertia, inertia.inverse(), 1.0 / f64::from(steps));
            }
            let exact = DVec3::new(0.5 * (0.8_f64 * 4.0).cos(), 0.5 * (0.8_f64 * 4.0).sin(), 4.0);
            (q.conjugate() * w - exact).length()
        };
        let ratio = error(20) / error(40);
        assert!((3.7..4.3).contains(&ratio), "{ratio}");
    }
}
