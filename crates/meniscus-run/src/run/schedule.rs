//! When something is due. All of it follows from the state and the scene, so that a resumed run does what the
//! uninterrupted one would have done; only wall-clock checkpoints do not, and they change no result.

use meniscus_core::Clock;
use meniscus_scene::Scene;
use std::time::{Duration, Instant};

/// How near to a moment counts as there, as a part of the interval: fixed steps do not hit frames exactly `[1]`.
const NEAR: f64 = 1e-6;

/// Where to stop before the end of the scene.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Stop after the first step that ends at this simulated time or later `[s]`.
    pub until: Option<f64>,
    /// Stop when the run has this many steps, counted from its beginning `[1]`.
    pub steps: Option<u64>,
}

impl Limits {
    /// Whether a limit is reached.
    #[must_use]
    pub fn reached(&self, clock: &Clock) -> bool {
        self.until.is_some_and(|until| clock.time >= until)
            || self.steps.is_some_and(|steps| clock.step >= steps)
    }
}

/// Whether a scene is over.
#[must_use]
pub fn is_over(scene: &Scene, clock: &Clock) -> bool {
    clock.time >= scene.time.end * (1.0 - 1e-9)
}

/// The moments of a run.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    /// Frames a second, if frames are written at all.
    frame_rate: Option<f64>,
    series_every: u64,
    checkpoint_every: f64,
    checkpoint_wall: Option<Duration>,
    last_checkpoint: Instant,
}

impl Schedule {
    pub fn new(scene: &Scene) -> Self {
        let writes = !scene.output.formats.is_empty();
        Self {
            frame_rate: writes.then_some(scene.output.frames_per_second),
            series_every: u64::from(scene.observe.series_every.max(1)),
            checkpoint_every: scene.checkpoint.every,
            // Longer than a clock can tell is never.
            checkpoint_wall: Duration::try_from_secs_f64(scene.checkpoint.every_wall).ok(),
            last_checkpoint: Instant::now(),
        }
    }

    /// Whether the step from `before` `[s]` to now reached the time of a frame.
    pub fn frame_due(&self, before: f64, clock: &Clock) -> bool {
        let slot = |time: f64, rate: f64| (time * rate + NEAR).floor();
        self.frame_rate.is_some_and(|rate| slot(clock.time, rate) > slot(before, rate))
    }

    /// Whether frames are written, and thus one of the start.
    pub fn has_frames(&self) -> bool {
        self.frame_rate.is_some()
    }

    /// Whether this step has a row in the series.
    pub fn row_due(&self, clock: &Clock) -> bool {
        clock.step.is_multiple_of(self.series_every)
    }

    /// Whether a checkpoint is due after the step that began at `before` `[s]`.
    pub fn checkpoint_due(&self, before: f64, clock: &Clock) -> bool {
        let slot = |time: f64| (time / self.checkpoint_every + NEAR).floor();
        let by_wall = self.checkpoint_wall.is_some_and(|wall| self.last_checkpoint.elapsed() >= wall);
        by_wall || slot(clock.time) > slot(before)
    }

    /// Notes that a checkpoint was made.
    pub fn checkpoint_made(&mut self) {
        self.last_checkpoint = Instant::now();
    }
}
