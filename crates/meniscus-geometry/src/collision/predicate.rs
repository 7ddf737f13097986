//! Whether an edge meets a triangle, without rounding.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// On which side of the plane through `a`, `b` and `c` the point `d` is: the sign of a determinant, exactly
/// \[Shewchuk1997\].
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Ordering {
    let at = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(orient3d(at(a), at(b), at(c), at(d)))
}

/// On which side of the line through `a` and `b` the point `c` is.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> Ordering {
    let at = |p: DVec2| Coord { x: p.x, y: p.y };
    sign(orient2d(at(a), at(b), at(c)))
}

fn sign(value: f64) -> Ordering {
    value.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// Whether an edge and a triangle have a point in common; touching counts.
///
/// Both are closed sets: an edge that ends on the triangle, that lies in its plane and reaches it, or that meets a
/// triangle without area (which is then the points of its edges) has a point in common with it. The answer is exact as
/// long as coordinates are zero or between 1e-60 and 1e60; coordinates that are not finite meet nothing.
#[must_use]
pub fn edge_meets_triangle(edge: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    if !edge.iter().chain(&triangle).all(|p| p.is_finite()) {
        return false;
    }
    let ([p, q], [a, b, c]) = (edge, triangle);
    let sides = [side(a, b, c, p), side(a, b, c, q)];
    match sides {
        [Ordering::Equal, Ordering::Equal] => flat(edge, triangle),
        [at_p, at_q] if at_p == at_q => false,
        // The line through the edge crosses the plane in one point of the edge: is that in the triangle?
        _ => all_on_one_side([side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)]),
    }
}

fn all_on_one_side(sides: [Ordering; 3]) -> bool {
    !(sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater))
}

/// The same if the triangle has no area, or all five points lie in a plane.
fn flat(edge: [DVec3; 2], triangle: [DVec3; 3]) -> bool {
    let [a, b, c] = triangle;
    let sides = [[a, b], [b, c], [c, a]];
    match projection(&triangle) {
        Some(axis) => {
            let [p, q] = edge.map(|v| dropped(v, axis));
            let t = triangle.map(|v| dropped(v, axis));
            let holds = |x| all_on_one_side([turn(t[0], t[1], x), turn(t[1], t[2], x), turn(t[2], t[0], x)]);
            // A piece of a line that meets a triangle of its plane has an end in it, or crosses one of its sides.
            holds(p) || holds(q) || sides.iter().any(|&s| cross_in_plane([p, q], s.map(|v| dropped(v, axis))))
        }
        // Points of a line: the triangle is the longest of its sides, which is one of the three.
        None => sides.iter().any(|&s| edges_meet(edge, s)),
    }
}

/// An axis along which these points can be looked at without losing their plane; `None` if they are on a line.
fn projection(points: &[DVec3]) -> Option<usize> {
    (0..3).find(|&axis| {
        let flat = |i: usize| dropped(points[i], axis);
        (2..points.len())
            .any(|k| (1..k).any(|j| (0..j).any(|i| turn(flat(i), flat(j), flat(k)) != Ordering::Equal)))
    })
}

fn dropped(v: DVec3, axis: usize) -> DVec2 {
    match axis {
        0 => DVec2::new(v.y, v.z),
        1 => DVec2::new(v.z, v.x),
        _ => DVec2::new(v.x, v.y),
    }
}

/// Whether two edges have a point in common; touching counts, and edges may be points.
#[must_use]
pub fn edges_meet(first: [DVec3; 2], second: [DVec3; 2]) -> bool {
    let ([p, q], [a, b]) = (first, second);
    let points = [p, q, a, b];
    if !points.iter().all(|v| v.is_finite()) || side(p, q, a, b) != Ordering::Equal {
        return false;
    }
    match projection(&points) {
        Some(axis) => cross_in_plane(first.map(|v| dropped(v, axis)), second.map(|v| dropped(v, axis))),
        None => overlap_on_line(first, second, |x, y| x.to_array().partial_cmp(&y.to_array())),
    }
}

/// Whether two pieces of lines in a plane have a point in common.
fn cross_in_plane([p, q]: [DVec2; 2], [a, b]: [DVec2; 2]) -> bool {
    let apart = |x: Ordering, y: Ordering| x == y && x != Ordering::Equal;
    let [of_a, of_b] = [turn(p, q, a), turn(p, q, b)];
    let [of_p, of_q] = [turn(a, b, p), turn(a, b, q)];
    if apart(of_a, of_b) || apart(of_p, of_q) {
        return false;
    }
    if [of_a, of_b, of_p, of_q] == [Ordering::Equal; 4] {
        return overlap_on_line([p, q], [a, b], |x, y| x.to_array().partial_cmp(&y.to_array()));
    }
    true
}

/// Whether pieces of one line overlap: along a line, points are in the order of their coordinates, first by the first.
fn overlap_on_line<P: Copy>(
    first: [P; 2],
    second: [P; 2],
    order: impl Fn(&P, &P) -> Option<Ordering>,
) -> bool {
    let less = |x: &P, y: &P| order(x, y) == Some(Ordering::Less);
    let sorted = |[x, y]: [P; 2]| if less(&y, &x) { [y, x] } else { [x, y] };
    let ([p, q], [a, b]) = (sorted(first), sorted(second));
    !less(&q, &a) && !less(&b, &p)
}
