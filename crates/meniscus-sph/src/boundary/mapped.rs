//! Bodies whose share of the density is known in advance at every point (\[Koschier2017\] Sec. 5).
//!
//! | here | paper |
//! | --- | --- |
//! | V W, the row's value | ρ_B / ρ0 (Eq. 11) |
//! | V ∇W, the row's gradient | ∇ρ_B / ρ0 (Eq. 12) |
//!
//! Each body gives a particle one sample. Its interface point exists for this step only; it lies where all of the body's
//! answer can be thought to come from, see [`FlatMap`].
//!
//! Departures: the body is neither inflated (the paper's Eq. 8 keeps fluid a support radius away) nor taken as drawn to the last
//! digit: fluid is a lattice, whose sums near an end differ from the map's integral. Shifting the surface by a fraction of a
//! spacing and scaling the map lets a flat wall complete a lattice that starts half a spacing from it, in density and
//! in gradient ([`MapCalibration`]).

use super::calibration::missing_half;
use super::{BodyMotion, BoundaryChunk, BoundaryMethod, BoundarySample, BoundarySum, FluidCells, Walls};
use crate::fixed::FixedFrame;
use crate::kernel::Kernel;
use glam::{DVec3, Vec3};
use meniscus_core::{BodyId, Interface, InterfacePoint};
use meniscus_geometry::map::BallQuadrature;
use meniscus_geometry::{Aabb, DensityMap, GeometryError, Pose, Profile, SignedDistance};
use std::sync::Arc;

/// Contact begins this much above the drawn surface, in spacings.
const CONTACT_HEIGHT: f64 = 0.1;

/// How a map must be shifted and scaled so that a flat wall completes a fluid lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapCalibration {
    /// How far the map's surface lies outside of the drawn one, in spacings; negative for inside `[1]`.
    pub shift: f64,
    /// Factor on the map `[1]`.
    pub factor: f64,
}

/// What a map is at a flat wall, by distance.
#[derive(Debug, Clone)]
pub struct FlatMap {
    step: f64,
    /// ρ_B / ρ0 at multiples of `step`, from `first` on `[1]`.
    value: Vec<f64>,
    first: f64,
}

struct HalfSpace;

impl SignedDistance for HalfSpace {
    fn distance(&self, x: DVec3) -> f64 {
        x.y
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        (x.y, DVec3::Y)
    }

    fn bounds(&self) -> Aabb {
        Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY }
    }
}

impl FlatMap {
    /// Tabulates the map of a half space.
    ///
    /// # Errors
    /// If the kernel has no support.
    pub fn new(kernel: &Kernel, profile: Profile) -> Result<Self, GeometryError> {
        let quadrature = BallQuadrature::weighted(kernel, profile, 1e-7, kernel.dimension)?;
        let support = kernel.support_radius;
        let (first, last) = (-support, quadrature.reach());
        let count = 400;
        let step = (last - first) / f64::from(count);
        let at = |n| quadrature.integrate(&HalfSpace, DVec3::Y * (first + step * f64::from(n)));
        Ok(Self { step, value: (0..=count).map(at).collect(), first })
    }

    /// ρ_B / ρ0 at a distance `[m]`.
    fn value(&self, distance: f64) -> f64 {
        let t = ((distance - self.first) / self.step).clamp(0.0, (self.value.len() - 1) as f64);
        let n = (t as usize).min(self.value.len() - 2);
        self.value[n] + (t - n as f64) * (self.value[n + 1] - self.value[n])
    }

    /// −∂ρ_B/∂d at a distance `[1/m]`.
    fn slope(&self, distance: f64) -> f64 {
        (self.value(distance - self.step) - self.value(distance + self.step)) / (2.0 * self.step)
    }

    /// The distance at which a flat wall has this value `[m]`.
    fn distance(&self, value: f64) -> f64 {
        let after = self.value.partition_point(|v| *v > value).clamp(1, self.value.len() - 1);
        let (a, b) = (self.value[after - 1], self.value[after]);
        let t = if a > b { ((a - value) / (a - b)).clamp(0.0, 1.0) } else { 0.0 };
        self.first + self.step * ((after - 1) as f64 + t)
    }

    /// How far from the particle the answer of a flat wall comes from: ∫ γ z ∇W / ∫ γ ∇W = d + ρ_B / |∇ρ_B| by parts, for
    /// the density of matter behind a plane `[m]`.
    fn lever(&self, distance: f64) -> f64 {
        let slope = self.slope(distance);
        distance + if slope > 0.0 { self.value(distance) / slope } else { 0.0 }
    }

    /// The shift and factor with which the map gives what is missing of a lattice that starts half a spacing from the
    /// drawn surface, in density and in gradient.
    #[must_use]
    pub fn calibrate(&self, kernel: &Kernel, spacing: f64) -> MapCalibration {
        let (density, gradient) = missing_half(kernel, spacing);
        // Value over slope falls with the distance, so the place where it is the lattice's is found by halving.
        let (mut near, mut far) = (-0.5 * kernel.support_radius, 0.9 * kernel.support_radius);
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            if self.value(middle) * gradient > density * self.slope(middle) {
                near = middle;
            } else {
                far = middle;
            }
        }
        let at = 0.5 * (near + far);
        MapCalibration { shift: 0.5 - at / spacing, factor: density / self.value(at) }
    }
}

