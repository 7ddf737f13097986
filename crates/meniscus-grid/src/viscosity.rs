//! Viscosity: ∂u/∂t = ν ∇²u, with fluid that sticks to walls and bodies or slips along them.
//!
//! Explicit, by Runge–Kutta–Legendre stages of second order in time (\[Meyer2012\]): s stages are stable up to (s² + s − 2) / 4 times
//! the step of one explicit stage, Δx² / (2 d ν). They need no solve and no tolerance. The step is limited to what
//! [`MOST_STAGES`] allow.
//!
//! Two neighbouring faces of fluid exchange momentum through the smaller of their open shares, so that what one gains the
//! other loses. A face in a body has a value by which fluid sticks or slips ([`extend`](crate::extend)), and the body receives what
//! the fluid loses to it.

use crate::cut::{Cut, NO_BODY};
use crate::lattice::{Lattice, Site};
use crate::side::{Quantity, Sides, fill_ghosts};
use glam::DVec3;
use meniscus_core::Loads;

/// Most stages of a step `[1]`.
pub const MOST_STAGES: u32 = 41;

/// A face of fluid beside one in a body.
#[derive(Debug, Clone, Copy)]
struct Contact {
    face: u32,
    inside: u32,
    body: u32,
    /// Stages of what the fluid gains there, per mass of a cell `[m/s]`.
    gain: [f64; 3],
    rate: f64,
}

/// Scratch for the stages of one component.
#[derive(Debug, Clone, Default)]
pub struct Viscosity {
    stage: [Vec<f64>; 3],
    rate: [Vec<f64>; 2],
    contact: Vec<Contact>,
}

/// The longest step that viscosity allows `[s]`.
#[must_use]
pub fn longest_step(lattice: &Lattice, viscosity: f64) -> f64 {
    reach(MOST_STAGES) * explicit_step(lattice, viscosity)
}

/// Δx² / (2 d ν) `[s]`.
fn explicit_step(lattice: &Lattice, viscosity: f64) -> f64 {
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

impl Viscosity {
    /// Lets velocities, whose ghosts are filled, diffuse for `dt` `[s]`; bodies receive what the fluid loses. `mass` is that of a full
    /// cell `[kg]`. Returns what bodies have received `[N s]`.
    #[expect(clippy::too_many_arguments, reason = "what a step of a field needs, each once")]
    pub fn apply(
        &mut self,
        lattice: &Lattice,
        sides: &Sides,
        cut: &Cut,
        viscosity: f64,
        dt: f64,
        mass: f64,
        velocity: &mut [Vec<f64>; 3],
        loads: &mut Loads,
    ) -> DVec3 {
        let stages = stages_for(dt / explicit_step(lattice, viscosity));
        let scale = viscosity / (lattice.spacing() * lattice.spacing());
        let mut given = DVec3::ZERO;
        for axis in lattice.axes() {
            self.find_contacts(lattice, cut, axis);
            let step = Step { lattice, sides, cut, axis, scale, dt, stages };
            self.run(&step, &mut velocity[axis]);
            for contact in &self.contact {
                let mut impulse = DVec3::ZERO;
                impulse[axis] = -mass * contact.gain[0];
                let place = lattice.position(Site::Face(axis), lattice.slot(contact.face as usize));
                loads.wrench[contact.body as usize].push(place, impulse);
                given += impulse;
            }
        }
        given
    }

    fn find_contacts(&mut self, lattice: &Lattice, cut: &Cut, axis: usize) {
        self.contact.clear();
        let area = &cut.area[axis];
        for &inside in &cut.faces_inside[axis][0] {
            for face in crate::cut::neighbours(lattice, inside as usize) {
                let body = cut.owner[axis][inside as usize];
                if area[face] > 0.0 && body != NO_BODY {
                    self.contact.push(Contact { face: face as u32, inside, body, gain: [0.0; 3], rate: 0.0 });
                }
            }
        }
    }

    /// Y_0 … Y_s of \[Meyer2012\]; the last is the result. Three stages are kept.
    fn run(&mut self, step: &Step<'_>, channel: &mut Vec<f64>) {
        let Self { stage: [start, last, before], rate: [first_rate, rate], contact } = self;
        start.clone_from(channel);
        before.clone_from(channel);
        first_rate.resize(channel.len(), 0.0);
        rate.resize(channel.len(), 0.0);
        let w = 1.0 / reach(step.stages);
        step.find_rate(start, first_rate);
        last.clone_from(channel);
        let weight = b(1) * w * step.dt;
        step.combine(last, |n, _| start[n] + weight * first_rate[n]);
        for contact in contact.iter_mut() {
            contact.rate = step.gain(contact, start);
            contact.gain = [weight * contact.rate, 0.0, 0.0];
        }
        for j in 2..=step.stages {
            let k = f64::from(j);
            let mu = (2.0 * k - 1.0) / k * b(j) / b(j - 1);
            let nu = -(k - 1.0) / k * b(j) / b(j - 2);
            let (mu_rate, gamma) = (mu * w * step.dt, -(1.0 - b(j - 1)) * mu * w * step.dt);
            step.find_rate(last, rate);
            for contact in contact.iter_mut() {
                let now = mu_rate * step.gain(contact, last) + gamma * contact.rate;
                let [previous, older, _] = contact.gain;
                contact.gain = [mu * previous + nu * older + now, previous, 0.0];
            }
            step.combine(before, |n, old| {
                mu * last[n] + nu * old + (1.0 - mu - nu) * start[n] + mu_rate * rate[n] + gamma * first_rate[n]
            });
            std::mem::swap(last, before);
        }
        std::mem::swap(channel, last);
    }
}

/// The diffusion of one component.
struct Step<'a> {
    lattice: &'a Lattice,
    sides: &'a Sides,
    cut: &'a Cut,
    axis: usize,
    /// ν / Δx² `[1/s]`.
    scale: f64,
    dt: f64,
    stages: u32,
}

