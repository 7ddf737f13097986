//! Fixed-point positions for the neighbour sweeps.
//!
//! State is kept in double precision; sweeps want 32 bits. Instead of single-precision coordinates, whose spacing
//! grows with the distance from the origin, a sweep sees integers: multiples of `unit` counted from `origin`. With
//! `cell_bits` = 20 a unit is a millionth of the support radius everywhere in a domain of two thousand support
//! radii. Differences of integers are exact, hence x_ij = −x_ji to the last bit, which is what conserves momentum,
//! and the cell of a particle is simply the high bits of its coordinate.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Finest resolution: differences inside a 3³ block of cells then still convert to `f32` without rounding.
const MAX_CELL_BITS: u32 = 20;
/// Coarsest resolution that is still good to a thousandth of the spacing.
const MIN_CELL_BITS: u32 = 11;
/// Coordinates stay below this magnitude so that no difference overflows.
const LIMIT: f64 = (1u32 << 30) as f64;

/// A mapping from metres to 32-bit integers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FixedFrame {
    /// The point with coordinates (0, 0, 0) `[m]`.
    pub origin: DVec3,
    /// Edge of a cell, equal to the support radius `[m]`.
    pub cell: f64,
    /// A cell is 2^`cell_bits` units wide.
    pub cell_bits: u32,
}

impl FixedFrame {
    /// The finest frame with this cell size that reaches from `min` to `max` `[m]`; `None` if even the coarsest
    /// does not.
    #[must_use]
    pub fn covering(min: DVec3, max: DVec3, cell: f64) -> Option<Self> {
        let origin = (0.5 * (min + max) / cell).round() * cell;
        let reach = (max - origin).abs().max((min - origin).abs()).max_element() / cell + 2.0;
        (MIN_CELL_BITS..=MAX_CELL_BITS)
            .rev()
            .find(|bits| reach * f64::from(1u32 << bits) < LIMIT)
            .map(|cell_bits| Self { origin, cell, cell_bits })
    }

    /// Metres per unit `[m]`.
    #[must_use]
    pub fn unit(&self) -> f64 {
        self.cell / f64::from(1u32 << self.cell_bits)
    }

    /// Whether a point can be expressed in this frame.
    #[must_use]
    pub fn contains(&self, x: DVec3) -> bool {
        let reach = (LIMIT / f64::from(1u32 << self.cell_bits) - 1.0) * self.cell;
        (x - self.origin).abs().max_element() < reach
    }

    /// The integer coordinates of a point `[units]`. Points outside of the frame are pulled to its rim.
    #[inline]
    #[must_use]
    pub fn encode(&self, x: DVec3) -> [i32; 3] {
        let scaled = (x - self.origin) / self.unit();
        // Truncating a positive number rounds down, and is one instruction where `round` is a call.
        let round = |c: f64| ((c.clamp(-LIMIT, LIMIT) + (LIMIT + 0.5)) as i64 - LIMIT as i64) as i32;
        [round(scaled.x), round(scaled.y), round(scaled.z)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_metres_of_centimetre_particles_lose_nothing() {
        let frame = FixedFrame::covering(DVec3::ZERO, DVec3::splat(100.0), 0.02).unwrap();
        let near = DVec3::new(99.0, 99.0, 99.0);
        let far = near + DVec3::new(0.01, 0.0, 0.0);
        let (a, b) = (frame.encode(near), frame.encode(far));
        let spacing = f64::from(b[0] - a[0]) * frame.unit();
        assert!((spacing - 0.01).abs() < 1e-5 * 0.01, "{spacing}");
    }

    #[test]
    fn absurd_extents_are_refused() {
        assert!(FixedFrame::covering(DVec3::ZERO, DVec3::splat(1e9), 0.02).is_none());
    }
}
