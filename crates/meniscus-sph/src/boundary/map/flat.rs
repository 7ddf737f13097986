//! The kernel with which a map is made, and what the map is at a flat wall.
//!
//! A map is an integral over the solid, a fluid at rest a lattice. So that a flat wall completes a lattice that starts half a
//! spacing from it, the map's kernel is narrower than the fluid's and the map has a factor: there, its value is what is
//! missing of the lattice, and its slope is k times that of the missing half. Pressure then acts through the map's own
//! gradient, once. That is the force of \[Wang2017\] Eq. 10, and the derivative of the very density that the solver
//! corrects. With the lattice's slope and k = 2 the force has no potential, and water on a smooth floor never comes to rest.

use super::table::{Inverse, MapKind, Table};
use crate::boundary::particles::{CONTACT_HEIGHT, missing_half};
use crate::kernel::Kernel;
use crate::neighbourhood::WALL_PRESSURE;
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_geometry::{Aabb, GeometryError, Profile, SignedDistance};

/// Between which distances the place of half a spacing is looked for on the scale of the fluid's kernel, in support radii `[1]`.
const BRACKET: [f64; 2] = [0.01, 0.95];

/// By how much a smooth wall is steeper than k times the missing half of a square lattice `[1]`.
///
/// Nothing holds particles in place along a smooth wall, so the fluid that has settled on it is packed closely: its lowest layer is a row at
/// 1.07 spacings in the plane, a triangular lattice with 1.09 squared spacings a particle in space. These fewer particles carry
/// all the weight above them, so each needs that much more of the wall.
fn close_packing(dimension: Dimension) -> f64 {
    // ADR 14.
    let triangle = 3f64.sqrt() / 2.0;
    match dimension {
        // Each has an area of triangle · a² = 1 in units of the spacing.
        Dimension::Two => triangle.sqrt().recip(),
        // Each has a volume of a³ / √2 = 1 and an area of triangle · a² of its layer.
        Dimension::Three => triangle * 2f64.cbrt(),
    }
}

/// What a map is at a flat wall, by distance from the drawn surface.
#[derive(Debug, Clone)]
pub struct FlatMap {
    /// What maps tabulate.
    pub kind: MapKind,
    /// With which maps are made.
    pub kernel: Kernel,
    /// By which maps are multiplied `[1]`.
    pub factor: f64,
    /// How far behind the drawn surface the wall's answer comes from `[m]`.
    pub depth: f64,
    /// The share of the density where contact begins `[1]`.
    pub contact: f64,
    pub(super) inverse: Inverse,
}

impl FlatMap {
    /// The map of a half space for a fluid of this kernel and `spacing` `[m]`.
    ///
    /// # Errors
    /// If the kernel has no support.
    pub fn new(
        kind: MapKind,
        kernel: &Kernel,
        spacing: f64,
        profile: Profile,
    ) -> Result<Self, GeometryError> {
        let missing = missing_half(kernel, spacing);
        let steepness =
            close_packing(kernel.dimension) * f64::from(WALL_PRESSURE) * missing.gradient / missing.density;
        let wide = half_space(kind, kernel, profile)?;
        // A narrower kernel is the same table on another scale. Half a spacing is `place` on the table's own scale, and the
        // steepness there, in spacings, rises with it: found by halving.
        let (mut near, mut far) = (BRACKET[0] * kernel.support_radius, BRACKET[1] * kernel.support_radius);
        for _ in 0..60 {
            let place = 0.5 * (near + far);
            let reached = {
                let (value, slope) = wide.evaluate(place);
                place * slope >= 0.5 * spacing * steepness * value
            };
            (near, far) = if reached { (near, place) } else { (place, far) };
        }
        // ADR 12: half a spacing from the wall value and slope are those of the missing half.
        let scale = 0.5 * spacing / (0.5 * (near + far));
        let narrow = Kernel { support_radius: scale * kernel.support_radius, ..*kernel };
        let table = half_space(kind, &narrow, profile)?;
        let factor = missing.density / table.evaluate(0.5 * spacing).0;
        Ok(Self {
            kind,
            kernel: narrow,
            factor,
            depth: missing.lever - 0.5 * spacing,
            contact: factor * table.evaluate(CONTACT_HEIGHT * spacing).0,
            inverse: Inverse::of(&table),
        })
    }

    /// The distance at which a flat wall has this share of the density `[m]`.
    #[inline(always)]
    #[must_use]
    pub fn distance(&self, share: f64) -> f64 {
        self.inverse.distance(share / self.factor)
    }
}

struct HalfSpace;

impl SignedDistance for HalfSpace {
    fn distance(&self, x: DVec3) -> f64 {
        x.y
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        (x.y, DVec3::Y)
    }

    fn bounds(&self) -> Aabb {
        Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }
    }
}

/// ρ_B / ρ0 of a half space.
pub(super) fn half_space(kind: MapKind, kernel: &Kernel, profile: Profile) -> Result<Table, GeometryError> {
    let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
    Table::new(kind, kernel, profile, &HalfSpace, everywhere, |distance| DVec3::Y * distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelKind;

    #[test]
    fn a_flat_wall_has_the_density_and_k_times_the_slope_of_the_missing_lattice() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let kernels = [(KernelKind::CubicSpline, 2.0), (KernelKind::WendlandC2, 3.0)];
            let maps = [MapKind::Density, MapKind::Volume];
            for ((kind, ratio), map) in kernels.into_iter().flat_map(|k| maps.map(|map| (k, map))) {
                let spacing = 0.02;
                let kernel = Kernel { kind, support_radius: ratio * spacing, dimension };
                let flat = FlatMap::new(map, &kernel, spacing, Profile::default()).unwrap();
                let missing = missing_half(&kernel, spacing);
                let table = half_space(map, &flat.kernel, Profile::default()).unwrap();
                let slope = flat.factor * table.evaluate(0.5 * spacing).1;
                println!(
                    "{dimension:?} {kind:?} {map:?}: support {:.3} spacings, factor {:.3}, contact at {:.3}",
                    flat.kernel.support_radius / spacing,
                    flat.factor,
                    flat.contact
                );
                assert!(
                    (slope / (2.0 * close_packing(dimension) * missing.gradient) - 1.0).abs() < 0.01,
                    "{slope} {}",
                    missing.gradient
                );
                assert!((flat.distance(missing.density) / spacing - 0.5).abs() < 1e-6);
                assert!(flat.kernel.support_radius < kernel.support_radius);
                assert!(flat.contact > missing.density && flat.contact < 1.5);
            }
        }
    }
}
