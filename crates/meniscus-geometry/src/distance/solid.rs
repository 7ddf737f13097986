//! Signed distances, exact for every analytic shape inside and outside.

use glam::DVec3;
use meniscus_core::Dimension;

use crate::shape::section::{Flat, Section};
use crate::{OpenFaces, Pose, Shape, Side, Solid};

impl Solid {
    /// Distance from `x` to the surface `[m]`: positive where fluid may be, negative inside of the solid matter.
    ///
    /// A container with open faces is taken as endless through them, so that fluid above an open tank is still in
    /// it. In two dimensions `x` must have z = 0; a box and a standing cylinder are endless along z, a sphere and a
    /// lying cylinder are cut with z = 0, and a mesh gives its distance in space. A shape that does not meet the
    /// plane is infinitely far away. The sign for a mesh with holes is a guess from the nearest triangle.
    #[must_use]
    pub fn signed_distance(&self, x: DVec3, dimension: Dimension) -> f64 {
        let outside = to_shape(&self.shape, &self.pose, self.side, x, dimension);
        match self.side {
            Side::Solid => outside,
            Side::Container => -outside,
        }
    }

    /// The shortest way out for a point inside of closed solid matter `[m]`; `None` where fluid may be.
    #[must_use]
    pub fn way_out(&self, x: DVec3, dimension: Dimension) -> Option<DVec3> {
        let distance = self.signed_distance(x, dimension);
        if !(distance < 0.0 && distance.is_finite() && self.is_closed()) {
            return None;
        }
        Some(-distance * self.normal(x, 1e-3 * distance.abs() + 1e-9, dimension))
    }

    /// What determines all distances within `reach` `[m]` of `x`; see [`SignedDistance::planes`](crate::SignedDistance::planes).
    #[must_use]
    pub fn planes(&self, x: DVec3, reach: f64, dimension: Dimension) -> Option<[f64; 3]> {
        let Shape::Box { size, open } = &self.shape else { return None };
        if dimension == Dimension::Two {
            return None;
        }
        let [below, above] = beyond_box(self.pose.to_local(x), *size, walls(*open, self.side));
        let (near, far) = (below.max(above), below.min(above));
        // A slab so thin that both of its faces are in reach, or one that is left behind, is more than one plane.
        if far.max_element() > -reach || near.max_element() >= reach {
            return None;
        }
        let mut planes = near.to_array().map(|d| if d > -reach { d } else { f64::NEG_INFINITY });
        planes.sort_unstable_by(f64::total_cmp);
        Some(planes)
    }

    /// The direction in which the distance from the matter grows fastest, by differences over `step` `[m]`; zero where it
    /// has none. On the surface it is the normal into the fluid.
    #[must_use]
    pub fn normal(&self, x: DVec3, step: f64, dimension: Dimension) -> DVec3 {
        let slope = |axis: DVec3| {
            let ahead = self.signed_distance(x + step * axis, dimension);
            let behind = self.signed_distance(x - step * axis, dimension);
            (ahead - behind) / (2.0 * step)
        };
        let across = if dimension == Dimension::Two { 0.0 } else { slope(DVec3::Z) };
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), across).normalize_or_zero()
    }
}

/// Distance from `x` to the shape's surface, negative inside of the shape `[m]`. The side only decides whether open
/// faces bound the shape.
pub(crate) fn to_shape(shape: &Shape, pose: &Pose, side: Side, x: DVec3, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Two => to_section(&Section::of(shape, pose), side, x),
        Dimension::Three => in_own_frame(shape, side, pose.to_local(x)),
    }
}

/// The same for a point in the frame of the shape.
pub(crate) fn in_own_frame(shape: &Shape, side: Side, x: DVec3) -> f64 {
    match shape {
        Shape::Box { size, open } => to_box(x, *size, walls(*open, side)),
        Shape::Sphere { radius } => x.length() - radius,
        Shape::Cylinder { radius, height } => to_cylinder(x, *radius, *height),
        Shape::Plane { .. } => x.y,
        Shape::Mesh(mesh) => mesh.signed_distance(x),
    }
}

fn to_section(section: &Section<'_>, side: Side, x: DVec3) -> f64 {
    let local = section.pose.to_local(x);
    match &section.flat {
        Flat::Rectangle { size, open } => to_box(local, size.extend(f64::INFINITY), walls(*open, side)),
        Flat::Circle { radius } => local.truncate().length() - radius,
        Flat::Line { .. } => local.y,
        Flat::Mesh(mesh) => mesh.signed_distance(local),
        Flat::Nothing => f64::INFINITY,
    }
}

/// A container's open faces do not bound it; a solid's matter is the whole box all the same.
pub(crate) fn walls(open: OpenFaces, side: Side) -> OpenFaces {
    match side {
        Side::Solid => OpenFaces::NONE,
        Side::Container => open,
    }
}

/// Distance to a centred box that is endless through its open faces.
fn to_box(x: DVec3, size: DVec3, open: OpenFaces) -> f64 {
    let [below, above] = beyond_box(x, size, open);
    combine(below.max(above))
}

/// How far `x` is beyond the lower and the upper faces of a centred box, negative within them `[m]`.
pub(crate) fn beyond_box(x: DVec3, size: DVec3, open: OpenFaces) -> [DVec3; 2] {
    let reach =
        |axis: usize, upper: bool| if open.is_open(axis, upper) { f64::INFINITY } else { 0.5 * size[axis] };
    let min = -DVec3::from_array([0, 1, 2].map(|a| reach(a, false)));
    let max = DVec3::from_array([0, 1, 2].map(|a| reach(a, true)));
    [min - x, x - max]
}

