//! Cohesion between fluid particles (after \[Becker2007\]) and adhesion to bodies (\[Akinci2013\] Eq. 2).
//!
//! Both attract along the line between two particles, a_i = −s Σ_j V (x_i − x_j) W_ij, and so conserve linear and angular
//! momentum.
//!
//! | here | papers |
//! | --- | --- |
//! | s `[1/s²]` | κ (cohesion), β ρ0 / m (adhesion) |
//! | V of a boundary sample | Ψ / ρ0 |
//!
//! Departures: Eq. 2 is printed without the minus sign that makes it attract. Between fluid particles W_ij has the factor
//! |x_ij|²/r0² − 1, with r0 just below a spacing: pure attraction makes particles coincide in pairs, which density does not
//! forbid, and a drop falls apart. Pairs alone also hold a lattice together as a crystal, whose drops stay square; so the
//! force −c Σ_j (S_i − S_j) is added, with S = Σ V ∇W, which flattens bent surfaces (\[AkinciTension2013\]); it
//! conserves linear, but not angular momentum. The strength is given as a tension γ `[N/m]`, so that it means the same at every resolution:
//! 2γ is the work of taking a lattice apart at a plane, with the potential of the pair forces. That is a scale, not a
//! calibration: drops become round about twice as fast as the frequency of \[Rayleigh1879\] says, and do not ring.

use crate::boundary::BoundarySample;
use crate::kernel::{CubicSpline, KernelKind, KernelShape, WendlandC2};
use crate::lanes::{fma, splat, sum};
use crate::neighbourhood::{FluidParams, Neighbourhood};
use crate::rows::{Row, RowPass};
use crate::search::PairKernel;
use fearless_simd::{Select, Simd};
use glam::{DVec3, Vec3};
use meniscus_core::{Dimension, InterfacePoint};

/// Where attraction between fluid particles turns into repulsion, in spacings `[1]`.
const NEUTRAL: f64 = 0.9;

/// Strength of the flattening force beside cohesion, in units of s spacing² `[1]`.
const BENDING: f64 = 0.1;

/// s of a tension γ `[N/m]` `[1/s²]`.
#[must_use]
pub fn strength(tension: f64, fluid: &FluidParams) -> f64 {
    let unit = tension_of_unit_strength(fluid);
    if unit > 0.0 { tension / unit } else { 0.0 }
}

/// γ for s = 1 `[kg]`: half the potential of all pairs of a lattice that a unit of area separates.
fn tension_of_unit_strength(fluid: &FluidParams) -> f64 {
    let FluidParams { spacing, rest_density, kernel } = *fluid;
    let reach = (kernel.support_radius / spacing).ceil() as i32;
    let depth = if kernel.dimension == Dimension::Three { reach } else { 0 };
    let mut potential = 0.0;
    for layer in 1..=reach {
        for x in -reach..=reach {
            for z in -depth..=depth {
                let distance = spacing * f64::from(x * x + z * z + layer * layer).sqrt();
                // So many pairs of this offset, per particle of a layer, have the plane between them.
                potential += f64::from(layer) * well(fluid, distance);
            }
        }
    }
    let area = fluid.volume() / spacing;
    0.5 * potential * rest_density * fluid.volume() * fluid.kernel_volume() / area
}

/// ∫ r W (r²/r0² − 1) dr from `distance` `[m]` to the end of the support: how deep the pair's potential is `[m^(2−d)]`.
fn well(fluid: &FluidParams, distance: f64) -> f64 {
    let width = fluid.kernel.support_radius - distance;
    if width <= 0.0 {
        return 0.0;
    }
    let (count, neutral) = (200, NEUTRAL * fluid.spacing);
    let step = width / f64::from(count);
    let force = |n: i32| {
        let r = distance + step * (f64::from(n) + 0.5);
        r * fluid.kernel.value(r) * ((r / neutral).powi(2) - 1.0)
    };
    step * (0..count).map(force).sum::<f64>()
}

