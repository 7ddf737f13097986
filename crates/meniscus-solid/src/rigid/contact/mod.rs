//! What happens where bodies touch.

pub(crate) mod collision;
pub(crate) mod friction;
pub(crate) mod graph;
pub(crate) mod push;
pub(crate) mod rolling;
pub(crate) mod sweep;

use glam::{DMat3, DVec3};
use meniscus_core::Twist;

use crate::rigid::body::InverseMass;
use crate::rigid::detect::narrow::ManifoldPoint;

/// A point of contact between two bodies.
#[derive(Debug, Clone)]
pub(crate) struct ContactPoint {
    pub feature: u32,
    /// From the second body to the first.
    pub normal: DVec3,
    /// Distance of the surfaces at the start of the step `[m]`.
    pub gap: f64,
    /// From the centres of both bodies to the point `[m]`.
    pub arm: [DVec3; 2],
    /// K_T of both bodies `[1/kg]`.
    pub k: DMat3,
    pub k_inverse: DMat3,
    /// Inverse of the largest eigenvalue of K_T across the normal `[kg]`.
    pub slip: f64,
    /// Impulse on the first body so far `[N s]`.
    pub impulse: DVec3,
    /// Angular impulse of rolling and spinning friction on the first body so far `[N m s]`.
    pub twist: DVec3,
    /// Size of the push that parts the bodies so far `[kg m]`.
    pub push: f64,
}

/// Two bodies that touch, or may during the step.
#[derive(Debug, Clone)]
pub(crate) struct ContactPair {
    /// Indices of the bodies.
    pub body: [u32; 2],
    pub restitution: f64,
    pub friction: f64,
    pub rolling: f64,
    pub spinning: f64,
    pub point: Vec<ContactPoint>,
    /// When it is processed.
    pub level: u32,
}

impl ContactPoint {
    pub fn new(touch: &ManifoldPoint, centre: [DVec3; 2], mobility: [&InverseMass; 2]) -> Self {
        let arm = centre.map(|c| touch.position - c);
        let mut point = Self {
            feature: touch.feature,
            normal: touch.normal,
            gap: touch.gap,
            arm,
            k: DMat3::ZERO,
            k_inverse: DMat3::ZERO,
            slip: 0.0,
            impulse: DVec3::ZERO,
            twist: DVec3::ZERO,
            push: 0.0,
        };
        point.set_k(effective(mobility, arm));
        point
    }

    /// Sets K_T and what follows from it.
    pub fn set_k(&mut self, k: DMat3) {
        self.k = k;
        self.k_inverse = k.inverse();
        let n = self.normal;
        let trace = k.x_axis.x + k.y_axis.y + k.z_axis.z - n.dot(k * n);
        // Across the normal K is a symmetric 2 × 2 matrix with this determinant.
        let determinant = k.determinant() * n.dot(self.k_inverse * n);
        let root = (0.25 * trace * trace - determinant).max(0.0).sqrt();
        self.slip = (0.5 * trace + root).recip();
    }

    /// The velocity of the first body relative to the second at this point `[m/s]`.
    #[inline]
    pub fn relative(&self, twist: [&Twist; 2]) -> DVec3 {
        twist[0].at(self.arm[0]) - twist[1].at(self.arm[1])
    }
}

/// The matrix that takes an impulse between two bodies to the change of their relative velocity `[1/kg]`.
pub(crate) fn effective(mobility: [&InverseMass; 2], arm: [DVec3; 2]) -> DMat3 {
    // [Guendelman2006] Eq. 2.6: K_T = K_1 + K_2
    let mut k = mobility[0].at(arm[0]) + mobility[1].at(arm[1]);
    if mobility[0].mass.z == 0.0 && mobility[1].mass.z == 0.0 {
        // In the plane nothing moves along z; any number there makes K invertible without a say in anything.
        k.z_axis.z += k.x_axis.x;
    }
    k
}
