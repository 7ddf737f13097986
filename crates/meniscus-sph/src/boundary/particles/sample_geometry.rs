//! How the samples of bodies that answer with contacts or repulsion touch fluid particles.

use super::Extent;
use glam::{DQuat, DVec3};
use meniscus_core::Dimension;
use meniscus_geometry::{Shape, Solid};

/// A solid that ends this far behind a sample is a thin wall, in spacings: fluid on its other side may feel the sample `[1]`.
const THIN: f64 = 1.4;

/// The step of finite differences of the distance, in spacings `[1]`.
const DIFFERENCE: f64 = 1e-3;

/// How many of these steps beside a sample the surface is looked at for other faces `[1]`.
const ASIDE: f64 = 10.0;

/// A way leads to the surface if it ends this near to it, in spacings `[1]`.
const ON_SURFACE: f64 = 0.05;

/// Two normals are of one face if their cosine is above this `[1]`.
const SAME_NORMAL: f64 = 0.99;

/// Two faces meet at right angles if the cosine of their normals is at most this `[1]`.
const RIGHT_ANGLE: f64 = 0.1;

/// A particle is in front of a face at this distance from it, in radii of a fluid particle: one, less what rounding takes `[1]`.
const FRONT_HEIGHT: f64 = 0.999;

/// A surface goes on straight if a step aside comes nearer to another face by less than this share of it `[1]`.
const STRAIGHT: f64 = 0.3;

/// The other side of a wall is reached when this share of the way that is looked at is left `[1]`.
const REACHED: f64 = 1e-3;

/// What is this far in front of one face goes past the other, in radii of a fluid particle: a little more than one, as pressure may push it back `[1]`.
const PAST_FACE: f64 = 1.1;

/// How a sample touches fluid particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleGeometry {
    /// Not at all: it lies deeper.
    Interior,
    /// As a plane `offset` `[m]` in front of it that faces `normal`.
    Face {
        /// Unit normal in the body's frame, towards the fluid.
        normal: DVec3,
        /// Distance of the surface from the sample `[m]`.
        offset: f64,
        /// Where the face goes on.
        extent: Extent,
    },
    /// As an edge or a corner at which flat faces meet at right angles.
    Corner {
        /// From the sample to the drawn edge or corner, in the body's frame `[m]`.
        reach: DVec3,
        /// Unit normals of the faces in the body's frame; the last is zero at an edge.
        normals: [DVec3; 3],
    },
    /// As a ball of this radius, at other edges `[m]`.
    Point(f64),
    /// As a thin wall with fluid on both sides.
    Sheet {
        /// Unit normal in the body's frame, of the front.
        normal: DVec3,
        /// Distance of the front from the sample `[m]`.
        front: f64,
        /// Distance of the back from the sample `[m]`.
        back: f64,
        /// Where the wall goes on.
        extent: Extent,
    },
}

impl SampleGeometry {
    /// How a sample at `x` `[m]` of the first layer of a solid touches; `spacing` is the samples' distance `[m]`.
    #[must_use]
    pub fn of(solid: &Solid, x: DVec3, spacing: f64, dimension: Dimension) -> Self {
        let distance = |x: DVec3| solid.signed_distance(x, dimension);
        let depth = -distance(x);
        let step = DIFFERENCE * spacing;
        let outward = solid.normal(x, step, dimension);
        let to_local = solid.pose.rotation.conjugate();
        let extent = |normal: DVec3, depth: f64| {
            Extent::of(normal, spacing, |aside| distance(x + depth * normal + aside))
        };
        let sheet = |normal: DVec3, front: f64, back: f64| {
            Self::Sheet { normal, front, back, extent: extent(normal, front) }.turned(to_local)
        };
        if matches!(&solid.shape, Shape::Mesh(mesh) if !mesh.is_watertight()) {
            return sheet(outward, 0.0, 0.0);
        }
        // Behind an edge the nearest place of the surface is not straight ahead.
        let ends = |way: DVec3| distance(x + way).abs() < ON_SURFACE * spacing;
        if ends(depth * outward) && is_straight(distance, x, outward, ASIDE * step) {
            // Fluid on the other side of a thin wall feels this sample too, and must not be led through it.
            return match behind(|way| distance(x - way * outward), THIN * spacing) {
                Some(back) => sheet(outward, depth, back),
                None => Self::Face { normal: outward, offset: depth, extent: extent(outward, depth) }
                    .turned(to_local),
            };
        }
        // In the middle of a thin wall the distance has no slope; beside it, it has.
        let aside = |sign: f64| DVec3::AXES.map(|axis| ASIDE * step * sign * axis);
        let beside: Vec<DVec3> = [aside(1.0), aside(-1.0)]
            .concat()
            .into_iter()
            .map(|way| solid.normal(x + way, step, dimension))
            .filter(|normal| normal.is_normalized())
            .collect();
        let is_middle = |&normal: &DVec3| {
            let (u, v) = normal.any_orthonormal_pair();
            let rim = [u, -u, v, -v].into_iter().any(|way| distance(x + depth * way) > -0.5 * depth);
            ends(depth * normal) && ends(-depth * normal) && !rim
        };
        match beside.iter().copied().find(is_middle) {
            Some(normal) => sheet(normal, depth, depth),
            None => Self::corner(&beside, depth, ends)
                .map_or(Self::Point(depth), |geometry| geometry.turned(to_local)),
        }
    }

