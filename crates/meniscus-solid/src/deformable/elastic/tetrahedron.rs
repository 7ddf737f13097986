//! Tetrahedra with four or with ten nodes.
//!
//! Linear ones (four nodes) lock: a bar of them is too stiff in bending, the more the less compressible it is. Quadratic ones (ten:
//! corners and the middles of edges) do not, and are the default ([ADR 35](../../../../../docs/adr/0035-deformable-solids.md)).
//! Both have straight edges at rest, so that gradients of shape functions are constant, or linear, and known once.

use super::super::element::{Element, Motion, outer};
use super::neo_hookean::NeoHookean;
use glam::{DMat3, DVec3};
use meniscus_geometry::tetra::volume;

/// A tetrahedron with `N` nodes whose energy is summed over `Q` points.
#[derive(Debug, Clone)]
pub(crate) struct Tetrahedron<const N: usize, const Q: usize> {
    node: [u32; N],
    /// By point: gradients of shape functions at rest `[1/m]`.
    gradient: [[DVec3; N]; Q],
    /// The share of each point in the volume at rest `[m³]`.
    volume: f64,
    law: NeoHookean,
}

/// Linear: one point.
pub(crate) type Linear = Tetrahedron<4, 1>;
/// Quadratic: four points.
pub(crate) type Quadratic = Tetrahedron<10, 4>;

/// The corners that each middle node of a quadratic tetrahedron lies between.
pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Gradients of the four barycentric coordinates.
fn barycentric_gradients([a, b, c, d]: [DVec3; 4]) -> [DVec3; 4] {
    let columns = DMat3::from_cols(b - a, c - a, d - a);
    let rows = columns.inverse().transpose();
    [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis]
}

impl Linear {
    pub(crate) fn new(node: [u32; 4], rest: &[DVec3], law: NeoHookean) -> Self {
        let corner = node.map(|n| rest[n as usize]);
        Self { node, gradient: [barycentric_gradients(corner)], volume: volume(corner), law }
    }
}

impl Quadratic {
    /// Corners first, then the middles of [`EDGES`].
    pub(crate) fn new(node: [u32; 10], rest: &[DVec3], law: NeoHookean) -> Self {
        // Four points, exact for quadratic functions: (5 ± √5)/20.
        const NEAR: f64 = 0.585_410_196_624_968_5;
        const FAR: f64 = 0.138_196_601_125_010_5;
        let corner = [0, 1, 2, 3].map(|k| rest[node[k] as usize]);
        let slope = barycentric_gradients(corner);
        let gradient = [0, 1, 2, 3].map(|point| {
            let coordinate = |k: usize| if k == point { NEAR } else { FAR };
            let mut gradient = [DVec3::ZERO; 10];
            for k in 0..4 {
                gradient[k] = (4.0 * coordinate(k) - 1.0) * slope[k];
            }
            for (k, [i, j]) in EDGES.into_iter().enumerate() {
                gradient[4 + k] = 4.0 * (coordinate(i) * slope[j] + coordinate(j) * slope[i]);
            }
            gradient
        });
        Self { node, gradient, volume: 0.25 * volume(corner), law }
    }
}

impl<const N: usize, const Q: usize> Tetrahedron<N, Q> {
    /// F at a point.
    fn deformation(&self, gradient: &[DVec3; N], x: &[DVec3]) -> DMat3 {
        let mut f = DMat3::ZERO;
        for (&n, g) in self.node.iter().zip(gradient) {
            f += outer(x[n as usize], *g);
        }
        f
    }
}

impl<const N: usize, const Q: usize> Element for Tetrahedron<N, Q> {
    const NODES: usize = N;

    fn nodes(&self) -> &[u32] {
        &self.node
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let density = |gradient| self.law.energy(self.deformation(gradient, x));
        self.volume * self.gradient.iter().map(density).sum::<f64>()
    }

    fn gradient(&self, motion: &Motion<'_>, out: &mut [DVec3]) {
        out.fill(DVec3::ZERO);
        for gradient in &self.gradient {
            let (start, end) =
                (self.deformation(gradient, motion.start), self.deformation(gradient, motion.end));
            let mut stress = self.law.stress_of_step(start, end);
            if motion.damping > 0.0 {
                let middle = 0.5 * (start + end);
                let rate = middle.transpose() * self.deformation(gradient, motion.velocity);
                let rate = 0.5 * (rate + rate.transpose());
                let trace = rate.x_axis.x + rate.y_axis.y + rate.z_axis.z;
                let lame = self.law.rest;
                let viscous = lame.lambda * trace * DMat3::IDENTITY + 2.0 * lame.mu * rate;
                stress += motion.damping * (middle * viscous);
            }
            for (out, g) in out.iter_mut().zip(gradient) {
                *out += self.volume * (stress * *g);
            }
        }
    }

    fn tangent(&self, motion: &Motion<'_>, out: &mut [DMat3]) {
        out.fill(DMat3::ZERO);
        let viscous = self.volume * motion.viscous_share();
        let lame = self.law.rest;
        for gradient in &self.gradient {
            let (start, end) =
                (self.deformation(gradient, motion.start), self.deformation(gradient, motion.end));
            let tangent = self.law.tangent(NeoHookean::state_of_step(start, end));
            let turned = gradient.map(|g| tangent.turned(g));
            let middle = 0.5 * (start + end);
            let along = gradient.map(|g| middle * g);
            let square = middle * middle.transpose();
            for a in 0..N {
                for b in a..N {
                    let block = &mut out[N * a + b];
                    *block += 0.5 * self.volume * tangent.block(turned[a], turned[b]);
                    if viscous > 0.0 {
                        let shear = gradient[a].dot(gradient[b]) * square + outer(along[b], along[a]);
                        *block += viscous * (lame.lambda * outer(along[a], along[b]) + lame.mu * shear);
                    }
                }
            }
        }
        for a in 0..N {
            for b in 0..a {
                out[N * a + b] = out[N * b + a].transpose();
            }
        }
    }

    fn stretch(&self, x: &[DVec3]) -> f64 {
        let square = |gradient| {
            let f = self.deformation(gradient, x);
            meniscus_geometry::mass::principal_axes(f.transpose() * f).0.z
        };
        self.gradient.iter().map(square).fold(0.0, f64::max).max(0.0).sqrt()
    }
}