/// The map of one body.
#[derive(Debug, Clone)]
pub struct BodyMap {
    /// Whose it is.
    pub body: BodyId,
    /// The map, of the surface shifted as the calibration says.
    pub map: Arc<DensityMap>,
    /// Where the body is when the map's coordinates are the scene's.
    pub origin: Pose,
    /// How the map was shifted, and its factor.
    pub calibration: MapCalibration,
}

/// All bodies that are represented by maps.
pub struct MappedBodies {
    bodies: Vec<BodyMap>,
    motion: Vec<BodyMotion>,
    flat: FlatMap,
    spacing: f64,
}

impl MappedBodies {
    /// The bodies with their maps; `spacing` is the fluid's `[m]`.
    #[must_use]
    pub fn new(spacing: f64, flat: FlatMap, bodies: Vec<BodyMap>) -> Self {
        Self { bodies, motion: Vec::new(), flat, spacing }
    }

    /// What one body adds at `x` `[m]`.
    fn sample(&self, body: &BodyMap, at: &Placed, x: DVec3) -> Option<MapSample> {
        let (value, gradient) = body.map.evaluate(at.to_map(x))?;
        let (value, gradient) = (body.calibration.factor * value, body.calibration.factor * gradient);
        let length = gradient.length();
        if value <= 0.0 || length <= 0.0 {
            return None;
        }
        let gradient = at.rotation * gradient;
        let shifted = self.flat.distance(value / body.calibration.factor);
        Some(MapSample {
            value,
            gradient,
            towards: gradient / length,
            distance: shifted + body.calibration.shift * self.spacing,
            lever: self.flat.lever(shifted),
        })
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
struct Placed {
    origin: Pose,
    now: Pose,
    /// From the map's directions to the scene's.
    rotation: glam::DQuat,
}

impl Placed {
    fn new(origin: Pose, now: Pose) -> Self {
        Self { origin, now, rotation: now.rotation * origin.rotation.conjugate() }
    }

    fn to_map(&self, x: DVec3) -> DVec3 {
        if self.origin == self.now { x } else { self.origin.to_world(self.now.to_local(x)) }
    }
}

impl BoundaryMethod for MappedBodies {
    fn particles(&self) -> usize {
        0
    }

    fn follow(&mut self, _: &FixedFrame, bodies: &[BodyMotion], _: &mut Interface) {
        self.motion.clear();
        self.motion.extend_from_slice(bodies);
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
        let near = Aabb::of_points(position.iter().copied());
        let placed: Vec<(&BodyMap, Placed, f32)> = self
            .bodies
            .iter()
            .map(|body| {
                let now = self.motion[body.body.0 as usize].start.pose;
                let touching = (CONTACT_HEIGHT - body.calibration.shift) * self.spacing;
                let surface = body.calibration.factor * self.flat.value(touching);
                (body, Placed::new(body.origin, now), (1.0 / surface) as f32)
            })
            .filter(|(body, at, _)| may_reach(body, at, &near))
            .collect();
        for (&x, sum) in position.iter().zip(sums.iter_mut()) {
            *sum = BoundarySum::default();
            for (body, at, closeness) in &placed {
                let Some(sample) = self.sample(body, at, x) else { continue };
                let motion = &self.motion[body.body.0 as usize];
                let velocity = motion.velocity_of(x + sample.distance * sample.towards);
                let lever = sample.lever * sample.towards;
                let gradient = sample.gradient.as_vec3();
                sum.gradient += gradient;
                sum.density += sample.value as f32;
                sum.closeness += closeness * sample.value as f32;
                sum.flux += velocity.as_vec3().dot(gradient);
                sum.weight += gradient * walls.gravity.dot(lever) as f32;
                let point = chunk.point.len() as u32 + BoundaryChunk::FRESH;
                chunk.point.push(InterfacePoint { body: body.body, position: x + lever, velocity });
                chunk.sample.push(BoundarySample {
                    gradient: gradient.into(),
                    value: sample.value as f32,
                    point,
                });
            }
            chunk.end.push(chunk.sample.len() as u32);
        }
    }

    fn advance(&self, x: DVec3, v: Vec3, dt: f64, sum: &BoundarySum) -> f32 {
        if sum.density <= 0.0 {
            return 0.0;
        }
        let ahead = x + dt * v.as_dvec3();
        let excess = |body: &BodyMap| {
            let motion = &self.motion[body.body.0 as usize];
            let now = Placed::new(body.origin, motion.start.pose);
            let (value, gradient) = body.map.evaluate(now.to_map(x))?;
            let (exact, _) = body.map.evaluate(Placed::new(body.origin, motion.end.pose).to_map(ahead))?;
            let relative = v.as_dvec3() - motion.velocity_of(x);
            let first_order = value + dt * relative.dot(now.rotation * gradient);
            Some(body.calibration.factor * (exact - first_order))
        };
        // [Koschier2017] Eq. 14, less what the rates of the row say.
        self.bodies.iter().filter_map(excess).sum::<f64>() as f32
    }
}

/// Whether some point of a box may be within a map's cells.
fn may_reach(body: &BodyMap, at: &Placed, near: &Aabb) -> bool {
    let centre = at.to_map(0.5 * (near.min + near.max));
    let radius = 0.5 * near.size().length();
    let cells = body.map.field().lattice().bounds();
    let outside = (cells.min - centre).max(centre - cells.max).max(DVec3::ZERO);
    outside.length() <= radius
}
