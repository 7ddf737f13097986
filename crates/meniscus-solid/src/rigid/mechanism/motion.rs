//! A step of a mechanism that keeps its energy.
//!
//! Over a step of length h every body is displaced by d and turned by the Cayley vector θ. With its linear and angular momentum
//! p and l = R Π, which impulses j and angular impulses τ change,
//!
//! p' − p = j,  l' − l = τ,  d / h = (p + p') / 2m,  Rᵀ θ / h = I⁻¹ (Π + Π') / 2,
//!
//! so that the kinetic energy changes by j · d/h + τ · θ/h, exactly: the axis of a turn is the same before and after it. Joints
//! push along their discrete gradients ([`form`](crate::rigid::joint::form)), which do no work if the joints hold at the end
//! too, and their multipliers are found such that they do. Gravity does the work that height tells. So energy stays, however
//! long the step is, and so do momentum and angular momentum (\[Gonzalez1999\], \[Betsch2001\]).
//!
//! At the end of the step the velocities are those of the mean motion reflected at it, which the joints allow up to h². What they
//! do not allow is [projected](super::velocity) out: that takes energy of the order h⁴ a step and never gives any.
//!
//! | symbol | in code | meaning |
//! | --- | --- | --- |
//! | d, θ | `by`, `turn` | displacement, Cayley vector |
//! | α | `ahead` | p' = p + α (m d / h − p): 2 as above |
//!
//! Bodies that touch others move with the velocities of the end of the step instead, α = 1, because their contacts are judged by
//! these. That takes m |v' − v|² / 2 of the energy, and never gives any either.
//!
//! Newton's method solves for d, θ and the multipliers at once, with the changes of the joints' directions: light links
//! between heavy ones are stiff across, and a step that took directions from its start would explode. Where it does not
//! converge, or bodies turn far, the step of this mechanism is divided.

use glam::{DMat3, DQuat, DVec3};
use meniscus_core::Twist;

use super::block::{Block, Six, ZERO};
use super::factor::Matrix;
use super::{Inertia, Mechanism, components, flatten, level, six, vectors};
use crate::rigid::body::BodyState;
use crate::rigid::integrate::{cayley, cayley_turning, cross_matrix};
use crate::rigid::joint::{Form, JointFrame, SCENE, Span};

/// Iterations of Newton's method at most `[1]`.
const MAX_ITERATIONS: usize = 25;
/// The last change of turns `[rad]` and of displacements, as a share of the longest arm of a joint or radius of gyration of a
/// body: it has converged `[1]`.
const TOLERANCE: f64 = 1e-8;
/// The largest component of a Cayley vector that is trusted `[rad]`.
const MAX_TURN: f64 = 1.5;
/// An impulse opens a joint by what it would move its bodies by in this time if nothing held them `[s]`. It is a property of
/// the joint and not of the step: demands that repeat or nearly repeat each other are a stiff damper, which short parts of a
/// step resolve, and the rounding of places, divided by it, stays a small impulse however short they are.
const YIELD_TIME: f64 = 1e-12;
/// The time in which a joint closes that has yielded `[s]`: what a linkage at a dead point leans on is a spring otherwise, which
/// throws it back.
const RECOVERY: f64 = 1.0;
/// A limit that is passed by less is kept `[rad]` or `[m]`.
const PASSED: f64 = 1e-12;

/// A body of a mechanism, and what moves it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mover {
    pub inertia: Inertia,
    /// Where it starts, with the velocities that its joints allow there.
    pub start: BodyState,
    /// Impulse and angular impulse about its centre, in the time of the step `[N s]`, `[N m s]`.
    pub push: [DVec3; 2],
    /// Whether it moves with the velocity of the end of the step.
    pub touches: bool,
}

impl Mover {
    /// The work of what pushes it on its way to `end` in the time `dt` `[s]` `[J]`.
    pub fn work(&self, end: &BodyState, dt: f64) -> f64 {
        let turn = end.rotation * self.start.rotation.conjugate();
        let turn = 2.0 / turn.w * DVec3::new(turn.x, turn.y, turn.z);
        (self.push[0].dot(end.position - self.start.position) + self.push[1].dot(turn)) / dt
    }
}

/// Where a step has led a mechanism.
#[derive(Debug)]
pub(crate) struct Motion {
    /// Where its bodies were.
    pub from: Vec<BodyState>,
    /// Where they are; their velocities are not projected yet.
    pub state: Vec<BodyState>,
    /// For each joint the impulses of what holds, then of its limits.
    pub impulse: Vec<Vec<f64>>,
}

