//! Pins: nodes that are held, or moved, until they are let go.

use crate::script::PrescribedMotion;
use glam::DVec3;
use meniscus_core::Pose;

/// Which nodes a pin holds.
#[derive(Debug, Clone, PartialEq)]
pub enum PinPlace {
    /// Those with these numbers.
    Nodes(Vec<u32>),
    /// Those that are in a box at the start `[m]`.
    Box {
        /// Its smallest coordinates `[m]`.
        min: DVec3,
        /// Its largest coordinates `[m]`.
        max: DVec3,
    },
}

/// Nodes that are held.
#[derive(Debug, Clone, PartialEq)]
pub struct Pin {
    /// Which ones.
    pub place: PinPlace,
    /// Which of their coordinates.
    pub axes: [bool; 3],
    /// How they are moved, from where they are at the start.
    pub motion: PrescribedMotion,
    /// When they are let go `[s]`.
    pub until: f64,
}

impl Pin {
    /// Holds all coordinates of these nodes for ever.
    #[must_use]
    pub fn fixed(place: PinPlace) -> Self {
        Self { place, axes: [true; 3], motion: PrescribedMotion::Still, until: f64::INFINITY }
    }

    /// Where a node that starts at `x` is at a time `[m]`.
    pub(super) fn target(&self, x: DVec3, time: f64) -> DVec3 {
        let pose = |t| self.motion.at(&Pose::IDENTITY, t).pose;
        pose(time).to_world(pose(0.0).to_local(x))
    }

    pub(super) fn nodes(&self, start: &[DVec3]) -> Vec<u32> {
        match &self.place {
            PinPlace::Nodes(nodes) => nodes.clone(),
            PinPlace::Box { min, max } => {
                let inside = |x: &DVec3| x.cmpge(*min).all() && x.cmple(*max).all();
                (0..).zip(start).filter(|(_, x)| inside(x)).map(|(n, _)| n).collect()
            }
        }
    }
}
