//! Who might touch whom, and where.

use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_geometry::Aabb;
use rayon::prelude::*;

use super::substep_state::SubstepState;
use crate::BodyParams;
use crate::rigid::RigidBodies;
use crate::rigid::contact::{ContactPair, ContactPoint};
use crate::rigid::detect::broad::{self, BroadPhaseBody};
use crate::rigid::detect::narrow::{self, PlacedBody, Scratch, SearchRange};
use crate::rigid::detect::proximity::{PairProximity, ProximityCache};

/// Distance that always counts as near, as a share of the thinner body's half thickness `[1]`.
const NEAR_SHARE: f64 = 0.01;
/// How far lists of what is near reach beyond what counts, as a share of the thinner body's half thickness `[1]`.
const MARGIN_SHARE: f64 = 0.05;
/// Pairs that a thread takes at a time `[1]`.
const PAIRS_PER_TASK: usize = 16;

impl RigidBodies {
    pub(super) fn candidates(&self, substep: &SubstepState) -> Vec<[u32; 2]> {
        let near = self.near(substep.dt);
        let bounded: Vec<BroadPhaseBody> = (0..self.body.len())
            .map(|k| BroadPhaseBody {
                bounds: self.bounds(k, self.travel(substep, k) + near + self.near_share(k)),
                dynamic: self.is_dynamic(k),
            })
            .collect();
        let mut pairs = broad::pairs(&bounded);
        pairs.retain(|p| {
            self.excluded_pairs.binary_search(p).is_err() && p.iter().all(|b| self.is_there(*b as usize))
        });
        pairs
    }

    /// Those of the candidates that touch or may touch during the substep.
    pub(super) fn find_contacts(
        &self,
        substep: &SubstepState,
        candidates: &[[u32; 2]],
        proximity: &mut ProximityCache,
    ) -> Vec<ContactPair> {
        proximity.keep(candidates);
        proximity
            .pair
            .par_iter_mut()
            .with_min_len(PAIRS_PER_TASK)
            .map_init(Scratch::default, |scratch, (pair, near)| {
                self.find_contact(substep, *pair, near, scratch)
            })
            .flatten_iter()
            .collect()
    }

    fn find_contact(
        &self,
        substep: &SubstepState,
        pair: [u32; 2],
        near: &mut PairProximity,
        scratch: &mut Scratch,
    ) -> Option<ContactPair> {
        let index = pair.map(|k| k as usize);
        let [a, b] = index.map(|k| self.placed(substep, k));
        let travel = self.relative_travel(substep, index[0], index[1]);
        let thickness = [a, b].map(|p| p.shape.half_thickness).into_iter().filter(|t| *t > 0.0);
        let thinner = thickness.filter(|t| t.is_finite()).fold(f64::INFINITY, f64::min);
        // A shell at a wall: neither has a thickness.
        let thinner = if thinner.is_finite() { thinner } else { 0.0 };
        let near_enough = self.near(substep.dt) + NEAR_SHARE * thinner;
        let reach = SearchRange { dt: substep.dt, travel, near: near_enough, margin: MARGIN_SHARE * thinner };
        let touches = narrow::manifold(&a, &b, reach, near, scratch);
        if touches.is_empty() {
            return None;
        }
        let centre = [a.centre, b.centre];
        let mobility = index.map(|k| &substep.mobility[k]);
        let flat = self.params.dimension == Dimension::Two;
        let point: Vec<ContactPoint> = touches
            .into_iter()
            .filter_map(|mut t| {
                if flat {
                    t.normal = DVec3::new(t.normal.x, t.normal.y, 0.0).try_normalize()?;
                }
                Some(ContactPoint::new(&t, centre, mobility))
            })
            .collect();
        let [m, n] = index.map(|k| &self.body[k].material);
        let mut found = ContactPair {
            body: pair,
            // [Guendelman2006] Secs. 2.6, 2.7: the least restitution, the largest friction
            restitution: m.restitution.min(n.restitution),
            friction: m.friction.max(n.friction),
            rolling: m.rolling.max(n.rolling),
            spinning: m.spinning.max(n.spinning),
            point,
            level: 0,
        };
        if self.params.contact_sweeps > 0 {
            self.state.contact_cache.warm_start(&mut found, self.state.contact_cache.scale(substep.dt));
        }
        (!found.point.is_empty()).then_some(found)
    }

    fn placed(&self, substep: &SubstepState, body: usize) -> PlacedBody<'_> {
        let (params, state): (&BodyParams, _) = (&self.body[body], &self.state.body[body]);
        PlacedBody {
            shape: &params.shape,
            pose: state.pose(params.centre()),
            centre: state.position,
            velocity: substep.twist[body].linear + substep.kick[body].linear,
            angular_velocity: substep.twist[body].angular + substep.kick[body].angular,
        }
    }

    /// The box around a body, enlarged by `by` `[m]`.
    pub(super) fn bounds(&self, body: usize, by: f64) -> Aabb {
        let (params, state) = (&self.body[body], &self.state.body[body]);
        if params.shape.is_wall() {
            return Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        }
        let local = params.shape.bounds;
        let pose = state.pose(params.centre());
        let turn = glam::DMat3::from_quat(pose.rotation).abs();
        Aabb::around(pose.to_world(local.centre()), turn * (0.5 * local.size()) + by)
    }

    /// Distance that counts as near without any motion: what gravity alone could close, and a little more `[m]`.
    pub(super) fn near(&self, dt: f64) -> f64 {
        2.0 * self.params.gravity.length() * dt * dt
    }

    /// A share of a body's thickness within which others count as near `[m]`.
    fn near_share(&self, body: usize) -> f64 {
        let thickness = self.body[body].shape.half_thickness;
        if thickness.is_finite() { NEAR_SHARE * thickness } else { 0.0 }
    }
}
