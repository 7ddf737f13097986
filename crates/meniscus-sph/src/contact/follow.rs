//! Particles make way for bodies that end elsewhere than the fluid was told.
//!
//! The last resort ([`outside`](super::outside)) puts particles onto the surface where a body would be at the end of the step. Then the body
//! meets the ground or another body, and ends a little farther on. What it has run over is put onto its surface once more. That
//! changes places only: no velocity, so that nothing is owed to the body.

use super::outside::{Closed, Projected, SURFACE_OFFSET};
use crate::fluid::{Scratch, SphFluid};
use glam::DVec3;
use meniscus_core::{Exchange, Pose, reduce};

/// A body that ends no farther than this from where it was foreseen is not asked, in spacings `[1]`.
const SLACK: f64 = 1e-6;

impl SphFluid {
    /// Puts particles out of bodies that were carried into them by what the bodies met.
    pub(crate) fn reproject_after_solids(&mut self, exchange: &Exchange<'_>) {
        let Self { setup, scratch, radius, .. } = self;
        let Scratch { position, closed, projected, .. } = scratch;
        let (dimension, spacing) = (setup.dimension, setup.fluid.spacing);
        let mut any = false;
        for (((wall, closed), motion), &radius) in
            setup.walls.iter().zip(closed.iter_mut()).zip(&exchange.interface.motion).zip(radius.iter())
        {
            let (Some(foreseen), Some(solid), Some(motion)) = (&mut *closed, &wall.solid, motion.rigid())
            else {
                continue;
            };
            if farthest(foreseen.pose(), motion.end.pose, radius) > SLACK * spacing {
                *foreseen = Closed::new(solid.at(motion.end.pose), *motion);
                foreseen.moved_since_prediction = true;
                any = true;
            }
        }
        if !any {
            return;
        }
        let closed = &*closed;
        let out = |x: DVec3| {
            let mut strayed =
                closed.iter().flatten().filter(|body| body.moved_since_prediction && body.is_around(x));
            let way = strayed.find_map(|body| body.way_out(x, dimension))?;
            let place = x + way + SURFACE_OFFSET * spacing * way.normalize_or_zero();
            // Between two bodies there may be no better place.
            let is_free = closed.iter().flatten().all(|body| body.distance(place, dimension) >= 0.0);
            is_free.then_some(place)
        };
        reduce::gather(projected, position.len(), |range, Projected { end, .. }| {
            end.clear();
            end.extend(range.filter_map(|i| Some((i, (out(position[i])?, DVec3::ZERO)))));
        });
        for &(i, (place, _)) in projected.iter().flat_map(|projected| &projected.end) {
            position[i] = place;
        }
    }
}

/// How far any place of a body of this `radius` `[m]` is in one pose from where it is in another `[m]`, at most.
fn farthest(a: Pose, b: Pose, radius: f64) -> f64 {
    a.translation.distance(b.translation) + radius * a.rotation.angle_between(b.rotation)
}
