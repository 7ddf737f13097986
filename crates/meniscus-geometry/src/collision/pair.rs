//! Distances of a point and a triangle and of two edges, with the weights of their closest points.

use glam::DVec3;

/// What a pair of four vertices is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// The first vertex is a point, the others are a triangle.
    PointTriangle,
    /// The first two vertices are an edge, the others another one.
    EdgeEdge,
}

impl PairKind {
    /// Which vertices of one part meet which of the other.
    pub(super) fn across(self) -> &'static [[usize; 2]] {
        match self {
            Self::PointTriangle => &[[0, 1], [0, 2], [0, 3]],
            Self::EdgeEdge => &[[0, 2], [0, 3], [1, 2], [1, 3]],
        }
    }
}

/// The closest points of the two parts of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairDistance {
    /// What each vertex counts: positive in the first part, where the sum is 1, negative in the second, where it is −1
    /// `[1]`.
    pub weight: [f64; 4],
    /// From the closest point of the second part to that of the first `[m]`: Σ weight · position.
    pub offset: DVec3,
    /// How far apart they are `[m]`.
    pub distance: f64,
    /// From the second part to the first `[1]`: along the offset; where that has no length, a direction at right angles
    /// to both parts, or any if there is none.
    pub normal: DVec3,
}

impl PairDistance {
    /// The closest points of a pair of this kind.
    #[must_use]
    pub fn of(kind: PairKind, x: [DVec3; 4]) -> Self {
        match kind {
            PairKind::PointTriangle => point_triangle(x[0], [x[1], x[2], x[3]]),
            PairKind::EdgeEdge => edge_edge([x[0], x[1]], [x[2], x[3]]),
        }
    }

    fn new(weight: [f64; 4], offset: DVec3, across: impl FnOnce() -> DVec3) -> Self {
        let distance = offset.length();
        let normal = match offset.try_normalize() {
            Some(n) if distance > 0.0 => n,
            _ => across().try_normalize().unwrap_or(DVec3::Y),
        };
        Self { weight, offset, distance, normal }
    }
}

/// The closest points of a point and a triangle, which may have no area.
#[must_use]
pub fn point_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> PairDistance {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    let twice_area_squared = normal.length_squared();
    // Cross products of slivers are rounding: their sides are asked as well.
    let reach = ab.length_squared().max(ac.length_squared()).max((c - b).length_squared());
    let sliver = twice_area_squared <= 1e-12 * reach * reach;
    let mut best: Option<PairDistance> = None;
    if twice_area_squared > 0.0 {
        let of_b = ap.cross(ac).dot(normal) / twice_area_squared;
        let of_c = ab.cross(ap).dot(normal) / twice_area_squared;
        let of_a = 1.0 - of_b - of_c;
        if of_a >= 0.0 && of_b >= 0.0 && of_c >= 0.0 {
            // Along the normal the offset keeps its direction however small it is; a sliver's normal is not to be
            // trusted.
            let along = normal * (ap.dot(normal) / twice_area_squared);
            let offset = if sliver { ap - of_b * ab - of_c * ac } else { along };
            let found = PairDistance::new([1.0, -of_a, -of_b, -of_c], offset, || normal);
            if !sliver {
                return found;
            }
            best = Some(found);
        }
    }
    for (i, [from, to]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
        let (s, offset) = point_edge(p, from, to);
        if best.is_none_or(|best| offset.length_squared() < best.distance * best.distance) {
            let mut weight = [1.0, 0.0, 0.0, 0.0];
            weight[1 + i] = s - 1.0;
            weight[1 + (i + 1) % 3] = -s;
            best = Some(PairDistance::new(weight, offset, || across_of(normal, to - from)));
        }
    }
    best.unwrap_or(PairDistance {
        weight: [1.0, -1.0, 0.0, 0.0],
        offset: ap,
        distance: f64::NAN,
        normal: DVec3::Y,
    })
}

/// The normal, or for lack of one any direction at right angles to the line.
fn across_of(normal: DVec3, along: DVec3) -> DVec3 {
    if normal.length_squared() > 0.0 {
        normal
    } else {
        along.try_normalize().map_or(DVec3::Y, DVec3::any_orthogonal_vector)
    }
}

