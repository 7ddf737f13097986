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
//! | V_B | [`VolumeMap::evaluate`] | volume of the body within the support | m^d |
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
//! **Departures.** The paper integrates with an adaptive Gauss–Kronrod rule in coordinates it does not name. Here they
//! are spherical about the gradient of Φ: Gauss–Kronrod over the polar angle, the periodic rule over the azimuth, and
//! along each ray polynomials of γ(Φ) against exact moments of the kernel, in pieces that end where γ breaks. All three
//! are refined until their error estimates meet the tolerance. Φ may be sampled in finer cells than the map. Cells in
//! which the map is zero are dropped, too. Containers have Φ with the other sign.

mod ball;
mod cache;
mod density;
mod grid;
mod kronrod;
mod profile;
mod ray;
mod residue;
mod shared;
mod stencil;
#[cfg(test)]
mod tests;
mod volume;

pub use ball::BallQuadrature;
pub use cache::{FieldCache, Origin};
pub use density::{DensityMap, MapParams};
pub use profile::Profile;
pub use volume::{BoundaryVolume, VolumeMap};
