//! Impulses of the last substep, from which the next one starts.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::contact::Pair;
use crate::contact::sweep::Island;

/// What contacts and joints exchanged in the last substep.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Length of that substep `[s]`.
    dt: f64,
    /// By bodies, in ascending order.
    pair: Vec<PairMemory>,
    /// Impulses of the rows of each joint `[N s]` or `[N m s]`.
    joint: Vec<Vec<f64>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PairMemory {
    body: [u32; 2],
    /// By feature `[N s]`.
    impulse: Vec<(u32, DVec3)>,
}

impl Memory {
    /// Whether it can be of so many bodies and joints.
    pub fn fits(&self, bodies: usize, joints: usize) -> bool {
        self.dt.is_finite()
            && self.pair.iter().all(|p| p.body.iter().all(|b| (*b as usize) < bodies))
            && self.pair.iter().flat_map(|p| &p.impulse).all(|i| i.1.is_finite())
            && (self.joint.is_empty() || self.joint.len() == joints)
            && self.joint.iter().flatten().all(|i| i.is_finite())
    }

    /// What a step of length `dt` `[s]` should multiply remembered impulses with `[1]`.
    pub fn scale(&self, dt: f64) -> f64 {
        if self.dt > 0.0 { (dt / self.dt).min(10.0) } else { 0.0 }
    }

    /// Gives the points of a pair the impulses that they had.
    pub fn recall(&self, pair: &mut Pair, scale: f64) {
        let Ok(k) = self.pair.binary_search_by_key(&pair.body, |p| p.body) else { return };
        for point in &mut pair.point {
            let known = self.pair[k].impulse.iter().find(|i| i.0 == point.feature);
            point.impulse = known.map_or(DVec3::ZERO, |i| scale * i.1);
        }
    }

    /// What a joint had.
    pub fn joint(&self, joint: usize) -> &[f64] {
        self.joint.get(joint).map_or(&[], Vec::as_slice)
    }

    /// Remembers what islands exchanged in a step of length `dt` `[s]`; there are `joints` joints.
    pub fn keep(&mut self, islands: &[Island], joints: usize, dt: f64) {
        self.dt = dt;
        self.pair.clear();
        self.joint.resize(joints, Vec::new());
        for island in islands {
            let mut impulses = island.remember.iter();
            for pair in &island.pair {
                let body = pair.body.map(|b| island.body[b as usize]);
                let known = pair.point.iter().zip(impulses.by_ref());
                let impulse: Vec<(u32, DVec3)> =
                    known.filter(|(_, i)| **i != DVec3::ZERO).map(|(p, i)| (p.feature, *i)).collect();
                if !impulse.is_empty() {
                    self.pair.push(PairMemory { body, impulse });
                }
            }
            for (rows, index) in island.joint.iter().zip(&island.joint_index) {
                self.joint[*index as usize] = rows.impulses().collect();
            }
        }
        self.pair.sort_unstable_by_key(|p| p.body);
    }
}
