//! The contact graph of a substep.

use super::substep_state::SubstepState;
use crate::rigid::RigidBodies;
use crate::rigid::body::InverseMass;
use crate::rigid::contact::graph;
use crate::rigid::contact::{ContactPair, ContactPoint};
use crate::rigid::joint::JointFrame;
use meniscus_core::Twist;

impl RigidBodies {
    /// Levels of bodies and pairs (\[Guendelman2006\] Sec. 2.8.1). Jointed bodies share theirs.
    pub(super) fn levels(
        substep: &SubstepState,
        pairs: &mut [ContactPair],
        joints: &[JointFrame],
    ) -> Vec<u32> {
        let immovable: Vec<bool> = substep.mobility.iter().map(InverseMass::is_none).collect();
        let mut edges = Vec::with_capacity(2 * pairs.len());
        for pair in &*pairs {
            let [a, b] = pair.body.map(|k| k as usize);
            let rests = |upper: usize| {
                let moved = |k: usize, own: usize| {
                    let (t, kick) = (substep.twist[k], substep.kick[k]);
                    if own == upper {
                        Twist { linear: t.linear + kick.linear, angular: t.angular + kick.angular }
                    } else {
                        t
                    }
                };
                let (first, second) = (moved(a, 0), moved(b, 1));
                let sinks = |p: &ContactPoint| {
                    p.gap + substep.dt * p.relative([&first, &second]).dot(p.normal) < -1e-12
                };
                pair.point.iter().any(sinks)
            };
            if !immovable[a] && rests(0) {
                edges.push([pair.body[1], pair.body[0]]);
            }
            if !immovable[b] && rests(1) {
                edges.push([pair.body[0], pair.body[1]]);
            }
        }
        let scene = immovable.len() - 1;
        for [a, b] in joints.iter().map(|j| j.body.map(|b| b.map_or(scene, |b| b as usize))) {
            for [lower, upper] in [[a, b], [b, a]] {
                if !immovable[upper] {
                    edges.push([lower as u32, upper as u32]);
                }
            }
        }
        let level = graph::levels(&immovable, &edges);
        for pair in pairs {
            pair.level = pair.body.iter().map(|b| level[*b as usize]).max().unwrap_or(0);
        }
        level
    }
}
