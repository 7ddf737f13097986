//! The integral of γ(Φ) times the kernel along one ray.
//!
//! γ(Φ) is replaced by polynomials through a few of its values; their products with the kernel are integrated exactly,
//! by tables of the kernel's moments. A ray along which Φ is straight thus costs four distances, however the kernel
//! looks. Pieces end where γ breaks; a piece whose last polynomial term matters is halved.

use meniscus_core::Dimension;

use super::profile::Profile;
use super::quadrature;

/// Intervals of the table of moments `[1]`.
const TABLE: usize = 256;
/// Points of a polynomial, and moments that its integral needs `[1]`.
const POINTS: usize = 5;
/// Where the values of a piece are taken, in the order of Newton's form: ends and middle first.
const PLACE: [f64; POINTS] = [0.0, 1.0, 0.5, 0.25, 0.75];
/// How often a piece may be halved.
const MAX_DEPTH: u32 = 3;

/// Moments ∫₀^t ŵ(τ) τ^k dτ of ŵ(τ) = s^d W(sτ) τ^(d−1), for k below [`POINTS`].
#[derive(Debug, Clone)]
pub(super) struct Moments {
    /// At the ends of the table's intervals: moments, then their slopes.
    table: Vec<[[f64; POINTS]; 2]>,
}

impl Moments {
    pub fn new(weight: &impl Fn(f64) -> f64, breaks: &[f64], dimension: Dimension) -> Self {
        let shell = |t: f64| weight(t) * if dimension == Dimension::Two { t } else { t * t };
        let slope = |t: f64| std::array::from_fn(|k| shell(t) * t.powi(k as i32));
        let mut sum = [0.0; POINTS];
        let mut table = vec![[sum, slope(0.0)]];
        for i in 0..TABLE {
            let (a, b) = (i as f64 / TABLE as f64, (i + 1) as f64 / TABLE as f64);
            let inner = breaks.iter().copied().filter(|t| *t > a && *t < b);
            let ends: Vec<f64> = std::iter::once(a).chain(inner).chain([b]).collect();
            for (k, sum) in sum.iter_mut().enumerate() {
                let mut moment = |t: f64| shell(t) * t.powi(k as i32);
                *sum += ends.windows(2).map(|e| quadrature::both(&mut moment, e[0], e[1]).0).sum::<f64>();
            }
            table.push([sum, slope(b)]);
        }
        Self { table }
    }

    /// The moments up to `t`.
    #[inline]
    fn up_to(&self, t: f64) -> [f64; POINTS] {
        let u = t.clamp(0.0, 1.0) * TABLE as f64;
        let i = (u as usize).min(TABLE - 1);
        let ([m0, d0], [m1, d1]) = (&self.table[i], &self.table[i + 1]);
        let u = u - i as f64;
        let (v, h) = (1.0 - u, 1.0 / TABLE as f64);
        // The cubic with these values and slopes.
        let (a, b) = (v * v * (1.0 + 2.0 * u), u * u * (1.0 + 2.0 * v));
        let (c, d) = (h * u * v * v, -h * u * u * v);
        std::array::from_fn(|k| a * m0[k] + b * m1[k] + c * d0[k] + d * d1[k])
    }

    /// The integral of ŵ times the polynomial through `point` (place, value) from `a` to `b`, and the part of its last
    /// term.
    fn integrate(&self, point: &[[f64; 2]; POINTS], a: f64, b: f64) -> (f64, f64) {
        let (low, high) = (self.up_to(a), self.up_to(b));
        let moment: [f64; POINTS] = std::array::from_fn(|k| high[k] - low[k]);
        // Newton's divided differences, in place.
        let mut coefficient: [f64; POINTS] = std::array::from_fn(|i| point[i][1]);
        for order in 1..POINTS {
            for i in (order..POINTS).rev() {
                coefficient[i] = (coefficient[i] - coefficient[i - 1]) / (point[i][0] - point[i - order][0]);
            }
        }
        // The product (t − t0) (t − t1) …, by powers of t, grows by one factor a term.
        let mut product = [0.0; POINTS];
        product[0] = 1.0;
        let (mut sum, mut last) = (0.0, 0.0);
        for i in 0..POINTS {
            last = coefficient[i] * (0..=i).map(|k| product[k] * moment[k]).sum::<f64>();
            sum += last;
            for k in (0..POINTS).rev() {
                let below = if k == 0 { 0.0 } else { product[k - 1] };
                product[k] = below - point[i][0] * product[k];
            }
        }
        (sum, last.abs())
    }
}

/// Rays through one profile and kernel.
pub(super) struct Rays<'a> {
    pub moments: &'a Moments,
    pub profile: Profile,
    pub support: f64,
    pub tolerance: f64,
}

