//! Pressure: solvers that expose sweeps, and the two passes that all of them share.
//!
//! Pressure is carried as P = ρ0 p / ρ² `[m²/s²]` and density in units of ρ0, so that fluid and boundary rows, which both
//! hold V ∇W, enter in the same way:
//!
//! * acceleration a_i = −P_i (Σ_j V ∇W_ij + k Σ_k push_ik) − Σ_j P_j V ∇W_ij, where a sample's push is V ∇W_ik, the symmetric form of \[Becker2009\] Eq. 4 with
//!   the boundary mirroring the fluid's pressure: \[Wang2017\] Eq. 10 with k = 2;
//!   for positive pressure the wall's mirrored value is continued hydrostatically from the particle to the sample, as
//!   p_k = p_i + ρ0 g·(x_k − x_i) (\[Adami2012\]), without which the bottom layer carries one layer's weight too much;
//! * density rate (1/ρ0) Dρ/Dt = Σ_j V (v_i − v_j)·∇W_ij + k Σ_k (v_i − v_k)·push_ik: the boundary mirrors velocities as well, so that the
//!   rate of the acceleration by P is symmetric in P (ADR 33).
//!
//! Departures: k = 2 for pressures of either sign, where \[Wang2017\] have 1 for negative ones; the density rate has k as well.

mod cells;
mod coarse;
mod conjugate;
mod dfsph;
mod galerkin;
mod iisph;
mod implicit;
mod lattice;
mod pcisph;
mod system;
mod wcsph;

pub use dfsph::{Dfsph, DfsphParams};
pub use iisph::{Iisph, IisphParams};
pub use pcisph::{Pcisph, PcisphParams};
pub use wcsph::{Wcsph, WcsphParams};

use crate::boundary::BoundarySum;
use crate::lanes::{F16, fma, repeat, sum_records};
use crate::neighbourhood::{Neighbourhood, WALL_PRESSURE};
use crate::particles::Particles;
use crate::rows::{Row, RowPass};
use fearless_simd::{Simd, SimdBase};
use glam::Vec3;

pub use meniscus_core::Stage;

/// What a solver needs to know about the context it works in.
#[derive(Clone, Copy)]
pub struct SolveContext<'a> {
    /// The neighbourhoods.
    pub neighbourhood: &'a Neighbourhood,
    /// Velocities before this stage `[m/s]`; the fourth column is unused.
    pub velocity: &'a [[f32; 4]],
    /// Length of the step `[s]`.
    pub dt: f64,
    /// The most of a particle's compression that the step takes back `[1]`.
    pub relief: f32,
    /// `[m/s²]`
    pub gravity: f64,
}

/// When a stage is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Criterion {
    /// Largest mean residual: relative density error `[1]`.
    pub tolerance: f64,
    /// The most that may be left of the pressure acceleration, in units of gravity, or of that acceleration if it is larger `[1]`.
    pub acceleration: f64,
    /// Fewest relaxations.
    pub min_sweeps: u32,
    /// Most relaxations.
    pub max_sweeps: u32,
}

impl Criterion {
    /// A solve that is done as soon as the mean compression is within its tolerance.
    #[must_use]
    pub fn new(tolerance: f64, min_sweeps: u32, max_sweeps: u32) -> Self {
        Self { tolerance, acceleration: f64::INFINITY, min_sweeps, max_sweeps }
    }

    /// How far a solve is from being done; at 1 it is.
    fn distance(&self, residual: f64, owed: f64) -> f64 {
        let share = |left: f64, most: f64| if most.is_infinite() { 0.0 } else { left / most };
        share(residual, self.tolerance).max(share(owed, self.acceleration))
    }
}

/// How a stage ended.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageReport {
    /// Relaxations done.
    pub sweeps: u32,
    /// Mean residual at the end: relative density error `[1]`. Where the fewest sweeps go on after the tolerance is met, that
    /// before the last sweep.
    pub residual: f64,
    /// Largest compression of any particle that the same sweep left `[1]`.
    pub worst: f64,
    /// What is left of the pressure acceleration, in units of gravity, or of that acceleration if it is larger; zero if nobody asked `[1]`.
    pub owed: f64,
    /// Whether all that was asked for is met.
    pub converged: bool,
}

