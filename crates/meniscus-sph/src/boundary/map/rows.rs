//! Bodies whose share of the density is known in advance at every point (\[Koschier2017\] Sec. 5).
//!
//! | here | paper |
//! | --- | --- |
//! | V W, the row's value | ρ_B / ρ0 (Eq. 11) |
//! | V ∇W, the row's gradient | ∇ρ_B / ρ0 (Eq. 12) |
//!
//! With volume maps (\[Bender2019\]) ρ_B / ρ0 is V_B W(x − x*), the body's volume within the support as one particle at the closest
//! point of its surface.
//!
//! Each body gives a particle one sample. Its interface point exists for this step only; it lies where all of the body's
//! answer can be thought to come from, see [`FlatMap`].
//!
//! Departures: the body is not inflated (the paper's Eq. 8 keeps fluid a support radius away), and the map's kernel and factor
//! are those of [`FlatMap`], so that fluid rests half a spacing from the drawn surface. The gradient of V_B W is all of it, where
//! the paper neglects ∇V_B: only then forces have a potential.

use super::{FlatMap, RoundMap};
use crate::boundary::{
    BoundaryChunk, BoundaryMethod, BoundarySample, BoundarySum, FluidCells, WallTraits, Walls,
};
use crate::fixed::FixedFrame;
use crate::kernel::Kernel;
use crate::neighbourhood::WALL_PRESSURE;
use fearless_simd::{Level, Simd, dispatch};
use glam::{DMat3, DVec3, Vec3};
use meniscus_core::{BodyId, InterfacePoint, InterfacePoints, RigidMotion, SolidMotion};
use meniscus_geometry::map::BoundaryVolume;
use meniscus_geometry::{Aabb, DensityMap, Pose, Spot, VolumeMap};
use std::sync::Arc;

/// What is tabulated of one body; bodies of one shape share it.
#[derive(Debug, Clone)]
pub enum BodyField {
    /// Its share of the density.
    Density(Arc<DensityMap>),
    /// Its volume and where its surface is.
    Volume(Arc<VolumeMap>),
    /// What a ball adds.
    Round(Arc<RoundMap>),
}

impl BodyField {
    /// The share of the density at `x` `[m]` before [`FlatMap::factor`], and its gradient `[1/m]`.
    fn evaluate(&self, x: DVec3, kernel: &Kernel) -> Option<(f64, DVec3)> {
        match self {
            // [Koschier2017] Eq. 11 and 12, over ρ0.
            Self::Density(map) => map.evaluate(x),
            Self::Round(map) => map.evaluate(x),
            Self::Volume(map) => {
                let BoundaryVolume { volume, gradient, distance, normal, .. } = map.sample(x)?;
                // In the matter the volume goes on growing; the closest point's distance would not.
                let outside = distance.max(0.0);
                // V_B W(x − x*) of [Bender2019], and all of its gradient: ADR 12.
                let (value, slope) = (kernel.value(outside), kernel.derivative(outside));
                Some((volume * value, value * gradient + volume * slope * normal))
            }
        }
    }

    /// The share alone.
    fn value(&self, x: DVec3, kernel: &Kernel) -> Option<f64> {
        match self {
            Self::Density(map) => map.value(x),
            Self::Round(_) | Self::Volume(_) => self.evaluate(x, kernel).map(|(value, _)| value),
        }
    }

    /// Where it is to be evaluated for `x` `[m]`; `None` where it is zero or unknown, as far as that can be told at once.
    #[inline(always)]
    fn find(&self, x: DVec3) -> Option<Place<'_>> {
        match self {
            Self::Density(map) => {
                let spot = map.field().find(x).ok()?;
                spot.prefetch();
                Some(Place::Spot(spot))
            }
            Self::Volume(_) | Self::Round(_) => Some(Place::Point(self, x)),
        }
    }

    fn bounds(&self) -> Aabb {
        match self {
            Self::Density(map) => map.field().lattice().bounds(),
            Self::Volume(map) => map.field().lattice().bounds(),
            Self::Round(map) => map.bounds(),
        }
    }
}

