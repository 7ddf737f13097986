//! Stable neo-Hookean matter [Smith2018].
//!
//! ψ(F) = μ/2 (tr FᵀF − 3) − μ (J − 1) + λ'/2 (J − 1)², with J = det F and λ' = λ + μ, for which small strains obey Hooke's law with
//! λ and μ. It is finite and smooth where an element is flat or turned inside out.
//!
//! **Departures** from [Smith2018]: without the logarithm that keeps an element from staying at a point, which [Smith2018] adds for
//! this one state; then constants are rearranged less.

use super::super::material::Lame;
use glam::{DMat3, DVec3};
use meniscus_geometry::mass::principal_axes;

/// The law of a matter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NeoHookean {
    /// `[Pa]`
    mu: f64,
    /// λ' `[Pa]`
    lambda: f64,
    /// Hooke's law at rest, for viscous stress.
    pub(crate) rest: Lame,
}

/// J at both ends of a step below which an element counts as about to be turned inside out.
const NEARLY_FLAT: f64 = 0.05;

/// The transposed inverse times the determinant, which exists for every matrix.
pub(crate) fn cofactor(f: DMat3) -> DMat3 {
    DMat3::from_cols(f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis))
}

impl NeoHookean {
    pub(crate) fn new(rest: Lame) -> Self {
        Self { mu: rest.mu, lambda: rest.lambda + rest.mu, rest }
    }

    /// dψ/dJ of the part that is a function of J.
    fn pressure(&self, volume: f64) -> f64 {
        self.lambda * (volume - 1.0) - self.mu
    }

    /// ψ `[J/m³]`.
    pub(crate) fn energy(&self, f: DMat3) -> f64 {
        // Of the displacement gradient: near rest nothing large cancels.
        let h = f - DMat3::IDENTITY;
        let volume = f.determinant() - 1.0;
        let trace = h.x_axis.x + h.y_axis.y + h.z_axis.z;
        let square = h.x_axis.length_squared() + h.y_axis.length_squared() + h.z_axis.length_squared();
        0.5 * self.mu * (2.0 * trace + square) - self.mu * volume + 0.5 * self.lambda * volume * volume
    }

    /// dψ/dF `[Pa]`.
    pub(crate) fn stress(&self, f: DMat3) -> DMat3 {
        self.mu * f + self.pressure(f.determinant()) * cofactor(f)
    }

    /// The stress of a step from `start` to `end`, in reference and deformed coordinates as dψ/dF is.
    ///
    /// With C = FᵀF at both ends and halfway between (C̄), det C' − det C = (cof C̄ + cof(ΔC)/12) : ΔC exactly, by Simpson's rule for
    /// a cubic. So S = μ I + 2 (ψ_J(J') − ψ_J(J)) / (J'² − J²) (cof C̄ + cof(ΔC)/12) does the work of a step: S : ΔC / 2 = Δψ. Where an element
    /// is about to be turned inside out that breaks down, and the stress is that halfway.
    pub(crate) fn stress_of_step(&self, start: DMat3, end: DMat3) -> DMat3 {
        let middle = 0.5 * (start + end);
        let (j0, j1) = (start.determinant(), end.determinant());
        if j0.min(j1) < NEARLY_FLAT {
            return self.stress(middle);
        }
        let (c0, c1) = (start.transpose() * start, end.transpose() * end);
        let mean = cofactor(0.5 * (c0 + c1)) + cofactor(c1 - c0) * (1.0 / 12.0);
        let volumetric = 2.0 * self.pressure(0.5 * (j0 + j1)) / (j0 + j1);
        middle * (self.mu * DMat3::IDENTITY + volumetric * mean)
    }

    /// The state at which a step's tangent is taken: as strained as the mean of both ends' C, turned as F halfway.
    pub(crate) fn state_of_step(start: DMat3, end: DMat3) -> DMat3 {
        let middle = 0.5 * (start + end);
        if start.determinant().min(end.determinant()) < NEARLY_FLAT {
            return middle;
        }
        let mean = 0.5 * (start.transpose() * start + end.transpose() * end);
        // Lᵀ of C = L Lᵀ: F L⁻ᵀ L̄ᵀ has the mean's C.
        let (Some(own), Some(wanted)) = (cholesky(middle.transpose() * middle), cholesky(mean)) else {
            return middle;
        };
        middle * own.transpose().inverse() * wanted.transpose()
    }

