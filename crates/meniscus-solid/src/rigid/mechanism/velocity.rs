//! Velocities of a mechanism that its joints allow.
//!
//! Of all velocities that the joints allow those are taken that differ least, in the metric of the masses, from given ones.
//! That is what impulses of the joints do, so it keeps momentum, and it is a projection, so it never adds energy. Where demands
//! nearly repeat each other rounding makes the result longer than it may be, and it is shortened.
//!
//! Limits and motors are demands with bounded impulses. Which of them hold is found by trial: what needs more than its bound
//! allows gives way, what was given way to and would be violated holds.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use meniscus_core::Twist;

use super::block::{Block, Six, ZERO};
use super::factor::Matrix;
use super::{Inertia, Mechanism, YIELD, components, vectors};
use crate::rigid::body::BodyState;
use crate::rigid::joint::{Gradient, JointFrame, SCENE};

/// Trials for the set of limits and motors that hold, at most `[1]`.
const MAX_TRIALS: usize = 12;
/// Violations that are none, as a share of the largest velocity `[1]`.
const NONE: f64 = 1e-12;
/// What joints yield where displacements close them, as [`YIELD`] `[1]`: long chains hardly resist to bending, and would stay open.
const CLOSING_YIELD: f64 = 1e-11;
/// A limit that is no farther away is reached `[rad]` or `[m]`.
const REACHED: f64 = 1e-9;

/// What the velocities are for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Aim {
    /// The end of a step of this length, with motors at work: limits may be reached but not passed `[s]`.
    Step(f64),
    /// Its start: the same without motors `[s]`.
    Start(f64),
    /// This moment: limits that are reached hold.
    Now,
    /// Displacements that close what joints are off by.
    Close,
}

/// One demand.
#[derive(Debug, Clone, Copy)]
struct Row {
    gradient: Gradient,
    wanted: f64,
}

/// A demand with bounded impulses.
#[derive(Debug, Clone, Copy)]
struct BoundRow {
    row: Row,
    /// Least and largest impulse.
    range: [f64; 2],
    impulse: f64,
    /// The impulse to which it has given way; none while it holds.
    given_way: Option<f64>,
    drives: bool,
}

#[derive(Debug, Clone)]
struct JointDemands {
    hold: Vec<Row>,
    bound: Vec<BoundRow>,
    /// The bodies among those whose velocities are given.
    at: [usize; 2],
}

/// The system for the velocities of one mechanism.
#[derive(Debug)]
pub(crate) struct VelocitySystem {
    pub mechanism: Arc<Mechanism>,
    /// When it is processed.
    pub level: u32,
    /// Where its bodies are among those whose velocities are given.
    place: Vec<usize>,
    inertia: Vec<(Inertia, DMat3)>,
    joint: Vec<JointDemands>,
    /// Whether the demands are such that standing still meets them, if what holds the mechanism stands still.
    still: bool,
    matrix: Matrix,
    factorised: bool,
    /// What its joints have changed so far, and the bends of its motion.
    pub change: Vec<Twist>,
    solution: Vec<Six>,
}

impl VelocitySystem {
    /// The system of a mechanism whose bodies are where `state` says; `scene` is the number of the scene itself.
    pub fn new(
        mechanism: &Arc<Mechanism>,
        frames: &[JointFrame],
        inertia: impl Fn(u32) -> Inertia,
        state: impl Fn(u32) -> BodyState,
        scene: usize,
        aim: Aim,
    ) -> Self {
        let demands = |link: &super::Link| {
            let frame = &frames[link.index as usize];
            let at = frame.body.map(|b| b.map_or(scene, |b| b as usize));
            demands(frame, &frame.body.map(|b| b.map_or(SCENE, &state)), at, aim)
        };
        let of = |body: &u32| {
            let inertia = inertia(*body);
            (inertia, inertia.turned(&state(*body)))
        };
        Self {
            place: mechanism.body.iter().map(|b| *b as usize).collect(),
            inertia: mechanism.body.iter().map(of).collect(),
            joint: mechanism.joint.iter().map(demands).collect(),
            still: aim != Aim::Close,
            matrix: Matrix::default(),
            factorised: false,
            change: vec![Twist::default(); mechanism.body.len()],
            solution: Vec::new(),
            level: 0,
            mechanism: mechanism.clone(),
        }
    }

    /// Numbers bodies anew.
    pub fn renumber(&mut self, mut place: impl FnMut(usize) -> usize) {
        self.place
            .iter_mut()
            .chain(self.joint.iter_mut().flat_map(|j| &mut j.at))
            .for_each(|b| *b = place(*b));
    }

    /// Where one of its bodies is among those whose velocities are given.
    pub fn place(&self, body: usize) -> usize {
        self.place[body]
    }