    /// The edge or corner at which the faces meet that are found beside a sample, in the scene's frame; `ends` tells whether
    /// a way from the sample leads to the surface.
    fn corner(beside: &[DVec3], depth: f64, ends: impl Fn(DVec3) -> bool) -> Option<Self> {
        let mut normals = [DVec3::ZERO; 3];
        let mut count = 0;
        for &normal in beside.iter().filter(|&&normal| ends(depth * normal)) {
            let mut met = normals[..count].iter().map(|other| other.dot(normal));
            if met.clone().any(|cos| cos > SAME_NORMAL) {
                continue;
            }
            if count == 3 || met.any(|cos| cos.abs() > RIGHT_ANGLE) {
                return None;
            }
            normals[count] = normal;
            count += 1;
        }
        let reach = depth * normals.iter().sum::<DVec3>();
        (count >= 2 && ends(reach)).then_some(Self::Corner { reach, normals })
    }

    /// The same after a rotation of the body.
    #[must_use]
    pub fn turned(self, rotation: DQuat) -> Self {
        match self {
            Self::Face { normal, offset, extent } => {
                Self::Face { normal: rotation * normal, offset, extent: extent.turned(rotation) }
            }
            Self::Sheet { normal, front, back, extent } => {
                Self::Sheet { normal: rotation * normal, front, back, extent: extent.turned(rotation) }
            }
            Self::Corner { reach, normals } => {
                Self::Corner { reach: rotation * reach, normals: normals.map(|n| rotation * n) }
            }
            Self::Interior | Self::Point(_) => self,
        }
    }

    /// The normal of the surface that faces a particle, and the place of the surface before it, seen from the sample `[m]`. `away` is
    /// where the particle is, `side` where it was, seen from the sample `[m]`. Nothing for a sample that touches nothing.
    pub(in crate::boundary) fn facing(self, side: DVec3, away: DVec3) -> Option<(DVec3, DVec3)> {
        let flat = |normal: DVec3, offset: f64| Some((normal, offset * normal));
        match self {
            Self::Interior => None,
            Self::Face { normal, offset, .. } => flat(normal, offset),
            Self::Point(radius) => flat(away.try_normalize()?, radius),
            // ADR 11: the side on which the particle was.
            Self::Sheet { normal, front, back, .. } => {
                if side.dot(normal) < 0.0 {
                    flat(-normal, back)
                } else {
                    flat(normal, front)
                }
            }
            Self::Corner { reach, normals } => {
                let height = |n: &DVec3| (away - reach).dot(*n);
                let out: DVec3 = normals.iter().map(|n| height(n).max(0.0) * *n).sum();
                if let Some(normal) = out.try_normalize() {
                    return Some((normal, away - out));
                }
                // Inside: the nearest face.
                let faces = normals.iter().filter(|n| **n != DVec3::ZERO);
                let normal = faces.max_by(|a, b| height(a).total_cmp(&height(b)))?;
                Some((*normal, away - height(normal) * *normal))
            }
        }
    }
}

