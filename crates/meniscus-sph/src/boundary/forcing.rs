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
//! * Along the walls of containers fluid gets the pair forces that are missing behind them ([`Completion`](super::Completion)).
//! * Velocity and position update are one (Alg. 2), in the same step, for bodies that give way too: the limits move with the body.
//! * A particle that touches several surfaces, of one body or of several, obeys all of them: planes are imposed one after the
//!   other, three times over. At a convex edge the planes of both faces would forbid too much, so of two planes the
//!   nearer one counts, unless the other's contact point lies in front of it.

use super::yielding::Yielding;
use super::{BoundaryRows, FreeBodies, Response, Touch, Twist};
use glam::{DMat3, DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyId, Interface};
use rayon::prelude::*;

/// How many times the limits of a particle are imposed in turn: enough for a corner of three walls.
const PASSES: usize = 3;

/// How many times it is asked which contacts push a body that gives way.
const YIELDING_PASSES: usize = 3;

/// Candidates this far from touching at the predicted place are watched, in radii of a fluid particle: pressure may bring
/// them nearer.
const WATCH: f64 = 1.0;

/// Samples this far aside are felt, in radii of a fluid particle: on a square lattice the farthest place from all samples is 1.42 away `[1]`.
const ASIDE: f64 = 1.6;

/// The same for samples in front of a plane that counts already `[1]`. Where two faces meet in a valley the first sample of one of them may be
/// a whole spacing from the place before it, and half a spacing along the valley. Elsewhere faces would reach beyond their rims: a small body would push
/// far more water than is in its way.
const ASIDE_IN_VALLEYS: f64 = 2.3;

/// How a body controls the relative velocity of the fluid that touches it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForcingParams {
    /// Share ε of the tangential relative velocity that is kept while a particle slides past one boundary particle: 1 is free
    /// slip, 0 none `[1]`.
    pub slip: f64,
    /// Share δ of the approach speed with which particles rebound `[1]`.
    pub restitution: f64,
    /// How contacts share a body that is free to move.
    pub update: ForcingUpdate,
}

/// How the contacts of a body that is free to move are solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcingUpdate {
    /// Each as if it were the only one: \[Becker2009\] Eq. 12.
    Local,
    /// All at once: \[Becker2009\] Eq. 18.
    Global,
}

/// One limit of one particle's velocity.
#[derive(Debug, Clone, Copy)]
struct Limit {
    /// The particle within its chunk.
    local: u32,
    body: BodyId,
    normal: DVec3,
    /// Least v·n `[m/s]`.
    least: f64,
    /// The wall's velocity `[m/s]`.
    wall: DVec3,
    /// Where the wall is touched at the end of the step `[m]`.
    contact: DVec3,
    /// Where the particle is at its start `[m]`. The wall receives its load there: a particle does not spin, so only then one
    /// loses the angular momentum that the other gains.
    particle: DVec3,
    params: ForcingParams,
    /// What the contact has added to the particle's velocity along its normal in this solve `[m/s]`.
    push: f64,
    /// Whether it counts in valleys only.
    far: bool,
    /// Whether it pushed its body when that was last solved for.
    pushes: bool,
    /// Whether the wall pushes the particle in this step, and the particle does not merely slide along or leave.
    pressed: bool,
    /// The body's place among those that are free to move.
    slot: Option<u32>,
    /// From its centre of mass to `particle` `[m]`: the wall in front of the particle moves and is pushed there.
    arm: DVec3,
    /// The share of what is lacking that the particle makes up for, the rest being the body's: of Eq. 12, and 1 where
    /// the body's motion is solved for `[1]`.
    share: f64,
    /// The share of the tangential relative velocity that the particle keeps in this step `[1]`.
    kept: f64,
}

/// The contacts of all particles with bodies that answer by direct forcing.
#[derive(Debug, Clone, Default)]
pub struct ForcingContacts {
    chunk: Vec<Vec<Limit>>,
    /// Particles that are this close to their limit touch: single precision stops a little before it `[m/s]`.
    tolerance: f64,
    /// Of each body that is free to move, in a sweep: the sums of its contacts.
    sums: Vec<Yielding>,
    /// The change of its motion.
    twist: Vec<Twist>,
    spacing: f64,
    dt: f64,
}

