//! What collides: triangles, their edges and vertices, and edges that belong to no triangle.

use std::collections::HashMap;

/// Stands for no edge or no triangle.
pub(super) const NONE: u32 = u32::MAX;

/// Triangles and edges between numbered vertices, each edge once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CollisionSurface {
    vertices: usize,
    triangle: Vec<[u32; 3]>,
    edge: Vec<[u32; 2]>,
    pub(super) element: Vec<Element>,
}

/// What the tree sorts: a triangle, or an edge without one. Every edge and every vertex belongs to one element, so that
/// no pair is found twice \[Curtis2008\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    /// Its vertices; an edge repeats its last one.
    pub vertex: [u32; 3],
    /// Its number as a triangle, or [`NONE`].
    pub triangle: u32,
    /// The edges that belong to it: after vertex 0, 1 and 2; [`NONE`] for those of others.
    pub edge: [u32; 3],
    /// Which of its vertices belong to it.
    pub owns: [bool; 3],
}

impl CollisionSurface {
    /// A surface of these triangles and loose edges between vertices `0..vertices`. Triangles and edges that name a
    /// vertex twice, or one that does not exist, are not part of it, nor are vertices that nothing names.
    #[must_use]
    pub fn new(vertices: usize, triangle: &[[u32; 3]], loose_edge: &[[u32; 2]]) -> Self {
        let known = |v: &u32| (*v as usize) < vertices;
        let triangle: Vec<[u32; 3]> = triangle
            .iter()
            .copied()
            .filter(|t @ [a, b, c]| t.iter().all(known) && a != b && b != c && c != a)
            .collect();
        let mut edge = Vec::with_capacity(3 * triangle.len() / 2 + loose_edge.len());
        let mut number: HashMap<[u32; 2], u32> = HashMap::with_capacity(edge.capacity());
        let mut owned = vec![false; vertices];
        let mut own = |v: u32| !std::mem::replace(&mut owned[v as usize], true);
        let mut enter = |a: u32, b: u32| {
            let sorted = [a.min(b), a.max(b)];
            let next = edge.len() as u32;
            let entry = *number.entry(sorted).or_insert(next);
            if entry == next {
                edge.push(sorted);
                next
            } else {
                NONE
            }
        };
        let mut element = Vec::with_capacity(triangle.len() + loose_edge.len());
        for (index, &[a, b, c]) in triangle.iter().enumerate() {
            element.push(Element {
                vertex: [a, b, c],
                triangle: index as u32,
                edge: [enter(a, b), enter(b, c), enter(c, a)],
                owns: [own(a), own(b), own(c)],
            });
        }
        for &[a, b] in loose_edge.iter().filter(|e| e.iter().all(known) && e[0] != e[1]) {
            let edge = enter(a, b);
            if edge != NONE {
                let owns = [own(a), own(b), false];
                element.push(Element { vertex: [a, b, b], triangle: NONE, edge: [edge, NONE, NONE], owns });
            }
        }
        Self { vertices, triangle, edge, element }
    }

    /// How many vertices are numbered.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The triangles.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangle
    }

    /// All edges: those of triangles, then loose ones.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edge
    }
}