/// How far along an edge its point closest to `p` is `[1]`, and the way from there to `p`.
fn point_edge(p: DVec3, a: DVec3, b: DVec3) -> (f64, DVec3) {
    let along = b - a;
    let length_squared = along.length_squared();
    let s = if length_squared > 0.0 { ((p - a).dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    // From the nearer end, so that it is exact at both.
    let offset = if s > 0.5 { (p - b) + (1.0 - s) * along } else { (p - a) - s * along };
    (s, offset)
}

/// The closest points of two edges, which may be parallel or points.
#[must_use]
pub fn edge_edge([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> PairDistance {
    let (u, v, w) = (q - p, b - a, p - a);
    let across = u.cross(v);
    let (uu, vv, crossed) = (u.length_squared(), v.length_squared(), across.length_squared());
    let parallel = crossed <= 1e-12 * uu * vv;
    if !parallel {
        // The points of the two lines that a common normal joins.
        let s = v.cross(w).dot(across) / crossed;
        let t = u.cross(w).dot(across) / crossed;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            let offset = across * (w.dot(across) / crossed);
            return PairDistance::new([1.0 - s, s, t - 1.0, -t], offset, || across);
        }
        // Otherwise the closest to that of the first edge, or to the end beyond which that is.
        let s = s.clamp(0.0, 1.0);
        let (t, offset) = point_edge(p + s * u, a, b);
        if t > 0.0 && t < 1.0 {
            return PairDistance::new([1.0 - s, s, t - 1.0, -t], offset, || across);
        }
        let (s, offset) = point_edge(if t > 0.0 { b } else { a }, p, q);
        return PairDistance::new([1.0 - s, s, t - 1.0, -t], -offset, || across);
    }
    let mut best: Option<PairDistance> = None;
    if crossed > 0.0 {
        let s = v.cross(w).dot(across) / crossed;
        let t = u.cross(w).dot(across) / crossed;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            best = Some(PairDistance::new([1.0 - s, s, t - 1.0, -t], w + s * u - t * v, || across));
        }
    }
    // Cross products of nearly parallel edges are rounding: the ends of both are asked.
    let mut consider = |weight: [f64; 4], offset: DVec3| {
        if best.is_none_or(|best| offset.length_squared() < best.distance * best.distance) {
            let along = if uu > vv { u } else { v };
            best = Some(PairDistance::new(weight, offset, || across_of(across, along)));
        }
    };
    for (end, x) in [p, q].into_iter().enumerate() {
        let (t, offset) = point_edge(x, a, b);
        let s = end as f64;
        consider([1.0 - s, s, t - 1.0, -t], offset);
    }
    for (end, x) in [a, b].into_iter().enumerate() {
        let (s, offset) = point_edge(x, p, q);
        let t = end as f64;
        consider([1.0 - s, s, t - 1.0, -t], -offset);
    }
    best.unwrap_or(PairDistance {
        weight: [1.0, 0.0, -1.0, 0.0],
        offset: w,
        distance: f64::NAN,
        normal: DVec3::Y,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::test_points::Points;

    /// The smallest distance over a grid of weights, refined about the best.
    fn searched(kind: PairKind, x: [DVec3; 4]) -> f64 {
        let at = |s: f64, t: f64| match kind {
            PairKind::PointTriangle => {
                let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
                x[0].distance(x[1] + s * (x[2] - x[1]) + t * (x[3] - x[1]))
            }
            PairKind::EdgeEdge => (x[0] + s * (x[1] - x[0])).distance(x[2] + t * (x[3] - x[2])),
        };
        let (mut s, mut t, mut step, mut best) = (0.5, 0.5, 0.5, f64::INFINITY);
        while step > 1e-9 {
            for i in -8..=8 {
                for j in -8..=8 {
                    let (a, b) = (f64::from(i), f64::from(j));
                    let (a, b) = ((s + step * a / 8.0).clamp(0.0, 1.0), (t + step * b / 8.0).clamp(0.0, 1.0));
                    if at(a, b) < best {
                        (s, t, best) = (a, b, at(a, b));
                    }
                }
            }
            step *= 0.6;
        }
        best
    }

    #[test]
    fn weights_make_the_offset_and_nothing_is_closer() {
        let mut points = Points::new(1);
        for round in 0..600 {
            for kind in [PairKind::PointTriangle, PairKind::EdgeEdge] {
                let x = points.quad(round);
                let pair = PairDistance::of(kind, x);
                let size = x.iter().flat_map(|a| x.iter().map(|b| a.distance(*b))).fold(0.0, f64::max);
                let sum: DVec3 = pair.weight.iter().zip(x).map(|(w, x)| *w * x).sum();
                assert!(sum.distance(pair.offset) < 1e-12 * size, "{kind:?} {x:?} {sum} {}", pair.offset);
                let first: f64 = pair.weight.iter().filter(|w| **w > 0.0).sum();
                let second: f64 = pair.weight.iter().filter(|w| **w < 0.0).sum();
                assert!((first - 1.0).abs() < 1e-12 && (second + 1.0).abs() < 1e-12);
                assert!(pair.normal.is_normalized());
                let searched = searched(kind, x);
                assert!(
                    pair.distance <= searched + 1e-7 * size,
                    "{kind:?} {x:?} {} {searched}",
                    pair.distance
                );
            }
        }
    }

    #[test]
    fn touching_pairs_still_have_a_normal() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let inside = point_triangle(DVec3::new(0.2, 0.3, 0.0), triangle);
        assert!(inside.distance == 0.0 && inside.normal.abs_diff_eq(DVec3::Z, 1e-15));
        let crossed = edge_edge([DVec3::NEG_X, DVec3::X], [DVec3::NEG_Y, DVec3::Y]);
        assert!(crossed.distance == 0.0 && crossed.normal.abs().abs_diff_eq(DVec3::Z, 1e-15));
        let same = edge_edge([DVec3::ZERO, DVec3::X], [DVec3::ZERO, DVec3::X]);
        assert!(same.distance == 0.0 && same.normal.is_normalized() && same.normal.x.abs() < 1e-12);
        let points = edge_edge([DVec3::ONE; 2], [DVec3::ONE; 2]);
        assert!(points.distance == 0.0 && points.normal.is_normalized());
    }
}
