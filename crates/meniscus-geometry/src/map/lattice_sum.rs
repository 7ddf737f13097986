//! What a map should be, by brute force.

use glam::{DQuat, DVec3, EulerRot};

use super::Profile;
use crate::SignedDistance;

/// Turns of the lattices, so that no wall is aligned with both.
const TURNS: [[f64; 3]; 2] = [[0.3, 0.7, 1.1], [1.3, 0.2, 0.6]];

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
    let near = distance.near(x, support);
    let [a, b] = TURNS.map(|[a, b, c]| {
        let turn = DQuat::from_euler(EulerRot::XYZ, a, b, c);
        let (mut sum, mut whole) = (0.0, 0.0);
        for (i, j, k) in (-n..=n).flat_map(|i| (-n..=n).flat_map(move |j| (-n..=n).map(move |k| (i, j, k)))) {
            let way = DVec3::new(i as f64, j as f64, k as f64) / n as f64;
            let away = way.length();
            if away < 1.0 {
                let weight = weight(away);
                sum += weight * profile.at(near(x + support * (turn * way)), support);
                whole += weight;
            }
        }
        sum / whole
    });
    (0.5 * (a + b), (a - b).abs())
}
