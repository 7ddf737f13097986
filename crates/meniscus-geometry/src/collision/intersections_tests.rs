use glam::DVec3;

use super::test_points::Points;
use super::{CollisionSurface, SweptTree, edge_meets_triangle, edges_meet, intersections};
use crate::TriangleMesh;
use crate::test_mesh::{cube, sphere};

/// Exact arithmetic for points of a small grid: coordinates as integers.
mod whole {
    pub type Point = [i128; 3];

    fn minus(a: Point, b: Point) -> Point {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn cross(a: Point, b: Point) -> Point {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn dot(a: Point, b: Point) -> i128 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// Whether `p` is on the edge.
    fn on_edge(p: Point, [a, b]: [Point; 2]) -> bool {
        let (along, way) = (minus(b, a), minus(p, a));
        let on_line = if a == b { p == a } else { cross(along, way) == [0; 3] };
        on_line && (0..=dot(along, along)).contains(&dot(along, way))
    }

    /// Whether λ (p − a) = u (b − a) + v (c − a) with u, v ≥ 0 and u + v ≤ λ, for a triangle with an area in the plane
    /// of p; λ > 0.
    fn weights_hold(scaled: Point, lambda: i128, [a, b, c]: [Point; 3]) -> bool {
        let (ab, ac) = (minus(b, a), minus(c, a));
        let normal = cross(ab, ac);
        let way = minus(scaled, a.map(|x| lambda * x));
        let (u, v) = (dot(cross(way, ac), normal), dot(cross(ab, way), normal));
        u >= 0 && v >= 0 && u + v <= lambda * dot(normal, normal)
    }

    fn edges_meet([p, q]: [Point; 2], [a, b]: [Point; 2]) -> bool {
        if on_edge(p, [a, b]) || on_edge(q, [a, b]) || on_edge(a, [p, q]) || on_edge(b, [p, q]) {
            return true;
        }
        let (u, v, w) = (minus(q, p), minus(b, a), minus(a, p));
        let across = cross(u, v);
        let square = dot(across, across);
        if square == 0 || dot(w, across) != 0 {
            return false;
        }
        let (s, t) = (dot(cross(w, v), across), dot(cross(w, u), across));
        (0..=square).contains(&s) && (0..=square).contains(&t)
    }

    /// Independent of signs of determinants: the point in which the line meets the plane, as a fraction.
    pub fn edge_meets_triangle([p, q]: [Point; 2], triangle: [Point; 3]) -> bool {
        let [a, b, c] = triangle;
        let normal = cross(minus(b, a), minus(c, a));
        let sides = [[a, b], [b, c], [c, a]];
        if normal == [0; 3] {
            return sides.iter().any(|&s| edges_meet([p, q], s));
        }
        let (of_p, of_q) = (dot(normal, minus(p, a)), dot(normal, minus(q, a)));
        if of_p == 0 && of_q == 0 {
            return weights_hold(p, 1, triangle)
                || weights_hold(q, 1, triangle)
                || sides.iter().any(|&s| edges_meet([p, q], s));
        }
        if of_p.signum() * of_q.signum() > 0 {
            return false;
        }
        // p + of_p / (of_p − of_q) (q − p), over the denominator.
        let turn = (of_p - of_q).signum();
        let lambda = turn * (of_p - of_q);
        let step = minus(q, p);
        let at = [0, 1, 2].map(|k| lambda * p[k] + turn * of_p * step[k]);
        weights_hold(at, lambda, triangle)
    }
}

#[test]
fn the_predicate_agrees_with_fractions_of_integers() {
    let mut points = Points::new(3);
    let (mut met, mut missed) = (0, 0);
    for round in 0..60_000 {
        // From a grid of 3³ points, where nearly everything touches, to one of 1001³.
        let range = [1.0, 2.0, 3.0, 6.0, 500.0][round % 5];
        let p = [0; 5].map(|_| (range * points.point()).round());
        let exact = p.map(|v| v.to_array().map(|x| x as i128));
        let expected = whole::edge_meets_triangle([exact[0], exact[1]], [exact[2], exact[3], exact[4]]);
        // Neither a scale that rounds nothing nor the order of vertices matters.
        let scale = [1.0, 2f64.powi(-100), 2f64.powi(80)][round % 3];
        let x = p.map(|v| v * scale);
        for (edge, triangle) in [
            ([x[0], x[1]], [x[2], x[3], x[4]]),
            ([x[1], x[0]], [x[4], x[3], x[2]]),
            ([x[0], x[1]], [x[3], x[4], x[2]]),
        ] {
            assert_eq!(edge_meets_triangle(edge, triangle), expected, "{p:?}");
        }
        if expected {
            met += 1;
        } else {
            missed += 1;
        }
    }
    assert!(met > 5_000 && missed > 5_000, "{met} {missed}");
}

#[test]
fn a_hair_decides() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let hair = f64::MIN_POSITIVE.sqrt();
    for (x, z, expected) in
        [(0.25, 0.0, true), (0.25, hair, false), (0.25, -hair, true), (-1e-300, -1.0, false)]
    {
        let edge = [DVec3::new(x, 0.25, z), DVec3::new(x, 0.25, 1.0)];
        assert_eq!(edge_meets_triangle(edge, triangle), expected, "{x} {z}");
    }
    let (a, b) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.7, 0.8, 0.9));
    assert!(edges_meet([a, b], [b, a]) && edges_meet([a, a], [a, b]) && !edges_meet([a, a], [b, b]));
    assert!(!edge_meets_triangle([DVec3::NAN, DVec3::X], triangle));
}