    /// Whether it does nothing but hold.
    pub fn only_holds(&self) -> bool {
        self.joint.iter().flat_map(|j| &j.bound).all(|b| !b.drives)
    }

    /// Replaces velocities by those with which its bodies really move. From here on they count as what joints allow.
    pub fn follow(&mut self, twist: &mut [Twist], real: &[Twist]) {
        let before: Vec<Twist> = self.place.iter().map(|k| twist[*k]).collect();
        let rates = |joint: &JointDemands, twist: &[Twist]| -> Vec<f64> {
            joint.all().map(|row| rate(&row.gradient, joint.at, twist)).collect()
        };
        let old: Vec<Vec<f64>> = self.joint.iter().map(|joint| rates(joint, twist)).collect();
        for ((place, real), (before, change)) in
            self.place.iter().zip(real).zip(before.iter().zip(&mut self.change))
        {
            twist[*place] = *real;
            *change = *change + (*real - *before);
        }
        for (joint, old) in self.joint.iter_mut().zip(old) {
            let new = rates(joint, twist);
            let rows = joint.hold.iter_mut().chain(joint.bound.iter_mut().map(|b| &mut b.row));
            rows.zip(new.iter().zip(old)).for_each(|(row, (new, old))| row.wanted += new - old);
        }
    }

    /// Forgets what limits and motors did.
    pub fn restart(&mut self) {
        self.joint.iter_mut().flat_map(|j| &mut j.bound).for_each(|b| b.impulse = 0.0);
        self.change.fill(Twist::default());
    }

    /// The largest rate at which velocities violate what they should do, before they are changed.
    pub fn violation(&self, twist: &[Twist]) -> f64 {
        let mut most = 0.0_f64;
        for joint in &self.joint {
            let missing = |row: &Row| row.wanted - rate(&row.gradient, joint.at, twist);
            joint.hold.iter().for_each(|row| most = most.max(missing(row).abs()));
            for bound in &joint.bound {
                let missing = missing(&bound.row);
                let helps = if missing > 0.0 {
                    bound.impulse < bound.range[1]
                } else {
                    bound.impulse > bound.range[0]
                };
                most = if helps { most.max(missing.abs()) } else { most };
            }
        }
        most
    }

    /// Gives the bodies the velocities that joints allow; the largest violation before.
    pub fn relax(&mut self, twist: &mut [Twist]) -> f64 {
        let violation = self.violation(twist);
        let fastest = self.place.iter().map(|k| twist[*k].linear.length() + twist[*k].angular.length());
        if violation <= NONE * fastest.fold(0.0, f64::max) {
            return violation;
        }
        let start: Vec<Twist> = self.place.iter().map(|k| twist[*k]).collect();
        let impulse: Vec<f64> = self.joint.iter().flat_map(|j| &j.bound).map(|b| b.impulse).collect();
        for trial in 1..=MAX_TRIALS {
            for (place, start) in self.place.iter().zip(&start) {
                twist[*place] = *start;
            }
            let mut before = impulse.iter();
            self.joint
                .iter_mut()
                .flat_map(|j| &mut j.bound)
                .zip(&mut before)
                .for_each(|(b, i)| b.impulse = *i);
            self.give_way(twist);
            self.solve(twist);
            if !self.revise(twist) || trial == MAX_TRIALS {
                break;
            }
        }
        for ((place, start), change) in self.place.iter().zip(&start).zip(&mut self.change) {
            *change = *change + (twist[*place] - *start);
        }
        violation
    }

    /// The velocities of its bodies that joints allow, if they and those that it holds on to move as `moving` says.
    pub fn allowed(&mut self, moving: impl Fn(usize) -> Twist) -> Vec<Twist> {
        let count = self.place.len();
        let mut twist: Vec<Twist> = self.place.iter().map(|b| moving(*b)).collect();
        let mechanism = self.mechanism.clone();
        self.renumber(|body| {
            mechanism.body.binary_search(&(body as u32)).unwrap_or_else(|_| {
                twist.push(moving(body));
                twist.len() - 1
            })
        });
        let had = self.energy(&twist);
        self.relax(&mut twist);
        let has = self.energy(&twist);
        self.factorised = false;
        mechanism.discard(std::mem::take(&mut self.matrix));
        let still = self.still && twist[count..].iter().all(|held| *held == Twist::default());
        twist.truncate(count);
        if still && has > had {
            // A projection shortens. What is longer is the work of rounding: at a dead point demands nearly repeat each other.
            let share = (had / has).sqrt();
            let shorter = |t: &Twist| Twist { linear: share * t.linear, angular: share * t.angular };
            for t in &mut *twist {
                *t = shorter(t);
            }
        }
        twist
    }

