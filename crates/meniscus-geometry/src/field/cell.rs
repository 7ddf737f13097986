//! The cubic polynomial of one cell, from its 32 nodes.
//!
//! The shape functions of \[Koschier2017\] Eq. 9 and 10 have common factors. With t from 0 to 1 along each axis and
//! S(t) = 4 t (1 − t), their sum is
//!
//! f(x, y, z) = A + S(x) X + S(y) Y + S(z) Z
//!
//! where A, X, Y, Z are trilinear: A interpolates the corners; X what the nodes on the four edges along x lie above A;
//! and so on. (Eq. 9: 9 (ξ² + η² + ζ²) − 19 = 8 − 9 Σ (1 − ξ²), so a corner's function is its trilinear one less 9/8
//! of it for each S.) A cell is thus four trilinear interpolations side by side, as wide as a vector register. The
//! plane's 12-node element is the same with Z = 0.

use super::lattice::{CellNodes, other_axes};

/// At each corner (bits of the index: upper end of x, y, z) the values of A, X, Y, Z.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(crate) struct Cell(pub [[f32; 4]; 8]);

impl Cell {
    /// The cell whose nodes have these values; `planar` cells have no edges along z.
    pub fn from_nodes(nodes: &CellNodes, planar: bool, value: impl Fn(u64) -> f64) -> Self {
        let corner = nodes.corner.map(&value);
        let mut out = [[0.0; 4]; 8];
        for (lanes, value) in out.iter_mut().zip(corner) {
            lanes[0] = value as f32;
        }
        for axis in 0..if planar { 2 } else { 3 } {
            let [first, second] = other_axes(axis);
            for (e, pair) in nodes.edge[axis].iter().enumerate() {
                let low = (e & 1) << first | (e >> 1) << second;
                let high = low | 1 << axis;
                let [a, b] = pair.map(&value);
                // [Koschier2017] Eq. 9 and 10 along one edge: S · lerp(these) is the cubic through c0, a, b, c1 less the
                // line through c0 and c1.
                out[low][axis + 1] = (1.125 * (2.0 * a - b - corner[low])) as f32;
                out[high][axis + 1] = (1.125 * (2.0 * b - a - corner[high])) as f32;
            }
        }
        Self(out)
    }

    /// The value alone.
    #[inline(always)]
    pub fn value(&self, t: [f64; 3]) -> f64 {
        let c: [Lanes; 8] = std::array::from_fn(|i| Lanes(self.0[i].map(f64::from)));
        let v: [Lanes; 4] = std::array::from_fn(|i| c[2 * i].towards(c[2 * i + 1], t[0]));
        let v: [Lanes; 2] = std::array::from_fn(|i| v[2 * i].towards(v[2 * i + 1], t[1]));
        let [a, x, y, z] = v[0].towards(v[1], t[2]).0;
        let bump = t.map(|t| 4.0 * t * (1.0 - t));
        (a + x * bump[0]) + (y * bump[1] + z * bump[2])
    }

    /// The value, and its derivatives with respect to `t` (0 to 1 along each axis).
    #[inline(always)]
    pub fn evaluate(&self, t: [f64; 3]) -> (f64, [f64; 3]) {
        let c: [Lanes; 8] = std::array::from_fn(|i| Lanes(self.0[i].map(f64::from)));
        // Along x, then y, then z; differences on the way are the derivatives.
        let dx: [Lanes; 4] = std::array::from_fn(|i| c[2 * i + 1].minus(c[2 * i]));
        let v: [Lanes; 4] = std::array::from_fn(|i| c[2 * i].plus(dx[i], t[0]));
        let dy: [Lanes; 2] = std::array::from_fn(|i| v[2 * i + 1].minus(v[2 * i]));
        let v: [Lanes; 2] = std::array::from_fn(|i| v[2 * i].plus(dy[i], t[1]));
        let dx: [Lanes; 2] = std::array::from_fn(|i| dx[2 * i].towards(dx[2 * i + 1], t[1]));
        let dz = v[1].minus(v[0]);
        let value = v[0].plus(dz, t[2]).0;
        let slope = [dx[0].towards(dx[1], t[2]), dy[0].towards(dy[1], t[2]), dz];
        let bump = [1.0, 4.0 * t[0] * (1.0 - t[0]), 4.0 * t[1] * (1.0 - t[1]), 4.0 * t[2] * (1.0 - t[2])];
        let sum =
            |lanes: [f64; 4]| (lanes[0] + lanes[1] * bump[1]) + (lanes[2] * bump[2] + lanes[3] * bump[3]);
        let gradient = std::array::from_fn(|a| sum(slope[a].0) + (4.0 - 8.0 * t[a]) * value[a + 1]);
        (sum(value), gradient)
    }
}

