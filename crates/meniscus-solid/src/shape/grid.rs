//! A distance sampled on a uniform grid: quick to ask, the same cost for any mesh.
//!
//! \[Guendelman2006\] Sec. 2.3 keeps such a grid for each body. Values are interpolated linearly along each axis, and the
//! gradient is that of the interpolation. Near the surface the error is about the cell size squared times curvature / 8.
//!
//! **Departures**: every node is asked of the exact distance; there is no marching.

use glam::DVec3;
use meniscus_geometry::{Aabb, SignedDistance};
use rayon::prelude::*;

use crate::SolidError;

/// The most nodes of a grid `[1]`: 256 MB.
const MAX_NODES: f64 = 64e6;
/// Cells between the surface and the end of the grid `[1]`.
const PADDING: f64 = 2.0;

/// A signed distance on a uniform grid.
#[derive(Debug, Clone)]
pub struct GridField {
    surface: Aabb,
    origin: DVec3,
    per_cell: f64,
    count: [usize; 3],
    /// The last node `[m]`.
    end: DVec3,
    value: Vec<f32>,
}

impl GridField {
    /// Samples `exact` on a grid with cells of edge `cell` `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if the cell is not a positive length or so small that the grid would not fit in memory.
    pub fn sample(exact: &dyn SignedDistance, cell: f64) -> Result<Self, SolidError> {
        let surface = exact.bounds();
        let size = surface.size() + 2.0 * PADDING * cell;
        let nodes = (size / cell).ceil() + 1.0;
        let total = nodes.element_product();
        // The negation also catches NaN.
        if !(cell > 0.0 && total <= MAX_NODES && surface.min.is_finite()) {
            return Err(SolidError::invalid(
                "distance grid",
                format!("a cell of {cell} m for a body of {} m, {total:.1e} nodes", surface.size()),
                "a positive cell size with at most 6.4e7 nodes",
            ));
        }
        let count = [nodes.x as usize, nodes.y as usize, nodes.z as usize];
        let origin = surface.centre() - 0.5 * cell * (nodes - 1.0);
        let mut value = vec![0.0; count[0] * count[1] * count[2]];
        value.par_chunks_mut(count[0]).enumerate().for_each(|(row, values)| {
            let (j, k) = (row % count[1], row / count[1]);
            for (i, v) in values.iter_mut().enumerate() {
                let x = origin + cell * DVec3::new(i as f64, j as f64, k as f64);
                *v = exact.distance(x) as f32;
            }
        });
        let end = origin + cell * (nodes - 1.0);
        Ok(Self { surface, origin, per_cell: cell.recip(), count, end, value })
    }

    /// The corners of the cell around x, which the grid contains, and where in it x is `[1]`.
    #[inline]
    fn corners(&self, x: DVec3) -> ([f64; 8], DVec3) {
        let s = (x - self.origin) * self.per_cell;
        let [nx, ny, nz] = self.count;
        let cell = |s: f64, n: usize| (s as usize).min(n.saturating_sub(2));
        let (i, j, k) = (cell(s.x, nx), cell(s.y, ny), cell(s.z, nz));
        let f = s - DVec3::new(i as f64, j as f64, k as f64);
        let base = i + nx * (j + ny * k);
        let mut v = [0.0; 8];
        for (row, start) in [base, base + nx, base + nx * ny, base + nx * ny + nx].into_iter().enumerate() {
            if let Some(&[low, high]) = self.value.get(start..start + 2) {
                (v[2 * row], v[2 * row + 1]) = (f64::from(low), f64::from(high));
            }
        }
        (v, f)
    }

    /// The value at x, which the grid contains `[m]`.
    #[inline]
    fn value(&self, x: DVec3) -> f64 {
        let (v, f) = self.corners(x);
        let x = |row: usize| v[2 * row] + f.x * (v[2 * row + 1] - v[2 * row]);
        let (y0, y1) = (x(0) + f.y * (x(1) - x(0)), x(2) + f.y * (x(3) - x(2)));
        y0 + f.z * (y1 - y0)
    }

    /// The value `[m]` and gradient `[1]` at x, which the grid contains.
    #[inline]
    fn interpolate(&self, x: DVec3) -> (f64, DVec3) {
        let (v, f) = self.corners(x);
        let d = [v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6]];
        let x = [v[0] + f.x * d[0], v[2] + f.x * d[1], v[4] + f.x * d[2], v[6] + f.x * d[3]];
        let (dy0, dy1) = (x[1] - x[0], x[3] - x[2]);
        let (y0, y1) = (x[0] + f.y * dy0, x[2] + f.y * dy1);
        let (dx0, dx1) = (d[0] + f.y * (d[1] - d[0]), d[2] + f.y * (d[3] - d[2]));
        let gradient = DVec3::new(dx0 + f.z * (dx1 - dx0), dy0 + f.z * (dy1 - dy0), y1 - y0);
        (y0 + f.z * (y1 - y0), gradient * self.per_cell)
    }

    /// The point of the grid nearest to x `[m]`.
    fn clamped(&self, x: DVec3) -> DVec3 {
        x.clamp(self.origin, self.end)
    }
}

impl SignedDistance for GridField {
    fn distance(&self, x: DVec3) -> f64 {
        let within = self.clamped(x);
        let d = self.value(within);
        if within == x { d } else { d + x.distance(within) }
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let within = self.clamped(x);
        let (d, g) = self.interpolate(within);
        if within == x {
            return (d, g.normalize_or_zero());
        }
        let away = x - within;
        (d + away.length(), (g.normalize_or_zero() + away * self.per_cell).normalize_or_zero())
    }

    fn bounds(&self) -> Aabb {
        self.surface
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::SphereField;

    #[test]
    fn a_sampled_ball_is_close_to_the_ball() {
        let ball = SphereField { radius: 1.0 };
        let grid = GridField::sample(&ball, 0.1).unwrap();
        for k in 0..500 {
            let t = f64::from(k);
            let x = DVec3::new((t * 0.371).sin(), (t * 0.737).sin(), (t * 1.193).cos()).normalize()
                * (0.7 + 0.6 * (t * 0.017).fract());
            let (d, g) = grid.distance_and_gradient(x);
            let (exact, normal) = ball.distance_and_gradient(x);
            // Two curvatures of h²/8 each inside the grid; a little more beyond its end.
            assert!((d - exact).abs() < 0.006, "{x}: {d} {exact}");
            assert!(g.dot(normal) > 0.99);
        }
        assert!((grid.distance(DVec3::X * 10.0) - 9.0).abs() < 0.01);
    }

    #[test]
    fn grids_that_cannot_be_are_refused() {
        let ball = SphereField { radius: 1.0 };
        for cell in [0.0, -1.0, f64::NAN, 1e-6] {
            assert!(GridField::sample(&ball, cell).is_err(), "{cell}");
        }
        assert!(GridField::sample(&crate::shape::HalfSpaceField, 0.1).is_err());
    }
}
