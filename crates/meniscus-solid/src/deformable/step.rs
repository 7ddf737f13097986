//! A step that conserves energy, momentum and angular momentum.
//!
//! With Δx = dt (v + v')/2 and m (v' − v) = dt f, the change of angular momentum is dt Σ x̄ × f with x̄ halfway, and that of kinetic
//! energy f · Δx. Elements push with stresses S that act along F halfway, which have no moment about anything, and whose work is the
//! loss of elastic energy [Simo1992], [Gonzalez2000]. So nothing is lost or gained at any length of the step
//! but by what is said to dissipate: viscous stress of the strain rate at the end of the step, by which also motions fade that are
//! too fast for the step, and drag.
//!
//! Newton's method finds Δx. The exact tangent is not symmetric; its symmetric part at a state as strained as the mean of both ends
//! and turned as F halfway, cut to be positive semi-definite, leaves an error of the first order in the turn of a step. What the last
//! iteration leaves may not move a free body as a whole: its resultant and moment are taken out of the velocities.

use super::conjugate_gradient::ConjugateGradient;
use super::element::Motion;
use super::system::System;
use glam::{DMat3, DVec3};
use meniscus_core::reduce;
use meniscus_geometry::mass::principal_axes;
use rayon::prelude::*;

/// Nodes that one thread takes at least.
const NODES: usize = 512;

/// Newton's iterations before a step is divided.
const MAX_ITERATIONS: u32 = 40;

/// Residual by forces that counts as zero `[1]`.
const TOLERANCE: f64 = 1e-8;

/// By how much an iteration's linear system is solved: more than that its tangent is not worth `[1]`.
const INNER_TOLERANCE: f64 = 1e-2;

/// By how much an answer to loads is solved `[1]`.
const RESPONSE_TOLERANCE: f64 = 1e-6;

/// Why a step had no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsolved {
    /// A number is not finite.
    NotFinite,
    /// Newton's method did not converge.
    NotConverged,
}

/// What acts on a body in a step.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// `[kg]`
    pub(crate) mass: &'a [f64],
    /// Where nodes are at the start `[m]`.
    pub(crate) start: &'a [DVec3],
    /// How they move then; held coordinates as they are moved `[m/s]`.
    pub(crate) velocity: &'a [DVec3],
    /// 1 for coordinates that are free, 0 for those that are held.
    pub(crate) free: &'a [DVec3],
    /// Whether anything is held.
    pub(crate) held: bool,
    /// Whether a shape at rest is looked for: the step is long, and begins without velocities.
    pub(crate) settles: bool,
    /// `[m/s²]`
    pub(crate) gravity: DVec3,
    /// `[s]`
    pub(crate) damping: f64,
    /// `[1/s]`
    pub(crate) drag: f64,
    /// `[s]`
    pub(crate) dt: f64,
}

/// The search for the end of a step.
#[derive(Debug, Clone)]
pub(crate) struct Integrator {
    /// Where nodes are at the end `[m]`.
    pub(crate) end: Vec<DVec3>,
    /// How they move then `[m/s]`.
    pub(crate) velocity: Vec<DVec3>,
    /// What forces leave of inertia `[N]`.
    residual: Vec<DVec3>,
    gradient: Vec<DVec3>,
    /// Where nodes were before a trial.
    base: Vec<DVec3>,
    way: Vec<DVec3>,
    right: Vec<DVec3>,
    solver: ConjugateGradient,
    /// Iterations of the last step `[1]`.
    pub(crate) iterations: u32,
    /// Sweeps of the linear solver in the last step `[1]`.
    pub(crate) sweeps: u32,
}

impl Integrator {
    pub(crate) fn new(nodes: usize) -> Self {
        let zero = vec![DVec3::ZERO; nodes];
        Self {
            end: zero.clone(),
            velocity: zero.clone(),
            residual: zero.clone(),
            gradient: zero.clone(),
            base: zero.clone(),
            way: zero.clone(),
            right: zero,
            solver: ConjugateGradient::new(nodes),
            iterations: 0,
            sweeps: 0,
        }
    }

    /// Finds the end of a step.
    pub(crate) fn solve(&mut self, system: &mut System, set: &Setting<'_>) -> Result<(), Unsolved> {
        self.guess(set);
        self.iterations = 0;
        self.sweeps = 0;
        let mut left = self.evaluate(system, set);
        let mut floor = 0.0;
        while self.iterations < MAX_ITERATIONS {
            if !left.square.is_finite() {
                return Err(Unsolved::NotFinite);
            }
            if self.iterations > 0 && left.square.sqrt() <= TOLERANCE * left.scale.sqrt() + floor {
                self.take_out_what_moves_all(set);
                return Ok(());
            }
            self.iterations += 1;
            system.assemble(&self.motion(set), |node| {
                set.mass[node] * (2.0 / (set.dt * set.dt) + set.drag / set.dt)
            });
            floor = Self::rounding(system, set);
            self.find_way(system, set)?;
            left = self.search(system, set, left);
        }
        Err(Unsolved::NotConverged)
    }

