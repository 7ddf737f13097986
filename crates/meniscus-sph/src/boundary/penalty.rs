//! Repelling boundary particles (Monaghan 2005, Rep. Prog. Phys. 68, Sec. on boundaries), the peer of direct forcing.
//!
//! | here | paper |
//! | --- | --- |
//! | `height` | y, along the sample's normal |
//! | `aside` | x, along the surface |
//! | `stiffness` | 0.02 c_s² |
//!
//! Departures: the range of the force, the paper's 2h, is one spacing, so that water at rest ends about half a spacing from the
//! surface and not one and a half; the force stops growing at a twentieth of the range, and continues behind the
//! surface, because a step of finite length can carry a particle there.

use super::Touch;
use glam::DVec3;

/// How strongly a body repels fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyParams {
    /// Force per mass times distance, 0.02 c_s² in the paper `[m²/s²]`.
    pub stiffness: f64,
}

impl PenaltyParams {
    /// The acceleration of a fluid particle at `x` by a sample at `sample` `[m/s²]`; `spacing` is both's distance at rest
    /// `[m]`.
    #[must_use]
    pub fn acceleration(&self, touch: Touch, x: DVec3, sample: DVec3, spacing: f64) -> DVec3 {
        let away = x - sample;
        let (normal, offset) = match touch {
            Touch::Deep => return DVec3::ZERO,
            Touch::Flat { normal, offset } => (normal, offset),
            Touch::Ball(radius) => (away.normalize_or_zero(), radius),
            Touch::Sheet { normal } => (normal * away.dot(normal).signum(), 0.0),
        };
        let height = away.dot(normal) - offset;
        let aside = (away - away.dot(normal) * normal).length();
        let across = (1.0 - aside / spacing).max(0.0);
        0.5 * self.stiffness * profile(height, 0.5 * spacing) * across * normal
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
        let force =
            |y: f64, x: f64| params.acceleration(touch, DVec3::new(x, y + 0.05, 0.0), DVec3::ZERO, 0.1);
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
    fn along_a_row_of_samples_the_force_is_even() {
        let params = PenaltyParams { stiffness: 2.0 };
        let touch = Touch::Flat { normal: DVec3::Y, offset: 0.0 };
        let total = |x: f64| -> f64 {
            let here = DVec3::new(x, 0.04, 0.0);
            (-5..=5).map(|n| params.acceleration(touch, here, DVec3::X * 0.1 * f64::from(n), 0.1).y).sum()
        };
        for n in 0..10 {
            assert!((total(0.01 * f64::from(n)) / total(0.0) - 1.0).abs() < 1e-12);
        }
    }
}
