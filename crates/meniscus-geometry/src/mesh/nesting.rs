//! Which components of a mesh lie inside of which.
//!
//! A closed surface fills 4π of the view from a point inside of it and nothing of the view from a point outside; the
//! solid angle of each triangle is exact, so this needs no rays that might hit an edge. Asked are the middles of some
//! triangles; one on the surface of the other component sees something in between and says nothing.

use std::f64::consts::PI;

use glam::DVec3;

use super::orient::Component;
use crate::TriangleMesh;

/// Triangles of a component that are asked whether they are inside of another one `[1]`.
const WITNESSES: usize = 12;
/// The most closed components that are compared with each other `[1]`.
const MAX_COMPONENTS: usize = 10_000;
/// The most solid angles that are computed `[1]`: some seconds.
const MAX_ANGLES: usize = 100_000_000;

pub(super) struct Nesting {
    /// Of each component, inside of how many closed ones it lies.
    pub depth: Vec<usize>,
    /// Pairs of components of which one is partly inside of the other.
    pub overlap: Vec<[usize; 2]>,
    /// Whether all were compared; with very many components they are not.
    pub is_known: bool,
}

/// How one component lies to another.
#[derive(PartialEq, Eq)]
enum Relation {
    Inside,
    Outside,
    Both,
}

pub(super) fn nesting(mesh: &TriangleMesh, components: &[Component]) -> Nesting {
    let mut result = Nesting { depth: vec![0; components.len()], overlap: Vec::new(), is_known: true };
    let closed: Vec<usize> = (0..components.len()).filter(|c| components[*c].is_closed).collect();
    let touching = |i: usize, j: usize| {
        let (a, b) = (components[i].bounds, components[j].bounds);
        i != j && a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
    };
    if closed.len() > MAX_COMPONENTS {
        result.is_known = false;
        return result;
    }
    let mut angles = 0;
    for &i in &closed {
        for &j in closed.iter().filter(|j| touching(i, **j)) {
            angles += WITNESSES * components[j].triangle.len();
            if angles > MAX_ANGLES {
                return Nesting { depth: vec![0; components.len()], is_known: false, ..result };
            }
            match relation(mesh, &components[i], &components[j]) {
                Relation::Inside => result.depth[i] += 1,
                Relation::Outside => {}
                Relation::Both => result.overlap.push([i.min(j), i.max(j)]),
            }
        }
    }
    result.overlap.sort_unstable();
    result.overlap.dedup();
    result
}

/// Where the triangles of `inner` are, as seen by some of them.
fn relation(mesh: &TriangleMesh, inner: &Component, outer: &Component) -> Relation {
    let step = inner.triangle.len().div_ceil(WITNESSES).max(1);
    let (mut inside, mut outside) = (0, 0);
    for t in inner.triangle.iter().step_by(step) {
        // The middle of a triangle is less often on the other surface than a vertex, which may be shared.
        let x = mesh.triangle[*t as usize].map(|v| mesh.vertex[v as usize]).iter().sum::<DVec3>() / 3.0;
        let turns =
            (outer.corners(mesh).map(|triangle| solid_angle(triangle, x)).sum::<f64>() / (4.0 * PI)).abs();
        if turns < 0.1 {
            outside += 1;
        } else if turns > 0.9 {
            inside += 1;
        }
    }
    match (inside, outside) {
        (0, _) => Relation::Outside,
        (_, 0) => Relation::Inside,
        _ => Relation::Both,
    }
}

/// How much of the view from `x` a triangle fills, negative if it is seen from its front `[sr]`
/// (\[VanOosterom1983\]).
fn solid_angle(triangle: [DVec3; 3], x: DVec3) -> f64 {
    let [a, b, c] = triangle.map(|v| v - x);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    // Zero and zero: the point is a corner of the triangle, which then fills nothing.
    2.0 * numerator.atan2(denominator)
}
