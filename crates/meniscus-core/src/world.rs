//! Where a scene ends.

use glam::DVec3;

/// The space in which things are simulated: a box along the axes of the scene. What leaves it is simulated no more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct World {
    /// Its low corner; minus infinity where it has no end `[m]`.
    pub min: DVec3,
    /// Its high corner; infinity where it has no end `[m]`.
    pub max: DVec3,
}

impl World {
    /// Space without an end.
    pub const BOUNDLESS: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// Whether a point is in it.
    #[inline(always)]
    #[must_use]
    pub fn contains(&self, x: DVec3) -> bool {
        (x.cmpge(self.min) & x.cmple(self.max)).all()
    }

    /// Whether a point is somewhere outside. What is nowhere, as its coordinates are no numbers, has not left: that is an error.
    #[inline(always)]
    #[must_use]
    pub fn is_left_by(&self, x: DVec3) -> bool {
        x.is_finite() && !self.contains(x)
    }

    /// Whether it ends anywhere.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        let ends = |corner: DVec3| corner.to_array().iter().any(|c| c.is_finite());
        ends(self.min) || ends(self.max)
    }

    /// Whether a whole ball is outside of it.
    #[must_use]
    pub fn has_lost(&self, centre: DVec3, radius: f64) -> bool {
        let reach = DVec3::splat(radius);
        !Self { min: self.min - reach, max: self.max + reach }.contains(centre)
    }
}

impl Default for World {
    fn default() -> Self {
        Self::BOUNDLESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_lost_when_no_part_of_it_is_inside() {
        let world = World { min: DVec3::splat(-1.0), max: DVec3::ONE };
        assert!(world.contains(DVec3::ONE) && !world.contains(DVec3::new(0.0, -1.001, 0.0)));
        assert!(!world.has_lost(DVec3::X * 1.4, 0.5) && world.has_lost(DVec3::X * 1.6, 0.5));
        assert!(world.is_bounded());
        assert!(world.is_left_by(DVec3::splat(1e300)) && !world.is_left_by(DVec3::ONE));
        assert!(![f64::NAN, f64::INFINITY].iter().any(|&c| world.is_left_by(DVec3::new(c, 0.0, 0.0))));
    }

    #[test]
    fn space_without_an_end_loses_nothing() {
        let world = World::BOUNDLESS;
        assert!(world.contains(DVec3::splat(1e300)) && !world.has_lost(DVec3::splat(-1e300), 1.0));
        assert!(!world.is_bounded());
    }
}