impl Step<'_> {
    /// Sets a stage from its old values, and its ghosts.
    fn combine(&self, channel: &mut [f64], value: impl Fn(usize, f64) -> f64 + Sync) {
        let area = &self.cut.area[self.axis];
        self.lattice.fill(channel, &self.lattice.face_range(self.axis), |_, first, row| {
            for (n, out) in (first..).zip(row) {
                if area[n] > 0.0 {
                    *out = value(n, *out);
                }
            }
        });
        fill_ghosts(self.lattice, self.sides, Quantity::Velocity(self.axis), channel);
    }

    /// ν ∇²u on open faces.
    fn find_rate(&self, u: &[f64], rate: &mut [f64]) {
        let (stride, area) = (self.lattice.stride(), &self.cut.area[self.axis]);
        let axes = self.lattice.axes().len();
        self.lattice.fill(rate, &self.lattice.face_range(self.axis), |_, first, row| {
            for (n, rate) in (first..).zip(row) {
                let own = area[n];
                *rate = 0.0;
                if own > 0.0 {
                    for step in &stride[..axes] {
                        *rate += share(own, area[n + step]) * (u[n + step] - u[n]);
                        *rate += share(own, area[n - step]) * (u[n - step] - u[n]);
                    }
                    *rate *= self.scale;
                }
            }
        });
    }

    /// What the open share of a face gains from the body beside it, for each second and the mass of a cell `[m/s²]`.
    fn gain(&self, contact: &Contact, u: &[f64]) -> f64 {
        let (face, inside) = (contact.face as usize, contact.inside as usize);
        f64::from(self.cut.area[self.axis][face]) * self.scale * (u[inside] - u[face])
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
    use crate::side::Side;
    use meniscus_core::Dimension;
    use std::f64::consts::PI;

    /// What is left of sin(π y) between two plates after a time, over what should be.
    fn decay(cells: usize, steps: u32, viscosity: f64, time: f64) -> f64 {
        let grid = Lattice::new(Dimension::Two, [3, cells, 1], 1.0 / cells as f64, DVec3::ZERO).unwrap();
        let sides = [Side::Open, Side::Open, Side::STICK, Side::STICK, Side::SLIP, Side::SLIP];
        let mut cut = Cut::default();
        cut.update(&grid, &sides, &[], &[]);
        let mut velocity = [grid.channel(), grid.channel(), grid.channel()];
        for n in 0..grid.slots() {
            velocity[0][n] = (PI * grid.position(Site::Face(0), grid.slot(n)).y).sin();
        }
        let mut scratch = Viscosity::default();
        for _ in 0..steps {
            for axis in 0..2 {
                fill_ghosts(&grid, &sides, Quantity::Velocity(axis), &mut velocity[axis]);
            }
            let dt = time / f64::from(steps);
            scratch.apply(&grid, &sides, &cut, viscosity, dt, 1.0, &mut velocity, &mut Loads::default());
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
        let left = decay(32, 2, 1.0, 0.2 * longest_step(&Lattice::new(Dimension::Two, [32, 32, 1], 1.0 / 32.0, DVec3::ZERO).unwrap(), 1.0));
        assert!((left - 1.0).abs() < 0.1, "{left}");
    }
}
