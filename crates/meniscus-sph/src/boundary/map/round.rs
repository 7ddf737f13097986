//! The map of a ball, which no rotation changes.
//!
//! A map on cubic cells is round to a few thousandths only. In a turning sphere these errors turn, too, and shake the fluid.
//! What a ball adds to the density is a function of the distance from its centre alone.

use super::flat::FlatMap;
use super::table::Table;
use glam::DVec3;
use meniscus_geometry::{Aabb, GeometryError, Profile, Side, SignedDistance};

/// The map of a ball, or of all but a ball, around the origin.
#[derive(Debug, Clone)]
pub struct RoundMap {
    ball: Ball,
    table: Table,
}

#[derive(Debug, Clone, Copy)]
struct Ball {
    radius: f64,
    /// Of the distance from the fluid's side: −1 for a container `[1]`.
    sign: f64,
}

impl SignedDistance for Ball {
    fn distance(&self, x: DVec3) -> f64 {
        self.sign * (x.length() - self.radius)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        (self.distance(x), self.sign * x.try_normalize().unwrap_or(DVec3::Y))
    }

    fn bounds(&self) -> Aabb {
        Aabb { min: DVec3::splat(-self.radius), max: DVec3::splat(self.radius) }
    }
}

impl RoundMap {
    /// The map of a ball, as the fluid that `flat` is made for feels it.
    ///
    /// # Errors
    /// If the kernel has no support.
    pub fn new(radius: f64, side: Side, flat: &FlatMap) -> Result<Self, GeometryError> {
        let sign = if side == Side::Solid { 1.0 } else { -1.0 };
        let ball = Ball { radius, sign };
        let range = match side {
            Side::Solid => [-radius, f64::INFINITY],
            Side::Container => [f64::NEG_INFINITY, radius],
        };
        let place = |distance: f64| DVec3::Y * (radius + sign * distance);
        let table = Table::new(flat.kind, &flat.kernel, Profile::default(), &ball, range, place)?;
        Ok(Self { ball, table })
    }

    /// ρ_B / ρ0 at `x` `[1]` and its gradient `[1/m]`: zero out of reach, `None` deep in the matter.
    #[must_use]
    pub fn evaluate(&self, x: DVec3) -> Option<(f64, DVec3)> {
        let (distance, away) = self.ball.distance_and_gradient(x);
        let [deepest, reach] = self.table.range();
        if distance.is_nan() || distance < deepest {
            return None;
        }
        // A ball smaller than the support is felt on its other side; its centre is the end of the table.
        if distance >= reach && self.ball.sign > 0.0 {
            return Some((0.0, DVec3::ZERO));
        }
        let (value, slope) = self.table.evaluate(distance);
        Some((value, -slope * away))
    }

    /// Where it is not zero.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let [deepest, reach] = self.table.range();
        let far = self.ball.radius + if self.ball.sign > 0.0 { reach } else { -deepest };
        Aabb { min: DVec3::splat(-far), max: DVec3::splat(far) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::MapKind;
    use crate::kernel::{Kernel, KernelKind};
    use glam::DQuat;
    use meniscus_core::Dimension;
    use meniscus_geometry::map::BallQuadrature;

    #[test]
    fn a_ball_is_round_and_has_the_integral_s_value() {
        let spacing = 0.02;
        for dimension in [Dimension::Two, Dimension::Three] {
            let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0 * spacing, dimension };
            let flat = FlatMap::new(MapKind::Density, &kernel, spacing, Profile::default()).unwrap();
            for side in [Side::Solid, Side::Container] {
                let map = RoundMap::new(0.1, side, &flat).unwrap();
                let exact =
                    BallQuadrature::weighted(&flat.kernel, Profile::default(), 1e-8, dimension).unwrap();
                let turn = DQuat::from_rotation_z(0.7);
                for n in 0..20 {
                    let x = DVec3::X * (0.09 + 0.001 * f64::from(n));
                    let (value, gradient) = map.evaluate(x).unwrap();
                    assert!((value - exact.integrate(&map.ball, x)).abs() < 1e-5, "{n}: {value}");
                    let (turned, turned_gradient) = map.evaluate(turn * x).unwrap();
                    assert!((turned - value).abs() < 1e-12);
                    assert!((turned_gradient - turn * gradient).length() < 1e-9);
                    let h = 1e-6;
                    let (ahead, _) = map.evaluate(x + DVec3::X * h).unwrap();
                    let (behind, _) = map.evaluate(x - DVec3::X * h).unwrap();
                    assert!(((ahead - behind) / (2.0 * h) - gradient.x).abs() < 1e-3 / spacing);
                }
            }
        }
    }
}
