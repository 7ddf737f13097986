//! Shapes with a flat outline: gears and paddle wheels, and the triangles of a polygon.
//!
//! A simple polygon is cut into triangles by its ears. An ear is a corner whose two sides can be joined by a line inside of
//! the polygon. There are always two, so cutting them off one by one ends. Of all ears the one with the widest smallest angle
//! goes first, which leaves less for [`refine`](super::refine) to do.

use std::f64::consts::TAU;

use glam::DVec2;

use super::refine::{Region, least_sine};
use super::{SEGMENTS, allow_triangles, check, invalid, require_smaller, short};
use crate::{GeometryError, TriangleMesh};

/// A gear in the xy plane, its axis along z; with or without a hole for a shaft.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gear {
    /// From the axis to the tips of the teeth `[m]`.
    pub radius: f64,
    /// From the tips to the ground between the teeth, less than the radius `[m]`.
    pub tooth_depth: f64,
    /// The extent along z `[m]`.
    pub width: f64,
    /// How many teeth `[1]`.
    pub teeth: u32,
    /// The radius of the hole along its axis, if it has one: less than 0.9 times that of the ground `[m]`.
    pub bore: Option<f64>,
}

/// A hub with straight paddles in the xy plane, its axis along z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaddleWheel {
    /// From the axis to the ends of the paddles `[m]`.
    pub radius: f64,
    /// The radius of the hub, smaller than that of the wheel `[m]`.
    pub hub: f64,
    /// The thickness of a paddle `[m]`.
    pub thickness: f64,
    /// The extent along z `[m]`.
    pub width: f64,
    /// How many paddles `[1]`.
    pub paddles: u32,
}

impl Gear {
    /// How many teeth if nobody asks for another number `[1]`.
    pub const TEETH: u32 = 18;

    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, or if there are not 3 to 512 teeth.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius, tooth_depth, width, teeth, bore } = *self;
        check(
            &[("gear radius", radius), ("gear tooth depth", tooth_depth), ("gear width", width)],
            SEGMENTS,
        )?;
        require_smaller(("gear tooth depth", tooth_depth), ("its radius", radius))?;
        require_count("teeth", teeth)?;
        let pitch = TAU / f64::from(teeth);
        let ground = radius - tooth_depth;
        // Shares of the pitch, from the middle of a tooth: its tip, its foot, and the ground up to the next one.
        let outline = |k: u32| {
            let at = |share: f64, r: f64| DVec2::from_angle((f64::from(k) + share) * pitch) * r;
            [at(-0.30, ground), at(-0.15, radius), at(0.15, radius), at(0.30, ground), at(0.5, ground)]
        };
        let corner: Vec<DVec2> = (0..teeth).flat_map(outline).collect();
        let Some(bore) = bore else { return extrude(&whole(corner), width) };
        check(&[("gear bore", bore)], SEGMENTS)?;
        require_smaller(("gear bore", bore), ("0.9 times the radius of its ground", short(0.9 * ground)))?;
        extrude(&with_hole(corner, teeth, bore), width)
    }
}

impl PaddleWheel {
    /// How many paddles if nobody asks for another number `[1]`.
    pub const PADDLES: u32 = 8;

    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, if there are not 3 to 512 paddles, or if they are too thick for the hub.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius, hub, thickness, width, paddles } = *self;
        check(
            &[
                ("wheel radius", radius),
                ("wheel hub", hub),
                ("paddle thickness", thickness),
                ("wheel width", width),
            ],
            SEGMENTS,
        )?;
        require_smaller(("wheel hub", hub), ("its radius", radius))?;
        require_count("paddles", paddles)?;
        let pitch = TAU / f64::from(paddles);
        let room = short(0.95 * 2.0 * hub * (0.5 * pitch).sin());
        require_smaller(("paddle thickness", thickness), ("the room at the hub", room))?;
        // The paddle meets the hub where its side leaves the circle.
        let (half, foot) = (0.5 * thickness, (0.5 * thickness / hub).asin());
        let arc = ((pitch - 2.0 * foot) / (TAU / f64::from(SEGMENTS))).ceil().max(1.0);
        let along = ((radius - hub) / (0.25 * radius)).ceil().max(1.0);
        let outline = |k: u32| {
            let axis = DVec2::from_angle(f64::from(k) * pitch);
            let inner = hub * foot.cos();
            let at = move |u: f64, side: f64| axis * u + axis.perp() * (side * half);
            let out = move |j: usize| inner + (radius - inner) * (j as f64 / along);
            let up = (0..=along as usize).map(move |j| at(out(j), -1.0));
            let down = (0..=along as usize).rev().map(move |j| at(out(j), 1.0));
            let rim = (1..arc as usize).map(move |j| {
                let share = foot + (pitch - 2.0 * foot) * (j as f64 / arc);
                DVec2::from_angle(f64::from(k) * pitch + share) * hub
            });
            up.chain(down).chain(rim)
        };
        extrude(&whole((0..paddles).flat_map(outline).collect()), width)
    }
}

