//! The weight of the fluid that a body displaces.
//!
//! Gravity is not in the grid's pressure: fluid of one density at rest has nothing to do with it, whatever the shape of its cells.
//! A body receives the pressure at rest as what it adds up to, −ρ V g through the centre of its volume V, exactly; shares of
//! faces would give V to a percent, and a neutral body would not stay.

use crate::cut::GridBody;
use crate::lattice::CellLattice;
use glam::DVec3;
use meniscus_core::{Dimension, Pose};
use meniscus_geometry::{MassProperties, Side};

/// The volume of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Displaced {
    /// `[m^d]`
    volume: f64,
    /// Its centre in the body's frame `[m]`.
    centre: DVec3,
}

impl Displaced {
    /// What a body displaces; nothing if it has no volume that ends.
    #[must_use]
    pub fn by(body: &GridBody, dimension: Dimension) -> Option<Self> {
        let solid = body.solid.as_ref().filter(|solid| solid.side == Side::Solid)?;
        let (of, centre) = match dimension {
            Dimension::Two => {
                let of = MassProperties::of_section(&solid.shape, &solid.pose, 1.0).ok()?;
                (of, solid.pose.to_local(of.centre))
            }
            Dimension::Three => {
                let of = MassProperties::of_shape(&solid.shape, 1.0).ok()?;
                (of, of.centre)
            }
        };
        Some(Self { volume: of.extent, centre })
    }

    /// Of a body at this pose: the volume within the grid's box, by the share of the body's own box that is there `[m^d]`, and its
    /// centre `[m]`.
    #[must_use]
    pub fn within(&self, lattice: &CellLattice, body: &GridBody, pose: &Pose) -> (f64, DVec3) {
        let share = body.solid.as_ref().map_or(0.0, |solid| {
            let bounds = solid.at(*pose).bounds();
            let along = |axis: usize| {
                let (low, high) = (lattice.origin()[axis], lattice.end()[axis]);
                let inside = bounds.max[axis].min(high) - bounds.min[axis].max(low);
                (inside / (bounds.max[axis] - bounds.min[axis])).clamp(0.0, 1.0)
            };
            lattice.axes().map(along).product()
        });
        (share * self.volume, pose.to_world(self.centre))
    }
}
