//! The integral of a profile of the distance over the ball around a point.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use meniscus_core::Dimension;

use super::kronrod;
use super::profile::Profile;
use super::ray::{Moments, Rays};
use crate::error::require_positive;
use crate::{GeometryError, RadialKernel, SignedDistance};

/// Rays around the axis to begin with `[1]`. Five, since bodies rarely have five equal sides.
const FIRST_AZIMUTHS: usize = 5;
/// The most rays around the axis `[1]`.
const MAX_AZIMUTHS: usize = 80;

/// Integrates γ(Φ) over the ball around a point, with the kernel as weight or with none.
///
/// The result is in units of the weight's whole integral: 1 where all of the ball has γ = 1.
#[derive(Debug, Clone)]
pub struct BallQuadrature {
    moments: Moments,
    profile: Profile,
    support: f64,
    tolerance: f64,
    dimension: Dimension,
}

impl BallQuadrature {
    /// Weighted with a kernel: \[Koschier2017\] Eq. 6, over ρ0. `tolerance` bounds the estimated error `[1]`.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] if the support radius or the tolerance is not positive and finite.
    pub fn weighted(
        kernel: &impl RadialKernel,
        profile: Profile,
        tolerance: f64,
        dimension: Dimension,
    ) -> Result<Self, GeometryError> {
        let support = kernel.support_radius();
        require_positive("support radius", support)?;
        let unit = dimension.cell_volume(support);
        let weight = |t: f64| unit * kernel.value(t * support);
        Self::new(&weight, kernel.breaks(), profile, support, tolerance, dimension)
    }

    /// Without a weight: the part of the ball of radius `support` `[m]` that γ fills \[Bender2019\].
    ///
    /// # Errors
    /// As [`BallQuadrature::weighted`].
    pub fn plain(
        support: f64,
        profile: Profile,
        tolerance: f64,
        dimension: Dimension,
    ) -> Result<Self, GeometryError> {
        require_positive("support radius", support)?;
        let ball = ball_volume(1.0, dimension);
        Self::new(&|_| 1.0 / ball, &[], profile, support, tolerance, dimension)
    }

    fn new(
        weight: &impl Fn(f64) -> f64,
        breaks: &[f64],
        profile: Profile,
        support: f64,
        tolerance: f64,
        dimension: Dimension,
    ) -> Result<Self, GeometryError> {
        if !(tolerance.is_finite() && tolerance > 0.0) {
            let what = format!("tolerance = {tolerance}");
            return Err(GeometryError::Invalid { what, allowed: "a positive, finite number" });
        }
        let moments = Moments::new(weight, breaks, dimension);
        Ok(Self { moments, profile, support, tolerance, dimension })
    }

    /// The profile it integrates.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The radius of the ball `[m]`.
    #[must_use]
    pub fn support_radius(&self) -> f64 {
        self.support
    }

    /// From which distance on the integral is zero `[m]`.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.support * (1.0 + self.profile.reach())
    }

    /// The integral around `x` `[1]`.
    pub fn integrate(&self, distance: &impl SignedDistance, x: DVec3) -> f64 {
        let (start, gradient) = distance.distance_and_gradient(x);
        if start >= self.reach() {
            return 0.0;
        }
        match self.dimension {
            Dimension::Two => self.disc(distance, x, start, gradient),
            Dimension::Three => self.ball(distance, x, start, gradient),
        }
    }

    /// Rays whose errors make a tenth of the tolerance, if `measure` is the angle they stand for.
    fn rays(&self, measure: f64) -> Rays<'_> {
        let Self { moments, profile, support, tolerance, .. } = self;
        Rays { moments, profile: *profile, support: *support, tolerance: 0.1 * tolerance / measure }
    }

    fn disc(&self, distance: &impl SignedDistance, x: DVec3, start: f64, gradient: DVec3) -> f64 {
        let axis = DVec3::new(gradient.x, gradient.y, 0.0).try_normalize().unwrap_or(DVec3::Y);
        let side = DVec3::new(-axis.y, axis.x, 0.0);
        let rays = self.rays(TAU);
        let mut ray = |angle: f64| {
            let way = self.support * (angle.cos() * axis + angle.sin() * side);
            rays.integrate(&|t| distance.distance(x + t * way), start)
        };
        let each = 0.25 * self.tolerance;
        // The plane's element of area is already in the moments.
        kronrod::integrate(&mut ray, 0.0, PI, each) + kronrod::integrate(&mut ray, -PI, 0.0, each)
    }

    fn ball(&self, distance: &impl SignedDistance, x: DVec3, start: f64, gradient: DVec3) -> f64 {
        let axis = gradient.try_normalize().unwrap_or(DVec3::Y);
        let (u, v) = axis.any_orthonormal_pair();
        let rays = self.rays(4.0 * PI);
        let tolerance = 0.25 * self.tolerance / TAU;
        let mut cone = |cosine: f64| {
            let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
            // Turned differently on each cone, so that no symmetry of the body is met by all.
            let turn = 7.0 * cosine;
            let ray = |part: f64| {
                let (sin, cos) = (TAU * part + turn).sin_cos();
                let way = self.support * (cosine * axis + sine * (cos * u + sin * v));
                rays.integrate(&|t| distance.distance(x + t * way), start)
            };
            TAU * around(ray, tolerance)
        };
        kronrod::integrate(&mut cone, -1.0, 1.0, 0.5 * self.tolerance)
    }
}

/// The mean of a function with period 1, by equally many values in between until they change nothing.
fn around(f: impl Fn(f64) -> f64, tolerance: f64) -> f64 {
    let first: [f64; FIRST_AZIMUTHS] = std::array::from_fn(|i| f(i as f64 / FIRST_AZIMUTHS as f64));
    let mut mean = first.iter().sum::<f64>() / FIRST_AZIMUTHS as f64;
    let spread = first.iter().map(|v| (v - mean).abs()).fold(0.0, f64::max);
    if spread <= tolerance {
        return mean;
    }
    let mut count = FIRST_AZIMUTHS;
    while count < MAX_AZIMUTHS {
        let between = (0..count).map(|i| f((i as f64 + 0.5) / count as f64)).sum::<f64>() / count as f64;
        let finer = 0.5 * (mean + between);
        let change = (finer - mean).abs();
        (mean, count) = (finer, 2 * count);
        if change <= tolerance {
            break;
        }
    }
    mean
}

/// The volume of a ball (in the plane: area of a disc) `[m^d]`.
pub(super) fn ball_volume(radius: f64, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Two => PI * radius.powi(2),
        Dimension::Three => 4.0 / 3.0 * PI * radius.powi(3),
    }
}