fn require_count(name: &str, count: u32) -> Result<(), GeometryError> {
    if (3..=512).contains(&count) { Ok(()) } else { Err(invalid(format!("{name} = {count}"), "3 to 512")) }
}

/// The region within an outline.
fn whole(corner: Vec<DVec2>) -> Region {
    let triangles = triangulate(&corner);
    Region::refined(corner, &triangles)
}

/// The region between an outline of equal sectors and a circle about the origin, which is inside of it.
fn with_hole(corner: Vec<DVec2>, sectors: u32, radius: f64) -> Region {
    let n = corner.len() as u32;
    let groups = sectors.min(SEGMENTS);
    let arc = SEGMENTS.div_ceil(groups);
    // Seen from the origin, the outline goes on turning; so lines from it to the circle cut the region into pieces
    // without holes, each with a whole number of sectors.
    let cut = |k: u32| k % groups * sectors / groups * (n / sectors);
    let mut vertex = corner;
    for k in 0..groups {
        let [from, to] = [cut(k), cut(k + 1)].map(|v| vertex[v as usize].to_angle());
        let turn = (to - from).rem_euclid(TAU);
        let at = |j: u32| DVec2::from_angle(from + turn * f64::from(j) / f64::from(arc)) * radius;
        vertex.extend((0..arc).map(at));
    }
    let piece = |k: u32| {
        let end = if k + 1 < groups { cut(k + 1) } else { n };
        let outer = (cut(k)..=end).map(|v| v % n);
        let inner = (k * arc..=(k + 1) * arc).rev().map(|v| n + v % (groups * arc));
        let ids: Vec<u32> = outer.chain(inner).collect();
        let places: Vec<DVec2> = ids.iter().map(|v| vertex[*v as usize]).collect();
        triangulate(&places).into_iter().map(move |t| t.map(|v| ids[v as usize])).collect::<Vec<_>>()
    };
    let triangles: Vec<[u32; 3]> = (0..groups).flat_map(piece).collect();
    Region::refined(vertex, &triangles)
}

/// Stretches a region along z to both sides of the xy plane.
fn extrude(region: &Region, width: f64) -> Result<TriangleMesh, GeometryError> {
    let Region { vertex, triangle, side, .. } = region;
    let round: f64 = side.iter().map(|[a, b]| vertex[*a as usize].distance(vertex[*b as usize])).sum();
    let layers = (width / (round / side.len() as f64)).round().max(1.0);
    allow_triangles(2.0 * (side.len() as f64 * layers + triangle.len() as f64))?;
    let (layers, n) = (layers as u32, side.len() as u32);
    // Vertices of the border come first, in every layer; those within only below and above.
    let mut border = vec![None; vertex.len()];
    side.iter().zip(0..).for_each(|([a, _], k)| border[*a as usize] = Some(k));
    let within: Vec<usize> = (0..vertex.len()).filter(|v| border[*v].is_none()).collect();
    let mut number: Vec<[u32; 2]> =
        border.iter().map(|k| k.map_or([0; 2], |k| [k, k + layers * n])).collect();
    let first = n * (layers + 1);
    within.iter().zip(first..).for_each(|(v, k)| number[*v] = [k, k + within.len() as u32]);

    let level = |k: u32| width * (f64::from(k) / f64::from(layers) - 0.5);
    let edge = |k: u32| side.iter().map(move |[a, _]| vertex[*a as usize].extend(level(k)));
    let face = |k: u32| within.iter().map(move |v| vertex[*v].extend(level(k)));
    let mut mesh = TriangleMesh {
        vertex: (0..=layers).flat_map(edge).chain([0, layers].into_iter().flat_map(face)).collect(),
        triangle: Vec::new(),
    };
    for k in 0..layers {
        for e in side {
            let [a, b] = e.map(|v| number[v as usize][0] + k * n);
            mesh.triangle.extend([[a, b, b + n], [a, b + n, a + n]]);
        }
    }
    for [a, b, c] in triangle.iter().map(|t| t.map(|v| number[v as usize])) {
        mesh.triangle.extend([[a[0], c[0], b[0]], [a[1], b[1], c[1]]]);
    }
    Ok(mesh)
}

