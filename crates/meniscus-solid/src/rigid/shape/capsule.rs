//! The exact distance of a capsule, which is no shape of its own elsewhere.

use glam::DVec3;
use meniscus_geometry::{Aabb, SignedDistance};

/// A cylinder along y that ends in half balls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CapsuleDistance {
    /// Its radius `[m]`.
    pub radius: f64,
    /// Half of the distance between the centres of its caps `[m]`.
    pub half_height: f64,
}

impl SignedDistance for CapsuleDistance {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_round_and_sides_straight() {
        let capsule = CapsuleDistance { radius: 0.3, half_height: 0.4 };
        assert!(capsule.distance(DVec3::new(0.0, 0.7, 0.0)).abs() < 1e-15);
        let (d, g) = capsule.distance_and_gradient(DVec3::new(0.5, 0.1, 0.0));
        assert!((d - 0.2).abs() < 1e-15 && g == DVec3::X);
        let (d, g) = capsule.distance_and_gradient(DVec3::new(0.0, -0.8, 0.3));
        assert!((d - 0.2).abs() < 1e-12 && g.abs_diff_eq(DVec3::new(0.0, -0.8, 0.6), 1e-12));
    }
}
