//! Viscosity: ∂u/∂t = ν ∇²u, with fluid that sticks to walls and bodies or slips along them.
//!
//! Explicit, by Runge–Kutta–Legendre stages of second order in time (\[Meyer2012\]): s stages are stable up to (s² + s − 2) / 4 times
//! the step of one explicit stage, Δx² / (2 d ν). They need no solve and no tolerance. Adaptive steps are limited to
//! what [`MOST_STAGES`] allow; longer ones are taken in parts.
//!
//! Two neighbouring faces of fluid exchange momentum through the smaller of their open shares, so that what one gains the
//! other loses. Fluid sticks to a body where its surface is: a face whose middle is in the body moves with it, and one beside
//! such a face feels it from the distance θ Δx of the surface in between, with a weight of 1 / θ. Bodies with a friction μ below 1 pull
//! μ times as hard. A body receives what the fluid loses to it.

use crate::cut::{Cut, NO_BODY, neighbours};
use crate::lattice::{CellLattice, Site};
use crate::side::{GridSides, Quantity, fill_ghosts};
use glam::DVec3;
use meniscus_core::Loads;

/// Most stages of a step `[1]`.
pub const MOST_STAGES: u32 = 41;

/// Nearer surfaces are felt as from this distance, in cells: weights without bound would make steps short `[1]`.
const NEAREST: f32 = 0.25;

/// A face of fluid beside one in a body.
#[derive(Debug, Clone, Copy)]
struct Contact {
    face: u32,
    body: u32,
    /// μ / θ `[1]`.
    weight: f64,
    /// The body's velocity there `[m/s]`.
    wall: f64,
    /// Stages of what the fluid gains there, per mass of a cell `[m/s]`.
    gain: [f64; 3],
    rate: f64,
}

/// Scratch for the stages of one component.
#[derive(Debug, Clone, Default)]
pub struct GridViscosity {
    stage: [Vec<f64>; 3],
    rate: [Vec<f64>; 2],
    contact: Vec<Contact>,
    /// By face: whether it moves with a body.
    held: Vec<bool>,
}

/// The longest step that viscosity allows `[s]`.
#[must_use]
pub fn longest_step(lattice: &CellLattice, viscosity: f64) -> f64 {
    reach(MOST_STAGES) * explicit_step(lattice, viscosity)
}

/// Δx² / (2 d ν) `[s]`.
fn explicit_step(lattice: &CellLattice, viscosity: f64) -> f64 {
    let h = lattice.spacing();
    h * h / (2.0 * f64::from(lattice.dimension().count()) * viscosity.max(f64::MIN_POSITIVE))
}

/// How many explicit steps so many stages are stable for.
fn reach(stages: u32) -> f64 {
    let s = f64::from(stages);
    0.25 * (s * s + s - 2.0)
}

/// The least odd number of stages for a step; even ones damp less.
fn stages_for(ratio: f64) -> u32 {
    (3..MOST_STAGES).step_by(2).find(|s| reach(*s) >= ratio).unwrap_or(MOST_STAGES)
}

/// b_j of the Legendre stages.
fn b(j: u32) -> f64 {
    let j = f64::from(j.max(2));
    (j * j + j - 2.0) / (2.0 * j * (j + 1.0))
}

impl GridViscosity {
    /// Lets velocities, whose ghosts are filled, diffuse for `dt` `[s]` beside bodies with a friction by number. Bodies receive what
    /// the fluid loses to them. `mass` is that of a full cell `[kg]`. Returns what bodies have received `[N s]`.
    #[expect(clippy::too_many_arguments, reason = "what a step of a field needs, each once")]
    pub fn apply(
        &mut self,
        lattice: &CellLattice,
        sides: &GridSides,
        cut: &Cut,
        friction: impl Fn(u32) -> f64,
        viscosity: f64,
        dt: f64,
        mass: f64,
        velocity: &mut [Vec<f64>; 3],
        loads: &mut Loads,
    ) -> DVec3 {
        let scale = viscosity / (lattice.spacing() * lattice.spacing());
        let mut given = DVec3::ZERO;
        for axis in lattice.axes() {
            let mut give = |face: u32, body: u32, gain: f64| {
                let mut impulse = DVec3::ZERO;
                impulse[axis] = -mass * gain;
                let place = lattice.position(Site::Face(axis), lattice.slot(face as usize));
                loads.wrench[body as usize].push(place, impulse);
                given += impulse;
            };
            self.hold(lattice, cut, &friction, axis, &mut velocity[axis], &mut give);
            let stiffer = self.find_contacts(lattice, cut, &friction, axis);
            // Steps that are longer than viscosity allows are taken in parts.
            let ratio = stiffer * dt / explicit_step(lattice, viscosity);
            let parts = (ratio / reach(MOST_STAGES)).ceil().max(1.0);
            let step =
                Step { lattice, sides, cut, axis, scale, dt: dt / parts, stages: stages_for(ratio / parts) };
            for _ in 0..parts as u32 {
                self.run(&step, &mut velocity[axis]);
                self.contact.iter().for_each(|contact| give(contact.face, contact.body, contact.gain[0]));
            }
        }
        given
    }

