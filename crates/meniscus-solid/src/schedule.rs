//! What changes about a body with time: when it enters, when it becomes dynamic, and how heavy it is.

use crate::SolidError;
use crate::script::PrescribedMotion;

/// A quantity over time: linear between its entries, constant before the first and after the last.
#[derive(Debug, Clone, PartialEq)]
pub struct PiecewiseLinear {
    /// Times `[s]` and values, in ascending order of time.
    entry: Vec<(f64, f64)>,
}

impl PiecewiseLinear {
    /// From times `[s]` and values.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if there are none, times do not ascend, or values are not positive and finite.
    pub fn new(entry: Vec<(f64, f64)>) -> Result<Self, SolidError> {
        let invalid = |what: String, allowed| Err(SolidError::invalid("a course over time", what, allowed));
        if let Some((time, value)) = entry.iter().find(|(t, v)| !(t.is_finite() && v.is_finite() && *v > 0.0))
        {
            return invalid(format!("{value} at {time} s"), "finite times and positive, finite values");
        }
        if entry.is_empty() || entry.windows(2).any(|w| w[1].0 <= w[0].0) {
            let what = format!("the times {:?} s", entry.iter().map(|e| e.0).collect::<Vec<_>>());
            return invalid(what, "at least one, each later than the one before");
        }
        Ok(Self { entry })
    }

    /// The value at a time `[s]`.
    #[must_use]
    pub fn at(&self, time: f64) -> f64 {
        let next = self.entry.partition_point(|(t, _)| *t <= time);
        let last = self.entry.len() - 1;
        match next {
            0 => self.entry[0].1,
            n if n > last => self.entry[last].1,
            n => {
                let ((t0, v0), (t1, v1)) = (self.entry[n - 1], self.entry[n]);
                v0 + (v1 - v0) * ((time - t0) / (t1 - t0))
            }
        }
    }

    /// The same function with all values multiplied by `factor` `[1]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if a value is no longer positive and finite.
    pub fn scaled(&self, factor: f64) -> Result<Self, SolidError> {
        Self::new(self.entry.iter().map(|(t, v)| (*t, v * factor)).collect())
    }
}

/// A prescribed motion that a dynamic body follows until it is released.
#[derive(Debug, Clone, PartialEq)]
pub struct KinematicUntil {
    /// The motion, from the body's pose at rest.
    pub motion: PrescribedMotion,
    /// Until when `[s]`.
    pub until: f64,
}

/// What changes about a body with time; by default nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schedule {
    /// When it enters; before that it meets nothing and nothing moves it `[s]`.
    pub enter: f64,
    /// How it moves as a kinematic body at first, if it is dynamic.
    pub kinematic: Option<KinematicUntil>,
    /// Its mass over time, if that changes; its centre stays, and its inertia is proportional to it `[kg]`.
    pub mass: Option<PiecewiseLinear>,
}

impl Schedule {
    /// Whether the body is there at a time `[s]`.
    #[must_use]
    pub fn is_present(&self, time: f64) -> bool {
        time >= self.enter
    }

    /// The motion that it still follows at a time `[s]`.
    #[must_use]
    pub fn prescribed_motion(&self, time: f64) -> Option<&PrescribedMotion> {
        self.kinematic.as_ref().filter(|kinematic| time < kinematic.until).map(|kinematic| &kinematic.motion)
    }

    /// The first moment after `time` at which the body enters or is released `[s]`.
    pub(crate) fn next_change(&self, time: f64) -> Option<f64> {
        let moments = [Some(self.enter), self.kinematic.as_ref().map(|kinematic| kinematic.until)];
        moments.into_iter().flatten().filter(|t| *t > time).min_by(f64::total_cmp)
    }

    /// Refuses what makes no sense.
    pub(crate) fn check(&self, place: &str) -> Result<(), SolidError> {
        if !self.enter.is_finite() {
            return Err(SolidError::invalid(place, format!("enter = {} s", self.enter), "a finite time"));
        }
        let Some(KinematicUntil { motion, until }) = &self.kinematic else { return Ok(()) };
        if !until.is_finite() {
            return Err(SolidError::invalid(place, format!("a release at {until} s"), "a finite time"));
        }
        motion.check(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_linear_between_entries_and_constant_outside() {
        let mass = PiecewiseLinear::new(vec![(1.0, 500.0), (3.0, 1500.0), (4.0, 1000.0)]).unwrap();
        let expected = [
            (0.0, 500.0),
            (1.0, 500.0),
            (2.0, 1000.0),
            (3.0, 1500.0),
            (3.5, 1250.0),
            (4.0, 1000.0),
            (9.0, 1000.0),
        ];
        for (time, value) in expected {
            assert!((mass.at(time) - value).abs() < 1e-9, "{time}");
            assert!((mass.scaled(2.0).unwrap().at(time) - 2.0 * value).abs() < 1e-9, "{time}");
        }
        assert!(PiecewiseLinear::new(vec![]).is_err());
        assert!(PiecewiseLinear::new(vec![(1.0, 1.0), (1.0, 2.0)]).is_err());
        assert!(PiecewiseLinear::new(vec![(1.0, 0.0)]).is_err());
        assert!(PiecewiseLinear::new(vec![(f64::NAN, 1.0)]).is_err());
    }
}
