//! Particles that fly alone, and what they mean for the length of steps.
//!
//! The CFL condition keeps what a particle meets within a step known at its beginning. A particle without neighbours, with no
//! wall in reach, meets nothing: it is ballistic, any step is right for it, and so neither its speed nor its place limits the step
//! of all others. In exchange its way is looked at before it is gone: where it would come near fluid, a wall or a drain, it ends
//! the step, with the velocity it has there. From then on it counts as any other. The time that it loses by that is less than a step.
//!
//! What limits steps is found when one ends, while its rows are there, and kept with the state: [`Pace`].

use crate::fixed::FixedFrame;
use crate::fluid::{Scratch, SphFluid};
use crate::neighbourhood::Neighbourhood;
use crate::setup::SphSetup;
use crate::state::SphState;
use glam::DVec3;
use meniscus_core::{SolidMotion, StepContext, StepPolicy, reduce};
use meniscus_geometry::{Shape, Solid};
use serde::{Deserialize, Serialize};

/// How near something has to be to be met, in support radii `[1]`.
const NEAR: f64 = 0.75;

/// From place to place at which a way is looked at, in support radii: what is within [`NEAR`] of any point between two of them is
/// in the block of cells around one `[1]`.
const STRIDE: f64 = 0.5;

/// Most places at which a way is compared with a wall `[1]`.
const MAX_TRACE_STEPS: usize = 64;

/// A step that moves a particle this much farther than the CFL condition allows was not limited by it `[1]`.
const ROUNDING: f64 = 1.0 + 1e-9;

/// For how many flights that end a group has room from the start `[1]`.
const ROOM: usize = 8;

/// What of the particles limits the next step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// The fastest particle that counts `[m/s]`.
    pub speed: f64,
    /// Its id; nothing if there is no such particle.
    pub particle: Option<u64>,
    /// How far the particles that count reach along gravity, times gravity `[m²/s²]`.
    pub standing_pressure: f64,
    /// Whether there are faster ones that fly alone.
    pub flights: bool,
}

/// The extremes of some particles.
#[derive(Debug, Clone, Copy)]
struct Extremes {
    /// The largest squared speed `[m²/s²]`, and whose it is.
    square: f64,
    fastest: Option<usize>,
    /// Along gravity, times gravity `[m²/s²]`.
    highest: f64,
    lowest: f64,
    /// The largest squared speed of all particles, alone or not `[m²/s²]`.
    any: f64,
}

impl Extremes {
    const NONE: Self =
        Self { square: 0.0, fastest: None, highest: f64::INFINITY, lowest: f64::NEG_INFINITY, any: 0.0 };

    fn join(self, other: Self) -> Self {
        let faster = if other.square > self.square { other } else { self };
        Self {
            square: faster.square,
            fastest: faster.fastest,
            highest: self.highest.min(other.highest),
            lowest: self.lowest.max(other.lowest),
            any: self.any.max(other.any),
        }
    }
}

/// What may be met on a way.
#[derive(Clone, Copy)]
struct Obstacles<'a> {
    setup: &'a SphSetup,
    neighbourhood: &'a Neighbourhood,
    frame: &'a FixedFrame,
    /// Where particles are `[m]`.
    position: &'a [DVec3],
    walls: &'a [Option<(Solid, f64)>],
}

/// Tells which particles fly in a step: those that move farther than the CFL condition allows, because they were alone when the step
/// was chosen.
#[derive(Clone, Copy)]
pub(crate) struct Flights<'a> {
    /// When the step begins `[m/s]`.
    velocity: &'a [DVec3],
    dt: f64,
    /// Farther than this is a flight; without an end if there are none `[m]`.
    least: f64,
}

impl Flights<'_> {
    /// Whether a particle flies.
    pub fn contains(&self, i: usize) -> bool {
        self.dt * self.velocity[i].length() > self.least
    }

    /// Whether any may.
    fn may_be(&self) -> bool {
        self.least.is_finite()
    }
}

