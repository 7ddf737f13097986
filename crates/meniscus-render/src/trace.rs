//! What a ray sees.

use glam::Vec3;

use crate::bvh::{Hit, Ray};
use crate::random;
use crate::sky::{fresnel, through_water};
use crate::stage::{Solids, Stage, Water};

/// The refractive index of water.
pub(crate) const REFRACTION: f32 = 1.33;
/// The part of the sky's light that passes a body of water.
pub(crate) const WATER_SKY: f32 = 0.72;
/// Rays that would change a pixel by less than this are not followed.
const FAINT: f32 = 0.03;
/// Rays turn at most so often.
const MOST_TURNS: u32 = 7;
/// Rays begin this far from where they were sent off.
const OFF: f32 = 1e-4;

/// What is first on a ray's way.
pub(crate) struct Seen {
    /// How far it is.
    pub(crate) t: f32,
    /// Whether the way there is through water.
    pub(crate) in_water: bool,
    /// The surface of the water, with its normal against the ray.
    pub(crate) water: Option<Vec3>,
    /// The ground.
    pub(crate) ground: bool,
    /// A solid: its normal against the ray and its colour.
    pub(crate) solid: Option<(Vec3, Vec3)>,
}

/// Seed of the small differences between samples, and how much their colours count.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    pub(crate) seed: u32,
    pub(crate) weight: f32,
    pub(crate) turns: u32,
    pub(crate) inside: bool,
}

impl Path {
    /// The path of a ray from the eye.
    pub(crate) fn from_eye(seed: u32) -> Self {
        Self { seed, weight: 1.0, turns: 0, inside: false }
    }

    fn on(self, part: f32, inside: bool) -> Self {
        Self { weight: self.weight * part, turns: self.turns + 1, inside, ..self }
    }
}

impl Stage {
    /// Finds what is first on a ray's way, which begins inside of the water or outside.
    pub(crate) fn look(&self, ray: &Ray, inside: bool) -> Seen {
        let ground = (self.ground - ray.from.y) / ray.along.y;
        let mut seen = Seen { t: f32::INFINITY, in_water: inside, water: None, ground: false, solid: None };
        if ground > 0.0 && ground.is_finite() {
            (seen.t, seen.ground) = (ground, true);
        }
        if let Some((t, solid)) = self.solids.meet(ray, seen.t, false) {
            (seen.t, seen.ground, seen.solid) = (t, false, Some(solid));
        }
        if let Some((t, solid)) = self.walls.meet(ray, seen.t, true) {
            (seen.t, seen.ground, seen.solid) = (t, false, Some(solid));
        }
        let Some(water) = &self.water else { return Seen { in_water: false, ..seen } };
        let Some(hit) = water.tree.closest(ray, seen.t) else { return seen };
        let (outwards, normal) = water.normals(&hit);
        let leaving = ray.along.dot(outwards) > 0.0;
        seen.in_water = leaving;
        if leaving && seen.t < hit.t + self.gap {
            // What is so near behind the surface touches the water.
            return seen;
        }
        let facing = if leaving { -normal } else { normal };
        // A smooth normal may look away where the triangle does not.
        let facing =
            if ray.along.dot(facing) < -0.02 { facing } else { outwards * if leaving { -1.0 } else { 1.0 } };
        Seen { t: hit.t, in_water: leaving, water: Some(facing), ground: false, solid: None }
    }

    /// The light that a ray brings back.
    pub(crate) fn radiance(&self, ray: &Ray, path: Path) -> Vec3 {
        let seen = self.look(ray, path.inside);
        let light = match (seen.water, seen.solid) {
            (Some(normal), _) => self.surface(ray, &seen, normal, path),
            (None, Some((normal, colour))) => {
                let place = ray.at(seen.t) + normal * OFF;
                colour * self.on_solid(place, normal, path, seen.in_water)
            }
            (None, None) if seen.ground => self.on_ground(ray, seen.t),
            (None, None) => return self.lamp.seen(ray.along, path.turns > 0),
        };
        if seen.in_water {
            let left = through_water(seen.t);
            return light * left + self.lamp.deep * (Vec3::ONE - left);
        }
        light
    }

    /// What the surface of the water mirrors and lets through.
    fn surface(&self, ray: &Ray, seen: &Seen, normal: Vec3, path: Path) -> Vec3 {
        let place = ray.at(seen.t);
        let ratio = if seen.in_water { REFRACTION } else { 1.0 / REFRACTION };
        let cosine = (-ray.along.dot(normal)).clamp(0.0, 1.0);
        let mirrored = fresnel(cosine, ratio);
        let along = ray.along.refract(normal, ratio);
        let mut light = Vec3::ZERO;
        if mirrored < 1.0 && along != Vec3::ZERO {
            let next = path.on(1.0 - mirrored, !seen.in_water);
            light += (1.0 - mirrored) * self.follow(place, along, next);
        }
        let towards = ray.along.reflect(normal);
        let mirror = path.on(mirrored, seen.in_water);
        // Of what was mirrored or bent before, only the stronger part is followed: else rays in spray multiply.
        let seen = if path.turns == 0 || mirrored > 0.5 {
            self.follow(place, towards, mirror)
        } else {
            self.guess(towards, mirror)
        };
        light + mirrored * seen
    }

    /// What comes from a place and a direction, or a guess if it does not matter.
    fn follow(&self, from: Vec3, along: Vec3, path: Path) -> Vec3 {
        let along = along.normalize_or(Vec3::Y);
        if path.turns > MOST_TURNS || path.weight < FAINT {
            return self.guess(along, path);
        }
        self.radiance(&Ray { from: from + along * OFF, along }, path)
    }

