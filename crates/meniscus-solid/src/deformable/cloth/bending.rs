//! Bending of sheets that are flat at rest.
//!
//! A triangle's curvature is found from its three neighbours as in rotation-free plate triangles [Onate2000]: slopes at an edge
//! are the mean of those of both sides, so that with the conormals ν of its edges
//!
//! κ = 1/A Σ_e l_e ν_e ⊗ ½ (∇w_B − ∇w_A).
//!
//! Here w is not a height but all of the position, as in the quadratic energies of [Bergou2006]: for deformations that do not
//! stretch the sheet κ is the curvature times the normal, wherever the sheet is. So the energy ½ A κ : D κ, with
//! D κ = E h³ / 12 (1 − ν²) ((1 − ν) κ + ν tr κ I), is quadratic in positions: its matrix is known once, it is positive
//! semi-definite, and a step conserves it without any more ado.
//!
//! | here | meaning |
//! | --- | --- |
//! | A, h | area and thickness `[m²]`, `[m]` |
//! | l_e, ν_e | length of an edge, and the normal in the plane that points out of the triangle |
//!
//! **Departures**: edges at a border have no neighbour and no share in κ, as if the sheet went on straight. A fold resists with
//! 2 sin(θ/2) of its angle instead of θ, and gradients of in-plane strain cost a little energy, as in second-gradient theories.

use super::super::linear::LinearStencil;
use super::membrane::{flattened, shape_gradients};
use super::patch::Patch;
use glam::{DVec2, DVec3};

/// The bending energy of a triangle, by the positions of its corners and of what lies opposite of its edges at rest.
pub(crate) fn flat(patch: &Patch, rest: &[DVec3], rigidity: f64, poisson: f64) -> LinearStencil {
    let mut node = patch.corner.to_vec();
    // The jump of the slope at each edge, by node, times l / 2A; and the conormal.
    let mut jump: Vec<Vec<f64>> = Vec::new();
    let mut conormal: Vec<DVec2> = Vec::new();
    let mut area = 0.0;
    for edge in 0..3 {
        let Some(opposite) = patch.opposite[edge] else { continue };
        let [a, b, c] = [0, 1, 2].map(|k| patch.corner[(edge + k) % 3]);
        let place = |n: u32| rest[n as usize];
        // Both triangles in the plane of this one, with the edge on its x axis: the neighbour is below it.
        let own = flattened([a, b, c].map(place));
        let other = flattened([a, b, opposite].map(place)).map(|p| DVec2::new(p.x, -p.y));
        let (g, own_area) = shape_gradients(own);
        let (o, _) = shape_gradients(other);
        area = own_area;
        let share = own[1].x / (2.0 * own_area);
        // ν = −y here: the jump is (∇w_B − ∇w_A) · ν.
        let weights = [(a, g[0].y - o[0].y), (b, g[1].y - o[1].y), (c, g[2].y), (opposite, -o[2].y)];
        node.push(opposite);
        let mut row = vec![0.0; node.len()];
        for (n, weight) in weights {
            let slot =
                if n == opposite { node.len() - 1 } else { node.iter().position(|m| *m == n).unwrap_or(0) };
            row[slot] += share * weight;
        }
        jump.push(row);
        conormal.push(outward(patch, rest, edge));
    }
    for row in &mut jump {
        row.resize(node.len(), 0.0);
    }
    let mut matrix = vec![0.0; node.len() * node.len()];
    for (e, row_e) in jump.iter().enumerate() {
        for (f, row_f) in jump.iter().enumerate() {
            let cos = conormal[e].dot(conormal[f]);
            let stiffness = area * rigidity * (poisson + (1.0 - poisson) * cos * cos);
            for (p, a) in row_e.iter().enumerate() {
                for (q, b) in row_f.iter().enumerate() {
                    matrix[p * node.len() + q] += stiffness * a * b;
                }
            }
        }
    }
    LinearStencil { node, matrix }
}

/// The direction in the plane of a triangle that is normal to an edge and points out of it.
pub(crate) fn outward(patch: &Patch, rest: &[DVec3], edge: usize) -> DVec2 {
    let corner = flattened(patch.corner.map(|n| rest[n as usize]));
    let along = (corner[(edge + 1) % 3] - corner[edge]).normalize_or_zero();
    -along.perp()
}
