//! Flows that formulas know.

use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_grid::{Advection, Alone, CellLattice, GridSetup, GridSide, Preconditioner, Site, Splitting};
use std::f64::consts::PI;

fn run(flow: &mut Alone, dt: f64, steps: u32) {
    for _ in 0..steps {
        flow.step(dt).unwrap();
    }
}

/// A vortex that fills a box with walls along which fluid slips, after a time: the share of its energy that is left over what should
/// be, and the largest error of a velocity.
fn vortex(cells: usize, steps: u32, advection: Advection, splitting: Splitting) -> (f64, f64) {
    let (viscosity, time) = (0.01, 2.0);
    let lattice =
        CellLattice::new(Dimension::Two, [cells, cells, 1], PI / cells as f64, DVec3::ZERO).unwrap();
    let mut setup = GridSetup::new(lattice, [GridSide::SLIP; 6], 1.0);
    setup.viscosity = viscosity;
    (setup.advection, setup.splitting) = (advection, splitting);
    setup.pressure.tolerance = 1e-8;
    let mut fluid = Alone::new(setup, DVec3::ZERO);
    let exact = |x: DVec3| DVec3::new(x.x.sin() * x.y.cos(), -x.x.cos() * x.y.sin(), 0.0);
    fluid.fluid_mut().set_velocity(exact);
    let before = fluid.fluid().fields().totals.kinetic_energy;
    run(&mut fluid, time / f64::from(steps), steps);
    let decay = (-2.0 * viscosity * time).exp();
    let mut worst: f64 = 0.0;
    for axis in 0..2 {
        for (slot, n) in lattice.each(&lattice.face_range(axis)) {
            let expected = decay * exact(lattice.position(Site::Face(axis), slot))[axis];
            worst = worst.max((fluid.fluid().fields().velocity[axis][n] - expected).abs());
        }
    }
    (fluid.fluid().fields().totals.kinetic_energy / before / (decay * decay), worst)
}

#[test]
fn a_taylor_green_vortex_decays_as_it_should_and_errors_are_of_second_order() {
    // At a Courant number of about one: errors in time count as well.
    let runs = [(16, 10), (32, 20), (64, 40)];
    let found = runs.map(|(cells, steps)| vortex(cells, steps, Advection::MacCormack, Splitting::Reflection));
    let orders = [0, 1].map(|k| (found[k].1 / found[k + 1].1).log2());
    let first = vortex(64, 40, Advection::SemiLagrangian, Splitting::Projection);
    println!("MacCormack {found:?} orders {orders:?}; thesis {first:?}");
    assert!(orders[1] > 1.8, "{orders:?}");
    assert!((found[2].0 - 1.0).abs() < 0.001 && first.0 < 0.95);
}

#[test]
fn fluid_driven_between_plates_takes_poiseuilles_shape() {
    let (cells, viscosity, force) = (32, 0.1, 0.8);
    let lattice = CellLattice::new(Dimension::Two, [4, cells, 1], 1.0 / cells as f64, DVec3::ZERO).unwrap();
    let sides =
        [GridSide::Open, GridSide::Open, GridSide::STICK, GridSide::STICK, GridSide::SLIP, GridSide::SLIP];
    let mut setup = GridSetup::new(lattice, sides, 1000.0);
    setup.viscosity = viscosity;
    setup.acceleration = force * DVec3::X;
    let mut fluid = Alone::new(setup, DVec3::ZERO);
    run(&mut fluid, 0.0025, 400);
    let at = |fluid: &Alone, j: usize| fluid.fluid().fields().velocity[0][lattice.index([3, j, 0])];
    let y = |j: usize| lattice.position(Site::Face(0), [3, j, 0]).y;
    // \[VALIDATION\] start-up: u = F/2ν y (L − y) − Σ 4FL²/(νπ³m³) sin(mπy/L) exp(−m²π²νt/L²).
    let exact = |y: f64, t: f64| {
        let series = (0..20).map(|k| {
            let m = PI * f64::from(2 * k + 1);
            4.0 * force / (viscosity * m.powi(3)) * (m * y).sin() * (-m * m * viscosity * t).exp()
        });
        0.5 * force / viscosity * y * (1.0 - y) - series.sum::<f64>()
    };
    let off = |fluid: &Alone, t: f64| {
        (1..=cells).map(|j| (at(fluid, j) - exact(y(j), t)).abs()).fold(0.0, f64::max) / exact(0.5, t)
    };
    let early = off(&fluid, 1.0);
    run(&mut fluid, 0.0025, 3600);
    let late = off(&fluid, 10.0);
    println!("after 1 s {early:.2e}, after 10 s {late:.2e} of the largest velocity");
    assert!(early < 2e-3 && late < 2e-3);
}

