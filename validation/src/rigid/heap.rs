//! Heaps of nonconvex bodies: their scenes, and what is measured in them.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use glam::{DQuat, DVec3};
use meniscus_core::BodyId;
use meniscus_geometry::{Pose, SignedDistance};
use meniscus_solid::{BodyParams, ColliderShape, RigidEngine, SolidReport, SurfaceMaterial};
use rayon::prelude::*;

use super::Engine;
use super::shapes::Nonconvex;

/// Frames per second `[1/s]`.
pub const RATE: f64 = 30.0;
/// Steps in which a frame is advanced `[1]`.
pub const STEPS: u32 = 2;

/// What is slower lies, and does not fly or roll any more `[m/s]`.
pub const AT_REST: f64 = 0.5;

/// A heap before it falls.
pub struct Heap {
    /// What stands still comes first.
    pub bodies: Vec<BodyParams>,
    /// How many stand still.
    pub still: usize,
    /// What falls.
    pub what: Nonconvex,
}

/// Numbers in 0..1 in a fixed sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point of the disc with this radius.
    fn disc(&mut self, radius: f64) -> DVec3 {
        let (r, angle) = (radius * self.next().sqrt(), std::f64::consts::TAU * self.next());
        DVec3::new(r * angle.cos(), 0.0, r * angle.sin())
    }
}

impl Random {
    /// A place at the given height within a cylinder, at least `apart` from all others if there is room `[m]`.
    fn place(&mut self, others: &[BodyParams], radius: f64, height: f64, apart: f64) -> DVec3 {
        for _ in 0..1000 {
            let at = self.disc(radius) + DVec3::Y * height;
            if others.iter().all(|o| o.pose.translation.distance(at) > apart) {
                return at;
            }
        }
        self.disc(radius) + DVec3::Y * height
    }
}

/// Rings above 25 poles (thesis, Fig. 2.1).
///
/// # Errors
/// If a shape cannot be made.
pub fn rings(count: usize, what: Nonconvex) -> Result<Heap> {
    let material = SurfaceMaterial { friction: 0.6, restitution: 0.3, ..SurfaceMaterial::default() };
    let pole = ColliderShape::cylinder(1.0, 20.0)?;
    let mut bodies =
        vec![BodyParams::fixed(ColliderShape::half_space(), Pose::IDENTITY).with_material(material)];
    for k in 0..25_i32 {
        let at = DVec3::new(7.0 * f64::from(k % 5 - 2), 10.0, 7.0 * f64::from(k / 5 - 2));
        bodies.push(BodyParams::fixed(Arc::clone(&pole), Pose::at(at)).with_material(material));
    }
    let still = bodies.len();
    let mut random = Random(88_172_645_463_325_252);
    let height = 0.6 * count as f64;
    for k in 0..count {
        let at = random.place(&bodies[still..], 20.0, 22.0 + height * k as f64 / count as f64, 5.2);
        let tilt = random.disc(1.0) * 0.2;
        let pose = Pose { translation: at, rotation: DQuat::from_scaled_axis(tilt) };
        bodies.push(BodyParams::dynamic(Arc::clone(&what.shape), what.mass, pose).with_material(material));
    }
    Ok(Heap { bodies, still, what })
}

/// Bones above a funnel of eight slabs (thesis, Fig. 2.15).
///
/// # Errors
/// If a shape cannot be made.
pub fn bones(count: usize, what: Nonconvex) -> Result<Heap> {
    let material = SurfaceMaterial { friction: 0.3, restitution: 0.2, ..SurfaceMaterial::default() };
    let mut bodies =
        vec![BodyParams::fixed(ColliderShape::half_space(), Pose::IDENTITY).with_material(material)];
    let slab = ColliderShape::cuboid(DVec3::new(14.0, 0.6, 12.0))?;
    for k in 0..8 {
        let turn = DQuat::from_rotation_y(std::f64::consts::TAU * f64::from(k) / 8.0);
        let slope = DQuat::from_rotation_z(0.9);
        let at = turn * DVec3::new(3.0 + 7.0 * 0.9_f64.cos(), 12.0 + 7.0 * 0.9_f64.sin(), 0.0);
        let pose = Pose { translation: at, rotation: turn * slope };
        bodies.push(BodyParams::fixed(Arc::clone(&slab), pose).with_material(material));
    }
    let still = bodies.len();
    let mut random = Random(2_463_534_242);
    for k in 0..count {
        let at = random.place(&bodies[still..], 6.0, 26.0 + 0.8 * k as f64, 4.2);
        let turn = DQuat::from_scaled_axis(3.0 * (random.disc(1.0) + DVec3::Y * random.next()));
        let pose = Pose { translation: at, rotation: turn.normalize() };
        bodies.push(BodyParams::dynamic(Arc::clone(&what.shape), what.mass, pose).with_material(material));
    }
    Ok(Heap { bodies, still, what })
}

