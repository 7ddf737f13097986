//! Conjugate directions for the pressure equation, with a look from afar.
//!
//! | here | literature |
//! | --- | --- |
//! | `left` | residual r |
//! | `wanted` | z = M⁻¹ r, with M⁻¹ = ω / (dt² D) + R A_c⁻¹ Rᵀ ([`coarse`](super::coarse)) |
//! | `step` | direction d times its trial length |
//! | `change` | dt² D K d |
//! | `share` | step length α over its trial |
//!
//! A sweep tries a step along the current direction, sees what contacts, solids and walls make of it, and takes the share of it by which the residual gets
//! smallest (in the norm of the equation); the next direction is conjugate to what was really tried: z − (z·y / d·y) d with y the change of the residual. So
//! what acts between sweeps needs no linear form of its own, directions that a bound cut short are still conjugate, and M may change from sweep to sweep.
//!
//! Pressures that are zero and that the residual does not ask for stay zero. A first direction asks all that is nearly as dense as at rest: pressure that has to rise through
//! a deep column would otherwise climb by one layer in a sweep. Trial steps are a little too long, so that what is taken lies between pressures that are
//! not negative.
//!
//! √(r·z / n) / dt is what pressures still owe of the acceleration, as r·z is the residual's energy: it costs nothing.

use super::cells::Cells;
use super::coarse::Coarse;
use super::system::{PressureSystem, is_diagonal};
use super::{SolveContext, SweepCoupling};
use glam::Vec3;
use meniscus_core::reduce;
use rayon::prelude::*;
use std::ops::Range;

/// ω of M⁻¹, for kernels that are not wide `[1]`.
const RELAXATION: f64 = 0.8;

/// How far below its rest density fluid may be, at the end of the step, to be asked in a first direction `[1]`.
const NEARLY_AT_REST: f32 = -0.05;

/// A trial step over the best one so far `[1]`.
const TOO_LONG: f32 = 1.25;

/// After so many trials the residual is looked at anew where solids answer: what they say is not linear, and depends on what they were asked before.
const TRIALS: u32 = 6;

/// The least and the most length of a trial step `[1]`.
const LENGTH: [f32; 2] = [0.05, 8.0];

/// Where a solve is.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "what is known at a time does not follow one sequence")]
pub(super) struct Conjugate {
    coarse: Coarse,
    /// Share of ω that a wide kernel bears `[1]`.
    wide: f64,
    /// Where pressure may act.
    free: Vec<bool>,
    /// Pressures that were taken, and what they leave.
    pressure: Vec<f32>,
    left: Vec<f32>,
    step: Vec<f32>,
    change: Vec<f32>,
    wanted: Vec<f32>,
    /// Whether the system's pressures are a trial.
    trying: bool,
    /// Whether the pressures taken are not those that accelerations are of.
    taken: bool,
    /// Whether `step` and `change` belong to this equation.
    remembers: bool,
    /// Whether no direction was taken in this stage.
    first: bool,
    /// Whether the last direction led nowhere, as bounds cut off what made it a good one.
    lost: bool,
    /// Whether `wanted` belongs to `left`.
    known: bool,
    /// Trials since the residual was that of pressures as they are.
    trials: u32,
    /// Of a trial step `[1]`.
    length: f32,
    /// d · y and z · y.
    products: [f64; 2],
    owed: f64,
}

/// Products of a trial step.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    slope: f64,
    curvature: f64,
    /// By how much the shortest pressure shrinks.
    shrinks: f32,
}

/// Products of a new residual.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    energy: f64,
    with_change: f64,
    acceleration: f64,
    count: u64,
}

impl Conjugate {
    /// For kernels that bear this share of a sweep.
    pub fn new(wide: f64) -> Self {
        Self { wide, ..Self::default() }
    }

    /// A stage begins.
    pub fn begin(&mut self) {
        (self.trying, self.taken, self.remembers, self.lost) = (false, false, false, false);
        (self.first, self.known) = (true, false);
        (self.trials, self.length) = (0, 1.0);
    }

    /// The residual is there: of a trial, of which the best share is taken, or of pressures as they are.
    pub fn observe(&mut self, system: &mut PressureSystem) {
        self.known = false;
        if !self.trying {
            (self.taken, self.remembers, self.trials) = (false, false, 0);
            return;
        }
        self.trying = false;
        self.taken = true;
        let Self { left, step, pressure, change, .. } = self;
        let n = left.len();
        let residual = &system.residual;
        let changed = |left: f32, now: f32| if left.is_finite() { left - now } else { 0.0 };
        let tried = |range: Range<usize>| {
            range.fold(Tried::default(), |sum, i| {
                let (step, left) = (step[i], left[i]);
                if step == 0.0 {
                    return sum;
                }
                let wide = f64::from(step);
                Tried {
                    slope: sum.slope + wide * f64::from(left),
                    curvature: sum.curvature + wide * f64::from(changed(left, residual[i])),
                    shrinks: sum.shrinks.max(-step / pressure[i].max(f32::MIN_POSITIVE)),
                }
            })
        };
        let join = |a: Tried, b: Tried| Tried {
            slope: a.slope + b.slope,
            curvature: a.curvature + b.curvature,
            shrinks: a.shrinks.max(b.shrinks),
        };
        let Tried { slope, curvature, shrinks } = reduce::by_chunk(n, Tried::default(), tried, join);
        let best = if slope > 0.0 && curvature > 0.0 { slope / curvature } else { 0.0 };
        let share = (best as f32).min(1.0 / shrinks.max(f32::MIN_POSITIVE));
        self.remembers = share > 0.0;
        self.lost = !self.remembers;
        self.products[0] = curvature;
        self.length = if self.remembers {
            (TOO_LONG * share * self.length).clamp(LENGTH[0], LENGTH[1])
        } else {
            (0.25 * self.length).max(LENGTH[0])
        };
        let columns = left.par_iter_mut().zip(&mut *change).zip(&mut *pressure).zip(&*step);
        columns.zip(&mut system.residual).zip(&mut system.pressure).with_min_len(4096).for_each(
            |(((((left, change), pressure), step), residual), now)| {
                *change = changed(*left, *residual);
                *left -= share * *change;
                *pressure = (*pressure + share * step).max(0.0);
                (*residual, *now) = (*left, *pressure);
            },
        );
    }

