//! The signed distance in a small neighbourhood, from the few triangles that can be closest there.

use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;

use super::MeshDistance;
use super::facet::{Closest, Facet};
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
    facet: Facet,
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
            let facet = Facet::new(query.triangle(triangle));
            if let Some((squared, _)) = facet.closest(centre, reach * reach) {
                if candidate.len() == MAX_TRIANGLES {
                    return None;
                }
                candidate.push(Candidate { away: squared.sqrt(), triangle, facet });
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
            if let Some((squared, closest)) = candidate.facet.closest(x, best) {
                (best, found) = (squared, Some((candidate.triangle, closest)));
            }
        }
        match found {
            Some((_, Closest::Face(height))) => self.distance.above_face(x, height),
            Some((triangle, Closest::At(point, location))) => {
                self.distance.signed(x, triangle, point, location)
            }
            None => f64::NAN,
        }
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
