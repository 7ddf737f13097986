//! A solve for water of any depth: its sweeps, and what it says of the pressures that it leaves.

use glam::{DVec3, Vec3};
use meniscus_core::{BodyId, Dimension, InterfacePoints, Kinematics, Pose, SolidMotion};
use meniscus_sph::boundary::{
    BodySamples, Boundary, BoundaryTreatment, SampledBodies, flat_wall_volume_factor, layer_depths,
};
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::neighbourhood::{FluidParams, Neighbourhood, Surroundings};
use meniscus_sph::particles::Particles;
use meniscus_sph::pressure::{
    Criterion, Dfsph, DfsphParams, Iisph, IisphParams, PressureSolver, SolveContext, Stage, StageReport,
    accelerations, solve,
};

const SPACING: f64 = 0.02;
const GRAVITY: f64 = 9.81;
/// Half the width of a column, in particles.
const HALF: i32 = 5;

/// Water in the plane between walls of samples, in free fall for one step.
struct Column {
    fluid: FluidParams,
    around: Neighbourhood,
    particles: Particles,
    velocity: Vec<[f32; 4]>,
    dt: f64,
}

impl Column {
    /// Of this many layers; moved off its lattice by `shake` spacings at most.
    fn new(dimension: Dimension, layers: i32, shake: f64) -> Self {
        let support_radius = 2.0 * SPACING;
        let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius, dimension };
        let across = if dimension == Dimension::Two { 0..1 } else { -HALF..HALF };
        let fluid = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
        let half = if dimension == Dimension::Two { 0.0 } else { 0.5 };
        let place = |a: i32, b: i32, c: i32| {
            SPACING * DVec3::new(f64::from(a) + 0.5, f64::from(b) + 0.5, f64::from(c) + half)
        };
        let behind = layer_depths(&kernel, SPACING, 0.5).len() as i32;
        let is_water = |a: i32, b: i32, c: i32| (-HALF..HALF).contains(&a) && b >= 0 && across.contains(&c);
        let widely = |range: std::ops::Range<i32>| range.start - behind..range.end + behind;
        let deep = if dimension == Dimension::Two { 0..1 } else { widely(across.clone()) };
        let mut samples = Vec::new();
        for (a, c) in widely(-HALF..HALF).flat_map(|a| deep.clone().map(move |c| (a, c))) {
            let column = (-behind..layers + 4).filter(|&b| !is_water(a, b, c));
            samples.extend(column.map(|b| place(a, b, c)));
        }
        let mut points = InterfacePoints::default();
        let wall = BodySamples {
            body: BodyId(0),
            anchor: Vec::new(),
            edge_correction: Vec::new(),
            first_depth: 0.5,
            volume_factor: flat_wall_volume_factor(&kernel, SPACING, 0.5),
            treatment: BoundaryTreatment::Pressure,
            geometry: Vec::new(),
            position: samples,
        };
        let samples = SampledBodies::new(kernel, SPACING, &[wall], &[Pose::IDENTITY], &mut points);
        let mut particles = Particles::default();
        for (a, c) in (-HALF..HALF).flat_map(|a| across.clone().map(move |c| (a, c))) {
            for b in 0..layers {
                let wobble = |n: i32| shake * SPACING * (f64::from(n.rem_euclid(11)) / 5.5 - 1.0);
                let deep = if dimension == Dimension::Two { 0.0 } else { wobble(a + 2 * b + 9 * c) };
                let aside = DVec3::new(wobble(7 * a + 5 * b + c), wobble(3 * a + 8 * b + a * b - c), deep);
                particles.push(place(a, b, c) + aside, DVec3::ZERO);
            }
        }
        let extent = DVec3::splat(2.0 * SPACING * f64::from(layers));
        let frame = FixedFrame::covering(-extent, extent, support_radius).unwrap();
        let mut around = Neighbourhood::default();
        let mut surroundings = Surroundings {
            boundary: &mut Boundary::new(vec![Box::new(samples)], 1),
            bodies: &[SolidMotion::paused(Kinematics::at_rest(Pose::IDENTITY))],
            points: &mut points,
            gravity: -GRAVITY * DVec3::Y,
        };
        around.rebuild(&fluid, &frame, &mut particles, &mut surroundings);
        let dt = 0.65 * SPACING / (GRAVITY * SPACING * f64::from(layers)).sqrt();
        let velocity = vec![[0.0, (-GRAVITY * dt) as f32, 0.0, 0.0]; particles.len()];
        Self { fluid, around, particles, velocity, dt }
    }

    fn solve(&mut self, solver: &mut dyn PressureSolver) -> StageReport {
        let context = SolveContext {
            neighbourhood: &self.around,
            velocity: &self.velocity,
            dt: self.dt,
            relief: f32::INFINITY,
            gravity: GRAVITY,
        };
        let criterion = solver.criterion(Stage::Density).unwrap();
        solve(solver, Stage::Density, criterion, context, &mut self.particles, 1000.0, &mut ())
    }

    fn solver(&self, name: &str, acceleration: f64) -> Box<dyn PressureSolver> {
        let density = Criterion { acceleration, ..Criterion::new(1e-3, 2, 400) };
        if name == "dfsph" {
            let params = DfsphParams { density, divergence: None, warm_start: false };
            return Box::new(Dfsph::new(params, &self.fluid));
        }
        let params = IisphParams { density, relaxation: 0.5, warm_factor: 0.0 };
        Box::new(Iisph::new(params, &self.fluid))
    }
}