impl SampleGeometry {
    /// The plane that a particle may not pass, as a normal and a place in front of the particle, seen from the sample `[m]`; nothing where the sample's surface
    /// is not before it. As [`SampleGeometry::facing`], but at edges one of the faces: a particle goes past an edge as long as it keeps one
    /// `radius` `[m]` from the plane of any face that meets there. A lattice around the body does, and a plane's push does no work on what slides along it.
    pub(in crate::boundary) fn plane(self, side: DVec3, away: DVec3, radius: f64) -> Option<(DVec3, DVec3)> {
        let Self::Corner { reach, normals } = self else {
            let (normal, place) = self.facing(side, away)?;
            let aside = away - away.dot(normal) * normal;
            return self.reaches(aside, 2.0 * radius).then_some((normal, place));
        };
        let height = |place: DVec3, n: DVec3| (place - reach).dot(n);
        let faces = || normals.into_iter().filter(|n| *n != DVec3::ZERO);
        // The face that it was in front of stays its face; of several the one that it comes to last.
        // ADR 18.
        let front = faces().filter(|&n| height(side, n) >= FRONT_HEIGHT * radius);
        let farthest = |a: &DVec3, b: &DVec3| height(away, *a).total_cmp(&height(away, *b));
        let nearest = |a: &DVec3, b: &DVec3| height(side, *a).total_cmp(&height(side, *b));
        let normal = front.max_by(farthest).or_else(|| faces().max_by(nearest))?;
        let mut aside = away - away.dot(normal) * normal;
        for other in faces().filter(|&n| n != normal) {
            let beyond = height(away, other).max(0.0);
            if beyond > PAST_FACE * radius {
                return None;
            }
            aside -= beyond * other;
        }
        self.reaches(aside, 2.0 * radius).then(|| (normal, away - height(away, normal) * normal))
    }

    /// Whether the sample's surface is still there before a particle that is this far `aside` of the sample `[m]`, along the
    /// surface; `spacing` is the samples' distance `[m]`.
    fn reaches(self, aside: DVec3, spacing: f64) -> bool {
        match self {
            Self::Interior => false,
            Self::Point(_) | Self::Corner { .. } => Extent::default().covers(DVec3::Y, aside, spacing),
            Self::Face { normal, extent, .. } | Self::Sheet { normal, extent, .. } => {
                extent.covers(normal, aside, spacing)
            }
        }
    }
}

/// Whether the surface goes on straight beside the place ahead of a sample at `x` `[m]`: at the rim of a thin wall other faces are as near,
/// and a step of `aside` `[m]` to one of them comes nearer to it by as much.
fn is_straight(distance: impl Fn(DVec3) -> f64, x: DVec3, outward: DVec3, aside: f64) -> bool {
    let (u, v) = outward.any_orthonormal_pair();
    let nearest = distance(x) + STRAIGHT * aside;
    [u, -u, v, -v].into_iter().all(|way| distance(x + aside * way) < nearest)
}