/// How the step ends for a particle that touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TouchEnd {
    /// Its index.
    pub particle: usize,
    /// What it touches.
    pub body: BodyId,
    /// The velocity by which it moves in this step `[m/s]`.
    pub moving: DVec3,
    /// The velocity that it has afterwards `[m/s]`.
    pub lasting: DVec3,
}

/// What contacts need to know of the fluid.
#[derive(Clone, Copy)]
pub struct ForcingFluid<'a> {
    /// Rows of the boundary.
    pub rows: &'a BoundaryRows,
    /// Positions at the start of the step `[m]`.
    pub position: &'a [DVec3],
    /// r_F, half the spacing `[m]`.
    pub radius: f64,
    /// Length of the step `[s]`.
    pub dt: f64,
}

/// The samples of the interface, as contacts see them: one entry for each lasting point.
#[derive(Clone, Copy)]
pub struct ForcingWalls<'a> {
    /// The points.
    pub interface: &'a Interface,
    /// How each touches; the normals are those at the end of the step, in the scene's frame.
    pub touch: &'a [Touch],
    /// By body.
    pub response: &'a [Response],
    /// Bodies that are free to move.
    pub free: &'a FreeBodies,
    /// Mass of a fluid particle `[kg]`.
    pub mass: f64,
}

