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
