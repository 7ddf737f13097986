//! Sums of integrals over many small pieces.

use glam::{DMat3, DVec3};

use super::MassProperties;

/// A sum that also keeps what rounding takes from it (Neumaier's form of Kahan's sum).
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    value: DVec3,
    lost: DVec3,
}

impl Sum {
    fn add(&mut self, x: DVec3) {
        let sum = self.value + x;
        // The smaller of both loses its last digits.
        let kept =
            DVec3::select(self.value.abs().cmpge(x.abs()), (self.value - sum) + x, (x - sum) + self.value);
        self.lost += kept;
        self.value = sum;
    }

    fn total(self) -> DVec3 {
        self.value + self.lost
    }
}

/// The moments of a body about a point: ∫ dx, ∫ x dx and ∫ x xᵀ dx.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    zeroth: Sum,
    first: Sum,
    /// Diagonal: xx, yy, zz.
    diagonal: Sum,
    /// Beside it: yz, zx, xy.
    beside: Sum,
}

impl Moments {
    /// Adds a simplex with these corners and this signed extent. With barycentric coordinates λ over a simplex of
    /// dimension d and extent V, ∫ λᵢ = V / (d + 1) and ∫ λᵢ λⱼ = V (1 + δᵢⱼ) / ((d + 1)(d + 2)).
    pub fn add<const N: usize>(&mut self, corner: [DVec3; N], extent: f64) {
        let n = N as f64;
        let sum: DVec3 = corner.iter().sum();
        self.zeroth.add(DVec3::X * extent);
        self.first.add(sum * (extent / n));
        let mixed = |x: DVec3| DVec3::new(x.y * x.z, x.z * x.x, x.x * x.y);
        let weight = extent / (n * (n + 1.0));
        let squares = sum * sum + corner.iter().map(|c| *c * *c).sum::<DVec3>();
        self.diagonal.add(squares * weight);
        self.beside.add((mixed(sum) + corner.iter().map(|c| mixed(*c)).sum::<DVec3>()) * weight);
    }

    pub fn extent(&self) -> f64 {
        self.zeroth.total().x
    }

    /// The centre relative to the point.
    pub fn centre(&self) -> DVec3 {
        self.first.total() / self.extent()
    }

    /// The body whose moments about `origin` these are.
    pub fn body(&self, origin: DVec3, density: f64) -> MassProperties {
        let centre = self.centre();
        let extent = self.extent();
        let (d, b) = (self.diagonal.total(), self.beside.total());
        let square = d - extent * centre * centre;
        let mixed = b - extent * DVec3::new(centre.y * centre.z, centre.z * centre.x, centre.x * centre.y);
        let trace = DVec3::splat(square.element_sum()) - square;
        let inertia = DMat3::from_cols(
            DVec3::new(trace.x, -mixed.z, -mixed.y),
            DVec3::new(-mixed.z, trace.y, -mixed.x),
            DVec3::new(-mixed.y, -mixed.x, trace.z),
        );
        MassProperties::new(extent, density, origin + centre, inertia * density)
    }
}