impl ForcingContacts {
    /// Finds the contacts of the step for particles that would move at `velocity` `[m/s]`.
    pub fn find(&mut self, fluid: ForcingFluid<'_>, walls: ForcingWalls<'_>, velocity: &[[f32; 4]]) {
        self.tolerance = 1e-3 * fluid.radius / fluid.dt;
        (self.spacing, self.dt) = (2.0 * fluid.radius, fluid.dt);
        self.chunk.resize_with(fluid.position.len().div_ceil(CHUNK), Vec::new);
        self.chunk.par_iter_mut().enumerate().for_each(|(c, limits)| {
            limits.clear();
            let mut found: Vec<(f64, Limit)> = Vec::new();
            let last = fluid.position.len().min((c + 1) * CHUNK);
            for (i, velocity) in (c * CHUNK..last).zip(&velocity[c * CHUNK..last]) {
                found.clear();
                let x = fluid.position[i];
                let ahead = x + fluid.dt * Vec3::from_slice(velocity).as_dvec3();
                for sample in fluid.rows.row(i) {
                    let candidate = walls.limit(fluid, sample.point as usize, x, ahead);
                    found.extend(
                        candidate.map(|(d, limit)| (d, Limit { local: (i % CHUNK) as u32, ..limit })),
                    );
                }
                choose(&mut found, fluid.radius, limits);
            }
        });
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
        free: &FreeBodies,
        mass: f64,
    ) {
        let end = |i: usize, acceleration: &[[f32; 4]], velocity: &[[f32; 4]]| {
            let start = Vec3::from_slice(&velocity[i]).as_dvec3();
            (start, start + dt * Vec3::from_slice(&acceleration[i]).as_dvec3())
        };
        self.yielding(free, mass, |i| end(i, acceleration, velocity).1);
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

    /// How bodies that are free to move, and whose contacts are solved for together, change their motion when particles would move
    /// at `velocity(i)` `[m/s]`: sets `twist`, one for each free body.
    fn yielding(&mut self, free: &FreeBodies, mass: f64, velocity: impl Fn(usize) -> DVec3) {
        let Self { chunk, sums, twist, .. } = self;
        let solved =
            |limit: &&mut Limit| limit.slot.is_some() && limit.params.update == ForcingUpdate::Global;
        twist.clear();
        twist.resize(free.bodies().len(), Twist::default());
        sums.clear();
        sums.resize(free.bodies().len(), Yielding::default());
        for pass in 0..YIELDING_PASSES {
            let mut same = true;
            for (c, limits) in chunk.iter_mut().enumerate() {
                for limit in limits.iter_mut().filter(solved) {
                    let lacking = limit.least - velocity(c * CHUNK + limit.local as usize).dot(limit.normal);
                    let pushes = lacking + limit.recoil(twist).dot(limit.normal) > 0.0;
                    // Few contacts change their mind: only those are added to the sums, or taken out of them.
                    let counted = pass > 0 && limit.pushes;
                    if pushes != counted {
                        let mass = if pushes { mass } else { -mass };
                        sums[limit.slot()].add_along(limit.arm, limit.normal, mass, lacking);
                        same = false;
                    }
                    limit.pushes = pushes;
                }
            }
            if same {
                return;
            }
            for ((twist, sum), body) in twist.iter_mut().zip(&*sums).zip(free.bodies()) {
                *twist = sum.solve(body);
            }
        }
    }

    /// Follows bodies whose motion has changed, one entry for each that is free to move.
    pub fn move_walls(&mut self, change: &[Twist]) {
        for limit in self.chunk.iter_mut().flatten().filter(|limit| limit.slot.is_some()) {
            let recoil = limit.recoil(change);
            limit.wall += recoil;
            limit.least += recoil.dot(limit.normal);
        }
    }

    /// Hands the walls what the last call of `constrain` took from the fluid; `mass` is a particle's `[kg]`.
    pub fn load(&self, interface: &mut Interface, mass: f64) {
        for limit in self.chunk.iter().flatten() {
            interface.load[limit.body.0 as usize].push(limit.particle, -mass * limit.push * limit.normal);
        }
    }

    /// Ends the step: velocities for the new positions and those that stay (\[Becker2009\] Eq. 8 and 9). `before` are
    /// the velocities at the start of the step `[m/s]`, `mass` is a particle's `[kg]`. The loads are left to the caller.
    pub fn finish(
        &mut self,
        velocity: &[DVec3],
        before: &[DVec3],
        free: &FreeBodies,
        mass: f64,
    ) -> Vec<TouchEnd> {
        let mut sums = vec![Yielding::default(); free.bodies().len()];
        self.ends(velocity, before, |limit, taken| {
            if limit.slot.is_some() && limit.params.update == ForcingUpdate::Global {
                sums[limit.slot()].add(limit.arm, limit.hold(), mass, mass * taken);
            }
        });
        let twist: Vec<Twist> = sums.iter().zip(free.bodies()).map(|(sum, body)| sum.solve(body)).collect();
        self.move_walls(&twist);
        self.ends(velocity, before, |_, _| {})
    }

    /// The ends of all particles that touch; tells `touch` of each the contact that has the last word and what of its
    /// velocity that takes `[m/s]`.
    fn ends(
        &mut self,
        velocity: &[DVec3],
        before: &[DVec3],
        mut touch: impl FnMut(&Limit, DVec3),
    ) -> Vec<TouchEnd> {
        let mut ends = Vec::new();
        let Self { tolerance, spacing, dt, .. } = *self;
        for (c, limits) in self.chunk.iter_mut().enumerate() {
            for limits in limits.chunk_by_mut(|a, b| a.local == b.local) {
                let i = c * CHUNK + limits[0].local as usize;
                let mut moving = velocity[i];
                for limit in limits.iter_mut() {
                    limit.pressed |= limit.push > 0.0;
                    // Positions are corrected on the fluid's side only (Eq. 19).
                    limit.share = 1.0;
                }
                impose(limits, &mut moving, &[]);
                let held = moving;
                let mut lasting = moving;
                let mut touched = None;
                for (n, limit) in limits.iter_mut().enumerate() {
                    if held.dot(limit.normal) >= limit.least + tolerance {
                        continue;
                    }
                    limit.keep(held, spacing, dt);
                    limit.pressed |= limit.push > 0.0;
                    if limit.pressed {
                        moving += (limit.least - moving.dot(limit.normal)) * limit.normal;
                    }
                    limit.slip(&mut moving);
                    limit.slip(&mut lasting);
                    limit.rebound(before[i], &mut lasting);
                    touched = Some(n);
                }
                if let Some(n) = touched {
                    touch(&limits[n], velocity[i] - lasting);
                    // What one contact takes of the velocity along it may lead into another.
                    impose(limits, &mut moving, &[]);
                    ends.push(TouchEnd { particle: i, body: limits[n].body, moving, lasting });
                }
            }
        }
        ends
    }
}

/// Makes a velocity obey its limits, for free bodies that change their motion by `twist`.
fn impose(limits: &mut [Limit], velocity: &mut DVec3, twist: &[Twist]) {
    for limit in limits.iter_mut() {
        limit.push = 0.0;
    }
    for _ in 0..PASSES {
        for limit in limits.iter_mut() {
            let least = limit.least + limit.recoil(twist).dot(limit.normal);
            let lacking = limit.share * (least - velocity.dot(limit.normal)).max(0.0);
            *velocity += lacking * limit.normal;
            limit.push += lacking;
        }
    }
}

impl Limit {
    fn slot(&self) -> usize {
        self.slot.map_or(usize::MAX, |slot| slot as usize)
    }

