//! Every edge of a mesh once.

use rayon::prelude::*;

use crate::{GeometryError, MeshError, TriangleMesh};

/// A vertex without a triangle.
const NONE: u32 = u32::MAX;
/// The most triangles whose sides can be counted in 32 bits `[1]`.
const MAX_TRIANGLES: usize = 1 << 28;
/// Vertices whose edges one task sorts `[1]`.
const BLOCK: usize = 4096;

/// The edges of a mesh, each with one of its triangles.
///
/// Side k of triangle t runs from its corner k to corner k + 1 and has the number 3 t + k.
#[derive(Debug, Clone)]
pub(super) struct MeshEdges {
    /// A side that lies on each edge, the first in the order of the triangles. Edges are sorted by their ends.
    pub side: Vec<u32>,
    /// A side that begins at each vertex; vertices without a triangle are left out.
    pub at_vertex: Vec<u32>,
}

impl MeshEdges {
    /// Sorts the sides by their lower vertex by counting, then each vertex's few sides by their upper one. That takes
    /// a third of the time of a hash map, and the order depends on nothing but the mesh.
    pub fn of(mesh: &TriangleMesh) -> Result<Self, GeometryError> {
        check(mesh)?;
        let mut start = vec![0_u32; mesh.vertex.len() + 1];
        let mut at_vertex = vec![NONE; mesh.vertex.len()];
        // Backwards, so that the first side stays.
        for (t, corner) in mesh.triangle.iter().enumerate().rev() {
            for (k, (low, _)) in ends(corner).into_iter().enumerate() {
                start[low as usize + 1] += 1;
                at_vertex[corner[k] as usize] = (3 * t + k) as u32;
            }
        }
        for v in 0..mesh.vertex.len() {
            start[v + 1] += start[v];
        }
        let mut sorted = vec![0_u64; 3 * mesh.triangle.len()];
        let mut next = start.clone();
        for (t, corner) in mesh.triangle.iter().enumerate() {
            for (k, (low, high)) in ends(corner).into_iter().enumerate() {
                let slot = &mut next[low as usize];
                sorted[*slot as usize] = u64::from(high) << 32 | (3 * t + k) as u64;
                *slot += 1;
            }
        }
        sort_blocks(&start, &mut sorted);
        at_vertex.retain(|&side| side != NONE);
        Ok(Self::number(&start, &sorted, at_vertex))
    }

    /// Gives each run of sides with the same ends one edge.
    fn number(start: &[u32], sorted: &[u64], at_vertex: Vec<u32>) -> Self {
        let mut side = Vec::with_capacity(sorted.len() / 2 + 2);
        for v in start.windows(2) {
            let mut last = None;
            for &key in &sorted[v[0] as usize..v[1] as usize] {
                if last != Some(key >> 32) {
                    last = Some(key >> 32);
                    side.push(key as u32);
                }
            }
        }
        Self { side, at_vertex }
    }
}

/// The lower and upper vertex of each side.
fn ends(&[a, b, c]: &[u32; 3]) -> [(u32, u32); 3] {
    [(a.min(b), a.max(b)), (b.min(c), b.max(c)), (c.min(a), c.max(a))]
}

/// Sorts the sides of each vertex; blocks of vertices are independent.
fn sort_blocks(start: &[u32], sorted: &mut [u64]) {
    let vertices = start.len() - 1;
    let mut blocks = Vec::with_capacity(vertices / BLOCK + 1);
    let mut rest = sorted;
    for first in (0..vertices).step_by(BLOCK) {
        let last = (first + BLOCK).min(vertices);
        let (block, after) = rest.split_at_mut((start[last] - start[first]) as usize);
        blocks.push((&start[first..=last], block));
        rest = after;
    }
    blocks.into_par_iter().for_each(|(start, block)| {
        for v in start.windows(2) {
            block[(v[0] - start[0]) as usize..(v[1] - start[0]) as usize].sort_unstable();
        }
    });
}

/// Refuses what would be followed out of the mesh or poison all places.
pub(super) fn check(mesh: &TriangleMesh) -> Result<(), GeometryError> {
    let count = mesh.vertex.len();
    if mesh.triangle.len() > MAX_TRIANGLES {
        let problem = format!("the mesh has {} triangles", mesh.triangle.len());
        let remedy = format!("allowed are {MAX_TRIANGLES}; simplify the mesh");
        return Err(MeshError::new(problem, remedy).into());
    }
    if let Some(t) = mesh.triangle.iter().position(|t| t.iter().any(|&v| v as usize >= count)) {
        let problem = format!("triangle {} has the vertex indices {:?}", t + 1, mesh.triangle[t]);
        return Err(MeshError::new(problem, format!("there are {count} vertices, counted from 0")).into());
    }
    require_finite(&mesh.vertex)
}

/// Refuses vertices that are nowhere.
pub(super) fn require_finite(vertex: &[glam::DVec3]) -> Result<(), GeometryError> {
    match vertex.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(i) => {
            let problem = format!("vertex {} is at {} m", i + 1, vertex[i]);
            Err(MeshError::new(problem, "coordinates must be finite").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;
    use crate::test_mesh::sphere;

    #[test]
    fn a_closed_mesh_has_three_edges_for_two_triangles() {
        let mesh = sphere(3);
        let edges = MeshEdges::of(&mesh).unwrap();
        assert_eq!(2 * edges.side.len(), 3 * mesh.triangle.len());
        assert_eq!(edges.at_vertex.len(), mesh.vertex.len());
    }

    #[test]
    fn indices_and_places_out_of_range_are_errors() {
        let mut mesh = TriangleMesh { vertex: vec![DVec3::ZERO; 3], triangle: vec![[0, 1, 3]] };
        assert!(MeshEdges::of(&mesh).unwrap_err().to_string().contains("triangle 1"));
        mesh.triangle = vec![[0, 1, 2]];
        mesh.vertex[2].y = f64::NAN;
        assert!(MeshEdges::of(&mesh).unwrap_err().to_string().contains("vertex 3"));
    }

    proptest! {
        #[test]
        fn edges_are_those_of_a_set(triangle in prop::collection::vec([0..9_u32, 0..9_u32, 0..9_u32], 0..40)) {
            let mesh = TriangleMesh { vertex: vec![DVec3::ZERO; 9], triangle };
            let edges = MeshEdges::of(&mesh).unwrap();
            let ends = |side: usize| ends(&mesh.triangle[side / 3])[side % 3];
            let set: BTreeSet<_> = (0..3 * mesh.triangle.len()).map(ends).collect();
            let found: Vec<_> = edges.side.iter().map(|&s| ends(s as usize)).collect();
            prop_assert_eq!(found, set.into_iter().collect::<Vec<_>>());
        }
    }
}
