//! The densities of a frame are those of its positions, recomputed particle by particle in double precision.

use meniscus_core::Dimension;
use meniscus_testkit::solver::{Solver, dfsph, iisph, pcisph, wcsph};
use meniscus_testkit::{ExactDensity, Result, Tank, above, below, law};

const WHY: &str = "single precision";

fn check(dimension: Dimension, kernel: &str, support: f64, solver: &Solver) -> Result<()> {
    let case = format!("{dimension:?}, {kernel}, {support}, {solver}");
    let tank = Tank::new(dimension, 0.04).width(0.8).height(0.6).across(0.32).closed().dam(0.32).depth(0.4);
    let tank = tank.fluid(&format!("kernel = {{ method = \"{kernel}\", support = {support:?} }}"));
    let tank = tank.solver(solver.strict()).viscosity("none").longest_step(2e-3);
    let mut run = tank.start()?;
    run.steps(100)?;
    let (found, position) = (run.densities(), run.positions_by_id());
    let exact = ExactDensity::of(&tank.setup()?).at(&position);
    let off = found.iter().zip(&exact).map(|(found, exact)| (found / exact - 1.0).abs()).fold(0.0, f64::max);
    law!("error of a density", off, below(1e-4), WHY, "{case}");
    let compression = exact.iter().map(|density| (density - 1.0).max(0.0));
    let mean = compression.clone().sum::<f64>() / exact.len() as f64;
    let max = compression.fold(0.0, f64::max);
    law!("mean compression", mean, above(1e-6), "there is something to compare", "{case}");
    run.step()?;
    let report = run.fluid_report();
    let off = [(report.density_error_mean - mean).abs(), (report.density_error_max - max).abs()];
    law!("error of the mean compression", off[0], below(1e-5), WHY, "{case}");
    law!("error of the largest compression", off[1], below(1e-4), WHY, "{case}");
    Ok(())
}

#[test]
fn reported_densities_are_exact_in_the_plane() -> Result<()> {
    check(Dimension::Two, "cubic-spline", 2.0, &dfsph(1e-3))?;
    check(Dimension::Two, "cubic-spline", 2.0, &pcisph(1e-3))?;
    check(Dimension::Two, "wendland-c2", 2.3, &iisph(1e-3))?;
    check(Dimension::Two, "wendland-c2", 3.0, &wcsph(25.0))
}

#[test]
fn reported_densities_are_exact_in_space() -> Result<()> {
    check(Dimension::Three, "cubic-spline", 2.0, &dfsph(1e-3))?;
    check(Dimension::Three, "wendland-c2", 2.3, &pcisph(1e-3))?;
    check(Dimension::Three, "cubic-spline", 2.0, &iisph(1e-3))?;
    check(Dimension::Three, "wendland-c2", 2.6, &wcsph(25.0))
}