    /// Faces whose middle is in a body to which fluid sticks move with it.
    fn hold(
        &mut self,
        lattice: &CellLattice,
        cut: &Cut,
        friction: impl Fn(u32) -> f64,
        axis: usize,
        velocity: &mut [f64],
        mut give: impl FnMut(u32, u32, f64),
    ) {
        self.held.clear();
        self.held.resize(velocity.len(), false);
        cut.faces_inside[axis].iter().flatten().for_each(|n| self.held[*n as usize] = true);
        for &n in &cut.faces_cut[axis] {
            let (face, body) = (n as usize, cut.owner[axis][n as usize]);
            let mu = friction(body);
            if mu > 0.0 && cut.face_distance(lattice, axis, face) <= 0.0 {
                self.held[face] = true;
                let change = mu * (cut.wall[axis][face] - velocity[face]);
                velocity[face] += change;
                give(n, body, f64::from(cut.area[axis][face]) * change);
            }
        }
    }

    /// Finds faces of fluid beside those that bodies hold; returns how much stiffer these make the equations, at least 1.
    fn find_contacts(
        &mut self,
        lattice: &CellLattice,
        cut: &Cut,
        friction: impl Fn(u32) -> f64,
        axis: usize,
    ) -> f64 {
        let Self { contact, held, .. } = self;
        contact.clear();
        let area = &cut.area[axis];
        for &inside in cut.faces_inside[axis][0].iter().chain(&cut.faces_cut[axis]) {
            let (m, body) = (inside as usize, cut.owner[axis][inside as usize]);
            let mu = if held[m] && body != NO_BODY { friction(body) } else { 0.0 };
            if mu <= 0.0 {
                continue;
            }
            let depth = cut.face_distance(lattice, axis, m).min(0.0);
            for n in neighbours(lattice, m).filter(|n| area[*n] > 0.0 && !held[*n]) {
                let height = cut.face_distance(lattice, axis, n).max(0.0);
                let theta = if height.is_finite() { height / (height - depth) } else { 1.0 };
                let weight = mu / f64::from(theta.clamp(NEAREST, 1.0));
                let wall = cut.wall[axis][m];
                contact.push(Contact { face: n as u32, body, weight, wall, gain: [0.0; 3], rate: 0.0 });
            }
        }
        contact.sort_by_key(|contact| contact.face);
        let links = 2.0 * lattice.axes().len() as f64;
        let more =
            |beside: &[Contact]| beside.iter().map(|contact| contact.weight - 1.0).sum::<f64>().max(0.0);
        let most = contact.chunk_by(|a, b| a.face == b.face).map(more).fold(0.0, f64::max);
        1.0 + most / links
    }

    /// Y_0 … Y_s of \[Meyer2012\]; the last is the result. Three stages are kept.
    fn run(&mut self, step: &Step<'_>, channel: &mut Vec<f64>) {
        let Self { stage: [start, last, before], rate: [first_rate, rate], contact, held } = self;
        start.clone_from(channel);
        before.clone_from(channel);
        first_rate.resize(channel.len(), 0.0);
        rate.resize(channel.len(), 0.0);
        let w = 1.0 / reach(step.stages);
        step.find_rate(start, contact, held, first_rate);
        last.clone_from(channel);
        let weight = b(1) * w * step.dt;
        step.combine(last, held, |n, _| start[n] + weight * first_rate[n]);
        for contact in contact.iter_mut() {
            contact.rate = step.gain(contact, start);
            contact.gain = [weight * contact.rate, 0.0, 0.0];
        }
        for j in 2..=step.stages {
            let k = f64::from(j);
            let mu = (2.0 * k - 1.0) / k * b(j) / b(j - 1);
            let nu = -(k - 1.0) / k * b(j) / b(j - 2);
            let (mu_rate, gamma) = (mu * w * step.dt, -(1.0 - b(j - 1)) * mu * w * step.dt);
            step.find_rate(last, contact, held, rate);
            for contact in contact.iter_mut() {
                let now = mu_rate * step.gain(contact, last) + gamma * contact.rate;
                let [previous, older, _] = contact.gain;
                contact.gain = [mu * previous + nu * older + now, previous, 0.0];
            }
            step.combine(before, held, |n, old| {
                mu * last[n]
                    + nu * old
                    + (1.0 - mu - nu) * start[n]
                    + mu_rate * rate[n]
                    + gamma * first_rate[n]
            });
            std::mem::swap(last, before);
        }
        std::mem::swap(channel, last);
    }
}

/// The diffusion of one component.
struct Step<'a> {
    lattice: &'a CellLattice,
    sides: &'a GridSides,
    cut: &'a Cut,
    axis: usize,
    /// ν / Δx² `[1/s]`.
    scale: f64,
    dt: f64,
    stages: u32,
}

