//! Integrals on demand: adaptive Gauss–Kronrod along an interval, and sums over lattices by brute force, with which maps are
//! compared.

use glam::{DQuat, DVec3, EulerRot};

use super::Profile;
use crate::SignedDistance;

/// How often an interval may be halved.
const MAX_DEPTH: u32 = 2;
/// Turns of the lattices, so that no wall is aligned with both.
const TURNS: [[f64; 3]; 2] = [[0.3, 0.7, 1.1], [1.3, 0.2, 0.6]];

/// Half of the nodes of the rule with 15 points, from the end to the middle, as in \[Piessens1983\].
const NODE: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
/// Their weights.
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_82,
];
/// Weights of the Gauss rule with 7 points, which are every second node.
const GAUSS: [f64; 4] =
    [0.129_484_966_168_869_7, 0.279_705_391_489_276_64, 0.381_830_050_505_118_9, 0.417_959_183_673_469_4];

/// The integral of `f` from `a` to `b`, until the two rules differ by at most `tolerance`. The result is that of the
/// finer one, whose error is several times smaller even if `f` has kinks.
pub(super) fn integrate(f: &mut impl FnMut(f64) -> f64, a: f64, b: f64, tolerance: f64) -> f64 {
    halve(f, a, b, tolerance, 0.3 * tolerance, MAX_DEPTH)
}

fn halve(f: &mut impl FnMut(f64) -> f64, a: f64, b: f64, tolerance: f64, floor: f64, depth: u32) -> f64 {
    let (fine, coarse) = both(f, a, b);
    if (fine - coarse).abs() <= tolerance || depth == 0 {
        return fine;
    }
    let middle = 0.5 * (a + b);
    // Errors of many intervals rarely add up, and below the floor there is only the noise of inner integrals.
    let each = (0.7 * tolerance).max(floor);
    halve(f, a, middle, each, floor, depth - 1) + halve(f, middle, b, each, floor, depth - 1)
}

/// The Kronrod and the Gauss rule.
pub(super) fn both(f: &mut impl FnMut(f64) -> f64, a: f64, b: f64) -> (f64, f64) {
    let (centre, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut fine, mut coarse) = (0.0, 0.0);
    for (i, (node, weight)) in NODE.into_iter().zip(KRONROD).enumerate() {
        let value = if i == 7 { f(centre) } else { f(centre - half * node) + f(centre + half * node) };
        fine += weight * value;
        if i % 2 == 1 {
            coarse += GAUSS[i / 2] * value;
        }
    }
    (half * fine, half * coarse)
}

/// γ(Φ) times a weight, summed over cubic lattices through the ball around `x` in space, in units of the weights' sum: the
/// mean over two turned lattices, and by how much those differ `[1]`.
///
/// Slow, and independent of all that makes maps fast: what they are compared with. There are `parts` points to a support
/// radius `[m]`; `weight` depends on the way from `x` in support radii. `distance` is positive in the fluid.
pub fn lattice_sum(
    distance: &impl SignedDistance,
    x: DVec3,
    profile: Profile,
    support: f64,
    parts: u32,
    weight: impl Fn(f64) -> f64,
) -> (f64, f64) {
    let n = i64::from(parts);
    let near = distance.near(x, DVec3::splat(support));
    let [a, b] = TURNS.map(|[a, b, c]| {
        let turn = DQuat::from_euler(EulerRot::XYZ, a, b, c);
        let (mut sum, mut whole) = (0.0, 0.0);
        for (i, j, k) in (-n..=n).flat_map(|i| (-n..=n).flat_map(move |j| (-n..=n).map(move |k| (i, j, k)))) {
            let way = DVec3::new(i as f64, j as f64, k as f64) / n as f64;
            let away = way.length();
            if away < 1.0 {
                let weight = weight(away);
                sum += weight * profile.at(near.distance(x + support * (turn * way)), support);
                whole += weight;
            }
        }
        sum / whole
    });
    (0.5 * (a + b), (a - b).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_exact_for_polynomials_of_their_degree() {
        for degree in 0..23 {
            let (fine, coarse) = both(&mut |x: f64| x.powi(degree), 0.0, 1.0);
            let exact = 1.0 / f64::from(degree + 1);
            assert!((fine - exact).abs() < 1e-14, "{degree} {fine}");
            assert_eq!((coarse - exact).abs() < 1e-14, degree < 14, "{degree} {coarse}");
        }
    }

    #[test]
    fn a_kink_is_found() {
        let value = integrate(&mut |x: f64| (x - 0.3).abs(), -1.0, 1.0, 1e-4);
        assert!((value - 0.5 * (1.3 * 1.3 + 0.7 * 0.7)).abs() < 1e-3);
    }
}
