//! Solutions that figures are compared with.

use crate::GRAVITY;

/// The acceleration with which a body of this density ratio starts from rest in water that moves `added` times its own
/// mass along with it: a cylinder across its axis 1, a sphere ½ `[m/s²]`, upwards.
pub fn start(ratio: f64, added: f64) -> f64 {
    GRAVITY * (1.0 - ratio) / (ratio + added)
}

/// The way of a free fall from rest `[m]`.
pub fn fall(time: f64) -> f64 {
    0.5 * GRAVITY * time * time
}

/// The way down a plane without friction, inclined by `angle` `[rad]`, from rest `[m]`.
pub fn slide(angle: f64, time: f64) -> f64 {
    fall(time) * angle.sin()
}

/// The share of the angular momentum of rigid rotation that the content of a drum has a time after the drum began to
/// turn, in units of R²/ν: 1 − 8 Σ exp(−λ² t) / λ² over the zeros of J_1.
pub fn spin_up(time: f64) -> f64 {
    let zeros = [3.831_705_97, 7.015_586_67, 10.173_468_14, 13.323_691_94, 16.470_630_05];
    let sum: f64 = zeros.iter().map(|z: &f64| (-z * z * time).exp() / (z * z)).sum();
    1.0 - 8.0 * sum
}
