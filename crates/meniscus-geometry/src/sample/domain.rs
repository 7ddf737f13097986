//! Where samples may be: on a surface, in a volume, or on the outline of a section with the plane z = 0.

use std::collections::HashSet;

use glam::DVec3;

use super::cells::PointGrid;
use super::random::RandomStream;
use super::scanline::Rounding;
use crate::error::allow_count;
use crate::shape::section::cut;
use crate::{Aabb, GeometryError, MeshShape, Pose, TriangleMesh};

/// Darts at each stretch of a radius `[1]`: the gap that all miss is seldom longer than two radii.
const DARTS: f64 = 16.0;

/// A place for samples: a surface, a volume, an outline or a rectangle.
pub trait SampleDomain: Sync {
    /// The place of the domain nearest to `x` for sample `i`, as far as it is known `[m]`.
    fn settle(&self, i: usize, x: DVec3) -> DVec3;
}

/// The surface of a mesh.
#[derive(Debug, Clone, Copy)]
pub struct OnSurface<'a>(
    /// The mesh.
    pub &'a MeshShape,
);

impl SampleDomain for OnSurface<'_> {
    fn settle(&self, _: usize, x: DVec3) -> DVec3 {
        self.0.closest_point(x)
    }
}

/// The inside of a closed mesh with its surface. The first samples stay on the surface, the others at or inside of it
/// (\[Wang2017\] Alg. 1, line 7).
#[derive(Debug, Clone, Copy)]
pub struct InVolume<'a> {
    /// The mesh, closed.
    pub mesh: &'a MeshShape,
    /// How many samples, from the first on, stay on the surface `[1]`.
    pub on_surface: usize,
}

impl SampleDomain for InVolume<'_> {
    fn settle(&self, i: usize, x: DVec3) -> DVec3 {
        if i < self.on_surface || self.mesh.signed_distance(x) > 0.0 { self.mesh.closest_point(x) } else { x }
    }
}

/// The outline of a section with the plane z = 0; with `mesh`, its inside as well.
#[derive(Debug, Clone, Copy)]
pub(super) struct InSection<'a> {
    pub outline: &'a Outline,
    pub mesh: Option<&'a MeshShape>,
    pub on_outline: usize,
}

impl SampleDomain for InSection<'_> {
    fn settle(&self, i: usize, x: DVec3) -> DVec3 {
        let x = x.with_z(0.0);
        let is_inside = i >= self.on_outline && self.mesh.is_some_and(|m| m.signed_distance(x) <= 0.0);
        if is_inside { x } else { self.outline.closest_point(x) }
    }
}

/// A box along the axes; without depth it is a rectangle in a plane.
impl SampleDomain for Aabb {
    fn settle(&self, _: usize, x: DVec3) -> DVec3 {
        x.max(self.min).min(self.max)
    }
}

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
