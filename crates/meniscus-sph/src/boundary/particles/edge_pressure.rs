//! Rims: where the face of a body that is touched ends in the fluid.
//!
//! Samples stand for the fluid that would be in the body's place. Contacts do what that fluid would do across a face. What it would do along the face cancels out in the middle of it, but
//! not beside an edge: there it would push a particle along the face, past the edge, and be pushed back. A box without this push at the edges of its bottom floats a
//! third of a spacing too deep.
//!
//! So where a face ends its samples answer with pressure as those of volume particles do, but along the face only:
//! a_i = −k P_i s T Σ_k V ∇W_ik, where T takes out the normals of the planes that hold the particle. The factor s is 0 on flat and round faces and rises
//! to nearly 1 at an edge, so that faces stay as smooth as contacts are: s = 1 − τ N / |T Σ_k V ∇W_ik|, where N is the part along the normal.

use super::SampleGeometry;
use glam::{DVec3, Vec3};

/// τ: the lattice of a flat face leaves 0.004 along it, the uneven samples of a round one more; with 0.25 boxes float as well as with 0.1 `[1]`.
const UNEVEN: f32 = 0.1;
/// Planes are different ones if the cosine between their normals is below this: not so neighbours on a round face `[1]`.
const DIFFERENT: f64 = 0.7;
/// What is left of a normal that is opposite to another one, at most `[1]`.
const OPPOSITE: f32 = 0.1;
/// A plane counts beside another one if its contact is this far in front of that, in spacings `[1]`.
const IN_FRONT: f64 = 5e-4;

/// A sample of a body that is touched, as a particle meets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaceSample {
    /// Its place in the chunk.
    pub sample: usize,
    /// V ∇W `[1/m]`.
    pub gradient: Vec3,
    /// g · (x_k − x_i) `[m²/s²]`.
    pub fall: f32,
    /// Square of its distance `[m²]`.
    far: f64,
    /// The plane before the particle, as a normal and a place seen from the particle `[m]`; nothing if the sample lies deeper.
    plane: Option<(DVec3, DVec3)>,
}

impl FaceSample {
    /// One that touches like this, in the scene's frame; `away` leads from it to the particle `[m]`.
    pub fn new(sample: usize, gradient: Vec3, fall: f32, away: DVec3, geometry: SampleGeometry) -> Self {
        let plane = geometry.facing(away, away).map(|(normal, place)| (normal, place - away));
        Self { sample, gradient, fall, far: away.length_squared(), plane }
    }
}

/// Leaves of all gradients what acts along the faces that hold the particle: nothing, unless one of them ends.
pub(super) fn keep_along(faces: &mut [FaceSample], spacing: f64) {
    let normals = normals(faces, spacing);
    let held: Vec3 = faces.iter().map(|m| m.gradient).sum();
    let along = project(held, normals);
    let across: f32 = faces.iter().map(|m| (m.gradient - project(m.gradient, normals)).length()).sum();
    let (length, least) = (along.length(), UNEVEN * across);
    // Deep in the matter no face is near.
    let ends = normals[0] != Vec3::ZERO && length > least;
    // ADR 25: s = 1 − τ N / |T Σ_k V ∇W_ik|.
    let share = if ends { 1.0 - least / length } else { 0.0 };
    for faces in faces {
        faces.gradient = share * project(faces.gradient, normals);
    }
}

/// Unit vectors across the planes that hold the particle, orthogonal to each other; zero where there are fewer than three. The nearest plane, and others that do not
/// end before it: at a convex edge that is one of two, in a corner of a vessel all.
fn normals(faces: &[FaceSample], spacing: f64) -> [Vec3; 3] {
    let mut planes = [(DVec3::ZERO, DVec3::ZERO); 3];
    let mut count = 0;
    while count < 3 {
        let kept = &planes[..count];
        let counts = |normal: DVec3, contact: DVec3| {
            kept.iter()
                .all(|(n, c)| (contact - *c).dot(*n) > IN_FRONT * spacing && normal.dot(*n) < DIFFERENT)
        };
        let candidates = faces.iter().filter_map(|faces| {
            let (normal, contact) = faces.plane?;
            counts(normal, contact).then_some((faces.far, normal, contact))
        });
        let Some((_, normal, contact)) = candidates.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        planes[count] = (normal, contact);
        count += 1;
    }
    let mut across = [Vec3::ZERO; 3];
    for n in 0..count {
        let rest = project(planes[n].0.as_vec3(), across);
        // Nothing is left of a plane that faces another one.
        across[n] = if rest.length() > OPPOSITE { rest.normalize() } else { Vec3::ZERO };
    }
    across
}

