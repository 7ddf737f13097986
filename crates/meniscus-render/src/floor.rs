//! Light on the ground, computed once for a picture: what comes from the sun, through water and past solids, as
//! photons; and how much of the sky is seen.
//!
//! Photons start on an even grid and are counted twice: where they land, and where they would have landed had nothing
//! been in their way. The quotient is 1 where nothing is, whatever the grid; shadows and caustics are what differs from
//! it.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::bvh::Ray;
use crate::random;
use crate::sky::fresnel;
use crate::stage::Stage;
use crate::trace::{REFRACTION, WATER_SKY};

/// The light on patches of the ground.
#[derive(Debug, Clone, Default)]
pub(crate) struct Floor {
    low: Vec2,
    patch: f32,
    count: [usize; 2],
    /// Sun, as a part of what an open place gets, by colour.
    sun: Vec<Vec3>,
    /// Visible part of the sky.
    sky: Vec<f32>,
}

/// The ground is mapped this far beyond the scene, in its size; farther where shadows are longer, up to a limit.
const AROUND: f32 = 0.45;
const FARTHEST: f32 = 2.5;
/// Photons turn at most so often.
const MOST_TURNS: u32 = 8;

impl Floor {
    pub(crate) fn new(stage: &Stage) -> Self {
        let towards = stage.lamp.towards;
        let shadow = 2.0 * stage.half.y * Vec2::new(towards.x, towards.z).abs() / towards.y;
        let around = shadow.clamp(Vec2::splat(AROUND), Vec2::splat(FARTHEST));
        let half = Vec2::new(stage.half.x, stage.half.z) + around;
        let patch = 2.0 * half.max_element() / stage.quality.patches() as f32;
        let count = [half.x, half.y].map(|h| ((2.0 * h / patch).ceil() as usize).max(2));
        let mut floor = Self { low: -half, patch, count, ..Self::default() };
        floor.sun = floor.shine(stage);
        floor.sky = floor.see_sky(stage);
        floor
    }

    /// Sends photons and counts them.
    fn shine(&self, stage: &Stage) -> Vec<Vec3> {
        let side = stage.quality.photons();
        let cells = self.count[0] * self.count[1];
        // A few rows make a chunk; sums of chunks are added in order, so threads change nothing.
        let chunk = |first: u32| {
            let mut landed = vec![(Vec3::ZERO, 0.0_f32); cells];
            for row in first..(first + 32).min(side) {
                for column in 0..side {
                    self.follow(stage, [column, row], &mut landed);
                }
            }
            landed
        };
        let firsts: Vec<u32> = (0..side).step_by(32).collect();
        let parts: Vec<Vec<(Vec3, f32)>> = firsts.into_par_iter().map(chunk).collect();
        let mut total = vec![(Vec3::ZERO, 0.0); cells];
        for part in parts {
            for (sum, one) in total.iter_mut().zip(part) {
                *sum = (sum.0 + one.0, sum.1 + one.1);
            }
        }
        let quotient = |(light, open): &(Vec3, f32)| if *open > 0.0 { *light / *open } else { Vec3::ONE };
        let sun: Vec<Vec3> = total.iter().map(quotient).collect();
        self.soften(&sun)
    }

    /// A photon that would reach this cell of an even grid over the mapped ground.
    fn follow(&self, stage: &Stage, cell: [u32; 2], landed: &mut [(Vec3, f32)]) {
        let side = stage.quality.photons();
        let extent = Vec2::new(self.count[0] as f32, self.count[1] as f32) * self.patch;
        let seed = random::hash(cell[0], cell[1]);
        let within = random::point(seed, 0);
        let aim = self.low + (Vec2::new(cell[0] as f32, cell[1] as f32) + within) / side as f32 * extent;
        let towards = random::cone(stage.lamp.towards, stage.lamp.tangent, random::point(seed, 1));
        let target = Vec3::new(aim.x, stage.ground, aim.y);
        self.land(target, |slot, share| landed[slot].1 += share);
        // From above everything.
        let start = target + towards * (3.0 / towards.y.max(0.1));
        if let Some((place, light)) = travel(stage, Ray { from: start, along: -towards }) {
            self.land(place, |slot, share| landed[slot].0 += light * share);
        }
    }

