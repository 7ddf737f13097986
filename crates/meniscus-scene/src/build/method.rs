//! Numerical methods by their names.

use crate::model;
use crate::model::{Pressure, Scene, ViscositySpec};
use glam::DVec3;
use meniscus_sph::force::ViscosityParams;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::pressure::{Criterion, DfsphParams, IisphParams, PcisphParams, WcsphParams};
use meniscus_sph::{OnFailure, PressureChoice};

/// The mean density error of DFSPH and IISPH unless the scene says otherwise `[1]`.
const DENSITY_TOLERANCE: f64 = 1e-3;

/// What is left of the pressure acceleration unless the scene says otherwise (ADR 34) `[1]`.
const ACCELERATION_TOLERANCE: f64 = 0.05;

/// The kernel in metres.
pub(crate) fn kernel(scene: &Scene) -> Kernel {
    let kind = match &scene.fluid.kernel {
        model::KernelSpec::CubicSpline(_) => KernelKind::CubicSpline,
        model::KernelSpec::WendlandC2(_) => KernelKind::WendlandC2,
    };
    let support_radius = scene.fluid.kernel.params().support * scene.fluid.spacing;
    Kernel { kind, support_radius, dimension: scene.dimension }
}

/// The pressure solver.
pub(crate) fn pressure(scene: &Scene, reference: f64) -> PressureChoice {
    let otherwise = if DVec3::from(scene.gravity) == DVec3::ZERO {
        // Nothing falls: what matters of pressures is seen in the density.
        f64::INFINITY
    } else {
        ACCELERATION_TOLERANCE
    };
    match &scene.fluid.pressure {
        Pressure::Wcsph(wcsph) => PressureChoice::Wcsph(WcsphParams {
            sound_speed: wcsph.sound_speed.unwrap_or(reference),
            exponent: wcsph.exponent,
            clamp_negative: wcsph.clamp_negative,
        }),
        Pressure::Pcisph(pcisph) => PressureChoice::Pcisph(PcisphParams {
            density: Criterion::new(pcisph.density_tolerance, pcisph.min_sweeps, pcisph.max_sweeps),
            warm_factor: pcisph.warm_factor,
        }),
        Pressure::Iisph(iisph) => PressureChoice::Iisph(IisphParams {
            density: Criterion {
                // Its solves end at once where fluid falls within a density tolerance, and nothing else takes that back.
                acceleration: iisph.acceleration_tolerance.unwrap_or(otherwise),
                ..Criterion::new(
                    iisph.density_tolerance.unwrap_or(DENSITY_TOLERANCE),
                    iisph.min_sweeps,
                    iisph.max_sweeps,
                )
            },
            relaxation: iisph.relaxation,
            warm_factor: iisph.warm_factor,
        }),
        Pressure::Dfsph(dfsph) => PressureChoice::Dfsph(dfsph_params(dfsph, otherwise)),
    }
}

/// What to do when it does not converge.
pub(crate) fn on_failure(pressure: &Pressure) -> OnFailure {
    match pressure.on_failure() {
        model::OnFailureSpec::Accept => OnFailure::Accept,
        model::OnFailureSpec::Stop => OnFailure::Stop,
        model::OnFailureSpec::Retry => OnFailure::Retry,
    }
}

fn dfsph_params(dfsph: &model::DfsphSpec, otherwise: f64) -> DfsphParams {
    // A density tolerance alone is taken as it is.
    let otherwise = if dfsph.density_tolerance.is_some() { f64::INFINITY } else { otherwise };
    let acceleration = dfsph.acceleration_tolerance.unwrap_or(otherwise);
    let criterion =
        |tolerance, least, most| Criterion { acceleration, ..Criterion::new(tolerance, least, most) };
    let divergence =
        criterion(dfsph.divergence_tolerance, dfsph.min_divergence_sweeps, dfsph.max_divergence_sweeps);
    DfsphParams {
        density: criterion(
            dfsph.density_tolerance.unwrap_or(DENSITY_TOLERANCE),
            dfsph.min_sweeps,
            dfsph.max_sweeps,
        ),
        divergence: dfsph.divergence.then_some(divergence),
        warm_start: dfsph.warm_start,
    }
}

/// The viscosity. The artificial one needs a speed of sound: that of the pressure solver, if it has one.
pub(crate) fn viscosity(
    viscosity: &ViscositySpec,
    pressure: &PressureChoice,
    reference: f64,
) -> ViscosityParams {
    let signal_speed = pressure.sound_speed().unwrap_or(reference);
    match viscosity {
        ViscositySpec::None => ViscosityParams::None,
        ViscositySpec::Artificial(params) => {
            ViscosityParams::Artificial { coefficient: params.coefficient, signal_speed }
        }
        ViscositySpec::Laplacian(params) => ViscosityParams::Laplacian {
            kinematic: params.kinematic,
            boundary_kinematic: params.boundary_kinematic,
        },
        ViscositySpec::Xsph(params) => ViscosityParams::Xsph { coefficient: params.coefficient },
    }
}