    /// How the wall's velocity changes with its body's motion `[m/s]`.
    fn recoil(&self, twist: &[Twist]) -> DVec3 {
        let twist = self.slot.and_then(|slot| twist.get(slot as usize));
        twist.map_or(DVec3::ZERO, |twist| twist.velocity + twist.spin.cross(self.arm))
    }

    /// How a particle that touches follows a change of the wall's velocity: by slip and rebound, \[Becker2009\] Eq. 8.
    fn hold(&self) -> DMat3 {
        let n = self.normal;
        let normal = DMat3::from_cols(n.x * n, n.y * n, n.z * n);
        let along = if self.pressed { 1.0 + self.params.restitution } else { 0.0 };
        (1.0 - self.kept) * (DMat3::IDENTITY - normal) + along * normal
    }

    /// What is left of the tangential relative velocity: \[Becker2009\] Eq. 8, first term.
    fn slip(&self, velocity: &mut DVec3) {
        let relative = *velocity - self.wall;
        let normal = relative.dot(self.normal) * self.normal;
        *velocity = self.wall + normal + self.kept * (relative - normal);
    }

    /// The share of the tangential relative velocity that a particle keeps in the step: the solution of dv/dt = −ln(1/ε) v² / spacing.
    fn keep(&mut self, velocity: DVec3, spacing: f64, dt: f64) {
        let ForcingParams { slip, .. } = self.params;
        let relative = velocity - self.wall;
        let sliding = (relative - relative.dot(self.normal) * self.normal).length();
        self.kept = match slip {
            slip if slip <= 0.0 => 0.0,
            slip if slip >= 1.0 => 1.0,
            slip => 1.0 / (1.0 - slip.ln() * sliding * dt / spacing),
        };
    }

    /// −δ of the normal relative velocity before: \[Becker2009\] Eq. 8, second term. A particle that leaves by itself is not held
    /// back, however slowly it goes: Eq. 9.
    fn rebound(&self, before: DVec3, velocity: &mut DVec3) {
        let approach = (before - self.wall).dot(self.normal).min(0.0);
        let wanted = self.wall.dot(self.normal) - self.params.restitution * approach;
        let lacking = wanted - velocity.dot(self.normal);
        *velocity += if self.pressed { lacking } else { lacking.max(0.0) } * self.normal;
    }
}

impl ForcingWalls<'_> {
    /// The limit that a sample sets to a particle on its way from `x` to `ahead` `[m]`, with its distance `[m]`.
    fn limit(&self, fluid: ForcingFluid<'_>, point: usize, x: DVec3, ahead: DVec3) -> Option<(f64, Limit)> {
        let wall = self.interface.point.get(point)?;
        let Response::Forcing(params) = self.response[wall.body.0 as usize] else { return None };
        let sample = wall.position + fluid.dt * wall.velocity;
        let away = ahead - sample;
        // The side on which the particle was stays its side.
        let (normal, place) = self.touch.get(point)?.facing(x - wall.position, away)?;
        let height = (away - place).dot(normal);
        let aside = (away - away.dot(normal) * normal).length();
        if height > (1.0 + WATCH) * fluid.radius || aside > ASIDE_IN_VALLEYS * fluid.radius {
            return None;
        }
        let contact = sample + place;
        // A particle that starts inside is led out, not shot out.
        let fastest = wall.velocity.dot(normal) + 0.2 * fluid.radius / fluid.dt;
        let least = ((fluid.radius - (x - contact).dot(normal)) / fluid.dt).min(fastest);
        let slot = self.free.slot(wall.body);
        let body = slot.map(|slot| &self.free.bodies()[slot]);
        let arm = body.map_or(DVec3::ZERO, |body| x - body.centre);
        let share = match (body, params.update) {
            // Eq. 12 along the normal.
            (Some(body), ForcingUpdate::Local) => {
                let turn = arm.cross(normal);
                let yields = normal.dot(body.linear * normal) + turn.dot(body.angular * turn);
                1.0 / (1.0 + self.mass * yields)
            }
            _ => 1.0,
        };
        let limit = Limit {
            local: 0,
            body: wall.body,
            normal,
            least,
            wall: wall.velocity,
            contact,
            particle: x,
            params,
            push: 0.0,
            far: aside > ASIDE * fluid.radius,
            pushes: false,
            pressed: false,
            slot: slot.map(|slot| slot as u32),
            arm,
            share,
            kept: 1.0,
        };
        Some((away.length(), limit))
    }
}

