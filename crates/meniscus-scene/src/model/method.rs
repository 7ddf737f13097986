//! The numerical methods of the fluid, each variant with the parameters of its method.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The smoothing kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[schemars(rename = "Kernel")]
pub enum KernelSpec {
    /// The cubic spline.
    CubicSpline(KernelParams),
    /// The C2 function of Wendland.
    WendlandC2(KernelParams),
}

impl KernelSpec {
    /// The parameters, whichever kernel it is.
    #[must_use]
    pub fn params(&self) -> &KernelParams {
        match self {
            Self::CubicSpline(params) | Self::WendlandC2(params) => params,
        }
    }
}

impl Default for KernelSpec {
    fn default() -> Self {
        Self::CubicSpline(KernelParams::default())
    }
}

/// How far a kernel reaches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct KernelParams {
    /// The support radius in particle spacings: the kernel is zero beyond it `[1]`.
    #[schemars(range(min = 1.5, max = 4.0))]
    pub support: f64,
}

impl Default for KernelParams {
    fn default() -> Self {
        Self { support: 2.0 }
    }
}

/// The solver that keeps the fluid from being compressed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Pressure {
    /// Divergence-free SPH: solves for constant density and for a divergence-free velocity.
    Dfsph(DfsphSpec),
    /// Weakly compressible SPH: pressure from the density by the Tait equation.
    Wcsph(WcsphSpec),
    /// Predictive-corrective incompressible SPH: solves for constant density at predicted places.
    Pcisph(PcisphSpec),
    /// Implicit incompressible SPH: solves for constant density by relaxed Jacobi sweeps.
    Iisph(IisphSpec),
}

impl Pressure {
    /// What to do when a solve does not reach its tolerance.
    #[must_use]
    pub fn on_failure(&self) -> OnFailureSpec {
        match self {
            Self::Dfsph(params) => params.on_failure,
            Self::Pcisph(params) => params.on_failure,
            Self::Iisph(params) => params.on_failure,
            // It has nothing to solve.
            Self::Wcsph(_) => OnFailureSpec::Accept,
        }
    }

    /// The bounds of its sweeps, as keys and values: the fewest, and the most `[1]`.
    pub(crate) fn sweep_bounds(&self) -> Vec<[(&'static str, u32); 2]> {
        let density = |min, max| [("min_sweeps", min), ("max_sweeps", max)];
        match self {
            Self::Wcsph(_) => vec![],
            Self::Pcisph(params) => vec![density(params.min_sweeps, params.max_sweeps)],
            Self::Iisph(params) => vec![density(params.min_sweeps, params.max_sweeps)],
            Self::Dfsph(params) => vec![
                density(params.min_sweeps, params.max_sweeps),
                [
                    ("min_divergence_sweeps", params.min_divergence_sweeps),
                    ("max_divergence_sweeps", params.max_divergence_sweeps),
                ],
            ],
        }
    }
}

impl Default for Pressure {
    fn default() -> Self {
        Self::Dfsph(DfsphSpec::default())
    }
}

/// Divergence-free SPH.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct DfsphSpec {
    /// What a solve may leave of the acceleration by pressure, in the root of the mean square, as a fraction of gravity, or of that acceleration where it is larger.
    /// If left out: 0.05, and anything without gravity or if `density_tolerance` is given `[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub acceleration_tolerance: Option<f64>,
    /// The mean density error at which the density solve ends, as a fraction of the rest density; 1e-3 if left out. Alone it says little of pressures
    /// where fluid is deep or steps are short `[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub density_tolerance: Option<f64>,
    /// The mean density change in one step at which the divergence solve ends, as a fraction of the rest density `[1]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub divergence_tolerance: f64,
    /// The fewest sweeps of the density solve `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub min_sweeps: u32,
    /// The most sweeps of the density solve `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_sweeps: u32,
    /// The fewest sweeps of the divergence solve `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub min_divergence_sweeps: u32,
    /// The most sweeps of the divergence solve `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_divergence_sweeps: u32,
    /// Whether the divergence is solved for at all.
    pub divergence: bool,
    /// Whether a solve starts from the pressures of the step before.
    pub warm_start: bool,
    /// What to do when a solve does not reach its tolerance.
    pub on_failure: OnFailureSpec,
}

impl Default for DfsphSpec {
    fn default() -> Self {
        Self {
            acceleration_tolerance: None,
            density_tolerance: None,
            divergence_tolerance: 1e-3,
            min_sweeps: 2,
            max_sweeps: 100,
            min_divergence_sweeps: 1,
            max_divergence_sweeps: 100,
            divergence: true,
            warm_start: true,
            on_failure: OnFailureSpec::Accept,
        }
    }
}

/// Predictive-corrective incompressible SPH.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct PcisphSpec {
    /// The mean density error at which the solve ends, as a fraction of the rest density `[1]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub density_tolerance: f64,
    /// The fewest sweeps `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub min_sweeps: u32,
    /// The most sweeps `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_sweeps: u32,
    /// The share of the last step's pressures that a solve starts from `[1]`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub warm_factor: f64,
    /// What to do when the solve does not reach its tolerance.
    pub on_failure: OnFailureSpec,
}