/// A pressure solver, driven sweep by sweep from outside.
///
/// The driver calls `begin`, then `accelerate`, `residual` and `relax` in turn until the criterion holds, then reads
/// `acceleration`. [`SweepCoupling`] acts between `accelerate` and `residual`, and the pressures take it into account.
pub trait PressureSolver: Send {
    /// The criterion of a stage, or `None` if this solver has no such stage.
    fn criterion(&self, stage: Stage) -> Option<Criterion>;

    /// Prepares a stage and sets start values, from `particles`' warm start where there is one.
    fn begin(&mut self, stage: Stage, context: SolveContext<'_>, particles: &Particles);

    /// Computes the acceleration of the current pressures.
    fn accelerate(&mut self, stage: Stage, context: SolveContext<'_>);

    /// The mean residual of the acceleration, as `accelerate` and the driver left it; `answer` is what [`SweepCoupling::respond`]
    /// gave `[1]`.
    fn residual(&mut self, stage: Stage, context: SolveContext<'_>, answer: &[f32]) -> f64;

    /// The largest compression of any particle that the last residual left `[1]`; zero if it is not known.
    fn worst(&self) -> f64 {
        0.0
    }

    /// What the current pressures owe of the acceleration, in units of gravity, or of what they accelerate by if that is more;
    /// `residual` was called before `[1]`. Zero for solvers that do not know.
    fn owed(&mut self, _: SolveContext<'_>, _: &dyn SweepCoupling) -> f64 {
        0.0
    }

    /// Improves the pressures by one sweep; `residual` was called before.
    fn relax(&mut self, stage: Stage, context: SolveContext<'_>, coupling: &dyn SweepCoupling);

    /// Whether the pressures that the last residual stands for are others than those that were accelerated by.
    fn settle(&mut self) -> bool {
        false
    }

    /// Remembers the current pressures as the best so far. Solvers without sweeps have nothing to remember.
    fn keep(&mut self) {}

    /// Puts back the pressures that were kept last.
    fn recall(&mut self) {}

    /// Writes pressures and warm starts back into the state. The stage is over.
    fn finish(
        &mut self,
        stage: Stage,
        context: SolveContext<'_>,
        particles: &mut Particles,
        rest_density: f64,
    );

    /// Pressure acceleration of the last `accelerate` call `[m/s²]`.
    fn acceleration(&mut self) -> &mut [[f32; 4]];

    /// P of the last `accelerate` call `[m²/s²]`.
    fn pressure(&self) -> &[f32];
}

/// What acts between two sweeps, while pressures are being looked for: contacts, and solids that give way.
pub trait SweepCoupling {
    /// Changes accelerations `[m/s²]` that contacts forbid.
    fn constrain(&mut self, acceleration: &mut [[f32; 4]]);

    /// What bodies that give way to pressures P `[m²/s²]` add to each particle's density within the step `[1]`; empty if
    /// none does.
    fn respond(&mut self, stage: Stage, pressure: &[f32]) -> &[f32];

    /// Particles that do not give way in some directions, as far as that was so in the last `constrain`, in the order of the particles.
    fn firm(&self) -> Vec<(u32, Vec3)> {
        Vec::new()
    }
}

/// Nothing acts.
impl SweepCoupling for () {
    fn constrain(&mut self, _: &mut [[f32; 4]]) {}

    fn respond(&mut self, _: Stage, _: &[f32]) -> &[f32] {
        &[]
    }
}

/// A solve that is worse than its best for this many sweeps is over, if its residual has doubled `[1]`.
const PATIENCE: u32 = 20;

/// Drives one stage of `solver` until `criterion` holds, or until sweeps do not get nearer any more.
pub fn solve(
    solver: &mut dyn PressureSolver,
    stage: Stage,
    criterion: Criterion,
    context: SolveContext<'_>,
    particles: &mut Particles,
    rest_density: f64,
    coupling: &mut dyn SweepCoupling,
) -> StageReport {
    solver.begin(stage, context, particles);
    let mut report = StageReport::default();
    let mut settled = false;
    let mut best = Best { distance: f64::INFINITY, sweep: 0 };
    loop {
        solver.accelerate(stage, context);
        coupling.constrain(solver.acceleration());
        let answer = coupling.respond(stage, solver.pressure());
        if settled {
            break;
        }
        report.residual = solver.residual(stage, context, answer);
        let distance = report.weigh(solver, criterion, context, coupling);
        let spent = report.sweeps >= criterion.max_sweeps;
        if report.converged && report.sweeps >= criterion.min_sweeps {
            if spent || !solver.settle() {
                break;
            }
            // Now the pressures that were found, not those that were tried last.
            report.sweeps += 1;
            continue;
        }
        if distance < best.distance {
            best = Best { distance, sweep: report.sweeps };
            solver.keep();
        }
        if spent || best.is_lost(report.sweeps, distance) {
            // Where a body pinches fluid, pressures that grow can make it worse: what they did at their best counts.
            let passed = best.sweep < report.sweeps && best.distance.is_finite();
            if passed {
                solver.recall();
            }
            if passed || solver.settle() {
                solver.accelerate(stage, context);
                coupling.constrain(solver.acceleration());
                let answer = coupling.respond(stage, solver.pressure());
                report.residual = solver.residual(stage, context, answer);
                report.weigh(solver, criterion, context, coupling);
            }
            break;
        }
        let arrived = report.converged;
        solver.relax(stage, context, coupling);
        report.sweeps += 1;
        // The last of the fewest sweeps went beyond what was asked for: nobody needs to know how far.
        settled = arrived && report.sweeps >= criterion.min_sweeps;
    }
    report.worst = solver.worst();
    solver.finish(stage, context, particles, rest_density);
    report
}

impl StageReport {
    /// How far the solve is from being done, at 1 it is.
    fn weigh(
        &mut self,
        solver: &mut dyn PressureSolver,
        criterion: Criterion,
        context: SolveContext<'_>,
        coupling: &dyn SweepCoupling,
    ) -> f64 {
        self.owed = if criterion.acceleration.is_finite() { solver.owed(context, coupling) } else { 0.0 };
        let distance = criterion.distance(self.residual, self.owed);
        self.converged = self.residual <= criterion.tolerance && self.owed <= criterion.acceleration;
        if distance.is_nan() { f64::INFINITY } else { distance }
    }
}

/// The best that a solve has found.
#[derive(Debug, Clone, Copy)]
struct Best {
    /// See [`Criterion::distance`].
    distance: f64,
    /// After how many relaxations.
    sweep: u32,
}

impl Best {
    /// Whether sweeps go away from it, and not only around it.
    fn is_lost(&self, sweeps: u32, distance: f64) -> bool {
        sweeps >= self.sweep + PATIENCE && distance > 2.0 * self.distance
    }
}

/// What a particle with pressure P exerts on the samples of its row.
#[derive(Debug, Clone, Copy)]
pub struct WallPressure {
    /// k P `[m²/s²]`.
    mirrored: f32,
    /// How much of the fluid's weight counts: some in the stage that balances gravity `[1]`.
    hydrostatic_share: f32,
}

impl WallPressure {
    /// Of a particle with pressure P `[m²/s²]` whose row adds up to `wall`.
    #[must_use]
    pub fn new(stage: Stage, pressure: f32, wall: &BoundarySum) -> Self {
        let hydrostatic_share = if stage == Stage::Density { wall.hydrostatic_share(pressure) } else { 0.0 };
        Self { mirrored: WALL_PRESSURE * pressure, hydrostatic_share }
    }

    /// k P, and how much of the fall to a sample counts besides: what is exerted per push `[m²/s²]`, `[1]`.
    #[must_use]
    pub fn parts(self) -> (f32, f32) {
        (self.mirrored, self.hydrostatic_share)
    }

    /// Acceleration of the particle, with reversed sign, per a sample's push; `fall` is g·(x_k − x_i) `[m²/s²]`.
    #[must_use]
    pub fn at(self, fall: f32) -> f32 {
        self.mirrored + self.hydrostatic_share * fall
    }
}

/// Acceleration by pressure.
struct PressureAcceleration<'a> {
    neighbourhood: &'a Neighbourhood,
    pressure: &'a [f32],
    stage: Stage,
}

impl RowPass for PressureAcceleration<'_> {
    type Out = [f32; 4];

    #[inline(always)]
    fn eval<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> [f32; 4] {
        let zero = F16::splat(simd, 0.0);
        let mut total = [zero; 2];
        for lanes in row.lanes() {
            let pressure = lanes.spread(simd, self.pressure);
            let gradient = lanes.gradients(simd);
            // [Becker2009] Eq. 4, the neighbours' half: Σ_j P_j V ∇W_ij.
            total = [fma(pressure[0], gradient[0], total[0]), fma(pressure[1], gradient[1], total[1])];
        }
        let own = self.pressure[i];
        // Its own half, Σ_j V ∇W_ij, and the walls' answer, k Σ_k push_ik: [Wang2017] Eq. 10.
        let acting = Vec3::from_slice(&self.neighbourhood.gradient[i]);
        let mut weight = Vec3::ZERO;
        if let Some(wall) = self.neighbourhood.wall(i)
            && own > 0.0
            && self.stage == Stage::Density
        {
            // Σ_k push_ik g·(x_k − x_i), no more than the pressure itself exerts: ADR 2, ADR 12.
            weight = wall.hydrostatic_share(own) * wall.hydrostatic;
        }
        let [x, y, z, _] = sum_records(simd, total[0] + total[1]);
        let [x, y, z] = (-own * acting - weight - row.quantum * Vec3::new(x, y, z)).to_array();
        [x, y, z, 0.0]
    }
}

/// Accelerations `[m/s²]` by pressures P `[m²/s²]` of particles in the order of `neighbourhood`, without the weight of fluid between them and walls.
pub fn accelerations(neighbourhood: &Neighbourhood, pressure: &[f32], out: &mut Vec<[f32; 4]>) {
    reset(out, pressure.len(), [0.0; 4]);
    neighbourhood.rows.run(&PressureAcceleration { neighbourhood, pressure, stage: Stage::Divergence }, out);
}

/// Rate at which a vector field of the fluid changes the density; walls stand still.
struct DensityRate<'a> {
    neighbourhood: &'a Neighbourhood,
    field: &'a [[f32; 4]],
}

impl DensityRate<'_> {
    /// Σ_j V (u_i − u_j)·∇W_ij + k u_i · Σ_k push_ik.
    #[inline(always)]
    fn rate<S: Simd>(&self, simd: S, i: usize, row: Row<'_>) -> f32 {
        let own = self.field[i];
        let here = repeat(simd, own);
        let mut total = [F16::splat(simd, 0.0); 2];
        for lanes in row.lanes() {
            let there = lanes.records(simd, self.field);
            let gradient = lanes.gradients(simd);
            total =
                [fma(here - there[0], gradient[0], total[0]), fma(here - there[1], gradient[1], total[1])];
        }
        let [x, y, z, _] = sum_records(simd, total[0] + total[1]);
        // Of walls at rest; what their motion does is the row's flux.
        let wall = self.neighbourhood.wall(i).map_or(0.0, |wall| Vec3::from_slice(&own).dot(wall.mirror()));
        row.quantum * (x + y + z) + wall
    }
}

fn reset<T: Copy>(column: &mut Vec<T>, len: usize, value: T) {
    column.clear();
    column.resize(len, value);
}