impl Motion {
    /// The mean motion of its bodies in the time `dt` `[s]`.
    pub fn mean(&self, dt: f64) -> Vec<Twist> {
        let mean = |(from, to): (&BodyState, &BodyState)| {
            let turn = to.rotation * from.rotation.conjugate();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            Twist {
                linear: (to.position - from.position) / dt,
                angular: turn.normalize().to_scaled_axis() / dt,
            }
        };
        self.from.iter().zip(&self.state).map(mean).collect()
    }
}

/// Newton's method for one step.
struct Newton<'a> {
    mechanism: &'a Mechanism,
    joint: Vec<&'a JointFrame>,
    mover: &'a [Mover],
    /// Bodies that do not move freely, at the start and at the end, for each joint.
    held: &'a dyn Fn(u32) -> [BodyState; 2],
    dt: f64,
    by: Vec<DVec3>,
    turn: Vec<DVec3>,
    end: Vec<BodyState>,
    impulse: Vec<Vec<f64>>,
    /// Which limits hold.
    reached: Vec<[bool; 2]>,
    matrix: Matrix,
    rest: Vec<Six>,
}

/// Moves a mechanism by `dt` `[s]`; nothing if that cannot be found. `held` gives the states of bodies that do not move
/// freely, and `impulse` those of the joints to start from.
pub(crate) fn step(
    mechanism: &Mechanism,
    frames: &[JointFrame],
    mover: &[Mover],
    held: &dyn Fn(u32) -> [BodyState; 2],
    impulse: Vec<Vec<f64>>,
    dt: f64,
) -> Option<Motion> {
    let joint: Vec<&JointFrame> = mechanism.joint.iter().map(|link| &frames[link.index as usize]).collect();
    let arm = |frame: &&JointFrame| frame.anchor[0].length().max(frame.anchor[1].length());
    let gyration = mover.iter().map(|m| m.inertia.gyration()).fold(1e-9, f64::max);
    let longest = joint.iter().map(arm).fold(gyration, f64::max);
    let reached = impulse.iter().zip(&joint).map(|(i, f)| {
        let held = f.hold.len();
        [0, 1].map(|side| f.limit[side].is_some() && i.get(held + side).is_some_and(|i| *i != 0.0))
    });
    let mut newton = Newton {
        reached: reached.collect(),
        by: mover.iter().map(|m| dt * m.start.velocity).collect(),
        turn: mover.iter().map(|m| dt * m.start.angular_velocity).collect(),
        end: mover.iter().map(|m| m.start).collect(),
        mechanism,
        joint,
        mover,
        held,
        dt,
        impulse,
        matrix: mechanism.matrix(),
        rest: Vec::new(),
    };
    newton.place();
    let found = newton.solve(longest);
    mechanism.discard(std::mem::take(&mut newton.matrix));
    found.then(|| newton.finish())
}
impl Newton<'_> {
    /// Whether Newton's method converges.
    fn solve(&mut self, longest: f64) -> bool {
        for iteration in 0..MAX_ITERATIONS {
            self.assemble();
            let Some(change) = self.improve(longest) else { return false };
            // Limits are let go in the first half only, so that this ends.
            let revised = self.revise(2 * iteration < MAX_ITERATIONS);
            if change <= TOLERANCE && !revised {
                return true;
            }
        }
        false
    }

    fn span(&self, k: usize) -> Span {
        let link = &self.mechanism.joint[k];
        let of = |side: usize| {
            if let Some(body) = link.ends[side] {
                return (self.mover[body].start, self.end[body], cayley_turning(self.turn[body]));
            }
            let [start, end] = self.joint[k].body[side].map_or([SCENE; 2], self.held);
            (start, end, DMat3::IDENTITY)
        };
        let (a, b) = (of(0), of(1));
        Span { start: [a.0, b.0], end: [a.1, b.1], turning: [a.2, b.2] }
    }

    /// What holds of a joint now, with its impulse.
    fn forms(&self, k: usize) -> impl Iterator<Item = (usize, &Form)> {
        let frame = self.joint[k];
        let held = frame.hold.len();
        let limits = [0, 1].into_iter().filter(move |side| self.reached[k][*side]);
        let limits =
            limits.filter_map(move |side| frame.limit[side].as_ref().map(|form| (held + side, form)));
        frame.hold.iter().enumerate().chain(limits).take(6)
    }

    /// Puts bodies where displacements and turns lead.
    fn place(&mut self) {
        for (k, (end, mover)) in self.end.iter_mut().zip(self.mover).enumerate() {
            end.position = mover.start.position + self.by[k];
            end.rotation = (cayley(self.turn[k]) * mover.start.rotation).normalize();
        }
    }

    fn ahead(&self, body: usize) -> f64 {
        if self.mover[body].touches { 1.0 } else { 2.0 }
    }

    /// The velocity and the angular momentum of a body at the end of the step.
    fn momentum(&self, body: usize) -> (DVec3, DVec3) {
        let (mover, ahead) = (&self.mover[body], self.ahead(body));
        let start = &mover.start;
        let velocity = start.velocity + ahead * (self.by[body] / self.dt - start.velocity);
        let own = start.rotation.conjugate();
        let mean = own * self.turn[body] / self.dt;
        let before = own * start.angular_velocity;
        let spin = mover.inertia.tensor * (before + ahead * (mean - before));
        (velocity, self.end[body].rotation * spin)
    }

    /// The system for the next improvement, and what is left over now.
    fn assemble(&mut self) {
        let Self { mechanism, .. } = *self;
        let bodies = mechanism.body.len();
        let mut matrix = std::mem::take(&mut self.matrix);
        let mut rest = std::mem::take(&mut self.rest);
        matrix.clear(&mechanism.pattern);
        rest.clear();
        for body in 0..bodies {
            let (block, left) = self.body(body);
            matrix.block[body] = block;
            rest.push(left);
        }
        rest.resize(bodies + mechanism.joint.len(), [0.0; 6]);
        for k in 0..mechanism.joint.len() {
            self.add_joint(k, &mut matrix, &mut rest);
        }
        (self.matrix, self.rest) = (matrix, rest);
    }

    /// How the momentum of a body changes with its displacement and turn, and what it has too much `[N s]`, `[N m s]`.
    fn body(&self, body: usize) -> (Block, Six) {
        let mover = &self.mover[body];
        let (velocity, spin) = self.momentum(body);
        let start = &mover.start;
        let before =
            start.rotation * (mover.inertia.tensor * (start.rotation.conjugate() * start.angular_velocity));
        let mass = mover.inertia.mass;
        let mut left = six(mass * (velocity - start.velocity) - mover.push[0], spin - before - mover.push[1]);
        let rate = self.ahead(body) / self.dt;
        let (from, to) = (DMat3::from_quat(start.rotation), DMat3::from_quat(self.end[body].rotation));
        let turned = rate * (to * mover.inertia.tensor * from.transpose())
            - cross_matrix(spin) * cayley_turning(self.turn[body]);
        let mut block = ZERO;
        for i in 0..3 {
            block[i][i] = mass * rate;
            block[3 + i][3..].copy_from_slice(&turned.row(i).to_array());
        }
        if mover.inertia.planar {
            flatten(&mut left);
            level(&mut block);
            for i in [2, 3, 4] {
                block[i][i] = mass * rate;
            }
        }
        (block, left)
    }

    fn add_joint(&self, k: usize, matrix: &mut Matrix, rest: &mut [Six]) {
        let (link, span, bodies) = (&self.mechanism.joint[k], self.span(k), self.mechanism.body.len());
        let held = self.joint[k].hold.len();
        let mut pivot = ZERO;
        (0..6).for_each(|i| pivot[i][i] = -1.0);
        let mut stiffness = [[DMat3::ZERO; 4]; 4];
        let kept = (1.0 - self.dt / RECOVERY).max(0.0);
        for (i, (place, form)) in self.forms(k).enumerate() {
            let impulse = self.impulse[k][place];
            let (end, mean) = (form.end_gradient(&span), form.mean_gradient(&span));
            let mut ease = 0.0;
            for (side, body) in link.ends.iter().enumerate() {
                let Some(body) = *body else { continue };
                let Inertia { mass, tensor, planar } = self.mover[body].inertia;
                let (row, column) = (components(&end, side, planar), components(&mean, side, planar));
                let [linear, angular] = vectors(&column);
                let local = self.mover[body].start.rotation.conjugate() * angular;
                ease += linear.length_squared() / mass + local.dot(tensor.inverse() * local);
                matrix.block[link.row[side]][i] = row;
                let block = &mut matrix.block[link.column[side]];
                for ((own, left), column) in block.iter_mut().zip(&mut rest[body]).zip(column) {
                    own[i] = column;
                    *left -= impulse * column;
                }
            }
            let yields = if ease > 0.0 { YIELD_TIME * ease } else { 1.0 };
            pivot[i][i] = -yields;
            // A limit is open only beyond.
            let open = match (form.error(&span.start), place.checked_sub(held)) {
                (error, Some(0)) => error.min(0.0),
                (error, Some(_)) => error.max(0.0),
                (error, None) => error,
            };
            let wanted = kept * open - yields * impulse;
            rest[bodies + k][i] = form.error(&span.end) - wanted;
            if impulse != 0.0 {
                form.add_stiffness(&span, -impulse, &mut stiffness);
            }
        }
        matrix.block[bodies + k] = pivot;
        self.add_stiffness(k, &stiffness, matrix);
    }

    fn add_stiffness(&self, k: usize, stiffness: &[[DMat3; 4]; 4], matrix: &mut Matrix) {
        let link = &self.mechanism.joint[k];
        for (a, first) in link.ends.iter().enumerate() {
            for (b, second) in link.ends.iter().enumerate() {
                let (Some(first), true) = (*first, second.is_some()) else { continue };
                let mut block = ZERO;
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let part = stiffness[2 * a + i][2 * b + j];
                    for row in 0..3 {
                        block[3 * i + row][3 * j..3 * j + 3].copy_from_slice(&part.row(row).to_array());
                    }
                }
                if self.mover[first].inertia.planar {
                    level(&mut block);
                }
                let place = if a == b { first } else { link.cross[a] };
                for (to, from) in matrix.block[place].iter_mut().zip(&block) {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                }
            }
        }
    }

    /// One improvement; the largest change of a turn, or of a displacement as a share of the longest arm.
    fn improve(&mut self, longest: f64) -> Option<f64> {
        let (pattern, bodies) = (&self.mechanism.pattern, self.mechanism.body.len());
        self.matrix.factorise(pattern);
        self.rest.iter_mut().flatten().for_each(|x| *x = -*x);
        self.matrix.solve(pattern, &mut self.rest);
        let mut most = 0.0_f64;
        for (body, x) in self.rest[..bodies].iter().enumerate() {
            let [by, turn] = vectors(x);
            self.by[body] += by;
            self.turn[body] += turn;
            let change = turn.length().max(by.length() / longest);
            let far = self.turn[body].abs().max_element();
            if !(change.is_finite() && far <= MAX_TURN) {
                return None;
            }
            most = most.max(change);
        }
        for k in 0..self.mechanism.joint.len() {
            let places: Vec<usize> = self.forms(k).map(|(place, _)| place).collect();
            for (place, x) in places.into_iter().zip(self.rest[bodies + k]) {
                self.impulse[k][place] -= x;
            }
        }
        self.place();
        Some(most)
    }

    /// Revises which limits hold; whether there was anything to revise.
    fn revise(&mut self, may_let_go: bool) -> bool {
        let mut revised = false;
        for k in 0..self.joint.len() {
            let frame = self.joint[k];
            if frame.limit[0].is_none() && frame.limit[1].is_none() {
                continue;
            }
            let (span, held) = (self.span(k), frame.hold.len());
            let room = frame.room_after(&span.start, &span.end);
            for side in (0..2).filter(|side| frame.limit[*side].is_some()) {
                let impulse = self.impulse[k][held + side];
                let pulls = if side == 0 { impulse < 0.0 } else { impulse > 0.0 };
                if self.reached[k][side] && pulls && may_let_go {
                    (self.reached[k][side], self.impulse[k][held + side]) = (false, 0.0);
                    revised = true;
                } else if !self.reached[k][side] && room[side] < -PASSED {
                    self.reached[k][side] = true;
                    revised = true;
                }
            }
        }
        revised
    }

    fn finish(mut self) -> Motion {
        for body in 0..self.end.len() {
            let (velocity, spin) = self.momentum(body);
            let (mover, rotation) = (&self.mover[body], self.end[body].rotation);
            let own = mover.inertia.tensor.inverse() * (rotation.conjugate() * spin);
            self.end[body].velocity = velocity;
            self.end[body].angular_velocity = rotation * own;
        }
        Motion { from: self.mover.iter().map(|m| m.start).collect(), state: self.end, impulse: self.impulse }
    }
}

/// A body's velocities.
pub(crate) fn twist(state: &BodyState) -> Twist {
    Twist { linear: state.velocity, angular: state.angular_velocity }
}

/// Moves a state by a displacement and a turn.
pub(crate) fn displace(state: &mut BodyState, by: Twist) {
    state.position += by.linear;
    if by.angular != DVec3::ZERO {
        state.rotation = (DQuat::from_scaled_axis(by.angular) * state.rotation).normalize();
    }
}
