//! What a ray meets.

use glam::DVec3;
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::query::Ray;

use crate::MeshShape;

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// How far along the ray, in lengths of its direction `[1]`.
    pub time: f64,
    /// The triangle.
    pub triangle: u32,
    /// Whether the ray comes from behind the triangle, that is from inside.
    pub from_inside: bool,
}

impl MeshShape {
    /// All triangles that a ray meets, in no particular order, each made larger by `thickness` `[m]` beyond its edges.
    /// An edge shared by two triangles may be met twice.
    pub fn ray_hits(
        &self,
        origin: DVec3,
        direction: DVec3,
        thickness: f64,
    ) -> impl Iterator<Item = RayHit> + '_ {
        let query = self.tri_mesh();
        let ray = Ray::new(origin, direction);
        let near = move |node: &BvhNode| {
            let mut aabb = node.aabb();
            aabb.mins -= DVec3::splat(thickness);
            aabb.maxs += DVec3::splat(thickness);
            crosses(aabb.mins, aabb.maxs, ray.origin, ray.dir)
        };
        query.bvh().leaves(near).filter_map(move |triangle| {
            let t = query.triangle(triangle);
            let (time, from_inside) = meet([t.a, t.b, t.c], origin, direction, thickness)?;
            Some(RayHit { time, triangle, from_inside })
        })
    }

    /// The first triangle that a ray meets, made larger as in [`MeshShape::ray_hits`].
    #[must_use]
    pub fn first_hit(&self, origin: DVec3, direction: DVec3, thickness: f64) -> Option<RayHit> {
        // Of equally near ones the lowest number, whatever the order of the walk.
        self.ray_hits(origin, direction, thickness)
            .min_by(|a, b| a.time.total_cmp(&b.time).then(a.triangle.cmp(&b.triangle)))
    }
}

/// Whether a ray passes through a box.
fn crosses(min: DVec3, max: DVec3, origin: DVec3, direction: DVec3) -> bool {
    let (mut enter, mut leave) = (0.0f64, f64::INFINITY);
    for axis in 0..3 {
        if direction[axis] == 0.0 {
            if origin[axis] < min[axis] || origin[axis] > max[axis] {
                return false;
            }
            continue;
        }
        let a = (min[axis] - origin[axis]) / direction[axis];
        let b = (max[axis] - origin[axis]) / direction[axis];
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter <= leave
}

/// When a ray meets a triangle made larger by `thickness` `[m]`, and whether from behind.
pub(super) fn meet(
    [a, b, c]: [DVec3; 3],
    origin: DVec3,
    direction: DVec3,
    thickness: f64,
) -> Option<(f64, bool)> {
    let normal = (b - a).cross(c - a);
    let towards = normal.dot(direction);
    // A ray in the triangle's plane does not cross it.
    if towards.abs() <= 1e-12 * normal.length() * direction.length() {
        return None;
    }
    let time = normal.dot(a - origin) / towards;
    if time < 0.0 {
        return None;
    }
    let p = origin + time * direction;
    let area = normal.length();
    let within = [[a, b], [b, c], [c, a]].into_iter().all(|[from, to]| {
        // Distance from the edge's line, positive on the triangle's side.
        let edge = to - from;
        normal.dot(edge.cross(p - from)) >= -thickness * area * edge.length()
    });
    within.then_some((time, towards > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn rays_meet_the_right_side_of_the_right_wall() {
        let shape = MeshShape::new(cube(2.0)).unwrap();
        let hit = shape.first_hit(DVec3::new(0.3, 0.2, 0.0), DVec3::Z, 0.0).unwrap();
        assert!((hit.time - 1.0).abs() < 1e-12 && hit.from_inside);
        let hit = shape.first_hit(DVec3::new(0.3, 0.2, 5.0), 2.0 * DVec3::NEG_Z, 0.0).unwrap();
        assert!((hit.time - 2.0).abs() < 1e-12 && !hit.from_inside);
        assert_eq!(shape.ray_hits(DVec3::new(0.3, 0.2, 5.0), DVec3::NEG_Z, 0.0).count(), 2);
        assert!(shape.first_hit(DVec3::new(0.3, 0.2, 5.0), DVec3::Z, 0.0).is_none());
        assert!(shape.first_hit(DVec3::new(1.01, 0.0, 5.0), DVec3::NEG_Z, 0.0).is_none());
        assert!(shape.first_hit(DVec3::new(1.01, 0.0, 5.0), DVec3::NEG_Z, 0.02).is_some());
    }

    #[test]
    fn counts_are_odd_from_inside() {
        let shape = MeshShape::new(sphere(3)).unwrap();
        for i in 0..500 {
            let at = |f: f64| 2.4 * ((f64::from(i) * f).fract() - 0.5);
            let x = DVec3::new(at(0.618_034), at(0.754_878), at(0.569_84));
            let direction = DVec3::new(0.3, 0.7, -0.41);
            let odd = shape.ray_hits(x, direction, 0.0).count() % 2 == 1;
            assert_eq!(odd, shape.signed_distance(x) < 0.0, "{x}");
        }
    }
}
