//! Viscosity: Monaghan's artificial viscosity, the viscous Laplacian, and XSPH.
//!
//! The first two share one form, a_i = c Σ_j V (v_ij · x_ij) / (|x_ij|² + 0.01 h²) ∇W_ij, a force along x_ij that conserves
//! linear and angular momentum:
//!
//! * artificial (\[Becker2009\] Eq. 5 in Eq. 4): c = α h c_s, only for pairs that approach each other;
//! * laplacian (\[Monaghan2005\]): c = 2 (d + 2) ν, for all pairs; ν is the kinematic viscosity.
//!
//! XSPH (\[Schechter2012\]) blends velocities: Δv_i = c Σ_j V (v_j − v_i) W_ij.
//!
//! Departures: in Eq. 5 the density of a pair is its mean; here it is the rest density, which keeps the pair's
//! forces opposite to the last bit.

use crate::boundary::{BoundarySample, WallTraits};
use crate::kernel::{CubicSpline, Kernel, KernelKind, KernelShape, WendlandC2};
use crate::lanes::{F16, as_records, fma, repeat, splat, sum_records, sum4, sums_of_records};
use crate::neighbourhood::{FluidParams, Neighbourhood};
use crate::rows::{Row, RowPass};
use crate::search::PairKernel;
use fearless_simd::{Select, Simd, SimdBase};
use glam::Vec3;
use meniscus_core::InterfacePoint;

/// Which viscosity, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ViscosityParams {
    /// None.
    None,
    /// Monaghan's artificial viscosity.
    Artificial {
        /// α `[1]`.
        coefficient: f64,
        /// c_s `[m/s]`.
        signal_speed: f64,
    },
    /// The Laplacian of the velocity.
    Laplacian {
        /// ν inside the fluid `[m²/s]`.
        kinematic: f64,
        /// ν between fluid and walls `[m²/s]`.
        boundary_kinematic: f64,
    },
    /// Blending of velocities.
    Xsph {
        /// Share of the neighbours' velocity taken over in a step `[1]`.
        coefficient: f64,
    },
}

/// A viscosity, ready to be applied.
#[derive(Debug, Clone, Default)]
pub struct Viscosity {
    acceleration: Vec<[f32; 4]>,
}

impl Viscosity {
    /// The accelerations by viscosity between fluid particles `[m/s²]`, or `None` where there is none to apply.
    pub fn accelerate(
        &mut self,
        params: ViscosityParams,
        fluid: &FluidParams,
        neighbourhood: &Neighbourhood,
        velocity: &[[f32; 4]],
        dt: f64,
    ) -> Option<&mut [[f32; 4]]> {
        self.acceleration.resize(velocity.len(), [0.0; 4]);
        let out = &mut self.acceleration;
        match params {
            ViscosityParams::None => return None,
            ViscosityParams::Xsph { coefficient } => {
                blend(fluid, neighbourhood, velocity, coefficient / dt, out);
            }
            _ => {
                let approaching_only = matches!(params, ViscosityParams::Artificial { .. });
                let factor = pair_factor(params, fluid, dt);
                neighbourhood
                    .rows
                    .run(&PairViscosity::new(fluid, neighbourhood, velocity, factor, approaching_only), out);
            }
        }
        Some(out)
    }
}

/// c of the pair form between fluid particles `[m²/s]`.
fn pair_factor(params: ViscosityParams, fluid: &FluidParams, dt: f64) -> f64 {
    let wanted = match params {
        ViscosityParams::Artificial { coefficient, signal_speed } => {
            // ν of [Wang2017] Eq. 11, with ρ0 for both densities: α h c_s.
            coefficient * fluid.kernel.smoothing_length() * signal_speed
        }
        ViscosityParams::Laplacian { kinematic, .. } => laplacian_factor(fluid) * kinematic,
        _ => 0.0,
    };
    wanted.min(stable_factor(fluid, dt))
}

fn laplacian_factor(fluid: &FluidParams) -> f64 {
    // 2 (d + 2): [Monaghan2005].
    2.0 * (f64::from(fluid.kernel.dimension.count()) + 2.0)
}

/// What is added to the squared distance of two particles, so that the quotient stays finite, in squared smoothing lengths: the papers'
/// 0.01 h² `[1]`.
const SOFTENING: f64 = 0.01;

/// Walls are never nearer to a particle than this when its friction on them is found, in spacings `[1]`.
const MIN_LEVER: f64 = 0.1;