/// A place at which a map is to be evaluated.
#[derive(Clone, Copy)]
enum Place<'a> {
    Spot(Spot<'a>),
    Point(&'a BodyField, DVec3),
}

/// The map of one body.
#[derive(Debug, Clone)]
pub struct BodyMap {
    /// Whose it is.
    pub body: BodyId,
    /// The map, made with the kernel of the [`FlatMap`].
    pub map: BodyField,
    /// Where the body is when the map's coordinates are the scene's.
    pub origin: Pose,
}

/// All bodies that are represented by maps.
pub struct MappedBodies {
    bodies: Vec<BodyMap>,
    /// By body of the scene: its place in `bodies`, if it has a map here.
    slot: Vec<Option<usize>>,
    /// Whether each map's body is there.
    present: Vec<bool>,
    /// How each map moves, unless it is still.
    moving: Vec<Option<RigidMotion>>,
    /// Each map at the start of the step.
    start: Vec<Placed>,
    /// Each map at the end of the step, as far as it was known at its start.
    end: Vec<Placed>,
    flat: FlatMap,
}

impl MappedBodies {
    /// The bodies with their maps.
    #[must_use]
    pub fn new(flat: FlatMap, bodies: Vec<BodyMap>) -> Self {
        let count = bodies.iter().map(|body| body.body.0 as usize + 1).max().unwrap_or(0);
        let mut slot = vec![None; count];
        for (n, body) in bodies.iter().enumerate() {
            slot[body.body.0 as usize] = Some(n);
        }
        Self {
            bodies,
            slot,
            present: Vec::new(),
            moving: Vec::new(),
            start: Vec::new(),
            end: Vec::new(),
            flat,
        }
    }

    /// Asks the maps near a chunk for all of its particles.
    #[inline(always)]
    fn write_rows<S: Simd>(
        &self,
        _: S,
        position: &[DVec3],
        walls: Walls<'_>,
        chunk: &mut BoundaryChunk,
        sums: &mut [BoundarySum],
    ) {
        let near = std::mem::take(&mut chunk.near);
        let mut queue = Queue::default();
        for (particle, &x) in position.iter().enumerate() {
            for &body in &near {
                let Some(place) = self.bodies[body].map.find(self.start[body].to_map(x)) else { continue };
                if let Some(oldest) = queue.exchange(Some(Lookup { particle, body, place })) {
                    self.write(oldest, position, walls, chunk, sums);
                }
            }
        }
        for _ in 0..PREFETCHED_PLACES {
            if let Some(oldest) = queue.exchange(None) {
                self.write(oldest, position, walls, chunk, sums);
            }
        }
        chunk.end.resize(sums.len(), chunk.sample.len() as u32);
        chunk.near = near;
    }

    /// Appends to the row of a particle; those of particles before it are then complete.
    #[inline(always)]
    fn write(
        &self,
        asked: Lookup<'_>,
        position: &[DVec3],
        walls: Walls<'_>,
        chunk: &mut BoundaryChunk,
        sums: &mut [BoundarySum],
    ) {
        let Some(sample) = self.sample(asked.place, &self.start[asked.body]) else { return };
        let (x, sum) = (position[asked.particle], &mut sums[asked.particle]);
        let body = self.bodies[asked.body].body;
        let velocity = match &self.moving[asked.body] {
            Some(motion) => motion.velocity_of(x + sample.distance * sample.towards),
            None => DVec3::ZERO,
        };
        let lever = sample.lever * sample.towards;
        let gradient = sample.gradient.as_vec3();
        // Pressure acts k times through gradient / k: ADR 12.
        let push = gradient / WALL_PRESSURE;
        sum.gradient += gradient;
        sum.push += push;
        sum.density += sample.value as f32;
        sum.contact_ratio += (sample.value / self.flat.contact) as f32;
        sum.flux += WALL_PRESSURE * velocity.as_vec3().dot(push);
        sum.hydrostatic += push * walls.gravity.dot(lever) as f32;
        chunk.end.resize(asked.particle, chunk.sample.len() as u32);
        let point = chunk.point.len() as u32 + BoundaryChunk::TRANSIENT;
        chunk.point.push(InterfacePoint { body, position: x + lever, velocity });
        chunk.sample.push(BoundarySample { push: push.into(), value: sample.value as f32, point });
    }

    /// What one body adds at a place of its map.
    #[inline(always)]
    fn sample(&self, place: Place<'_>, at: &Placed) -> Option<MapSample> {
        let (value, gradient) = match place {
            Place::Spot(spot) => spot.evaluate(),
            Place::Point(map, x) => map.evaluate(x, &self.flat.kernel)?,
        };
        let (value, gradient) = (self.flat.factor * value, self.flat.factor * gradient);
        let length = gradient.length();
        if value <= 0.0 || length <= 0.0 {
            return None;
        }
        let gradient = at.to_scene(gradient);
        let distance = self.flat.distance(value);
        let lever = distance + self.flat.depth;
        Some(MapSample { value, gradient, towards: gradient / length, distance, lever })
    }
}

/// How many places are asked for before the first of them is evaluated, while memory is fetched `[1]`.
const PREFETCHED_PLACES: usize = 16;

/// A map that is to be evaluated for a particle of the chunk.
#[derive(Clone, Copy)]
struct Lookup<'a> {
    particle: usize,
    body: usize,
    place: Place<'a>,
}

/// Maps that are to be evaluated.
#[derive(Default)]
struct Queue<'a> {
    waiting: [Option<Lookup<'a>>; PREFETCHED_PLACES],
    oldest: usize,
}

