//! Where surfaces pass through themselves or each other, exactly.

use glam::DVec3;

use super::predicate::edge_meets_triangle;
use super::surface::CollisionSurface;
use super::tree::SweptTree;

/// An edge that meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Intersection {
    /// The vertices of the edge, the lower number first.
    pub edge: [u32; 2],
    /// The number of the triangle.
    pub triangle: u32,
}

/// All edges of a surface that meet a triangle with which they share no vertex, sorted; touching counts
/// ([`edge_meets_triangle`]). The surface intersects nothing if and only if there are none.
///
/// Vertices of the same `set` (other than [`SweptTree::ANY`]) are not looked at together: with the number of its mesh
/// for every vertex these are the intersections of meshes with each other, with an empty `set` those of a mesh with
/// itself as well.
#[must_use]
pub fn intersections(surface: &CollisionSurface, position: &[DVec3], set: &[u32]) -> Vec<Intersection> {
    intersections_in(&SweptTree::new(surface, position, set), position)
}

/// The same with a tree of the surface that has been fitted to these positions.
#[must_use]
pub fn intersections_in(tree: &SweptTree, position: &[DVec3]) -> Vec<Intersection> {
    let mut lists: Vec<Vec<Intersection>> = Vec::new();
    tree.visit_edges_and_triangles(&mut lists, |edge, triangle, corner, list| {
        let at = |v: u32| position[v as usize];
        if edge_meets_triangle(edge.map(at), corner.map(at)) {
            list.push(Intersection { edge: [edge[0].min(edge[1]), edge[0].max(edge[1])], triangle });
        }
    });
    let mut found = lists.concat();
    found.sort_unstable();
    found
}
