//! What pressure solvers must keep to.

use super::{Law, hold, laws, on_threads};
use anyhow::{Context as _, Result, ensure};
use glam::{DVec3, Vec3};
use meniscus_core::{BodyId, Dimension, InterfacePoints, Kinematics, Pose, SolidMotion};
use meniscus_sph::boundary::{
    BodySamples, Boundary, BoundaryMethod, BoundaryTreatment, SampledBodies, flat_wall_volume_factor,
    layer_depths,
};
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::neighbourhood::{FluidParams, Neighbourhood, Surroundings};
use meniscus_sph::particles::Particles;
use meniscus_sph::pressure::{Criterion, PressureSolver, SolveContext, Stage, StageReport, solve};

/// A pressure solver.
pub struct PressureCase<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Makes one for a fluid, with this criterion if it has one.
    pub make: &'a (dyn Fn(FluidParams, Criterion) -> Box<dyn PressureSolver> + Sync),
    /// Whether it solves for the density at the end of the step, as all do that have sweeps.
    pub solves: bool,
    /// The mean compression that it can be asked to leave and no more: a few millionths, or less `[1]`.
    pub tolerance: f64,
}

const SPACING: f64 = 0.02;
const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
const DT: f64 = 4e-3;

/// Holds a solver to its laws.
///
/// # Errors
/// With the law that it breaks.
pub fn pressure_solver(case: &PressureCase<'_>) -> Result<()> {
    let laws: &[Law<PressureCase<'_>>] = &laws![
        fluid_at_rest_with_its_rest_density_has_no_pressure,
        pressure_keeps_momentum_and_angular_momentum_where_no_wall_is,
        a_solve_leaves_as_little_compression_as_it_was_asked_for,
        a_column_of_fluid_is_carried_by_its_floor,
        accelerations_follow_from_pressures_alone,
        what_was_kept_can_be_recalled,
        a_second_solve_from_its_own_pressures_is_no_longer,
        threads_do_not_matter,
    ];
    hold(case.name, case, laws)
}

/// Fluid, and what surrounds it.
struct Pool {
    fluid: FluidParams,
    boundary: Boundary,
    points: InterfacePoints,
    around: Neighbourhood,
    particles: Particles,
    velocity: Vec<[f32; 4]>,
    /// Of both stages of the last step `[m²/s²]`.
    pressure: Vec<f32>,
}

impl Pool {
    /// Particles at these places `[m]` with these velocities `[m/s]`, above samples at others.
    fn new(particles: &[(DVec3, DVec3)], samples: Vec<DVec3>) -> Result<Self> {
        let kernel = kernel();
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
        let walls: Vec<Box<dyn BoundaryMethod>> = if wall.position.is_empty() {
            Vec::new()
        } else {
            vec![Box::new(SampledBodies::new(kernel, SPACING, &[wall], &[Pose::IDENTITY], &mut points))]
        };
        let fluid = FluidParams { spacing: SPACING, rest_density: DENSITY, kernel };
        let mut sorted = Particles::default();
        for (x, v) in particles {
            sorted.push(*x, *v);
        }
        let mut pool = Self {
            fluid,
            boundary: Boundary::new(walls, 1),
            points,
            around: Neighbourhood::default(),
            particles: sorted,
            velocity: Vec::new(),
            pressure: Vec::new(),
        };
        pool.look()?;
        Ok(pool)
    }

    /// Finds neighbours.
    fn look(&mut self) -> Result<()> {
        let (extent, cell) = (DVec3::splat(2.0), self.fluid.kernel.support_radius);
        let frame = FixedFrame::covering(-extent, extent, cell).context("too large")?;
        let mut surroundings = Surroundings {
            boundary: &mut self.boundary,
            bodies: &[SolidMotion::paused(Kinematics::at_rest(Pose::IDENTITY))],
            points: &mut self.points,
            gravity: -GRAVITY * DVec3::Y,
        };
        self.around.rebuild(&self.fluid, &frame, &mut self.particles, &mut surroundings);
        self.show_velocities();
        Ok(())
    }

