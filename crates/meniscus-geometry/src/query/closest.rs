//! The closest point of a mesh, with one walk through its tree.

use glam::DVec3;
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::TrianglePointLocation;

use crate::MeshShape;

/// What part of a mesh a point lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosestFeature {
    /// In the middle of the triangle.
    Face,
    /// On the edge between these vertices.
    Edge(u32, u32),
    /// On this vertex.
    Vertex(u32),
}

/// The point of a mesh that is closest to another point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoint {
    /// Where it is `[m]`.
    pub point: DVec3,
    /// Its triangle, one of several on an edge or vertex.
    pub triangle: u32,
    /// Where on the triangle it is.
    pub feature: ClosestFeature,
    /// The outward normal there; on edges and vertices the angle-weighted one \[Baerentzen2005\]. Zero if the triangles
    /// around it cancel `[1]`.
    pub normal: DVec3,
}

impl ClosestPoint {
    /// The distance of `x`, negative behind the normal `[m]`, and its gradient `[1]`: on the surface the normal.
    #[must_use]
    pub fn signed_distance(&self, x: DVec3) -> (f64, DVec3) {
        self.with_sign(x, (x - self.point).dot(self.normal) < 0.0)
    }

    /// As [`ClosestPoint::signed_distance`], for those who know the side.
    pub(crate) fn with_sign(&self, x: DVec3, inside: bool) -> (f64, DVec3) {
        let away = x - self.point;
        let distance = away.length();
        let sign = if inside { -1.0 } else { 1.0 };
        // So close to the surface the difference has no direction left.
        let floor = 1e-12 * (1.0 + self.point.abs().max_element());
        let gradient = if distance > floor { sign * away / distance } else { self.normal };
        (sign * distance, gradient)
    }
}

enum Place {
    Face,
    Edge(usize),
    Vertex(usize),
}

/// Where on its triangle a point is; parry calls points on an edge part of the face.
fn snapped(location: TrianglePointLocation) -> Place {
    match location {
        TrianglePointLocation::OnVertex(i) => Place::Vertex(i as usize),
        TrianglePointLocation::OnEdge(i, _) => Place::Edge(i as usize),
        TrianglePointLocation::OnSolid => Place::Face,
        TrianglePointLocation::OnFace(_, weight) => {
            // Without weight of vertex 2 it is the edge from 0 to 1, and so on.
            let edge = [1, 2, 0];
            weight.iter().position(|w| *w < 1e-12).map_or(Place::Face, |i| Place::Edge(edge[i]))
        }
    }
}

impl MeshShape {
    /// The closest point of the surface within `max_distance` `[m]`; `None` if there is none, or `x` is not finite.
    #[must_use]
    pub fn closest_within(&self, x: DVec3, max_distance: f64) -> Option<ClosestPoint> {
        let query = self.tri_mesh();
        let (projection, (triangle, location)) =
            query.project_local_point_and_get_location_with_max_dist(x, false, max_distance)?;
        self.closest_on(triangle, projection.point, location)
    }

    /// The closest point if it is this one, at this place of this triangle.
    pub(crate) fn closest_on(
        &self,
        triangle: u32,
        point: DVec3,
        location: TrianglePointLocation,
    ) -> Option<ClosestPoint> {
        let query = self.tri_mesh();
        let vertices = query.indices().get(triangle as usize)?;
        let pseudo = query.pseudo_normals();
        let (feature, normal) = match snapped(location) {
            Place::Vertex(i) => {
                let vertex = *vertices.get(i)?;
                let normal = pseudo.and_then(|p| p.vertices_pseudo_normal.get(vertex as usize));
                (ClosestFeature::Vertex(vertex), normal.copied())
            }
            Place::Edge(i) => {
                let [a, b] = *[[0, 1], [1, 2], [0, 2]].get(i)?;
                let normal = pseudo.and_then(|p| p.edges_pseudo_normal.get(triangle as usize)).map(|n| n[i]);
                (ClosestFeature::Edge(vertices[a], vertices[b]), normal)
            }
            Place::Face => (ClosestFeature::Face, Some(query.triangle(triangle).scaled_normal())),
        };
        let normal = normal.unwrap_or_default().normalize_or_zero();
        Some(ClosestPoint { point, triangle, feature, normal })
    }

    /// The closest point of the surface; `None` only if `x` is not finite.
    #[must_use]
    pub fn closest(&self, x: DVec3) -> Option<ClosestPoint> {
        self.closest_within(x, f64::MAX)
    }

    /// The distance to the surface, negative inside `[m]`, and its gradient `[1]`, if the surface is within
    /// `max_distance` `[m]`.
    #[must_use]
    pub fn signed_distance_within(&self, x: DVec3, max_distance: f64) -> Option<(f64, DVec3)> {
        self.closest_within(x, max_distance).map(|closest| closest.signed_distance(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SignedDistance;
    use crate::test_mesh::cube;

    #[test]
    fn features_and_normals_on_a_cube() {
        let shape = MeshShape::new(cube(2.0)).unwrap();
        let face = shape.closest(DVec3::new(0.3, 0.2, 1.5)).unwrap();
        assert_eq!(face.feature, ClosestFeature::Face);
        assert!(face.normal.abs_diff_eq(DVec3::Z, 1e-12));
        let edge = shape.closest(DVec3::new(0.3, 1.5, 1.5)).unwrap();
        assert!(matches!(edge.feature, ClosestFeature::Edge(..)));
        assert!(edge.normal.abs_diff_eq(DVec3::new(0.0, 1.0, 1.0).normalize(), 1e-12));
        let vertex = shape.closest(DVec3::splat(1.5)).unwrap();
        assert!(matches!(vertex.feature, ClosestFeature::Vertex(_)));
        assert!(vertex.normal.abs_diff_eq(DVec3::ONE.normalize(), 1e-12));
        assert!(shape.closest(DVec3::NAN).is_none());
    }

    #[test]
    fn on_the_surface_the_gradient_is_the_normal() {
        let shape = MeshShape::new(cube(2.0)).unwrap();
        for (x, normal) in [
            (DVec3::new(0.3, 0.2, 1.0), DVec3::Z),
            (DVec3::new(0.3, 1.0, 1.0), DVec3::new(0.0, 1.0, 1.0).normalize()),
            (DVec3::ONE, DVec3::ONE.normalize()),
        ] {
            let (distance, gradient) = shape.distance_and_gradient(x);
            assert!(distance.abs() < 1e-12 && gradient.abs_diff_eq(normal, 1e-12), "{x} {gradient}");
        }
        let (distance, gradient) = shape.distance_and_gradient(DVec3::new(0.1, 0.9, 0.0));
        assert!((distance + 0.1).abs() < 1e-12 && gradient.abs_diff_eq(DVec3::Y, 1e-9));
    }

    #[test]
    fn beyond_the_narrow_band_there_is_no_answer() {
        let shape = MeshShape::new(cube(2.0)).unwrap();
        let x = DVec3::new(0.0, 0.0, 1.5);
        assert!(shape.signed_distance_within(x, 0.4).is_none());
        assert!((shape.signed_distance_within(x, 0.6).unwrap().0 - 0.5).abs() < 1e-12);
    }
}
