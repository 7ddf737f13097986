//! Samples of boxes, spheres, cylinders and planes, and of the outlines that they have in the plane.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::solid::{intervals, ticks};
use crate::error::allow_count;
use crate::{GeometryError, OpenFaces};

/// Regular grids on the closed faces of a centred box; edges and corners are shared, no point comes twice.
///
/// A box without extent along an axis has a single layer there, which makes the outline of a rectangle the surface
/// of a box without depth whose z faces are open.
pub(super) fn box_surface(size: DVec3, open: OpenFaces, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let n = size.to_array().map(|length| intervals(length, spacing));
    let [a, b, c] = n.map(|n| n + 1.0);
    allow_count(2.0 * (a * b + b * c + c * a))?;
    let tick = [0, 1, 2].map(|axis| ticks(size[axis], n[axis]));
    let last = [0, 1, 2].map(|axis| tick[axis].len() - 1);
    let on_face = |axis: usize, i: usize| {
        (i == 0 && !open.is_open(axis, false)) || (i == last[axis] && !open.is_open(axis, true))
    };
    let mut points = Vec::new();
    for (k, &z) in tick[2].iter().enumerate() {
        for (j, &y) in tick[1].iter().enumerate() {
            let whole_row = on_face(1, j) || on_face(2, k);
            // Inside of the other faces only the ends of a row are on the surface.
            let step = if whole_row { 1 } else { last[0].max(1) };
            for i in (0..=last[0]).step_by(step).filter(|&i| whole_row || on_face(0, i)) {
                points.push(DVec3::new(tick[0][i], y, z));
            }
        }
    }
    Ok(points)
}

/// A Fibonacci lattice with one point per spacing² on a sphere about the origin; the centre if there is no radius.
pub(super) fn sphere_surface(radius: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    if radius <= 0.0 {
        return Ok(vec![DVec3::ZERO]);
    }
    let count = (4.0 * PI * (radius / spacing).powi(2)).round().max(1.0);
    allow_count(count)?;
    // Successive points turn by the golden angle, the turn that is worst approximated by fractions of a circle.
    let golden_angle = PI * (3.0 - 5f64.sqrt());
    Ok((0..count as usize)
        .map(|i| {
            let y = 1.0 - (2.0 * i as f64 + 1.0) / count;
            let ring = (1.0 - y * y).sqrt();
            let (sin, cos) = (golden_angle * i as f64).sin_cos();
            // Normalised, because the rounding of y is felt near the poles.
            DVec3::new(ring * cos, y, ring * sin).normalize() * radius
        })
        .collect())
}

/// Evenly spaced points on a circle about the origin in the plane z = 0; the centre if there is no radius.
pub(super) fn circle(radius: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    if radius <= 0.0 {
        return Ok(vec![DVec3::ZERO]);
    }
    let count = ring_count(radius, spacing);
    allow_count(count)?;
    Ok(ring(radius, count).map(|[x, y]| DVec3::new(x, y, 0.0)).collect())
}

/// How many points about `spacing` apart a ring has, at least three.
fn ring_count(radius: f64, spacing: f64) -> f64 {
    (TAU * radius / spacing).round().max(3.0)
}

/// The points of a ring in its plane.
fn ring(radius: f64, count: f64) -> impl Iterator<Item = [f64; 2]> {
    (0..count as usize).map(move |i| {
        let (sin, cos) = (TAU * i as f64 / count).sin_cos();
        [radius * cos, radius * sin]
    })
}

/// Rings on the side of a cylinder along y and concentric rings on its caps, which share the rim.
pub(super) fn cylinder_surface(radius: f64, height: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let layers = intervals(height, spacing);
    let rings = intervals(radius, spacing);
    let around = if rings < 1.0 { 1.0 } else { ring_count(radius, spacing) };
    // The caps' rings have at most as many points as the rim.
    allow_count(around * (layers + 1.0 + 2.0 * rings))?;
    let mut points = Vec::new();
    let heights = ticks(height, layers);
    for (i, &y) in heights.iter().enumerate() {
        let is_cap = i == 0 || i + 1 == heights.len();
        if is_cap || rings < 1.0 {
            points.push(DVec3::new(0.0, y, 0.0));
        }
        let innermost = if is_cap { 1 } else { rings as usize };
        for k in innermost.max(1)..=rings as usize {
            let r = radius * (k as f64 / rings);
            points.extend(ring(r, ring_count(r, spacing)).map(|[x, z]| DVec3::new(x, y, z)));
        }
    }
    Ok(points)
}

