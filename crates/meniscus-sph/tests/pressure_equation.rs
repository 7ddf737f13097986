//! The implicit solvers beside a dense solve in double precision, and the density that PCISPH predicts beside a sum over all
//! pairs.

use glam::DVec3;
use meniscus_core::{Dimension, InterfacePoints};
use meniscus_sph::boundary::Boundary;
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::neighbourhood::{FluidParams, Neighbourhood, Surroundings};
use meniscus_sph::particles::Particles;
use meniscus_sph::pressure::{
    Criterion, Dfsph, DfsphParams, Iisph, IisphParams, Pcisph, PcisphParams, PressureSolver, SolveContext,
    Stage, StageReport, solve,
};

const SPACING: f64 = 0.02;
const DT: f64 = 2e-3;

/// A disc or ball that is squeezed along x and rushes together.
struct Drop {
    fluid: FluidParams,
    neighbourhood: Neighbourhood,
    particles: Particles,
    velocity: Vec<[f32; 4]>,
}

impl Drop {
    fn new(dimension: Dimension, kind: KernelKind) -> Self {
        let kernel = Kernel { kind, support_radius: 2.2 * SPACING, dimension };
        let fluid = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
        let reach: i32 = if dimension == Dimension::Two { 6 } else { 4 };
        let (across, squeeze) = if dimension == Dimension::Two { (0, 0.97) } else { (reach, 0.9) };
        let mut particles = Particles::default();
        for [a, b, c] in
            (-reach..=reach).flat_map(|a| (-reach..=reach).map(move |b| [a, b])).flat_map(|[a, b]| {
                (-across..=across)
                    .map(move |c| [a, b, c])
                    .filter(move |[a, b, c]| a * a + b * b + c * c <= reach * reach)
            })
        {
            let wobble = f64::from((7 * a + 5 * b + 3 * c).rem_euclid(11)) / 11.0 - 0.5;
            let x = SPACING * DVec3::new(squeeze * f64::from(a) + 0.1 * wobble, f64::from(b), f64::from(c));
            particles.push(x, DVec3::new(-2.0 * x.x, 0.5 * wobble, 0.0));
        }
        let extent = DVec3::splat(1.0);
        let frame = FixedFrame::covering(-extent, extent, kernel.support_radius).unwrap();
        let mut neighbourhood = Neighbourhood::default();
        let mut around = Surroundings {
            boundary: &mut Boundary::default(),
            bodies: &[],
            points: &mut InterfacePoints::default(),
            gravity: DVec3::ZERO,
        };
        neighbourhood.rebuild(&fluid, &frame, &mut particles, &mut around);
        let velocity = particles.velocity.iter().map(|v| v.as_vec3().extend(0.0).to_array()).collect();
        Self { fluid, neighbourhood, particles, velocity }
    }

    fn solve(&mut self, solver: &mut dyn PressureSolver) -> StageReport {
        let criterion = solver.criterion(Stage::Density).unwrap();
        let context = SolveContext {
            neighbourhood: &self.neighbourhood,
            velocity: &self.velocity,
            dt: DT,
            relief: f32::INFINITY,
            gravity: 0.0,
        };
        solve(solver, Stage::Density, criterion, context, &mut self.particles, 1000.0, &mut ())
    }

    /// V ∇W_ij.
    fn gradient(&self, i: usize, j: usize) -> DVec3 {
        let offset = self.particles.position[i] - self.particles.position[j];
        let slope = self.fluid.kernel_volume() * self.fluid.kernel.derivative(offset.length());
        slope * offset.normalize_or_zero()
    }

