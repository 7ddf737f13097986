//! Random and malicious sets of points for the tests of this room.

use glam::DVec3;

/// Points from a fixed sequence.
pub(super) struct Points(u64);

impl Points {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// A number from 0 to 1.
    pub(super) fn unit(&mut self) -> f64 {
        // xorshift64*.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A point of the cube from −1 to 1.
    pub(super) fn point(&mut self) -> DVec3 {
        2.0 * DVec3::new(self.unit(), self.unit(), self.unit()) - DVec3::ONE
    }

    /// A point of a coarse grid in the same cube, so that points touch, repeat and lie in planes.
    pub(super) fn lattice(&mut self) -> DVec3 {
        (2.0 * self.point()).round() / 2.0
    }

    /// Four points, by turns at random, on a grid, on a line, nearly so, as slivers and as nearly parallel edges.
    pub(super) fn quad(&mut self, kind: u32) -> [DVec3; 4] {
        let mut x = [0; 4].map(|_| self.point());
        match kind % 8 {
            1 | 2 => x = [0; 4].map(|_| self.lattice()),
            3 => x[3] = x[1].lerp(x[2], self.unit()),
            4 => x[3] = x[1].lerp(x[2], self.unit()) + 1e-9 * self.point(),
            5 => x[3] = x[2] + (x[1] - x[0]) + 1e-10 * self.point(),
            6 => x[1] = x[0],
            7 => {
                x[2] = x[1] + 1e-7 * self.point();
                x[0] = x[1].lerp(x[3], self.unit()) + 1e-3 * self.point();
            }
            _ => {}
        }
        x
    }
}
