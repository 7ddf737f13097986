//! Shapes with a flat outline: gears and paddle wheels.

use std::f64::consts::TAU;

use glam::DVec2;

use super::polygon::triangulate;
use super::{SEGMENTS, allow_triangles, check, invalid, require_smaller};
use crate::{GeometryError, TriangleMesh};

/// A gear in the xy plane, its axis along z.
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
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, or if there are not 3 to 512 teeth.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius, tooth_depth, width, teeth } = *self;
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
        extrude(&corner, width)
    }
}

impl PaddleWheel {
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
        let room = 2.0 * hub * (0.5 * pitch).sin();
        require_smaller(("paddle thickness", thickness), ("the room at the hub", 0.95 * room))?;
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
        let corner: Vec<DVec2> = (0..paddles).flat_map(outline).collect();
        extrude(&corner, width)
    }
}

fn require_count(name: &str, count: u32) -> Result<(), GeometryError> {
    if (3..=512).contains(&count) { Ok(()) } else { Err(invalid(format!("{name} = {count}"), "3 to 512")) }
}

/// Stretches an outline, counter-clockwise, along z to both sides of the xy plane.
fn extrude(corner: &[DVec2], width: f64) -> Result<TriangleMesh, GeometryError> {
    let n = corner.len() as u32;
    let round: f64 = (0..corner.len()).map(|k| corner[k].distance(corner[(k + 1) % corner.len()])).sum();
    let layers = (width / (round / f64::from(n))).round().max(1.0);
    allow_triangles(2.0 * f64::from(n) * (layers + 1.0))?;
    let layers = layers as u32;
    let level = |k: u32| width * (f64::from(k) / f64::from(layers) - 0.5);
    let mut mesh = TriangleMesh {
        vertex: (0..=layers).flat_map(|k| corner.iter().map(move |p| p.extend(level(k)))).collect(),
        triangle: Vec::new(),
    };
    for k in 0..layers {
        for i in 0..n {
            let [a, b] = [k * n + i, k * n + (i + 1) % n];
            mesh.triangle.extend([[a, b, b + n], [a, b + n, a + n]]);
        }
    }
    for t in triangulate(corner) {
        mesh.triangle.push([t[0], t[2], t[1]]);
        mesh.triangle.push(t.map(|v| v + layers * n));
    }
    Ok(mesh)
}
