//! Triangles that resist being stretched and sheared: St. Venant–Kirchhoff membranes in plane stress.
//!
//! With the deformation gradient F (3 × 2), the strain E = ½ (FᵀF − I) and S = λ tr(E) I + 2 μ E, the energy is ½ A h S : E.
//! It is quadratic in E, hence the mean of both ends' stresses is the one whose work is the change of energy.

use super::super::element::{Element, Motion, outer};
use super::super::material::Lame;
use glam::{DMat2, DMat3, DVec2, DVec3};

/// One triangle of a sheet.
#[derive(Debug, Clone)]
pub(crate) struct Membrane {
    node: [u32; 3],
    /// Gradients of the nodes' shape functions in the plane at rest `[1/m]`.
    gradient: [DVec2; 3],
    /// Area times thickness at rest `[m³]`.
    volume: f64,
    lame: Lame,
}

/// A triangle laid into a plane: its corners, the first at the origin, the second on the x axis.
pub(crate) fn flattened([a, b, c]: [DVec3; 3]) -> [DVec2; 3] {
    let (ab, ac) = (b - a, c - a);
    let along = ab.normalize_or_zero();
    let height = (ac - ac.dot(along) * along).length();
    [DVec2::ZERO, DVec2::new(ab.length(), 0.0), DVec2::new(ac.dot(along), height)]
}

/// Gradients of the shape functions of a triangle in its plane, and its area.
pub(crate) fn shape_gradients([a, b, c]: [DVec2; 3]) -> ([DVec2; 3], f64) {
    let twice = (b - a).perp_dot(c - a);
    let across = |from: DVec2, to: DVec2| (to - from).perp() / twice;
    ([across(b, c), across(c, a), across(a, b)], 0.5 * twice)
}

impl Membrane {
    /// Of a triangle with these corners at rest `[m]`.
    pub(crate) fn new(node: [u32; 3], rest: &[DVec3], thickness: f64, lame: Lame) -> Self {
        let (gradient, area) = shape_gradients(flattened(node.map(|n| rest[n as usize])));
        Self { node, gradient, volume: area * thickness, lame }
    }

    /// The columns of Σ x ⊗ g.
    fn columns(&self, x: &[DVec3]) -> [DVec3; 2] {
        let mut columns = [DVec3::ZERO; 2];
        for (&n, g) in self.node.iter().zip(self.gradient) {
            columns[0] += g.x * x[n as usize];
            columns[1] += g.y * x[n as usize];
        }
        columns
    }

    fn stress(&self, strain: DMat2) -> DMat2 {
        let Lame { lambda, mu } = self.lame;
        lambda * (strain.x_axis.x + strain.y_axis.y) * DMat2::IDENTITY + 2.0 * mu * strain
    }

    /// F halfway, and the elastic and the viscous stress of a step.
    fn of_step(&self, motion: &Motion<'_>) -> ([DVec3; 2], DMat2, DMat2) {
        let (start, end) = (self.columns(motion.start), self.columns(motion.end));
        let middle = [0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1])];
        let elastic = self.stress(0.5 * (strain(start) + strain(end)));
        let viscous = motion.damping * self.stress(symmetric(middle, self.columns(motion.velocity)));
        (middle, elastic, viscous)
    }
}

/// ½ (FᵀF − I).
fn strain([u, v]: [DVec3; 2]) -> DMat2 {
    let shear = 0.5 * u.dot(v);
    let stretch = |w: DVec3| 0.5 * (w.dot(w) - 1.0);
    DMat2::from_cols(DVec2::new(stretch(u), shear), DVec2::new(shear, stretch(v)))
}

/// The symmetric part of FᵀD.
fn symmetric([u, v]: [DVec3; 2], [du, dv]: [DVec3; 2]) -> DMat2 {
    let shear = 0.5 * (u.dot(dv) + v.dot(du));
    DMat2::from_cols(DVec2::new(u.dot(du), shear), DVec2::new(shear, v.dot(dv)))
}

/// The larger and the smaller eigenvalue of a symmetric matrix, and the direction of the larger.
fn principal(m: DMat2) -> (f64, f64, DVec2) {
    let (mean, half, shear) = (0.5 * (m.x_axis.x + m.y_axis.y), 0.5 * (m.x_axis.x - m.y_axis.y), m.x_axis.y);
    let radius = half.hypot(shear);
    // Of both ways to write the direction the one that does not cancel.
    let along = if half > 0.0 { DVec2::new(half + radius, shear) } else { DVec2::new(shear, radius - half) };
    (mean + radius, mean - radius, along.try_normalize().unwrap_or(DVec2::X))
}

/// The part of a symmetric matrix that pulls.
fn tensile(m: DMat2) -> DMat2 {
    let (larger, smaller, along) = principal(m);
    let across = along.perp();
    let part = |value: f64, d: DVec2| value.max(0.0) * DMat2::from_cols(d * d.x, d * d.y);
    part(larger, along) + part(smaller, across)
}

impl Element for Membrane {
    const NODES: usize = 3;

    fn nodes(&self) -> &[u32] {
        &self.node
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let strain = strain(self.columns(x));
        let stress = self.stress(strain);
        0.5 * self.volume * (stress.x_axis.dot(strain.x_axis) + stress.y_axis.dot(strain.y_axis))
    }

    fn gradient(&self, motion: &Motion<'_>, out: &mut [DVec3]) {
        let ([u, v], elastic, viscous) = self.of_step(motion);
        let stress = self.volume * (elastic + viscous);
        for (out, g) in out.iter_mut().zip(self.gradient) {
            let pull = stress * g;
            *out = pull.x * u + pull.y * v;
        }
    }

    fn tangent(&self, motion: &Motion<'_>, out: &mut [DMat3]) {
        let ([u, v], elastic, viscous) = self.of_step(motion);
        let Lame { lambda, mu } = self.lame;
        let material = self.volume * (0.5 + motion.viscous_share());
        // Compression makes a sheet want to buckle, which a positive semi-definite tangent cannot show.
        let pull = 0.5 * self.volume * tensile(elastic + viscous);
        let along = self.gradient.map(|g| g.x * u + g.y * v);
        let both = outer(u, u) + outer(v, v);
        for a in 0..3 {
            for b in 0..3 {
                let (ga, gb) = (self.gradient[a], self.gradient[b]);
                let hooke =
                    lambda * outer(along[a], along[b]) + mu * (ga.dot(gb) * both + outer(along[b], along[a]));
                out[3 * a + b] = material * hooke + DMat3::from_diagonal(DVec3::splat(ga.dot(pull * gb)));
            }
        }
    }

    fn stretch(&self, x: &[DVec3]) -> f64 {
        let (larger, ..) = principal(strain(self.columns(x)));
        (1.0 + 2.0 * larger).max(0.0).sqrt()
    }
}
