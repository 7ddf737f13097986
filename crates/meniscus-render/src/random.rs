//! Numbers that look random and depend on nothing but their place.

use glam::{Vec2, Vec3};

/// A hash of two numbers.
pub(crate) fn hash(a: u32, b: u32) -> u32 {
    let mut x = a.wrapping_mul(0x9E37_79B9) ^ b.wrapping_mul(0x85EB_CA6B).rotate_left(13);
    x = (x ^ (x >> 16)).wrapping_mul(0x7FEB_352D);
    x = (x ^ (x >> 15)).wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// The `k`-th point of an even sequence in the unit square, shifted by a seed.
pub(crate) fn point(seed: u32, k: u32) -> Vec2 {
    // Multiples of the inverse powers of the plastic number, as 32-bit fractions: sums wrap around by themselves.
    let part = |salt: u32, step: u32| hash(seed, salt).wrapping_add(step.wrapping_mul(k));
    let unit = |x: u32| (x >> 8) as f32 / (1_u32 << 24) as f32;
    Vec2::new(unit(part(1, 0xC13F_A9A9)), unit(part(2, 0x91E1_0DA5)))
}

/// A direction around `axis`, more likely near to it: by the cosine.
pub(crate) fn cosine(axis: Vec3, at: Vec2) -> Vec3 {
    let (radius, angle) = (at.x.sqrt(), std::f32::consts::TAU * at.y);
    let (u, v) = axis.any_orthonormal_pair();
    (u * (radius * angle.cos()) + v * (radius * angle.sin()) + axis * (1.0 - at.x).max(0.0).sqrt())
        .normalize()
}

/// A direction within a narrow cone around `axis`, whose opening has this tangent.
pub(crate) fn cone(axis: Vec3, tangent: f32, at: Vec2) -> Vec3 {
    let (radius, angle) = (tangent * at.x.sqrt(), std::f32::consts::TAU * at.y);
    let (u, v) = axis.any_orthonormal_pair();
    (axis + u * (radius * angle.cos()) + v * (radius * angle.sin())).normalize()
}
