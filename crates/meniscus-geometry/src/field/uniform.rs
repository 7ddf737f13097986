//! A function in trilinear cells on a whole grid.

use glam::DVec3;
use rayon::prelude::*;

use super::Lattice;
use crate::{Aabb, SignedDistance};

/// A function on the corners of a grid's cells, linear along each axis in between (in the plane bilinear).
///
/// As a [`SignedDistance`] it also answers outside of its grid: there it adds the way to the grid to the value at the
/// nearest point of the grid, which is at least the distance.
#[derive(Debug, Clone, PartialEq)]
pub struct UniformField {
    lattice: Lattice,
    value: Vec<f32>,
}

impl UniformField {
    /// Samples `value` at all corners.
    pub fn sample(lattice: Lattice, value: impl Fn(DVec3) -> f64 + Sync) -> Self {
        let corners = lattice.count().map(|c| c + 1).iter().product::<u64>() as usize;
        // Corners come first in the numbering of nodes.
        let at = |node| value(lattice.node_position(node as u64)) as f32;
        let value = (0..corners).into_par_iter().with_min_len(16).map(at).collect();
        Self { lattice, value }
    }

    /// The value at `x` and its gradient `[1/m]`; `None` outside of the grid.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, x: DVec3) -> Option<(f64, DVec3)> {
        let (cell, t) = self.lattice.locate(x)?;
        let [nx, ny, nz] = self.lattice.count();
        let [i, j, k] = self.lattice.cell_at(cell);
        let first = (i + (nx + 1) * (j + (ny + 1) * k)) as usize;
        let (up_y, up_z) = ((nx + 1) as usize, if nz == 0 { 0 } else { ((nx + 1) * (ny + 1)) as usize });
        let pair = |at: usize| self.value.get(at..at + 2).map(|v| [f64::from(v[0]), f64::from(v[1])]);
        let rows = [pair(first)?, pair(first + up_y)?, pair(first + up_z)?, pair(first + up_y + up_z)?];
        let (value, gradient) = trilinear(rows, t);
        Some((value, gradient / self.lattice.cell()))
    }

    /// The grid.
    #[must_use]
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// What it occupies `[byte]`.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of_val(self.value.as_slice())
    }
}

impl SignedDistance for UniformField {
    fn distance(&self, x: DVec3) -> f64 {
        self.distance_and_gradient(x).0
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        off_grid(&self.lattice, x, |x| self.evaluate(x))
    }

    fn bounds(&self) -> Aabb {
        self.lattice.bounds()
    }
}

/// The distance `evaluate` gives on the grid, and outside of the grid the one at the nearest point of it, plus the way
/// there `[m]`; with the gradient `[1]`.
pub(super) fn off_grid(
    lattice: &Lattice,
    x: DVec3,
    evaluate: impl Fn(DVec3) -> Option<(f64, DVec3)>,
) -> (f64, DVec3) {
    if let Some(found) = evaluate(x) {
        return found;
    }
    let Aabb { min, max } = lattice.bounds();
    let mut nearest = x.clamp(min, max);
    if lattice.is_planar() {
        nearest.z = x.z;
    }
    let way = x - nearest;
    // Not a number stays that: there is no distance to say.
    let (value, gradient) = evaluate(nearest).unwrap_or((f64::NAN, DVec3::ZERO));
    (value + way.length(), way.try_normalize().unwrap_or(gradient))
}

/// Values at the ends of x for the four corners of y and z, interpolated; the gradient is per cell.
#[inline(always)]
fn trilinear(rows: [[f64; 2]; 4], t: DVec3) -> (f64, DVec3) {
    let dx = rows.map(|[a, b]| b - a);
    let v: [f64; 4] = std::array::from_fn(|i| rows[i][0] + t.x * dx[i]);
    let dy = [v[1] - v[0], v[3] - v[2]];
    let v = [v[0] + t.y * dy[0], v[2] + t.y * dy[1]];
    let dx = [dx[0] + t.y * (dx[1] - dx[0]), dx[2] + t.y * (dx[3] - dx[2])];
    let dz = v[1] - v[0];
    let gradient = DVec3::new(dx[0] + t.z * (dx[1] - dx[0]), dy[0] + t.z * (dy[1] - dy[0]), dz);
    (v[0] + t.z * dz, gradient)
}

#[cfg(test)]
mod tests {
    use meniscus_core::Dimension;

    use super::*;

    #[test]
    fn products_of_coordinates_are_exact_and_outside_the_way_is_added() {
        let bounds = Aabb::around(DVec3::ZERO, DVec3::ONE);
        let lattice = Lattice::covering(bounds, 0.25, Dimension::Three).unwrap();
        let field = UniformField::sample(lattice, |x| 2.0 + x.x + x.y * x.z);
        let x = DVec3::new(0.3, -0.6, 0.9);
        let (value, gradient) = field.evaluate(x).unwrap();
        assert!((value - (2.3 - 0.54)).abs() < 1e-6);
        assert!(gradient.abs_diff_eq(DVec3::new(1.0, 0.9, -0.6), 1e-5));
        let (value, gradient) = field.distance_and_gradient(DVec3::new(3.0, 0.0, 0.0));
        assert!((value - 5.0).abs() < 1e-6 && gradient.abs_diff_eq(DVec3::X, 1e-12));
        assert!(field.evaluate(DVec3::splat(1.1)).is_none());
        assert!(field.distance(DVec3::NAN).is_nan());
    }

    #[test]
    fn the_plane_ignores_depth() {
        let bounds = Aabb::around(DVec3::ZERO, DVec3::ONE);
        let lattice = Lattice::covering(bounds, 0.1, Dimension::Two).unwrap();
        let field = UniformField::sample(lattice, |x| x.x - 3.0 * x.y + x.z);
        let (value, gradient) = field.evaluate(DVec3::new(0.12, 0.34, 7.0)).unwrap();
        assert!((value - (0.12 - 1.02)).abs() < 1e-6);
        assert!(gradient.abs_diff_eq(DVec3::new(1.0, -3.0, 0.0), 1e-5));
    }
}
