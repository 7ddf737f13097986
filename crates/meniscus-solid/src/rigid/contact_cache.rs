//! Impulses of the last substep, with which the next one is warm-started.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::rigid::contact::sweep::Island;
use crate::rigid::contact::{ContactPair, ContactPoint};
use crate::rigid::detect::narrow::MAX_POINTS;

/// How near a new point must be to take over, as a share of the square of its arm `[1]`.
const MAX_TAKEOVER_DISTANCE: f64 = 0.04;

/// What contacts and joints exchanged in the last substep.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContactCache {
    /// Length of that substep `[s]`.
    dt: f64,
    /// By bodies, in ascending order.
    pair: Vec<CachedPair>,
    /// Impulses of the rows of each joint `[N s]` or `[N m s]`.
    joint: Vec<Vec<f64>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CachedPair {
    body: [u32; 2],
    point: Vec<CachedPoint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct CachedPoint {
    feature: u32,
    /// From the centre of the first body `[m]`.
    arm: DVec3,
    /// Impulse on the first body `[N s]`.
    impulse: DVec3,
}

impl ContactCache {
    /// Whether it can be of so many bodies and joints.
    pub fn fits(&self, bodies: usize, joints: usize) -> bool {
        self.dt.is_finite()
            && self.pair.iter().all(|p| p.body.iter().all(|b| (*b as usize) < bodies))
            && self.pair.iter().flat_map(|p| &p.point).all(|p| p.impulse.is_finite() && p.arm.is_finite())
            && (self.joint.is_empty() || self.joint.len() == joints)
            && self.joint.iter().flatten().all(|i| i.is_finite())
    }

    /// What a step of length `dt` `[s]` should multiply cached impulses with `[1]`.
    pub fn scale(&self, dt: f64) -> f64 {
        if self.dt > 0.0 { (dt / self.dt).min(10.0) } else { 0.0 }
    }

    /// Warm-starts the points of a pair with the impulses that they had. What is left of others goes to the nearest new point, so that
    /// a load is not lost when another corner of the same contact reports it.
    pub fn warm_start(&self, pair: &mut ContactPair, scale: f64) {
        let Ok(k) = self.pair.binary_search_by_key(&pair.body, |p| p.body) else { return };
        let known = &self.pair[k].point;
        let mut fresh = [true; MAX_POINTS];
        let mut taken = [false; MAX_POINTS];
        for (point, fresh) in pair.point.iter_mut().zip(&mut fresh) {
            let same = known.iter().zip(&mut taken).find(|(old, _)| old.feature == point.feature);
            if let Some((old, taken)) = same {
                point.impulse = scale * old.impulse;
                (*fresh, *taken) = (false, true);
            }
        }
        for (old, _) in known.iter().zip(&taken).filter(|(_, taken)| !**taken) {
            let distance = |p: &ContactPoint| p.arm[0].distance_squared(old.arm);
            let new = pair.point.iter_mut().zip(&fresh).filter(|(_, fresh)| **fresh).map(|(p, _)| p);
            let nearest = new.min_by(|a, b| distance(a).total_cmp(&distance(b)));
            if let Some(point) =
                nearest.filter(|p| distance(p) < MAX_TAKEOVER_DISTANCE * p.arm[0].length_squared())
            {
                point.impulse += scale * old.impulse;
            }
        }
    }

    /// What a joint had.
    pub fn joint(&self, joint: usize) -> &[f64] {
        self.joint.get(joint).map_or(&[], Vec::as_slice)
    }

    /// Stores what a joint had; there are `joints` of them.
    pub fn store_joint(&mut self, joint: usize, joints: usize, impulses: Vec<f64>) {
        self.joint.resize(joints, Vec::new());
        if let Some(own) = self.joint.get_mut(joint) {
            *own = impulses;
        }
    }

    /// Stores what contacts of islands exchanged in a step of length `dt` `[s]`.
    pub fn store(&mut self, islands: &[Island], dt: f64) {
        self.dt = dt;
        self.pair.clear();
        for island in islands {
            let mut impulses = island.impulse.iter();
            for pair in &island.pair {
                let body = pair.body.map(|b| island.body[b as usize]);
                let point: Vec<CachedPoint> = pair
                    .point
                    .iter()
                    .zip(impulses.by_ref())
                    .filter(|(_, i)| **i != DVec3::ZERO)
                    .map(|(p, i)| CachedPoint { feature: p.feature, arm: p.arm[0], impulse: *i })
                    .collect();
                if !point.is_empty() {
                    self.pair.push(CachedPair { body, point });
                }
            }
        }
        self.pair.sort_unstable_by_key(|p| p.body);
    }
}