impl SphFluid {
    /// Finds what limits the next step. The new state has just been taken: rows are those of the step's beginning.
    pub(crate) fn find_pace(&mut self, step: &StepContext) {
        if matches!(step.policy, StepPolicy::Fixed { .. }) {
            return;
        }
        let extremes = self.extremes(step.gravity);
        let mut pace = Pace {
            speed: extremes.square.sqrt(),
            particle: extremes.fastest.map(|i| self.state.particles.id[i]),
            standing_pressure: (extremes.lowest - extremes.highest).max(0.0),
            flights: extremes.any > extremes.square,
        };
        if pace.flights {
            if let Some((i, speed)) = self.fastest_arrival(extremes.square) {
                (pace.speed, pace.particle) = (speed, Some(self.state.particles.id[i]));
            }
            pace.flights = extremes.any.sqrt() > pace.speed;
        }
        self.state.pace = Some(pace);
    }

    /// Of the particles that have neighbours or walls in reach.
    fn extremes(&self, gravity: DVec3) -> Extremes {
        let Self { state: SphState { particles, .. }, neighbourhood, .. } = self;
        let add = |mut e: Extremes, i: usize| {
            let (square, fall) = (particles.velocity[i].length_squared(), particles.position[i].dot(gravity));
            e.any = e.any.max(square);
            // Most are no extremes, and their rows need no look.
            let extends = square > e.square || fall < e.highest || fall > e.lowest;
            if extends && !neighbourhood.is_alone(i) {
                e.highest = e.highest.min(fall);
                e.lowest = e.lowest.max(fall);
                if square > e.square {
                    (e.square, e.fastest) = (square, Some(i));
                }
            }
            e
        };
        let none = Extremes::NONE;
        reduce::by_chunk(particles.len(), none, |range| range.fold(none, add), Extremes::join)
    }

    /// The fastest of the lone particles faster than `square` `[m²/s²]` that are near something by now, and its speed `[m/s]`.
    fn fastest_arrival(&mut self, square: f64) -> Option<(usize, f64)> {
        let mut arriving = std::mem::take(&mut self.scratch.arriving);
        let particles = &self.state.particles;
        let obstacles = self.obstacles(&particles.position);
        let speed = |i: usize| particles.velocity[i].length_squared();
        reduce::gather(&mut arriving, particles.len(), |range, fastest| {
            *fastest = None;
            for i in range {
                let least = fastest.map_or(square, |(_, least)| least);
                if speed(i) > least && obstacles.met(i, particles.position[i], DVec3::ZERO).is_some() {
                    *fastest = Some((i, speed(i)));
                }
            }
        });
        let join = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
        let fastest = arriving.iter().flatten().copied().reduce(join);
        self.scratch.arriving = arriving;
        fastest.map(|(i, square)| (i, square.sqrt()))
    }

