//! Sampling by scanlines, \[Akinci2013\] Sec. 2.4: samples on vertices, along edges, and inside of triangles on
//! lines parallel to the shortest edge.
//!
//! | paper | here |
//! | --- | --- |
//! | d, particle diameter | `spacing` |
//! | `n_e`, intervals of an edge | [`Plan::on_edge`] |
//! | `e_s`, shortest edge | [`Sweep::base`] |
//! | `h_t`, height in sweeping direction | `height` |
//! | `n_t`, sweeping steps | [`Sweep::lines`] |
//! | `n_s`, intervals of a line | `on_line` |
//!
//! **Departures.** None with [`Rounding::Down`], except that the end points of a line are left out: they lie on edges,
//! which have their own samples. With [`Rounding::Up`] the counts are rounded up. An edge a little shorter than 2 d has
//! a gap of 2 d in the paper; rounded up, no gap along an edge is wider than d.

use glam::DVec3;
use meniscus_core::reduce;
use rayon::prelude::*;

use super::anchor::{Feature, MeshAnchor, SurfaceSamples};
use super::edges::MeshEdges;
use crate::error::{allow_count, require_positive};
use crate::{GeometryError, TriangleMesh};

/// How a length becomes a number of intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rounding {
    /// The largest number whose intervals are not shorter than the spacing, as in the paper: fewer samples, but gaps of
    /// up to twice the spacing where edges are short.
    Down,
    /// The smallest number whose intervals are not longer than the spacing: more samples, no gaps. Only so the number
    /// density stays between the thresholds of \[Akinci2013\] on pairs of deforming triangles.
    #[default]
    Up,
}

impl Rounding {
    /// Intervals of about `spacing` in a length. The slack keeps 10 intervals of 0.1 in a length of 1 whatever the
    /// last bit says. Too many for 32 bits saturate; they are refused before anything is made of them.
    pub(super) fn intervals(self, length: f64, spacing: f64) -> u32 {
        match self {
            Self::Down => (length / spacing + 1e-9).floor() as u32,
            Self::Up => (length / spacing - 1e-9).ceil() as u32,
        }
    }

    /// A length below this, squared, has no sample between its ends `[m²]`. Most edges of fine meshes are so short and
    /// need no root and no division.
    fn empty_squared(self, spacing: f64) -> f64 {
        let empty = match self {
            Self::Down => 2.0 * spacing,
            Self::Up => spacing,
        };
        empty * empty * (1.0 - 1e-6)
    }
}

/// How to sample by scanlines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanlineParams {
    /// The particle diameter d, half of the paper's smoothing length `[m]`.
    pub spacing: f64,
    /// How counts are rounded.
    pub rounding: Rounding,
}

/// Samples a mesh by scanlines: vertices first, then edges, then insides, each in the order of the mesh.
///
/// # Errors
/// If the spacing is not positive, an index or a coordinate of the mesh makes no sense, or there would be more than
/// [`MAX_POINTS`](crate::MAX_POINTS) samples.
pub fn scanline(mesh: &TriangleMesh, params: &ScanlineParams) -> Result<SurfaceSamples, GeometryError> {
    Ok(Scanlines::of(mesh, params)?.samples)
}

/// The samples of a mesh and how they were found.
pub(super) struct Scanlines {
    pub edges: MeshEdges,
    pub plan: Plan,
    pub layout: Layout,
    pub samples: SurfaceSamples,
}

impl Scanlines {
    pub fn of(mesh: &TriangleMesh, params: &ScanlineParams) -> Result<Self, GeometryError> {
        require_positive("spacing", params.spacing)?;
        let edges = MeshEdges::of(mesh)?;
        let plan = Plan::of(&mesh.vertex, &mesh.triangle, &edges, params);
        let layout = Layout::of(&edges, &plan, params)?;
        let mut anchor = vec![MeshAnchor::default(); layout.len()];
        layout.fill(&mut anchor, |part, out| plan.anchors(&mesh.triangle, &edges, params, part, out));
        Ok(Self { samples: SurfaceSamples::at(anchor, mesh), edges, plan, layout })
    }
}

/// The scanlines of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sweep {
    /// The side that is shortest.
    pub base: u8,
    /// Intervals between the base and the opposite corner.
    pub lines: u32,
    /// Intervals on the base.
    pub on_base: u32,
    /// Length of the base `[m]`.
    pub length: f64,
}

