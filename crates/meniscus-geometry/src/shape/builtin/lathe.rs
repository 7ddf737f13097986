//! Surfaces made of rings, one above the other.
//!
//! A ring has as many vertices as its length asks for, so that triangles are about equally large and wide from the
//! rim to the axis. Rings with different numbers are joined like the two sides of a zip.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::allow_triangles;
use crate::{GeometryError, TriangleMesh};

/// A closed line, counter-clockwise seen from above; a single vertex where the surface meets the axis.
pub(super) type Ring = Vec<DVec3>;

/// The surface between consecutive rings. It begins and ends with single vertices, or with `loops` its last ring is
/// joined to its first. Going up, the matter is towards the axis.
pub(super) fn join(rings: &[Ring], loops: bool) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let mut start = Vec::with_capacity(rings.len());
    for ring in rings {
        start.push((mesh.vertex.len() as u32, ring.len() as u32));
        mesh.vertex.extend(ring);
    }
    for pair in start.windows(2) {
        zip(&mut mesh, pair[0], pair[1]);
    }
    if let (true, [first, .., last]) = (loops, start.as_slice()) {
        zip(&mut mesh, *last, *first);
    }
    mesh
}

/// Joins two rings, each given by its first vertex and its number of vertices.
fn zip(mesh: &mut TriangleMesh, (lower, m): (u32, u32), (upper, n): (u32, u32)) {
    // A single vertex is no line, so one cannot go along it.
    let (steps_below, steps_above) = (if m > 1 { m } else { 0 }, if n > 1 { n } else { 0 });
    let (mut i, mut j) = (0, 0);
    while i < steps_below || j < steps_above {
        let (a, b) = (lower + i % m, upper + j % n);
        // The end that is less far round goes on; in whole numbers, so that no rounding decides.
        let below = j >= steps_above
            || i < steps_below && u64::from(2 * i + 1) * u64::from(n) <= u64::from(2 * j + 1) * u64::from(m);
        if below {
            i += 1;
            mesh.triangle.push([a, lower + i % m, b]);
        } else {
            j += 1;
            mesh.triangle.push([a, upper + j % n, b]);
        }
    }
}

/// Points of a profile no further apart than `step`, without the last one; corners stay.
pub(super) fn subdivided(profile: &[DVec2], step: f64) -> Result<Vec<DVec2>, GeometryError> {
    let pieces = |a: DVec2, b: DVec2| (a.distance(b) / step - 1e-9).ceil().max(1.0);
    let widest = profile.iter().map(|p| p.x).fold(0.0, f64::max);
    let rings: f64 = profile.windows(2).map(|w| pieces(w[0], w[1])).sum();
    allow_triangles(2.0 * rings * (TAU * widest / step).max(6.0))?;
    let mut points = Vec::new();
    for w in profile.windows(2) {
        let n = pieces(w[0], w[1]);
        points.extend((0..n as usize).map(|k| w[0].lerp(w[1], k as f64 / n)));
    }
    Ok(points)
}

/// Turns a profile of radius and height about the y axis. It runs with the matter on its left, from axis to axis or
/// back to its first point, which is given again; its longest circle has `segments` chords.
pub(super) fn revolve(profile: &[DVec2], segments: u32) -> Result<TriangleMesh, GeometryError> {
    let widest = profile.iter().map(|p| p.x).fold(0.0, f64::max);
    let step = TAU * widest / f64::from(segments);
    let mut points = subdivided(profile, step)?;
    let loops = profile.first() == profile.last();
    if let (false, Some(last)) = (loops, profile.last()) {
        points.push(*last);
    }
    let rings: Vec<Ring> = points.iter().map(|p| circle(*p, step, segments)).collect();
    Ok(join(&rings, loops))
}

/// A circle about the y axis, with chords of about `step`.
fn circle(p: DVec2, step: f64, most: u32) -> Ring {
    if p.x <= 0.0 {
        return vec![DVec3::Y * p.y];
    }
    let n = ((TAU * p.x / step).round() as u32).clamp(most.min(5), most);
    let vertex = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(n)).sin_cos();
        DVec3::new(p.x * sin, p.y, p.x * cos)
    };
    (0..n).map(vertex).collect()
}

/// Points of an arc about `centre` from one angle to another, both ends included `[rad]`.
pub(super) fn arc(centre: DVec2, radius: f64, from: f64, to: f64, step: f64) -> impl Iterator<Item = DVec2> {
    let n = ((to - from).abs() * radius / step).round().clamp(2.0, 1e4);
    (0..=n as usize).map(move |k| {
        let angle = from + (to - from) * (k as f64 / n);
        centre + radius * DVec2::from_angle(angle)
    })
}
