//! Direct forcing: contacts that set velocities and positions (\[Becker2009\] Sec. V).
//!
//! | here | paper |
//! | --- | --- |
//! | x_k, `offset` | x_P, r_P: the contact point is x_cp = x_P + r_P n |
//! | `radius` | r_F |
//! | `slip` | ε |
//! | `restitution` | δ |
//!
//! A contact is a half space that the fluid particle's centre may not enter: (x_i − x_cp)·n ≥ r_F at the end of the step.
//! For the velocity of the step that is a limit, v_i·n ≥ `limit`, and the particle that is stopped by it comes to lie
//! exactly at the distance r_F, which is the position update of Eq. 19 and 20. Pressure solvers see the limits between the
//! two halves of a sweep, so that the pressures of an incompressible fluid know that the wall holds.
//!
//! Departures:
//! * Eq. 8 keeps ε of the sliding velocity in each step, so that with short steps all ε < 1 stick. Here a contact is with one
//!   boundary particle after the other, and ε is kept of the velocity on the way past each of them: dv/dt = −ln(1/ε) v² / spacing.
//!   The wall's drag is then ln(1/ε) ρ0 v², whatever the step and the spacing are.
//! * Eq. 2 divides by Σ V_c W_c, which the fluid alone would make equal to the density itself, as V_c is constant. What it is
//!   for is to make up for what is missing behind the wall; here the samples' own share V W is added instead.
//! * Walls that are not dynamic push particles under pressure with a tenth of that pressure at least. Contacts alone never push off what nothing presses against
//!   them: where water had run up a wall, a column of particles stayed standing on it, exactly in line.
//! * Where a face ends its samples push along it with the fluid's pressure ([`rim`](super::rim)): a contact stands for what is across the face.
//! * Along the walls of containers fluid gets the pair forces that are missing behind them ([`TangentialCompletion`](super::Completion)).
//! * Velocity and position update are one (Alg. 2), in the same step, for bodies that give way too: the limits move with the body.
//! * A particle between a dynamic body and a wall passes on what the body presses, and two walls that are too near to each other
//!   do not compress it ([`pinch`](super::pinch)).
//! * A particle that touches several surfaces, of one body or of several, obeys all of them: planes are imposed one after the
//!   other, three times over. At a convex edge the planes of both faces would forbid too much, so of two planes the
//!   nearer one counts, unless the other's contact point lies in front of it.

mod constraint;
mod pinch;

pub use constraint::{ContactWalls, ForcingFluid};

use constraint::{ContactConstraint, choose, impose};
use glam::{DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyContactRow, BodyId, Carriers, InterfacePoints, Loads, ReducedSystem, Twist};
use pinch::{behind, is_pinched};
use rayon::prelude::*;

/// How many times it is asked which contacts push a body that gives way `[1]`.
const YIELDING_PASSES: usize = 3;

/// How far a limit may be missed, in radii of a fluid particle in a step `[1]`.
const VELOCITY_TOLERANCE: f64 = 1e-3;

/// The least that a wall pushes a particle under pressure, in units of what fluid in its place would: little enough that contacts with fluid at
/// rest are not changed by it `[1]`.
const MIN_PUSH: f64 = 0.1;

/// Particles this near to touching will touch when pressure acts, in spacings `[1]`.
const NEARLY_TOUCHING: f64 = 0.1;

/// Particles this near to touching are pushed off, in their radii `[1]`.
const TOUCHING: f64 = 0.02;

/// How a body controls the relative velocity of the fluid that touches it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForcingParams {
    /// Share ε of the tangential relative velocity that is kept while a particle slides past one boundary particle: 1 is free
    /// slip, 0 none `[1]`.
    pub slip: f64,
    /// Share δ of the approach speed with which particles rebound `[1]`.
    pub restitution: f64,
    /// How contacts share a dynamic body.
    pub update: ForcingUpdate,
}

/// How the contacts of a dynamic body are solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcingUpdate {
    /// Each as if it were the only one: \[Becker2009\] Eq. 12.
    Local,
    /// All at once: \[Becker2009\] Eq. 18.
    Global,
}

