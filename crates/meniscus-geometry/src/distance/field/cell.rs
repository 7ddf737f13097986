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

use glam::{Vec3, Vec4};

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

    /// The two parts of 64 bytes.
    #[inline(always)]
    pub fn halves(&self) -> [&[f32; 4]; 2] {
        [&self.0[0], &self.0[4]]
    }

    /// The value alone.
    #[inline(always)]
    pub fn value(&self, t: Vec3) -> f32 {
        let c = self.0.map(Vec4::from_array);
        let v: [Vec4; 4] = std::array::from_fn(|i| c[2 * i] + t.x * (c[2 * i + 1] - c[2 * i]));
        let v = [v[0] + t.y * (v[1] - v[0]), v[2] + t.y * (v[3] - v[2])];
        (v[0] + t.z * (v[1] - v[0])).dot(bumps(t))
    }

    /// The value, and its derivatives with respect to `t` (0 to 1 along each axis).
    #[inline(always)]
    pub fn evaluate(&self, t: Vec3) -> (f32, Vec3) {
        let c = self.0.map(Vec4::from_array);
        // Along x, then y, then z; differences on the way are the derivatives.
        let dx: [Vec4; 4] = std::array::from_fn(|i| c[2 * i + 1] - c[2 * i]);
        let v: [Vec4; 4] = std::array::from_fn(|i| c[2 * i] + t.x * dx[i]);
        let dy = [v[1] - v[0], v[3] - v[2]];
        let v = [v[0] + t.y * dy[0], v[2] + t.y * dy[1]];
        let dx = [dx[0] + t.y * (dx[1] - dx[0]), dx[2] + t.y * (dx[3] - dx[2])];
        let (dx, dy, dz) = (dx[0] + t.z * (dx[1] - dx[0]), dy[0] + t.z * (dy[1] - dy[0]), v[1] - v[0]);
        let value = v[0] + t.z * dz;
        let bump = bumps(t);
        let slope = Vec3::new(dx.dot(bump), dy.dot(bump), dz.dot(bump));
        (value.dot(bump), slope + (4.0 - 8.0 * t) * Vec3::new(value.y, value.z, value.w))
    }
}

/// 1 and S(t) along each axis.
#[inline(always)]
fn bumps(t: Vec3) -> Vec4 {
    let s = 4.0 * t * (1.0 - t);
    Vec4::new(1.0, s.x, s.y, s.z)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use meniscus_core::Dimension;

    use super::*;
    use crate::Aabb;
    use crate::distance::field::Lattice;

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
            let (v, gradient) = cell.evaluate(DVec3::from_array(t).as_vec3());
            // All is in single precision.
            assert!((f64::from(v) - expected).abs() < 2e-6, "{v} {expected}");
            assert!((v - cell.value(DVec3::from_array(t).as_vec3())).abs() < 1e-6);
            for a in 0..3 {
                let h = 1e-5;
                let (mut up, mut down) = (t, t);
                up[a] += h;
                down[a] -= h;
                let [up, down] = [up, down].map(|t| as_printed(&lattice, value, 0.5 * DVec3::from_array(t)));
                let slope = (up - down) / (2.0 * h);
                assert!((f64::from(gradient[a]) - slope).abs() < 1e-5, "{gradient:?} {slope}");
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
            let value = cell.evaluate(DVec3::from_array(t).as_vec3()).0;
            assert!((f64::from(value) - f(0.5 * DVec3::from_array(t))).abs() < 5e-7);
        }
    }
}
