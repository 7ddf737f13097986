//! What a body adds to the density as a function of the distance from it alone.

use crate::kernel::Kernel;
use glam::DVec3;
use meniscus_geometry::map::{BallQuadrature, ball_volume};
use meniscus_geometry::{GeometryError, Profile, SignedDistance};

/// Number of intervals of a table.
const COUNT: u32 = 400;

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
            MapKind::Density => BallQuadrature::weighted(kernel, profile, 1e-7, dimension)?,
            MapKind::Volume => BallQuadrature::plain(support, profile, 1e-7, dimension)?,
        };
        let (first, last) = (range[0].max(-support), range[1].min(quadrature.reach()));
        let step = (last - first) / f64::from(COUNT);
        let ball = ball_volume(support, dimension);
        let value: Vec<f64> = (0..=COUNT)
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

/// Number of bins of an inverse.
const BINS: usize = 512;

/// Distances by the value of a table that falls everywhere.
#[derive(Debug, Clone)]
pub(super) struct Inverse {
    pub table: Table,
    /// Bins for a unit of the value `[1]`.
    per_value: f64,
    /// How many entries of the table are above each multiple of a bin: between which entries a value is, without a search.
    above: Vec<u32>,
}

impl Inverse {
    /// Of this table.
    pub fn new(table: Table) -> Self {
        let per_value = BINS as f64 / table.node[0][0];
        let count = |bin: usize| table.node.partition_point(|v| v[0] > bin as f64 / per_value) as u32;
        let above = (0..=BINS).map(count).collect();
        Self { table, per_value, above }
    }

    /// The distance at which the table has this value; that of its end beyond it `[m]`.
    pub fn distance(&self, value: f64) -> f64 {
        let Table { step, first, node } = &self.table;
        let bin = ((value * self.per_value) as usize).min(BINS - 1);
        let [from, to] = [self.above[bin + 1], self.above[bin]].map(|entry| entry as usize);
        let after = from + node[from..to].partition_point(|v| v[0] > value);
        let before = after.clamp(1, node.len() - 1) - 1;
        let [[a, da], [b, db]] = [node[before], node[before + 1]];
        let (c, d) = (3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db);
        // Between its entries the table is not quite straight: a step after Newton.
        let mut t = if a > b { ((a - value) / (a - b)).clamp(0.0, 1.0) } else { 0.0 };
        let slope = da + t * (2.0 * c + t * 3.0 * d);
        if slope < 0.0 {
            t = (t + (value - (a + t * (da + t * (c + t * d)))) / slope).clamp(0.0, 1.0);
        }
        first + step * (before as f64 + t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::FlatMap;
    use crate::kernel::KernelKind;
    use meniscus_core::Dimension;

    #[test]
    fn values_lead_back_to_their_distances() {
        let kernel =
            Kernel { kind: KernelKind::CubicSpline, support_radius: 0.04, dimension: Dimension::Three };
        let flat = FlatMap::new(MapKind::Density, &kernel, 0.02, Profile::default()).unwrap();
        let inverse = flat.inverse;
        let [first, last] = inverse.table.range();
        for n in 0..=10_000 {
            let expected = first + (last - first) * f64::from(n) / 10_000.0;
            let (value, slope) = inverse.table.evaluate(expected);
            // At the ends the table is flat.
            if slope > 1e-3 / (last - first) {
                let found = inverse.distance(value);
                assert!((found - expected).abs() < 1e-5 * (last - first), "{expected} {found}");
            }
        }
        assert!(inverse.distance(0.0) > 0.9 * last && inverse.distance(-1.0) > 0.9 * last);
        assert!((inverse.distance(1e9) - first).abs() < 1e-12);
    }
}