    /// P ≥ 0 with s + dt² A P = 0, by Gauss-Seidel sweeps over the dense matrix.
    fn dense_pressures(&self) -> Vec<f64> {
        let n = self.particles.len();
        let g: Vec<Vec<DVec3>> = (0..n).map(|i| (0..n).map(|j| self.gradient(i, j)).collect()).collect();
        let sum: Vec<DVec3> = g.iter().map(|row| row.iter().sum()).collect();
        // The acceleration of m by a unit P_j, and from it the rate of each density.
        let push = |m: usize, j: usize| -(if m == j { sum[m] } else { g[m][j] });
        let rate = |i: usize, j: usize| {
            let others = (0..n).map(|m| push(m, j).dot(g[i][m]));
            push(i, j).dot(sum[i]) - others.sum::<f64>()
        };
        let matrix: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| rate(i, j)).collect()).collect();
        let v = &self.particles.velocity;
        let source = |i: usize| {
            let change: f64 = (0..n).map(|j| (v[i] - v[j]).dot(g[i][j])).sum();
            f64::from(self.neighbourhood.density[i]) - 1.0 + DT * change
        };
        let source: Vec<f64> = (0..n).map(source).collect();
        let mut pressure = vec![0.0; n];
        for _ in 0..4000 {
            for i in 0..n {
                let product: f64 = matrix[i].iter().zip(&pressure).map(|(a, p)| a * p).sum();
                let residual = source[i] + DT * DT * product;
                pressure[i] = f64::max(0.0, pressure[i] - residual / (DT * DT * matrix[i][i]));
            }
        }
        pressure
    }

    /// The density at the end of the step over all pairs, less the rest density `[1]`.
    fn error_at_the_end(&self, acceleration: &[[f32; 4]]) -> Vec<f64> {
        let moved = |i: usize| {
            let a =
                DVec3::new(acceleration[i][0].into(), acceleration[i][1].into(), acceleration[i][2].into());
            self.particles.position[i] + DT * (self.particles.velocity[i] + DT * a)
        };
        let place: Vec<DVec3> = (0..self.particles.len()).map(moved).collect();
        let volume = self.fluid.kernel_volume();
        let density = |x: &DVec3| {
            place.iter().map(|y| volume * self.fluid.kernel.value(x.distance(*y))).sum::<f64>() - 1.0
        };
        place.iter().map(density).collect()
    }
}

fn criterion(tolerance: f64) -> Criterion {
    Criterion::new(tolerance, 2, 5000)
}

fn drops() -> impl Iterator<Item = Drop> {
    [Dimension::Two, Dimension::Three].into_iter().flat_map(|dimension| {
        [KernelKind::CubicSpline, KernelKind::WendlandC2].map(|kind| Drop::new(dimension, kind))
    })
}

#[test]
fn linear_solvers_find_the_pressures_of_the_dense_solve() {
    for mut drop in drops() {
        let exact = drop.dense_pressures();
        let scale = exact.iter().copied().fold(0.0, f64::max);
        assert!(exact.iter().filter(|p| **p > 0.0).count() > 25, "hardly anything is under pressure");
        let density = criterion(1e-7);
        let dfsph = DfsphParams { density, divergence: None, warm_start: false };
        let iisph = IisphParams { density, relaxation: 0.5, warm_factor: 0.0 };
        let mut solvers: [(&str, Box<dyn PressureSolver>); 2] = [
            ("iisph", Box::new(Iisph::new(iisph, &drop.fluid))),
            ("dfsph", Box::new(Dfsph::new(dfsph, &drop.fluid))),
        ];
        for (name, solver) in &mut solvers {
            let report = drop.solve(solver.as_mut());
            let off = solver.pressure().iter().zip(&exact).map(|(p, e)| (f64::from(*p) - e).abs());
            let off = off.fold(0.0, f64::max) / scale;
            println!("{name} {:?}: {report:?}, off by {off:.1e}", drop.fluid.kernel.dimension);
            assert!(report.converged, "{name}: {report:?}");
            assert!(off < 2e-3, "{name}: a pressure is off by {off} of the largest");
        }
    }
}

#[test]
fn pcisph_sees_the_density_at_the_places_particles_come_to() {
    for mut drop in drops() {
        for tolerance in [1e-2, 1e-3, 1e-5] {
            let params = PcisphParams { density: criterion(tolerance), warm_factor: 0.0 };
            let mut solver = Pcisph::new(params, drop.fluid);
            let report = drop.solve(&mut solver);
            let error = drop.error_at_the_end(solver.acceleration());
            let mean = error.iter().map(|e| e.max(0.0)).sum::<f64>() / error.len() as f64;
            println!("{:?}: {report:?}, true {mean:.2e}", drop.fluid.kernel.dimension);
            assert!(report.converged, "{report:?}");
            // Particles that come into reach are not in the rows; they are at the rim of the kernel.
            assert!(mean <= tolerance + 1e-5, "{mean} instead of {tolerance}");
        }
    }
}

#[test]
fn a_share_of_the_last_pressures_saves_sweeps() {
    let mut drop = Drop::new(Dimension::Two, KernelKind::CubicSpline);
    let sweeps = |drop: &mut Drop, warm_factor: f64| {
        let density = criterion(1e-5);
        let iisph = IisphParams { density, relaxation: 0.5, warm_factor };
        let mut iisph = Iisph::new(iisph, &drop.fluid);
        let iisph = drop.solve(&mut iisph).sweeps;
        let pcisph = drop.solve(&mut Pcisph::new(PcisphParams { density, warm_factor }, drop.fluid)).sweeps;
        (iisph, pcisph)
    };
    let (cold, warm) = (sweeps(&mut drop, 0.0), sweeps(&mut drop, 0.9));
    assert!(warm.0 < cold.0 && warm.1 < cold.1, "{cold:?} {warm:?}");
}
