//! The densities of a frame are those of its positions, recomputed here particle by particle in double precision.

mod common;

use common::{change_kernel, dfsph, iisph, pcisph, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{Setup, Simulation};
use meniscus_sph::PressureChoice;
use meniscus_sph::kernel::KernelKind;

/// ρ/ρ0 at each position, with walls weighted as in \[Akinci2013\] Eq. 1.
fn reference(setup: &Setup, position: &[DVec3]) -> Vec<f64> {
    let kernel = &setup.sph.fluid.kernel;
    let wall: Vec<(DVec3, f64)> =
        setup.sph.samples.iter().flat_map(|s| s.position.iter().map(|&x| (x, s.volume_factor))).collect();
    let number_density = |x: DVec3| wall.iter().map(|(y, _)| kernel.value(x.distance(*y))).sum::<f64>();
    let volume: Vec<f64> = wall.iter().map(|&(x, factor)| factor / number_density(x)).collect();
    let volume_of_one = setup.sph.fluid.kernel_volume();
    let density = |&x: &DVec3| {
        let fluid: f64 = position.iter().map(|y| volume_of_one * kernel.value(x.distance(*y))).sum();
        let solid = wall.iter().zip(&volume).map(|((y, _), v)| v * kernel.value(x.distance(*y)));
        fluid + solid.sum::<f64>()
    };
    position.iter().map(density).collect()
}

fn check(dimension: Dimension, kind: KernelKind, ratio: f64, pressure: PressureChoice) {
    let spacing = 0.04;
    let (tank, water) = (DVec3::new(0.8, 0.6, 0.32), DVec3::new(0.32, 0.4, 0.32));
    let mut setup = tank_setup(dimension, spacing, tank, water, pressure);
    change_kernel(&mut setup, kind, ratio);
    let mut simulation = Simulation::new(setup.clone()).unwrap();
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let frame = simulation.frame(0);
    let exact = reference(&setup, &frame.position);
    let mut worst: f64 = 0.0;
    for (found, exact) in frame.density.iter().zip(&exact) {
        worst = worst.max((f64::from(*found) / setup.sph.fluid.rest_density / exact - 1.0).abs());
    }
    let compression = exact.iter().map(|density| (density - 1.0).max(0.0));
    let (mean, max) =
        (compression.clone().sum::<f64>() / exact.len() as f64, compression.fold(0.0, f64::max));
    simulation.step().unwrap();
    let report = simulation.sph_report();
    println!(
        "{dimension:?} {kind:?} {ratio}: density off by {worst:.1e}, mean compression {mean:.3e}, off by {:.1e}",
        (report.density_error_mean - mean).abs()
    );
    assert!(worst < 1e-4, "a density is off by {worst:e}");
    assert!(mean > 1e-6, "nothing is compressed, so there is nothing to compare");
    assert!((report.density_error_mean - mean).abs() < 1e-5, "{} {mean}", report.density_error_mean);
    assert!((report.density_error_max - max).abs() < 1e-4, "{} {max}", report.density_error_max);
}

#[test]
fn in_the_plane() {
    check(Dimension::Two, KernelKind::CubicSpline, 2.0, dfsph(1e-3));
    check(Dimension::Two, KernelKind::CubicSpline, 2.0, pcisph(1e-3));
    check(Dimension::Two, KernelKind::WendlandC2, 2.3, iisph(1e-3));
    check(Dimension::Two, KernelKind::WendlandC2, 3.0, wcsph(25.0));
}

#[test]
fn in_space() {
    check(Dimension::Three, KernelKind::CubicSpline, 2.0, dfsph(1e-3));
    check(Dimension::Three, KernelKind::WendlandC2, 2.3, pcisph(1e-3));
    check(Dimension::Three, KernelKind::CubicSpline, 2.0, iisph(1e-3));
    check(Dimension::Three, KernelKind::WendlandC2, 2.6, wcsph(25.0));
}
