//! Mechanisms in a substep.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use meniscus_core::{Dimension, Twist};

use super::substep_state::SubstepState;
use crate::rigid::RigidBodies;
use crate::rigid::body::{BodyState, BodyType};
use crate::rigid::contact::sweep::{Island, Motions};
use crate::rigid::integrate::rotate_torque_free;
use crate::rigid::joint::{JointFrame, SCENE};
use crate::rigid::mechanism::motion::{self, Motion, Mover, displace, twist};
use crate::rigid::mechanism::velocity::{Aim, VelocitySystem};
use crate::rigid::mechanism::{Inertia, Link, Mechanism, mechanisms};

/// The turn of a body of a mechanism in a part of a substep `[rad]`.
const MAX_TURN: f64 = 0.5;
/// The shortest part of a substep, as a share of it `[1]`.
const MIN_PART: f64 = 1.0 / 8192.0;
/// Displacements that close errors of joints, at most `[1]`.
const MAX_CLOSINGS: u32 = 20;

impl RigidBodies {
    /// Finds the mechanisms anew if other bodies are dynamic than before.
    pub(crate) fn find_mechanisms(&mut self) {
        if self.joint.is_empty() {
            return;
        }
        let movable: Vec<bool> = (0..self.body.len()).map(|k| self.is_dynamic(k)).collect();
        if movable != self.movable {
            self.mechanism = mechanisms(&self.joint, &movable).into_iter().map(Arc::new).collect();
            self.movable = movable;
        }
    }

    /// How a dynamic body resists now.
    fn inertia(&self, body: u32) -> Inertia {
        let BodyType::Dynamic(given) = &self.body[body as usize].kind else {
            return Inertia { mass: 1.0, tensor: DMat3::IDENTITY, planar: false };
        };
        let now = self.body[body as usize].mass_properties(self.state.time).unwrap_or(*given);
        let planar = self.params.dimension == Dimension::Two;
        let tensor = if planar {
            DMat3::from_diagonal(DVec3::new(1.0, 1.0, now.inertia.z_axis.z))
        } else {
            now.inertia
        };
        Inertia { mass: now.mass, tensor, planar }
    }

    fn system(
        &self,
        mechanism: &Arc<Mechanism>,
        state: impl Fn(u32) -> BodyState,
        aim: Aim,
    ) -> VelocitySystem {
        VelocitySystem::new(mechanism, &self.joint, |b| self.inertia(b), state, self.body.len(), aim)
    }

    fn now(&self, body: u32) -> BodyState {
        self.state.body[body as usize]
    }

    /// The systems of all mechanisms at the start of a substep, with the levels of their bodies.
    pub(super) fn joint_systems(&self, dt: f64, level: &[u32]) -> Vec<VelocitySystem> {
        let new = |mechanism: &Arc<Mechanism>| {
            let mut system = self.system(mechanism, |b| self.now(b), Aim::Step(dt));
            system.level = mechanism.body.iter().map(|b| level[*b as usize]).max().unwrap_or(0);
            system
        };
        self.mechanism.iter().map(new).collect()
    }

    /// The system of a mechanism at this moment, with the limits that it was at in the last step.
    pub(crate) fn system_now(&self, mechanism: &Arc<Mechanism>) -> VelocitySystem {
        let mut system = self.system(mechanism, |b| self.now(b), Aim::Now);
        system.hold_reached(|joint| {
            let (last, held) =
                (self.state.contact_cache.joint(joint as usize), self.joint[joint as usize].hold.len());
            [0, 1].map(|side| last.get(held + side).copied().unwrap_or(0.0))
        });
        system
    }

