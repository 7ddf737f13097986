//! A kernel for tests.

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

    fn breaks(&self) -> &[f64] {
        &[0.5]
    }
}