/// How far behind a sample the solid ends, if that is nearer than `most` `[m]`; `distance` by the way into the solid.
fn behind(distance: impl Fn(f64) -> f64, most: f64) -> Option<f64> {
    let mut way = 0.0;
    for _ in 0..32 {
        let left = -distance(way);
        if left < REACHED * most {
            return Some(way);
        }
        way += left;
        if way >= most {
            return None;
        }
    }
    Some(way)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_geometry::{OpenFaces, Pose, Side};

    /// A plate of this thickness `[m]` across y, tilted.
    fn plate(thickness: f64) -> Solid {
        let pose = Pose { rotation: DQuat::from_rotation_z(0.3), ..Pose::default() };
        let size = DVec3::new(3.0, thickness, 3.0);
        Solid { shape: Shape::Box { size, open: OpenFaces::default() }, pose, side: Side::Solid }
    }

    #[test]
    fn both_sides_of_a_thin_wall_keep_their_side() {
        let plate = plate(0.1);
        for depth in [0.05, 0.03] {
            let sample = plate.pose.to_world(DVec3::new(0.2, 0.05 - depth, -0.3));
            let geometry = SampleGeometry::of(&plate, sample, 0.1, Dimension::Three);
            for side in [1.0, -1.0] {
                let away = DVec3::new(0.01, side * 0.1, 0.02);
                let (normal, place) = geometry.facing(away, away).unwrap();
                assert!((normal.y - side).abs() < 1e-6, "{geometry:?}");
                let expected = if side > 0.0 { depth } else { 0.1 - depth };
                assert!((place.dot(normal) - expected).abs() < 1e-3, "{geometry:?}");
            }
        }
    }

    #[test]
    fn a_particle_meets_the_nearest_place_of_an_edge() {
        let plate = plate(0.4);
        let sample = DVec3::new(1.45, 0.15, 0.2);
        let geometry = SampleGeometry::of(&plate, plate.pose.to_world(sample), 0.1, Dimension::Three);
        assert!(matches!(geometry, SampleGeometry::Corner { .. }), "{geometry:?}");
        // Beside one face, beside the other, and off the edge: the drawn one is at (1.5, 0.2).
        for (x, place) in [
            (DVec3::new(1.56, 0.12, 0.22), DVec3::new(1.5, 0.12, 0.22)),
            (DVec3::new(1.42, 0.24, 0.18), DVec3::new(1.42, 0.2, 0.18)),
            (DVec3::new(1.53, 0.24, 0.2), DVec3::new(1.5, 0.2, 0.2)),
        ] {
            let (normal, found) = geometry.facing(x - sample, x - sample).unwrap();
            assert!((sample + found - place).length() < 1e-6, "{found} {place}");
            assert!((normal - (x - place).normalize()).length() < 1e-6, "{normal}");
        }
    }

    #[test]
    fn at_an_edge_the_plane_of_one_face_counts() {
        let plate = plate(0.4);
        let sample = DVec3::new(1.45, 0.15, 0.2);
        let geometry = SampleGeometry::of(&plate, plate.pose.to_world(sample), 0.1, Dimension::Three);
        let plane = |start: DVec3, end: DVec3| geometry.plane(start - sample, end - sample, 0.05);
        // In front of the upper face, beyond its edge but not in front of the other: down onto the upper one.
        let start = DVec3::new(1.53, 0.255, 0.2);
        let (normal, place) = plane(start, start - 0.01 * DVec3::Y).unwrap();
        assert!((normal - DVec3::Y).length() < 1e-6, "{normal}");
        assert!((sample.y + place.y - 0.2).abs() < 1e-6, "{place}");
        // In front of both, it goes down past the one that it stays in front of.
        let start = DVec3::new(1.551, 0.2505, 0.2);
        let (normal, _) = plane(start, start - 0.01 * DVec3::Y).unwrap();
        assert!((normal - DVec3::X).length() < 1e-6, "{normal}");
        // Far in front of one, the other is nothing to it.
        let start = DVec3::new(1.48, 0.27, 0.2);
        assert!(plane(start, start).is_some_and(|(normal, _)| (normal - DVec3::Y).length() < 1e-6));
        let start = DVec3::new(1.57, 0.258, 0.2);
        assert!(plane(start, start).is_none());
    }

    #[test]
    fn rims_of_thin_walls_are_round() {
        let plate = plate(0.1);
        let sample = plate.pose.to_world(DVec3::new(1.45, 0.0, 0.2));
        let geometry = SampleGeometry::of(&plate, sample, 0.1, Dimension::Three);
        assert!(
            matches!(geometry, SampleGeometry::Point(radius) if (radius - 0.05).abs() < 1e-9),
            "{geometry:?}"
        );
    }

    #[test]
    fn thick_walls_have_one_side() {
        let plate = plate(0.2);
        let sample = plate.pose.to_world(DVec3::new(0.2, 0.05, -0.3));
        let geometry = SampleGeometry::of(&plate, sample, 0.1, Dimension::Three);
        assert!(
            matches!(geometry, SampleGeometry::Face { offset, .. } if (offset - 0.05).abs() < 1e-9),
            "{geometry:?}"
        );
    }
}
