//! Principal axes: the eigenvectors of a symmetric matrix by Jacobi's rotations.
//!
//! The method turns the plane of two axes at a time until the element between them vanishes. It finds axes at right
//! angles to each other whatever the eigenvalues are; where two are equal, it leaves the axes as they are.

use glam::{DMat3, DQuat, DVec3};

/// Six sweeps reach the last bit; more are never needed, but a loop must end.
const MAX_SWEEPS: usize = 32;

/// The eigenvalues of a symmetric matrix from smallest to largest, and the rotation R whose columns are their
/// directions: m = R diag(values) Rᵀ.
#[must_use]
pub fn decompose(m: DMat3) -> (DVec3, DQuat) {
    let scale = [m.x_axis, m.y_axis, m.z_axis].iter().map(|c| c.abs().max_element()).fold(0.0, f64::max);
    if !(scale > 0.0 && scale.is_finite()) {
        return (DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z), DQuat::IDENTITY);
    }
    let mut a = (m * scale.recip()).to_cols_array_2d();
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..MAX_SWEEPS {
        let largest = a[1][0].abs().max(a[2][0].abs()).max(a[2][1].abs());
        if largest < 1e-300 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut axes, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let [x, y, z] = order.map(|k| DVec3::from(axes[k]));
    // Axes may point either way; the third one so that they are right-handed.
    let z = if x.cross(y).dot(z) < 0.0 { -z } else { z };
    let values = DVec3::from(order.map(|k| a[k][k])) * scale;
    (values, DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize())
}

/// Turns axes `p` and `q` so that the element between them becomes zero.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let off = a[p][q];
    // Below the last bit of both, it does not change them.
    if off.abs() <= f64::EPSILON * 1e-3 * (a[p][p].abs().min(a[q][q].abs())) || off.abs() < 1e-300 {
        (a[p][q], a[q][p]) = (0.0, 0.0);
        return;
    }
    // The smaller of both angles that do it.
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = t.hypot(1.0).recip();
    let s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let r = 3 - p - q;
    let (rp, rq) = (a[r][p], a[r][q]);
    (a[r][p], a[r][q]) = (c * rp - s * rq, s * rp + c * rq);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    let (x, y) = (DVec3::from(axes[p]), DVec3::from(axes[q]));
    axes[p] = (c * x - s * y).to_array();
    axes[q] = (s * x + c * y).to_array();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest difference between a matrix and what its parts make again, relative to its size.
    fn defect(m: DMat3) -> f64 {
        let (values, axes) = decompose(m);
        let turn = DMat3::from_quat(axes);
        let again = turn * DMat3::from_diagonal(values) * turn.transpose();
        let largest = |m: DMat3| m.to_cols_array().iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        largest(again - m) / largest(m).max(f64::MIN_POSITIVE)
    }

    fn made(values: DVec3, axes: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(axes);
        let m = turn * DMat3::from_diagonal(values) * turn.transpose();
        (m + m.transpose()) * 0.5
    }

    #[test]
    fn equal_eigenvalues_and_zeros_are_no_trouble() {
        let axes = DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 0.8);
        for values in [
            [1.0, 1.0, 1.0],
            [1.0, 1.0, 2.0],
            [1.0, 2.0, 2.0],
            [0.0, 1.0, 1.0],
            [0.0; 3],
            [1e-9, 1.0, 1.0 + 1e-12],
        ] {
            for scale in [1.0, 1e-30, 1e30] {
                let m = made(DVec3::from(values) * scale, axes);
                assert!(defect(m) < 1e-14, "{values:?} {scale} {}", defect(m));
                assert!(decompose(m).0.abs_diff_eq(DVec3::from(values) * scale, 1e-14 * scale));
            }
        }
        assert_eq!(decompose(DMat3::IDENTITY), (DVec3::ONE, DQuat::IDENTITY));
    }

    #[test]
    fn a_bad_matrix_still_gives_a_rotation() {
        assert_eq!(decompose(DMat3::NAN).1, DQuat::IDENTITY);
        assert_eq!(decompose(DMat3::from_diagonal(DVec3::splat(f64::INFINITY))).1, DQuat::IDENTITY);
    }

    proptest! {
        #[test]
        fn any_symmetric_matrix_is_put_together_again(e in proptest::array::uniform6(-1.0..1.0f64), power in -12..12) {
            let [a, b, c, d, f, g] = e.map(|x| x * 10f64.powi(power));
            let m = DMat3::from_cols_array(&[a, b, c, b, d, f, c, f, g]);
            prop_assert!(defect(m) < 1e-14);
            let (values, axes) = decompose(m);
            prop_assert!(values.x <= values.y && values.y <= values.z);
            prop_assert!(axes.is_normalized());
        }
    }
}