    /// The flights of a step that has not been accepted yet.
    pub(crate) fn flights(&self, step: &StepContext) -> Flights<'_> {
        let least = match step.policy {
            StepPolicy::Cfl { factor, .. } if self.state.pace.is_some_and(|pace| pace.flights) => {
                factor * self.setup.fluid.spacing * ROUNDING
            }
            _ => f64::INFINITY,
        };
        Flights { velocity: &self.state.particles.velocity, dt: step.dt, least }
    }

    /// Ends the flights of this step where they come near something.
    pub(crate) fn end_flights(&mut self, step: &StepContext, motion: &[SolidMotion]) {
        let StepPolicy::Cfl { factor, .. } = step.policy else { return };
        self.note_walls(motion);
        let mut ended = std::mem::take(&mut self.scratch.ended);
        let flights = self.flights(step);
        if !flights.may_be() {
            self.scratch.ended = ended;
            return;
        }
        let least = factor * self.setup.fluid.spacing;
        let start = &self.state.particles.position;
        let end = &self.scratch.position;
        let obstacles = self.obstacles(start);
        reduce::gather(&mut ended, start.len(), |range, ended: &mut Vec<(usize, f64)>| {
            ended.clear();
            for i in range.filter(|i| flights.contains(*i)) {
                let way = end[i] - start[i];
                if let Some(far) = obstacles.met(i, start[i], way) {
                    let share = far.max(least) / way.length();
                    ended.extend((share < 1.0).then_some((i, share)));
                }
            }
        });
        let Scratch { position, velocity, .. } = &mut self.scratch;
        let particles = &self.state.particles;
        for &(i, share) in ended.iter().flatten() {
            // What happens to it is what happens in this share of the step: its energy is that of the place.
            position[i] = particles.position[i].lerp(position[i], share);
            velocity[i] = particles.velocity[i].lerp(velocity[i], share);
        }
        self.scratch.ended = ended;
    }

    /// Notes where walls are when the step ends, for when they are asked for.
    fn note_walls(&mut self, motion: &[SolidMotion]) {
        let SphFluid { setup, scratch, radius, .. } = self;
        if scratch.ended.is_empty() {
            // Lists have room from the first step on, and not when something flies.
            reduce::gather(&mut scratch.ended, 0, |_, ended: &mut Vec<(usize, f64)>| ended.reserve(ROOM));
            reduce::gather(&mut scratch.arriving, 0, |_, fastest| *fastest = None);
        }
        scratch.placed_walls.clear();
        let walls = setup.walls.iter().zip(motion).zip(radius.iter());
        scratch.placed_walls.extend(walls.map(|((wall, motion), radius)| {
            let (solid, motion) = (wall.solid.as_ref()?, motion.rigid()?);
            // A plane has no end, whatever is drawn of it.
            let radius = if matches!(solid.shape, Shape::Plane { .. }) { f64::INFINITY } else { *radius };
            Some((solid.at(motion.end.pose), if motion.present { radius } else { -f64::INFINITY }))
        }));
    }

    fn obstacles<'a>(&'a self, position: &'a [DVec3]) -> Obstacles<'a> {
        let Self { setup, neighbourhood, state, scratch, .. } = self;
        Obstacles { setup, neighbourhood, frame: &state.frame, position, walls: &scratch.placed_walls }
    }
}

impl Obstacles<'_> {
    /// How far particle `i` gets from a place on a way before something is near; nothing if that is all of it `[m]`.
    fn met(&self, i: usize, from: DVec3, way: DVec3) -> Option<f64> {
        let reach = NEAR * self.setup.fluid.kernel.support_radius;
        let by_walls = self.walls.iter().filter_map(|wall| match wall {
            Some((solid, radius)) => self.met_wall(solid, *radius, from, way, reach),
            // Nobody knows where it is.
            None => Some(0.0),
        });
        let by_wall = by_walls.fold(f64::INFINITY, f64::min);
        let far = self.met_fluid(i, from, way, by_wall, reach).map_or(by_wall, |far| far.min(by_wall));
        far.is_finite().then_some(far)
    }

    /// The same for particles and drains, as far as `end` `[m]`.
    fn met_fluid(&self, i: usize, from: DVec3, way: DVec3, end: f64, reach: f64) -> Option<f64> {
        let SphSetup { drains, fluid, .. } = self.setup;
        let (length, stride) = (way.length(), STRIDE * fluid.kernel.support_radius);
        let direction = way.normalize_or_zero();
        let steps = (length.min(end) / stride).floor() as u64;
        for k in 0..=steps {
            let far = k as f64 * stride;
            let x = from + far * direction;
            let drained = k > 0 && drains.iter().any(|drain| drain.contains(x));
            let is_near = |j: usize| j != i && (self.position[j] - x).length_squared() < reach * reach;
            if drained || self.neighbourhood.candidates(self.frame, x).any(is_near) {
                return Some(if drained { far } else { (far - stride).max(0.0) });
            }
        }
        None
    }

    /// The same for the surface of a wall that reaches `radius` `[m]` from its frame's origin.
    fn met_wall(&self, solid: &Solid, radius: f64, from: DVec3, way: DVec3, reach: f64) -> Option<f64> {
        let (length, direction) = (way.length(), way.normalize_or_zero());
        let apart = (from - solid.pose.translation).length() - radius;
        if apart > reach + length {
            return None;
        }
        let mut far = 0.0;
        for _ in 0..MAX_TRACE_STEPS {
            let distance = solid.signed_distance(from + far * direction, self.setup.dimension).abs() - reach;
            if distance <= 0.0 {
                return Some(far);
            }
            far += distance;
            if far > length {
                return None;
            }
        }
        Some(far)
    }
}
