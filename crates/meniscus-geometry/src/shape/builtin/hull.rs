//! A boat.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DVec2, DVec3};

use super::lathe::{Ring, join};
use super::{allow_triangles, check, require_smaller};
use crate::{GeometryError, TriangleMesh};

/// How square the stern is: the exponent of a superellipse `[1]`.
const STERN: f64 = 3.6;
/// How full the bow is: its sides close in like 1 − x to this power `[1]`.
const BOW: f64 = 1.9;
/// How much the rim rises towards the bow, as a part of the height `[1]`.
const SHEER: f64 = 0.22;
/// How full the sections are, from the middle to the bow: exponents of a superellipse `[1]`.
const FULLNESS: [f64; 2] = [3.4, 1.7];

/// An open boat with a wall of constant thickness: flat bottom, square stern, pointed bow along x, y up. The origin
/// is the middle of its length and breadth, at half its height amidships.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoatHull {
    /// From stern to bow, along x `[m]`.
    pub length: f64,
    /// The largest breadth, along z `[m]`.
    pub beam: f64,
    /// From the bottom to the rim amidships, along y `[m]`; the bow is higher.
    pub height: f64,
    /// The thickness of the wall `[m]`.
    pub thickness: f64,
    /// Edges once around its rim `[1]`.
    pub segments: u32,
}

impl BoatHull {
    /// Edges of its rim if nobody asks for another number `[1]`.
    pub const SEGMENTS: u32 = 96;

    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { length, beam, height, thickness, segments } = *self;
        check(
            &[
                ("hull length", length),
                ("hull beam", beam),
                ("hull height", height),
                ("hull thickness", thickness),
            ],
            segments,
        )?;
        require_smaller(("hull thickness", thickness), ("half the beam", 0.5 * beam))?;
        require_smaller(("hull thickness", thickness), ("half the length", 0.5 * length))?;
        require_smaller(("hull thickness", thickness), ("the height", height))?;
        let skin = |inset: f64| Skin {
            half: DVec2::new(0.5 * length - inset, 0.5 * beam - inset),
            depth: height - inset,
            sheer: SHEER * height,
            reach: 0.5 * length,
            top: 0.5 * height,
        };
        let (outer, inner) = (skin(0.0), skin(thickness));
        let step = outer.rim_length() / f64::from(segments);
        let levels = ((0.5 * beam + height) / step).round().max(2.0);
        allow_triangles(4.0 * levels * f64::from(segments))?;
        let up: Vec<f64> = (0..=levels as usize).map(|k| k as f64 / levels).collect();
        let rim = (thickness / step).round().max(1.0);
        let mut rings: Vec<Ring> = up.iter().map(|t| outer.ring(*t, step)).collect();
        // Across the rim, between the uppermost ring of the one skin and that of the other.
        let across = (1..rim as usize).map(|k| {
            let inset = thickness * (k as f64 / rim);
            skin(inset).ring(1.0, step)
        });
        rings.extend(across);
        rings.extend(up.iter().rev().map(|t| inner.ring(*t, step)));
        Ok(join(&rings, false))
    }
}

/// One side of the wall.
struct Skin {
    /// Half the length and half the breadth of the rim `[m]`.
    half: DVec2,
    /// From the rim amidships to the lowest point `[m]`.
    depth: f64,
    /// How much the rim rises at the bow `[m]`, which is at `reach` `[m]` for both skins.
    sheer: f64,
    reach: f64,
    /// Height of the rim amidships `[m]`.
    top: f64,
}

impl Skin {
    /// A point of the rim as a share of half length and breadth, once around for an angle of 2π; from the bow over
    /// the side −z, so that rings are counter-clockwise seen from above.
    fn outline(angle: f64) -> DVec2 {
        let (sin, cos) = angle.sin_cos();
        if cos >= 0.0 {
            // From the bow to the largest breadth.
            let x = cos.abs().powf(0.8);
            DVec2::new(x, -sin.signum() * (1.0 - x.powf(BOW)))
        } else {
            let p = 2.0 / STERN;
            DVec2::new(-cos.abs().powf(p), -sin.signum() * sin.abs().powf(p))
        }
    }

    fn rim_length(&self) -> f64 {
        let rim = |k: usize| Self::outline(k as f64 / 512.0 * TAU) * self.half;
        (0..512).map(|k| rim(k).distance(rim(k + 1))).sum()
    }

    /// The line around the hull at a share of the way from the keel (0) to the rim (1).
    fn ring(&self, t: f64, step: f64) -> Ring {
        let around = |share: f64| self.point(share, t);
        if t <= 0.0 {
            return vec![around(0.0)];
        }
        // Equally long edges: the way around is measured on a fine line first.
        let fine: Vec<DVec3> = (0..=512).map(|k| around(f64::from(k) / 512.0)).collect();
        let mut way = vec![0.0];
        for pair in fine.windows(2) {
            way.push(way[way.len() - 1] + pair[0].distance(pair[1]));
        }
        let total = way[way.len() - 1];
        // Even, so that bow and stern are vertices of every ring and both sides are the same.
        let n = 2 * ((0.5 * total / step).round().max(3.0) as usize);
        let mut at = 0;
        let mut ring = Vec::with_capacity(n);
        for k in 0..n {
            let goal = total * (k as f64 / n as f64);
            while at + 2 < way.len() && way[at + 1] < goal {
                at += 1;
            }
            let share = (goal - way[at]) / (way[at + 1] - way[at]).max(f64::MIN_POSITIVE);
            ring.push(around((at as f64 + share.clamp(0.0, 1.0)) / 512.0));
        }
        ring
    }

    /// The point at a share of the way around and a share of the way up.
    fn point(&self, around: f64, up: f64) -> DVec3 {
        let outline = Self::outline(around * TAU);
        let bow = outline.x.max(0.0).powi(2);
        let fullness = FULLNESS[0] + (FULLNESS[1] - FULLNESS[0]) * bow;
        // A superellipse from the keel to the rim: first outward, then up.
        let (sin, cos) = (up * FRAC_PI_2).sin_cos();
        let (out, down) = (sin.powf(2.0 / fullness), cos.max(0.0).powf(2.0 / fullness));
        let across = outline * self.half * out;
        let rise = self.sheer * (across.x / self.reach).max(0.0).powi(2) * (1.0 - down);
        DVec3::new(across.x, self.top - self.depth * down + rise, across.y)
    }
}