    /// Lets jointed bodies begin the substep with velocities that their joints allow. What pushes them from outside acts where
    /// the substep begins, as a fluid's symplectic step has it, and so do limits that will be reached; gravity acts by the way.
    pub(super) fn start_joints(&self, substep: &mut SubstepState) {
        let SubstepState { dt, twist, kick, mobility } = substep;
        for mechanism in &self.mechanism {
            for &body in &mechanism.body {
                let k = body as usize;
                let fall = *dt * self.params.gravity * (mobility[k].mass / mobility[k].mass.x);
                twist[k].linear += kick[k].linear - fall;
                twist[k].angular += kick[k].angular;
                kick[k] = Twist { linear: fall, angular: DVec3::ZERO };
            }
            let mut system = self.system(mechanism, |b| self.now(b), Aim::Start(*dt));
            let allowed = system.allowed(|b| twist[b]);
            for (body, allowed) in mechanism.body.iter().zip(allowed) {
                twist[*body as usize] = allowed;
            }
        }
    }

    /// Closes what joints are off by, by displacements that are shared as the masses have it and change no velocity, if that is
    /// more than `least`, as a share of their arms, and `concerned` says so.
    pub(super) fn close_joints(&mut self, least: f64, concerned: impl Fn(&Mechanism) -> bool) {
        let close = |mechanism: &Arc<Mechanism>| {
            let state = mechanism.body.iter().map(|b| self.now(*b)).collect();
            concerned(mechanism).then(|| self.closed(mechanism, state, least, 0.0))?
        };
        let closed: Vec<_> = self.mechanism.iter().map(close).collect();
        for (mechanism, state) in self.mechanism.clone().iter().zip(closed) {
            let Some(state) = state else { continue };
            for (body, state) in mechanism.body.iter().zip(state) {
                self.state.body[*body as usize] = state;
            }
            let allowed = self.system(mechanism, |b| self.now(b), Aim::Now).allowed(|b| self.twist_now(b));
            for (body, allowed) in mechanism.body.iter().zip(allowed) {
                let state = &mut self.state.body[*body as usize];
                (state.velocity, state.angular_velocity) = (allowed.linear, allowed.angular);
            }
        }
    }

    /// Where the bodies of a mechanism are when its joints are closed, `ahead` `[s]` after now; nothing if they are.
    fn closed(
        &self,
        mechanism: &Arc<Mechanism>,
        mut state: Vec<BodyState>,
        least: f64,
        ahead: f64,
    ) -> Option<Vec<BodyState>> {
        let mut last = f64::INFINITY;
        for closing in 0..MAX_CLOSINGS {
            let at =
                |b: u32| mechanism.body.binary_search(&b).map_or_else(|_| self.held(b, ahead), |k| state[k]);
            let opening = |link: &Link| opening(&self.joint[link.index as usize], &at);
            let widest = mechanism.joint.iter().map(opening).fold(0.0, f64::max);
            if widest <= least || widest > 0.5 * last {
                return (closing > 0).then_some(state);
            }
            last = widest;
            let by = self.system(mechanism, at, Aim::Close).allowed(|_| Twist::default());
            state.iter_mut().zip(by).for_each(|(state, by)| displace(state, by));
        }
        Some(state)
    }

    /// How a body moves; the scene is the one after the last.
    fn twist_now(&self, body: usize) -> Twist {
        self.state.body.get(body).map_or(Twist::default(), twist)
    }

    /// Where the substep leads the bodies of mechanisms, and the impulses of their joints, from what contacts and motors did in
    /// an island. `substep` has the motions after the kick.
    pub(super) fn move_mechanisms(&self, substep: &SubstepState, island: &Island) -> Motions {
        let each = |(index, system): &(usize, VelocitySystem)| {
            let movers = self.movers(substep, island, system);
            (*index, self.move_mechanism(&system.mechanism, &movers, substep.dt))
        };
        island.mechanism.iter().map(each).collect()
    }

