//! What has fallen through the floor of a box with open faces.

use glam::DVec3;

use crate::{Shape, Side, Solid};

impl Solid {
    /// How far above `x` `[m]` the floor of a container with open faces is, if `x` lies under it: outside of the box, with one of its
    /// walls between it and the inside in the direction `up`.
    ///
    /// Fluid may leave such a box through its open faces and fall down beside it, so that being outside tells nothing. But nothing
    /// that left over a rim has a wall of the box straight above it.
    #[must_use]
    pub fn way_to_floor(&self, x: DVec3, up: DVec3) -> Option<f64> {
        let (Shape::Box { size, open }, Side::Container) = (&self.shape, self.side) else { return None };
        if !open.any() {
            return None;
        }
        let (x, up) = (self.pose.to_local(x), self.pose.rotation.inverse() * up.try_normalize()?);
        let half = 0.5 * *size;
        // Where the way up enters the last of the three slabs, and through which face.
        let mut entered: Option<(f64, bool)> = None;
        let mut left = f64::INFINITY;
        for axis in 0..3 {
            if up[axis] == 0.0 {
                if x[axis].abs() >= half[axis] {
                    return None;
                }
                continue;
            }
            let at = |end: f64| (end - x[axis]) / up[axis];
            let (near, far) =
                if up[axis] > 0.0 { (-half[axis], half[axis]) } else { (half[axis], -half[axis]) };
            if entered.is_none_or(|(last, _)| at(near) > last) {
                entered = Some((at(near), open.is_open(axis, near > 0.0)));
            }
            left = left.min(at(far));
        }
        entered.filter(|&(way, is_open)| way > 0.0 && way < left && !is_open).map(|(way, _)| way)
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::{OpenFaces, Pose};

    fn tank(rotation: DQuat, open: [bool; 6]) -> Solid {
        let shape = Shape::Box { size: DVec3::new(2.0, 1.0, 2.0), open: OpenFaces::new(open) };
        let pose = Pose { translation: DVec3::new(3.0, 0.5, 0.0), rotation };
        Solid { shape, pose, side: Side::Container }
    }

    const OPEN_TOP: [bool; 6] = [false, false, false, true, false, false];

    #[test]
    fn below_the_floor_is_under_it_and_beside_the_wall_is_not() {
        let tank = tank(DQuat::IDENTITY, OPEN_TOP);
        let under = |x, y, z| tank.way_to_floor(DVec3::new(x, y, z), 2.0 * DVec3::Y);
        assert!((under(3.0, -1e-6, 0.0).unwrap() - 1e-6).abs() < 1e-12);
        assert!((under(2.1, -5.0, 0.9).unwrap() - 5.0).abs() < 1e-12);
        // In it, above it, fallen down beside it, and over the rim.
        for [x, y, z] in
            [[3.0, 1e-6, 0.0], [3.0, 2.0, 0.0], [4.1, -5.0, 0.0], [3.0, 0.5, 1.1], [4.1, 0.5, 0.0]]
        {
            assert_eq!(under(x, y, z), None, "{x} {y} {z}");
        }
        assert_eq!(tank.way_to_floor(DVec3::new(3.0, -1.0, 0.0), DVec3::ZERO), None);
    }

    #[test]
    fn the_floor_is_what_is_below_whichever_way_the_box_is_turned() {
        // Lies on its side, so that the opening is at the left and a side wall is the floor.
        let lying = tank(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), OPEN_TOP);
        assert!(lying.way_to_floor(DVec3::new(3.0, -0.6, 0.0), DVec3::Y).is_some());
        assert!(lying.way_to_floor(DVec3::new(2.0, -0.6, 0.0), DVec3::Y).is_none());
        // A box without a floor loses what falls.
        let tube = tank(DQuat::IDENTITY, [false, false, true, true, false, false]);
        assert!(tube.way_to_floor(DVec3::new(3.0, -1.0, 0.0), DVec3::Y).is_none());
    }
}