/// What a run of a heap gave.
#[derive(Debug, Clone)]
pub struct Run {
    /// Whose it is.
    pub engine: Engine,
    /// Frames `[1]`.
    pub frames: u32,
    /// Mean time of a frame over the whole run `[ms]`.
    pub mean: f64,
    /// Mean time of a frame over the last second `[ms]`.
    pub settled: f64,
    /// Mean processor time of a frame over the last second, all threads together; zero where it is not known `[ms]`.
    pub settled_cpu: f64,
    /// Kinetic energy of bodies at the end over that of the fall `[1]`.
    pub motion: f64,
    /// Bodies that end on the floor, on a pole or on others and lie there, without an overlap above the limit `[1]`.
    pub good: usize,
    /// Bodies that end in the air or move on faster than [`AT_REST`] `[1]`.
    pub loose: usize,
    /// How many fell `[1]`.
    pub count: usize,
    /// The deepest overlap of each body at the end, in ascending order `[m]`.
    pub depth: Vec<f64>,
}

/// Lets a heap fall.
///
/// # Errors
/// If the engine fails.
pub fn run(heap: &Heap, engine: Engine, frames: u32, limit: f64) -> Result<Run> {
    let step = 1.0 / (RATE * f64::from(STEPS));
    let mut solids = engine.build(&heap.bodies, DVec3::Y * -9.81, step)?;
    let mut times = Vec::new();
    let mut report = SolidReport::default();
    let mut cpu = cpu_time();
    for frame in 0..frames {
        let start = Instant::now();
        if frame + RATE as u32 == frames {
            cpu = cpu_time();
        }
        for _ in 0..STEPS {
            report = solids.advance(step)?;
        }
        times.push(1e3 * start.elapsed().as_secs_f64());
        if frame % 60 == 59 {
            let last = &times[times.len() - 60..];
            let mean = last.iter().sum::<f64>() / 60.0;
            eprintln!("{} frame {}: {mean:.1} ms, {report:?}", engine.name(), frame + 1);
        }
    }
    let mean = |t: &[f64]| t.iter().sum::<f64>() / t.len().max(1) as f64;
    let settled = mean(&times[times.len() - (RATE as usize).min(times.len())..]);
    let settled_cpu = (cpu_time() - cpu) / RATE.min(f64::from(frames));
    let fell = heap.still..heap.bodies.len();
    let speed = |k: usize| solids.kinematics(BodyId(k as u32)).velocity.length_squared();
    let motion = fell.clone().map(speed).sum::<f64>() / (fell.len() as f64 * 2.0 * 9.81 * 100.0);
    let reach = depths(heap, solids.as_ref());
    // What is on something overlaps it or is as near as it may overlap; what fell through the floor overlaps by far more.
    let lies = |k: usize| reach[k - heap.still] >= -limit && speed(k).sqrt() < AT_REST;
    let loose = fell.clone().filter(|k| !lies(*k)).count();
    let good = fell.clone().filter(|k| lies(*k) && reach[k - heap.still] <= limit).count();
    let mut depth: Vec<f64> = reach.iter().map(|d| d.max(0.0)).collect();
    depth.sort_unstable_by(f64::total_cmp);
    if depth.iter().any(|d| !d.is_finite()) {
        bail!("{}: an overlap is not finite", engine.name());
    }
    Ok(Run {
        engine,
        frames,
        mean: mean(&times),
        settled,
        settled_cpu,
        motion,
        good,
        loose,
        count: fell.len(),
        depth,
    })
}

/// Processor time that this process has used, where the system tells `[ms]`.
fn cpu_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses come the state and further fields; user and system time are the 12th and 13th.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // In hundredths of a second.
    10.0 * fields.skip(11).take(2).filter_map(|f| f.parse::<f64>().ok()).sum::<f64>()
}

/// The deepest overlap of each falling body with anything, by many points of its surface in the fine distance of others
/// and the other way round; the gap to what is nearest, negative, if it overlaps nothing `[m]`.
fn depths(heap: &Heap, solids: &dyn RigidEngine) -> Vec<f64> {
    let poses: Vec<Pose> = (0..heap.bodies.len()).map(|k| solids.pose(BodyId(k as u32))).collect();
    let reach = heap.what.fine.bounds().size().length();
    let of_body = |k: usize| {
        let mut deepest = f64::NEG_INFINITY;
        for other in (0..poses.len()).filter(|o| *o != k) {
            let falls = other >= heap.still;
            if falls && poses[k].translation.distance(poses[other].translation) > reach {
                continue;
            }
            let field: &dyn SignedDistance = match heap.bodies[other].shape.field() {
                _ if falls => heap.what.fine.as_ref(),
                Some(field) => field.as_ref(),
                None => continue,
            };
            let within = |x: &DVec3| -field.distance(poses[other].to_local(poses[k].to_world(*x)));
            deepest = heap.what.surface.iter().map(within).fold(deepest, f64::max);
            if falls {
                let within =
                    |x: &DVec3| -heap.what.fine.distance(poses[k].to_local(poses[other].to_world(*x)));
                deepest = heap.what.surface.iter().map(within).fold(deepest, f64::max);
            }
        }
        deepest
    };
    (heap.still..poses.len()).into_par_iter().map(of_body).collect()
}
