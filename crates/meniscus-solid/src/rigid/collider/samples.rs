//! The points of a body's surface that are looked up in the distance of others.
//!
//! \[Guendelman2006\] Sec. 2.4 takes vertices and, for coarse meshes, the deepest points of edges. Edges without a bend and
//! edges whose bend is too small to matter are left out: what is missed there is a fraction of their length.
//!
//! **Departures**: points are drawn into the body by a small radius, which the distance then gives back, so that every
//! point is the centre of a small ball that touches the true faces from inside. Where two boxes stand corner on corner, the
//! gradient at the corner itself is a matter of rounding; at the centre of the ball it is the normal of the face. Edges and
//! corners are thereby rounded by the radius.

use std::collections::HashMap;

use glam::DVec3;
use meniscus_geometry::{Aabb, TriangleMesh};

/// Items in a leaf of the hierarchy `[1]`.
const LEAF: usize = 6;
/// How far a corner may be drawn in, in radii `[1]`; a right-angled corner needs √3.
const MAX_DRAW: f64 = 2.0;

/// Points and edges, each surrounded by a small radius, with a hierarchy of balls around them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    /// Where they are `[m]`.
    pub vertex: Vec<DVec3>,
    /// The radius around all of them `[m]`.
    pub radius: f64,
    /// Edges by their ends, and lone points, whose ends are the same.
    pub item: Vec<[u32; 2]>,
    /// The hierarchy, depth first.
    pub node: Vec<Node>,
}

/// A ball around some items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub centre: DVec3,
    /// Contains the items with the radius around them `[m]`.
    pub radius: f64,
    /// The node that follows when nothing in this one matters.
    pub skip: u32,
    /// Its items, if it is a leaf.
    pub items: [u32; 2],
}

impl Samples {
    /// Lone points and edges as they are.
    pub fn new(vertex: Vec<DVec3>, mut item: Vec<[u32; 2]>, radius: f64) -> Self {
        let mut used = vec![false; vertex.len()];
        for v in item.iter().flatten() {
            used[*v as usize] = true;
        }
        item.extend((0..vertex.len()).filter(|v| !used[*v]).map(|v| [v as u32, v as u32]));
        let mut samples = Self { vertex, radius, item, node: Vec::new() };
        let count = samples.item.len();
        if count > 0 {
            samples.build(0, count);
        }
        samples
    }

    /// The surface of a mesh. Closed meshes are drawn in by `radius` `[m]`; open ones are thickened by it. Bends that hide
    /// less than `tolerance` `[m]` are left out.
    pub fn of_mesh(mesh: &TriangleMesh, radius: f64, closed: bool, tolerance: f64) -> Self {
        let normals: Vec<DVec3> =
            mesh.corners().map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero()).collect();
        let mut vertex = mesh.vertex.clone();
        if closed {
            draw_in(&mut vertex, mesh, &normals, radius);
        }
        Self::new(vertex, sharp_edges(mesh, &normals, tolerance), radius)
    }

    /// The smallest box around them, with their radius.
    pub fn bounds(&self) -> Aabb {
        let b = Aabb::of_points(self.vertex.iter().copied());
        Aabb { min: b.min - self.radius, max: b.max + self.radius }
    }

    fn ends(&self, item: usize) -> [DVec3; 2] {
        self.item[item].map(|v| self.vertex[v as usize])
    }

    /// Adds the node of items `begin..end` and all below it.
    fn build(&mut self, begin: usize, end: usize) {
        let bounds = Aabb::of_points((begin..end).flat_map(|i| self.ends(i)));
        let centre = bounds.centre();
        let radius = (begin..end).flat_map(|i| self.ends(i)).map(|x| x.distance(centre)).fold(0.0, f64::max);
        let leaf = end - begin <= LEAF;
        let index = self.node.len();
        let items = if leaf { [begin as u32, end as u32] } else { [0, 0] };
        self.node.push(Node { centre, radius: radius + self.radius, skip: 0, items });
        if !leaf {
            let axis = bounds.size().max_position();
            let mut order: Vec<(f64, [u32; 2])> =
                (begin..end).map(|i| (self.ends(i).map(|x| x[axis]).iter().sum(), self.item[i])).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (slot, (_, item)) in self.item[begin..end].iter_mut().zip(order) {
                *slot = item;
            }
            let middle = usize::midpoint(begin, end);
            self.build(begin, middle);
            self.build(middle, end);
        }
        self.node[index].skip = self.node.len() as u32;
    }
}

