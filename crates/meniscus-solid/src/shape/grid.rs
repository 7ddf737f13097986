//! A distance sampled on a uniform grid: quick to ask, the same cost for any mesh.
//!
//! \[Guendelman2006\] Sec. 2.3 keeps such a grid for each body. Values are interpolated linearly along each axis, and the
//! gradient is that of the interpolation. Near the surface the error is about the cell size squared times curvature / 8.
//!
//! **Departures**: every node is asked of the exact distance; there is no marching.

use glam::{DVec3, IVec3};
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
        Ok(Self { surface, origin, per_cell: cell.recip(), count, value })
    }

    /// The value `[m]` and gradient `[1]` at x, which the grid contains.
    #[inline]
    fn interpolate(&self, x: DVec3) -> (f64, DVec3) {
        let s = (x - self.origin) * self.per_cell;
        let top = IVec3::new(self.count[0] as i32, self.count[1] as i32, self.count[2] as i32) - 2;
        let cell = s.as_ivec3().clamp(IVec3::ZERO, top.max(IVec3::ZERO));
        let f = s - cell.as_dvec3();
        let (nx, nxy) = (self.count[0], self.count[0] * self.count[1]);
        let base = cell.x as usize + nx * cell.y as usize + nxy * cell.z as usize;
        let at = |offset: usize| self.value.get(base + offset).map_or(0.0, |v| f64::from(*v));
        let (v000, v100, v010, v110) = (at(0), at(1), at(nx), at(nx + 1));
        let (v001, v101, v011, v111) = (at(nxy), at(nxy + 1), at(nxy + nx), at(nxy + nx + 1));
        let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
        let (x00, x10, x01, x11) =
            (mix(v000, v100, f.x), mix(v010, v110, f.x), mix(v001, v101, f.x), mix(v011, v111, f.x));
        let (y0, y1) = (mix(x00, x10, f.y), mix(x01, x11, f.y));
        let dx = mix(mix(v100 - v000, v110 - v010, f.y), mix(v101 - v001, v111 - v011, f.y), f.z);
        let dy = mix(x10 - x00, x11 - x01, f.z);
        (mix(y0, y1, f.z), DVec3::new(dx, dy, y1 - y0) * self.per_cell)
    }

    /// The point of the grid nearest to x `[m]`.
    fn clamped(&self, x: DVec3) -> DVec3 {
        let last = DVec3::new(self.count[0] as f64, self.count[1] as f64, self.count[2] as f64) - 1.0;
        x.clamp(self.origin, self.origin + last / self.per_cell)
    }
}

impl SignedDistance for GridField {
    fn distance(&self, x: DVec3) -> f64 {
        let within = self.clamped(x);
        self.interpolate(within).0 + x.distance(within)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let within = self.clamped(x);
        let (d, g) = self.interpolate(within);
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