/// The contacts of all particles with bodies that answer by direct forcing.
#[derive(Debug, Clone, Default)]
pub struct ForcingContacts {
    chunk: Vec<Vec<ContactConstraint>>,
    /// Of each chunk: particles between two walls, and what these add to their density beyond what they may `[1]`.
    pinched: Vec<Vec<(usize, f32)>>,
    /// Particles that are this close to their limit touch: single precision stops a little before it `[m/s]`.
    tolerance: f64,
    /// Contacts that are solved for together, in a sweep.
    pulls: Vec<BodyContactRow>,
    /// Of each dynamic body: the sums of its contacts.
    sums: Vec<ReducedSystem>,
    /// The change of its motion.
    twist: Vec<Twist>,
    spacing: f64,
    dt: f64,
}

/// How the step ends for a particle that touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepEnd {
    /// Its index.
    pub particle: usize,
    /// What it touches.
    pub body: BodyId,
    /// The velocity by which it moves in this step `[m/s]`.
    pub moving: DVec3,
    /// The velocity that it has afterwards `[m/s]`.
    pub lasting: DVec3,
}

impl ForcingContacts {
    /// Finds the contacts of the step for particles that would move at `velocity` `[m/s]`.
    pub fn find(&mut self, fluid: ForcingFluid<'_>, walls: ContactWalls<'_>, velocity: &[[f32; 4]]) {
        self.tolerance = VELOCITY_TOLERANCE * fluid.radius / fluid.dt;
        (self.spacing, self.dt) = (2.0 * fluid.radius, fluid.dt);
        self.chunk.resize_with(fluid.position.len().div_ceil(CHUNK), Vec::new);
        self.pinched.resize_with(self.chunk.len(), Vec::new);
        let chunks = self.chunk.par_iter_mut().zip(&mut self.pinched).enumerate();
        chunks.for_each(|(c, (limits, pinched))| {
            limits.clear();
            pinched.clear();
            let mut found: Vec<(f64, ContactConstraint)> = Vec::new();
            let last = fluid.position.len().min((c + 1) * CHUNK);
            for (i, velocity) in (c * CHUNK..last).zip(&velocity[c * CHUNK..last]) {
                found.clear();
                let x = fluid.position[i];
                let ahead = x + fluid.dt * Vec3::from_slice(velocity).as_dvec3();
                for sample in fluid.rows.row(i) {
                    let candidate = walls.limit(fluid, sample.point as usize, x, ahead);
                    found.extend(
                        candidate
                            .map(|(d, limit)| (d, ContactConstraint { local: (i % CHUNK) as u32, ..limit })),
                    );
                }
                let first = limits.len();
                choose(&mut found, fluid.radius, limits);
                if is_pinched(&found, x, fluid.radius) {
                    // ADR 21: no more than walls that touch would give, for each plane.
                    let surplus = walls.fill(fluid, i) - limits[first..].len().max(2) as f32 * fluid.fill;
                    pinched.push((i, surplus.max(0.0)));
                }
            }
        });
    }

    /// Particles in gaps that are too narrow for them, and by how much the walls' share of their density is too large `[1]`: walls that
    /// are nearer than touching count as if they touched.
    pub fn pinched(&self) -> impl Iterator<Item = (usize, f32)> {
        self.pinched.iter().flatten().copied()
    }

    /// Particles that touch walls which do not give way, and in which directions, in the order of the particles.
    #[must_use]
    pub fn firm(&self) -> Vec<(u32, Vec3)> {
        let far = NEARLY_TOUCHING * self.spacing / self.dt;
        let of_chunk = |(c, limits): (usize, &'_ Vec<ContactConstraint>)| {
            let touching =
                limits.iter().filter(|limit| limit.slot.is_none() && limit.min_normal_velocity > -far);
            let place = |limit: &ContactConstraint| (c * CHUNK) as u32 + limit.local;
            touching.map(|limit| (place(limit), limit.normal.as_vec3())).collect::<Vec<_>>()
        };
        self.chunk.iter().enumerate().flat_map(of_chunk).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.chunk.iter().map(Vec::len).sum()
    }