/// The root of the mean square of the difference between accelerations, in units of gravity or of the second ones if they are larger.
fn difference(a: &[[f32; 4]], b: &[[f32; 4]]) -> f64 {
    let mean = |of: &dyn Fn(usize, usize) -> f32| {
        let square = |i: usize| (0..3).map(|c| f64::from(of(i, c)).powi(2)).sum::<f64>();
        ((0..a.len()).map(square).sum::<f64>() / a.len() as f64).sqrt()
    };
    mean(&|i, c| a[i][c] - b[i][c]) / mean(&|i, c| b[i][c]).max(GRAVITY)
}

#[test]
fn a_solve_that_says_that_it_is_done_carries_the_water() {
    let (plane, space) = (Dimension::Two, Dimension::Three);
    for (dimension, layers, shake) in
        [(plane, 25, 0.0), (plane, 25, 0.1), (plane, 400, 0.1), (space, 25, 0.0), (space, 100, 0.0)]
    {
        let mut column = Column::new(dimension, layers, shake);
        let mut exact = column.solver("dfsph", 1e-4);
        println!("{:?}", column.solve(exact.as_mut()));
        for (name, tolerance) in [("dfsph", 0.05), ("iisph", 0.05), ("dfsph", 0.005)] {
            let mut solver = column.solver(name, tolerance);
            let report = column.solve(solver.as_mut());
            let off = difference(solver.acceleration(), exact.acceleration());
            println!("{layers} layers, {shake}, {name}, {tolerance}: {report:?}, off by {off:.4} g");
            assert!(report.converged, "{layers} layers, {name}: {report:?}");
            assert!(off < 5.0 * tolerance, "{layers} layers, {name}, {tolerance}: off by {off} g");
        }
    }
}

#[test]
fn sweeps_do_not_grow_with_depth() {
    for tolerance in [0.05, 0.005] {
        let sweeps = [25, 400].map(|layers| {
            let mut column = Column::new(Dimension::Two, layers, 0.1);
            let mut solver = column.solver("dfsph", tolerance);
            column.solve(solver.as_mut()).sweeps
        });
        println!("{tolerance}: {sweeps:?}");
        assert!(sweeps[1] <= 2 * sweeps[0], "{tolerance}: {sweeps:?}");
    }
}

/// The sum of products of two columns.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn what_pressures_do_to_densities_is_symmetric_beside_walls() {
    for (dimension, shake) in [(Dimension::Two, 0.2), (Dimension::Three, 0.2)] {
        let column = Column::new(dimension, 8, shake);
        let n = column.particles.len();
        let number = |i: usize, seed: usize| ((i * 7919 + seed * 104_729) % 1013) as f64 / 1013.0;
        let around = &column.around;
        let density_rate = |pressure: &[f64]| -> Vec<f64> {
            let pressure: Vec<f32> = pressure.iter().map(|p| *p as f32).collect();
            let mut acceleration = Vec::new();
            accelerations(around, &pressure, &mut acceleration);
            let vector = |i: usize| Vec3::from_slice(&acceleration[i]).as_dvec3();
            let rate = |i: usize| {
                let row = around.rows.neighbours(i);
                let fluid =
                    row.map(|(j, g)| (vector(i) - vector(j)).dot(Vec3::from(g).as_dvec3())).sum::<f64>();
                fluid + around.boundary.sum[i].mirror().as_dvec3().dot(vector(i))
            };
            (0..n).map(rate).collect()
        };
        let (p, q): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (number(i, 1), number(i, 2))).unzip();
        let (of_p, of_q) = (density_rate(&p), density_rate(&q));
        let (one, other) = (dot(&q, &of_p), dot(&p, &of_q));
        println!("{dimension:?}: {one} {other}");
        assert!((one - other).abs() < 1e-5 * one.abs(), "{dimension:?}: {one} is not {other}");
        assert!(dot(&p, &of_p) < 0.0, "pressure compresses");
        let walls = (0..n).map(|i| around.boundary.sum[i].mirror().length()).fold(0.0, f32::max);
        assert!(walls > 0.1 / SPACING as f32, "the case is none: no particle feels a wall");
    }
}
