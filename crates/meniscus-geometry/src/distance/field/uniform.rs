//! A function in trilinear cells on a whole grid.

use glam::DVec3;
use meniscus_core::Dimension;
use rayon::prelude::*;

use super::Lattice;
use crate::{Aabb, GeometryError, SignedDistance};

/// A function on the corners of a grid's cells, linear along each axis in between (in the plane bilinear).
///
/// As a [`SignedDistance`] it also answers outside of its grid: there it adds the way to the grid to the value at the
/// nearest point of the grid, which is at least the distance.
#[derive(Debug, Clone, PartialEq)]
pub struct UniformField {
    lattice: Lattice,
    /// Around what is sampled; of a function that is no distance, the grid.
    surface: Aabb,
    per_cell: f64,
    value: Vec<f32>,
}

/// Cells between a surface and the end of the grid of its distance `[1]`.
const PADDING: f64 = 2.0;

impl UniformField {
    /// Samples `value` at all corners.
    pub fn sample(lattice: Lattice, value: impl Fn(DVec3) -> f64 + Sync) -> Self {
        let corners = lattice.count().map(|c| c + 1).iter().product::<u64>() as usize;
        // Corners come first in the numbering of nodes.
        let at = |node| value(lattice.node_position(node as u64)) as f32;
        let value = (0..corners).into_par_iter().with_min_len(16).map(at).collect();
        Self { lattice, surface: lattice.bounds(), per_cell: lattice.cell().recip(), value }
    }

    /// Samples a distance in cells of edge `cell` `[m]`, on a grid that reaches two cells beyond the surface. Near a
    /// smooth surface it is off by about the square of the cell times the curvature / 8.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] if the cell is not a positive length, the surface has no end, or there would be too
    /// many cells.
    pub fn of_distance(exact: &dyn SignedDistance, cell: f64) -> Result<Self, GeometryError> {
        let surface = exact.bounds();
        let padding = DVec3::splat(PADDING * cell);
        let bounds = Aabb { min: surface.min - padding, max: surface.max + padding };
        let lattice = Lattice::covering(bounds, cell, Dimension::Three)?;
        Ok(Self { surface, ..Self::sample(lattice, |x| exact.distance(x)) })
    }

    /// The value at `x` and its gradient `[1/m]`; `None` outside of the grid.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, x: DVec3) -> Option<(f64, DVec3)> {
        let (rows, t) = self.rows(x)?;
        let (value, gradient) = trilinear(rows, t);
        Some((value, gradient * self.per_cell))
    }

    /// The value at `x`; `None` outside of the grid.
    #[inline]
    fn value(&self, x: DVec3) -> Option<f64> {
        let (rows, t) = self.rows(x)?;
        let v = rows.map(|[a, b]| a + t.x * (b - a));
        let v = [v[0] + t.y * (v[1] - v[0]), v[2] + t.y * (v[3] - v[2])];
        Some(v[0] + t.z * (v[1] - v[0]))
    }

    /// Values at the ends of x for the four corners of y and z of the cell around `x`, and where in it `x` is.
    #[inline(always)]
    fn rows(&self, x: DVec3) -> Option<([[f64; 2]; 4], DVec3)> {
        let (at, t) = self.lattice.place(x, self.per_cell)?;
        let [nx, ny, nz] = self.lattice.count().map(|c| c as usize);
        let first = at[0] + (nx + 1) * (at[1] + (ny + 1) * at[2]);
        let (up_y, up_z) = (nx + 1, if nz == 0 { 0 } else { (nx + 1) * (ny + 1) });
        let pair = |at: usize| self.value.get(at..at + 2).map(|v| [f64::from(v[0]), f64::from(v[1])]);
        Some(([pair(first)?, pair(first + up_y)?, pair(first + up_z)?, pair(first + up_y + up_z)?], t))
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
        self.value(x).unwrap_or_else(|| self.distance_and_gradient(x).0)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        off_grid(&self.lattice, x, |x| self.evaluate(x))
    }

    fn bounds(&self) -> Aabb {
        self.surface
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
    use super::*;
    use crate::{ExactDistance, Shape, Side};

    #[test]
    fn a_sampled_ball_is_close_to_the_ball() {
        let ball = ExactDistance { shape: Shape::Sphere { radius: 1.0 }, side: Side::Solid };
        let grid = UniformField::of_distance(&ball, 0.1).unwrap();
        assert_eq!(grid.bounds(), ball.bounds());
        for k in 0..500 {
            let t = f64::from(k);
            let x = DVec3::new((t * 0.371).sin(), (t * 0.737).sin(), (t * 1.193).cos()).normalize()
                * (0.7 + 0.45 * (t * 0.017).fract());
            let (d, g) = grid.distance_and_gradient(x);
            let (exact, normal) = ball.distance_and_gradient(x);
            // Two curvatures of h²/8 each.
            assert!((d - exact).abs() < 0.006, "{x}: {d} {exact}");
            assert!((grid.distance(x) - d).abs() < 1e-12);
            assert!(g.normalize().dot(normal) > 0.98, "{x}: {g} {normal}");
        }
        for cell in [0.0, -1.0, f64::NAN, 1e-6] {
            assert!(UniformField::of_distance(&ball, cell).is_err(), "{cell}");
        }
        let floor = ExactDistance { shape: Shape::Plane { size: [1.0; 2] }, side: Side::Solid };
        assert!(UniformField::of_distance(&floor, 0.1).is_err());
    }

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
