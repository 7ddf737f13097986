//! Mobility: the change of a body's motion per impulse, when joints hold it to others.
//!
//! Nothing is simulated: what the joints' constraints forbid is taken out by the impulses that forbid it. With M the mass of
//! the bodies around, N the directions of the constraints and k the change of the pushed body's motion without them, it is
//! k − M⁻¹ Nᵀ (N M⁻¹ Nᵀ)⁻¹ N k. That is linear in the impulse and symmetric, as those who solve for pressures need it.
//!
//! Contacts are not among the constraints. They do not pull, and friction has a limit: a light body that seems as firm as the
//! floor below it takes up pressures that throw it when the contact opens. A [`Prediction`](crate::rigid::step::Prediction)
//! knows them.

mod constraints;

use glam::{DMat3, DVec3};
use meniscus_core::Mobility;

use constraints::{Constraint, Constraints};

use crate::rigid::RigidBodies;
use crate::rigid::body::InverseMass;
use crate::rigid::joint::{self, JointFrame};

/// How many joints away a body may be that has a say in another one's mobility `[1]`.
const MAX_JOINTS_AWAY: u32 = 3;

impl RigidBodies {
    /// The mobility of a body.
    pub(crate) fn mobility_of(&self, body: usize) -> Mobility {
        let own = self.inverse_mass(body);
        if own.is_none() || self.adjacency.of(body).is_empty() {
            let linear = DMat3::from_diagonal(own.mass);
            return Mobility { linear, angular: own.inertia, lever: DMat3::ZERO };
        }
        let constraints = self.constraints_around(body, own);
        let [a, b, c] = DVec3::AXES.map(|axis| constraints.project(own.mass * axis, DVec3::ZERO));
        let [d, e, f] = DVec3::AXES.map(|axis| constraints.project(DVec3::ZERO, own.inertia * axis));
        Mobility {
            linear: DMat3::from_cols(a.linear, b.linear, c.linear),
            angular: DMat3::from_cols(d.angular, e.angular, f.angular),
            lever: DMat3::from_cols(d.linear, e.linear, f.linear),
        }
    }

    /// The constraints of a body, then those of its neighbours, and so on.
    fn constraints_around(&self, body: usize, own: InverseMass) -> Constraints {
        let mut constraints = Constraints::new(own);
        let mut around = vec![body];
        let mut known: Vec<u32> = Vec::new();
        let mut visited = 0;
        for _ in 0..MAX_JOINTS_AWAY {
            let last = around.len();
            for n in visited..last {
                for &k in self.adjacency.of(around[n]) {
                    if !known.contains(&k) {
                        known.push(k);
                        self.add_constraints(k as usize, &mut around, &mut constraints);
                    }
                }
            }
            visited = last;
        }
        constraints
    }

    fn add_constraints(&self, k: usize, around: &mut Vec<usize>, constraints: &mut Constraints) {
        let frame = &self.joint[k];
        let place = frame.body.map(|b| b.and_then(|b| self.place(b as usize, around, constraints)));
        for (linear, angular) in
            joint::holding_rows(frame, &self.state.body, self.state.contact_cache.joint(k))
        {
            constraints.add(Constraint { place, linear, angular });
        }
    }

    /// The place of a body among those around. One that is not dynamic has none and hands nothing on.
    fn place(&self, body: usize, around: &mut Vec<usize>, constraints: &mut Constraints) -> Option<usize> {
        if let Some(place) = around.iter().position(|b| *b == body) {
            return Some(place);
        }
        let mobility = self.inverse_mass(body);
        (!mobility.is_none()).then(|| {
            around.push(body);
            constraints.add_body(mobility)
        })
    }
}

/// The joints of each body, found without a look at all joints.
#[derive(Debug)]
pub(crate) struct JointAdjacency {
    /// Where the list of each body starts, and the end of the last.
    start: Vec<u32>,
    joint: Vec<u32>,
}

impl JointAdjacency {
    /// Those of so many bodies.
    pub fn new(bodies: usize, joints: &[JointFrame]) -> Self {
        let mut ends: Vec<[u32; 2]> = (0..)
            .zip(joints)
            .flat_map(|(k, joint)| joint.body.into_iter().flatten().map(move |body| [body, k]))
            .collect();
        ends.sort_unstable();
        let start =
            (0..=bodies as u32).map(|body| ends.partition_point(|end| end[0] < body) as u32).collect();
        Self { start, joint: ends.into_iter().map(|[_, joint]| joint).collect() }
    }

    /// Those of a body, in ascending order.
    pub fn of(&self, body: usize) -> &[u32] {
        &self.joint[self.start[body] as usize..self.start[body + 1] as usize]
    }
}