    /// As if nothing but gravity acted; nothing moves where a shape at rest is looked for.
    fn guess(&mut self, set: &Setting<'_>) {
        if set.settles {
            self.end.copy_from_slice(set.start);
            return;
        }
        self.end.par_iter_mut().with_min_len(NODES).enumerate().for_each(|(i, end)| {
            let fall = 0.5 * set.dt * set.dt * (set.free[i] * set.gravity);
            *end = set.start[i] + set.dt * set.velocity[i] + fall;
        });
    }

    fn motion<'a>(&'a self, set: &Setting<'a>) -> Motion<'a> {
        let Setting { start, dt, damping, .. } = *set;
        Motion { start, end: &self.end, velocity: &self.velocity, dt, damping }
    }

    /// The residual where the search is.
    fn evaluate(&mut self, system: &mut System, set: &Setting<'_>) -> Left {
        let Self { end, velocity, residual, gradient, .. } = self;
        let dt = set.dt;
        velocity.par_iter_mut().with_min_len(NODES).enumerate().for_each(|(i, velocity)| {
            *velocity = 2.0 / dt * (end[i] - set.start[i]) - set.velocity[i];
        });
        let motion = Motion { start: set.start, end, velocity, dt, damping: set.damping };
        system.gradient(&motion, gradient);
        let (end, velocity) = (&*end, &*velocity);
        residual.par_iter_mut().with_min_len(NODES).enumerate().for_each(|(i, residual)| {
            let inertia = (velocity[i] - set.velocity[i]) / dt;
            let drag = set.drag / dt * (end[i] - set.start[i]);
            *residual = set.free[i] * (set.mass[i] * (inertia + drag - set.gravity) + gradient[i]);
        });
        let (residual, gradient) = (&*residual, &*gradient);
        let parts = |i: usize| {
            let [free, mass] = [set.free[i], DVec3::splat(set.mass[i])];
            let inertia = (velocity[i] - set.velocity[i]) / dt;
            let scale = mass * free * (inertia * inertia + set.gravity * set.gravity)
                + free * gradient[i] * gradient[i] / mass;
            Left { square: residual[i].length_squared() / set.mass[i], scale: scale.element_sum() }
        };
        let add = |a: Left, b: Left| Left { square: a.square + b.square, scale: a.scale + b.scale };
        reduce::by_chunk(residual.len(), Left::default(), |r| r.map(parts).fold(Left::default(), add), add)
    }

    /// The residual that rounding alone may leave.
    fn rounding(system: &System, set: &Setting<'_>) -> f64 {
        let far = reduce::max(set.start.len(), 0.0, |i| set.start[i].abs().max_element());
        let square = |i: usize| {
            let own = system.block[system.pattern.diagonal[i] as usize];
            let stiffness = own.x_axis.x.max(own.y_axis.y).max(own.z_axis.z);
            stiffness * stiffness / set.mass[i]
        };
        2.0 * f64::EPSILON * far * reduce::sum(set.start.len(), square).sqrt()
    }

    /// Where Newton's method would go.
    fn find_way(&mut self, system: &System, set: &Setting<'_>) -> Result<(), Unsolved> {
        let Self { residual, way, right, solver, sweeps, .. } = self;
        let turned = right.par_iter_mut().zip(&*residual).with_min_len(NODES);
        turned.for_each(|(right, residual)| *right = -*residual);
        solver.prepare(&system.pattern, &system.block, set.free);
        let taken = solver.solve(&system.pattern, &system.block, set.free, right, way, INNER_TOLERANCE);
        *sweeps += taken.ok_or(Unsolved::NotFinite)?;
        Ok(())
    }

    /// Goes that way, or as far as the residual along it has not turned round by as much as it was.
    fn search(&mut self, system: &mut System, set: &Setting<'_>, before: Left) -> Left {
        self.base.copy_from_slice(&self.end);
        let along = |s: &Self| reduce::sum(s.way.len(), |i| s.residual[i].dot(s.way[i]));
        let first = along(self);
        let mut length = 1.0;
        for _ in 0..12 {
            let Self { end, base, way, .. } = self;
            let places = end.par_iter_mut().zip(&*base).zip(&*way).with_min_len(NODES);
            places.for_each(|((end, base), way)| *end = *base + length * *way);
            let left = self.evaluate(system, set);
            let now = along(self);
            if left.square <= 0.25 * before.square || now.abs() <= 0.9 * first.abs() {
                return left;
            }
            // Where the straight line through both would be zero.
            let secant = first / (first - now);
            length *= if secant.is_finite() { secant.clamp(0.1, 0.6) } else { 0.1 };
        }
        self.evaluate(system, set)
    }

