//! Cutting a simple polygon into triangles by its ears.
//!
//! An ear is a corner whose two sides can be joined by a line inside of the polygon. There are always two, so cutting
//! them off one by one ends. Of all ears the one with the widest smallest angle goes first, which leaves less for
//! [`refine`](super::refine) to do.

use glam::DVec2;

use super::refine::least_sine;

/// The triangles of a polygon without crossings, counter-clockwise, by the numbers of its corners.
pub(super) fn triangulate(corner: &[DVec2]) -> Vec<[u32; 3]> {
    let mut left: Vec<u32> = (0..corner.len() as u32).collect();
    let mut triangles = Vec::with_capacity(corner.len().saturating_sub(2));
    // What each remaining corner is worth as an ear; only the two beside a cut change.
    let mut worth: Vec<f64> = (0..left.len()).map(|k| ear(corner, &left, k)).collect();
    while left.len() > 3 {
        let best = (0..left.len()).fold(0, |best, k| if worth[k] > worth[best] { k } else { best });
        triangles.push(around(&left, best));
        left.remove(best);
        worth.remove(best);
        let n = left.len();
        for k in [(best + n - 1) % n, best % n] {
            worth[k] = ear(corner, &left, k);
        }
        // Corners that were blocked by the one that is gone may be free now.
        for (k, worth) in worth.iter_mut().enumerate().filter(|(_, worth)| (-1.5..0.0).contains(*worth)) {
            *worth = ear(corner, &left, k);
        }
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// A corner between those before and after it.
fn around(left: &[u32], k: usize) -> [u32; 3] {
    let n = left.len();
    [left[(k + n - 1) % n], left[k], left[(k + 1) % n]]
}

/// The sine of the smallest angle of the triangle at a corner; negative if it is no ear.
fn ear(corner: &[DVec2], left: &[u32], k: usize) -> f64 {
    let ids = around(left, k);
    let [a, b, c] = ids.map(|v| corner[v as usize]);
    if (b - a).perp_dot(c - a) <= 0.0 {
        return -2.0;
    }
    let inside = |p: DVec2| {
        (b - a).perp_dot(p - a) >= 0.0 && (c - b).perp_dot(p - b) >= 0.0 && (a - c).perp_dot(p - c) >= 0.0
    };
    if left.iter().any(|v| !ids.contains(v) && inside(corner[*v as usize])) {
        return -1.0;
    }
    least_sine([a, b, c])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn area(corner: &[DVec2]) -> f64 {
        let n = corner.len();
        (0..n).map(|k| 0.5 * corner[k].perp_dot(corner[(k + 1) % n])).sum()
    }

    #[test]
    fn a_spiral_is_covered_exactly_once() {
        let outline =
            [[0, 0], [5, 0], [5, 5], [1, 5], [1, 2], [3, 2], [3, 3], [2, 3], [2, 4], [4, 4], [4, 1], [0, 1]];
        let corner: Vec<DVec2> = outline.iter().map(|p| DVec2::new(p[0].into(), p[1].into())).collect();
        let triangles = triangulate(&corner);
        assert_eq!(triangles.len(), 10);
        let parts: Vec<f64> = triangles.iter().map(|t| area(&t.map(|v| corner[v as usize]))).collect();
        assert!(parts.iter().all(|a| *a > 0.0));
        assert!((parts.iter().sum::<f64>() - area(&corner)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn any_star_is_covered_exactly_once(radius in proptest::collection::vec(0.1..1.0f64, 3..60)) {
            let n = radius.len() as f64;
            let at = |(k, r): (usize, &f64)| DVec2::from_angle(k as f64 / n * std::f64::consts::TAU) * *r;
            let corner: Vec<DVec2> = radius.iter().enumerate().map(at).collect();
            let triangles = triangulate(&corner);
            prop_assert_eq!(triangles.len(), corner.len() - 2);
            let parts: Vec<f64> = triangles.iter().map(|t| area(&t.map(|v| corner[v as usize]))).collect();
            prop_assert!((parts.iter().sum::<f64>() - area(&corner)).abs() < 1e-9);
            prop_assert!(parts.iter().all(|a| *a > -1e-12));
        }
    }
}
