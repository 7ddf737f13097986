//! Axes: where they begin and end, and the values that have grid lines.

/// How values become lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long.
    Logarithmic,
}

/// About how many grid lines a chosen axis has `[1]`.
const TICKS: f64 = 5.0;
/// The most decades of a logarithmic axis; smaller values are left out `[1]`.
const MAX_DECADES: f64 = 6.0;
/// Larger numbers, and steps smaller than its reciprocal, are written with an exponent `[1]`.
const LONGEST: f64 = 1e6;
/// The most grid lines, far more than anybody reads: ends that do not fit the tick must not fill the memory `[1]`.
const MAX_TICKS: usize = 100;
/// Larger numbers, and on logarithmic axes those below its reciprocal, do not count: their differences may not be
/// finite.
const LARGEST: f64 = 1e300;

/// An axis of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it means, with its unit.
    pub label: String,
    /// The values at its ends.
    pub ends: [f64; 2],
    /// The difference of two grid lines; on a logarithmic axis they are at powers of ten.
    pub tick: f64,
    /// How values become lengths.
    pub scale: Scale,
}

impl Axis {
    /// From zero to `end` with grid lines at multiples of `tick`.
    #[must_use]
    pub fn from_zero_to(label: &str, end: f64, tick: f64) -> Self {
        Self { label: label.to_owned(), ends: [0.0, end], tick, scale: Scale::Linear }
    }

    /// A linear axis that holds all values, with round numbers at its ends.
    #[must_use]
    pub fn holding(label: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = range(values).unwrap_or((0.0, 1.0));
        // A curve that does not change still needs room above and below.
        let size = low.abs().max(high.abs());
        if high - low <= 1e-9 * size || high - low < f64::MIN_POSITIVE / f64::EPSILON {
            let room = if size > f64::MIN_POSITIVE / f64::EPSILON { 0.1 * size } else { 1.0 };
            (low, high) = (low - room, high + room);
        }
        let tick = round_step((high - low) / TICKS);
        let ends = [(low / tick + 1e-9).floor() * tick, (high / tick - 1e-9).ceil() * tick];
        Self { label: label.to_owned(), ends, tick, scale: Scale::Linear }
    }

    /// A logarithmic axis over whole decades that holds the largest of the values and what is not too small.
    #[must_use]
    pub fn decades(label: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let positive = values.into_iter().filter(|&v| v >= 1.0 / LARGEST);
        let (low, high) = range(positive).unwrap_or((0.1, 1.0));
        let top = high.log10().ceil();
        let bottom = low.log10().floor().clamp(top - MAX_DECADES, top - 1.0);
        let ends = [10_f64.powf(bottom), 10_f64.powf(top)];
        Self { label: label.to_owned(), ends, tick: 1.0, scale: Scale::Logarithmic }
    }

    /// Where a value lies, 0 at the beginning and 1 at the end; nothing if it is beyond them.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let [from, to] = self.ends.map(|end| self.stretch(end));
        let place = (self.stretch(value) - from) / (to - from);
        // A rounding beyond the end is still on it.
        (-1e-9..=1.0 + 1e-9).contains(&place).then_some(place)
    }

    /// The values with grid lines and what is written at them.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let [from, to] = self.ends;
        if self.scale == Scale::Logarithmic {
            let (first, last) = (from.log10().round() as i32, to.log10().round() as i32);
            let powers = (first..=last).take(MAX_TICKS);
            return powers.map(|power| (10_f64.powi(power), power_of_ten(power))).collect();
        }
        let count = ((to - from) / self.tick + 1e-9).clamp(0.0, MAX_TICKS as f64) as u32;
        let tick = |i| from + f64::from(i) * self.tick;
        (0..=count).map(|i| (tick(i), self.written(tick(i)))).collect()
    }

    /// A value with the digits that tell it from the next grid line.
    fn written(&self, value: f64) -> String {
        let power = self.tick.log10();
        let largest = self.ends[0].abs().max(self.ends[1].abs());
        // Neither the sum of many ticks nor −0 shall show.
        let value = if value.abs() < 1e-6 * self.tick { 0.0 } else { value };
        if largest >= LONGEST || self.tick <= 1.0 / LONGEST {
            let digits = (largest.log10() - power).ceil().clamp(0.0, 12.0) as usize;
            return format!("{value:.digits$e}");
        }
        let decimals = (-power + 0.999).floor().clamp(0.0, 12.0) as usize;
        format!("{value:.decimals$}")
    }

    fn stretch(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => value.log10(),
        }
    }
}

/// The smallest and largest value that is finite and not huge.
fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let usable = values.into_iter().filter(|v| v.abs() <= LARGEST);
    usable.fold(None, |range, v| match range {
        None => Some((v, v)),
        Some((low, high)) => Some((f64::min(low, v), f64::max(high, v))),
    })
}

/// The next of 1, 2, 5, 10 … times a power of ten that is not smaller.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Such as 10⁻³.
fn power_of_ten(power: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The others stand together.
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    let digits: String = power.to_string().chars().map(raised).collect();
    format!("10{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_ends_hold_all_values_between_a_few_round_ticks() {
        let sets: [&[f64]; 10] = [
            &[f64::MAX, f64::MIN, 2.0],
            &[],
            &[0.0],
            &[-7.3],
            &[1.0, 1.0 + 1e-15],
            &[0.0, 0.0123],
            &[-3.0, f64::NAN, 11.0, f64::INFINITY],
            &[1e300, -1e300],
            &[5e-324, 0.0],
            &[99.0, 101.0],
        ];
        for values in sets {
            for axis in
                [Axis::holding("x", values.iter().copied()), Axis::decades("x", values.iter().copied())]
            {
                assert!(axis.ends[0] < axis.ends[1], "{values:?}: {axis:?}");
                let ticks = axis.ticks();
                assert!((2..=12).contains(&ticks.len()), "{values:?}: {ticks:?}");
                assert!(ticks.iter().all(|tick| axis.place(tick.0).is_some()), "{values:?}: {ticks:?}");
                if axis.scale == Scale::Linear {
                    assert!(values.iter().filter(|v| v.abs() <= LARGEST).all(|&v| axis.place(v).is_some()));
                }
            }
        }
    }

    #[test]
    fn ticks_are_written_with_the_digits_they_need() {
        let texts = |axis: Axis| axis.ticks().into_iter().map(|tick| tick.1).collect::<Vec<_>>();
        assert_eq!(texts(Axis::holding("x", [0.0, 0.5])), ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(texts(Axis::from_zero_to("x", 40.0, 20.0)), ["0", "20", "40"]);
        assert_eq!(texts(Axis::holding("x", [-1.0, 1.0]))[2], "0.0");
        assert_eq!(texts(Axis::holding("x", [0.0, 4e14]))[1], "1.0e14");
        assert_eq!(texts(Axis::holding("x", [0.0, 4e-9]))[4], "4.0e-9");
        assert_eq!(texts(Axis::decades("x", [2e-4, 0.5])), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
    }
}