impl Rays<'_> {
    /// ∫ γ(Φ) ŵ dt for t from 0 to 1 along a ray; `phi` is the distance at t `[m]`, `start` that at 0 `[m]`.
    pub fn integrate(&self, phi: &impl Fn(f64) -> f64, start: f64) -> f64 {
        let value = [start, phi(1.0), phi(0.5), phi(0.25), phi(0.75)];
        let ends = self.pieces(phi, value);
        if ends.len() == 2 {
            let point = std::array::from_fn(|i| [PLACE[i], self.profile.at(value[i], self.support)]);
            return self.refined(phi, &point, 0.0, 1.0, self.tolerance, MAX_DEPTH);
        }
        let each = self.tolerance / (ends.len() - 1) as f64;
        ends.windows(2).map(|e| self.piece(phi, e[0], e[1], each, MAX_DEPTH)).sum()
    }

    /// Where the pieces begin and end: 0, the places where Φ passes a break of γ, and 1.
    fn pieces(&self, phi: &impl Fn(f64) -> f64, value: [f64; POINTS]) -> Ends {
        let mut ends = Ends::new();
        let order = [0, 3, 2, 4, 1];
        for pair in order.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|i| [PLACE[i], value[i]]);
            self.crossings(phi, a, b, &mut ends);
        }
        ends.close();
        ends
    }

    /// Adds the places between `a` and `b` (place, distance) where Φ passes a break.
    fn crossings(&self, phi: &impl Fn(f64) -> f64, a: [f64; 2], b: [f64; 2], ends: &mut Ends) {
        let levels = self.profile.breaks();
        // Breaks fall; a ray that leaves the body passes them in the other order.
        let level =
            |i: usize| self.support * if a[1] > b[1] { levels[i] } else { levels[levels.len() - 1 - i] };
        for level in (0..levels.len()).map(level) {
            let (fa, fb) = (a[1] - level, b[1] - level);
            if (fa > 0.0) != (fb > 0.0) {
                ends.add(crossing(phi, level, [a[0], fa], [b[0], fb]));
            }
        }
    }

    /// The integral over one piece in which γ(Φ) is smooth.
    fn piece(&self, phi: &impl Fn(f64) -> f64, a: f64, b: f64, tolerance: f64, depth: u32) -> f64 {
        let at = |i: usize| a + (b - a) * PLACE[i];
        let inner = [phi(at(2)), phi(at(3)), phi(at(4))];
        let zero = self.profile.reach() * self.support;
        if inner.iter().all(|phi| *phi >= zero) {
            return 0.0;
        }
        let of = |phi: f64| self.profile.at(phi, self.support);
        let point = [
            [at(0), of(phi(at(0)))],
            [at(1), of(phi(at(1)))],
            [at(2), of(inner[0])],
            [at(3), of(inner[1])],
            [at(4), of(inner[2])],
        ];
        self.refined(phi, &point, a, b, tolerance, depth)
    }

    /// The integral by these values if they suffice, else by halves.
    fn refined(
        &self,
        phi: &impl Fn(f64) -> f64,
        point: &[[f64; 2]; POINTS],
        a: f64,
        b: f64,
        tolerance: f64,
        depth: u32,
    ) -> f64 {
        let (sum, last) = self.moments.integrate(point, a, b);
        if last <= tolerance || depth == 0 {
            return sum;
        }
        let (middle, each) = (0.5 * (a + b), 0.7 * tolerance);
        self.piece(phi, a, middle, each, depth - 1) + self.piece(phi, middle, b, each, depth - 1)
    }
}

/// Ascending ends of pieces, few enough to need no allocation.
struct Ends {
    place: [f64; 12],
    len: usize,
}

impl Ends {
    fn new() -> Self {
        Self { place: [0.0; 12], len: 1 }
    }

    fn len(&self) -> usize {
        self.len
    }

    /// Leaves out what is too close to the one before, or too much.
    fn add(&mut self, t: f64) {
        if t > self.place[self.len - 1] + 1e-6 && t < 1.0 - 1e-6 && self.len < self.place.len() - 1 {
            self.place[self.len] = t;
            self.len += 1;
        }
    }

    fn close(&mut self) {
        self.place[self.len] = 1.0;
        self.len += 1;
    }

    fn windows(&self, size: usize) -> std::slice::Windows<'_, f64> {
        self.place[..self.len].windows(size)
    }
}

/// Where Φ passes `level` between `a` and `b` (place, Φ − level), by false position.
pub(super) fn crossing(phi: &impl Fn(f64) -> f64, level: f64, mut a: [f64; 2], mut b: [f64; 2]) -> f64 {
    let scale = a[1].abs() + b[1].abs();
    let mut t = a[0];
    for _ in 0..8 {
        t = (a[0] * b[1] - b[0] * a[1]) / (b[1] - a[1]);
        let f = phi(t) - level;
        if f.abs() < 1e-5 * scale {
            break;
        }
        // Halving the end that stays makes it move next time.
        if (f > 0.0) == (b[1] > 0.0) {
            b = [t, f];
            a[1] *= 0.5;
        } else {
            a = [t, f];
            b[1] *= 0.5;
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn rays_through_a_box_agree_with_many_steps() {
        let weight = |t: f64| 2.0 * (1.0 - t).powi(3) - 8.0 * (0.5 - t).max(0.0).powi(3);
        let moments = Moments::new(&weight, &[0.5], Dimension::Three);
        let box_distance = |x: DVec3| {
            let q = x.abs() - DVec3::ONE;
            q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
        };
        for profile in [Profile::Inflated, Profile::Flush, Profile::Smooth] {
            let rays = Rays { moments: &moments, profile, support: 1.0, tolerance: 1e-6 };
            for i in 0..300 {
                let at = |f: f64| (f64::from(i) * f).fract() - 0.5;
                let way = DVec3::new(at(0.618_034), at(0.754_878), at(0.569_84)).normalize();
                let x = DVec3::new(0.95, 1.2 - f64::from(i) / 300.0, 0.1);
                let phi = |t: f64| box_distance(x + t * way);
                let found = rays.integrate(&phi, phi(0.0));
                let n = 4000;
                let step = |k: i32| {
                    let t = (f64::from(k) + 0.5) / f64::from(n);
                    weight(t) * t * t * profile.at(phi(t), 1.0) / f64::from(n)
                };
                let many: f64 = (0..n).map(step).sum();
                // A ray that only grazes an edge between two values may be missed.
                assert!((found - many).abs() < 3e-4, "{profile:?} {i} {found} {many}");
            }
        }
    }
}