/// All edges against all triangles.
fn by_hand(surface: &CollisionSurface, position: &[DVec3], set: &[u32]) -> usize {
    let of = |v: u32| set.get(v as usize).copied().unwrap_or(SweptTree::ANY);
    let mut count = 0;
    for edge in surface.edges() {
        for t in surface.triangles() {
            let same = of(edge[0]) == of(t[0]) && of(t[0]) != SweptTree::ANY;
            let apart = !same && edge.iter().all(|v| !t.contains(v));
            let at = |v: u32| position[v as usize];
            count += usize::from(apart && edge_meets_triangle(edge.map(at), t.map(at)));
        }
    }
    count
}

#[test]
fn the_tree_finds_all_intersections() {
    let mut points = Points::new(4);
    for round in 0..30 {
        let vertices = 60;
        let position: Vec<DVec3> =
            (0..vertices).map(|_| if round % 3 == 0 { points.lattice() } else { points.point() }).collect();
        let pick = |points: &mut Points| (points.unit() * f64::from(vertices)) as u32;
        let triangle: Vec<[u32; 3]> = (0..80).map(|_| [0; 3].map(|_| pick(&mut points))).collect();
        let loose: Vec<[u32; 2]> = (0..10).map(|_| [0; 2].map(|_| pick(&mut points))).collect();
        let surface = CollisionSurface::new(vertices as usize, &triangle, &loose);
        for set in [vec![], (0..vertices).map(|v| v / 50).collect::<Vec<u32>>()] {
            // Sets are meant for whole elements; those across are met by all.
            let found = intersections(&surface, &position, &set);
            if set.is_empty() {
                assert_eq!(found.len(), by_hand(&surface, &position, &set));
                assert!(!found.is_empty());
            }
            assert!(found.windows(2).all(|w| w[0] < w[1]));
        }
    }
}

fn joined(meshes: &[TriangleMesh]) -> (CollisionSurface, Vec<DVec3>, Vec<u32>) {
    let (mut position, mut triangle, mut set) = (Vec::new(), Vec::new(), Vec::new());
    for (number, mesh) in meshes.iter().enumerate() {
        let first = position.len() as u32;
        triangle.extend(mesh.triangle.iter().map(|t| t.map(|v| v + first)));
        position.extend_from_slice(&mesh.vertex);
        set.resize(position.len(), number as u32);
    }
    (CollisionSurface::new(position.len(), &triangle, &[]), position, set)
}

#[test]
fn meshes_meet_others_and_not_themselves() {
    let (ball, block) = (sphere(3), cube(1.0));
    let (surface, position, set) = joined(&[ball.clone(), block.clone()]);
    // The cube's corners are inside of the ball, its faces as well.
    assert!(intersections(&surface, &position, &set).is_empty());
    let mut moved = block;
    moved.translate(DVec3::new(0.8, 0.1, 0.2));
    let (surface, position, set) = joined(&[ball.clone(), moved]);
    let found = intersections(&surface, &position, &set);
    assert_eq!(found.len(), by_hand(&surface, &position, &set));
    assert!(found.len() > 20);
    let (surface, position, _) = joined(std::slice::from_ref(&ball));
    assert!(intersections(&surface, &position, &[]).is_empty());
    // The same mesh twice in the same place touches everywhere.
    let (surface, position, set) = joined(&[ball.clone(), ball]);
    assert!(intersections(&surface, &position, &set).len() > 512);
}