    fn movers(&self, substep: &SubstepState, island: &Island, system: &VelocitySystem) -> Vec<Mover> {
        let mut touches = vec![false; island.body.len()];
        for pair in &island.pair {
            if pair.point.iter().any(|p| p.impulse != DVec3::ZERO || p.twist != DVec3::ZERO) {
                pair.body.iter().for_each(|b| touches[*b as usize] = true);
            }
        }
        let drive = system.drive();
        let mover = |(k, body): (usize, &u32)| {
            let b = *body as usize;
            let (inertia, kick, local) = (self.inertia(*body), substep.kick[b], system.place(k));
            let mut start = self.now(*body);
            start.velocity = substep.twist[b].linear - kick.linear;
            start.angular_velocity = substep.twist[b].angular - kick.angular;
            let mut push = [inertia.mass * kick.linear + drive[k][0], drive[k][1]];
            if touches[local] {
                // What contacts did is what neither gravity nor joints did.
                let change = island.twist[local] - substep.twist[b] - system.change[k];
                push[0] += inertia.mass * change.linear;
                push[1] += inertia.turned(&start) * change.angular;
            }
            Mover { inertia, start, push, touches: touches[local] }
        };
        system.mechanism.body.iter().enumerate().map(mover).collect()
    }

    /// Moves a mechanism by `dt` `[s]`, in parts if it must.
    fn move_mechanism(&self, mechanism: &Arc<Mechanism>, movers: &[Mover], dt: f64) -> Motion {
        let scale = self.state.contact_cache.scale(dt);
        let last = |link: &Link| {
            let (last, count) = (
                self.state.contact_cache.joint(link.index as usize),
                self.joint[link.index as usize].hold.len() + 2,
            );
            if last.len() == count { last.iter().map(|i| scale * i).collect() } else { vec![0.0; count] }
        };
        let mut motion = Motion {
            from: Vec::new(),
            state: movers.iter().map(|m| m.start).collect(),
            impulse: mechanism.joint.iter().map(last).collect(),
        };
        let turn = movers.iter().map(|m| dt * m.start.angular_velocity.length()).fold(0.0, f64::max);
        let longest = (turn / MAX_TURN).ceil().clamp(1.0, MIN_PART.recip()).recip();
        // Shares of the substep: of the next part, and what is done.
        let (mut part, mut done, mut before) = (longest, 0.0_f64, longest);
        while done < 1.0 {
            part = if done + 1.001 * part > 1.0 { 1.0 - done } else { part };
            let mover = |(mover, start): (&Mover, &BodyState)| {
                // Contacts push at once, so that what rests on them rests.
                let share = if !mover.touches {
                    part
                } else if done == 0.0 {
                    1.0
                } else {
                    0.0
                };
                Mover { start: *start, push: mover.push.map(|p| share * p), ..*mover }
            };
            let parted: Vec<Mover> = movers.iter().zip(&motion.state).map(mover).collect();
            let start: Vec<Vec<f64>> =
                motion.impulse.iter().map(|i| i.iter().map(|i| part / before * i).collect()).collect();
            let held = |body: u32| [done, done + part].map(|share| self.held(body, share * dt));
            let next = motion::step(mechanism, &self.joint, &parted, &held, start, part * dt);
            let next = match next {
                Some(next) => next,
                None if part > MIN_PART => {
                    part *= 0.5;
                    continue;
                }
                None => self.crude_step(mechanism, &parted, motion.impulse, [done * dt, part * dt]),
            };
            motion = next;
            (before, done) = (part, done + part);
            self.allow(mechanism, &mut motion.state, done * dt);
            self.keep_energy(mechanism, &parted, &mut motion.state, before * dt);
            part = (2.0 * part).min(longest);
        }
        for impulse in motion.impulse.iter_mut().flatten() {
            *impulse /= before;
        }
        motion.from = movers.iter().map(|m| m.start).collect();
        motion
    }

