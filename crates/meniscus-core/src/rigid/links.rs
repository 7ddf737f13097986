//! Which carriers a fluid pushes, and how they answer while pressures are being solved for.
//!
//! A dynamic body gives way to the pressure it is exposed to, and that changes the pressure: a light one
//! moves as much fluid as it weighs, or more. If it moved only after the solve, each step would overshoot the last.
//! So between two sweeps the current pressures' impulse on each carrier is turned into a change of its motion, and
//! that into a change of density at the particles that feel it (the idea of Gissler et al. 2019, with the six numbers
//! of a rigid body in place of their second solver).
//!
//! With J_b the impulse of pressures P on carrier b, S_b its mobility and G_ib, T_ib the sums over its points of push and
//! r × push at particle i, the density changes by −dt k Σ_b (G_ib, T_ib)·S_b J_b(P), where J_b is made of k P times the same sums.

use crate::reduce::CHUNK;
use crate::{Anchor, Carriers, InterfacePoints, Loads, Mobility, Response, Solids, Twist};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// What one particle of a fluid and one of its points are to each other.
#[derive(Debug, Clone, Copy)]
pub struct PointRow {
    /// The point.
    pub point: u32,
    /// What the particle's pressure pushes it through `[1/m]`.
    pub push: Vec3,
    /// Where the body receives that push `[m]`.
    pub place: DVec3,
    /// g·(x_k − x_i) `[m²/s²]`.
    pub fall: f32,
}

/// What one particle and one carrier are to each other.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    particle: u32,
    slot: u32,
    /// Σ push, and Σ r × push about the carrier's centre.
    push: Vec3,
    turn: Vec3,
    /// Σ push g·(x_k − x_i), and Σ r × of it: the weight of the fluid between particle and wall.
    weight: Vec3,
    weight_turn: Vec3,
}

/// The particles of a fluid that feel carriers.
#[derive(Debug, Clone, Default)]
pub struct CarrierLinks {
    link: Vec<Link>,
    /// k `[1]`.
    wall: f32,
    found: Vec<Vec<Link>>,
    /// What carriers add to the density of each particle `[1]`.
    density: Vec<f32>,
    /// Of each carrier in a sweep: impulse on it and moment about its centre.
    pushed: Vec<(DVec3, DVec3)>,
    /// Its answer.
    answer: Vec<(Vec3, Vec3)>,
    twist: Vec<Twist>,
}

/// Who answers within a pressure solve.
pub struct Answering<'a> {
    /// The solids.
    pub solids: &'a mut dyn Solids,
    /// What they foresee.
    pub response: &'a mut Response,
    /// What they have received in this step before the solve.
    pub loads: &'a Loads,
}

impl CarrierLinks {
    /// Finds who feels `carriers` among `particles` particles; `rows(i, &mut each)` calls `each` for all points that particle i pushes.
    /// Densities change by `wall` times what pushes do, k.
    pub fn find(
        &mut self,
        carriers: &Carriers,
        points: &InterfacePoints,
        particles: usize,
        wall: f32,
        rows: impl Fn(usize, &mut dyn FnMut(PointRow)) + Sync,
    ) {
        self.wall = wall;
        self.link.clear();
        self.density.clear();
        if carriers.is_empty() {
            return;
        }
        self.density.resize(particles, 0.0);
        self.found.resize_with(particles.div_ceil(CHUNK), Vec::new);
        self.found.par_iter_mut().enumerate().for_each(|(c, found)| {
            found.clear();
            for i in c * CHUNK..particles.min((c + 1) * CHUNK) {
                let first = found.len();
                rows(i, &mut |row| {
                    let k = row.point as usize;
                    let Some(slot) = carriers.slot(points.body[k]) else { return };
                    match points.anchor(k) {
                        Some(Anchor::Nodes { node, weight }) => {
                            for (n, w) in node.iter().zip(weight) {
                                let part = PointRow { push: *w as f32 * row.push, ..row };
                                join(found, first, i, slot + *n as usize, &part, DVec3::ZERO);
                            }
                        }
                        _ => join(found, first, i, slot, &row, row.place - carriers.list()[slot].centre),
                    }
                });
            }
        });
        self.link.extend(self.found.iter().flatten());
    }