    /// Changes accelerations `[m/s²]` so that no velocity breaks its limits at the end of the step; `mass` is a particle's `[kg]`.
    pub fn constrain(
        &mut self,
        velocity: &[[f32; 4]],
        dt: f64,
        acceleration: &mut [[f32; 4]],
        carriers: &Carriers,
        mass: f64,
    ) {
        let end = |i: usize, acceleration: &[[f32; 4]], velocity: &[[f32; 4]]| {
            let start = Vec3::from_slice(&velocity[i]).as_dvec3();
            (start, start + dt * Vec3::from_slice(&acceleration[i]).as_dvec3())
        };
        self.yielding(carriers, mass, |i| end(i, acceleration, velocity).1);
        let twist = &self.twist;
        let chunks = self.chunk.par_iter_mut().zip(velocity.par_chunks(CHUNK));
        chunks.zip(acceleration.par_chunks_mut(CHUNK)).for_each(|((limits, velocity), acceleration)| {
            for limits in limits.chunk_by_mut(|a, b| a.local == b.local) {
                let i = limits[0].local as usize;
                let (start, mut end) = end(i, acceleration, velocity);
                impose(limits, &mut end, twist);
                let [x, y, z] = ((end - start) / dt).as_vec3().to_array();
                acceleration[i] = [x, y, z, 0.0];
            }
        });
    }

    /// How dynamic bodies, and whose contacts are solved for together, change their motion when particles would move
    /// at `velocity(i)` `[m/s]`: sets `twist`, one for each dynamic body.
    fn yielding(&mut self, carriers: &Carriers, mass: f64, velocity: impl Fn(usize) -> DVec3) {
        let Self { chunk, pulls, sums, twist, .. } = self;
        let solved =
            |limit: &&ContactConstraint| limit.slot.is_some() && limit.params.update == ForcingUpdate::Global;
        pulls.clear();
        for (c, limits) in chunk.iter().enumerate() {
            for limits in limits.chunk_by(|a, b| a.local == b.local) {
                for limit in limits.iter().filter(solved) {
                    let velocity_deficit = limit.min_normal_velocity
                        - velocity(c * CHUNK + limit.local as usize).dot(limit.normal);
                    let row = |deficit| BodyContactRow::new(limit.slot(), limit.arm, limit.normal, deficit);
                    pulls.push(row(velocity_deficit));
                    // As heavy as the body itself, so that a few of them stop it.
                    pulls.extend(
                        behind(limits, limit, &[]).map(|b| row(b.closing).weighing(limit.effective_mass)),
                    );
                }
            }
        }
        twist.clear();
        twist.resize(carriers.list().len(), Twist::default());
        sums.clear();
        sums.resize(carriers.list().len(), ReducedSystem::default());
        for _ in 0..YIELDING_PASSES {
            let mut same = true;
            for pull in pulls.iter_mut() {
                same &= !pull.update_active(twist, sums, mass);
            }
            if same {
                return;
            }
            for ((twist, sum), body) in twist.iter_mut().zip(&*sums).zip(carriers.list()) {
                *twist = sum.solve(&body.mobility);
            }
        }
    }

    /// Follows bodies whose motion has changed, one entry for each dynamic one.
    pub fn move_walls(&mut self, change: &[Twist]) {
        for limit in self.chunk.iter_mut().flatten().filter(|limit| limit.slot.is_some()) {
            let recoil = limit.recoil(change);
            limit.wall += recoil;
            limit.min_normal_velocity += recoil.dot(limit.normal);
        }
    }

    /// Hands the walls what the last call of `constrain` took from the fluid; `mass` is a particle's `[kg]`.
    pub fn load(&self, points: &InterfacePoints, loads: &mut Loads, mass: f64) {
        for limit in self.chunk.iter().flatten() {
            let taken = limit.push * limit.normal + limit.through;
            loads.push(limit.body, points.anchor(limit.point as usize), limit.particle, -mass * taken);
        }
    }