impl Default for PcisphSpec {
    fn default() -> Self {
        Self {
            density_tolerance: 1e-3,
            min_sweeps: 3,
            max_sweeps: 100,
            warm_factor: 0.0,
            on_failure: OnFailureSpec::Accept,
        }
    }
}

/// Implicit incompressible SPH.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct IisphSpec {
    /// What a solve may leave of the acceleration by pressure, in the root of the mean square, as a fraction of gravity, or of that acceleration where it is larger.
    /// If left out: 0.05, and anything without gravity `[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub acceleration_tolerance: Option<f64>,
    /// The mean density error at which the solve ends, as a fraction of the rest density; 1e-3 if left out. Alone it says little of pressures
    /// where fluid is deep or steps are short `[1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub density_tolerance: Option<f64>,
    /// The fewest sweeps `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub min_sweeps: u32,
    /// The most sweeps `[1]`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_sweeps: u32,
    /// The relaxation ω of a sweep; with more than about a half, sweeps may swing `[1]`.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub relaxation: f64,
    /// The share of the last step's pressures that a solve starts from `[1]`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub warm_factor: f64,
    /// What to do when the solve does not reach its tolerance.
    pub on_failure: OnFailureSpec,
}

impl Default for IisphSpec {
    fn default() -> Self {
        Self {
            acceleration_tolerance: None,
            density_tolerance: None,
            min_sweeps: 2,
            max_sweeps: 100,
            relaxation: 0.5,
            warm_factor: 0.5,
            on_failure: OnFailureSpec::Accept,
        }
    }
}

/// What to do when a solve does not reach its tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum OnFailureSpec {
    /// Go on with the result there is, and count the failure.
    Accept,
    /// End the simulation with an error.
    Stop,
    /// Take the step again with half its length, and end the simulation with an error when even the smallest one fails;
    /// also for steps in which something becomes much too fast or too dense. Needs steps that adapt.
    Retry,
}

/// Weakly compressible SPH.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct WcsphSpec {
    /// The exponent of the Tait equation `[1]`.
    #[schemars(range(min = 1.0, max = 20.0))]
    pub exponent: f64,
    /// The speed of sound. If left out: ten times the speed of a free fall through the height of the fluid `[m/s]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub sound_speed: Option<f64>,
    /// Whether negative pressures are set to zero.
    pub clamp_negative: bool,
}

impl Default for WcsphSpec {
    fn default() -> Self {
        Self { exponent: 7.0, sound_speed: None, clamp_negative: true }
    }
}

/// The friction inside the fluid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "method", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "Viscosity")]
pub enum ViscositySpec {
    /// No friction.
    None,
    /// The artificial viscosity of Monaghan.
    Artificial(ArtificialViscosityParams),
    /// A physical viscosity by a discrete Laplacian of the velocity.
    Laplacian(LaplacianViscosityParams),
    /// Velocities smoothed over the neighbours.
    Xsph(XsphParams),
}

/// The share of its neighbours' mean velocity that a fluid takes over in each step if nothing else is said `[1]`: it calms water
/// at rest as an artificial viscosity of 0.05 does, and leaves a splash most of its energy.
const CALMING: f64 = 0.1;
/// The same with WCSPH, whose steps are those of sound, ten times as fast as the fluid `[1]`.
const CALMING_WCSPH: f64 = 0.01;

impl ViscositySpec {
    /// What a fluid has of which nothing is said, with the given solver.
    #[must_use]
    pub fn of_solver(pressure: &Pressure) -> Self {
        let coefficient = if matches!(pressure, Pressure::Wcsph(_)) { CALMING_WCSPH } else { CALMING };
        Self::Xsph(XsphParams { coefficient })
    }
}

/// The artificial viscosity of Monaghan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct ArtificialViscosityParams {
    /// Monaghan's alpha `[1]`.
    #[schemars(range(min = 0.0))]
    pub coefficient: f64,
}

impl Default for ArtificialViscosityParams {
    fn default() -> Self {
        Self { coefficient: 0.05 }
    }
}

/// A physical viscosity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct LaplacianViscosityParams {
    /// The kinematic viscosity between fluid particles; water has 1e-6 `[m²/s]`.
    #[schemars(range(min = 0.0))]
    #[schemars(extend("examples" = [1e-6]))]
    pub kinematic: f64,
    /// The kinematic viscosity between fluid and solids `[m²/s]`.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub boundary_kinematic: f64,
}

/// Velocities smoothed over the neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct XsphParams {
    /// How much of the mean velocity of the neighbours is taken in each step `[1]`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub coefficient: f64,
}

impl Default for XsphParams {
    fn default() -> Self {
        Self { coefficient: 0.05 }
    }
}