    /// What a ray that is not followed may bring.
    fn guess(&self, along: Vec3, path: Path) -> Vec3 {
        if path.inside { self.lamp.deep + 0.25 * self.lamp.sky } else { self.lamp.seen(along, true) }
    }

    /// Light from a matte solid of colour 1.
    fn on_solid(&self, place: Vec3, normal: Vec3, path: Path, wet: bool) -> Vec3 {
        let depth = if wet { WATER_SKY } else { 1.0 };
        if path.turns > 0 {
            // Seen through water or in a mirror: sharp shadows rather than grain.
            let facing = self.lamp.towards.dot(normal).max(0.0);
            let sun =
                if facing > 0.0 { facing * self.sunlight(place, self.lamp.towards) } else { Vec3::ZERO };
            return sun * self.lamp.sun + self.lamp.sky * (depth * (0.7 + 0.3 * normal.y));
        }
        let rays = self.quality.body_rays();
        let (mut sun, mut sky_part) = (Vec3::ZERO, 0.0);
        for k in 0..rays {
            let seed = random::hash(path.seed, 77 + path.turns);
            let towards = random::cone(self.lamp.towards, self.lamp.tangent, random::point(seed, 2 * k));
            let facing = towards.dot(normal);
            if facing > 0.0 {
                sun += facing * self.sunlight(place, towards);
            }
            let up = random::cosine(normal, random::point(seed, 2 * k + 1));
            // What looks down sees the ground, which is bright as well.
            let seen = if up.y > 0.0 { 1.0 } else { 0.45 };
            sky_part += seen * if self.near_solid(place, up) { 0.0 } else { 1.0 };
        }
        (sun * self.lamp.sun + sky_part * depth * self.lamp.sky) / rays as f32
    }

    /// Whether a solid is near in that direction and takes light away.
    fn near_solid(&self, from: Vec3, along: Vec3) -> bool {
        self.solids.tree.any(&Ray { from, along }, 0.35)
    }

    /// The part of the sun's light that arrives, dimmed by the water on its straight way.
    fn sunlight(&self, from: Vec3, towards: Vec3) -> Vec3 {
        let mut ray = Ray { from, along: towards };
        if self.solids.tree.any(&ray, f32::INFINITY) {
            return Vec3::ZERO;
        }
        let Some(water) = &self.water else { return Vec3::ONE };
        let mut light = Vec3::ONE;
        for _ in 0..4 {
            let Some(hit) = water.tree.closest(&ray, f32::INFINITY) else { break };
            if towards.dot(water.normals(&hit).0) > 0.0 {
                light *= through_water(hit.t) * 0.9;
            }
            ray.from = ray.at(hit.t + OFF);
        }
        light
    }

    /// Light from the ground: tiles that fade into the horizon.
    fn on_ground(&self, ray: &Ray, t: f32) -> Vec3 {
        let place = ray.at(t);
        let (sun, open) = self.floor.at(place);
        let light = sun * self.lamp.sun * self.lamp.towards.y + self.lamp.sky * open;
        let away = Vec3::new(place.x, 0.0, place.z).length();
        let far = ((away - 1.4) / 6.0).clamp(0.0, 1.0);
        let colour = tiles(place.x, place.z, 1.0 - 3.0 * far);
        let level = Vec3::new(ray.along.x, 0.0, ray.along.z).normalize_or(Vec3::Z);
        let horizon = self.lamp.seen(level, false);
        (colour * light).lerp(horizon, far * far * (3.0 - 2.0 * far))
    }
}

/// The colour of the ground: light tiles, two kinds in turn, whose pattern may be faded out.
fn tiles(x: f32, z: f32, strength: f32) -> Vec3 {
    const TILE: f32 = 0.125;
    let odd = ((x / TILE).floor() + (z / TILE).floor()) as i64 & 1 == 1;
    let (light, dark) = (Vec3::new(0.47, 0.45, 0.42), Vec3::new(0.34, 0.33, 0.32));
    let mean = (light + dark) * 0.5;
    mean.lerp(if odd { light } else { dark }, strength.clamp(0.0, 1.0))
}

impl Solids {
    /// The nearest hit, with the normal against the ray and the colour; if `one_sided`, only of sides that face the
    /// ray.
    fn meet(&self, ray: &Ray, limit: f32, one_sided: bool) -> Option<(f32, (Vec3, Vec3))> {
        let mut passed = 0.0;
        let mut on = *ray;
        // Each turn passes one side that faces away.
        for _ in 0..8 {
            let hit = self.tree.closest(&on, limit - passed)?;
            let normal = self.normal[hit.triangle as usize];
            let facing = ray.along.dot(normal) < 0.0;
            if facing || !one_sided {
                let smooth = self.corners[hit.triangle as usize].map_or(normal, |[a, b, c]| {
                    (a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v).normalize_or(normal)
                });
                let smooth = if facing { smooth } else { -smooth };
                // A smooth normal may look away where the triangle does not.
                let flat = if facing { normal } else { -normal };
                let normal = if ray.along.dot(smooth) < 0.0 { smooth } else { flat };
                return Some((passed + hit.t, (normal, self.colour[hit.triangle as usize])));
            }
            passed += hit.t + OFF;
            on.from = ray.at(passed);
        }
        None
    }
}

impl Water {
    /// The normal of the triangle and the smooth normal of the surface, both out of the water.
    fn normals(&self, hit: &Hit) -> (Vec3, Vec3) {
        let corners = self.triangle[hit.triangle as usize];
        let [a, b, c] = corners.map(|v| self.vertex[v as usize]);
        let [na, nb, nc] = corners.map(|v| self.normal[v as usize]);
        let flat = (b - a).cross(c - a).normalize_or(Vec3::Y);
        let smooth = na * (1.0 - hit.u - hit.v) + nb * hit.u + nc * hit.v;
        (flat, smooth.normalize_or(flat))
    }
}
