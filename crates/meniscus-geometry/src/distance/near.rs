//! The distance of points in one neighbourhood: from the few triangles of a mesh that can be closest there, fewer and fewer as the
//! neighbourhood gets smaller.

use glam::DVec3;
use parry3d_f64::bounding_volume;

use super::facet::{Closest, Facet};
use super::mesh::MeshDistance;
use crate::{MeshShape, SignedDistance};

/// With more triangles than this the tree of the mesh is quicker `[1]`.
const MAX_TRIANGLES: usize = 4096;
/// How many of the closest triangles each other one must be able to beat somewhere `[1]`.
const RIVALS: usize = 6;
/// How much closer than computed a triangle may be, beside all lengths involved, for roundings `[1]`.
const ROUNDING: f64 = 1e-9;

/// Closer than this, beside all coordinates involved, roundings turn the way between two points `[1]`.
const NO_WAY: f64 = 1e-6;

/// The distance `[m]` of points in one neighbourhood; see [`SignedDistance::near`].
pub type NearDistance<'a> = Box<dyn LocalDistance + 'a>;

/// A signed distance that is asked for in one neighbourhood only.
pub trait LocalDistance {
    /// The distance of a point of the neighbourhood, negative inside `[m]`.
    fn distance(&self, x: DVec3) -> f64;

    /// The same in a smaller box within this one, which reaches `half` `[m]` to both sides of its middle.
    fn narrowed(&self, centre: DVec3, half: DVec3) -> NearDistance<'_>;
}

/// A distance of which nothing is known in advance.
pub(super) struct Anywhere<'a, D: ?Sized>(pub &'a D);

impl<D: SignedDistance + ?Sized> LocalDistance for Anywhere<'_, D> {
    fn distance(&self, x: DVec3) -> f64 {
        self.0.distance(x)
    }

    fn narrowed(&self, _centre: DVec3, _half: DVec3) -> NearDistance<'_> {
        Box::new(Anywhere(self.0))
    }
}

/// Triangles of a mesh of which one is closest to any point of a box.
pub(super) struct NearTriangles<'a> {
    distance: &'a MeshDistance<'a>,
    facet: &'a [Facet],
    centre: DVec3,
    /// By the distance from the centre, ascending.
    candidate: Vec<Candidate>,
}

/// A triangle as seen from the middle of a box.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    triangle: u32,
    /// How far away it is `[m]`.
    away: f64,
    /// From its closest point to the middle `[1]`; not a number if that is too close for a direction.
    direction: DVec3,
}

impl Candidate {
    /// `None` if it is not closer than the root of `squared` `[m²]`.
    fn seen(facet: &[Facet], triangle: u32, centre: DVec3, squared: f64) -> Option<Self> {
        let facet = facet.get(triangle as usize)?;
        let (squared, closest) = facet.closest(centre, squared)?;
        let away = squared.sqrt();
        let way = match closest {
            Closest::Face(height) => facet.above(height),
            Closest::At(point, _) => centre - point,
        };
        let direction = if away > NO_WAY * facet.scale(centre) { way / away } else { DVec3::NAN };
        Some(Self { triangle, away, direction })
    }

    /// How far away it is at least from a point that is `u` from the middle, both in `[m]`: it is convex, and so behind the
    /// plane through its closest point across the way to the middle. Not a number without a direction.
    fn least(&self, u: DVec3) -> f64 {
        self.away + self.direction.dot(u)
    }

    /// Whether this one is closer than `other` to all points of a box of this half size.
    ///
    /// At u from the middle `other` is at least away' + n'·u away, and the closest point of this one at most
    /// away + n·u + u²/(2 away). Close to surfaces that says less than the triangle inequality.
    fn beats(&self, other: &Self, half: DVec3, squared: f64, twice: f64) -> bool {
        // Without directions `min` leaves the triangle inequality.
        let bend = (self.direction - other.direction).abs().dot(half) + 0.5 * squared / self.away;
        other.away > (self.away + bend.min(twice)) * (1.0 + ROUNDING)
    }
}

/// Leaves those that may be closest to some point of a box of this half size, by their distance.
fn closest_ones(mut candidate: Vec<Candidate>, half: DVec3) -> Vec<Candidate> {
    let squared = half.length_squared();
    let twice = 2.0 * squared.sqrt() + f64::MIN_POSITIVE;
    let first = candidate.iter().min_by(|a, b| a.away.total_cmp(&b.away)).copied();
    if let Some(first) = first {
        candidate.retain(|other| !first.beats(other, half, squared, twice));
    }
    // Equally far ones stay in the order of the tree.
    candidate.sort_by(|a, b| a.away.total_cmp(&b.away));
    let mut kept = 0;
    for i in 0..candidate.len() {
        let other = candidate[i];
        if !candidate[..kept.min(RIVALS)].iter().any(|rival| rival.beats(&other, half, squared, twice)) {
            candidate[kept] = other;
            kept += 1;
        }
    }
    candidate.truncate(kept);
    candidate
}

