//! Bending of shells that are curved at rest: the angles between triangles against those at rest [Grinspun2003].
//!
//! The curvature of a triangle is that of [`super::bending`], with angles θ − θ₀ in place of jumps of slopes:
//! κ = Σ_e (l_e / 2A) (θ_e − θ₀_e) ν_e ⊗ ν_e. The energy ½ A κ : D κ is quadratic in the angles, and moments in a step are those of
//! the mean of both ends' angles. They act along the gradient of the angle halfway, so momentum and angular momentum are
//! conserved exactly, energy to third order in the change.
//!
//! **Departures** from [Grinspun2003]: energies of whole triangles with both constants of the material instead of one number for
//! each hinge.

use super::super::element::{Element, Motion, outer};
use super::bending::outward;
use super::membrane::{flattened, shape_gradients};
use super::patch::Patch;
use glam::{DMat3, DVec3};

/// A triangle with its neighbours.
#[derive(Debug, Clone)]
pub(crate) struct ShellPatch {
    /// Corners, then what lies opposite of each edge: itself the corner of that edge where there is no neighbour.
    node: [u32; 6],
    present: [bool; 3],
    rest_angle: [f64; 3],
    /// Moments by angles `[N m]`.
    stiffness: [[f64; 3]; 3],
}

impl ShellPatch {
    pub(crate) fn new(patch: &Patch, rest: &[DVec3], rigidity: f64, poisson: f64) -> Self {
        let mut node = [0; 6];
        node[..3].copy_from_slice(&patch.corner);
        for edge in 0..3 {
            node[3 + edge] = patch.opposite[edge].unwrap_or(patch.corner[edge]);
        }
        let present = patch.opposite.map(|opposite| opposite.is_some());
        let (_, area) = shape_gradients(flattened(patch.corner.map(|n| rest[n as usize])));
        let conormal = [0, 1, 2].map(|edge| outward(patch, rest, edge));
        let length = [0, 1, 2].map(|edge| {
            rest[patch.corner[edge] as usize].distance(rest[patch.corner[(edge + 1) % 3] as usize])
        });
        let mut stiffness = [[0.0; 3]; 3];
        for e in 0..3 {
            for f in 0..3 {
                let cos = conormal[e].dot(conormal[f]);
                let plate = rigidity * (poisson + (1.0 - poisson) * cos * cos);
                if present[e] && present[f] {
                    stiffness[e][f] = plate * length[e] * length[f] / (4.0 * area);
                }
            }
        }
        let mut shell = Self { node, present, rest_angle: [0.0; 3], stiffness };
        shell.rest_angle = shell.angles(rest);
        shell
    }

    /// The nodes of a hinge: its edge, what is opposite of it in this triangle, and in the neighbour.
    fn hinge(&self, edge: usize, x: &[DVec3]) -> [DVec3; 4] {
        hinge_slots(edge).map(|slot| x[self.node[slot] as usize])
    }

    fn angles(&self, x: &[DVec3]) -> [f64; 3] {
        [0, 1, 2].map(|edge| if self.present[edge] { angle(self.hinge(edge, x)) } else { 0.0 })
    }

    /// Gradients of the angles halfway through a step, by slot.
    fn slopes(&self, motion: &Motion<'_>) -> [[DVec3; 6]; 3] {
        let mut slopes = [[DVec3::ZERO; 6]; 3];
        for (edge, slopes) in slopes.iter_mut().enumerate().filter(|(edge, _)| self.present[*edge]) {
            let (start, end) = (self.hinge(edge, motion.start), self.hinge(edge, motion.end));
            let middle = [0, 1, 2, 3].map(|k| 0.5 * (start[k] + end[k]));
            for (slot, slope) in hinge_slots(edge).into_iter().zip(angle_gradient(middle)) {
                slopes[slot] = slope;
            }
        }
        slopes
    }

    fn moments(&self, angle: [f64; 3]) -> [f64; 3] {
        self.stiffness.map(|row| (0..3).map(|f| row[f] * angle[f]).sum())
    }
}

fn hinge_slots(edge: usize) -> [usize; 4] {
    [edge, (edge + 1) % 3, (edge + 2) % 3, 3 + edge]
}

/// The angle by which the second triangle is turned about the common edge from the plane of the first, towards its back.
pub(crate) fn angle([a, b, c, d]: [DVec3; 4]) -> f64 {
    let edge = b - a;
    let (first, second) = (edge.cross(c - a), (d - a).cross(edge));
    let along = edge.normalize_or_zero();
    first.cross(second).dot(along).atan2(first.dot(second))
}

/// Its gradient at the four nodes `[1/m]`.
pub(crate) fn angle_gradient([a, b, c, d]: [DVec3; 4]) -> [DVec3; 4] {
    let edge = b - a;
    let (first, second) = (edge.cross(c - a), (d - a).cross(edge));
    let length = edge.length();
    let (n, m) = (first / first.length_squared(), second / second.length_squared());
    if !(n.is_finite() && m.is_finite() && length > 0.0) {
        return [DVec3::ZERO; 4];
    }
    let (at_c, at_d) = (-length * n, -length * m);
    let share = |x: DVec3| (x - a).dot(edge) / (length * length);
    let (c, d) = (share(c), share(d));
    [-(1.0 - c) * at_c - (1.0 - d) * at_d, -c * at_c - d * at_d, at_c, at_d]
}

impl Element for ShellPatch {
    const NODES: usize = 6;

    fn nodes(&self) -> &[u32] {
        &self.node
    }

    fn energy(&self, x: &[DVec3]) -> f64 {
        let now = self.angles(x);
        let bent = [0, 1, 2].map(|e| now[e] - self.rest_angle[e]);
        let moment = self.moments(bent);
        0.5 * (0..3).map(|e| moment[e] * bent[e]).sum::<f64>()
    }

    fn gradient(&self, motion: &Motion<'_>, out: &mut [DVec3]) {
        let slopes = self.slopes(motion);
        let (start, end) = (self.angles(motion.start), self.angles(motion.end));
        let bent = [0, 1, 2].map(|e| {
            let rate: f64 =
                slopes[e].iter().zip(self.node).map(|(s, n)| s.dot(motion.velocity[n as usize])).sum();
            0.5 * (start[e] + end[e]) - self.rest_angle[e] + motion.damping * rate
        });
        let moment = self.moments(bent);
        for (slot, out) in out.iter_mut().enumerate() {
            *out = (0..3).map(|e| moment[e] * slopes[e][slot]).sum();
        }
    }

    fn tangent(&self, motion: &Motion<'_>, out: &mut [DMat3]) {
        let slopes = self.slopes(motion);
        let share = 0.5 + motion.viscous_share();
        for a in 0..6 {
            let bend = [0, 1, 2].map(|f| (0..3).map(|e| share * self.stiffness[e][f] * slopes[e][a]).sum());
            for b in 0..6 {
                out[6 * a + b] = (0..3).map(|f: usize| outer(bend[f], slopes[f][b])).sum();
            }
        }
    }

    fn stretch(&self, _x: &[DVec3]) -> f64 {
        1.0
    }
}