fn to_cylinder(x: DVec3, radius: f64, height: f64) -> f64 {
    let across = DVec3::new(x.x, 0.0, x.z).length() - radius;
    combine(DVec3::new(across, x.y.abs() - 0.5 * height, f64::NEG_INFINITY))
}

/// The distance to the intersection of slabs at right angles from the distances to each.
fn combine(slab: DVec3) -> f64 {
    slab.max(DVec3::ZERO).length() + slab.max_element().min(0.0)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use meniscus_core::Dimension::{Three, Two};

    use super::*;

    fn solid(shape: Shape) -> Solid {
        let rotation = DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 0.8);
        Solid { shape, pose: Pose { translation: DVec3::new(0.3, -0.2, 0.1), rotation }, side: Side::Solid }
    }

    /// Points all over a neighbourhood of the solid.
    fn probes() -> impl Iterator<Item = DVec3> {
        let at = |i: u32| f64::from(i) * 0.47 - 1.63;
        (0..512u32).map(move |i| DVec3::new(at(i % 8), at(i / 8 % 8), at(i / 64)))
    }

    #[test]
    fn the_way_out_ends_on_the_surface() {
        let block = Solid {
            shape: Shape::Box { size: DVec3::new(2.0, 1.0, 1.0), open: OpenFaces::NONE },
            pose: Pose::at(DVec3::new(0.5, 0.0, 0.0)),
            side: Side::Solid,
        };
        let inside = DVec3::new(1.4, 0.1, -0.2);
        let out = block.way_out(inside, Three).unwrap();
        assert!(out.abs_diff_eq(DVec3::new(0.1, 0.0, 0.0), 1e-9), "{out}");
        assert!(block.way_out(DVec3::new(2.0, 0.0, 0.0), Three).is_none());
    }

    #[test]
    fn distances_agree_with_the_nearest_of_many_surface_samples() {
        let shapes = [
            Shape::Box { size: DVec3::new(1.0, 1.5, 0.7), open: OpenFaces::NONE },
            Shape::Sphere { radius: 0.9 },
            Shape::Cylinder { radius: 0.6, height: 1.4 },
        ];
        for shape in shapes {
            let solid = solid(shape);
            let spacing = 0.05;
            let surface = solid.sample_surface(spacing, 0.0, Three).unwrap();
            for x in probes() {
                let brute = surface.iter().map(|s| s.distance(x)).fold(f64::INFINITY, f64::min);
                let d = solid.signed_distance(x, Three);
                let tolerance = spacing.min(spacing * spacing / d.abs().max(1e-3));
                assert!(d.abs() <= brute + 1e-12 && brute - d.abs() < tolerance, "{solid:?} {x} {d} {brute}");
                let local = solid.pose.to_local(x);
                let inside = match solid.shape {
                    Shape::Box { size, .. } => local.abs().cmple(0.5 * size).all(),
                    Shape::Sphere { radius } => local.length() <= radius,
                    _ => local.y.abs() <= 0.7 && local.x.hypot(local.z) <= 0.6,
                };
                assert_eq!(d <= 0.0, inside);
            }
        }
    }

    #[test]
    fn a_container_is_the_other_way_round_and_endless_through_open_faces() {
        let open = OpenFaces::new([false, false, false, true, false, false]);
        let mut tank = Solid {
            shape: Shape::Box { size: DVec3::splat(2.0), open },
            pose: Pose::IDENTITY,
            side: Side::Container,
        };
        let at = |tank: &Solid, x, y| tank.signed_distance(DVec3::new(x, y, 0.0), Three);
        assert!((at(&tank, 0.0, -0.75) - 0.25).abs() < 1e-15);
        assert!((at(&tank, 0.5, 7.0) - 0.5).abs() < 1e-15);
        assert!((at(&tank, 1.5, 7.0) + 0.5).abs() < 1e-15);
        tank.side = Side::Solid;
        assert!((at(&tank, 0.0, 7.0) - 6.0).abs() < 1e-15);
        assert!((at(&tank, 0.0, 0.75) + 0.25).abs() < 1e-15);
    }

    #[test]
    fn two_dimensions_do_not_see_depth() {
        let thin = Solid {
            shape: Shape::Box { size: DVec3::new(2.0, 2.0, 1e-3), open: OpenFaces::NONE },
            pose: Pose::at(DVec3::new(0.0, 0.0, 5.0)),
            side: Side::Container,
        };
        assert!((thin.signed_distance(DVec3::ZERO, Two) - 1.0).abs() < 1e-15);
        let ball = Solid {
            shape: Shape::Sphere { radius: 1.0 },
            pose: Pose::at(DVec3::new(0.0, 0.0, 0.6)),
            side: Side::Solid,
        };
        assert!((ball.signed_distance(DVec3::X, Two) - 0.2).abs() < 1e-15);
        let floor = Solid {
            shape: Shape::Plane { size: [1.0, 1.0] },
            pose: Pose { rotation: DQuat::from_rotation_z(0.5), ..Pose::IDENTITY },
            side: Side::Solid,
        };
        let x = DVec3::new(0.4, 0.7, 0.0);
        assert!((floor.signed_distance(x, Two) - floor.signed_distance(x, Three)).abs() < 1e-15);
    }
}
