//! Exact distances of simple shapes, centred at the origin.

use std::sync::Arc;

use glam::DVec3;
use meniscus_geometry::{Aabb, SignedDistance};

/// A box along the axes.
#[derive(Debug, Clone, Copy)]
pub struct BoxField {
    /// Half of its edge lengths `[m]`.
    pub half: DVec3,
}

impl SignedDistance for BoxField {
    fn distance(&self, x: DVec3) -> f64 {
        let q = x.abs() - self.half;
        q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let q = x.abs() - self.half;
        let outside = q.max(DVec3::ZERO);
        let length = outside.length();
        let sign = x.signum();
        if length > 0.0 {
            return (length, sign * outside / length);
        }
        // Inside, the nearest face; the first one if several are equally near.
        let deepest = q.max_element();
        let axis = if q.x >= deepest {
            DVec3::X
        } else if q.y >= deepest {
            DVec3::Y
        } else {
            DVec3::Z
        };
        (deepest, sign * axis)
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, self.half)
    }
}

/// A ball.
#[derive(Debug, Clone, Copy)]
pub struct SphereField {
    /// Its radius `[m]`.
    pub radius: f64,
}

impl SignedDistance for SphereField {
    fn distance(&self, x: DVec3) -> f64 {
        x.length() - self.radius
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        (self.distance(x), x.normalize_or_zero())
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::splat(self.radius))
    }
}

/// A cylinder along y.
#[derive(Debug, Clone, Copy)]
pub struct CylinderField {
    /// Its radius `[m]`.
    pub radius: f64,
    /// Half of its height `[m]`.
    pub half_height: f64,
}

impl CylinderField {
    /// How far x is beyond the side and beyond the caps, negative within them `[m]`.
    fn beyond(&self, x: DVec3) -> (f64, f64) {
        (x.x.hypot(x.z) - self.radius, x.y.abs() - self.half_height)
    }
}

impl SignedDistance for CylinderField {
    fn distance(&self, x: DVec3) -> f64 {
        let (side, cap) = self.beyond(x);
        side.max(0.0).hypot(cap.max(0.0)) + side.max(cap).min(0.0)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (side, cap) = self.beyond(x);
        let out = DVec3::new(x.x, 0.0, x.z).normalize_or_zero();
        let up = DVec3::Y * x.y.signum();
        let (s, c) = (side.max(0.0), cap.max(0.0));
        let length = s.hypot(c);
        if length > 0.0 {
            (length, (s * out + c * up) / length)
        } else if side > cap {
            (side, out)
        } else {
            (cap, up)
        }
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::new(self.radius, self.half_height, self.radius))
    }
}

/// A cylinder along y that ends in half balls.
#[derive(Debug, Clone, Copy)]
pub struct CapsuleField {
    /// Its radius `[m]`.
    pub radius: f64,
    /// Half of the distance between the centres of its caps `[m]`.
    pub half_height: f64,
}

impl SignedDistance for CapsuleField {
    fn distance(&self, x: DVec3) -> f64 {
        self.distance_and_gradient(x).0
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let from_axis = x - DVec3::Y * x.y.clamp(-self.half_height, self.half_height);
        (from_axis.length() - self.radius, from_axis.normalize_or_zero())
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::new(self.radius, self.half_height + self.radius, self.radius))
    }
}

/// The half space below y = 0.
#[derive(Debug, Clone, Copy)]
pub struct HalfSpaceField;

impl SignedDistance for HalfSpaceField {
    fn distance(&self, x: DVec3) -> f64 {
        x.y
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        (x.y, DVec3::Y)
    }

    fn bounds(&self) -> Aabb {
        let far = DVec3::INFINITY;
        Aabb { min: -far, max: DVec3::new(f64::INFINITY, 0.0, f64::INFINITY) }
    }
}

/// Everything outside of another shape: a room whose walls are infinitely thick.
#[derive(Clone)]
pub struct InvertedField(
    /// The shape that is hollow.
    pub Arc<dyn SignedDistance>,
);

impl SignedDistance for InvertedField {
    fn distance(&self, x: DVec3) -> f64 {
        -self.0.distance(x)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.0.distance_and_gradient(x);
        (-distance, -gradient)
    }

    fn bounds(&self) -> Aabb {
        Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_derivatives_of_distances_of_unit_slope() {
        let room: Arc<dyn SignedDistance> = Arc::new(BoxField { half: DVec3::new(1.0, 1.5, 0.9) });
        let fields: Vec<Arc<dyn SignedDistance>> = vec![
            Arc::new(BoxField { half: DVec3::new(0.5, 0.3, 0.8) }),
            Arc::new(SphereField { radius: 0.6 }),
            Arc::new(CylinderField { radius: 0.5, half_height: 0.4 }),
            Arc::new(CapsuleField { radius: 0.3, half_height: 0.4 }),
            Arc::new(HalfSpaceField),
            Arc::new(InvertedField(room)),
        ];
        let e = 1e-6;
        for (f, field) in fields.iter().enumerate() {
            for k in 0..400 {
                let t = f64::from(k);
                let x = DVec3::new((t * 0.371).sin(), (t * 0.737).sin(), (t * 1.193).cos());
                let (d, g) = field.distance_and_gradient(x);
                assert!((field.distance(x) - d).abs() < 1e-14);
                let slope = |a: DVec3| (field.distance(x + e * a) - field.distance(x - e * a)) / (2.0 * e);
                let by_difference = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
                // Differences across an inner ridge belong to neither side.
                if (by_difference.length() - 1.0).abs() < 1e-6 {
                    assert!(g.abs_diff_eq(by_difference, 1e-5), "field {f} at {x}: {g} {by_difference}");
                }
                assert!((g.length() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn middles_have_no_direction() {
        assert_eq!(SphereField { radius: 1.0 }.distance_and_gradient(DVec3::ZERO), (-1.0, DVec3::ZERO));
        assert!(BoxField { half: DVec3::ONE }.distance_and_gradient(DVec3::ZERO).1.is_finite());
    }
}
