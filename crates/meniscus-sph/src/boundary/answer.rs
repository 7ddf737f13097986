//! Bodies that answer pressure while it is being solved for.
//!
//! A body that is free to move gives way to the pressure it is exposed to, and that changes the pressure: a light one
//! moves as much fluid as it weighs, or more. If it moved only after the solve, each step would overshoot the last.
//! So between two sweeps the current pressures' impulse on each free body is turned into a change of its motion, and
//! that into a change of density at the particles that feel it (the idea of \[Gissler2019\], with the six numbers
//! of a rigid body in place of their second solver).
//!
//! With J_b the impulse of pressures P on body b, S_b its mobility and G_ib, T_ib the sums over its samples of V ∇W and
//! r × V ∇W at particle i, the density changes by −dt Σ_b (G_ib, T_ib)·S_b J_b(P).

use super::BoundaryRows;
use crate::pressure::{Stage, wall_factor};
use glam::{DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyId, Interface, Mobility, Twist, Wrench};
use rayon::prelude::*;

/// How a body that is free to move answers impulses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeBody {
    /// Which body.
    pub body: BodyId,
    /// Its centre of mass `[m]`.
    pub centre: DVec3,
    /// How its motion changes by impulses.
    pub mobility: Mobility,
}

impl FreeBody {
    /// The answer to a load.
    #[must_use]
    pub fn answer(&self, load: &Wrench) -> Twist {
        self.mobility.respond(load.impulse, load.about(self.centre))
    }
}

/// What one particle and one free body are to each other.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    particle: u32,
    slot: u32,
    /// V ∇W in units of push `[1]`.
    rise: f32,
    /// Σ push, and Σ r × push about the body's centre.
    push: Vec3,
    turn: Vec3,
    /// Σ push g·(x_k − x_i), and Σ r × of it: the weight of the fluid between particle and wall.
    weight: Vec3,
    weight_turn: Vec3,
}

/// All bodies that are free to move, and the particles that feel them.
#[derive(Debug, Clone, Default)]
pub struct FreeBodies {
    body: Vec<FreeBody>,
    /// Place in `body` of each body of the scene, or [`FreeBodies::NONE`].
    slot: Vec<u32>,
    link: Vec<Link>,
    found: Vec<Vec<Link>>,
    /// What the bodies add to the density of each particle `[1]`.
    density: Vec<f32>,
    /// Of each body in a sweep: force and torque on it.
    pushed: Vec<(DVec3, DVec3)>,
    /// Its answer.
    answer: Vec<(Vec3, Vec3)>,
    twist: Vec<Twist>,
}

/// Who knows how bodies move under loads on all of them together.
pub trait Oracle {
    /// How the motion of each of `bodies` changes by an impulse `[N s]` and an angular impulse about the centre `[N m s]` on each.
    fn motions(&mut self, bodies: &[FreeBody], load: &[(DVec3, DVec3)], twist: &mut Vec<Twist>);
}

/// The step as the answer to pressures needs it.
#[derive(Clone, Copy)]
pub struct AnswerStep<'a> {
    /// The rows of the boundary.
    pub rows: &'a BoundaryRows,
    /// Mass of a particle `[kg]`.
    pub mass: f64,
    /// Length of the step `[s]`.
    pub dt: f64,
}

impl FreeBodies {
    const NONE: u32 = u32::MAX;

    /// The place of a body among [`FreeBodies::bodies`], if it is free.
    #[must_use]
    pub fn slot(&self, body: BodyId) -> Option<usize> {
        self.slot.get(body.0 as usize).filter(|&&slot| slot != Self::NONE).map(|&slot| slot as usize)
    }

    /// The bodies, in the order in which they were found.
    #[must_use]
    pub fn bodies(&self) -> &[FreeBody] {
        &self.body
    }

    /// Finds who feels `bodies`; `position` are the particles' `[m]`, `gravity` in `[m/s²]`.
    pub fn find(
        &mut self,
        bodies: impl IntoIterator<Item = FreeBody>,
        rows: &BoundaryRows,
        interface: &Interface,
        position: &[DVec3],
        gravity: DVec3,
    ) {
        self.body.clear();
        self.body.extend(bodies);
        self.link.clear();
        self.density.clear();
        self.slot.clear();
        if self.body.is_empty() {
            return;
        }
        self.density.resize(position.len(), 0.0);
        self.slot.resize(interface.load.len(), Self::NONE);
        for (n, free) in (0..).zip(&self.body) {
            self.slot[free.body.0 as usize] = n;
        }
        self.found.resize_with(position.len().div_ceil(CHUNK), Vec::new);
        let (body, slot) = (&self.body, &self.slot);
        self.found.par_iter_mut().enumerate().for_each(|(c, found)| {
            found.clear();
            let last = position.len().min((c + 1) * CHUNK);
            for (i, &x) in (c * CHUNK..last).zip(&position[c * CHUNK..last]) {
                let first = found.len();
                for sample in rows.row(i) {
                    let point = &interface.point[sample.point as usize];
                    let slot = slot[point.body.0 as usize];
                    let push = Vec3::from(sample.push);
                    if slot == Self::NONE || push == Vec3::ZERO {
                        continue;
                    }
                    let n = found[first..].iter().position(|link| link.slot == slot).unwrap_or_else(|| {
                        found.push(Link {
                            particle: i as u32,
                            slot,
                            rise: rows.rise(sample),
                            ..Link::default()
                        });
                        found.len() - 1 - first
                    });
                    let arm = (rows.place(point, x) - body[slot as usize].centre).as_vec3();
                    let fall = gravity.dot(point.position - x) as f32;
                    let link = &mut found[first + n];
                    link.push += push;
                    link.turn += arm.cross(push);
                    link.weight += fall * push;
                    link.weight_turn += fall * arm.cross(push);
                }
            }
        });
        self.link.extend(self.found.iter().flatten());
    }