impl Sweep {
    /// No samples, whatever the shape.
    const EMPTY: Self = Self { base: 0, lines: 0, on_base: 0, length: 0.0 };

    fn of(corner: [DVec3; 3], params: &ScanlineParams) -> Self {
        let squared = |k: usize| corner[k].distance_squared(corner[(k + 1) % 3]);
        // Clearly shorter, so that rounding does not turn the lines of a triangle with equal sides as it moves.
        let is_shorter = |k: usize, best: usize| squared(k) < squared(best) * (1.0 - 1e-9);
        let base = (1..3).fold(0, |best, k| if is_shorter(k, best) { k } else { best });
        if squared(base) < params.rounding.empty_squared(params.spacing) {
            return Self::EMPTY;
        }
        let length = squared(base).sqrt();
        let (along, across) = (corner[(base + 1) % 3] - corner[base], corner[(base + 2) % 3] - corner[base]);
        // h_t = ŝ · e_l: the part of another edge at right angles to e_s.
        let height = if length > 0.0 { along.cross(across).length() / length } else { 0.0 };
        Self {
            base: base as u8,
            lines: params.rounding.intervals(height, params.spacing),
            on_base: params.rounding.intervals(length, params.spacing),
            length,
        }
    }

    /// Whether the same samples still do, Sec. 2.5.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.base, self.lines, self.on_base) == (other.base, other.lines, other.on_base)
    }

    /// Intervals of a line between base and tip, `n_s`.
    fn on_line(&self, line: u32, params: &ScanlineParams) -> u32 {
        let length = self.length * (1.0 - f64::from(line) / f64::from(self.lines));
        params.rounding.intervals(length, params.spacing)
    }

    fn count(&self, params: &ScanlineParams) -> usize {
        (1..self.lines).map(|line| self.on_line(line, params).saturating_sub(1) as usize).sum()
    }

    fn anchors(&self, triangle: u32, params: &ScanlineParams, out: &mut [MeshAnchor]) {
        let mut slots = out.iter_mut();
        for line in 1..self.lines {
            let up = f64::from(line) / f64::from(self.lines);
            let n = self.on_line(line, params);
            for (i, slot) in (1..n).zip(&mut slots) {
                let along = f64::from(i) / f64::from(n);
                let mut weight = [0.0; 3];
                let base = usize::from(self.base);
                weight[base] = (1.0 - up) * (1.0 - along);
                weight[(base + 1) % 3] = (1.0 - up) * along;
                weight[(base + 2) % 3] = up;
                *slot = MeshAnchor::inside(triangle, weight);
            }
        }
    }
}

/// How many intervals every part of the mesh gets.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub on_edge: Vec<u32>,
    pub sweep: Vec<Sweep>,
}

impl Plan {
    pub fn of(vertex: &[DVec3], triangle: &[[u32; 3]], edges: &MeshEdges, params: &ScanlineParams) -> Self {
        let at = |v: u32| vertex[v as usize];
        let empty = params.rounding.empty_squared(params.spacing);
        let on_edge = |&side: &u32| {
            let t = triangle[side as usize / 3];
            let k = side as usize % 3;
            let squared = at(t[k]).distance_squared(at(t[(k + 1) % 3]));
            if squared < empty { 1 } else { params.rounding.intervals(squared.sqrt(), params.spacing) }
        };
        Self {
            on_edge: edges.side.par_iter().with_min_len(1024).map(on_edge).collect(),
            sweep: triangle.par_iter().with_min_len(1024).map(|t| Sweep::of(t.map(at), params)).collect(),
        }
    }

    /// The samples of one part of the mesh.
    pub fn anchors(
        &self,
        triangle: &[[u32; 3]],
        edges: &MeshEdges,
        params: &ScanlineParams,
        part: Part,
        out: &mut [MeshAnchor],
    ) {
        match part {
            Part::Vertex(i) => out.fill(on_vertex(edges.at_vertex[i])),
            Part::Edge(i) => on_edge(triangle, edges.side[i], self.on_edge[i], out),
            Part::Triangle(i) => self.sweep[i].anchors(i as u32, params, out),
        }
    }
}

