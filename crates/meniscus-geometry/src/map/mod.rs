//! Maps: what a body adds to the density of fluid near it, known in advance at every point.
//!
//! [`DensityMap`] is \[Koschier2017\] Sec. 4 and 5, [`VolumeMap`] is \[Bender2019\]. Both integrate a profile γ of the
//! signed distance over the ball around a point; the density map weights with the kernel, the volume map does not.
//! Densities are in units of ρ0.
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | ρ_B^c / ρ0 | [`BallQuadrature::integrate`] | Eq. 6 | 1 |
//! | ρ_B / ρ0, ∇ρ_B / ρ0 | [`DensityMap::evaluate`] | Eq. 11 and 12 | 1, 1/m |
//! | V_B | [`VolumeMap::sample`] | volume of the body within the support | m^d |
//! | γ | [`Profile`] | Eq. 8 and others | 1 |
//! | r | `support_radius` | where the kernel ends | m |
//! | Φ | distance | positive in the fluid, for containers too | m |
//!
//! At a flat wall, with the cubic spline in space, ρ_B / ρ0 is (from the one-dimensional integral; a test holds it):
//!
//! | distance / r | −1 | −0.5 | 0 | 0.25 | 0.5 | 0.75 | 1 | 1.5 | 2 |
//! | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
//! | [`Profile::Inflated`] | 2.0000 | 1.5000 | 1.0000 | 0.7501 | 0.5030 | 0.2770 | 0.1107 | 0.0030 | 0 |
//! | [`Profile::Flush`] | 1.1107 | 0.9644 | 0.5000 | 0.1951 | 0.0385 | 0.0023 | 0 | 0 | 0 |
//!
//! A fluid lattice that ends half a spacing from the wall (support of two spacings) is completed to 1.045 by
//! [`Profile::Flush`], of which 0.038 is the error of the lattice's own sum near an end; [`Profile::Inflated`] completes
//! it to 1.60 and so holds it off.
//!
//! **Departures.** The paper integrates at each node with an adaptive Gauss–Kronrod rule. Density maps here integrate at
//! all nodes at once, as sums over one regular grid of at least eight points per support radius (for a tolerance of
//! 1e-4): the masses of its points are γ(Φ), corrected in cells where γ breaks or Φ has a crease, and the weights of a
//! node are the kernel's values, which are the same for all nodes of a kind. γ breaks along lines that are cut there, so
//! the correction is exact for flat walls but for the cubic interpolation of the kernel between points, whose mean error
//! the weights make up for. Φ is exact at all points. Grids are in memory one tile at a time.
//!
//! Volume maps, whose weight jumps at the ball's surface, take the integrals of the points' own cubics over the ball as
//! weights. A sampled distance beside them knows the closest point.
//!
//! Maps of cells larger than a few support radii integrate node by node with [`BallQuadrature`]: in spherical coordinates
//! about the gradient of Φ, Gauss–Kronrod over the polar angle, the periodic rule over the azimuth, and along each ray
//! polynomials of γ(Φ) against exact moments of the kernel, in pieces that end where γ breaks. Cells in which the
//! map is zero are dropped, too. Containers have Φ with the other sign.

mod ball;
mod cache;
mod density;
mod grid;
mod memory;
mod profile;
mod quadrature;
mod ray;
mod residue;
mod shared;
mod stencil;
#[cfg(test)]
mod tests;
mod volume;

pub use ball::{BallQuadrature, ball_volume};
pub use cache::{FieldCache, Origin};
pub use density::{DensityMap, FluidDistance, MapParams};
pub use profile::Profile;
pub use quadrature::lattice_sum;
pub use volume::{BoundaryVolume, VolumeMap};
