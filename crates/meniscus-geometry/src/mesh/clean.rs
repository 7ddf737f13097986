//! Checking a mesh, and leaving out what says nothing about its surface.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use super::read::MAX_ELEMENTS;
use crate::mesh_shape::MAX_COORDINATE;
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
