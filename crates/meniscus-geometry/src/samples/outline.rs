//! The outline of a section with the plane z = 0: samples of its lines, and the nearest place on them.

use std::collections::HashSet;

use glam::DVec3;

use super::cells::PointGrid;
use super::random::RandomStream;
use super::scanline::Rounding;
use crate::error::allow_count;
use crate::sampling::cut;
use crate::{GeometryError, MeshShape, Pose, TriangleMesh};

/// Darts at each stretch of a radius `[1]`: the gap that all miss is seldom longer than two radii.
const DARTS: f64 = 16.0;

/// Line segments in the plane z = 0.
#[derive(Debug)]
pub(super) struct Outline {
    segments: Vec<[DVec3; 2]>,
    /// The segments as strips that stand on the plane: a mesh knows how to find what is near.
    strips: MeshShape,
}

impl Outline {
    /// The outline of a mesh where the plane z = 0 meets it.
    pub fn of(mesh: &TriangleMesh) -> Result<Self, GeometryError> {
        let segments = cut(mesh, &Pose::IDENTITY);
        if segments.is_empty() {
            let what = "a mesh that does not meet the plane z = 0".to_owned();
            return Err(GeometryError::Invalid { what, allowed: "a mesh that does, for a planar sampling" });
        }
        let height = DVec3::Z * mesh.bounds().size().max_element();
        let vertex = segments.iter().flat_map(|[a, b]| [*a - height, *b - height, *b + height, *a + height]);
        let strip = |i: u32| [[4 * i, 4 * i + 1, 4 * i + 2], [4 * i, 4 * i + 2, 4 * i + 3]];
        let triangle = (0..segments.len() as u32).flat_map(strip).collect();
        let strips = MeshShape::new(TriangleMesh { vertex: vertex.collect(), triangle })?;
        Ok(Self { segments, strips })
    }

    /// The nearest place of the outline `[m]`.
    pub fn closest_point(&self, x: DVec3) -> DVec3 {
        self.strips.closest_point(x).with_z(0.0)
    }

    /// Samples on the ends of the segments and between them, as scanlines have on vertices and edges.
    pub fn scanline(&self, spacing: f64, rounding: Rounding) -> Result<Vec<DVec3>, GeometryError> {
        let steps = |[a, b]: &[DVec3; 2]| rounding.intervals(a.distance(*b), spacing);
        allow_count(self.segments.iter().map(|s| 2.0 + f64::from(steps(s))).sum())?;
        let mut seen = HashSet::new();
        let mut points = Vec::new();
        for end in self.segments.iter().flatten() {
            if seen.insert(end.to_array().map(f64::to_bits)) {
                points.push(*end);
            }
        }
        for segment in &self.segments {
            let n = steps(segment);
            points.extend((1..n).map(|i| segment[0].lerp(segment[1], f64::from(i) / f64::from(n))));
        }
        Ok(points)
    }

    /// Random samples, no two nearer than `radius` `[m]`.
    pub fn poisson_disk(&self, radius: f64, seed: u64) -> Result<Vec<DVec3>, GeometryError> {
        let darts = |[a, b]: &[DVec3; 2]| (DARTS * a.distance(*b) / radius).ceil().max(1.0);
        allow_count(self.segments.iter().map(darts).sum())?;
        let mut all: Vec<(u64, u32, f64)> = Vec::new();
        let mut random = RandomStream::new(seed);
        for (i, segment) in self.segments.iter().enumerate() {
            let thrown = 0..darts(segment) as usize;
            all.extend(thrown.map(|_| (random.bits(), i as u32, random.unit())));
        }
        // In random order, as if all were thrown at the whole outline.
        all.sort_unstable_by_key(|dart| dart.0);
        let mut grid = PointGrid::new(radius, &[]);
        for (_, i, along) in all {
            let [a, b] = self.segments[i as usize];
            let x = a.lerp(b, along);
            if !grid.any_near(x, |_, _| true) {
                grid.push(x);
            }
        }
        Ok(grid.points().to_vec())
    }
}