/// A grid on the patch of these edge lengths along x and z, at the height `y`.
pub(super) fn patch(size: [f64; 2], y: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let n = size.map(|length| intervals(length, spacing));
    allow_count((n[0] + 1.0) * (n[1] + 1.0))?;
    let xs = ticks(size[0], n[0]);
    let rows = ticks(size[1], n[1]).into_iter();
    Ok(rows.flat_map(|z| xs.iter().map(move |&x| DVec3::new(x, y, z))).collect())
}

/// The line that a patch becomes in two dimensions.
pub(super) fn line(length: f64, y: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    patch([length, 0.0], y, spacing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::solid::tests::neighbour_distances;

    #[test]
    fn counts_are_those_of_a_hollow_lattice() {
        let points = box_surface(DVec3::new(1.0, 0.5, 0.3), OpenFaces::NONE, 0.1).unwrap();
        assert_eq!(points.len(), 11 * 6 * 4 - 9 * 4 * 2);
        let (min, max) = neighbour_distances(&points);
        assert!((min - 0.1).abs() < 1e-12 && (max - 0.1).abs() < 1e-12);
    }

    #[test]
    fn open_faces_lose_their_inner_points_only() {
        let open_top = OpenFaces::new([false, false, false, true, false, false]);
        let points = box_surface(DVec3::ONE, open_top, 0.1).unwrap();
        assert_eq!(points.len(), 11 * 11 * 11 - 9 * 9 * 9 - 9 * 9);
        let nothing = OpenFaces::new([true; 6]);
        assert!(box_surface(DVec3::ONE, nothing, 0.1).unwrap().is_empty());
    }

    #[test]
    fn a_rectangle_is_a_box_without_depth() {
        let open = OpenFaces::new([false, false, false, false, true, true]);
        let points = box_surface(DVec3::new(1.0, 0.5, 0.0), open, 0.1).unwrap();
        assert_eq!(points.len(), 2 * (10 + 5));
        assert!(points.iter().all(|p| p.z == 0.0));
    }

    #[test]
    fn one_point_per_spacing_squared() {
        for radius in [0.15, 0.5, 2.0] {
            let points = sphere_surface(radius, 0.1).unwrap();
            assert!((points.len() as f64 * 0.01 / (4.0 * PI * radius * radius) - 1.0).abs() < 0.02);
            let (min, max) = neighbour_distances(&points);
            assert!(min > 0.08 && max < 0.12, "{radius} {min} {max}");
            let circle = circle(radius, 0.1).unwrap();
            let (min, max) = neighbour_distances(&circle);
            assert!(min > 0.08 && max < 0.12, "{radius} {min} {max}");
        }
    }

    #[test]
    fn caps_and_side_share_the_rim() {
        let points = cylinder_surface(0.2, 0.5, 0.1).unwrap();
        // Side: 6 rings of 13; each cap adds a ring of 6 and the centre.
        assert_eq!(points.len(), 6 * 13 + 2 * (6 + 1));
        let (min, max) = neighbour_distances(&points);
        assert!(min > 0.06 && max < 0.14);
    }

    #[test]
    fn flat_and_thin_cylinders_collapse() {
        assert_eq!(cylinder_surface(-1.0, 0.5, 0.1).unwrap().len(), 6);
        assert_eq!(cylinder_surface(0.2, -1.0, 0.1).unwrap().len(), 13 + 6 + 1);
        assert_eq!(cylinder_surface(-1.0, -1.0, 0.1).unwrap(), [DVec3::ZERO]);
    }

    #[test]
    fn grids_reach_the_edges() {
        let points = patch([1.0, 0.52], -0.05, 0.1).unwrap();
        assert_eq!(points.len(), 11 * 6);
        assert_eq!(points[0], DVec3::new(-0.5, -0.05, -0.26));
        assert_eq!(line(1.0, 0.0, 0.1).unwrap().len(), 11);
    }
}