fn on_vertex(side: u32) -> MeshAnchor {
    let mut barycentric = [0.0; 3];
    barycentric[side as usize % 3] = 1.0;
    MeshAnchor { barycentric, triangle: side / 3, feature: Feature::Vertex }
}

/// Cuts an edge into `n` intervals, from the vertex of the smaller index to the other.
fn on_edge(triangle: &[[u32; 3]], side: u32, n: u32, out: &mut [MeshAnchor]) {
    let (t, k) = (side / 3, side as usize % 3);
    let corner = triangle[t as usize];
    let next = (k + 1) % 3;
    let (low, high) = if corner[k] <= corner[next] { (k, next) } else { (next, k) };
    for (i, slot) in (1..n).zip(out) {
        let along = f64::from(i) / f64::from(n);
        let mut barycentric = [0.0; 3];
        barycentric[low] = 1.0 - along;
        barycentric[high] = along;
        *slot = MeshAnchor { barycentric, triangle: t, feature: Feature::Edge };
    }
}

/// A part of the mesh that has samples of its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Vertex(usize),
    Edge(usize),
    Triangle(usize),
}

/// Where the samples of each part begin.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    vertices: usize,
    /// Of each edge, then of each triangle, then the end.
    start: Vec<u32>,
    edges: usize,
}

impl Layout {
    /// Counts the samples; refuses too many before a line is looked at.
    pub fn of(edges: &MeshEdges, plan: &Plan, params: &ScanlineParams) -> Result<Self, GeometryError> {
        let (on_edge, sweep) = (&plan.on_edge, &plan.sweep);
        let most = reduce::sum(on_edge.len(), |e| f64::from(on_edge[e]))
            + reduce::sum(sweep.len(), |t| f64::from(sweep[t].lines) * f64::from(sweep[t].on_base.max(1)));
        allow_count(edges.at_vertex.len() as f64 + most)?;
        let inside = sweep.par_iter().with_min_len(1024).map(|s| s.count(params) as u32);
        let on_edges = on_edge.par_iter().with_min_len(1024).map(|n| n.saturating_sub(1));
        Ok(Self::from_counts(edges.at_vertex.len(), on_edge.len(), on_edges.chain(inside).collect()))
    }

    /// From the counts of edges and triangles.
    pub fn from_counts(vertices: usize, edges: usize, mut count: Vec<u32>) -> Self {
        // Fits: the limit of points is far below 2³².
        let mut sum = vertices as u32;
        for n in &mut count {
            sum += std::mem::replace(n, sum);
        }
        count.push(sum);
        Self { vertices, start: count, edges }
    }

    pub fn len(&self) -> usize {
        self.start.last().map_or(self.vertices, |end| *end as usize)
    }

    /// Where the samples of a part are.
    pub fn range(&self, part: Part) -> std::ops::Range<usize> {
        match part {
            Part::Vertex(i) => i..i + 1,
            Part::Edge(i) => self.start[i] as usize..self.start[i + 1] as usize,
            Part::Triangle(i) => self.start[self.edges + i] as usize..self.start[self.edges + i + 1] as usize,
        }
    }

    /// Lets `write` fill the samples of every part, in parallel.
    pub fn fill(&self, out: &mut [MeshAnchor], write: impl Fn(Part, &mut [MeshAnchor]) + Sync) {
        let (on_vertices, rest) = out.split_at_mut(self.vertices);
        on_vertices.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, slot)| {
            write(Part::Vertex(i), std::slice::from_mut(slot));
        });
        let parts = self.start.len() - 1;
        let mut tasks = Vec::with_capacity(parts / reduce::CHUNK + 1);
        let mut rest = rest;
        for first in (0..parts).step_by(reduce::CHUNK) {
            let last = (first + reduce::CHUNK).min(parts);
            let (task, after) = rest.split_at_mut((self.start[last] - self.start[first]) as usize);
            if !task.is_empty() {
                tasks.push((first..last, task));
            }
            rest = after;
        }
        tasks.into_par_iter().for_each(|(parts, mut task)| {
            for i in parts {
                let (own, after) = task.split_at_mut((self.start[i + 1] - self.start[i]) as usize);
                task = after;
                if !own.is_empty() {
                    write(if i < self.edges { Part::Edge(i) } else { Part::Triangle(i - self.edges) }, own);
                }
            }
        });
    }
}

#[cfg(test)]
#[path = "scanline_tests.rs"]
mod tests;
