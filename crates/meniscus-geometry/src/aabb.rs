use glam::DVec3;

/// A box along the axes of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates `[m]`.
    pub min: DVec3,
    /// The corner with the largest coordinates `[m]`.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing: joining it with anything gives the other.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box around `centre` that reaches `half` `[m]` to each side.
    #[must_use]
    pub fn around(centre: DVec3, half: DVec3) -> Self {
        Self { min: centre - half, max: centre + half }
    }

    /// The smallest box around the points, [`Aabb::EMPTY`] if there are none.
    #[must_use]
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether there is no point in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Its edge lengths, zero if it is empty `[m]`.
    #[must_use]
    pub fn size(&self) -> DVec3 {
        (self.max - self.min).max(DVec3::ZERO)
    }

    /// Its middle `[m]`.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Whether `x` lies in it or on its surface.
    #[must_use]
    pub fn contains(&self, x: DVec3) -> bool {
        x.cmpge(self.min).all() && x.cmple(self.max).all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_with_nothing_changes_nothing() {
        let b = Aabb::around(DVec3::ONE, DVec3::splat(0.5));
        assert_eq!(b.join(Aabb::EMPTY), b);
        assert!(Aabb::EMPTY.is_empty() && !b.is_empty());
        assert_eq!(Aabb::EMPTY.size(), DVec3::ZERO);
        assert!(b.contains(DVec3::ONE) && !b.contains(DVec3::ZERO));
    }
}
