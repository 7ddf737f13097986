//! Sampling of triangle meshes by scanlines, \[Akinci2013\] Sec. 2.4.
//!
//! Particles are placed on every vertex, along every edge, and in every triangle on lines parallel to its shortest
//! edge.
//!
//! | paper | here |
//! | --- | --- |
//! | d, particle diameter | `spacing` |
//! | `e_s`, shortest edge | `base` |
//! | `h_t`, height in sweeping direction | `height` |
//! | `n_e`, `n_t`, `n_s` | results of `intervals_up` |
//!
//! **Departures.** Counts are rounded up instead of down, so that no gap is wider than the spacing. Samples much nearer
//! than a spacing to an earlier one are removed afterwards, because triangles smaller than the spacing would
//! otherwise be sampled many times over. That widens gaps, but no place of the surface comes to be farther than a
//! spacing from its nearest sample. The end points of a scanline lie on edges that have their own samples and are
//! left out.

use std::collections::{HashMap, HashSet};

use glam::{DVec3, I64Vec3};

use crate::error::allow_count;
use crate::{GeometryError, TriangleMesh};

/// Samples of a surface nearer to each other than this are thinned out, in spacings. Half a spacing would leave fine
/// meshes with 2.6 times the samples of a lattice; three quarters would tear holes wider than a spacing `[1]`.
const MIN_DISTANCE: f64 = 0.7;
/// The same for samples of a line, where each one that is taken away leaves a gap between just two others `[1]`.
const MIN_LINE_DISTANCE: f64 = 0.5;

/// Intervals of at most `spacing` in a length, at least one.
fn intervals_up(length: f64, spacing: f64) -> f64 {
    // The slack keeps 10 intervals of 0.1 in a length of 1 when rounding made it 1 + 1e-16.
    (length / spacing - 1e-9).ceil().max(1.0)
}

/// Samples of the whole surface, at most `spacing` `[m]` apart along the lines.
pub(super) fn surface(mesh: &TriangleMesh, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let edges = edges(mesh);
    let on_edges: f64 = edges.iter().map(|[a, b]| intervals_up(a.distance(*b), spacing)).sum();
    let inside: f64 = mesh.corners().map(|t| Sweep::new(t, spacing).count()).sum();
    allow_count(mesh.vertex.len() as f64 + on_edges + inside)?;

    let mut points = mesh.vertex.clone();
    for [a, b] in edges {
        between(a, b, spacing, &mut points);
    }
    for triangle in mesh.corners() {
        Sweep::new(triangle, spacing).sample(&mut points);
    }
    Ok(thin(points, MIN_DISTANCE * spacing))
}

/// Samples along line segments with z = 0, ends included.
pub(super) fn outline(segments: &[[DVec3; 2]], spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    allow_count(segments.iter().map(|[a, b]| 1.0 + intervals_up(a.distance(*b), spacing)).sum())?;
    let mut points: Vec<DVec3> = segments.iter().flatten().copied().collect();
    for [a, b] in segments {
        between(*a, *b, spacing, &mut points);
    }
    Ok(thin(points, MIN_LINE_DISTANCE * spacing))
}

/// Every edge once, in the order of the triangles.
fn edges(mesh: &TriangleMesh) -> Vec<[DVec3; 2]> {
    let mut seen = HashSet::with_capacity(2 * mesh.triangle.len());
    let all = mesh.triangle.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    all.map(|[a, b]| [a.min(b), a.max(b)])
        .filter(|e| seen.insert(*e))
        .map(|e| e.map(|v| mesh.vertex[v as usize]))
        .collect()
}

/// Points that cut a segment into intervals of at most `spacing`, without its ends.
fn between(a: DVec3, b: DVec3, spacing: f64, points: &mut Vec<DVec3>) {
    let n = intervals_up(a.distance(b), spacing);
    points.extend((1..n as usize).map(|i| a.lerp(b, i as f64 / n)));
}

/// The scanlines of a triangle, from its shortest edge to the opposite corner.
struct Sweep {
    base: [DVec3; 2],
    tip: DVec3,
    lines: f64,
    spacing: f64,
}

impl Sweep {
    fn new(corner: [DVec3; 3], spacing: f64) -> Self {
        let length = |k: usize| corner[k].distance_squared(corner[(k + 1) % 3]);
        let shortest = (1..3).fold(0, |best, k| if length(k) < length(best) { k } else { best });
        let base = [corner[shortest], corner[(shortest + 1) % 3]];
        let tip = corner[(shortest + 2) % 3];
        // h_t: the part of another edge that is at right angles to e_s.
        let along = (base[1] - base[0]).normalize_or_zero();
        let height = (tip - base[0]).reject_from_normalized(along).length();
        Self { base, tip, lines: intervals_up(height, spacing), spacing }
    }