/// A, X, Y, Z side by side.
#[derive(Clone, Copy)]
struct Lanes([f64; 4]);

impl Lanes {
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }

    /// `self` + t `other`.
    #[inline(always)]
    fn plus(self, other: Self, t: f64) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + t * other.0[i]))
    }

    #[inline(always)]
    fn towards(self, other: Self, t: f64) -> Self {
        self.plus(other.minus(self), t)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use meniscus_core::Dimension;

    use super::*;
    use crate::Aabb;
    use crate::field::Lattice;

    /// \[Koschier2017\] Eq. 9 and 10 as printed: the sum of 32 products.
    fn as_printed(lattice: &Lattice, value: impl Fn(u64) -> f64, x: DVec3) -> f64 {
        let nodes = lattice.nodes_of(0);
        let xi = 2.0 * (x - lattice.origin()) / lattice.cell() - DVec3::ONE;
        let place =
            |node| 2.0 * (lattice.node_position(node) - lattice.origin()) / lattice.cell() - DVec3::ONE;
        let mut sum = 0.0;
        for node in nodes.corner {
            let p = DVec3::ONE + place(node) * xi;
            sum += value(node) * p.element_product() * (9.0 * xi.length_squared() - 19.0) / 64.0;
        }
        for (axis, edges) in nodes.edge.iter().enumerate() {
            for &node in edges.iter().flatten() {
                let at = place(node);
                let mut p = DVec3::ONE + at * xi;
                p[axis] = (1.0 - xi[axis] * xi[axis]) * (1.0 + 9.0 * at[axis] * xi[axis]);
                sum += value(node) * 9.0 / 64.0 * p.element_product();
            }
        }
        sum
    }

    fn unit() -> Lattice {
        let bounds = Aabb { min: DVec3::ZERO, max: DVec3::splat(0.5) };
        Lattice::covering(bounds, 0.5, Dimension::Three).unwrap()
    }

    #[test]
    fn the_factored_form_is_the_papers_sum() {
        let lattice = unit();
        let value = |node: u64| ((node * 7919 + 13) % 101) as f64 / 101.0;
        let cell = Cell::from_nodes(&lattice.nodes_of(0), false, value);
        for i in 0..200 {
            let t = [0.37, 0.73, 0.19].map(|f| (f64::from(i) * f).fract());
            let expected = as_printed(&lattice, value, 0.5 * DVec3::from_array(t));
            let (v, gradient) = cell.evaluate(t);
            // Storage is in single precision.
            assert!((v - expected).abs() < 1e-6, "{v} {expected}");
            assert!((v - cell.value(t)).abs() < 1e-12);
            for a in 0..3 {
                let h = 1e-5;
                let (mut up, mut down) = (t, t);
                up[a] += h;
                down[a] -= h;
                let slope = (cell.evaluate(up).0 - cell.evaluate(down).0) / (2.0 * h);
                assert!((gradient[a] - slope).abs() < 1e-8, "{gradient:?} {slope}");
            }
        }
    }

    #[test]
    fn cubic_polynomials_are_reproduced() {
        let lattice = unit();
        let f = |x: DVec3| 0.3 + x.x - 2.0 * x.y * x.z + x.x.powi(3) - x.y.powi(2) * x.z + x.x * x.y * x.z;
        let cell = Cell::from_nodes(&lattice.nodes_of(0), false, |node| f(lattice.node_position(node)));
        for i in 0..100 {
            let t = [0.41, 0.67, 0.23].map(|g| (f64::from(i) * g).fract());
            assert!((cell.evaluate(t).0 - f(0.5 * DVec3::from_array(t))).abs() < 1e-7);
        }
    }
}
