//! The signed distance to a mesh that need not be perfect; for many points of a small neighbourhood, from the few triangles
//! that can be closest there.

use std::collections::{HashMap, HashSet};

use glam::DVec3;
use parry3d_f64::bounding_volume;
use parry3d_f64::shape::TrianglePointLocation;

use super::facet::{Closest, Facet};
use crate::distance::NearDistance;
use crate::query::{ClosestFeature, ClosestPoint, WindingNumber};
use crate::{Aabb, MeshShape, SignedDistance};

/// With more triangles than this the tree is quicker `[1]`.
const MAX_TRIANGLES: usize = 512;

/// The signed distance to a mesh, for meshes as they come.
///
/// If every part of the mesh is closed and nothing touches, pseudo-normals alone tell the side. Otherwise the
/// [`WindingNumber`] does: everywhere if triangles are missing, else only for points whose closest feature is one where
/// parts touch. The distance is always that to the triangles; across a gap it jumps between its sides.
#[derive(Debug, Clone)]
pub struct MeshDistance<'a> {
    mesh: &'a MeshShape,
    side: Side,
}

/// How the side of the surface is found.
#[derive(Debug, Clone)]
enum Side {
    PseudoNormal,
    Touching { vertex: HashSet<u32>, edge: HashSet<[u32; 2]>, winding: WindingNumber },
    Winding(WindingNumber),
}

impl<'a> MeshDistance<'a> {
    /// Looks for gaps and for places where parts touch.
    #[must_use]
    pub fn new(mesh: &'a MeshShape) -> Self {
        if !mesh.is_watertight() {
            return Self { mesh, side: Side::Winding(WindingNumber::new(mesh)) };
        }
        let (vertex, edge) = touching(&mesh.mesh().triangle);
        let side = if vertex.is_empty() && edge.is_empty() {
            Side::PseudoNormal
        } else {
            Side::Touching { vertex, edge, winding: WindingNumber::new(mesh) }
        };
        Self { mesh, side }
    }

    /// The distance, negative inside `[m]`, and its gradient `[1]`, if the surface is within `max_distance` `[m]`.
    #[must_use]
    pub fn within(&self, x: DVec3, max_distance: f64) -> Option<(f64, DVec3)> {
        let closest = self.mesh.closest_within(x, max_distance)?;
        Some(closest.with_sign(x, self.is_behind(&closest, x)))
    }

    /// Whether `x` is inside.
    #[must_use]
    pub fn is_inside(&self, x: DVec3) -> bool {
        match &self.side {
            Side::Winding(winding) => winding.is_inside(x),
            _ => self.mesh.closest(x).is_some_and(|closest| self.is_behind(&closest, x)),
        }
    }

    /// The distance of `x` if this is its closest point, at this place of this triangle; negative inside `[m]`.
    pub(super) fn signed(
        &self,
        x: DVec3,
        triangle: u32,
        point: DVec3,
        location: TrianglePointLocation,
    ) -> f64 {
        let Some(closest) = self.mesh.closest_on(triangle, point, location) else { return f64::NAN };
        let distance = x.distance(point);
        if self.is_behind(&closest, x) { -distance } else { distance }
    }

    /// The distance of `x` if its closest point is in the middle of a face, and it is so far above that `[m]`.
    pub(super) fn above_face(&self, x: DVec3, height: f64) -> f64 {
        match &self.side {
            Side::PseudoNormal | Side::Touching { .. } => height,
            Side::Winding(winding) if winding.is_inside(x) => -height.abs(),
            Side::Winding(_) => height.abs(),
        }
    }

    fn is_behind(&self, closest: &ClosestPoint, x: DVec3) -> bool {
        match &self.side {
            Side::PseudoNormal => (x - closest.point).dot(closest.normal) < 0.0,
            Side::Winding(winding) => winding.is_inside(x),
            Side::Touching { vertex, edge, winding } => {
                let unclear = match closest.feature {
                    ClosestFeature::Face => false,
                    ClosestFeature::Edge(a, b) => edge.contains(&[a.min(b), a.max(b)]),
                    ClosestFeature::Vertex(v) => vertex.contains(&v),
                };
                if unclear { winding.is_inside(x) } else { (x - closest.point).dot(closest.normal) < 0.0 }
            }
        }
    }
}

impl SignedDistance for MeshDistance<'_> {
    fn distance(&self, x: DVec3) -> f64 {
        self.distance_and_gradient(x).0
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        self.within(x, f64::MAX).unwrap_or((f64::NAN, DVec3::ZERO))
    }

    fn near(&self, centre: DVec3, radius: f64) -> NearDistance<'_> {
        match NearTriangles::gather(self, self.mesh, centre, radius) {
            Some(near) => Box::new(move |x| near.distance(x)),
            None => Box::new(|x| self.distance(x)),
        }
    }

    fn bounds(&self) -> Aabb {
        self.mesh.mesh().bounds()
    }
}

/// Vertices whose triangles form more than one fan, and edges with more than two triangles (with their vertices).
fn touching(triangle: &[[u32; 3]]) -> (HashSet<u32>, HashSet<[u32; 2]>) {
    let mut uses: HashMap<[u32; 2], u32> = HashMap::with_capacity(2 * triangle.len());
    let mut around: HashMap<u32, Vec<[u32; 2]>> = HashMap::new();
    for &[a, b, c] in triangle {
        for (v, [from, to]) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
            *uses.entry([from.min(to), from.max(to)]).or_default() += 1;
            around.entry(v).or_default().push([from, to]);
        }
    }
    let edge: HashSet<[u32; 2]> =
        uses.into_iter().filter(|(_, uses)| *uses != 2).map(|(edge, _)| edge).collect();
    let mut vertex: HashSet<u32> = edge.iter().flatten().copied().collect();
    vertex.extend(around.iter().filter(|(_, links)| !is_one_fan(links)).map(|(v, _)| *v));
    (vertex, edge)
}

/// Whether the edges opposite of a vertex make one closed loop.
fn is_one_fan(links: &[[u32; 2]]) -> bool {
    let next: HashMap<u32, u32> = links.iter().map(|&[from, to]| (from, to)).collect();
    let Some(&[start, mut at]) = links.first() else { return true };
    let mut steps = 1;
    while at != start && steps <= links.len() {
        let Some(&to) = next.get(&at) else { return false };
        at = to;
        steps += 1;
    }
    steps == links.len()
}

/// Triangles of a mesh of which one is closest to any point of a ball.
struct NearTriangles<'a> {
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
        let bounds = bounding_volume::Aabb::from_half_extents(centre, DVec3::splat(reach));
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