impl<'a> NearTriangles<'a> {
    /// `None` if there are too many of them, or the box is not finite.
    pub fn gather(
        distance: &'a MeshDistance<'a>,
        mesh: &MeshShape,
        facet: &'a [Facet],
        centre: DVec3,
        half: DVec3,
    ) -> Option<Self> {
        let closest = mesh.closest(centre)?.point.distance(centre);
        // Some triangle is closer than `closest` and half a diagonal to every point of the box.
        let reach = reach(closest, half);
        let bounds = bounding_volume::Aabb::from_half_extents(centre, DVec3::splat(reach));
        let mut candidate = Vec::new();
        for triangle in mesh.tri_mesh().bvh().intersect_aabb(&bounds) {
            if let Some(seen) = Candidate::seen(facet, triangle, centre, reach * reach) {
                candidate.push(seen);
            }
        }
        let candidate = closest_ones(candidate, half);
        (candidate.len() <= MAX_TRIANGLES).then_some(Self { distance, facet, centre, candidate })
    }

    /// The same in a smaller box within this one.
    fn within(&self, centre: DVec3, half: DVec3) -> Self {
        let closest = self.closest(centre).map_or(f64::INFINITY, |(squared, ..)| squared.sqrt());
        let (reach, moved) = (reach(closest, half), centre.distance(self.centre));
        let near = self.candidate.iter().take_while(|candidate| candidate.away - moved <= reach);
        let seen = near.filter_map(|c| Candidate::seen(self.facet, c.triangle, centre, reach * reach));
        let candidate = closest_ones(seen.collect(), half);
        Self { distance: self.distance, facet: self.facet, centre, candidate }
    }

    /// The squared distance of a point of the box and what it is closest to.
    fn closest(&self, x: DVec3) -> Option<(f64, u32, Closest)> {
        let from_centre = x - self.centre;
        let moved = from_centre.length();
        let (mut best, mut found) = (f64::INFINITY, None);
        for candidate in &self.candidate {
            let is_farther = |least: f64| least > 0.0 && least * least >= best;
            if is_farther(candidate.away - moved) {
                break;
            }
            if is_farther(candidate.least(from_centre) - ROUNDING * (candidate.away + moved)) {
                continue;
            }
            let Some(facet) = self.facet.get(candidate.triangle as usize) else { continue };
            if let Some((squared, closest)) = facet.closest(x, best) {
                (best, found) = (squared, Some((squared, candidate.triangle, closest)));
            }
        }
        found
    }
}

/// How far from the middle of a box of this half size triangles may be closest, if one is `closest` away; all in `[m]`.
fn reach(closest: f64, half: DVec3) -> f64 {
    (closest + 2.0 * half.length()) * (1.0 + ROUNDING) + 1e-12
}

impl LocalDistance for NearTriangles<'_> {
    /// Not a number for points that are none.
    fn distance(&self, x: DVec3) -> f64 {
        match self.closest(x) {
            Some((_, _, Closest::Face(height))) => self.distance.above_face(x, height),
            Some((_, triangle, Closest::At(point, location))) => {
                self.distance.signed(x, triangle, point, location)
            }
            None => f64::NAN,
        }
    }

    fn narrowed(&self, centre: DVec3, half: DVec3) -> NearDistance<'_> {
        Box::new(self.within(centre, half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeshShape;
    use crate::test_mesh::sphere;

    #[test]
    fn small_boxes_leave_few_triangles() {
        let mesh = MeshShape::new(sphere(4)).unwrap();
        let distance = MeshDistance::new(&mesh);
        let whole =
            NearTriangles::gather(&distance, &mesh, distance.facets(), DVec3::ZERO, DVec3::ONE).unwrap();
        let (mut kept, mut near, mut count) = (0, 0, 0);
        for i in 0..200 {
            let at = |f: f64| 2.0 * (f64::from(i) * f).fract() - 1.0;
            let way = DVec3::new(at(0.618_034), at(0.754_878), at(0.569_84)).normalize();
            // Half a radius deep, where the triangles of a cap are about equally far.
            let (centre, half) = (0.5 * way, DVec3::splat(0.02));
            let narrow = whole.within(centre, half);
            let limit = narrow.candidate[0].away + 2.0 * half.length();
            let seen = |t: u32| Candidate::seen(distance.facets(), t, centre, limit * limit);
            kept += narrow.candidate.len();
            near += (0..mesh.mesh().triangle.len() as u32).filter_map(seen).count();
            count += 1;
        }
        // The triangle inequality alone leaves all that are counted in `near`.
        assert!(5 * kept < near, "{kept} of {near} at {count} places");
    }
}
