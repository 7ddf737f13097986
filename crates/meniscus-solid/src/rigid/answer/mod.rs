//! How a body answers an impulse when joints tie it to others.
//!
//! Nothing is simulated: what the ties forbid is taken out of the answer by the impulses that forbid it. With M the mass of
//! the bodies around, N the directions of the ties and k the free answer of the body that is pushed, it is
//! k − M⁻¹ Nᵀ (N M⁻¹ Nᵀ)⁻¹ N k. That is linear in the push and symmetric, as those who solve for pressures need it.
//!
//! Contacts are not among the ties. They do not pull, and friction has a limit: a light body that seems as firm as the
//! floor below it takes up pressures that throw it when the contact opens. [`foresight`](crate::rigid::step) knows them.

mod links;
mod ties;

use glam::{DMat3, DVec3};
use meniscus_core::Mobility;

pub(crate) use links::Links;
use ties::{Tie, Ties};

use crate::rigid::RigidBodies;
use crate::rigid::body::InverseMass;
use crate::rigid::joint;

/// How many joints away a body may be that has a say in another one's answer `[1]`.
const REACH: u32 = 3;

impl RigidBodies {
    /// How a body answers.
    pub(crate) fn mobility_of(&self, body: usize) -> Mobility {
        let own = self.inverse_mass(body);
        if own.is_none() || self.links.of(body).is_empty() {
            let linear = DMat3::from_diagonal(own.mass);
            return Mobility { linear, angular: own.inertia, lever: DMat3::ZERO };
        }
        let ties = self.ties_around(body, own);
        let [a, b, c] = DVec3::AXES.map(|axis| ties.hold(own.mass * axis, DVec3::ZERO));
        let [d, e, f] = DVec3::AXES.map(|axis| ties.hold(DVec3::ZERO, own.inertia * axis));
        Mobility {
            linear: DMat3::from_cols(a.linear, b.linear, c.linear),
            angular: DMat3::from_cols(d.angular, e.angular, f.angular),
            lever: DMat3::from_cols(d.linear, e.linear, f.linear),
        }
    }

    /// The ties of a body, then those of its neighbours, and so on.
    fn ties_around(&self, body: usize, own: InverseMass) -> Ties {
        let mut ties = Ties::new(own);
        let mut around = vec![body];
        let mut known: Vec<u32> = Vec::new();
        let mut asked = 0;
        for _ in 0..REACH {
            let last = around.len();
            for n in asked..last {
                for &k in self.links.of(around[n]) {
                    if !known.contains(&k) {
                        known.push(k);
                        self.tie(k as usize, &mut around, &mut ties);
                    }
                }
            }
            asked = last;
        }
        ties
    }

    fn tie(&self, k: usize, around: &mut Vec<usize>, ties: &mut Ties) {
        let frame = &self.joint[k];
        let place = frame.body.map(|b| b.and_then(|b| self.place(b as usize, around, ties)));
        for (linear, angular) in joint::holding(frame, &self.state.body, self.state.memory.joint(k)) {
            ties.add(Tie { place, linear, angular });
        }
    }

    /// The place of a body among those around. What nothing moves has none and hands nothing on.
    fn place(&self, body: usize, around: &mut Vec<usize>, ties: &mut Ties) -> Option<usize> {
        if let Some(place) = around.iter().position(|b| *b == body) {
            return Some(place);
        }
        let mobility = self.inverse_mass(body);
        (!mobility.is_none()).then(|| {
            around.push(body);
            ties.add_body(mobility)
        })
    }
}
