//! Moving the surface of a mesh along its normals.

use std::cmp::Ordering;

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::{MeshShape, TriangleMesh};

/// Directions in which the faces around a vertex say much less than this (relative to all directions together) are
/// left alone: there the faces are as good as parallel, and their small differences are noise of the coordinates
/// `[1]`.
const DAMPING: f64 = 1e-3;

/// The mesh with its surface moved outwards by `distance` `[m]` (negative: inwards).
///
/// Each vertex moves by the miter vector δ with `n_f · δ = distance` for the faces f around it, in the sense of least
/// squares weighted by their angles and with the least length, so that flat faces stay flat and corners stay sharp.
/// At the tips of needles δ is cut to twice the distance, and where a closed mesh is thin, it is halved until the
/// vertex stays on its side of the middle.
pub(crate) fn offset(shape: &MeshShape, distance: f64) -> TriangleMesh {
    let mesh = shape.mesh();
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
    let moved = |v: usize| {
        // The trace of the products is the sum of the angles, because normals have unit length.
        let angles = trace(product_sum[v]);
        // Not positive, or not a number: no face has a normal.
        if angles.partial_cmp(&0.0) != Some(Ordering::Greater) {
            return mesh.vertex[v];
        }
        let (product, normal) = (product_sum[v] * angles.recip(), normal_sum[v] / angles);
        let miter = distance * least_squares(product, normal).clamp_length_max(2.0);
        mesh.vertex[v] + clear(shape, mesh.vertex[v], miter, miter.dot(normal)) * miter
    };
    let vertex = (0..mesh.vertex.len()).into_par_iter().map(moved).collect();
    TriangleMesh { vertex, triangle: mesh.triangle.clone() }
}

/// How much of a vertex's `shift` it can go and still be nearest to where it came from, within a factor of two.
/// `reach` is how far the whole shift should bring it from its own faces `[m]`.
fn clear(shape: &MeshShape, vertex: DVec3, shift: DVec3, reach: f64) -> f64 {
    if !shape.is_watertight() {
        return 1.0;
    }
    let is_clear = |part: &f64| shape.signed_distance(vertex + *part * shift) / (*part * reach) >= 0.5;
    [1.0, 0.5, 0.25, 0.125, 0.0625].into_iter().find(is_clear).unwrap_or(0.0)
}

fn trace(a: DMat3) -> f64 {
    a.x_axis.x + a.y_axis.y + a.z_axis.z
}

/// The shortest least-squares solution of A x = b for a symmetric, positive semi-definite A of trace 1, by iterated
/// damped (Tikhonov) solves: each shrinks the error along an eigenvector by damping / (damping + λ).
fn least_squares(a: DMat3, b: DVec3) -> DVec3 {
    let damped = (a + DMat3::from_diagonal(DVec3::splat(DAMPING))).inverse();
    (0..8).fold(DVec3::ZERO, |x, _| x + damped * (b - a * x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::{cube, sphere};

    fn shape(mesh: TriangleMesh) -> MeshShape {
        MeshShape::new(mesh).unwrap()
    }

    #[test]
    fn a_cube_stays_a_cube_however_it_is_turned() {
        for angle in [0.0, 0.8] {
            let turn = glam::DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, angle);
            let turned = |edge| {
                let mut mesh = cube(edge);
                mesh.vertex.iter_mut().for_each(|v| *v = turn * *v);
                shape(mesh)
            };
            for distance in [-0.1, 0.2] {
                let moved = offset(&turned(1.0), distance);
                for (a, b) in moved.vertex.iter().zip(&turned(1.0 + 2.0 * distance).mesh().vertex) {
                    assert!(a.abs_diff_eq(*b, 1e-9), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_sphere_stays_round() {
        for levels in 1..5 {
            let ball = shape(sphere(levels));
            let moved = offset(&ball, -0.1);
            for (v, &round) in moved.vertex.iter().zip(&ball.mesh().vertex) {
                // A miter is longer than the distance by 1 / cos of the angle to its faces, coarse meshes' most.
                assert!(v.length() < 0.9 + 1e-9 && v.length() > 0.88, "{levels} {v} {}", v.length());
                assert!(v.normalize().abs_diff_eq(round, 0.02), "{v} {round}");
            }
        }
    }

    #[test]
    fn a_plate_thinner_than_the_distance_is_not_turned_inside_out() {
        let mut mesh = cube(1.0);
        mesh.scale(DVec3::new(1.0, 0.04, 1.0));
        let plate = shape(mesh);
        for distance in [-0.03, -0.05, -0.3] {
            for v in offset(&plate, distance).vertex {
                assert!(plate.signed_distance(v) < -0.001, "{v}");
            }
        }
    }
}
