//! Ropes: segments that resist being stretched, and corners between them that resist being bent.
//!
//! Corners store B/2 l̄ |e₂/L₂ − e₁/L₁|², with the flexural rigidity B = E π r⁴/4, the edges e, their lengths L at rest and
//! l̄ the mean of these: for edges of unchanged length B/2 l̄ · 4 sin²(φ/2) of the angle φ between them. It is quadratic in positions.

use super::element::{Element, Motion, outer};
use super::linear::LinearStencil;
use glam::{DMat3, DVec3};

/// A segment between two nodes.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    node: [u32; 2],
    /// `[m]`
    length: f64,
    /// Young's modulus times the area of the cross-section `[N]`.
    stiffness: f64,
}

impl Segment {
    pub(crate) fn new(node: [u32; 2], rest: &[DVec3], stiffness: f64) -> Self {
        Self { node, length: rest[node[0] as usize].distance(rest[node[1] as usize]), stiffness }
    }

    fn slope(&self, x: &[DVec3]) -> DVec3 {
        (x[self.node[1] as usize] - x[self.node[0] as usize]) / self.length
    }

    /// The slope halfway and the tension of a step.
    fn of_step(&self, motion: &Motion<'_>) -> (DVec3, f64) {
        let (start, end) = (self.slope(motion.start), self.slope(motion.end));
        let middle = 0.5 * (start + end);
        let strain = 0.25 * (start.dot(start) + end.dot(end)) - 0.5;
        let rate = middle.dot(self.slope(motion.velocity));
        (middle, self.stiffness * (strain + motion.damping * rate))
    }
}

impl Element for Segment {
    const NODES: usize = 2;

    fn nodes(&self) -> &[u32] {
        &self.node
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let slope = self.slope(x);
        let strain = 0.5 * (slope.dot(slope) - 1.0);
        0.5 * self.stiffness * self.length * strain * strain
    }

    fn gradient(&self, motion: &Motion<'_>, out: &mut [DVec3]) {
        let (slope, tension) = self.of_step(motion);
        (out[0], out[1]) = (-tension * slope, tension * slope);
    }

    fn tangent(&self, motion: &Motion<'_>, out: &mut [DMat3]) {
        let (slope, tension) = self.of_step(motion);
        let material = self.stiffness * (0.5 + motion.viscous_share());
        let pull = DMat3::from_diagonal(DVec3::splat(0.5 * tension.max(0.0)));
        let block = (material * outer(slope, slope) + pull) * self.length.recip();
        (out[0], out[1], out[2], out[3]) = (block, -block, -block, block);
    }

    fn stretch(&self, x: &[DVec3]) -> f64 {
        self.slope(x).length()
    }
}

/// The corner at the middle one of three nodes, with flexural rigidity `[N m²]`.
pub(crate) fn corner(node: [u32; 3], rest: &[DVec3], rigidity: f64) -> LinearStencil {
    let [a, b, c] = node.map(|n| rest[n as usize]);
    let (first, second) = (a.distance(b), b.distance(c));
    let weight = [1.0 / first, -1.0 / first - 1.0 / second, 1.0 / second];
    let stiffness = rigidity / (0.5 * (first + second));
    let mut matrix = Vec::with_capacity(9);
    for p in weight {
        matrix.extend(weight.map(|q| stiffness * p * q));
    }
    LinearStencil { node: node.to_vec(), matrix }
}
