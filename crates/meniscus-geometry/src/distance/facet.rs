//! A triangle prepared for many questions for its closest point.

use glam::DVec3;
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::{Triangle, TrianglePointLocation};

/// Triangles thinner than this, beside their longest edge, have no normal to rely on `[1]`.
const SLIVER: f64 = 1e-6;
/// Closer than this to an edge, beside the longest one, a point counts as on it `[1]`.
const ON_EDGE: f64 = 1e-12;

/// Corners at both ends of each edge, in parry's order.
const ENDS: [[usize; 2]; 3] = [[0, 1], [1, 2], [0, 2]];

/// A triangle with what its closest points are computed from.
#[derive(Debug, Clone)]
pub(super) struct Facet {
    shape: Triangle,
    /// Unit normal, and for each edge the unit normal into the triangle; `None` for slivers `[1]`.
    frame: Option<(DVec3, [DVec3; 3])>,
    /// From one end of each edge to the other `[m]`, and one over its squared length `[1/m²]`.
    edge: [(DVec3, f64); 3],
    /// How close to an edge is on it `[m]`.
    on_edge: f64,
}

/// The closest point of a triangle.
pub(super) enum Closest {
    /// In its middle, with x so far above it `[m]`.
    Face(f64),
    /// At this point `[m]`, this place.
    At(DVec3, TrianglePointLocation),
}

impl Facet {
    pub fn new(shape: Triangle) -> Self {
        let corner = [shape.a, shape.b, shape.c];
        let way = ENDS.map(|[from, to]| corner[to] - corner[from]);
        let longest = way.iter().map(|w| w.length_squared()).fold(0.0, f64::max);
        let scaled = shape.scaled_normal();
        let frame = (scaled.length() > SLIVER * longest).then(|| {
            let normal = scaled.normalize_or_zero();
            // The last edge is given against the sense of the others.
            let inward = [0, 1, 2].map(|i| normal.cross(if i == 2 { -way[i] } else { way[i] }));
            (normal, inward.map(DVec3::normalize_or_zero))
        });
        let edge = way.map(|w| (w, 1.0 / w.length_squared()));
        Self { shape, frame, edge, on_edge: ON_EDGE * longest.sqrt() }
    }

    /// The squared distance from `x` and the closest point, if it is closer than the root of `squared` `[m²]`.
    pub fn closest(&self, x: DVec3, squared: f64) -> Option<(f64, Closest)> {
        let Some((normal, inward)) = &self.frame else { return self.of_sliver(x, squared) };
        let corner = [self.shape.a, self.shape.b, self.shape.c];
        let from = corner.map(|c| x - c);
        let height = from[0].dot(*normal);
        let left = squared - height * height;
        if left <= 0.0 {
            return None;
        }
        // How far beyond each edge x is, in the plane of the triangle.
        let beyond = [0, 1, 2].map(|i| -from[ENDS[i][0]].dot(inward[i]));
        let most = beyond[0].max(beyond[1]).max(beyond[2]);
        if most < -self.on_edge {
            return Some((height * height, Closest::Face(height)));
        }
        if most > 0.0 && most * most >= left {
            return None;
        }
        // From outside of a convex shape, the closest point is on an edge that x is beyond.
        let (mut best, mut found) = (squared, None);
        for i in (0..3).filter(|i| beyond[*i] >= -self.on_edge) {
            let (way, inverse) = self.edge[i];
            let first = ENDS[i][0];
            let t = (from[first].dot(way) * inverse).clamp(0.0, 1.0);
            let away = (from[first] - t * way).length_squared();
            if away < best {
                (best, found) = (away, Some((i, t)));
            }
        }
        found.map(|(i, t)| {
            let [first, last] = ENDS[i];
            let location = if t <= 0.0 {
                TrianglePointLocation::OnVertex(first as u32)
            } else if t >= 1.0 {
                TrianglePointLocation::OnVertex(last as u32)
            } else {
                TrianglePointLocation::OnEdge(i as u32, [1.0 - t, t])
            };
            (best, Closest::At(corner[first] + t * self.edge[i].0, location))
        })
    }

    /// The way to a point so far above the face `[m]`.
    pub fn above(&self, height: f64) -> DVec3 {
        self.frame.map_or(DVec3::ZERO, |(normal, _)| height * normal)
    }

    /// The largest length that goes into its distance from `x` `[m]`.
    pub fn scale(&self, x: DVec3) -> f64 {
        x.abs().max_element() + x.distance(self.shape.a) + self.on_edge / ON_EDGE
    }

    fn of_sliver(&self, x: DVec3, squared: f64) -> Option<(f64, Closest)> {
        let (projection, location) = self.shape.project_local_point_and_get_location(x, false);
        let away = projection.point.distance_squared(x);
        (away < squared).then_some((away, Closest::At(projection.point, location)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closest_points_are_parrys() {
        let spread = |i: u32, k: u32| {
            let at = |f: f64| 2.0 * (f64::from(i) * f + 0.37 * f64::from(k)).fract() - 1.0;
            DVec3::new(at(0.618_034), at(0.754_878), at(0.569_84))
        };
        for i in 0..3000 {
            // From wide triangles to needles and slivers.
            let thin = 0.1_f64.powi((i % 10) as i32);
            let a = spread(i, 0);
            let b = a + spread(i, 1);
            let shape = Triangle::new(a, b, a.lerp(b, 0.4) + thin * spread(i, 2));
            let facet = Facet::new(shape);
            let x = 1.5 * spread(7 * i, 3);
            let (projection, _) = shape.project_local_point_and_get_location(x, false);
            let expected = projection.point.distance(x);
            let (squared, place) = facet.closest(x, f64::INFINITY).unwrap();
            assert!((squared.sqrt() - expected).abs() < 1e-9 * (1.0 + expected), "{i} {squared} {expected}");
            if let Closest::At(point, _) = place {
                assert!((point.distance(x) - expected).abs() < 1e-9 * (1.0 + expected), "{i}");
            }
            assert!(facet.closest(x, 0.99 * squared).is_none());
        }
    }

    #[test]
    fn places_are_told_apart() {
        let facet = Facet::new(Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y));
        let at = |x: f64, y: f64| facet.closest(DVec3::new(x, y, 0.5), f64::INFINITY).unwrap().1;
        assert!(matches!(at(0.2, 0.3), Closest::Face(height) if (height - 0.5).abs() < 1e-15));
        assert!(matches!(at(-1.0, -1.0), Closest::At(_, TrianglePointLocation::OnVertex(0))));
        assert!(matches!(at(2.0, -1.0), Closest::At(_, TrianglePointLocation::OnVertex(1))));
        assert!(matches!(at(-1.0, 2.0), Closest::At(_, TrianglePointLocation::OnVertex(2))));
        assert!(matches!(at(0.5, -1.0), Closest::At(_, TrianglePointLocation::OnEdge(0, _))));
        assert!(matches!(at(1.0, 1.0), Closest::At(_, TrianglePointLocation::OnEdge(1, _))));
        assert!(matches!(at(-1.0, 0.5), Closest::At(_, TrianglePointLocation::OnEdge(2, _))));
        // On an edge it is the edge, whose side parts that touch are not to be told by a face.
        assert!(matches!(at(0.5, 0.0), Closest::At(_, TrianglePointLocation::OnEdge(0, _))));
    }
}