/// What is left of a vector without its parts along unit vectors that are orthogonal to each other.
fn project(v: Vec3, across: [Vec3; 3]) -> Vec3 {
    across.iter().fold(v, |v, n| v - v.dot(*n) * *n)
}

#[cfg(test)]
mod tests {
    use super::super::Extent;
    use super::*;
    use crate::kernel::{Kernel, KernelKind};
    use meniscus_core::Dimension;

    const SPACING: f64 = 0.1;

    /// The samples of a face through the origin that a particle at `x` meets: a lattice half a spacing below it, out to `last` spacings along x.
    fn face(x: DVec3, normal: DVec3, last: f64) -> Vec<FaceSample> {
        let kernel = Kernel {
            kind: KernelKind::CubicSpline,
            dimension: Dimension::Three,
            support_radius: 2.0 * SPACING,
        };
        let (u, v) = (normal.cross(DVec3::Z), DVec3::Z);
        let geometry = SampleGeometry::Face { normal, offset: 0.5 * SPACING, extent: Extent::default() };
        let place = |n: i32| f64::from(n) + 0.5;
        let mut faces = Vec::new();
        for (i, j) in (-8..8).flat_map(|i| (-8..8).map(move |j| (i, j))) {
            let away = x - SPACING * (place(i) * u + place(j) * v - 0.5 * normal);
            if place(i) <= last && away.length() < kernel.support_radius {
                let gradient = SPACING.powi(3) * kernel.derivative(away.length()) / away.length() * away;
                faces.push(FaceSample::new(0, gradient.as_vec3(), 0.0, away, geometry));
            }
        }
        faces
    }

    /// What is left along the faces, in units of what a flat face does across itself at this distance.
    fn left(mut faces: Vec<FaceSample>) -> Vec3 {
        let whole: Vec3 = face(DVec3::new(0.0, 0.05, 0.0), DVec3::Y, 9.0).iter().map(|m| m.gradient).sum();
        keep_along(&mut faces, SPACING);
        faces.iter().map(|m| m.gradient).sum::<Vec3>() / whole.length()
    }

    #[test]
    fn flat_faces_are_smooth() {
        for (a, b) in (0..10).flat_map(|a| (0..10).map(move |b| (a, b))) {
            let x = SPACING * DVec3::new(0.1 * f64::from(a), 0.5, 0.1 * f64::from(b));
            assert_eq!(left(face(x, DVec3::Y, 9.0)), Vec3::ZERO, "{x}");
        }
    }

    #[test]
    fn a_face_that_ends_pushes_past_its_edge() {
        // Pressure acts against the gradient: away from the samples that are there.
        let at = |aside: f64| left(face(SPACING * DVec3::new(aside, 0.5, 0.0), DVec3::Y, 0.0));
        for aside in [-0.5, 0.0, 0.5] {
            let push = at(aside);
            assert!(push.x < -0.05 && push.y.abs() < 1e-6 && push.z.abs() < 1e-6, "{aside}: {push}");
        }
        assert!(at(0.0).x < 2.0 * at(-0.5).x, "{} {}", at(0.0), at(-0.5));
        assert_eq!(at(-1.5), Vec3::ZERO);
    }

    #[test]
    fn faces_that_meet_in_a_corner_hold_by_contacts_alone() {
        let x = SPACING * DVec3::new(0.5, 0.5, 0.2);
        let mut faces = face(x, DVec3::Y, 9.0);
        faces.extend(face(x, DVec3::X, 9.0));
        assert!(left(faces).length() < 1e-6);
        // And so do two that face each other.
        let mut faces = face(x, DVec3::Y, 9.0);
        faces.extend(face(DVec3::new(x.x, -0.5 * SPACING, x.z), DVec3::NEG_Y, 9.0));
        assert!(left(faces).length() < 1e-6);
    }
}