/// Iterations for a field of noise in a closed box with steps of a cell, by grid.
fn iterations(dimension: Dimension, cells: usize, preconditioner: Preconditioner, tolerance: f64) -> u32 {
    let lattice = CellLattice::new(dimension, [cells; 3], 1.0 / cells as f64, DVec3::ZERO).unwrap();
    let mut setup = GridSetup::new(lattice, [GridSide::SLIP; 6], 1.0);
    setup.pressure.preconditioner = preconditioner;
    setup.pressure.tolerance = tolerance;
    setup.pressure.max_iterations = 1000;
    let mut fluid = Alone::new(setup, DVec3::ZERO);
    let wave = |x: DVec3| {
        DVec3::new((3.0 * x.y + x.x * 9.0).sin(), (7.0 * x.x + 2.0 * x.y).cos(), (5.0 * x.x).sin())
    };
    fluid.fluid_mut().set_velocity(wave);
    run(&mut fluid, 1e-3, 1);
    let left = fluid.fluid().fields().divergence * lattice.spacing();
    assert!(left <= 4.0 * tolerance, "{left}");
    fluid.fluid().report().iterations
}

#[test]
fn multigrid_needs_as_many_iterations_on_any_grid() {
    let of = |dimension, choice, sizes: [usize; 3]| sizes.map(|n| iterations(dimension, n, choice, 1e-6));
    let plane = of(Dimension::Two, Preconditioner::Multigrid, [32, 64, 128]);
    let space = of(Dimension::Three, Preconditioner::Multigrid, [16, 32, 48]);
    let cholesky = of(Dimension::Two, Preconditioner::IncompleteCholesky, [32, 64, 128]);
    println!("multigrid: plane {plane:?}, space {space:?}; incomplete Cholesky: plane {cholesky:?}");
    assert!(plane[2] <= 12 && space[2] <= 12);
    assert!(cholesky[2] > 2 * plane[2]);
}

#[test]
fn smoke_rises_when_warm_and_stays_when_not() {
    let lattice = CellLattice::new(Dimension::Three, [12, 16, 12], 0.1, DVec3::ZERO).unwrap();
    let mut setup = GridSetup::new(lattice, [GridSide::SLIP; 6], 1.2);
    setup.buoyancy.weight = -0.5;
    let mut fluid = Alone::new(setup, -9.81 * DVec3::Y);
    let ball = |x: DVec3| f64::from(u8::from((x - DVec3::new(0.6, 0.4, 0.6)).length() < 0.25));
    fluid.fluid_mut().set_smoke(ball);
    let height = |fluid: &Alone| {
        let smoke = &fluid.fluid().fields().smoke;
        let cells: Vec<_> = lattice.each(&lattice.cell_range()).collect();
        let total: f64 = cells.iter().map(|(_, n)| smoke[*n]).sum();
        cells.iter().map(|(slot, n)| smoke[*n] * lattice.position(Site::Cell, *slot).y).sum::<f64>() / total
    };
    let start = height(&fluid);
    run(&mut fluid, 0.02, 25);
    assert!(height(&fluid) > start + 0.1, "{start} {}", height(&fluid));
    let mut still = Alone::new(GridSetup::new(lattice, [GridSide::SLIP; 6], 1.2), -9.81 * DVec3::Y);
    still.fluid_mut().set_smoke(ball);
    run(&mut still, 0.02, 5);
    assert!((height(&still) - start).abs() < 1e-15);
}