impl<'a> Queue<'a> {
    /// Appends one and takes out the oldest.
    #[inline(always)]
    fn exchange(&mut self, asked: Option<Lookup<'a>>) -> Option<Lookup<'a>> {
        let oldest = std::mem::replace(&mut self.waiting[self.oldest], asked);
        self.oldest = (self.oldest + 1) % PREFETCHED_PLACES;
        oldest
    }
}

struct MapSample {
    value: f64,
    gradient: DVec3,
    /// Unit vector into the body.
    towards: DVec3,
    /// From the drawn surface `[m]`.
    distance: f64,
    /// Of the answer `[m]`.
    lever: f64,
}

/// A body's map in the scene.
#[derive(Debug, Clone, Copy)]
struct Placed {
    /// From the scene's directions to the map's, unless they are the same.
    turn: Option<DMat3>,
    /// Where the scene's origin is in the map `[m]`.
    shift: DVec3,
}

impl Placed {
    fn new(origin: Pose, now: Pose) -> Self {
        let turned = now.rotation != origin.rotation;
        let turn = turned.then(|| DMat3::from_quat(origin.rotation * now.rotation.conjugate()));
        let shift = origin.translation - turn.map_or(now.translation, |turn| turn * now.translation);
        Self { turn, shift }
    }

    #[inline(always)]
    fn to_map(self, x: DVec3) -> DVec3 {
        self.turn.map_or(x, |turn| turn * x) + self.shift
    }

    /// A direction of the map in the scene.
    #[inline(always)]
    fn to_scene(self, direction: DVec3) -> DVec3 {
        self.turn.map_or(direction, |turn| turn.transpose() * direction)
    }
}

impl BoundaryMethod for MappedBodies {
    fn particles(&self) -> usize {
        0
    }

    fn follow(&mut self, _: &FixedFrame, bodies: &[SolidMotion], _: &mut InterfacePoints) {
        let Self { bodies: maps, present, moving, start, end, .. } = self;
        // A body without a frame has no map: the scene's check says so.
        let motion = |map: &BodyMap| bodies[map.body.index()].rigid();
        let start_of = |map: &BodyMap| motion(map).map_or(Pose::IDENTITY, |motion| motion.start.pose);
        let end_of = |map: &BodyMap| motion(map).map_or(Pose::IDENTITY, |motion| motion.end.pose);
        present.clear();
        present.extend(maps.iter().map(|map| motion(map).is_some_and(|motion| motion.present)));
        moving.clear();
        moving.extend(maps.iter().map(|map| motion(map).copied().filter(|motion| !motion.is_still())));
        start.clear();
        start.extend(maps.iter().map(|map| Placed::new(map.origin, start_of(map))));
        end.clear();
        end.extend(maps.iter().map(|map| Placed::new(map.origin, end_of(map))));
    }

    fn describe(&self, traits: &mut [WallTraits]) {
        let smooth = WallTraits {
            gradient_over_push: WALL_PRESSURE,
            smooth_depth: Some(self.flat.depth as f32),
            ..WallTraits::default()
        };
        for map in &self.bodies {
            traits[map.body.index()] = smooth;
        }
    }

    fn write_chunk(
        &self,
        fluid: FluidCells<'_>,
        walls: Walls<'_>,
        first: usize,
        chunk: &mut BoundaryChunk,
        sums: &mut [BoundarySum],
    ) {
        chunk.clear();
        let position = &fluid.position[first..first + sums.len()];
        let bounds = Aabb::of_points(position.iter().copied());
        let reaches = |&n: &usize| self.present[n] && may_reach(&self.bodies[n], &self.start[n], &bounds);
        chunk.near.clear();
        chunk.near.extend((0..self.bodies.len()).filter(reaches));
        sums.fill(BoundarySum::default());
        dispatch!(Level::new(), simd => self.write_rows(simd, position, walls, chunk, sums));
    }

    fn advance(&self, x: DVec3, v: Vec3, dt: f64, row: &[BoundarySample], points: &InterfacePoints) -> f32 {
        let v = v.as_dvec3();
        let excess = |sample: &BoundarySample| {
            let point = &points.get(sample.point as usize);
            let slot = (*self.slot.get(point.body.0 as usize)?)?;
            let then = self.end[slot].to_map(x + dt * v);
            let exact = self.bodies[slot].map.value(then, &self.flat.kernel)?;
            let gradient = f64::from(WALL_PRESSURE) * Vec3::from(sample.push).as_dvec3();
            // The velocity of the row, before anything in this step has pushed the body.
            let wall = self.moving[slot].as_ref().map_or(DVec3::ZERO, |motion| {
                motion.velocity_of(point.position - self.flat.depth * gradient.normalize_or_zero())
            });
            Some(self.flat.factor * exact - f64::from(sample.value) - dt * (v - wall).dot(gradient))
        };
        // [Koschier2017] Eq. 14, less what the rates of the row say.
        row.iter().filter_map(excess).sum::<f64>() as f32
    }
}

/// Whether some point of a box may be within a map's cells.
fn may_reach(body: &BodyMap, at: &Placed, near: &Aabb) -> bool {
    let centre = at.to_map(0.5 * (near.min + near.max));
    let radius = 0.5 * near.size().length();
    let cells = body.map.bounds();
    let outside = (cells.min - centre).max(centre - cells.max).max(DVec3::ZERO);
    outside.length() <= radius
}
