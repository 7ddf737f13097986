//! Shapes with a flat outline: gears and paddle wheels.

use std::f64::consts::TAU;

use glam::DVec2;

use super::polygon::triangulate;
use super::refine::Region;
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
