//! The integral of a profile of the distance over the ball around a point.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use meniscus_core::Dimension;

use super::profile::Profile;
use super::quadrature;
use super::ray::{Moments, Rays};
use crate::error::require_positive;
use crate::{GeometryError, RadialKernel, SignedDistance};

/// Rays around the axis to begin with `[1]`; at least twice as many are cast. Odd, as bodies rarely have seven sides.
const FIRST_AZIMUTHS: usize = 7;
/// The most rays around the axis `[1]`.
const MAX_AZIMUTHS: usize = 28;

/// Half of the directions from the middle of a dodecahedron to its corners and the middles of its faces.
const DIRECTIONS: [DVec3; 16] = {
    const G: f64 = 0.525_731_112_119_133_6;
    const H: f64 = 0.850_650_808_352_039_9;
    const A: f64 = 0.577_350_269_189_625_8;
    const B: f64 = 0.356_822_089_773_089_9;
    const C: f64 = 0.934_172_358_962_715_7;
    [
        DVec3::new(0.0, G, H),
        DVec3::new(0.0, -G, H),
        DVec3::new(G, H, 0.0),
        DVec3::new(-G, H, 0.0),
        DVec3::new(H, 0.0, G),
        DVec3::new(-H, 0.0, G),
        DVec3::new(A, A, A),
        DVec3::new(-A, A, A),
        DVec3::new(A, -A, A),
        DVec3::new(A, A, -A),
        DVec3::new(0.0, B, C),
        DVec3::new(0.0, -B, C),
        DVec3::new(B, C, 0.0),
        DVec3::new(-B, C, 0.0),
        DVec3::new(C, 0.0, B),
        DVec3::new(-C, 0.0, B),
    ]
};

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
        if let Some(slope) = self.flat(distance, x, start, gradient) {
            return self.wall(start, slope);
        }
        match self.dimension {
            Dimension::Two => self.disc(distance, x, start, gradient),
            Dimension::Three => self.ball(distance, x, start, gradient),
        }
    }

    /// The slope of Φ if, as far as points all over the ball tell, the surface is a plane there: where γ is not zero, Φ
    /// is as the gradient at the middle foretells `[1]`.
    fn flat(&self, distance: &impl SignedDistance, x: DVec3, start: f64, gradient: DVec3) -> Option<f64> {
        let zero = self.profile.reach() * self.support;
        let planar = self.dimension == Dimension::Two;
        let agrees = |way: DVec3| {
            let way = self.support * if planar { DVec3::new(way.x, way.y, 0.0) } else { way };
            let expected = start + gradient.dot(way);
            (distance.distance(x + way).min(zero) - expected.min(zero)).abs()
                < 0.05 * self.tolerance * self.support
        };
        DIRECTIONS.iter().flat_map(|d| [*d, -*d, 0.5 * *d]).all(agrees).then(|| gradient.length())
    }

    /// The integral near a flat wall, where all rays of a cone are alike.
    fn wall(&self, start: f64, slope: f64) -> f64 {
        let along = slope * self.support;
        let tolerance = 0.5 * self.tolerance;
        if self.dimension == Dimension::Two {
            let rays = self.rays(TAU);
            let mut ray = |angle: f64| rays.integrate(&|t| start + t * along * angle.cos(), start);
            return 2.0 * self.over(&mut ray, f64::acos, [0.0, PI], start, tolerance);
        }
        let rays = self.rays(4.0 * PI);
        let mut cone = |cosine: f64| TAU * rays.integrate(&|t| start + t * along * cosine, start);
        self.over(&mut cone, |cosine| cosine, [-1.0, 1.0], start, tolerance)
    }

    /// Integrates over angles between `ends`, in parts that end where rays begin to meet a break of γ; `angle` is that
    /// of a cosine.
    fn over(
        &self,
        f: &mut impl FnMut(f64) -> f64,
        angle: impl Fn(f64) -> f64,
        ends: [f64; 2],
        start: f64,
        tolerance: f64,
    ) -> f64 {
        let cosine =
            (self.profile.breaks().first().copied().unwrap_or(0.0) - start / self.support).clamp(-1.0, 1.0);
        let split = angle(cosine);
        let parts = [[ends[0], split], [split, ends[1]]];
        let wide = parts.iter().filter(|[a, b]| b - a > 1e-9);
        wide.map(|[a, b]| quadrature::integrate(f, *a, *b, tolerance)).sum()
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
        let away = |cosine: f64| cosine.acos();
        let one = self.over(&mut ray, away, [0.0, PI], start, each);
        one + self.over(&mut |angle| ray(-angle), away, [0.0, PI], start, each)
    }

    fn ball(&self, distance: &impl SignedDistance, x: DVec3, start: f64, gradient: DVec3) -> f64 {
        let axis = gradient.try_normalize().unwrap_or(DVec3::Y);
        let (u, v) = axis.any_orthonormal_pair();
        let rays = self.rays(4.0 * PI);
        let tolerance = self.tolerance / TAU;
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
        self.over(&mut cone, |cosine| cosine, [-1.0, 1.0], start, self.tolerance)
    }
}

/// The mean of a function with period 1, by equally many values in between until they change nothing.
fn around(f: impl Fn(f64) -> f64, tolerance: f64) -> f64 {
    let mut count = FIRST_AZIMUTHS;
    let mut mean = (0..count).map(|i| f(i as f64 / count as f64)).sum::<f64>() / count as f64;
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
#[must_use]
pub fn ball_volume(radius: f64, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Two => PI * radius.powi(2),
        Dimension::Three => 4.0 / 3.0 * PI * radius.powi(3),
    }
}