    /// Ends the step: velocities for the new positions and those that stay (\[Becker2009\] Eq. 8 and 9). `before` are
    /// the velocities at the start of the step `[m/s]`, `mass` is a particle's `[kg]`, `press(i)` what fluid in a wall's place would add to the velocity of particle i
    /// in the step, by its pressure `[m/s]`. The loads are left to the caller.
    pub fn finish(
        &mut self,
        velocity: &[DVec3],
        before: &[DVec3],
        carriers: &Carriers,
        mass: f64,
        press: impl Fn(usize) -> f64,
    ) -> Vec<StepEnd> {
        self.find_pressed(press);
        let mut sums = vec![ReducedSystem::default(); carriers.list().len()];
        self.ends(velocity, before, |limit, taken| {
            if limit.slot.is_some() && limit.params.update == ForcingUpdate::Global {
                sums[limit.slot()].add(limit.arm, limit.hold(), mass, mass * taken);
            }
        });
        let twist: Vec<Twist> =
            sums.iter().zip(carriers.list()).map(|(sum, body)| sum.solve(&body.mobility)).collect();
        self.move_walls(&twist);
        self.ends(velocity, before, |_, _| {})
    }

    /// Finds which walls press their particles in this step, and which push them off; `press` as in [`ForcingContacts::finish`].
    fn find_pressed(&mut self, press: impl Fn(usize) -> f64) {
        let near = TOUCHING * 0.5 * self.spacing / self.dt;
        for (c, limits) in self.chunk.iter_mut().enumerate() {
            for limit in limits {
                // ADR 18.
                let min_normal_velocity = MIN_PUSH * press(c * CHUNK + limit.local as usize);
                let pushes_off = limit.slot.is_none() && limit.min_normal_velocity > -near;
                limit.off = if pushes_off { (min_normal_velocity - limit.push).max(0.0) } else { 0.0 };
                limit.pressed = limit.push > 0.0 && limit.off == 0.0;
            }
        }
    }

    /// The ends of all particles that touch; tells `geometry` of each the contact that has the last word and what of its
    /// velocity that takes `[m/s]`.
    fn ends(
        &mut self,
        velocity: &[DVec3],
        before: &[DVec3],
        mut tell: impl FnMut(&ContactConstraint, DVec3),
    ) -> Vec<StepEnd> {
        let mut ends = Vec::new();
        let Self { tolerance, spacing, dt, .. } = *self;
        for (c, limits) in self.chunk.iter_mut().enumerate() {
            for limits in limits.chunk_by_mut(|a, b| a.local == b.local) {
                let i = c * CHUNK + limits[0].local as usize;
                let mut moving = velocity[i];
                for limit in limits.iter_mut() {
                    // Positions are corrected on the fluid's side only (Eq. 19).
                    limit.share = 1.0;
                }
                impose(limits, &mut moving, &[]);
                let held = moving;
                let mut lasting = moving;
                let mut touched = None;
                for (n, limit) in limits.iter_mut().enumerate() {
                    if held.dot(limit.normal) >= limit.min_normal_velocity + tolerance {
                        continue;
                    }
                    limit.keep(held, spacing, dt);
                    limit.pressed |= limit.push > 0.0 && limit.off == 0.0;
                    if limit.pressed {
                        moving += (limit.min_normal_velocity - moving.dot(limit.normal)) * limit.normal;
                    }
                    limit.slip(&mut moving);
                    limit.slip(&mut lasting);
                    limit.rebound(before[i], &mut lasting);
                    moving += limit.off * limit.normal;
                    lasting += limit.off * limit.normal;
                    touched = Some(n);
                }
                if let Some(n) = touched {
                    tell(&limits[n], velocity[i] - lasting);
                    // What one contact takes of the velocity along it may lead into another.
                    impose(limits, &mut moving, &[]);
                    ends.push(StepEnd { particle: i, body: limits[n].body, moving, lasting });
                }
            }
        }
        ends
    }
}
