//! More meshes for tests.

use glam::DVec3;

use crate::TriangleMesh;

/// A cloth of squares in the plane z = 0, each cut along a diagonal.
pub(crate) fn cloth(columns: u32, rows: u32, edge: f64) -> TriangleMesh {
    let across = columns + 1;
    let vertex = (0..across * (rows + 1))
        .map(|i| DVec3::new(f64::from(i % across), f64::from(i / across), 0.0) * edge)
        .collect();
    let square = |i: u32| {
        let a = i / columns * across + i % columns;
        [[a, a + 1, a + across], [a + across, a + 1, a + across + 1]]
    };
    TriangleMesh { vertex, triangle: (0..columns * rows).flat_map(square).collect() }
}

/// Monaghan's cubic spline, as the fluid has it.
#[derive(Clone, Copy)]
pub(crate) struct CubicSpline {
    pub support_radius: f64,
    pub dimension: meniscus_core::Dimension,
}

impl crate::RadialKernel for CubicSpline {
    fn support_radius(&self) -> f64 {
        self.support_radius
    }

    fn value(&self, r: f64) -> f64 {
        let q = r / self.support_radius;
        let norm = match self.dimension {
            meniscus_core::Dimension::Two => 40.0 / (7.0 * std::f64::consts::PI),
            meniscus_core::Dimension::Three => 8.0 / std::f64::consts::PI,
        };
        let w = 2.0 * (1.0 - q).max(0.0).powi(3) - 8.0 * (0.5 - q).max(0.0).powi(3);
        norm * w / self.dimension.cell_volume(self.support_radius)
    }

    fn slope(&self, r: f64) -> f64 {
        (self.value(r + 1e-6) - self.value(r - 1e-6)) / 2e-6
    }
}
