//! The edges of a mesh and the triangles that meet at them.

use glam::DVec3;

use crate::TriangleMesh;

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
