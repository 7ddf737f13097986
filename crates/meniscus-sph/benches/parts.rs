//! The parts of a step, each by itself: `cargo bench -p meniscus-sph`.
//!
//! A block of fluid, 50 particles wide and high and at rest up to a random shift, without walls. Wall times of one thread unless
//! `RAYON_NUM_THREADS` says otherwise; on a machine that does other work as well, instruction counts say more.

use criterion::{BenchmarkId, Criterion, Throughput};
use glam::DVec3;
use meniscus_core::{Dimension, InterfacePoints};
use meniscus_sph::boundary::Boundary;
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::force::{Viscosity, ViscosityParams};
use meniscus_sph::grid::CellGrid;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::neighbourhood::{FluidParams, Neighbourhood, Surroundings};
use meniscus_sph::particles::Particles;
use meniscus_sph::pressure::{
    Criterion as Tolerance, Dfsph, DfsphParams, Iisph, IisphParams, PressureSolver, SolveContext, Stage,
};
use meniscus_sph::rows::NeighbourRows;
use std::hint::black_box;

const SPACING: f64 = 0.02;
const DT: f64 = 1e-3;

/// Numbers between −1 and 1 that look random.
struct Noise(u64);

impl Noise {
    fn vector(&mut self) -> DVec3 {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
        };
        DVec3::new(next(), next(), next())
    }
}

struct Fluid {
    params: FluidParams,
    frame: FixedFrame,
    particles: Particles,
    neighbourhood: Neighbourhood,
}

impl Fluid {
    fn new(depth: u32) -> Self {
        let kernel = Kernel {
            kind: KernelKind::CubicSpline,
            support_radius: 2.0 * SPACING,
            dimension: Dimension::Three,
        };
        let mut noise = Noise(1);
        let mut particles = Particles::default();
        for z in 0..depth {
            for y in 0..50 {
                for x in 0..50 {
                    let place = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    particles.push(SPACING * (place + 0.2 * noise.vector()), 0.1 * noise.vector());
                }
            }
        }
        let high = SPACING * DVec3::new(50.0, 50.0, f64::from(depth));
        let Some(frame) = FixedFrame::covering(DVec3::ZERO, high, kernel.support_radius) else {
            unreachable!("a block of some metres fits")
        };
        let params = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
        let mut fluid = Self { params, frame, particles, neighbourhood: Neighbourhood::default() };
        fluid.rebuild();
        fluid
    }

    fn rebuild(&mut self) {
        // Where nothing has moved, nothing would be done.
        self.particles.position[0].x += 1e-3 * SPACING;
        let mut points = InterfacePoints::default();
        let mut boundary = Boundary::new(Vec::new(), 0);
        let mut around =
            Surroundings { boundary: &mut boundary, bodies: &[], points: &mut points, gravity: DVec3::ZERO };
        self.neighbourhood.rebuild(&self.params, &self.frame, &mut self.particles, &mut around);
    }

    fn velocity(&self) -> Vec<[f32; 4]> {
        self.particles.velocity.iter().map(|v| v.as_vec3().extend(0.0).to_array()).collect()
    }
}

fn neighbours(c: &mut Criterion) {
    let mut group = c.benchmark_group("neighbours");
    for depth in [4, 40] {
        let mut fluid = Fluid::new(depth);
        let n = fluid.particles.len();
        group.throughput(Throughput::Elements(n as u64)).sample_size(20);
        let mut grid = CellGrid::default();
        let (packed, mut order) = (fluid.neighbourhood.packed.clone(), Vec::new());
        group.bench_function(BenchmarkId::new("sort", n), |b| {
            b.iter(|| grid.sort(&fluid.frame, Dimension::Three, &packed, &mut order));
        });
        let (mut rows, mut sums) = (NeighbourRows::default(), Vec::new());
        let FluidParams { kernel, .. } = fluid.params;
        group.bench_function(BenchmarkId::new("rows", n), |b| {
            let (unit, volume) = (fluid.frame.unit(), fluid.params.kernel_volume());
            b.iter(|| rows.build(&grid, unit, &packed, &kernel, volume, &mut sums));
        });
        group.bench_function(BenchmarkId::new("all of it", n), |b| b.iter(|| fluid.rebuild()));
    }
    group.finish();
}

fn sweeps(c: &mut Criterion) {
    let mut group = c.benchmark_group("sweep");
    for depth in [4, 40] {
        let fluid = Fluid::new(depth);
        let (n, velocity) = (fluid.particles.len(), fluid.velocity());
        group.throughput(Throughput::Elements(n as u64)).sample_size(20);
        let context = SolveContext {
            neighbourhood: &fluid.neighbourhood,
            velocity: &velocity,
            dt: DT,
            relief: f32::INFINITY,
            gravity: 9.81,
        };
        let density = Tolerance::new(5e-4, 2, 100);
        let dfsph = DfsphParams { density, divergence: None, warm_start: true };
        let iisph = IisphParams { density, relaxation: 0.5, warm_factor: 0.5 };
        let solvers: [(&str, Box<dyn PressureSolver>); 2] = [
            ("DFSPH", Box::new(Dfsph::new(dfsph, &fluid.params))),
            ("IISPH", Box::new(Iisph::new(iisph, &fluid.params))),
        ];
        let stage = Stage::Density;
        for (name, mut solver) in solvers {
            let id = |part: &str| BenchmarkId::new(format!("{name}, {part}"), n);
            group.bench_function(id("start values"), |b| {
                b.iter(|| solver.begin(stage, context, &fluid.particles));
            });
            group.bench_function(id("acceleration"), |b| b.iter(|| solver.accelerate(stage, context)));
            group.bench_function(id("residual"), |b| {
                b.iter(|| black_box(solver.residual(stage, context, &[])));
            });
            group.bench_function(id("relaxation"), |b| b.iter(|| solver.relax(stage, context, &())));
        }
    }
    group.finish();
}

fn viscosity(c: &mut Criterion) {
    let mut group = c.benchmark_group("viscosity");
    let fluid = Fluid::new(40);
    let velocity = fluid.velocity();
    group.throughput(Throughput::Elements(velocity.len() as u64)).sample_size(20);
    let kinds = [
        ("Laplacian", ViscosityParams::Laplacian { kinematic: 0.01, boundary_kinematic: 0.0 }),
        ("artificial", ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 20.0 }),
        ("XSPH", ViscosityParams::Xsph { coefficient: 0.1 }),
    ];
    let mut viscosity = Viscosity::default();
    for (name, params) in kinds {
        group.bench_function(BenchmarkId::new(name, velocity.len()), |b| {
            b.iter(|| {
                black_box(
                    viscosity
                        .accelerate(params, &fluid.params, &fluid.neighbourhood, &velocity, DT)
                        .is_some(),
                )
            });
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    neighbours(&mut criterion);
    sweeps(&mut criterion);
    viscosity(&mut criterion);
    criterion.final_summary();
}
