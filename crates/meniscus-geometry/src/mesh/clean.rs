//! Checking a mesh, leaving out what says nothing about its surface, and its edges with the triangles that meet at them.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::mesh_shape::MAX_COORDINATE;
use super::read::MAX_ELEMENTS;
use crate::{MeshError, TriangleMesh};

pub(super) fn check(mesh: &TriangleMesh) -> Result<(), MeshError> {
    if mesh.triangle.is_empty() {
        return Err(MeshError::new("the mesh has no triangles", "give at least one face"));
    }
    let count = mesh.vertex.len();
    let largest = count.max(mesh.triangle.len());
    if largest > MAX_ELEMENTS {
        let problem = format!("the mesh has {largest} vertices or triangles");
        return Err(MeshError::new(problem, format!("allowed are {MAX_ELEMENTS}; simplify the mesh")));
    }
    // The negation also catches NaN.
    if let Some(i) =
        mesh.vertex.iter().position(|v| !(v.abs().max_element() <= MAX_COORDINATE && v.is_finite()))
    {
        let v = mesh.vertex[i];
        return Err(MeshError::new(
            format!("vertex {} is at ({}, {}, {}) m", i + 1, v.x, v.y, v.z),
            format!("coordinates must be finite and within ±{MAX_COORDINATE:e} m; scale the mesh to metres"),
        ));
    }
    if let Some(i) = mesh.triangle.iter().position(|t| t.iter().any(|&v| v as usize >= count)) {
        return Err(MeshError::new(
            format!("triangle {} has the vertex indices {:?}", i + 1, mesh.triangle[i]),
            format!("there are {count} vertices, counted from 0"),
        ));
    }
    Ok(())
}

/// Joins vertices at the very same place and leaves out those without a triangle. Returns how many places had been
/// given to more than one of the used vertices, and how many vertices were not used.
pub(super) fn merge_vertices(mesh: &mut TriangleMesh) -> (usize, usize) {
    let all = std::mem::take(&mut mesh.vertex);
    let mut used = vec![false; all.len()];
    let mut known = HashMap::with_capacity(all.len());
    for index in mesh.triangle.iter_mut().flatten() {
        used[*index as usize] = true;
        // Adding zero turns -0 into +0.
        let v = all[*index as usize] + DVec3::ZERO;
        *index = *known.entry(v.to_array().map(f64::to_bits)).or_insert_with(|| {
            mesh.vertex.push(v);
            mesh.vertex.len() as u32 - 1
        });
    }
    let used = used.into_iter().filter(|u| *u).count();
    (used - mesh.vertex.len(), all.len() - used)
}

/// Drops triangles that use a vertex twice and all but the first of equal triangles. Returns how many of each.
pub(super) fn drop_repeated(mesh: &mut TriangleMesh) -> (usize, usize) {
    let mut seen = HashSet::with_capacity(mesh.triangle.len());
    let (mut degenerate, mut repeated) = (0, 0);
    mesh.triangle.retain(|&[a, b, c]| {
        if a == b || b == c || c == a {
            degenerate += 1;
            return false;
        }
        let first = a.min(b).min(c);
        let turned = if first == a {
            [a, b, c]
        } else if first == b {
            [b, c, a]
        } else {
            [c, a, b]
        };
        let new = seen.insert(turned);
        repeated += usize::from(!new);
        new
    });
    (degenerate, repeated)
}

/// Drops triangles whose corners lie on a line, as far as their coordinates can tell. Returns how many.
pub(super) fn drop_flat(mesh: &mut TriangleMesh) -> usize {
    let TriangleMesh { vertex, triangle } = mesh;
    let before = triangle.len();
    triangle.retain(|t| {
        let [a, b, c] = t.map(|v| vertex[v as usize]);
        let normal = (b - a).cross(c - a);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        normal.length() > 1e-14 * longest && normal.try_normalize().is_some()
    });
    before - triangle.len()
}

/// A triangle at an edge, and whether it runs from the edge's lower to its higher vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    /// Lower and higher vertex.
    pub edge: [u32; 2],
    pub triangle: u32,
    pub forward: bool,
}

/// All uses of edges, those of the same edge next to each other, in the order of their vertices and triangles.
pub(super) fn uses(mesh: &TriangleMesh) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::with_capacity(3 * mesh.triangle.len());
    for (t, &[a, b, c]) in mesh.triangle.iter().enumerate() {
        for [p, q] in [[a, b], [b, c], [c, a]] {
            uses.push(Use { edge: [p.min(q), p.max(q)], triangle: t as u32, forward: p < q });
        }
    }
    uses.sort_unstable();
    uses
}

/// Where triangles fail to meet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seams {
    /// Edges with a triangle missing.
    pub open: usize,
    /// Edges with the right number of triangles, turned the wrong way.
    pub turned: usize,
    /// Edges with more than two triangles.
    pub crowded: usize,
    /// The first open edge, or the first that is turned `[m]`.
    pub first: Option<[DVec3; 2]>,
}

impl Seams {
    pub fn of(mesh: &TriangleMesh) -> Self {
        let mut seams = Self::default();
        // The triangle in which the first edge of either kind is found: that is where a reader of the file looks.
        let mut first: [Option<(u32, [u32; 2])>; 2] = [None; 2];
        for group in uses(mesh).chunk_by(|a, b| a.edge == b.edge) {
            let forward = group.iter().filter(|u| u.forward).count();
            seams.crowded += usize::from(group.len() > 2);
            let kind = match (group.len() % 2, 2 * forward == group.len()) {
                (1, _) => 0,
                (_, false) => 1,
                _ => continue,
            };
            *[&mut seams.open, &mut seams.turned][kind] += 1;
            let here = (group[0].triangle, group[0].edge);
            first[kind] = Some(first[kind].map_or(here, |other| other.min(here)));
        }
        let [open, turned] = first;
        seams.first = open.or(turned).map(|(_, edge)| edge.map(|v| mesh.vertex[v as usize]));
        seams
    }

    /// Whether every edge is used as often in one direction as in the other.
    pub fn is_closed(&self) -> bool {
        self.first.is_none()
    }
}
