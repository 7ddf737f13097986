//! The signed distance in a small neighbourhood, from the few triangles that can be closest there.

use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::query::PointQueryWithLocation;
use parry3d_f64::shape::Triangle;

use super::MeshDistance;
use crate::MeshShape;

/// With more triangles than this the tree is quicker `[1]`.
const MAX_TRIANGLES: usize = 512;

/// Triangles of a mesh of which one is closest to any point of a ball.
pub(super) struct NearTriangles<'a> {
    distance: &'a MeshDistance<'a>,
    centre: DVec3,
    /// By the distance from the centre, ascending.
    candidate: Vec<Candidate>,
}

struct Candidate {
    /// Its distance from the centre `[m]`.
    away: f64,
    triangle: u32,
    shape: Triangle,
    /// The disc around it: unit normal `[1]`, middle and radius `[m]`.
    normal: DVec3,
    middle: DVec3,
    radius: f64,
}

impl Candidate {
    /// Whether even the disc around it is farther from `x` than the root of `squared`.
    fn is_beyond(&self, x: DVec3, squared: f64) -> bool {
        let way = x - self.middle;
        let height = way.dot(self.normal).powi(2);
        let left = squared - height;
        left <= 0.0 || way.length_squared() - height >= (left.sqrt() + self.radius).powi(2)
    }
}

impl<'a> NearTriangles<'a> {
    /// `None` if there are too many of them, or the ball is not finite.
    pub fn gather(
        distance: &'a MeshDistance<'a>,
        mesh: &MeshShape,
        centre: DVec3,
        radius: f64,
    ) -> Option<Self> {
        let closest = mesh.closest(centre)?.point.distance(centre);
        // Some triangle is closer than `closest + radius` to every point of the ball; a little more for rounding.
        let reach = (closest + 2.0 * radius) * (1.0 + 1e-9) + 1e-12;
        let query = mesh.tri_mesh();
        let bounds = Aabb::from_half_extents(centre, DVec3::splat(reach));
        let mut candidate = Vec::new();
        for triangle in query.bvh().intersect_aabb(&bounds) {
            let shape = query.triangle(triangle);
            let away = shape.project_local_point_and_get_location(centre, false).0.point.distance(centre);
            if away <= reach {
                if candidate.len() == MAX_TRIANGLES {
                    return None;
                }
                let (normal, middle) = (shape.scaled_normal().normalize_or_zero(), shape.center());
                let corners = [shape.a, shape.b, shape.c].map(|c| c.distance(middle));
                // A little more for rounding.
                let radius = (1.0 + 1e-9) * corners.into_iter().fold(0.0, f64::max);
                candidate.push(Candidate { away, triangle, shape, normal, middle, radius });
            }
        }
        // Equally far ones stay in the order of the tree.
        candidate.sort_by(|a, b| a.away.total_cmp(&b.away));
        Some(Self { distance, centre, candidate })
    }

    /// The distance of a point of the ball, negative inside `[m]`; not a number for points that are none.
    pub fn distance(&self, x: DVec3) -> f64 {
        let from_centre = x.distance(self.centre);
        let (mut best, mut found) = (f64::INFINITY, None);
        for candidate in &self.candidate {
            let least = candidate.away - from_centre;
            if least > 0.0 && least * least >= best {
                break;
            }
            if candidate.is_beyond(x, best) {
                continue;
            }
            let (projection, location) = candidate.shape.project_local_point_and_get_location(x, false);
            let squared = projection.point.distance_squared(x);
            if squared < best {
                (best, found) = (squared, Some((candidate.triangle, projection.point, location)));
            }
        }
        found.map_or(f64::NAN, |(triangle, point, location)| {
            self.distance.signed(x, triangle, point, location)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SignedDistance;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn neighbourhoods_know_the_same_distances() {
        let spread = |i: u32| {
            DVec3::from_array(
                [0.618_034, 0.754_878, 0.569_84].map(|f| 2.0 * (f64::from(i) * f).fract() - 1.0),
            )
        };
        for mesh in [cube(1.0), sphere(3), sphere(0)].map(|mesh| MeshShape::new(mesh).unwrap()) {
            let exact = MeshDistance::new(&mesh);
            let mut gathered = 0;
            for i in 0..400 {
                let (centre, radius) = (1.5 * spread(i), 0.02 + 0.2 * f64::from(i % 5));
                gathered += u32::from(NearTriangles::gather(&exact, &mesh, centre, radius).is_some());
                let near = exact.near(centre, radius);
                for k in 0..20 {
                    let x = centre + radius / 3f64.sqrt() * spread(31 * i + k);
                    assert!(
                        (near(x) - exact.distance(x)).abs() < 1e-12,
                        "{x} {} {}",
                        near(x),
                        exact.distance(x)
                    );
                }
            }
            assert!(gathered > 100, "{gathered}");
        }
        let mesh = MeshShape::new(cube(1.0)).unwrap();
        assert!(MeshDistance::new(&mesh).near(DVec3::NAN, 1.0)(DVec3::NAN).is_nan());
    }
}
