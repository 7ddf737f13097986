//! Numerical methods by their names.

use crate::model;
use crate::model::{Pressure, Scene, Viscosity};
use meniscus_coupling::{OnFailure, PressureChoice};
use meniscus_sph::force::ViscosityParams;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::pressure::{Criterion, DfsphParams, WcsphParams};

/// The kernel in metres.
pub(crate) fn kernel(scene: &Scene) -> Kernel {
    let kind = match &scene.fluid.kernel {
        model::Kernel::CubicSpline(_) => KernelKind::CubicSpline,
        model::Kernel::WendlandC2(_) => KernelKind::WendlandC2,
    };
    let support_radius = scene.fluid.kernel.params().support * scene.fluid.spacing;
    Kernel { kind, support_radius, dimension: scene.dimension }
}

/// The pressure solver, and what to do when it does not converge.
pub(crate) fn pressure(pressure: &Pressure, reference: f64) -> (PressureChoice, OnFailure) {
    match pressure {
        Pressure::Wcsph(wcsph) => {
            let params = WcsphParams {
                sound_speed: wcsph.sound_speed.unwrap_or(reference),
                exponent: wcsph.exponent,
                clamp_negative: wcsph.clamp_negative,
            };
            (PressureChoice::Wcsph(params), OnFailure::Accept)
        }
        Pressure::Dfsph(dfsph) => {
            let on_failure = match dfsph.on_failure {
                model::OnFailure::Accept => OnFailure::Accept,
                model::OnFailure::Stop => OnFailure::Stop,
            };
            (PressureChoice::Dfsph(dfsph_params(dfsph)), on_failure)
        }
    }
}

fn dfsph_params(dfsph: &model::DfsphParams) -> DfsphParams {
    let divergence = Criterion {
        tolerance: dfsph.divergence_tolerance,
        min_sweeps: dfsph.min_divergence_sweeps,
        max_sweeps: dfsph.max_divergence_sweeps,
    };
    DfsphParams {
        density: Criterion {
            tolerance: dfsph.density_tolerance,
            min_sweeps: dfsph.min_sweeps,
            max_sweeps: dfsph.max_sweeps,
        },
        divergence: dfsph.divergence.then_some(divergence),
        warm_start: dfsph.warm_start,
    }
}

/// The viscosity. The artificial one needs a speed of sound: that of the pressure solver, if it has one.
pub(crate) fn viscosity(viscosity: &Viscosity, pressure: &PressureChoice, reference: f64) -> ViscosityParams {
    let signal_speed = pressure.sound_speed().unwrap_or(reference);
    match viscosity {
        Viscosity::None => ViscosityParams::None,
        Viscosity::Artificial(params) => {
            ViscosityParams::Artificial { coefficient: params.coefficient, signal_speed }
        }
        Viscosity::Laplacian(params) => ViscosityParams::Laplacian {
            kinematic: params.kinematic,
            boundary_kinematic: params.boundary_kinematic,
        },
        Viscosity::Xsph(params) => ViscosityParams::Xsph { coefficient: params.coefficient },
    }
}
