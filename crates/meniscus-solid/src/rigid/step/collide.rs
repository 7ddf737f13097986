//! Collisions of a substep.

use super::substep_state::SubstepState;
use crate::rigid::RigidBodies;
use crate::rigid::contact::{ContactPair, collision};
use crate::rigid::detect::proximity::ProximityCache;
use meniscus_core::SolidReport;

/// Searches for collisions in a substep, the later ones for bodies that collisions made faster `[1]`.
const SEARCHES: u32 = 2;

impl RigidBodies {
    /// Collisions, a few times over all pairs (\[Guendelman2006\] Sec. 2.6).
    pub(super) fn collide(
        &self,
        substep: &mut SubstepState,
        pairs: &mut Vec<ContactPair>,
        report: &mut SolidReport,
    ) {
        let rank = self.rank();
        let mut foreseen: Vec<f64> = (0..self.body.len()).map(|k| self.travel(substep, k)).collect();
        for _ in 0..SEARCHES {
            let mut order: Vec<usize> = (0..pairs.len()).filter(|k| pairs[*k].restitution > 0.0).collect();
            order.sort_by_key(|k| {
                let [a, b] = pairs[*k].body.map(|b| rank[b as usize]);
                (a.min(b), a.max(b))
            });
            for _ in 0..self.params.collision_iterations {
                let SubstepState { twist, kick, mobility, dt } = substep;
                let slow = 2.0 * self.params.gravity.length() * *dt;
                let bounce = |k: &usize| collision::bounce(&mut pairs[*k], twist, kick, mobility, *dt, slow);
                let bounces = order.iter().map(bounce).filter(|b| *b).count() as u32;
                report.bounces += bounces;
                if bounces == 0 {
                    break;
                }
            }
            if !self.find_contacts_of_fast_bodies(substep, pairs, &mut foreseen) {
                return;
            }
        }
    }

    /// Bodies that became faster than the search expected may reach others: looks for contacts of those alone. Whether there
    /// were any.
    fn find_contacts_of_fast_bodies(
        &self,
        substep: &SubstepState,
        pairs: &mut Vec<ContactPair>,
        foreseen: &mut [f64],
    ) -> bool {
        let near = self.near(substep.dt);
        let mut fast = vec![false; self.body.len()];
        for (k, foreseen) in foreseen.iter_mut().enumerate() {
            let travel = self.travel(substep, k);
            if travel > *foreseen + near {
                (*foreseen, fast[k]) = (travel, true);
            }
        }
        if !fast.contains(&true) {
            return false;
        }
        let concerned = |body: &[u32; 2]| body.iter().any(|b| fast[*b as usize]);
        let mut again = self.candidates(substep);
        again.retain(concerned);
        pairs.retain(|p| !concerned(&p.body));
        pairs.extend(self.find_contacts(substep, &again, &mut ProximityCache::default()));
        pairs.sort_unstable_by_key(|p| p.body);
        true
    }

    /// Ranks of bodies in the shuffled order.
    fn rank(&self) -> Vec<u32> {
        let mut rank = vec![0; self.body.len()];
        for (place, body) in self.state.order.iter().enumerate() {
            rank[*body as usize] = place as u32;
        }
        rank
    }

    /// Swaps a few bodies of the order (\[Guendelman2006\] Sec. 2.6).
    pub(super) fn shuffle(&mut self) {
        let count = self.state.order.len() as u64;
        for _ in 0..count / 4 {
            let mut draw = || {
                // xorshift64
                let mut r = self.state.random;
                r ^= r << 13;
                r ^= r >> 7;
                r ^= r << 17;
                self.state.random = r;
                (r % count) as usize
            };
            let (a, b) = (draw(), draw());
            self.state.order.swap(a, b);
        }
    }
}