    /// Lets solvers see the particles' velocities.
    fn show_velocities(&mut self) {
        let velocity = self.particles.velocity.iter().map(|v| v.as_vec3().extend(0.0).to_array());
        self.velocity = velocity.collect();
    }

    /// A disc that is squeezed along x and rushes together.
    fn squeezed() -> Result<Self> {
        let places = (-6_i32..=6).flat_map(|a| (-6_i32..=6).map(move |b| (a, b)));
        let disc = places.filter(|(a, b)| a * a + b * b <= 36).map(|(a, b)| {
            let wobble = f64::from((7 * a + 5 * b).rem_euclid(11)) / 11.0 - 0.5;
            let x = SPACING * DVec3::new(0.95 * f64::from(a) + 0.1 * wobble, f64::from(b), 0.0);
            (x, DVec3::new(-2.0 * x.x, 0.5 * wobble, 0.0))
        });
        Self::new(&disc.collect::<Vec<_>>(), Vec::new())
    }

    /// A lattice at rest.
    fn still() -> Result<Self> {
        let lattice = (-6..=6).flat_map(|a| (-6..=6).map(move |b| (a, b)));
        let places =
            lattice.map(|(a, b)| (SPACING * DVec3::new(f64::from(a), f64::from(b), 0.0), DVec3::ZERO));
        Self::new(&places.collect::<Vec<_>>(), Vec::new())
    }

    /// A column between walls, at rest.
    fn column() -> Result<Self> {
        let (half, height) = (5, 10);
        let place = |a: i32, b: i32| SPACING * DVec3::new(f64::from(a) + 0.5, f64::from(b) + 0.5, 0.0);
        let water = (-half..half).flat_map(|a| (0..height).map(move |b| (place(a, b), DVec3::ZERO)));
        let mut samples = Vec::new();
        for layer in 0..layer_depths(&kernel(), SPACING, 0.5).len() as i32 {
            samples.extend((-half - layer..half + layer).map(|a| place(a, -1 - layer)));
            for b in -1 - layer..height + 4 {
                samples.extend([place(-half - 1 - layer, b), place(half + layer, b)]);
            }
        }
        Self::new(&water.collect::<Vec<_>>(), samples)
    }

    /// Lets it fall for a step; returns the mean acceleration by pressure `[m/s²]`.
    fn step(&mut self, solver: &mut dyn PressureSolver) -> Result<DVec3> {
        self.look()?;
        let before = self.particles.velocity.clone();
        let first = self.solve(Stage::Divergence, solver).map(|_| solver.pressure().to_vec());
        self.accelerate(solver);
        self.particles.velocity.iter_mut().for_each(|v| *v -= GRAVITY * DT * DVec3::Y);
        self.show_velocities();
        self.solve_density(solver)?;
        self.accelerate(solver);
        self.pressure = solver.pressure().to_vec();
        self.pressure.iter_mut().zip(first.unwrap_or_default()).for_each(|(p, first)| *p += first);
        let Particles { position, velocity, .. } = &mut self.particles;
        position.iter_mut().zip(&*velocity).for_each(|(x, v)| *x += DT * *v);
        let change: DVec3 = velocity.iter().zip(&before).map(|(v, before)| *v - *before).sum();
        Ok(change / (DT * before.len() as f64) + GRAVITY * DVec3::Y)
    }

    /// Takes the solver's accelerations over a step into the velocities.
    fn accelerate(&mut self, solver: &mut dyn PressureSolver) {
        let acceleration = accelerations(solver);
        self.particles.velocity.iter_mut().zip(acceleration).for_each(|(v, a)| *v += DT * a);
    }