/// Cohesion, ready to be applied.
#[derive(Debug, Clone, Default)]
pub struct Cohesion {
    acceleration: Vec<[f32; 4]>,
}

impl Cohesion {
    /// The accelerations by a tension `[N/m]` inside the fluid `[m/s²]`, or `None` if it is zero.
    pub fn accelerate(
        &mut self,
        tension: f64,
        fluid: &FluidParams,
        neighbourhood: &Neighbourhood,
    ) -> Option<&[[f32; 4]]> {
        if tension <= 0.0 {
            return None;
        }
        self.acceleration.clear();
        self.acceleration.resize(neighbourhood.packed.len(), [0.0; 4]);
        let scale = strength(tension, fluid) * fluid.kernel_volume() * neighbourhood.unit;
        match fluid.kernel.kind {
            KernelKind::CubicSpline => self.run::<CubicSpline>(fluid, scale, neighbourhood),
            KernelKind::WendlandC2 => self.run::<WendlandC2>(fluid, scale, neighbourhood),
        }
        Some(&self.acceleration)
    }

    fn run<K: KernelShape>(&mut self, fluid: &FluidParams, scale: f64, neighbourhood: &Neighbourhood) {
        let neutral = NEUTRAL * fluid.spacing / neighbourhood.unit;
        let pass = Attraction {
            neighbourhood,
            pair: PairKernel::<K>::new(&fluid.kernel, neighbourhood.unit, scale),
            bending: (BENDING * scale / (fluid.kernel_volume() * neighbourhood.unit) * fluid.spacing.powi(2))
                as f32,
            per_neutral_squared: (1.0 / (neutral * neutral)) as f32,
        };
        neighbourhood.rows.run(&pass, &mut self.acceleration);
    }
}

struct Attraction<'a, K> {
    neighbourhood: &'a Neighbourhood,
    /// Scaled to s V W times metres per unit.
    pair: PairKernel<K>,
    /// 1 / r0² `[1/units²]`.
    per_neutral_squared: f32,
    /// c `[m²/s²]`.
    bending: f32,
}

impl<K: KernelShape> RowPass for Attraction<'_, K> {
    type Out = [f32; 4];

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> [f32; 4] {
        let zero = splat(simd, 0.0);
        let mut pulled = [zero; 3];
        let here = Vec3::from(self.neighbourhood.sum[i].gradient);
        let mut bent = Vec3::ZERO;
        for lanes in row.lanes() {
            let offset = lanes.offsets(simd, self.neighbourhood.packed[i], &self.neighbourhood.packed);
            let value = lanes.real(simd).select(self.pair.eval(simd, offset).0, zero);
            let [x, y, z] = offset;
            let squared = fma(x, x, fma(y, y, z * z));
            // After [Becker2007], with a factor that turns to repulsion: s V W_ij (|x_ij|²/r0² − 1).
            let value = value * fma(squared, splat(simd, self.per_neutral_squared), splat(simd, -1.0));
            for (pulled, offset) in pulled.iter_mut().zip(offset) {
                *pulled = fma(offset, value, *pulled);
            }
            for j in lanes.neighbours() {
                // After [AkinciTension2013]: Σ_j (S_i − S_j).
                bent += here - Vec3::from(self.neighbourhood.sum[j].gradient);
            }
        }
        let bent = self.bending * bent;
        [-bent.x - sum(pulled[0]), -bent.y - sum(pulled[1]), -bent.z - sum(pulled[2]), 0.0]
    }
}

/// Adhesion: the acceleration of a fluid particle at `x` `[m]` towards one boundary sample for the strength s `[1/s²]`
/// `[m/s²]`.
#[must_use]
pub fn adhesion(strength: f64, x: DVec3, sample: &BoundarySample, point: &InterfacePoint) -> Vec3 {
    // [Akinci2013] Eq. 2
    (-strength * f64::from(sample.value) * (x - point.position)).as_vec3()
}
