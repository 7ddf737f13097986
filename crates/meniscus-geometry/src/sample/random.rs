//! Random numbers that depend on nothing but a seed and a counter.

use glam::DVec3;

/// A stream of random numbers (splitmix64): the n-th number is a mix of the seed and n, so that two streams with
/// different seeds share nothing and a result never depends on who asked first.
#[derive(Debug, Clone)]
pub struct RandomStream {
    state: u64,
}

impl RandomStream {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: mix(seed) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        // The odd number nearest to 2^64 over the golden ratio visits all states evenly.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// A number from 0 up to but not including 1 `[1]`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A place in the cube from −1 to 1, even over its volume `[1]`.
    pub fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }

    /// A place in the unit ball, even over its volume `[1]`.
    pub fn in_ball(&mut self) -> DVec3 {
        loop {
            let x = self.in_cube();
            if x.length_squared() <= 1.0 {
                return x;
            }
        }
    }

    /// Barycentric coordinates of a place in a triangle, even over its area `[1]`.
    pub fn in_triangle(&mut self) -> [f64; 3] {
        let (u, v) = (self.unit(), self.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        [1.0 - u - v, u, v]
    }
}

/// Steele, Lea and Flood's finaliser: every bit of the result depends on every bit of the state.
#[must_use]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_even_distributions() {
        let mut random = RandomStream::new(7);
        let n = 100_000;
        let mut mean = [0.0; 3];
        let (mut unit, mut square) = (0.0, 0.0);
        for _ in 0..n {
            let b = random.in_triangle();
            (0..3).for_each(|k| mean[k] += b[k] / f64::from(n));
            let u = random.unit();
            assert!((0.0..1.0).contains(&u));
            unit += u / f64::from(n);
            square += random.in_ball().length_squared() / f64::from(n);
        }
        assert!(mean.iter().all(|m| (m - 1.0 / 3.0).abs() < 0.005), "{mean:?}");
        assert!((unit - 0.5).abs() < 0.005 && (square - 0.6).abs() < 0.005, "{unit} {square}");
    }

    #[test]
    fn seeds_give_different_streams_and_the_same_seed_the_same() {
        let stream = |seed| {
            let mut random = RandomStream::new(seed);
            [random.bits(), random.bits()]
        };
        assert_eq!(stream(1), stream(1));
        assert_ne!(stream(1), stream(2));
        assert_ne!(stream(0)[0], stream(0)[1]);
    }
}