impl Step<'_> {
    /// Sets a stage from its old values, and its ghosts.
    fn combine(&self, channel: &mut [f64], held: &[bool], value: impl Fn(usize, f64) -> f64 + Sync) {
        let area = &self.cut.area[self.axis];
        self.lattice.fill(channel, &self.lattice.face_range(self.axis), |_, first, row| {
            for (n, out) in (first..).zip(row) {
                if area[n] > 0.0 && !held[n] {
                    *out = value(n, *out);
                }
            }
        });
        fill_ghosts(self.lattice, self.sides, Quantity::Velocity(self.axis), channel);
    }

    /// ν ∇²u on open faces.
    fn find_rate(&self, u: &[f64], contact: &[Contact], held: &[bool], rate: &mut [f64]) {
        let (stride, area) = (self.lattice.stride(), &self.cut.area[self.axis]);
        let axes = self.lattice.axes().len();
        self.lattice.fill(rate, &self.lattice.face_range(self.axis), |_, first, row| {
            for (n, rate) in (first..).zip(row) {
                let own = area[n];
                *rate = 0.0;
                if own > 0.0 && !held[n] {
                    for step in &stride[..axes] {
                        for m in [n + step, n - step] {
                            if !held[m] {
                                *rate += share(own, area[m]) * (u[m] - u[n]);
                            }
                        }
                    }
                    *rate *= self.scale;
                }
            }
        });
        for contact in contact {
            let n = contact.face as usize;
            rate[n] += self.scale * contact.weight * (contact.wall - u[n]);
        }
    }

    /// What the open share of a face gains from the body beside it, for each second and the mass of a cell `[m/s²]`.
    fn gain(&self, contact: &Contact, u: &[f64]) -> f64 {
        let n = contact.face as usize;
        f64::from(self.cut.area[self.axis][n]) * self.scale * contact.weight * (contact.wall - u[n])
    }
}

/// Through which share of a face with this open share it exchanges momentum with another one.
#[inline(always)]
fn share(own: f32, other: f32) -> f64 {
    if other > 0.0 && other < own { f64::from(other / own) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::GridSide;
    use meniscus_core::Dimension;
    use std::f64::consts::PI;

    /// What is left of sin(π y) between two plates after a time, over what should be.
    fn decay(cells: usize, steps: u32, viscosity: f64, time: f64) -> f64 {
        let grid = CellLattice::new(Dimension::Two, [3, cells, 1], 1.0 / cells as f64, DVec3::ZERO).unwrap();
        let sides = [
            GridSide::Open,
            GridSide::Open,
            GridSide::STICK,
            GridSide::STICK,
            GridSide::SLIP,
            GridSide::SLIP,
        ];
        let mut cut = Cut::default();
        cut.update(&grid, &sides, &[], &[]);
        let mut velocity = [grid.channel(), grid.channel(), grid.channel()];
        for (n, value) in velocity[0].iter_mut().enumerate() {
            *value = (PI * grid.position(Site::Face(0), grid.slot(n)).y).sin();
        }
        let mut scratch = GridViscosity::default();
        for _ in 0..steps {
            for (axis, channel) in velocity.iter_mut().enumerate().take(2) {
                fill_ghosts(&grid, &sides, Quantity::Velocity(axis), channel);
            }
            let dt = time / f64::from(steps);
            let loads = &mut Loads::default();
            scratch.apply(&grid, &sides, &cut, |_| 1.0, viscosity, dt, 1.0, &mut velocity, loads);
        }
        let middle = grid.index([2, cells / 2 + 1, 0]);
        let shape = (PI * grid.position(Site::Face(0), grid.slot(middle)).y).sin();
        velocity[0][middle] / shape / (-viscosity * PI * PI * time).exp()
    }

    #[test]
    fn it_is_of_second_order_in_space_and_in_time() {
        let in_space = [16, 32].map(|n| (decay(n, 64, 1.0, 0.1) - 1.0).abs());
        let order = (in_space[0] / in_space[1]).log2();
        // Steps of 26 and 13 explicit ones, beside very small ones on the same grid.
        let exact = decay(64, 4096, 1.0, 0.1);
        let in_time = [16, 32].map(|steps| (decay(64, steps, 1.0, 0.1) - exact).abs());
        let order_in_time = (in_time[0] / in_time[1]).log2();
        println!("space {in_space:?} {order:.2}, time {in_time:?} {order_in_time:.2}");
        assert!(order > 1.9 && order_in_time > 1.8);
    }

    #[test]
    fn long_steps_are_stable() {
        let grid = CellLattice::new(Dimension::Two, [32, 32, 1], 1.0 / 32.0, DVec3::ZERO).unwrap();
        let longest = longest_step(&grid, 1.0);
        let left = decay(32, 2, 1.0, 0.2 * longest);
        assert!((left - 1.0).abs() < 0.1, "{left}");
        // Twenty times as long as the most stages are stable for: in parts.
        // Each part decays by a tenth too little.
        let left = decay(32, 1, 1.0, 20.0 * longest).powf(0.05);
        assert!((1.0..1.15).contains(&left), "{left}");
    }
}