/// What the strongest explicit damping is of 2 (d + 2) h² / dt; see [`stable_factor`] `[1]`.
const STABLE_DAMPING: f64 = 0.25;

/// The largest c for which the explicit step damps and does not oscillate: beyond it velocity differences would change
/// sign within one step. Callers get the strongest stable damping instead of an explosion.
fn stable_factor(fluid: &FluidParams, dt: f64) -> f64 {
    let h = fluid.kernel.smoothing_length();
    // Σ_j V |x·∇W| / (|x|² + …) is close to laplacian_factor / (2 h²) · a constant of order one for both kernels.
    STABLE_DAMPING * laplacian_factor(fluid) * h * h / dt
}

struct PairViscosity<'a> {
    neighbourhood: &'a Neighbourhood,
    velocity: &'a [[f32; 4]],
    factor: f32,
    /// 0.01 h² `[units²]`.
    softening: f32,
    /// Offsets are in units, and appear once above and squared below the line.
    per_unit: f32,
    approaching_only: bool,
}

impl<'a> PairViscosity<'a> {
    fn new(
        fluid: &FluidParams,
        neighbourhood: &'a Neighbourhood,
        velocity: &'a [[f32; 4]],
        factor: f64,
        approaching_only: bool,
    ) -> Self {
        let h = fluid.kernel.smoothing_length() / neighbourhood.unit;
        Self {
            neighbourhood,
            velocity,
            factor: factor as f32,
            softening: (SOFTENING * h * h) as f32,
            per_unit: (1.0 / neighbourhood.unit) as f32,
            approaching_only,
        }
    }
}

impl RowPass for PairViscosity<'_> {
    type Out = [f32; 4];

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> [f32; 4] {
        let zero = splat(simd, 0.0);
        let here = repeat(simd, self.velocity[i]);
        let mut total = [F16::splat(simd, 0.0); 2];
        for lanes in row.lanes() {
            let x = lanes.record_offsets(simd, self.neighbourhood.packed[i], &self.neighbourhood.packed);
            let v = lanes.records(simd, self.velocity).map(|there| here - there);
            let [approach, squared] =
                sums_of_records(simd, [v[0] * x[0], v[1] * x[1]], [x[0] * x[0], x[1] * x[1]]);
            // [Becker2009] Eq. 5: v_ij · x_ij / (|x_ij|² + δ h²).
            let mut strength = approach / (squared + splat(simd, self.softening));
            if self.approaching_only {
                strength = approach.simd_lt(zero).select(strength, zero);
            }
            let strength = as_records(simd, strength);
            let gradient = lanes.gradients(simd);
            // [Becker2009] Eq. 4: Π_ij ∇W_ij.
            total = [fma(strength[0], gradient[0], total[0]), fma(strength[1], gradient[1], total[1])];
        }
        let factor = self.factor * self.per_unit * row.quantum;
        let [x, y, z, _] = sum_records(simd, total[0] + total[1]);
        [factor * x, factor * y, factor * z, 0.0]
    }
}

struct Blend<'a, K> {
    neighbourhood: &'a Neighbourhood,
    velocity: &'a [[f32; 4]],
    pair: PairKernel<K>,
}

impl<K: KernelShape> RowPass for Blend<'_, K> {
    type Out = [f32; 4];

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> [f32; 4] {
        let zero = splat(simd, 0.0);
        let own = self.velocity[i];
        let (mut ax, mut ay, mut az) = (zero, zero, zero);
        for lanes in row.lanes() {
            let offset = lanes.offsets(simd, self.neighbourhood.packed[i], &self.neighbourhood.packed);
            let value = lanes.real(simd).select(self.pair.eval(simd, offset).0, zero);
            let [vx, vy, vz, _] = lanes.gather4(simd, self.velocity);
            // XSPH, [Schechter2012]: Σ_j V (v_j − v_i) W_ij.
            ax = fma(vx - splat(simd, own[0]), value, ax);
            ay = fma(vy - splat(simd, own[1]), value, ay);
            az = fma(vz - splat(simd, own[2]), value, az);
        }
        sum4(simd, [ax, ay, az, zero])
    }
}

