//! The smoothing kernel as geometry sees it: a function of the distance.

/// A smoothing kernel W(r) with compact support and unit integral over the plane or space.
///
/// Density maps and sampling densities need one, but which kernels there are is the fluid's business.
pub trait RadialKernel: Send + Sync {
    /// Where W ends `[m]`.
    fn support_radius(&self) -> f64;

    /// W(r) `[1/m³]`, in the plane `[1/m²]`; zero from the support radius on.
    fn value(&self, r: f64) -> f64;

    /// W'(r) `[1/m⁴]`, in the plane `[1/m³]`; zero from the support radius on.
    fn slope(&self, r: f64) -> f64;

    /// Fractions of the support radius, ascending and strictly between 0 and 1, where a derivative of W jumps. A
    /// quadrature that stops there sees only smooth pieces.
    fn breaks(&self) -> &[f64] {
        &[]
    }
}

#[cfg(test)]
pub(crate) mod tests {
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
}