    /// What the carriers, moving as pressures make them move, add to each particle's density within the step `[1]`; nothing if
    /// there are none. `exerted(i)` is what particle i exerts per push, and per push times the fall to the point `[m²/s²]`;
    /// `impulse` the mass of a particle times the length of the step `dt` `[kg s]`.
    pub fn density_change(
        &mut self,
        carriers: &Carriers,
        exerted: impl Fn(usize) -> (f32, f32),
        impulse: f64,
        dt: f64,
        answering: Answering<'_>,
    ) -> &[f32] {
        if carriers.is_empty() {
            return &self.density;
        }
        self.pushed.clear();
        self.pushed.resize(carriers.list().len(), (DVec3::ZERO, DVec3::ZERO));
        for link in &self.link {
            let i = link.particle as usize;
            self.density[i] = 0.0;
            let (strength, share) = exerted(i);
            let (force, torque) = &mut self.pushed[link.slot as usize];
            *force += (strength * link.push + share * link.weight).as_dvec3();
            *torque += (strength * link.turn + share * link.weight_turn).as_dvec3();
        }
        for (force, torque) in &mut self.pushed {
            *force *= impulse;
            *torque *= impulse;
        }
        let Answering { solids, response, loads } = answering;
        response.ask(solids, loads, carriers, &self.pushed, &mut self.twist);
        self.answer.clear();
        let moved = |t: &Twist| ((-dt * t.linear).as_vec3(), (-dt * t.angular).as_vec3());
        self.answer.extend(self.twist.iter().map(moved));
        for link in &self.link {
            let (linear, angular) = self.answer[link.slot as usize];
            self.density[link.particle as usize] +=
                self.wall * (link.push.dot(linear) + link.turn.dot(angular));
        }
        &self.density
    }

    /// Tells `add(i, rate)` at which rates walls change densities more than before, for carriers whose motions have changed by
    /// `change`, one for each `[1/s]`.
    pub fn change_flux(&self, change: &[Twist], mut add: impl FnMut(usize, f32)) {
        for link in &self.link {
            let Twist { linear, angular } = change[link.slot as usize];
            let rate = self.wall * (link.push.dot(linear.as_vec3()) + link.turn.dot(angular.as_vec3()));
            add(link.particle as usize, rate);
        }
    }

    /// Tells `add(i, bound)` what relaxations must allow for on the diagonal of the pressure equation: a bound of how much the
    /// carriers' answer to all pressures together changes one density `[1/m²]`. `mass` is a particle's `[kg]`.
    pub fn stiffen(&self, carriers: &Carriers, mass: f64, mut add: impl FnMut(usize, f32)) {
        let mut reach = vec![(DVec3::ZERO, DVec3::ZERO); carriers.list().len()];
        for link in &self.link {
            let (push, turn) = &mut reach[link.slot as usize];
            *push += link.push.abs().as_dvec3();
            *turn += link.turn.abs().as_dvec3();
        }
        // A Jacobi step is relaxed by one half, which allows for half of the bound already.
        let scale = 0.5 * f64::from(self.wall) * mass;
        let bounds: Vec<(Vec3, Vec3)> = reach
            .iter()
            .zip(carriers.list())
            .map(|((push, turn), carrier)| {
                let Mobility { linear, angular, lever } = carrier.mobility;
                let [linear, angular, lever] = [linear, angular, lever].map(|m| m.abs());
                let bound = |v: DVec3| (scale * v).as_vec3();
                (bound(linear * *push + lever * *turn), bound(angular * *turn + lever.transpose() * *push))
            })
            .collect();
        for link in &self.link {
            let (push, turn) = bounds[link.slot as usize];
            add(link.particle as usize, self.wall * (link.push.abs().dot(push) + link.turn.abs().dot(turn)));
        }
    }
}

/// Adds a row to the link between particle `i` and a carrier, at `arm` `[m]` from its centre; links of this particle begin at `first`.
fn join(found: &mut Vec<Link>, first: usize, i: usize, slot: usize, row: &PointRow, arm: DVec3) {
    let slot = slot as u32;
    let n = found[first..].iter().position(|link| link.slot == slot).unwrap_or_else(|| {
        found.push(Link { particle: i as u32, slot, ..Link::default() });
        found.len() - 1 - first
    });
    let (arm, PointRow { push, fall, .. }) = (arm.as_vec3(), *row);
    let link = &mut found[first + n];
    link.push += push;
    link.turn += arm.cross(push);
    link.weight += fall * push;
    link.weight_turn += fall * arm.cross(push);
}
