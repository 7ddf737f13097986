//! The pressure solvers.

use meniscus_sph::neighbourhood::FluidParams;
use meniscus_sph::pressure::{
    Criterion, Dfsph, DfsphParams, Iisph, IisphParams, Pcisph, PcisphParams, PressureSolver, Wcsph,
    WcsphParams,
};
use meniscus_testkit::Result;
use meniscus_testkit::contract::{PressureCase, pressure_solver};

type Make<'a> = &'a (dyn Fn(FluidParams, Criterion) -> Box<dyn PressureSolver> + Sync);

/// Holds a solver that sweeps to its laws.
fn hold(name: &str, tolerance: f64, make: Make<'_>) -> Result<()> {
    pressure_solver(&PressureCase { name, make, solves: true, tolerance })
}

#[test]
fn dfsph_keeps_the_laws_of_pressure_solvers() -> Result<()> {
    hold("dfsph", 1e-7, &|fluid, density| {
        Box::new(Dfsph::new(DfsphParams { density, divergence: Some(density), warm_start: true }, &fluid))
    })
}

#[test]
fn iisph_keeps_the_laws_of_pressure_solvers() -> Result<()> {
    hold("iisph", 1e-7, &|fluid, density| {
        Box::new(Iisph::new(IisphParams { density, relaxation: 0.5, warm_factor: 0.9 }, &fluid))
    })
}

#[test]
fn pcisph_keeps_the_laws_of_pressure_solvers() -> Result<()> {
    // Its densities, of places in units of the frame, end at a few 1e-7.
    hold("pcisph", 2e-6, &|fluid, density| {
        Box::new(Pcisph::new(PcisphParams { density, warm_factor: 0.9 }, fluid))
    })
}

#[test]
fn wcsph_keeps_the_laws_of_pressure_solvers() -> Result<()> {
    let params = WcsphParams { sound_speed: 20.0, exponent: 7.0, clamp_negative: true };
    let make: Make<'_> = &|_, _| Box::new(Wcsph::new(params));
    pressure_solver(&PressureCase { name: "wcsph", make, solves: false, tolerance: 0.0 })
}