    /// An upper bound of the number of samples.
    fn count(&self) -> f64 {
        self.lines * intervals_up(self.base[0].distance(self.base[1]), self.spacing)
    }

    fn sample(&self, points: &mut Vec<DVec3>) {
        for line in 1..self.lines as usize {
            let [a, b] = self.base.map(|end| end.lerp(self.tip, line as f64 / self.lines));
            between(a, b, self.spacing, points);
        }
    }
}

/// The points without those nearer than `distance` `[m]` to one that is kept before them.
fn thin(points: Vec<DVec3>, distance: f64) -> Vec<DVec3> {
    const NONE: u32 = u32::MAX;
    let limit = distance * distance * (1.0 - 1e-9);
    // Per cell the last point kept in it, per point the one kept before it in the same cell.
    let mut last: HashMap<I64Vec3, u32> = HashMap::new();
    let mut previous: Vec<u32> = Vec::new();
    let mut kept: Vec<DVec3> = Vec::new();
    for p in points {
        // Cells are twice as wide as the distance: what is near lies in the cell or in those across its nearer faces.
        let place = p / (2.0 * distance);
        let cell = place.floor().as_i64vec3();
        let nearer = (place - place.floor()).cmplt(DVec3::splat(0.5));
        let side = I64Vec3::select(nearer, I64Vec3::NEG_ONE, I64Vec3::ONE);
        let is_near = |corner: i64| {
            let offset = side * I64Vec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let mut at = last.get(&cell.saturating_add(offset)).copied().unwrap_or(NONE);
            while let (Some(q), Some(before)) = (kept.get(at as usize), previous.get(at as usize)) {
                if q.distance_squared(p) < limit {
                    return true;
                }
                at = *before;
            }
            false
        };
        if !(0..8).any(is_near) {
            previous.push(last.insert(cell, kept.len() as u32).unwrap_or(NONE));
            kept.push(p);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::solid::tests::neighbour_distances;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn samples_are_neither_far_apart_nor_many_more_than_a_lattice() {
        let meshes = [
            (cube(1.0), 0.13),
            (cube(1.0), 0.1),
            (sphere(1), 0.2),
            (sphere(2), 0.1),
            (sphere(3), 0.1),
            (sphere(4), 0.1),
            (sphere(5), 0.1),
        ];
        for (mesh, spacing) in meshes {
            let points = surface(&mesh, spacing).unwrap();
            let nearest = |x: DVec3| points.iter().map(|p| p.distance(x)).fold(f64::INFINITY, f64::min);
            for [a, b, c] in mesh.corners() {
                let n = (a.distance(b).max(b.distance(c)).max(c.distance(a)) / (0.25 * spacing)).ceil();
                for i in 0..=n as usize {
                    for j in 0..=n as usize - i {
                        let x = a + i as f64 / n * (b - a) + j as f64 / n * (c - a);
                        assert!(nearest(x) < spacing, "{x} is {} m from a sample", nearest(x));
                    }
                }
            }
            let (min, max) = neighbour_distances(&points);
            assert!(min >= 0.7 * spacing * (1.0 - 1e-9) && max < 1.3 * spacing, "{min} {max}");
            let area: f64 = mesh.corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
            let ratio = points.len() as f64 * spacing * spacing / area;
            assert!((0.9..1.35).contains(&ratio), "{ratio} times the samples of a lattice");
        }
    }

    #[test]
    fn a_right_triangle_has_its_lattice() {
        let mesh = TriangleMesh {
            vertex: vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, 2.0, 0.0)],
            triangle: vec![[0, 1, 2]],
        };
        let points = surface(&mesh, 0.5).unwrap();
        // 3 corners, 1 + 3 + 4 on the edges, scanlines of length 0.75 (1 point), 0.5 and 0.25 (none). The last point
        // of the longest edge is too near to the last one of the edge beside it.
        assert_eq!(points.len(), 3 + 8 + 1 - 1);
    }

    #[test]
    fn thinning_agrees_with_brute_force_and_keeps_the_first() {
        let points: Vec<DVec3> = (0..600)
            .map(|i| {
                DVec3::new(
                    (f64::from(i) * 0.77).sin(),
                    (f64::from(i) * 1.37).sin(),
                    (f64::from(i) * 0.31).cos(),
                )
            })
            .collect();
        let mut brute: Vec<DVec3> = Vec::new();
        for p in &points {
            if brute.iter().all(|q| q.distance(*p) >= 0.25) {
                brute.push(*p);
            }
        }
        assert_eq!(thin(points, 0.25), brute);
    }
}
