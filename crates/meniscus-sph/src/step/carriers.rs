//! Dynamic solids within a step.
//!
//! The step's impulses on a solid add up as the step goes on. What they have changed of its motion so far, the fluid must see at
//! once: in the sweeps by [`CarrierLinks`](meniscus_core::CarrierLinks), between the parts of the step by the velocities of the
//! interface's points. The solids get all impulses together at the end and have the last word.

use crate::fluid::SphFluid;
use crate::neighbourhood::WALL_PRESSURE;
use glam::Vec3;
use meniscus_core::{Exchange, PointRow, SolidMotion, StepContext, Twist};

impl SphFluid {
    /// Finds what answers and the particles that feel it.
    pub(crate) fn find_carriers(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let Self { carriers, links, shown, neighbourhood, points, state, setup, .. } = self;
        carriers.find(exchange.solids);
        let (rows, position) = (&neighbourhood.boundary, &state.particles.position);
        links.find(carriers, points, position.len(), WALL_PRESSURE, |i, each| {
            let x = position[i];
            for sample in rows.row(i) {
                let push = Vec3::from(sample.push);
                let k = sample.point as usize;
                if push == Vec3::ZERO || carriers.slot(points.body[k]).is_none() {
                    continue;
                }
                let point = points.get(k);
                each(PointRow {
                    point: sample.point,
                    push,
                    place: rows.reaction_place(&point, x),
                    fall: step.gravity.dot(point.position - x) as f32,
                });
            }
        });
        let gradient = &mut neighbourhood.gradient;
        links.stiffen(carriers, setup.fluid.mass(), |i, bound| gradient[i][3] += bound);
        shown.clear();
        shown.resize(carriers.list().len(), Twist::default());
        self.falling = false;
    }

    /// Shows the fluid how solids move under the impulses so far.
    pub(crate) fn update_interface_velocities(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let Self { carriers, links, shown, neighbourhood, points, contacts, scratch, falling, .. } = self;
        if carriers.is_empty() {
            return;
        }
        let Exchange { interface, response, solids } = exchange;
        response.update(*solids, &interface.load);
        let [now, change] = &mut scratch.twist;
        response.changes(carriers, *falling, now);
        change.clear();
        change.extend(now.iter().zip(&*shown).map(|(now, shown)| *now - *shown));
        shown.clone_from(now);
        for ((carrier, shown), change) in carriers.list().iter().zip(&*shown).zip(&*change) {
            match &mut interface.motion[carrier.body.index()] {
                SolidMotion::Rigid(motion) => {
                    motion.end = motion.start.changed(shown, carrier.centre).after(step.dt);
                }
                SolidMotion::Deforming(motion) => {
                    if let Some(velocity) =
                        carrier.node.and_then(|node| motion.surface.velocity.get_mut(node as usize))
                    {
                        *velocity += change.linear;
                    }
                }
            }
        }
        for k in 0..points.len() {
            if let Some(change) = carriers.velocity_change(points, k, change) {
                points.velocity[k] += change;
            }
        }
        links.change_flux(change, |i, rate| neighbourhood.boundary.sum[i].flux += rate);
        contacts.move_walls(change);
    }
}