/// The triangles of a polygon without crossings, counter-clockwise, by the numbers of its corners.
pub(super) fn triangulate(corner: &[DVec2]) -> Vec<[u32; 3]> {
    let mut left: Vec<u32> = (0..corner.len() as u32).collect();
    let mut triangles = Vec::with_capacity(corner.len().saturating_sub(2));
    // What each remaining corner is worth as an ear; only the two beside a cut change.
    let mut worth: Vec<f64> = (0..left.len()).map(|k| ear(corner, &left, k)).collect();
    while left.len() > 3 {
        let best = (0..left.len()).fold(0, |best, k| if worth[k] > worth[best] { k } else { best });
        triangles.push(around(&left, best));
        left.remove(best);
        worth.remove(best);
        let n = left.len();
        for k in [(best + n - 1) % n, best % n] {
            worth[k] = ear(corner, &left, k);
        }
        // Corners that were blocked by the one that is gone may be free now.
        for (k, worth) in worth.iter_mut().enumerate().filter(|(_, worth)| (-1.5..0.0).contains(*worth)) {
            *worth = ear(corner, &left, k);
        }
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// A corner between those before and after it.
fn around(left: &[u32], k: usize) -> [u32; 3] {
    let n = left.len();
    [left[(k + n - 1) % n], left[k], left[(k + 1) % n]]
}

/// The sine of the smallest angle of the triangle at a corner; negative if it is no ear.
fn ear(corner: &[DVec2], left: &[u32], k: usize) -> f64 {
    let ids = around(left, k);
    let [a, b, c] = ids.map(|v| corner[v as usize]);
    if (b - a).perp_dot(c - a) <= 0.0 {
        return -2.0;
    }
    let inside = |p: DVec2| {
        (b - a).perp_dot(p - a) >= 0.0 && (c - b).perp_dot(p - b) >= 0.0 && (a - c).perp_dot(p - c) >= 0.0
    };
    if left.iter().any(|v| !ids.contains(v) && inside(corner[*v as usize])) {
        return -1.0;
    }
    least_sine([a, b, c])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn area(corner: &[DVec2]) -> f64 {
        let n = corner.len();
        (0..n).map(|k| 0.5 * corner[k].perp_dot(corner[(k + 1) % n])).sum()
    }

    #[test]
    fn a_spiral_is_covered_exactly_once() {
        let outline =
            [[0, 0], [5, 0], [5, 5], [1, 5], [1, 2], [3, 2], [3, 3], [2, 3], [2, 4], [4, 4], [4, 1], [0, 1]];
        let corner: Vec<DVec2> = outline.iter().map(|p| DVec2::new(p[0].into(), p[1].into())).collect();
        let triangles = triangulate(&corner);
        assert_eq!(triangles.len(), 10);
        let parts: Vec<f64> = triangles.iter().map(|t| area(&t.map(|v| corner[v as usize]))).collect();
        assert!(parts.iter().all(|a| *a > 0.0));
        assert!((parts.iter().sum::<f64>() - area(&corner)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn any_star_is_covered_exactly_once(radius in proptest::collection::vec(0.1..1.0f64, 3..60)) {
            let n = radius.len() as f64;
            let at = |(k, r): (usize, &f64)| DVec2::from_angle(k as f64 / n * std::f64::consts::TAU) * *r;
            let corner: Vec<DVec2> = radius.iter().enumerate().map(at).collect();
            let triangles = triangulate(&corner);
            prop_assert_eq!(triangles.len(), corner.len() - 2);
            let parts: Vec<f64> = triangles.iter().map(|t| area(&t.map(|v| corner[v as usize]))).collect();
            prop_assert!((parts.iter().sum::<f64>() - area(&corner)).abs() < 1e-9);
            prop_assert!(parts.iter().all(|a| *a > -1e-12));
        }
    }
}