    /// Takes out of velocities what joints forbid, `ahead` `[s]` after now.
    fn allow(&self, mechanism: &Arc<Mechanism>, state: &mut [BodyState], ahead: f64) {
        let at = |b: u32| mechanism.body.binary_search(&b).map_or_else(|_| self.held(b, ahead), |k| state[k]);
        let scene = self.body.len();
        let moving = |b: usize| if b == scene { Twist::default() } else { twist(&at(b as u32)) };
        let allowed = self.system(mechanism, at, Aim::Now).allowed(moving);
        for (state, allowed) in state.iter_mut().zip(allowed) {
            (state.velocity, state.angular_velocity) = (allowed.linear, allowed.angular);
        }
    }

    /// Whether bodies that follow a prescribed motion, and so may add energy, hold a mechanism.
    fn is_driven(&self, mechanism: &Mechanism) -> bool {
        let follows = |body: u32| self.body[body as usize].prescribed_motion(self.state.time).is_some();
        let held = |link: &Link| self.joint[link.index as usize].body.into_iter().flatten().any(follows);
        mechanism.joint.iter().any(held)
    }

    /// Takes from velocities what neither the start of a part of `dt` `[s]` nor what pushed in it accounts for. Joints do no
    /// work, so there is nothing to take but what Newton's method leaves and what a crude step makes up.
    fn keep_energy(&self, mechanism: &Mechanism, movers: &[Mover], state: &mut [BodyState], dt: f64) {
        if self.is_driven(mechanism) {
            return;
        }
        let sum = |of: &dyn Fn(&Mover, &BodyState) -> f64| -> f64 {
            movers.iter().zip(&*state).map(|(mover, end)| of(mover, end)).sum()
        };
        let given = sum(&|mover, end| mover.inertia.energy(&mover.start) + mover.work(end, dt));
        let had = sum(&|mover, end| mover.inertia.energy(end));
        if given < 0.0 {
            // It was lifted by more than its motion can pay for: it stays where it was.
            state.iter_mut().zip(movers).for_each(|(state, mover)| *state = mover.start);
        } else if had > given {
            let share = (given / had).sqrt();
            for state in state {
                state.velocity *= share;
                state.angular_velocity *= share;
            }
        }
    }

    /// A step where no better one can be found: with the velocities that joints allow at its start.
    fn crude_step(
        &self,
        mechanism: &Arc<Mechanism>,
        movers: &[Mover],
        impulse: Vec<Vec<f64>>,
        [ahead, dt]: [f64; 2],
    ) -> Motion {
        let mut state: Vec<BodyState> = movers.iter().map(|m| m.start).collect();
        for (state, mover) in state.iter_mut().zip(movers) {
            state.velocity += mover.push[0] / mover.inertia.mass;
            state.angular_velocity += mover.inertia.turned(state).inverse() * mover.push[1];
        }
        self.allow(mechanism, &mut state, ahead);
        for (state, mover) in state.iter_mut().zip(movers) {
            let tensor = mover.inertia.tensor;
            state.position += dt * state.velocity;
            (state.rotation, state.angular_velocity) =
                rotate_torque_free(state.rotation, state.angular_velocity, tensor, tensor.inverse(), dt);
        }
        // Joints that are open would pull in the next part.
        let state = self.closed(mechanism, state.clone(), 0.0, ahead + dt).unwrap_or(state);
        Motion { from: Vec::new(), state, impulse }
    }

    /// Where a body that is not dynamic is, `ahead` `[s]` after now.
    fn held(&self, body: u32, ahead: f64) -> BodyState {
        let params = &self.body[body as usize];
        match params.prescribed_motion(self.state.time) {
            Some(motion) => params.follow(motion, self.state.time + ahead),
            None => self.now(body),
        }
    }
}

/// By how much a joint is off, as a share of its arm.
fn opening(frame: &JointFrame, at: &impl Fn(u32) -> BodyState) -> f64 {
    let state = frame.body.map(|b| b.map_or(SCENE, at));
    let arm = frame.anchor[0].length().max(frame.anchor[1].length()).max(1e-3);
    let beyond = frame.room(&state).map(|room| -room);
    frame.hold.iter().map(|form| form.error(&state).abs()).chain(beyond).fold(0.0, f64::max) / arm
}
