//! Lines through a cell on which four points along an axis are interpolated.

/// The Gauss rule with three points from 0 to 1: places and weights.
pub(super) const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];
/// The same rule in both halves, for lines through cells in which a crease counts most.
pub(super) const HALVES: [(f64, f64); 6] = {
    let mut halves = [(0.0, 0.0); 6];
    let mut i = 0;
    while i < 6 {
        let (place, weight) = GAUSS[i % 3];
        halves[i] = (0.5 * (place + (i / 3) as f64), 0.5 * weight);
        i += 1;
    }
    halves
};

/// A line, by its place along an axis that it crosses.
pub(super) struct Line {
    /// Where it crosses, from the second of the four points `[1]`.
    pub place: f64,
    /// What the points count in a value on the line `[1]`.
    pub value: [f64; 4],
    /// How much of the line's integral each point gets `[1]`.
    pub share: [f64; 4],
}

/// For integrals of smooth functions.
pub(super) static SMOOTH_LINES: [Line; 3] = [line(GAUSS[0]), line(GAUSS[1]), line(GAUSS[2])];
/// For cells in which a crease counts most.
pub(super) static STEEP_LINES: [Line; 6] =
    [line(HALVES[0]), line(HALVES[1]), line(HALVES[2]), line(HALVES[3]), line(HALVES[4]), line(HALVES[5])];
/// In a plane there is nothing across.
pub(super) static WITHIN_PLANE: [Line; 1] =
    [Line { place: 0.0, value: [0.0, 1.0, 0.0, 0.0], share: [0.0, 1.0, 0.0, 0.0] }];
/// For functions that do not change along the axis: the points get the integrals of their interpolation.
pub(super) static ALIKE: [Line; 1] = [Line {
    place: 0.0,
    value: [0.0, 1.0, 0.0, 0.0],
    share: [-1.0 / 24.0, 13.0 / 24.0, 13.0 / 24.0, -1.0 / 24.0],
}];

const fn line((place, weight): (f64, f64)) -> Line {
    let value = lagrange(place);
    let share = [weight * value[0], weight * value[1], weight * value[2], weight * value[3]];
    Line { place, value, share }
}

/// The weights of values at −1, 0, 1 and 2 in their cubic at `t`.
#[inline]
pub(super) const fn lagrange(t: f64) -> [f64; 4] {
    let (a, b, c) = (t + 1.0, 1.0 - t, 2.0 - t);
    [-t * b * c / 6.0, 0.5 * a * b * c, 0.5 * a * t * c, -a * t * b / 6.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_stands_for_many_that_are_alike() {
        for lines in [&SMOOTH_LINES[..], &STEEP_LINES[..]] {
            for point in 0..4 {
                let share: f64 = lines.iter().map(|line| line.share[point]).sum();
                assert!((share - ALIKE[0].share[point]).abs() < 1e-15, "{point}: {share}");
            }
        }
    }
}