fn blend(
    fluid: &FluidParams,
    neighbourhood: &Neighbourhood,
    velocity: &[[f32; 4]],
    per_second: f64,
    out: &mut [[f32; 4]],
) {
    fn run<K: KernelShape>(
        kernel: &Kernel,
        scale: f64,
        neighbourhood: &Neighbourhood,
        velocity: &[[f32; 4]],
        out: &mut [[f32; 4]],
    ) {
        neighbourhood.rows.run(
            &Blend { neighbourhood, velocity, pair: PairKernel::<K>::new(kernel, neighbourhood.unit, scale) },
            out,
        );
    }
    let scale = per_second * fluid.kernel_volume();
    match fluid.kernel.kind {
        KernelKind::CubicSpline => run::<CubicSpline>(&fluid.kernel, scale, neighbourhood, velocity, out),
        KernelKind::WendlandC2 => run::<WendlandC2>(&fluid.kernel, scale, neighbourhood, velocity, out),
    }
}

/// Friction of a wall: the acceleration of a fluid particle by one boundary sample `[m/s²]`, in the pair form of the fluid's
/// own viscosity (\[Wang2017\] Eq. 11).
///
/// A smooth wall has one sample a particle, straight ahead, and the pair form would only damp the approach. There the wall's
/// velocity is continued beyond the surface so that fluid sticks to it (\[Morris1997\]), which \[Koschier2017\] leave to future
/// work: a = −2 ν (D + 2)/(D + 1) push v_t / d for the tangential velocity v_t at a distance d in D dimensions. The fraction is
/// what half a space of fluid in shear exerts through the pair form, over what it exerts through that of \[Morris1997\].
#[derive(Debug, Clone, Copy)]
pub struct WallFriction {
    factor: f32,
    /// 0.01 h² `[m²]`.
    softening: f32,
    approaching_only: bool,
    /// 2 ν (D + 2)/(D + 1) `[m²/s]`.
    drag: f32,
    /// Distances from a smooth wall are taken as no less than this `[m]`.
    nearest: f32,
    /// The most that drag may take of a velocity `[1/s]`.
    fastest: f32,
}

impl WallFriction {
    /// The friction of these parameters, or `None` if walls are smooth.
    #[must_use]
    pub fn new(params: ViscosityParams, fluid: &FluidParams, dt: f64) -> Option<Self> {
        let wanted = match params {
            ViscosityParams::Laplacian { boundary_kinematic, .. } => {
                laplacian_factor(fluid) * boundary_kinematic
            }
            ViscosityParams::Artificial { .. } => pair_factor(params, fluid, dt),
            ViscosityParams::None | ViscosityParams::Xsph { .. } => 0.0,
        };
        let drag = match params {
            ViscosityParams::Laplacian { boundary_kinematic, .. } => {
                let d = f64::from(fluid.kernel.dimension.count());
                2.0 * boundary_kinematic * (d + 2.0) / (d + 1.0)
            }
            _ => 0.0,
        };
        let h = fluid.kernel.smoothing_length();
        let factor = wanted.min(stable_factor(fluid, dt));
        (factor > 0.0).then_some(Self {
            factor: factor as f32,
            softening: (SOFTENING * h * h) as f32,
            approaching_only: matches!(params, ViscosityParams::Artificial { .. }),
            drag: drag as f32,
            nearest: (MIN_LEVER * fluid.spacing) as f32,
            fastest: (1.0 / dt) as f32,
        })
    }

    /// The acceleration by one sample of a body that acts like `wall`; `x` is the fluid particle's position, `v` its velocity.
    #[must_use]
    pub fn acceleration(
        &self,
        x: glam::DVec3,
        v: Vec3,
        sample: &BoundarySample,
        point: &InterfacePoint,
        wall: &WallTraits,
    ) -> Vec3 {
        let push = wall.tangential_push(sample);
        let lever = (point.position - x).as_vec3();
        let relative = v - point.velocity.as_vec3();
        let pairwise = self.pairwise(-lever, relative, push);
        // 2 ν (D + 2)/(D + 1) push / d, see above.
        let rate = self.drag * push.length() / wall.shear_distance(lever).max(self.nearest);
        if rate <= 0.0 {
            return pairwise;
        }
        let towards = lever.normalize_or_zero();
        let tangential = relative - relative.dot(towards) * towards;
        pairwise - rate.min(self.fastest) * tangential
    }

    /// The pair form for a sample at −`offset` `[m]` that pushes like this.
    fn pairwise(&self, offset: Vec3, relative: Vec3, push: Vec3) -> Vec3 {
        let approach = relative.dot(offset);
        if self.approaching_only && approach > 0.0 {
            return Vec3::ZERO;
        }
        let strength = approach / (offset.length_squared() + self.softening);
        // [Wang2017] Eq. 11.
        self.factor * strength * push
    }
}
