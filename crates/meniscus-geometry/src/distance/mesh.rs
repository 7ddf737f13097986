//! The signed distance to a mesh that need not be perfect; for many points of a small neighbourhood, from the few triangles
//! that can be closest there.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use glam::DVec3;
use parry3d_f64::shape::TrianglePointLocation;

use super::facet::Facet;
use super::near::{Anywhere, NearDistance, NearTriangles};
use crate::query::{ClosestFeature, ClosestPoint, WindingNumber};
use crate::{Aabb, MeshShape, SignedDistance};

/// The signed distance to a mesh, for meshes as they come.
///
/// If every part of the mesh is closed and nothing touches, pseudo-normals alone tell the side. Otherwise the
/// [`WindingNumber`] does: everywhere if triangles are missing, else only for points whose closest feature is one where
/// parts touch. The distance is always that to the triangles; across a gap it jumps between its sides.
#[derive(Debug, Clone)]
pub struct MeshDistance<'a> {
    mesh: &'a MeshShape,
    side: Side,
    /// The triangles, prepared once somebody asks for neighbourhoods.
    facet: OnceLock<Vec<Facet>>,
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
            return Self { mesh, side: Side::Winding(WindingNumber::new(mesh)), facet: OnceLock::new() };
        }
        let (vertex, edge) = touching(&mesh.mesh().triangle);
        let side = if vertex.is_empty() && edge.is_empty() {
            Side::PseudoNormal
        } else {
            Side::Touching { vertex, edge, winding: WindingNumber::new(mesh) }
        };
        Self { mesh, side, facet: OnceLock::new() }
    }

    /// The triangles, prepared for questions.
    pub(super) fn facets(&self) -> &[Facet] {
        self.facet.get_or_init(|| self.mesh.tri_mesh().triangles().map(Facet::new).collect())
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

    fn near(&self, centre: DVec3, half: DVec3) -> NearDistance<'_> {
        match NearTriangles::gather(self, self.mesh, self.facets(), centre, half) {
            Some(near) => Box::new(near),
            None => Box::new(Anywhere(self)),
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
            for i in 0..400 {
                let half = (0.02 + 0.2 * f64::from(i % 5)) * spread(3 * i + 1).abs();
                let centre = 1.5 * spread(i);
                let near = exact.near(centre, half);
                for k in 0..20 {
                    let x = centre + half * spread(31 * i + k);
                    let narrow = near.narrowed(centre + 0.5 * half * spread(i + k), 0.5 * half);
                    let y = centre + 0.5 * half * (spread(i + k) + spread(17 * i + k));
                    for (found, exact) in [
                        (near.distance(x), exact.distance(x)),
                        (near.distance(y), exact.distance(y)),
                        (narrow.distance(y), exact.distance(y)),
                    ] {
                        assert!((found - exact).abs() < 1e-12, "{x} {y} {found} {exact}");
                    }
                }
            }
        }
        // From places on faces, edges and vertices, and from places a rounding away from them, there is no way to speak of.
        let mut long = cube(1.0);
        long.scale(DVec3::new(2.5, 2.0, 1.0));
        let mesh = MeshShape::new(long).unwrap();
        let exact = MeshDistance::new(&mesh);
        let corner = mesh.mesh().bounds().max;
        let part = |i: u32| [1.0, 0.3, -0.7, 0.1, 1.0 - 1e-16, 1.0 + 3e-16][i as usize];
        for i in 0..216 {
            let centre = corner * DVec3::new(part(i % 6), part(i / 6 % 6), part(i / 36));
            let near = exact.near(centre, DVec3::splat(0.2));
            for k in 0..40 {
                let x = centre + 0.2 * spread(41 * i + k);
                let (found, exact) = (near.distance(x), exact.distance(x));
                assert!((found - exact).abs() < 1e-12, "{centre} {x} {found} {exact}");
            }
        }
        let nowhere = DVec3::NAN;
        assert!(MeshDistance::new(&mesh).near(nowhere, DVec3::ONE).distance(nowhere).is_nan());
    }
}
