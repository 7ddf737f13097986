//! How often a mesh winds around a point.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use crate::MeshShape;

/// Triangles in a leaf of the tree `[1]`.
const LEAF: usize = 8;
/// A group of triangles farther away than this many of its radii acts as a dipole `[1]`: \[Barill2018\] β.
/// At 3 the winding number is off by at most about 0.03, and it is compared with 0.5.
const FAR: f64 = 3.0;

/// The winding number of a mesh: 1 inside and 0 outside of a closed one; with triangles missing, less than 1 and more
/// than 0 by the angle under which the gaps are seen \[Jacobson2013\].
///
/// Near triangles count exactly, groups of far ones by their dipole and its derivative \[Barill2018\].
#[derive(Debug, Clone)]
pub struct WindingNumber {
    corner: Vec<[DVec3; 3]>,
    node: Vec<Node>,
}

#[derive(Debug, Clone)]
struct Node {
    centre: DVec3,
    radius: f64,
    /// Σ area · normal.
    dipole: DVec3,
    /// Σ (middle − centre) ⊗ area · normal; column j belongs to component j of the normal.
    spread: DMat3,
    /// The triangles below.
    first: usize,
    end: usize,
    /// The second child; the first follows its parent. 0 in a leaf.
    second: usize,
}

impl WindingNumber {
    /// Builds the tree.
    #[must_use]
    pub fn new(mesh: &MeshShape) -> Self {
        let mut corner: Vec<[DVec3; 3]> = mesh.mesh().corners().collect();
        let mut node = Vec::with_capacity(2 * corner.len() / LEAF + 1);
        let end = corner.len();
        grow(&mut corner, &mut node, 0, end);
        Self { corner, node }
    }

    /// The winding number at `x` `[1]`.
    #[must_use]
    pub fn at(&self, x: DVec3) -> f64 {
        let mut sum = 0.0;
        let mut todo = vec![0];
        while let Some(node) = todo.pop().and_then(|i| self.node.get(i).map(|n| (i, n))) {
            let (index, node) = node;
            if x.distance_squared(node.centre) > (FAR * node.radius).powi(2) {
                sum += node.far_angle(x);
            } else if node.second == 0 {
                let near = self.corner.get(node.first..node.end).unwrap_or_default();
                sum += near.iter().map(|t| solid_angle(*t, x)).sum::<f64>();
            } else {
                todo.extend([index + 1, node.second]);
            }
        }
        sum / (4.0 * PI)
    }

    /// Whether `x` is inside: the mesh winds around it at least half a time.
    #[must_use]
    pub fn is_inside(&self, x: DVec3) -> bool {
        self.at(x) >= 0.5
    }
}

impl Node {
    /// The solid angle of far triangles: the dipole's, and the first derivative for those off the centre \[Barill2018\].
    fn far_angle(&self, x: DVec3) -> f64 {
        let d = self.centre - x;
        let square = d.length_squared();
        let cube = square * square.sqrt();
        let trace = self.spread.x_axis.x + self.spread.y_axis.y + self.spread.z_axis.z;
        let along = d.dot(self.spread * d);
        (self.dipole.dot(d) + trace - 3.0 * along / square) / cube
    }
}

/// Adds the subtree of triangles `first` to `end`; returns its index.
fn grow(corner: &mut [[DVec3; 3]], node: &mut Vec<Node>, first: usize, end: usize) -> usize {
    let index = node.len();
    node.push(summary(&corner[first..end], first));
    if end - first > LEAF {
        let middle = first + (end - first) / 2;
        halve(&mut corner[first..end]);
        grow(corner, node, first, middle);
        node[index].second = grow(corner, node, middle, end);
    }
    index
}

/// Sorts triangles along their longest extent, as far as needed to have the lower half first.
fn halve(corner: &mut [[DVec3; 3]]) {
    let size = crate::Aabb::of_points(corner.iter().map(middle)).size();
    let axis = if size.x >= size.y.max(size.z) {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    corner.select_nth_unstable_by(corner.len() / 2, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
}

fn middle(t: &[DVec3; 3]) -> DVec3 {
    (t[0] + t[1] + t[2]) / 3.0
}

fn summary(corner: &[[DVec3; 3]], first: usize) -> Node {
    let normal = |t: &[DVec3; 3]| 0.5 * (t[1] - t[0]).cross(t[2] - t[0]);
    let area: f64 = corner.iter().map(|t| normal(t).length()).sum();
    let weighted: DVec3 = corner.iter().map(|t| normal(t).length() * middle(t)).sum();
    let centre = if area > 0.0 { weighted / area } else { corner.first().map(middle).unwrap_or_default() };
    let radius = corner.iter().flatten().map(|v| v.distance(centre)).fold(0.0, f64::max);
    let mut spread = DMat3::ZERO;
    for t in corner {
        let (n, r) = (normal(t), middle(t) - centre);
        spread += DMat3::from_cols(r * n.x, r * n.y, r * n.z);
    }
    let dipole = corner.iter().map(normal).sum();
    Node { centre, radius, dipole, spread, first, end: first + corner.len(), second: 0 }
}

/// The solid angle of a triangle seen from `x`, positive from behind (\[VanOosterom1983\]).
fn solid_angle([a, b, c]: [DVec3; 3], x: DVec3) -> f64 {
    let (a, b, c) = (a - x, b - x, c - x);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let volume = a.dot(b.cross(c));
    2.0 * volume.atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn the_tree_gives_nearly_the_sum_over_all_triangles() {
        let mut mesh = sphere(5);
        mesh.triangle.retain(|t| !t[0].is_multiple_of(7));
        let shape = MeshShape::new(mesh).unwrap();
        let winding = WindingNumber::new(&shape);
        let mut worst = 0f64;
        for i in 0..300 {
            let at = |f: f64| 2.6 * ((f64::from(i) * f).fract() - 0.5);
            let x = DVec3::new(at(0.618_034), at(0.754_878), at(0.569_84));
            let all: f64 = shape.mesh().corners().map(|t| solid_angle(t, x)).sum();
            worst = worst.max((winding.at(x) - all / (4.0 * PI)).abs());
        }
        assert!(worst < 0.03, "{worst}");
    }

    #[test]
    fn an_open_cube_is_left_through_the_gap() {
        let mut mesh = cube(2.0);
        mesh.triangle.truncate(10);
        let winding = WindingNumber::new(&MeshShape::new(mesh).unwrap());
        assert!((winding.at(DVec3::ZERO) - 5.0 / 6.0).abs() < 1e-9);
        assert!(!winding.is_inside(DVec3::new(3.0, 0.0, 0.0)));
    }
}