    /// The kinetic energy of its bodies, which come first `[J]`.
    fn energy(&self, twist: &[Twist]) -> f64 {
        let of = |((inertia, tensor), twist): (&(Inertia, DMat3), &Twist)| {
            inertia.mass * twist.linear.length_squared() + twist.angular.dot(*tensor * twist.angular)
        };
        0.5 * self.inertia.iter().zip(twist).map(of).sum::<f64>()
    }

    /// Lets limits hold whose impulse in the last step was not zero.
    pub fn hold_reached(&mut self, impulse: impl Fn(u32) -> [f64; 2]) {
        for (joint, link) in self.joint.iter_mut().zip(&self.mechanism.joint) {
            let last = impulse(link.index);
            for bound in &mut joint.bound {
                let side = usize::from(bound.range[0] < 0.0);
                if last[side] != 0.0 {
                    bound.given_way = None;
                }
            }
        }
    }

    /// The impulse of motors on each body: linear, and about its centre.
    pub fn drive(&self) -> Vec<[DVec3; 2]> {
        let mut sum = vec![[DVec3::ZERO; 2]; self.place.len()];
        for (joint, link) in self.joint.iter().zip(&self.mechanism.joint) {
            for bound in joint.bound.iter().filter(|b| b.drives) {
                for (side, body) in link.ends.iter().enumerate() {
                    let Some(body) = *body else { continue };
                    sum[body][0] += bound.impulse * bound.row.gradient.linear[side];
                    sum[body][1] += bound.impulse * bound.row.gradient.angular[side];
                }
            }
        }
        sum
    }

    /// How each of its bodies answers an impulse: the rows of M and its column of the inverse of the system.
    pub fn mobilities(&mut self) -> Vec<Block> {
        self.factorise();
        let inverse = self.matrix.inverse(&self.mechanism.pattern);
        let flat = |k: usize| {
            let mut block = inverse.block[k];
            if self.inertia[k].0.planar {
                super::level(&mut block);
            }
            block
        };
        (0..self.place.len()).map(flat).collect()
    }

    /// Applies the impulses of what has given way.
    fn give_way(&mut self, twist: &mut [Twist]) {
        let Self { mechanism, inertia, joint, place, .. } = self;
        for (joint, link) in joint.iter_mut().zip(&mechanism.joint) {
            for bound in &mut joint.bound {
                let Some(to) = bound.given_way else { continue };
                let delta = to - bound.impulse;
                bound.impulse = to;
                if delta == 0.0 {
                    continue;
                }
                for (side, body) in link.ends.iter().enumerate() {
                    let Some(body) = *body else { continue };
                    let (own, tensor) = &inertia[body];
                    let [linear, angular] = vectors(&components(&bound.row.gradient, side, own.planar));
                    twist[place[body]].linear += delta / own.mass * linear;
                    twist[place[body]].angular += tensor.inverse() * (delta * angular);
                }
            }
        }
    }

    /// Solves for all that holds.
    fn solve(&mut self, twist: &mut [Twist]) {
        self.factorise();
        let bodies = self.place.len();
        self.solution.clear();
        self.solution.resize(bodies + self.joint.len(), [0.0; 6]);
        for (joint, x) in self.joint.iter().zip(&mut self.solution[bodies..]) {
            for (row, x) in joint.rows().zip(x) {
                *x = row.wanted - rate(&row.gradient, joint.at, twist);
            }
        }
        self.matrix.solve(&self.mechanism.pattern, &mut self.solution);
        for (place, x) in self.place.iter().zip(&self.solution) {
            let [linear, angular] = vectors(x);
            twist[*place].linear += linear;
            twist[*place].angular += angular;
        }
        for (joint, x) in self.joint.iter_mut().zip(&self.solution[bodies..]) {
            let held = joint.hold.len();
            let holding = joint.bound.iter_mut().filter(|b| b.given_way.is_none());
            holding.zip(&x[held.min(6)..]).for_each(|(bound, x)| bound.impulse -= x);
        }
    }

    /// Revises which bounded demands hold; whether there was anything to revise.
    fn revise(&mut self, twist: &[Twist]) -> bool {
        let mut revised = false;
        for joint in &mut self.joint {
            let JointDemands { hold, bound, at } = joint;
            for k in 0..bound.len() {
                let own = &mut bound[k];
                let missing = own.row.wanted - rate(&own.row.gradient, *at, twist);
                let before = own.given_way;
                own.given_way = match before {
                    None if own.impulse < own.range[0] => Some(own.range[0]),
                    None if own.impulse > own.range[1] => Some(own.range[1]),
                    Some(to) if missing > 1e-12 && to < own.range[1] => None,
                    Some(to) if missing < -1e-12 && to > own.range[0] => None,
                    same => same,
                };
                revised |= own.given_way != before;
                // A motor that runs against a limit has no say: it pushes as it can.
                if before.is_some() && own.given_way.is_none() && !own.drives {
                    for motor in bound.iter_mut().filter(|b| b.drives) {
                        let most = if missing > 0.0 { motor.range[0] } else { motor.range[1] };
                        motor.given_way = Some(most);
                    }
                }
            }
            // More than a body's ways to move cannot be held.
            let holding = bound.iter_mut().filter(|b| b.given_way.is_none());
            holding.skip(6_usize.saturating_sub(hold.len())).for_each(|b| b.given_way = Some(0.0));
        }
        self.factorised &= !revised;
        revised
    }