    /// Shares a photon among the four patches around a place.
    fn land(&self, place: Vec3, mut add: impl FnMut(usize, f32)) {
        let at = (Vec2::new(place.x, place.z) - self.low) / self.patch - 0.5;
        let corner = at.floor();
        let part = at - corner;
        for (dx, dz) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (x, z) = (corner.x as i64 + dx, corner.y as i64 + dz);
            if x >= 0 && z >= 0 && (x as usize) < self.count[0] && (z as usize) < self.count[1] {
                let share =
                    if dx == 1 { part.x } else { 1.0 - part.x } * if dz == 1 { part.y } else { 1.0 - part.y };
                add(z as usize * self.count[0] + x as usize, share);
            }
        }
    }

    /// Rays from each patch into the sky.
    fn see_sky(&self, stage: &Stage) -> Vec<f32> {
        let rays = stage.quality.sky_rays();
        let open = |cell: usize| {
            let (x, z) = (cell % self.count[0], cell / self.count[0]);
            let at = self.low + (Vec2::new(x as f32, z as f32) + 0.5) * self.patch;
            let from = Vec3::new(at.x, stage.ground + 1e-3, at.y);
            let seen = |k: u32| stage.sky_seen(from, random::cosine(Vec3::Y, random::point(cell as u32, k)));
            (0..rays).map(seen).sum::<f32>() / rays as f32
        };
        let sky: Vec<f32> = (0..self.count[0] * self.count[1]).into_par_iter().map(open).collect();
        self.soften(&self.soften(&sky))
    }

    /// Blurs by a patch in each direction.
    fn soften<T: Copy + std::ops::Add<Output = T> + std::ops::Mul<f32, Output = T>>(
        &self,
        map: &[T],
    ) -> Vec<T> {
        let [nx, nz] = self.count;
        let along = |map: &[T], step: usize, n: usize, place: fn(usize, usize) -> usize| {
            let blurred = |cell: usize| {
                let k = place(cell, nx);
                let before = if k > 0 { map[cell - step] } else { map[cell] };
                let after = if k + 1 < n { map[cell + step] } else { map[cell] };
                before * 0.25 + map[cell] * 0.5 + after * 0.25
            };
            (0..map.len()).map(blurred).collect::<Vec<T>>()
        };
        let once = along(map, 1, nx, |cell, nx| cell % nx);
        along(&once, nx, nz, |cell, nx| cell / nx)
    }

    /// Sun and visible sky at a place, smooth between patches.
    pub(crate) fn at(&self, place: Vec3) -> (Vec3, f32) {
        let inside = self.low.x < place.x && self.low.y < place.z;
        let high = self.low + Vec2::new(self.count[0] as f32, self.count[1] as f32) * self.patch;
        if !inside || place.x >= high.x || place.z >= high.y {
            return (Vec3::ONE, 1.0);
        }
        let (mut sun, mut sky, mut whole) = (Vec3::ZERO, 0.0, 0.0);
        self.land(place, |slot, share| {
            sun += self.sun[slot] * share;
            sky += self.sky[slot] * share;
            whole += share;
        });
        if whole > 0.0 { (sun / whole, sky / whole) } else { (Vec3::ONE, 1.0) }
    }
}

/// Where a ray of light ends on the ground, and what is left of it; nothing if it ends elsewhere.
fn travel(stage: &Stage, mut ray: Ray) -> Option<(Vec3, Vec3)> {
    let mut light = Vec3::ONE;
    let mut inside = false;
    for _ in 0..MOST_TURNS {
        let seen = stage.look(&ray, inside);
        if seen.in_water {
            light *= crate::sky::through_water(seen.t);
        }
        let Some(normal) = seen.water else {
            return (seen.ground).then(|| (ray.at(seen.t), light));
        };
        let ratio = if seen.in_water { REFRACTION } else { 1.0 / REFRACTION };
        let cosine = -ray.along.dot(normal);
        light *= 1.0 - fresnel(cosine, ratio);
        let along = ray.along.refract(normal, ratio);
        if along == Vec3::ZERO || light.max_element() < 0.02 {
            return None;
        }
        inside = !seen.in_water;
        ray = Ray { from: ray.at(seen.t) + ray.along * 1e-4, along };
    }
    None
}

impl Stage {
    /// How much of the sky is seen from a place in a direction: nothing behind solids, most of it through water.
    pub(crate) fn sky_seen(&self, from: Vec3, along: Vec3) -> f32 {
        let ray = Ray { from, along };
        if self.solids.tree.any(&ray, f32::INFINITY) {
            return 0.0;
        }
        let wet = self.water.as_ref().is_some_and(|water| water.tree.any(&ray, f32::INFINITY));
        if wet { WATER_SKY } else { 1.0 }
    }
}
