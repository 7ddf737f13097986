//! What holds bodies besides gravity and loads, as far as it can be guessed.
//!
//! Rapier cannot be asked what a step would make of loads. So what other bodies, floors and joints do to a body is guessed: a push
//! that was there in the last two steps is expected to last, by the smaller of the two. An impact is not guessed that way, and
//! a support that gives way is believed in for one step.

use glam::DVec3;
use meniscus_core::Twist;
use serde::{Deserialize, Serialize};

/// Accelerations of a body that neither gravity nor loads explain, in the last step and the one before.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Support {
    /// Of the centre of mass `[m/s²]`.
    linear: [DVec3; 2],
    /// Of the rotation `[rad/s²]`.
    angular: [DVec3; 2],
}

impl Support {
    /// What is expected to last, as a change of motion per second.
    pub fn lasting(&self) -> Twist {
        Twist { linear: smaller(self.linear), angular: smaller(self.angular) }
    }

    /// Notes what a step has shown, as a change of motion per second.
    pub fn observe(&mut self, shown: Twist) {
        self.linear = [shown.linear, self.linear[0]];
        self.angular = [shown.angular, self.angular[0]];
    }
}

/// The shorter of two vectors, or none if they disagree about the direction.
fn smaller([a, b]: [DVec3; 2]) -> DVec3 {
    match a.dot(b) {
        dot if dot <= 0.0 => DVec3::ZERO,
        _ if a.length_squared() <= b.length_squared() => a,
        _ => b,
    }
}
