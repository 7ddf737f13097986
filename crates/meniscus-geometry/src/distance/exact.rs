//! Exact distances of shapes in their own frame, with gradients.
//!
//! The values are those of [`Solid::signed_distance`](crate::Solid::signed_distance) of a solid that stands in the
//! origin; the gradients come with them at little extra cost, where [`Solid::normal`](crate::Solid::normal) takes
//! differences.

use std::sync::Arc;

use glam::DVec3;

use super::solid::{beyond_box, in_own_frame, walls};
use crate::{Aabb, OpenFaces, Pose, Shape, Side, SignedDistance};

/// The distance to the matter of a shape in its own frame; of a container, to what is around it.
#[derive(Debug, Clone)]
pub struct ExactDistance {
    /// The shape.
    pub shape: Shape,
    /// Where its matter is.
    pub side: Side,
}

/// Everything outside of another surface: a room whose walls have no end.
#[derive(Clone)]
pub struct Inverted(
    /// The surface that is hollow.
    pub Arc<dyn SignedDistance>,
);

/// Without end in all directions.
const EVERYWHERE: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

impl ExactDistance {
    /// Distance `[m]` and gradient of the shape itself.
    fn outside(&self, x: DVec3) -> (f64, DVec3) {
        match &self.shape {
            Shape::Box { size, open } => to_box(x, *size, walls(*open, self.side)),
            Shape::Sphere { radius } => (x.length() - radius, x.normalize_or_zero()),
            Shape::Cylinder { radius, height } => to_cylinder(x, *radius, *height),
            Shape::Plane { .. } => (x.y, DVec3::Y),
            Shape::Mesh(mesh) => mesh.distance_and_gradient(x),
        }
    }
}

impl SignedDistance for ExactDistance {
    fn distance(&self, x: DVec3) -> f64 {
        let outside = in_own_frame(&self.shape, self.side, x);
        if self.side == Side::Container { -outside } else { outside }
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.outside(x);
        if self.side == Side::Container { (-distance, -gradient) } else { (distance, gradient) }
    }

    /// Without end for containers; a plane's has no lower end and none to the sides.
    fn bounds(&self) -> Aabb {
        match (&self.shape, self.side) {
            (_, Side::Container) => EVERYWHERE,
            (Shape::Plane { .. }, _) => Aabb { max: DVec3::INFINITY.with_y(0.0), ..EVERYWHERE },
            (shape, _) => shape.bounds(&Pose::IDENTITY),
        }
    }
}

impl SignedDistance for Inverted {
    fn distance(&self, x: DVec3) -> f64 {
        -self.0.distance(x)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.0.distance_and_gradient(x);
        (-distance, -gradient)
    }

    fn bounds(&self) -> Aabb {
        EVERYWHERE
    }
}

fn to_box(x: DVec3, size: DVec3, open: OpenFaces) -> (f64, DVec3) {
    let [below, above] = beyond_box(x, size, open);
    let slab = below.max(above);
    let sign = DVec3::select(above.cmpge(below), DVec3::ONE, DVec3::NEG_ONE);
    let outside = slab.max(DVec3::ZERO);
    let length = outside.length();
    if length > 0.0 {
        return (length, sign * outside / length);
    }
    // Inside, the nearest face; the first one if several are equally near.
    let deepest = slab.max_element();
    let axis = if slab.x >= deepest {
        DVec3::X
    } else if slab.y >= deepest {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (deepest, sign * axis)
}

fn to_cylinder(x: DVec3, radius: f64, height: f64) -> (f64, DVec3) {
    let flat = DVec3::new(x.x, 0.0, x.z);
    let (side, cap) = (flat.length() - radius, x.y.abs() - 0.5 * height);
    let (out, up) = (flat.normalize_or_zero(), DVec3::Y * x.y.signum());
    let (s, c) = (side.max(0.0), cap.max(0.0));
    let length = (s * s + c * c).sqrt();
    if length > 0.0 {
        (length, (s * out + c * up) / length)
    } else if side > cap {
        (side, out)
    } else {
        (cap, up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_derivatives_of_distances_of_unit_slope() {
        let exact = |shape, side| ExactDistance { shape, side };
        let open_top = OpenFaces::new([false, false, false, true, false, false]);
        let room = Shape::Box { size: DVec3::new(2.0, 1.2, 1.8), open: open_top };
        let block = Shape::Box { size: DVec3::new(1.0, 0.6, 1.6), open: OpenFaces::NONE };
        let drum = Shape::Cylinder { radius: 0.5, height: 0.8 };
        let fields = [
            exact(block, Side::Solid),
            exact(Shape::Sphere { radius: 0.6 }, Side::Solid),
            exact(drum.clone(), Side::Solid),
            exact(drum, Side::Container),
            exact(Shape::Plane { size: [1.0, 1.0] }, Side::Solid),
            exact(room, Side::Container),
        ];
        let e = 1e-6;
        for (f, field) in fields.iter().enumerate() {
            for k in 0..400 {
                let t = f64::from(k);
                let x = DVec3::new((t * 0.371).sin(), (t * 0.737).sin(), (t * 1.193).cos());
                let (d, g) = field.distance_and_gradient(x);
                assert!((field.distance(x) - d).abs() < 1e-14);
                let slope = |a: DVec3| (field.distance(x + e * a) - field.distance(x - e * a)) / (2.0 * e);
                let by_difference = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
                // Differences across an inner ridge belong to neither side.
                if (by_difference.length() - 1.0).abs() < 1e-6 {
                    assert!(g.abs_diff_eq(by_difference, 1e-5), "field {f} at {x}: {g} {by_difference}");
                }
                assert!((g.length() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn middles_have_no_direction_and_rooms_are_inside_out() {
        let ball = ExactDistance { shape: Shape::Sphere { radius: 1.0 }, side: Side::Solid };
        assert_eq!(ball.distance_and_gradient(DVec3::ZERO), (-1.0, DVec3::ZERO));
        let room = Inverted(Arc::new(ball));
        assert!((room.distance(DVec3::X * 0.75) - 0.25).abs() < 1e-15);
        assert_eq!(room.distance_and_gradient(DVec3::X * 2.0), (-1.0, DVec3::NEG_X));
    }
}