    /// Whether accelerations are of other pressures than those that were taken; those are the system's.
    pub fn settle(&mut self) -> bool {
        std::mem::take(&mut self.taken)
    }

    /// What pressures still owe of the acceleration, in units of gravity, or of what they accelerate by if that is more `[1]`.
    pub fn owed(
        &mut self,
        system: &PressureSystem,
        context: SolveContext<'_>,
        coupling: &dyn SweepCoupling,
    ) -> f64 {
        if !self.known {
            self.want(system, context, coupling);
        }
        self.owed
    }

    /// Finds z for the system's residual.
    fn want(&mut self, system: &PressureSystem, context: SolveContext<'_>, coupling: &dyn SweepCoupling) {
        let PressureSystem { pressure, residual, acceleration, .. } = system;
        let Self { coarse, free, wanted, change, .. } = self;
        let SolveContext { neighbourhood, dt, gravity, .. } = context;
        let n = residual.len();
        let least = if self.first { NEARLY_AT_REST } else { 0.0 };
        let diagonal = &neighbourhood.gradient;
        let asked = |i: usize| pressure[i] > 0.0 || residual[i] > 0.0;
        (0..n)
            .into_par_iter()
            .with_min_len(4096)
            .map(|i| (pressure[i] > 0.0 || residual[i] > least) && is_diagonal(diagonal[i][3]))
            .collect_into_vec(free);
        coarse.make(neighbourhood, || coupling.firm());
        coarse.solve(residual, free, dt);
        let scale = (self.wide * RELAXATION / (dt * dt)) as f32;
        wanted.resize(n, 0.0);
        change.resize(n, 0.0);
        let (cells, smooth) = (&coarse.cells, coarse.found());
        let each =
            wanted.par_iter_mut().zip(&*free).zip(pressure).zip(residual).zip(&cells.code).zip(diagonal);
        each.with_min_len(4096).for_each(|(((((wanted, &free), &pressure), &residual), &code), diagonal)| {
            *wanted = 0.0;
            if free {
                let own = scale * residual / diagonal[3];
                let both = own + smooth[Cells::part(code)];
                // What its neighbours would have less of, a particle without pressure cannot give: it is on its own.
                *wanted = if pressure > 0.0 { both } else { both.max(own) };
            }
        });
        let remembers = self.remembers;
        let products = |range: Range<usize>| {
            range.filter(|&i| free[i]).fold(Left::default(), |mut sum, i| {
                let wanted = f64::from(wanted[i]);
                if asked(i) {
                    sum.energy += wanted * f64::from(residual[i]);
                    sum.acceleration += f64::from(Vec3::from_slice(&acceleration[i]).length_squared());
                    sum.count += 1;
                }
                if remembers {
                    sum.with_change += wanted * f64::from(change[i]);
                }
                sum
            })
        };
        let join = |a: Left, b: Left| Left {
            energy: a.energy + b.energy,
            with_change: a.with_change + b.with_change,
            acceleration: a.acceleration + b.acceleration,
            count: a.count + b.count,
        };
        let Left { energy, with_change, acceleration, count } =
            reduce::by_chunk(n, Left::default(), products, join);
        self.products[1] = with_change;
        let mean = |sum: f64| (sum.abs() / count.max(1) as f64).sqrt();
        let scale = gravity.max(mean(acceleration));
        self.owed = if scale > 0.0 { mean(energy) / (dt * scale) } else { 0.0 };
        self.known = true;
    }

    /// Tries a step; now and then, where solids answer, none.
    pub fn relax(
        &mut self,
        system: &mut PressureSystem,
        context: SolveContext<'_>,
        coupling: &dyn SweepCoupling,
        answered: bool,
    ) {
        if answered && self.trials >= TRIALS {
            return;
        }
        self.trials += 1;
        if !self.known {
            self.want(system, context, coupling);
        }
        let Self { free, pressure, left, step, wanted, length, .. } = self;
        pressure.clone_from(&system.pressure);
        left.clone_from(&system.residual);
        step.resize(left.len(), 0.0);
        let [curvature, product] = self.products;
        // y is that of the whole trial, as `step` is.
        let back = if self.remembers && curvature > 0.0 { (product / curvature) as f32 } else { 0.0 };
        let length = *length;
        // Each equation for itself always leads on.
        let alone = self.lost.then(|| (self.wide * RELAXATION / (context.dt * context.dt)) as f32);
        let diagonal = &context.neighbourhood.gradient;
        let each = system.pressure.par_iter_mut().zip(&mut *step).zip(&*wanted).zip(&*free).zip(&*pressure);
        let each = each.zip(&*left).zip(diagonal).with_min_len(4096);
        each.for_each(|((((((now, step), wanted), &free), &pressure), left), diagonal)| {
            let direction = match alone {
                _ if !free => 0.0,
                Some(scale) => scale * left / diagonal[3],
                None => wanted - back * *step,
            };
            *now = (pressure + length * direction).max(0.0);
            *step = *now - pressure;
        });
        (self.trying, self.first, self.known) = (true, false, false);
    }
}