    /// Takes what the residual would do to a free body as a whole out of its velocities.
    fn take_out_what_moves_all(&mut self, set: &Setting<'_>) {
        if set.held {
            return;
        }
        let Self { end, velocity, residual, .. } = self;
        let count = end.len();
        let sum = |value: &(dyn Fn(usize) -> DVec3 + Sync)| {
            reduce::by_chunk(count, DVec3::ZERO, |range| range.map(value).sum::<DVec3>(), |a, b| a + b)
        };
        let mass = reduce::sum(count, |i| set.mass[i]);
        let centre = sum(&|i| set.mass[i] * end[i]) / mass;
        let impulse = -set.dt * sum(&|i| residual[i]);
        let turn = -set.dt * sum(&|i| (0.5 * (set.start[i] + end[i])).cross(residual[i]));
        let about = turn - centre.cross(impulse);
        let inertia = reduce::by_chunk(
            count,
            DMat3::ZERO,
            |range| {
                range.fold(DMat3::ZERO, |sum, i| {
                    let r = end[i] - centre;
                    sum + set.mass[i]
                        * (DMat3::from_diagonal(DVec3::splat(r.length_squared()))
                            - super::element::outer(r, r))
                })
            },
            |a, b| a + b,
        );
        let spin = spin_of(inertia, about);
        let push = impulse / mass;
        velocity.par_iter_mut().zip(&*end).with_min_len(NODES).for_each(|(velocity, end)| {
            *velocity += push + spin.cross(*end - centre);
        });
    }

    /// Prepares for [`Integrator::respond`] in a step whose end is not known yet.
    pub(crate) fn begin_response(&mut self, system: &mut System, set: &Setting<'_>) {
        let Self { end, velocity, gradient, .. } = self;
        let places = end.par_iter_mut().zip(set.start).zip(set.velocity).with_min_len(NODES);
        places.for_each(|((end, start), v)| *end = *start + set.dt * *v);
        velocity.copy_from_slice(set.velocity);
        let motion = Motion { start: set.start, end, velocity, dt: set.dt, damping: set.damping };
        system.gradient(&motion, gradient);
        system.assemble(&motion, |node| set.mass[node] * (2.0 / (set.dt * set.dt) + set.drag / set.dt));
        self.solver.prepare(&system.pattern, &system.block, set.free);
    }

    /// By how much mean velocities in that step differ from those at its start, if nodes receive these impulses at its start: to
    /// first order, by the tangent.
    pub(crate) fn respond(
        &mut self,
        system: &System,
        set: &Setting<'_>,
        impulse: &[DVec3],
        change: &mut [DVec3],
    ) {
        let Self { residual, gradient, base, way, right, solver, .. } = self;
        let total = |i: usize| impulse[i] + set.dt * (set.mass[i] * set.gravity - gradient[i]);
        // What moves all nodes alike is answered exactly: the solve begins with what free nodes would do.
        base.par_iter_mut().with_min_len(NODES).enumerate().for_each(|(i, base)| {
            *base = set.free[i] * (impulse[i] / set.mass[i] + set.dt * set.gravity) * set.dt;
        });
        super::sparse::multiply(&system.pattern, &system.block, base, residual);
        let residual = &*residual;
        right.par_iter_mut().with_min_len(NODES).enumerate().for_each(|(i, right)| {
            *right = set.free[i] * (2.0 / set.dt * total(i) - residual[i]);
        });
        let solved = solver.solve(&system.pattern, &system.block, set.free, right, way, RESPONSE_TOLERANCE);
        if solved.is_none() {
            way.fill(DVec3::ZERO);
        }
        let answers = change.par_iter_mut().zip(&*base).zip(&*way).with_min_len(NODES);
        answers.for_each(|((change, base), way)| *change = (*base + *way) / set.dt);
    }

    /// What holds back held coordinates at the end of the last search `[N]`.
    pub(crate) fn reaction(&self, set: &Setting<'_>) -> DVec3 {
        let force = |i: usize| (DVec3::ONE - set.free[i]) * (self.gradient[i] - set.mass[i] * set.gravity);
        (0..self.end.len()).map(force).sum()
    }
}

/// The angular velocity that a body gets by an angular impulse; none about the axis of a straight rope, which has no inertia.
fn spin_of(inertia: DMat3, impulse: DVec3) -> DVec3 {
    let (moment, axes) = principal_axes(inertia);
    let own = axes.inverse() * impulse;
    let share = |k: usize| if moment[k] > 1e-9 * moment.z { own[k] / moment[k] } else { 0.0 };
    axes * DVec3::new(share(0), share(1), share(2))
}

/// What is left of a balance, and what its terms are like, both as squares by mass.
#[derive(Debug, Clone, Copy, Default)]
struct Left {
    square: f64,
    scale: f64,
}
