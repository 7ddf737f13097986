//! What a body adds to the density as a function of the distance from it alone.

use crate::kernel::Kernel;
use glam::DVec3;
use meniscus_geometry::map::{BallQuadrature, ball_volume};
use meniscus_geometry::{GeometryError, Profile, SignedDistance};

/// The relative error of the integrals `[1]`.
const QUADRATURE_TOLERANCE: f64 = 1e-7;

/// Number of intervals of a table `[1]`.
const TABLE_INTERVALS: u32 = 400;

/// What is tabulated of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapKind {
    /// Its share of the density (\[Koschier2017\]).
    Density,
    /// Its volume within the support, which acts from the closest point of its surface (\[Bender2019\]).
    Volume,
}

/// ρ_B / ρ0 by distance from the drawn surface, positive in the fluid: cubic between its entries, with a continuous slope.
#[derive(Debug, Clone)]
pub(super) struct Table {
    step: f64,
    first: f64,
    /// At multiples of `step` from `first` on: value `[1]` and slope times `step` `[1]`.
    node: Vec<[f64; 2]>,
}

impl Table {
    /// The table of a body whose `distance` is positive in the fluid; `place(d)` is a point at the distance d `[m]`, which there is for d
    /// within `range` `[m]`.
    pub fn new(
        kind: MapKind,
        kernel: &Kernel,
        profile: Profile,
        distance: &impl SignedDistance,
        range: [f64; 2],
        place: impl Fn(f64) -> DVec3,
    ) -> Result<Self, GeometryError> {
        let (support, dimension) = (kernel.support_radius, kernel.dimension);
        let quadrature = match kind {
            MapKind::Density => BallQuadrature::weighted(kernel, profile, QUADRATURE_TOLERANCE, dimension)?,
            MapKind::Volume => BallQuadrature::plain(support, profile, QUADRATURE_TOLERANCE, dimension)?,
        };
        let (first, last) = (range[0].max(-support), range[1].min(quadrature.reach()));
        let step = (last - first) / f64::from(TABLE_INTERVALS);
        let ball = ball_volume(support, dimension);
        let value: Vec<f64> = (0..=TABLE_INTERVALS)
            .map(|n| {
                let d = first + step * f64::from(n);
                let integral = quadrature.integrate(distance, place(d));
                match kind {
                    MapKind::Density => integral,
                    // The integral is that of the ball's mean. In the matter the volume goes on growing; the closest
                    // point's distance would not.
                    MapKind::Volume => ball * integral * kernel.value(d.max(0.0)),
                }
            })
            .collect();
        let last = value.len() - 1;
        let slope = |n: usize| {
            let (before, after) = (n.saturating_sub(1), (n + 1).min(last));
            (value[after] - value[before]) / (after - before) as f64
        };
        Ok(Self { step, first, node: (0..=last).map(|n| [value[n], slope(n)]).collect() })
    }

    /// The distances that the table covers `[m]`.
    pub fn range(&self) -> [f64; 2] {
        [self.first, self.first + self.step * (self.node.len() - 1) as f64]
    }

    /// ρ_B / ρ0 at a distance `[m]`, and −∂ρ_B/∂d / ρ0 `[1/m]`; outside of the table those of its end.
    pub fn evaluate(&self, distance: f64) -> (f64, f64) {
        let t = ((distance - self.first) / self.step).clamp(0.0, (self.node.len() - 1) as f64);
        let n = (t as usize).min(self.node.len() - 2);
        let (t, [[a, da], [b, db]]) = (t - n as f64, [self.node[n], self.node[n + 1]]);
        let (c, d) = (3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db);
        let value = a + t * (da + t * (c + t * d));
        let slope = da + t * (2.0 * c + t * 3.0 * d);
        (value, -slope / self.step)
    }
}

/// Number of intervals of an inverse `[1]`.
const INVERSE_INTERVALS: u32 = 1024;

/// Distances by the value of a table that falls everywhere: straight between entries at equal steps of the value's root, in
/// which a value that vanishes smoothly does not vanish as fast.
#[derive(Debug, Clone)]
pub(super) struct Inverse {
    /// The square of the number of intervals, over the table's first value `[1]`.
    scale: f64,
    /// `[m]`
    distance: Vec<f64>,
}

impl Inverse {
    /// Of this table.
    pub fn of(table: &Table) -> Self {
        let top = table.node[0][0];
        let at = |n: u32| {
            let value = top * (f64::from(n) / f64::from(INVERSE_INTERVALS)).powi(2);
            let [mut near, mut far] = table.range();
            for _ in 0..60 {
                let middle = 0.5 * (near + far);
                (near, far) = if table.evaluate(middle).0 > value { (middle, far) } else { (near, middle) };
            }
            far
        };
        Self {
            scale: f64::from(INVERSE_INTERVALS).powi(2) / top,
            distance: (0..=INVERSE_INTERVALS).map(at).collect(),
        }
    }

    /// The distance at which the table has this value; that of its end beyond it `[m]`.
    #[inline(always)]
    pub fn distance(&self, value: f64) -> f64 {
        let u = (value * self.scale).max(0.0).sqrt().min(f64::from(INVERSE_INTERVALS));
        let n = (u as usize).min(INVERSE_INTERVALS as usize - 1);
        let [near, far] = [self.distance[n], self.distance[n + 1]];
        near + (u - n as f64) * (far - near)
    }
}

#[cfg(test)]
mod tests {
    use super::super::flat::half_space;
    use super::*;
    use crate::boundary::FlatMap;
    use crate::kernel::KernelKind;
    use meniscus_core::Dimension;

    #[test]
    fn values_lead_back_to_their_distances() {
        let kernel =
            Kernel { kind: KernelKind::CubicSpline, support_radius: 0.04, dimension: Dimension::Three };
        let flat = FlatMap::new(MapKind::Density, &kernel, 0.02, Profile::default()).unwrap();
        let (table, inverse) =
            (half_space(MapKind::Density, &flat.kernel, Profile::default()).unwrap(), flat.inverse);
        let [first, last] = table.range();
        for n in 0..=10_000 {
            let expected = first + (last - first) * f64::from(n) / 10_000.0;
            let (value, slope) = table.evaluate(expected);
            // At the ends the table is flat.
            if slope > 1e-2 / (last - first) {
                let found = inverse.distance(value);
                assert!((found - expected).abs() < 1e-4 * (last - first), "{expected} {found}");
            }
        }
        assert!(inverse.distance(0.0) > 0.99 * last && inverse.distance(-1.0) > 0.99 * last);
        assert!((inverse.distance(1e9) - first).abs() < 1e-9 && inverse.distance(f64::NAN).is_finite());
    }
}
