/// The most points of a curve: enough for a plot of any run `[1]`.
const MAX_POINTS: usize = 600;

/// A quantity over time. A long curve keeps every second point, then every fourth and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    points: Vec<[f64; 2]>,
    /// Points that were offered `[1]`.
    offered: usize,
    /// One of so many is kept `[1]`.
    every: usize,
}

impl Default for Curve {
    fn default() -> Self {
        Self { points: Vec::new(), offered: 0, every: 1 }
    }
}

impl Curve {
    /// Time `[s]` and value of each point that was kept.
    #[must_use]
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Adds the point at `time` `[s]` if it is one to be kept; else its value is not asked for.
    pub(super) fn offer(&mut self, time: f64, value: impl FnOnce() -> f64) {
        if self.offered.is_multiple_of(self.every) {
            self.points.push([time, value()]);
        }
        self.offered += 1;
        if self.points.len() >= MAX_POINTS {
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// Adds the last point, in place of one at the same time.
    pub(super) fn close(&mut self, time: f64, value: f64) {
        self.points.pop_if(|last| last[0] >= time);
        self.points.push([time, value]);
    }

    /// The first and the last value.
    pub(super) fn ends(&self) -> Option<[f64; 2]> {
        Some([self.points.first()?[1], self.points.last()?[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_ends_and_equal_distances() {
        let mut curve = Curve::default();
        for i in 0..10_000 {
            curve.offer(f64::from(i), || f64::from(2 * i));
        }
        let distances = curve.points().windows(2).map(|pair| pair[1][0] - pair[0][0]);
        assert!(distances.into_iter().all(|d| (d - 32.0).abs() < 1e-9), "{:?}", curve.points());
        curve.close(1e4, 2e4);
        curve.close(1e4, 2e4);
        assert_eq!(curve.ends(), Some([0.0, 2e4]));
        assert_eq!(curve.points().len(), 10_000_usize.div_ceil(32) + 1);
    }
}