/// Moves vertices inwards so that the planes of their triangles are `radius` `[m]` away from them.
fn draw_in(vertex: &mut [DVec3], mesh: &TriangleMesh, normals: &[DVec3], radius: f64) {
    let mut sum = vec![DVec3::ZERO; vertex.len()];
    for (corners, normal) in mesh.triangle.iter().zip(normals) {
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|e| mesh.vertex[corners[(k + e) % 3] as usize]);
            sum[corners[k] as usize] += (b - a).angle_between(c - a) * *normal;
        }
    }
    let mut slant = vec![1.0_f64; vertex.len()];
    for (corners, normal) in mesh.triangle.iter().zip(normals) {
        for &v in corners {
            let cosine = sum[v as usize].normalize_or_zero().dot(*normal);
            slant[v as usize] = slant[v as usize].min(cosine);
        }
    }
    for ((x, sum), slant) in vertex.iter_mut().zip(sum).zip(slant) {
        *x -= sum.normalize_or_zero() * (radius / slant.max(MAX_DRAW.recip()));
    }
}

/// Edges with a convex bend, or with a triangle on one side only.
fn sharp_edges(mesh: &TriangleMesh, normals: &[DVec3], tolerance: f64) -> Vec<[u32; 2]> {
    let mut beside: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (t, &[a, b, c]) in mesh.triangle.iter().enumerate() {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            beside.entry([a.min(b), a.max(b)]).or_default().push(t);
        }
    }
    let matters = |edge: &[u32; 2], triangles: &[usize]| {
        let &[s, t] = triangles else { return true };
        let [a, b] = edge.map(|v| mesh.vertex[v as usize]);
        let other =
            mesh.triangle[t].iter().find(|v| !edge.contains(v)).map_or(a, |v| mesh.vertex[*v as usize]);
        let convex = normals[s].dot(other - a) < 0.0;
        let bend = normals[s].cross(normals[t]).length();
        convex && 0.25 * a.distance(b) * bend > tolerance
    };
    let mut edges: Vec<[u32; 2]> = beside.iter().filter(|(e, t)| matters(e, t)).map(|(e, _)| *e).collect();
    edges.sort_unstable();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid::collider::primitives::cuboid_mesh;

    #[test]
    fn a_cube_keeps_its_corners_and_edges_but_no_diagonals() {
        let samples = Samples::of_mesh(&cuboid_mesh(DVec3::splat(0.5)), 0.01, true, 1e-3);
        assert_eq!((samples.vertex.len(), samples.item.len()), (8, 12));
        // Drawn in along all three axes alike, so that the balls touch the faces.
        assert!(samples.vertex.iter().all(|v| v.abs().abs_diff_eq(DVec3::splat(0.49), 1e-12)));
        assert!(samples.bounds().max.abs_diff_eq(DVec3::splat(0.5), 1e-12));
    }

    #[test]
    fn nodes_contain_what_is_below_them() {
        let points: Vec<DVec3> = (0..200)
            .map(|k| DVec3::new((f64::from(k) * 0.7).sin(), f64::from(k % 17), (f64::from(k)).cos()))
            .collect();
        let samples = Samples::new(points, vec![[0, 5], [7, 9]], 0.1);
        let mut seen = 0;
        for (n, node) in samples.node.iter().enumerate() {
            assert!(node.skip as usize > n && node.skip as usize <= samples.node.len());
            for item in node.items[0]..node.items[1] {
                seen += 1;
                assert!(samples.ends(item as usize).iter().all(|x| x.distance(node.centre) <= node.radius));
            }
        }
        assert_eq!(seen, samples.item.len());
    }
}