    /// The second derivative d²ψ/dF² where it is positive, in the axes of F's singular value decomposition.
    pub(crate) fn tangent(&self, f: DMat3) -> Tangent {
        let (u, sigma, v) = singular_values(f);
        let volume = sigma.x * sigma.y * sigma.z;
        let p = self.pressure(volume);
        let minor = DVec3::new(sigma.y * sigma.z, sigma.z * sigma.x, sigma.x * sigma.y);
        // [Smith2018] Sec. 4: scaling modes are coupled, twists and flips of two axes are not.
        let mut scaling = outer_symmetric(minor, self.lambda);
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            scaling.col_mut(i)[j] += p * sigma[k];
            scaling.col_mut(j)[i] += p * sigma[k];
            scaling.col_mut(k)[k] += self.mu;
        }
        let twist = (DVec3::splat(self.mu) + p * sigma).max(DVec3::ZERO);
        let flip = (DVec3::splat(self.mu) - p * sigma).max(DVec3::ZERO);
        Tangent {
            u,
            v,
            scaling: positive_part(scaling),
            same: 0.5 * (twist + flip),
            crossed: 0.5 * (flip - twist),
        }
    }
}

/// The second derivative of an energy, as blocks that shape functions with given gradients see.
pub(crate) struct Tangent {
    u: DMat3,
    v: DMat3,
    /// Between diagonal elements.
    scaling: DMat3,
    /// Of the elements (i, j) and (j, i) with themselves, by the third axis.
    same: DVec3,
    /// Of them with each other.
    crossed: DVec3,
}

impl Tangent {
    /// A gradient in the axes of the decomposition.
    pub(crate) fn turned(&self, gradient: DVec3) -> DVec3 {
        self.v.transpose() * gradient
    }

    /// The block of two turned gradients.
    pub(crate) fn block(&self, a: DVec3, b: DVec3) -> DMat3 {
        let mut block = DMat3::ZERO;
        for r in 0..3 {
            let (s, t) = ((r + 1) % 3, (r + 2) % 3);
            // Elements (r, s) have the third axis t.
            block.col_mut(r)[r] = self.scaling.col(r)[r] * a[r] * b[r]
                + self.same[t] * a[s] * b[s]
                + self.same[s] * a[t] * b[t];
            for (q, third) in [(s, t), (t, s)] {
                // Row r, column q.
                block.col_mut(q)[r] =
                    self.scaling.col(q)[r] * a[r] * b[q] + self.crossed[third] * a[q] * b[r];
            }
        }
        self.u * block * self.u.transpose()
    }
}

fn outer_symmetric(a: DVec3, factor: f64) -> DMat3 {
    DMat3::from_cols(factor * a.x * a, factor * a.y * a, factor * a.z * a)
}

/// The part of a symmetric matrix with positive eigenvalues.
fn positive_part(m: DMat3) -> DMat3 {
    let (value, axes) = principal_axes(m);
    if value.min_element() >= 0.0 {
        return m;
    }
    let axes = DMat3::from_quat(axes);
    axes * DMat3::from_diagonal(value.max(DVec3::ZERO)) * axes.transpose()
}

/// F = U diag(σ) Vᵀ with rotations U and V; the smallest σ is negative where F is turned inside out.
fn singular_values(f: DMat3) -> (DMat3, DVec3, DMat3) {
    let (_, axes) = principal_axes(f.transpose() * f);
    let v = DMat3::from_quat(axes);
    // Largest last: the first column is what remains.
    let scaled = f * v;
    let z = scaled.z_axis.try_normalize().unwrap_or(DVec3::Z);
    let y = (scaled.y_axis - scaled.y_axis.dot(z) * z).try_normalize().unwrap_or(z.any_orthonormal_vector());
    let u = DMat3::from_cols(y.cross(z), y, z);
    (u, DVec3::new(u.x_axis.dot(scaled.x_axis), y.dot(scaled.y_axis), z.dot(scaled.z_axis)), v)
}

/// The lower triangle L of C = L Lᵀ, if C is positive definite.
fn cholesky(c: DMat3) -> Option<DMat3> {
    let [x, y, z] = [c.x_axis, c.y_axis, c.z_axis];
    let root = |square: f64| (square > 1e-12).then(|| square.sqrt());
    let l00 = root(x.x)?;
    let (l10, l20) = (x.y / l00, x.z / l00);
    let l11 = root(y.y - l10 * l10)?;
    let l21 = (y.z - l20 * l10) / l11;
    let l22 = root(z.z - l20 * l20 - l21 * l21)?;
    Some(DMat3::from_cols(DVec3::new(l00, l10, l20), DVec3::new(0.0, l11, l21), DVec3::new(0.0, 0.0, l22)))
}
