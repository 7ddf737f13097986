//! Claims about measured figures: laws of physics, and what was merely seen before.
//!
//! Both print one line of a table, `| law | test | what | case | value | bound |`, so that
//! `cargo test --release -p meniscus-testkit -- --nocapture | grep '^|'` gives all measured figures.

use std::fmt;
use std::ops::RangeInclusive;

/// Where a figure has to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// Less than this.
    Below(f64),
    /// As much as this, or less.
    AtMost(f64),
    /// More than this.
    Above(f64),
    /// Within the second number of the first one.
    Near(f64, f64),
    /// From the first number up to the second one.
    Between(f64, f64),
    /// Just this.
    Exactly(f64),
}

/// Less than `limit`.
pub fn below(limit: f64) -> Bound {
    Bound::Below(limit)
}

/// `limit` or less.
pub fn at_most(limit: f64) -> Bound {
    Bound::AtMost(limit)
}

/// More than `limit`.
pub fn above(limit: f64) -> Bound {
    Bound::Above(limit)
}

/// Less than `tolerance` away from `value`.
pub fn near(value: f64, tolerance: f64) -> Bound {
    Bound::Near(value, tolerance)
}

/// From `low` up to `high`.
pub fn between(low: f64, high: f64) -> Bound {
    Bound::Between(low, high)
}

/// Equal to `value`, for counts.
pub fn exactly(value: f64) -> Bound {
    Bound::Exactly(value)
}

impl Bound {
    /// Whether a figure is there. What is not a number is nowhere.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Below(limit) => value < limit,
            Self::AtMost(limit) => value <= limit,
            Self::Above(limit) => value > limit,
            Self::Near(expected, tolerance) => (value - expected).abs() < tolerance,
            Self::Between(low, high) => (low..=high).contains(&value),
            Self::Exactly(expected) => value.total_cmp(&expected).is_eq(),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Below(limit) => write!(f, "< {}", Figure(*limit)),
            Self::AtMost(limit) => write!(f, "≤ {}", Figure(*limit)),
            Self::Above(limit) => write!(f, "> {}", Figure(*limit)),
            Self::Near(value, tolerance) => write!(f, "{} ± {}", Figure(*value), Figure(*tolerance)),
            Self::Between(low, high) => write!(f, "{} to {}", Figure(*low), Figure(*high)),
            Self::Exactly(value) => write!(f, "= {}", Figure(*value)),
        }
    }
}

/// What was seen of a figure for which there is no formula: the smallest and the largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen(f64, f64);

impl From<f64> for Seen {
    fn from(value: f64) -> Self {
        Self(value, value)
    }
}

impl From<RangeInclusive<f64>> for Seen {
    fn from(range: RangeInclusive<f64>) -> Self {
        Self(*range.start(), *range.end())
    }
}

impl Seen {
    /// By how much the bound exceeds what was seen, as a factor; nothing where a factor says nothing `[1]`.
    fn slack(self, bound: Bound) -> Option<f64> {
        let Self(low, high) = self;
        match bound {
            Bound::Below(limit) if high > 0.0 => Some(limit / high),
            Bound::Above(limit) if limit > 0.0 => Some(low / limit),
            _ => None,
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(low, high) = *self;
        write!(f, "{}", Figure(low))?;
        if low < high { write!(f, " to {}", Figure(high)) } else { Ok(()) }
    }
}

/// A number with as many digits as one reads.
struct Figure(f64);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-3..1e5).contains(&size) {
            let digits = (3 - size.max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{:.digits$}", self.0);
            let text =
                if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            f.write_str(if size == 0.0 { "0" } else { text })
        } else {
            write!(f, "{:.2e}", self.0)
        }
    }
}

fn line(kind: &str, what: &str, case: fmt::Arguments<'_>, value: f64, bound: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    println!("| {kind} | {test} | {what} | {case} | {} | {bound} |", Figure(value));
}

/// What [`law!`](crate::law) does.
#[doc(hidden)]
#[track_caller]
pub fn law(what: &str, value: f64, bound: Bound, why: &str, case: fmt::Arguments<'_>) {
    line("law", what, case, value, &bound.to_string());
    assert!(bound.holds(value), "{what}, {case}: {value} is not {bound}, which is a law: {why}");
}

/// What [`seen!`](crate::seen) does.
#[doc(hidden)]
#[track_caller]
pub fn seen(what: &str, value: f64, bound: Bound, seen: impl Into<Seen>, case: fmt::Arguments<'_>) {
    let seen = seen.into();
    let slack = seen.slack(bound).map_or(String::new(), |slack| format!(", slack {slack:.1}×"));
    line("seen", what, case, value, &format!("{bound}; seen {seen}{slack}"));
    assert!(bound.holds(value), "{what}, {case}: {value} is not {bound}; it used to be {seen}");
}

/// Claims a law of physics: what is measured, its value, where it has to be, why just there, and optionally the case as
/// in `format!`.
///
/// ```
/// use meniscus_testkit::{law, near};
/// law!("load over weight", 0.998, near(1.0, 0.03), "the floor carries what stands on it", "in {}", "space");
/// ```
#[macro_export]
macro_rules! law {
    ($what:expr, $value:expr, $bound:expr, $why:expr $(,)?) => {
        $crate::claim::law($what, $value, $bound, $why, ::std::format_args!(""))
    };
    ($what:expr, $value:expr, $bound:expr, $why:expr, $($case:tt)+) => {
        $crate::claim::law($what, $value, $bound, $why, ::std::format_args!($($case)+))
    };
}

/// Claims that a figure for which there is no formula is as it used to be: what is measured, its value, where it has to
/// be, what was seen when the bound was set (a number or a range), and optionally the case as in `format!`.
///
/// ```
/// use meniscus_testkit::{below, seen};
/// seen!("most kinetic energy [J]", 43.0, below(120.0), 17.0..=59.0, "{}", "dfsph");
/// ```
#[macro_export]
macro_rules! seen {
    ($what:expr, $value:expr, $bound:expr, $seen:expr $(,)?) => {
        $crate::claim::seen($what, $value, $bound, $seen, ::std::format_args!(""))
    };
    ($what:expr, $value:expr, $bound:expr, $seen:expr, $($case:tt)+) => {
        $crate::claim::seen($what, $value, $bound, $seen, ::std::format_args!($($case)+))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_within_no_bound() {
        for bound in [below(1.0), above(1.0), near(1.0, 1.0), between(0.0, 1.0), exactly(1.0)] {
            assert!(!bound.holds(f64::NAN), "{bound}");
        }
    }

    #[test]
    fn figures_are_short() {
        for (value, text) in
            [(0.0, "0"), (0.5, "0.5"), (0.012_345, "0.01235"), (59.0, "59"), (1e-6, "1.00e-6")]
        {
            assert_eq!(Figure(value).to_string(), text);
        }
        assert_eq!(near(1.0, 0.03).to_string(), "1 ± 0.03");
    }

    #[test]
    fn the_slack_of_a_bound_is_a_factor() {
        assert_eq!(Seen::from(17.0..=60.0).slack(below(120.0)), Some(2.0));
        assert_eq!(Seen::from(3.0).slack(near(3.0, 1.0)), None);
    }

    #[test]
    #[should_panic(expected = "it used to be 17 to 59")]
    fn what_was_never_seen_fails() {
        seen!("energy [J]", 121.0, below(120.0), 17.0..=59.0);
    }
}
