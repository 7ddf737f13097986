//! How much density a body has at a given distance from its surface.

/// Over which distance [`Profile::Flush`] falls from 1 to 0, in support radii `[1]`. A jump would need far more rays to
/// integrate, and this differs from it by little: the kernel is four times as wide to each side.
const RAMP: f64 = 0.25;

/// γ / ρ0 as a function of the signed distance Φ (positive in the fluid) and the support radius r.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// \[Koschier2017\] Eq. 8: 1 − Φ / r up to Φ = r. The body is felt from 2r on, as if it were inflated, and fluid
    /// rests off its surface.
    Inflated,
    /// The body as it is: 0 outside, 1 inside, changing over r / 4 about the surface, and from a depth of r on growing
    /// by 1 per r, which only particles that are inside already can feel. The body is not inflated.
    #[default]
    Flush,
    /// \[Bender2019\]: 1 inside, outside the cubic spline of Φ, which is 0 at r.
    Smooth,
}

impl Profile {
    /// γ / ρ0 at the distance `phi` `[m]` for the support radius `r` `[m]` `[1]`.
    #[inline]
    #[must_use]
    pub fn at(self, phi: f64, r: f64) -> f64 {
        match self {
            // [Koschier2017] Eq. 8
            Self::Inflated => (1.0 - phi / r).max(0.0),
            Self::Flush => (0.5 - phi / (RAMP * r)).clamp(0.0, (-phi / r).max(1.0)),
            Self::Smooth => {
                let q = (phi / r).clamp(0.0, 1.0);
                2.0 * (1.0 - q).powi(3) - 8.0 * (0.5 - q).max(0.0).powi(3)
            }
        }
    }

    /// From which distance on γ is zero, in support radii `[1]`.
    #[must_use]
    pub fn reach(self) -> f64 {
        match self {
            Self::Inflated | Self::Smooth => 1.0,
            Self::Flush => 0.5 * RAMP,
        }
    }

    /// Whether γ is the same at all distances from `low` to `high` `[m]`.
    pub(super) fn is_constant(self, low: f64, high: f64, r: f64) -> bool {
        let whole = match self {
            Self::Inflated => false,
            Self::Flush => high <= -0.5 * RAMP * r && low >= -r,
            Self::Smooth => high <= 0.0,
        };
        whole || low >= self.reach() * r
    }

    /// Distances where a derivative of γ jumps, falling, in support radii.
    #[inline]
    pub(super) fn breaks(self) -> &'static [f64] {
        match self {
            Self::Inflated => &[1.0],
            Self::Flush => &[0.5 * RAMP, -0.5 * RAMP, -1.0],
            // Here it is the second or third derivative.
            Self::Smooth => &[1.0, 0.5, 0.0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_fall_and_end_where_they_say() {
        for profile in [Profile::Inflated, Profile::Flush, Profile::Smooth] {
            let at = |i: i32| profile.at(0.2 * f64::from(i) / 50.0, 0.2);
            assert!((-150..150).all(|i| at(i) >= at(i + 1)), "{profile:?}");
            assert!(profile.at(0.2 * profile.reach() + 1e-12, 0.2).abs() < 1e-9);
            let surface = if profile == Profile::Flush { 0.5 } else { 1.0 };
            assert!((profile.at(0.0, 0.2) - surface).abs() < 1e-12);
        }
        assert!((Profile::Smooth.at(0.1, 0.2) - 0.25).abs() < 1e-12);
        assert!((Profile::Flush.at(-0.5, 0.2) - 2.5).abs() < 1e-12);
    }
}