    fn context(&self) -> SolveContext<'_> {
        SolveContext {
            neighbourhood: &self.around,
            velocity: &self.velocity,
            dt: DT,
            relief: f32::INFINITY,
            gravity: GRAVITY,
        }
    }

    /// Nothing for a solver without such a stage, which then has no acceleration either.
    fn solve(&mut self, stage: Stage, solver: &mut dyn PressureSolver) -> Option<StageReport> {
        let Some(criterion) = solver.criterion(stage) else {
            solver.acceleration().fill([0.0; 4]);
            return None;
        };
        let Self { around, velocity, particles, .. } = self;
        let context =
            SolveContext { neighbourhood: around, velocity, dt: DT, relief: f32::INFINITY, gravity: GRAVITY };
        Some(solve(solver, stage, criterion, context, particles, DENSITY, &mut ()))
    }

    /// The same for the stage that all have.
    fn solve_density(&mut self, solver: &mut dyn PressureSolver) -> Result<StageReport> {
        self.solve(Stage::Density, solver).context("it has no density stage")
    }
}

fn kernel() -> Kernel {
    Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0 * SPACING, dimension: Dimension::Two }
}

impl PressureCase<'_> {
    fn solver(&self, pool: &Pool) -> Box<dyn PressureSolver> {
        (self.make)(pool.fluid, Criterion::new(self.tolerance, 2, 20_000))
    }
}

fn accelerations(solver: &mut dyn PressureSolver) -> Vec<DVec3> {
    solver.acceleration().iter().map(|a| Vec3::from_slice(a).as_dvec3()).collect()
}

fn fluid_at_rest_with_its_rest_density_has_no_pressure(case: &PressureCase<'_>) -> Result<()> {
    let mut pool = Pool::still()?;
    let mut solver = case.solver(&pool);
    pool.solve_density(solver.as_mut())?;
    let most = accelerations(solver.as_mut()).into_iter().map(DVec3::length).fold(0.0, f64::max);
    // A lattice has its rest density to single precision, which takes this much back in a step.
    let allowed = 1e-5 * SPACING / (DT * DT);
    ensure!(most <= allowed, "it accelerates by {most} m/s²");
    Ok(())
}

fn pressure_keeps_momentum_and_angular_momentum_where_no_wall_is(case: &PressureCase<'_>) -> Result<()> {
    let mut pool = Pool::squeezed()?;
    let mut solver = case.solver(&pool);
    pool.solve_density(solver.as_mut())?;
    let acceleration = accelerations(solver.as_mut());
    let size: f64 = acceleration.iter().map(|a| a.length()).sum();
    ensure!(size > 1.0, "the case is none: nothing accelerates");
    let sum: DVec3 = acceleration.iter().sum();
    ensure!(sum.length() <= 1e-5 * size, "the sum of accelerations is {sum} m/s² of {size}");
    let moments = pool.particles.position.iter().zip(&acceleration).map(|(x, a)| x.cross(*a));
    let turn: DVec3 = moments.sum();
    ensure!(turn.length() <= 1e-5 * size * 6.0 * SPACING, "the sum of their moments is {turn} m²/s²");
    Ok(())
}

fn a_solve_leaves_as_little_compression_as_it_was_asked_for(case: &PressureCase<'_>) -> Result<()> {
    let mut pool = Pool::squeezed()?;
    let mut solver = case.solver(&pool);
    let report = pool.solve_density(solver.as_mut())?;
    let criterion = solver.criterion(Stage::Density).context("it has no density stage")?;
    ensure!(
        report.converged == (report.residual <= criterion.tolerance),
        "{report:?} contradicts {criterion:?}"
    );
    ensure!(report.converged, "it does not converge: {report:?}");
    ensure!(
        !case.solves || report.sweeps >= criterion.min_sweeps,
        "fewer sweeps than the fewest: {report:?}"
    );
    ensure!(
        solver.pressure().iter().all(|p| p.is_finite() && *p >= 0.0),
        "a pressure is negative or no number"
    );
    Ok(())
}

