//! Energies ½ Σ q_ab x_a · x_b that are quadratic in positions and do not change when a body moves as a whole.

/// One such energy over a few nodes. Rows of its matrix sum to zero.
#[derive(Debug, Clone)]
pub(crate) struct LinearStencil {
    pub(crate) node: Vec<u32>,
    /// Row by row, symmetric and positive semi-definite `[N/m]`.
    pub(crate) matrix: Vec<f64>,
}

impl LinearStencil {
    /// `[J]`
    pub(crate) fn energy(&self, x: &[glam::DVec3]) -> f64 {
        // From the first node, so that nothing large cancels.
        let Some(&first) = self.node.first() else { return 0.0 };
        let place = |n: u32| x[n as usize] - x[first as usize];
        let mut energy = 0.0;
        for (a, row) in self.node.iter().zip(self.matrix.chunks(self.node.len())) {
            for (b, q) in self.node.iter().zip(row) {
                energy += 0.5 * q * place(*a).dot(place(*b));
            }
        }
        energy
    }
}
