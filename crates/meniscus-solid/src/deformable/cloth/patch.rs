//! A triangle with the three beside it.

use std::collections::BTreeMap;

/// What lies opposite of each edge of a triangle, in a neighbour; edge k joins corners k and k + 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Patch {
    pub(crate) corner: [u32; 3],
    pub(crate) opposite: [Option<u32>; 3],
}

/// An edge that more than two triangles share, or two that run along it the same way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BranchingEdge(pub(crate) [u32; 2]);

/// The patch of each triangle of a surface.
pub(crate) fn patches(triangles: &[[u32; 3]]) -> Result<Vec<Patch>, BranchingEdge> {
    let mut opposite = BTreeMap::new();
    for &[a, b, c] in triangles {
        for ([from, to], third) in [([a, b], c), ([b, c], a), ([c, a], b)] {
            if opposite.insert([from, to], third).is_some() {
                return Err(BranchingEdge([from, to]));
            }
        }
    }
    let patch = |&corner: &[u32; 3]| {
        let [a, b, c] = corner;
        Patch { corner, opposite: [[b, a], [c, b], [a, c]].map(|edge| opposite.get(&edge).copied()) }
    };
    Ok(triangles.iter().map(patch).collect())
}