fn a_column_of_fluid_is_carried_by_its_floor(case: &PressureCase<'_>) -> Result<()> {
    if !case.solves {
        return Ok(());
    }
    let mut pool = Pool::column()?;
    let mut solver = case.solver(&pool);
    // It settles, as its free surface is looser than the rest. Then its weight is carried on average, but for what is left of its
    // motion, which nothing damps.
    let (settling, resting) = (100, 200);
    for _ in 0..settling {
        pool.step(solver.as_mut())?;
    }
    let (mut carried, mut below) = (DVec3::ZERO, 0.0);
    let is_low = |x: &DVec3| x.y < 2.0 * SPACING;
    for _ in 0..resting {
        carried += pool.step(solver.as_mut())? / f64::from(resting);
        let low = pool.particles.position.iter().zip(&pool.pressure).filter(|(x, _)| is_low(x));
        let (sum, count) = low.fold((0.0, 0.0), |(sum, count), (_, p)| (sum + f64::from(*p), count + 1.0));
        below += sum / count / f64::from(resting);
    }
    let off = (carried - GRAVITY * DVec3::Y).length() / GRAVITY;
    ensure!(off < 0.03, "it is carried by {carried} m/s² instead of its weight");
    let expected = GRAVITY * 9.0 * SPACING;
    let off = (below - expected).abs() / expected;
    // What is left of its motion presses, too: 6 % with IISPH and PCISPH, 13 % with the two stages of DFSPH.
    ensure!(off < 0.2, "in the lowest two layers the pressure is {below} m²/s² instead of {expected}");
    Ok(())
}

fn accelerations_follow_from_pressures_alone(case: &PressureCase<'_>) -> Result<()> {
    let mut pool = Pool::squeezed()?;
    let mut solver = case.solver(&pool);
    pool.solve_density(solver.as_mut())?;
    let (pressure, first) = (solver.pressure().to_vec(), accelerations(solver.as_mut()));
    solver.accelerate(Stage::Density, pool.context());
    ensure!(solver.pressure() == pressure, "accelerating changes pressures");
    ensure!(
        accelerations(solver.as_mut()) == first,
        "the same pressures accelerate differently the second time"
    );
    Ok(())
}

fn what_was_kept_can_be_recalled(case: &PressureCase<'_>) -> Result<()> {
    if !case.solves {
        return Ok(());
    }
    let pool = Pool::squeezed()?;
    let mut solver = case.solver(&pool);
    let stage = Stage::Density;
    let sweep = |solver: &mut dyn PressureSolver| {
        solver.accelerate(stage, pool.context());
        solver.residual(stage, pool.context(), &[]);
        solver.relax(stage, pool.context(), &());
    };
    solver.begin(stage, pool.context(), &pool.particles);
    (0..3).for_each(|_| sweep(solver.as_mut()));
    solver.accelerate(stage, pool.context());
    solver.residual(stage, pool.context(), &[]);
    solver.keep();
    // Solvers may keep other pressures than those that they tried last.
    solver.accelerate(stage, pool.context());
    let (kept, acceleration) = (solver.pressure().to_vec(), accelerations(solver.as_mut()));
    (0..3).for_each(|_| sweep(solver.as_mut()));
    solver.accelerate(stage, pool.context());
    ensure!(solver.pressure() != kept, "the case is none: sweeps change nothing");
    solver.recall();
    solver.accelerate(stage, pool.context());
    ensure!(solver.pressure() == kept, "other pressures are recalled than were kept");
    ensure!(accelerations(solver.as_mut()) == acceleration, "and they accelerate differently");
    Ok(())
}

fn a_second_solve_from_its_own_pressures_is_no_longer(case: &PressureCase<'_>) -> Result<()> {
    let mut pool = Pool::column()?;
    pool.velocity.iter_mut().for_each(|v| v[1] -= (GRAVITY * DT) as f32);
    let mut solver = case.solver(&pool);
    let first = pool.solve_density(solver.as_mut())?;
    let second = pool.solve_density(solver.as_mut())?;
    ensure!(second.sweeps <= first.sweeps, "{} sweeps after {}", second.sweeps, first.sweeps);
    Ok(())
}

fn threads_do_not_matter(case: &PressureCase<'_>) -> Result<()> {
    let solved = |threads| {
        on_threads(threads, || {
            let mut pool = Pool::squeezed()?;
            let mut solver = case.solver(&pool);
            let report = pool.solve_density(solver.as_mut())?;
            Ok((report, solver.pressure().to_vec(), accelerations(solver.as_mut())))
        })
    };
    ensure!(solved(1)? == solved(3)?, "one thread and three give other bits");
    Ok(())
}