/// Of the candidates of one particle, those that count: the nearest, and others whose contact point is in front of all that
/// count already.
fn choose(found: &mut [(f64, Limit)], radius: f64, limits: &mut Vec<Limit>) {
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = limits.len();
    let (near, far) = (found.iter().filter(|c| !c.1.far), found.iter().filter(|c| c.1.far));
    for (_, candidate) in near.chain(far) {
        let in_front = |kept: &Limit| (candidate.contact - kept.contact).dot(kept.normal) > 1e-3 * radius;
        let is_first = limits.len() == first;
        if !(candidate.far && is_first) && limits[first..].iter().all(in_front) {
            limits.push(*candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_core::InterfacePoint;

    #[test]
    fn in_a_valley_a_particle_keeps_its_distance_from_both_faces() {
        // The faces meet at the origin. The sample there belongs to the left one, so the right one begins a spacing farther.
        let (spacing, dt) = (0.1, 1e-3);
        let normals = [DVec3::Y, DVec3::new(-0.5, 0.75_f64.sqrt(), 0.0)];
        let along = DVec3::new(0.75_f64.sqrt(), 0.5, 0.0);
        let position = [-DVec3::X * spacing, DVec3::ZERO, spacing * along, 2.0 * spacing * along];
        let mut interface = Interface::new(1);
        interface.point.extend(position.map(|position| InterfacePoint {
            body: BodyId(0),
            position,
            velocity: DVec3::ZERO,
        }));
        let touch: Vec<Touch> =
            [0, 0, 1, 1].map(|n| Touch::Sheet { normal: normals[n], front: 0.0, back: 0.0 }).to_vec();
        let params = ForcingParams { slip: 1.0, restitution: 0.0, update: ForcingUpdate::Global };
        let (rows, free) = (BoundaryRows::default(), FreeBodies::default());
        let fluid = ForcingFluid { rows: &rows, position: &[], radius: 0.5 * spacing, dt };
        let response = [Response::Forcing(params)];
        let walls = ForcingWalls {
            interface: &interface,
            touch: &touch,
            response: &response,
            free: &free,
            mass: 1.0,
        };
        for start in [DVec3::new(-0.04, 0.052, 0.0), DVec3::new(0.0, 0.06, 0.0), DVec3::new(-0.01, 0.05, 0.0)]
        {
            let mut velocity = DVec3::new(30.0, -10.0, 0.0);
            let ahead = start + dt * velocity;
            let mut found: Vec<_> = (0..4).filter_map(|k| walls.limit(fluid, k, start, ahead)).collect();
            let mut limits = Vec::new();
            choose(&mut found, fluid.radius, &mut limits);
            impose(&mut limits, &mut velocity, &[]);
            let end = start + dt * velocity;
            for normal in normals {
                assert!(end.dot(normal) > 0.499 * spacing, "{start}: {} off", end.dot(normal) / spacing);
            }
        }
    }

    #[test]
    fn a_face_ends_at_its_rim() {
        let (spacing, dt) = (0.1, 1e-3);
        let mut interface = Interface::new(1);
        let (position, velocity) = (DVec3::ZERO, DVec3::ZERO);
        interface.point.push(InterfacePoint { body: BodyId(0), position, velocity });
        let touch = [Touch::Sheet { normal: DVec3::Y, front: 0.0, back: 0.0 }];
        let params = ForcingParams { slip: 1.0, restitution: 0.0, update: ForcingUpdate::Global };
        let (rows, free) = (BoundaryRows::default(), FreeBodies::default());
        let fluid = ForcingFluid { rows: &rows, position: &[], radius: 0.5 * spacing, dt };
        let response = [Response::Forcing(params)];
        let walls = ForcingWalls {
            interface: &interface,
            touch: &touch,
            response: &response,
            free: &free,
            mass: 1.0,
        };
        // In front of the last sample, and a spacing beyond it.
        for (aside, stopped) in [(0.5, true), (1.0, false)] {
            let start = DVec3::new(aside * spacing, 0.06, 0.0);
            let mut found: Vec<_> =
                walls.limit(fluid, 0, start, start - 0.02 * DVec3::Y).into_iter().collect();
            let mut limits = Vec::new();
            choose(&mut found, fluid.radius, &mut limits);
            assert_eq!(!limits.is_empty(), stopped, "{aside} spacings aside");
        }
    }
}