    fn factorise(&mut self) {
        if self.factorised {
            return;
        }
        let Self { mechanism, inertia, joint, still, matrix, .. } = self;
        if matrix.block.is_empty() {
            *matrix = mechanism.matrix();
        } else {
            matrix.clear(&mechanism.pattern);
        }
        for (block, (own, tensor)) in matrix.block.iter_mut().zip(inertia.iter()) {
            (block[0][0], block[1][1], block[2][2]) = (own.mass, own.mass, own.mass);
            for (i, row) in block[3..].iter_mut().enumerate() {
                row[3..].copy_from_slice(&tensor.row(i).to_array());
            }
        }
        let bodies = inertia.len();
        let yields = if *still { YIELD } else { CLOSING_YIELD };
        for (k, (joint, link)) in joint.iter().zip(&mechanism.joint).enumerate() {
            let mut pivot = ZERO;
            (0..6).for_each(|i| pivot[i][i] = -1.0);
            for (i, row) in joint.rows().enumerate() {
                let mut ease = 0.0;
                for (side, body) in link.ends.iter().enumerate() {
                    let Some(body) = *body else { continue };
                    let (own, tensor) = &inertia[body];
                    let gradient = components(&row.gradient, side, own.planar);
                    let [linear, angular] = vectors(&gradient);
                    ease += linear.length_squared() / own.mass + angular.dot(tensor.inverse() * angular);
                    matrix.block[link.row[side]][i] = gradient;
                    let column = &mut matrix.block[link.column[side]];
                    gradient.iter().zip(column).for_each(|(g, column)| column[i] = *g);
                }
                pivot[i][i] = if ease > 0.0 { -yields * ease } else { -1.0 };
            }
            matrix.block[bodies + k] = pivot;
        }
        matrix.factorise(&mechanism.pattern);
        self.factorised = true;
    }
}

impl JointDemands {
    fn all(&self) -> impl Iterator<Item = &Row> {
        self.hold.iter().chain(self.bound.iter().map(|b| &b.row))
    }

    /// What holds now.
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let holding = self.bound.iter().filter(|b| b.given_way.is_none()).map(|b| &b.row);
        self.hold.iter().chain(holding).take(6)
    }
}

/// The rate along a gradient; the velocities of bodies that do not move freely count too.
fn rate(gradient: &Gradient, at: [usize; 2], twist: &[Twist]) -> f64 {
    let of = |side: usize| {
        let own = &twist[at[side]];
        gradient.linear[side].dot(own.linear) + gradient.angular[side].dot(own.angular)
    };
    of(0) + of(1)
}

/// What a joint demands of velocities.
fn demands(frame: &JointFrame, state: &[BodyState; 2], at: [usize; 2], aim: Aim) -> JointDemands {
    let hold = frame.hold.iter().map(|form| {
        let wanted = if aim == Aim::Close { -form.error(state) } else { 0.0 };
        Row { gradient: form.gradient(state), wanted }
    });
    let free = frame.free(state);
    let mut bound = Vec::new();
    let row =
        |side: usize, wanted: f64| free[side].map(|form| Row { gradient: form.gradient(state), wanted });
    if let (Some(motor), Aim::Step(dt), Some(row)) = (frame.motor(), aim, row(0, 0.0)) {
        let most = motor.strength * dt;
        let row = Row { wanted: motor.speed, ..row };
        bound.push(BoundRow { row, range: [-most, most], impulse: 0.0, given_way: None, drives: true });
    }
    for (side, room) in frame.room(state).into_iter().enumerate() {
        let reached = room <= REACHED;
        let most = match aim {
            Aim::Step(dt) | Aim::Start(dt) => room.max(0.0) / dt,
            Aim::Now if reached => 0.0,
            Aim::Close if reached => room,
            _ => continue,
        };
        let (wanted, range) =
            if side == 0 { (-most, [0.0, f64::INFINITY]) } else { (most, [f64::NEG_INFINITY, 0.0]) };
        let Some(row) = row(side, wanted) else { continue };
        bound.push(BoundRow { row, range, impulse: 0.0, given_way: Some(0.0), drives: false });
    }
    JointDemands { hold: hold.collect(), bound, at }
}