    /// What the bodies, moving as these pressures P `[m²/s²]` make them move, add to each particle's density within the
    /// step `[1]`; nothing if there are none. How they move the `oracle` says; without one, each moves by itself.
    pub fn density_change(
        &mut self,
        stage: Stage,
        pressure: &[f32],
        step: AnswerStep<'_>,
        oracle: Option<&mut dyn Oracle>,
    ) -> &[f32] {
        let AnswerStep { rows, mass, dt } = step;
        self.pushed.clear();
        self.pushed.resize(self.body.len(), (DVec3::ZERO, DVec3::ZERO));
        for link in &self.link {
            let i = link.particle as usize;
            self.density[i] = 0.0;
            let own = pressure[i];
            let strength = wall_factor(own) * own;
            let share = if stage == Stage::Density { rows.sum[i].weight_share(own) } else { 0.0 };
            let (force, torque) = &mut self.pushed[link.slot as usize];
            // J_b(P) over m dt: k P Σ push, and the hydrostatic part of ADR 2.
            *force += (strength * link.push + share * link.weight).as_dvec3();
            *torque += (strength * link.turn + share * link.weight_turn).as_dvec3();
        }
        self.answer.clear();
        if let Some(oracle) = oracle {
            for (impulse, turn) in &mut self.pushed {
                *impulse *= mass * dt;
                *turn *= mass * dt;
            }
            oracle.motions(&self.body, &self.pushed, &mut self.twist);
            let moved = |t: &Twist| ((-dt * t.linear).as_vec3(), (-dt * t.angular).as_vec3());
            self.answer.extend(self.twist.iter().map(moved));
        } else {
            // −dt S_b J_b(P): ADR 13.
            let scale = -mass * dt * dt;
            self.answer.extend(self.pushed.iter().zip(&self.body).map(|((force, torque), body)| {
                let Twist { linear, angular } = body.mobility.respond(*force, *torque);
                ((scale * linear).as_vec3(), (scale * angular).as_vec3())
            }));
        }
        for link in &self.link {
            let (linear, angular) = self.answer[link.slot as usize];
            self.density[link.particle as usize] +=
                link.rise * (link.push.dot(linear) + link.turn.dot(angular));
        }
        &self.density
    }

    /// Changes the rates at which walls change densities, for bodies whose motion has changed by `twist`, one for each.
    pub fn change_flux(&self, twist: &[Twist], rows: &mut BoundaryRows) {
        for link in &self.link {
            let Twist { linear, angular } = twist[link.slot as usize];
            rows.sum[link.particle as usize].flux +=
                link.rise * (link.push.dot(linear.as_vec3()) + link.turn.dot(angular.as_vec3()));
        }
    }

    /// Adds to the diagonal of the pressure equation `[1/m²]` what relaxations must allow for: a bound of how much the
    /// bodies' answer to all pressures together changes one density. `wall` is k, `mass` a particle's `[kg]`.
    pub fn stiffen(&self, wall: f32, mass: f64, diagonal: &mut [[f32; 4]]) {
        let mut reach = vec![(DVec3::ZERO, DVec3::ZERO); self.body.len()];
        for link in &self.link {
            let (push, turn) = &mut reach[link.slot as usize];
            *push += link.push.abs().as_dvec3();
            *turn += link.turn.abs().as_dvec3();
        }
        // A Jacobi step is relaxed by one half, which allows for half of the bound already.
        // Half of the row sum: ADR 13.
        let scale = 0.5 * f64::from(wall) * mass;
        let bounds: Vec<(Vec3, Vec3)> = reach
            .iter()
            .zip(&self.body)
            .map(|((push, turn), body)| {
                let Mobility { linear, angular, lever } = body.mobility;
                let [linear, angular, lever] = [linear, angular, lever].map(|m| m.abs());
                let bound = |v: DVec3| (scale * v).as_vec3();
                (bound(linear * *push + lever * *turn), bound(angular * *turn + lever.transpose() * *push))
            })
            .collect();
        for link in &self.link {
            let (push, turn) = bounds[link.slot as usize];
            diagonal[link.particle as usize][3] +=
                link.rise * (link.push.abs().dot(push) + link.turn.abs().dot(turn));
        }
    }
}
