//! Bodies that joints hold together.

use meniscus_core::BodyId;

use crate::{BodyParams, JointParams};

/// Dynamic bodies by what joins them, directly or by way of each other: each is in one list. What is joined to the scene alone, or
/// to bodies that forces do not move, is not joined by that.
pub(super) fn companies(bodies: &[BodyParams], joints: &[JointParams]) -> Vec<Vec<BodyId>> {
    let mut leader: Vec<usize> = (0..bodies.len()).collect();
    for joint in joints {
        let Some(second) = joint.second else { continue };
        let pair = [joint.first, second].map(BodyId::index);
        if pair.iter().all(|k| bodies.get(*k).is_some_and(BodyParams::is_dynamic)) {
            let [a, b] = pair.map(|k| leader_of(&mut leader, k));
            leader[a.max(b)] = a.min(b);
        }
    }
    let mut company: Vec<Vec<BodyId>> = vec![Vec::new(); bodies.len()];
    for (k, body) in bodies.iter().enumerate() {
        if body.is_dynamic() {
            company[leader_of(&mut leader, k)].push(BodyId(k as u32));
        }
    }
    company.retain(|members| !members.is_empty());
    company
}

/// The first body of the company of body `k`, so far.
fn leader_of(leader: &mut [usize], mut k: usize) -> usize {
    while leader[k] != k {
        leader[k] = leader[leader[k]];
        k = leader[k];
    }
    k
}
