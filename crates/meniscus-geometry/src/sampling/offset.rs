//! Moving the surface of a mesh along its normals.

use glam::{DMat3, DVec3};

use crate::TriangleMesh;

/// Directions in which the faces around a vertex say much less than this (relative to all directions together) are
/// left alone: there the faces are as good as parallel, and their small differences are noise of the coordinates
/// `[1]`.
const DAMPING: f64 = 1e-3;

/// The mesh with its surface moved outwards by `distance` `[m]` (negative: inwards).
///
/// Each vertex moves by the miter vector δ with `n_f · δ = distance` for the faces f around it, in the sense of least
/// squares weighted by their angles and with the least length, so that flat faces stay flat and corners stay sharp.
/// At the tips of needles δ is cut to twice the distance.
pub(super) fn offset(mesh: &TriangleMesh, distance: f64) -> TriangleMesh {
    if distance == 0.0 {
        return mesh.clone();
    }
    let mut normal_sum = vec![DVec3::ZERO; mesh.vertex.len()];
    let mut product_sum = vec![DMat3::ZERO; mesh.vertex.len()];
    for (t, corner) in mesh.triangle.iter().zip(mesh.corners()) {
        let normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalize_or_zero();
        let product = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        for k in 0..3 {
            let (next, previous) = (corner[(k + 1) % 3] - corner[k], corner[(k + 2) % 3] - corner[k]);
            let angle = next.cross(previous).length().atan2(next.dot(previous));
            normal_sum[t[k] as usize] += angle * normal;
            product_sum[t[k] as usize] += product * angle;
        }
    }
    let miter = |v: usize| {
        let unit = least_squares(product_sum[v], normal_sum[v]).clamp_length_max(2.0);
        mesh.vertex[v] + distance * unit
    };
    TriangleMesh { vertex: (0..mesh.vertex.len()).map(miter).collect(), triangle: mesh.triangle.clone() }
}

/// The shortest least-squares solution of A x = b for a symmetric, positive semi-definite A, by iterated damped
/// (Tikhonov) solves: each shrinks the error along an eigenvector of the scaled A by damping / (damping + λ).
fn least_squares(a: DMat3, b: DVec3) -> DVec3 {
    let trace = a.x_axis.x + a.y_axis.y + a.z_axis.z;
    // Not positive, or not a number: no face has a normal.
    if trace.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return DVec3::ZERO;
    }
    let (a, b) = (a * trace.recip(), b / trace);
    let damped = (a + DMat3::from_diagonal(DVec3::splat(DAMPING))).inverse();
    (0..8).fold(DVec3::ZERO, |x, _| x + damped * (b - a * x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn a_cube_stays_a_cube() {
        for distance in [-0.1, 0.2] {
            let moved = offset(&cube(1.0), distance);
            let expected = cube(1.0 + 2.0 * distance);
            for (a, b) in moved.vertex.iter().zip(&expected.vertex) {
                assert!(a.abs_diff_eq(*b, 1e-9), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_turned_cube_stays_a_cube() {
        let turn = glam::DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 0.8);
        let turned = |edge| {
            let mut mesh = cube(edge);
            mesh.vertex.iter_mut().for_each(|v| *v = turn * *v);
            mesh
        };
        let moved = offset(&turned(1.0), 0.1);
        for (a, b) in moved.vertex.iter().zip(&turned(1.2).vertex) {
            assert!(a.abs_diff_eq(*b, 1e-9), "{a} {b}");
        }
    }

    #[test]
    fn a_sphere_stays_round() {
        for levels in 1..5 {
            let mesh = sphere(levels);
            let moved = offset(&mesh, -0.1);
            for (v, &round) in moved.vertex.iter().zip(&mesh.vertex) {
                // A miter is longer than the distance by 1 / cos of the angle to its faces, coarse meshes' most.
                assert!(v.length() < 0.9 + 1e-9 && v.length() > 0.88, "{levels} {v} {}", v.length());
                assert!(v.normalize().abs_diff_eq(round, 0.02), "{v} {round}");
            }
        }
    }
}
