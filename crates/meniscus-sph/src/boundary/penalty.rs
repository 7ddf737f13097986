//! Repelling boundary particles (Monaghan 2005, Rep. Prog. Phys. 68, Sec. on boundaries), the peer of direct forcing.
//!
//! | here | paper |
//! | --- | --- |
//! | `height` | y, along the sample's normal |
//! | `aside` | x, along the surface |
//! | `stiffness` | 0.02 c_s² |
//!
//! As in the paper, the samples do not count in the fluid's density.
//!
//! Departures: the range of the force, the paper's 2h, is one spacing, so that water at rest ends about half a spacing from the
//! surface and not one and a half; the force stops growing at a twentieth of the range, and continues behind the
//! surface, because a step of finite length can carry a particle there; it is integrated implicitly.

use super::Touch;
use glam::DVec3;

/// How strongly a body repels fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyParams {
    /// Force per mass times distance, 0.02 c_s² in the paper `[m²/s²]`.
    pub stiffness: f64,
}

impl PenaltyParams {
    /// What a sample at `sample` `[m]` adds within `dt` `[s]` to the velocity of a fluid particle at `x` `[m]` that moves at
    /// `v` `[m/s]` relative to it `[m/s]`; `spacing` is both's distance at rest `[m]`.
    ///
    /// The force is taken where the particle will be at the end of the step, to first order: a stiff force in a long step
    /// would throw it back faster than it came.
    #[must_use]
    pub fn kick(&self, touch: Touch, x: DVec3, v: DVec3, sample: DVec3, spacing: f64, dt: f64) -> DVec3 {
        let away = x - sample;
        let Some((normal, offset)) = touch.facing(away, away) else { return DVec3::ZERO };
        let height = away.dot(normal) - offset;
        let aside = (away - away.dot(normal) * normal).length();
        let across = (1.0 - aside / spacing).max(0.0);
        if across <= 0.0 || height > spacing {
            return DVec3::ZERO;
        }
        let force = |height: f64| 0.5 * self.stiffness * profile(height, 0.5 * spacing);
        let step = 1e-3 * spacing;
        let slope = ((force(height + step) - force(height - step)) / (2.0 * step)).min(0.0);
        let implicit = (force(height) + slope * dt * v.dot(normal)) / (1.0 - slope * dt * dt);
        // At most the approach is undone and half the range is left within the step.
        let most = (-v.dot(normal)).max(0.0) + 0.5 * (spacing - height) / dt;
        (dt * implicit).clamp(0.0, most) * across * normal
    }
}

/// Γ(y) / 0.02 c_s²: the gradient of a kernel over the distance, which does not sink near the surface `[1/m]`.
fn profile(height: f64, h: f64) -> f64 {
    if height < -2.0 * h {
        return 0.0;
    }
    let q = height / h;
    let shape = match q {
        q if q < 2.0 / 3.0 => 2.0 / 3.0,
        q if q < 1.0 => 2.0 * q - 1.5 * q * q,
        q if q < 2.0 => 0.5 * (2.0 - q) * (2.0 - q),
        _ => 0.0,
    };
    shape / height.max(0.1 * h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_repulsive_falls_with_the_distance_and_ends() {
        let params = PenaltyParams { stiffness: 2.0 };
        let touch = Touch::Flat { normal: DVec3::Y, offset: 0.05 };
        let force = |y: f64, x: f64| {
            let x = DVec3::new(x, y + 0.05, 0.0);
            params.kick(touch, x, DVec3::ZERO, DVec3::ZERO, 0.1, 1e-6)
        };
        let mut last = f64::INFINITY;
        for n in 1..20 {
            let f = force(0.005 * f64::from(n), 0.0);
            assert!(f.x == 0.0 && f.y > 0.0 && f.y <= last, "{n}: {f}");
            last = f.y;
        }
        assert_eq!(force(0.1, 0.0), DVec3::ZERO);
        assert_eq!(force(0.02, 0.1), DVec3::ZERO);
        assert!(force(-0.01, 0.0).y > 0.0, "a particle that has come in is driven out");
    }

    #[test]
    fn a_long_step_does_not_throw_particles_back_faster_than_they_came() {
        let params = PenaltyParams { stiffness: 100.0 };
        let touch = Touch::Flat { normal: DVec3::Y, offset: 0.0 };
        for height in [0.001, 0.01, 0.03, 0.06] {
            let came = DVec3::NEG_Y * 2.0;
            let left = came + params.kick(touch, DVec3::Y * height, came, DVec3::ZERO, 0.1, 0.01);
            assert!(left.y > -2.0 && left.y <= 0.5 * 0.1 / 0.01, "{height}: {left}");
        }
    }

    #[test]
    fn along_a_row_of_samples_the_force_is_even() {
        let params = PenaltyParams { stiffness: 2.0 };
        let touch = Touch::Flat { normal: DVec3::Y, offset: 0.0 };
        let total = |x: f64| -> f64 {
            let here = DVec3::new(x, 0.04, 0.0);
            (-5..=5)
                .map(|n| params.kick(touch, here, DVec3::ZERO, DVec3::X * 0.1 * f64::from(n), 0.1, 1e-6).y)
                .sum()
        };
        for n in 0..10 {
            assert!((total(0.01 * f64::from(n)) / total(0.0) - 1.0).abs() < 1e-12);
        }
    }
}
