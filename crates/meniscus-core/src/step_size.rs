//! How long a step may be.

/// Share of the time of a fall through one spacing, relative to the CFL factor `[1]`. Pressure solves see the change of
/// density to first order in time, so what acceleration adds within a step has to stay small.
const FREE_FALL_SHARE: f64 = 0.25;

/// The rule for the length of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepPolicy {
    /// Always the same.
    Fixed {
        /// Length of a step `[s]`.
        dt: f64,
    },
    /// Courant–Friedrichs–Lewy: nothing moves farther than a share of the spacing.
    Cfl {
        /// That share `[1]`.
        factor: f64,
        /// Shortest step `[s]`.
        min: f64,
        /// Longest step `[s]`.
        max: f64,
        /// Sweeps of a density solve beyond which steps become shorter, if they should.
        sweeps: Option<u32>,
    },
}

/// What limits an adaptive step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepDemand {
    /// Distance of particles `[m]`.
    pub spacing: f64,
    /// Fastest fluid particle, boundary point or nozzle, plus the speed of sound where pressure waves are resolved
    /// `[m/s]`.
    pub speed: f64,
    /// Largest known acceleration `[m/s²]`.
    pub acceleration: f64,
    /// Longest step with which the fluid's pressure does not shake it apart, or an infinite time `[s]`.
    pub stable: f64,
}

impl StepPolicy {
    /// The longest step that this motion allows `[s]`.
    #[must_use]
    pub fn limit(&self, motion: &StepDemand) -> f64 {
        match *self {
            Self::Fixed { dt } => dt,
            Self::Cfl { factor, min, max, .. } => {
                let by_speed = factor * motion.spacing / motion.speed.max(f64::MIN_POSITIVE);
                let free_fall = (motion.spacing / motion.acceleration.max(f64::MIN_POSITIVE)).sqrt();
                let by_force = FREE_FALL_SHARE * factor * free_fall;
                by_speed.min(by_force).min(motion.stable).clamp(min, max)
            }
        }
    }

    /// The longest step where nothing moves `[s]`.
    #[must_use]
    pub fn longest(&self) -> f64 {
        match *self {
            Self::Fixed { dt } => dt,
            Self::Cfl { max, .. } => max,
        }
    }

    /// Whether a step of `dt` `[s]` may be halved.
    #[must_use]
    pub fn may_halve(&self, dt: f64) -> bool {
        matches!(self, Self::Cfl { min, .. } if 0.5 * dt >= *min)
    }

    /// The same times `scale`, at most 1, as far as steps may be that short `[s]`.
    #[must_use]
    pub fn scaled_limit(&self, motion: &StepDemand, scale: f64) -> f64 {
        let limit = self.limit(motion);
        match *self {
            Self::Cfl { min, .. } if scale < 1.0 => (scale * limit).max(min),
            _ => limit,
        }
    }
}

/// Moments of simulated time that adaptive steps hit exactly, so that frames are evenly spaced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stops {
    /// Time between frames `[s]`; infinite without frames.
    pub interval: f64,
    /// End of the scene `[s]`.
    pub end: f64,
}

impl Stops {
    /// The first stop after `time` `[s]`.
    #[must_use]
    pub fn after(&self, time: f64) -> f64 {
        if !self.interval.is_finite() {
            return self.end;
        }
        // A stop that has just been reached must not be found again because of rounding.
        let next = ((time / self.interval * (1.0 + 1e-12)).floor() + 1.0) * self.interval;
        let next = if next - time < 1e-9 * self.interval { next + self.interval } else { next };
        if time < self.end { next.min(self.end) } else { next }
    }

    /// The end of a step that starts at `time` and is at most `limit` long `[s]`: the way to the next stop is divided evenly, because
    /// a change of the step's length is a disturbance.
    #[must_use]
    pub fn step_end(&self, time: f64, limit: f64) -> f64 {
        let stop = self.after(time);
        let left = stop - time;
        if left.is_infinite() {
            return time + limit;
        }
        let steps = (left / limit * (1.0 - 1e-9)).ceil();
        if steps > 1.0 { time + left / steps } else { stop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hit_every_frame_and_the_end() {
        let stops = Stops { interval: 1.0 / 30.0, end: 0.51 };
        let mut time = 0.0;
        let mut hit = vec![];
        let mut shortest = f64::INFINITY;
        while time < 0.51 {
            let end = stops.step_end(time, 0.007);
            shortest = shortest.min(end - time);
            if (end * 30.0 - (end * 30.0_f64).round()).abs() < 1e-12 {
                hit.push((end * 30.0).round() as u32);
            }
            time = end;
        }
        assert_eq!(hit, (1..=15).collect::<Vec<_>>());
        assert!((time - 0.51).abs() < f64::EPSILON);
        assert!(shortest > 0.0034);
    }

    #[test]
    fn moving_walls_forces_and_pressure_limit_the_step() {
        let policy = StepPolicy::Cfl { factor: 0.4, min: 1e-6, max: 1.0, sweeps: None };
        let limit = |speed, acceleration, stable| {
            policy.limit(&StepDemand { spacing: 0.01, speed, acceleration, stable })
        };
        assert!((limit(2.0, 0.0, f64::INFINITY) - 0.002).abs() < 1e-15);
        assert!((limit(0.0, 100.0, f64::INFINITY) - 0.001).abs() < 1e-15);
        assert!((limit(0.0, 0.0, 0.001) - 0.001).abs() < 1e-15);
    }
}
