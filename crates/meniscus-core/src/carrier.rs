//! Carriers: what interface points are fixed to and what answers impulses on them.
//!
//! A dynamic rigid body is one carrier with six coordinates, a node of a deformable body one with three. So whoever looks for
//! pressures and motions together handles both alike.

use crate::{Anchor, BodyId, InterfacePoints, Loads, Mobility, MotionChange, Solids, Twist, Wrench};
use glam::DVec3;

/// One carrier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carrier {
    /// Of which body.
    pub body: BodyId,
    /// Which of its nodes; nothing if it is a rigid body as a whole.
    pub node: Option<u32>,
    /// Its centre of mass `[m]`.
    pub centre: DVec3,
    /// How its motion changes by impulses.
    pub mobility: Mobility,
}

impl Carrier {
    /// Its answer to a load.
    #[must_use]
    pub fn answer(&self, load: &Wrench) -> Twist {
        self.mobility.respond(load.impulse, load.about(self.centre))
    }
}

/// All carriers of a step.
#[derive(Debug, Clone, Default)]
pub struct Carriers {
    list: Vec<Carrier>,
    /// By body: its first carrier, or [`Carriers::NONE`].
    first: Vec<u32>,
}

impl Carriers {
    const NONE: u32 = u32::MAX;

    /// Finds those of the solids as they are now.
    pub fn find(&mut self, solids: &dyn Solids) {
        self.list.clear();
        self.first.clear();
        for body in 0..solids.count() as u32 {
            let first = self.list.len();
            solids.carriers(BodyId(body), &mut self.list);
            self.first.push(if self.list.len() > first { first as u32 } else { Self::NONE });
        }
    }

    /// These carriers and no others, of rigid bodies.
    #[must_use]
    pub fn of(list: Vec<Carrier>) -> Self {
        let bodies = list.iter().map(|carrier| carrier.body.index() + 1).max().unwrap_or(0);
        let mut first = vec![Self::NONE; bodies];
        for (slot, carrier) in (0..).zip(&list) {
            first[carrier.body.index()] = slot;
        }
        Self { list, first }
    }

    /// All of them.
    #[must_use]
    pub fn list(&self) -> &[Carrier] {
        &self.list
    }

    /// Whether nothing answers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The first carrier of a body, if it has any: of a rigid body the only one.
    #[inline]
    #[must_use]
    pub fn slot(&self, body: BodyId) -> Option<usize> {
        self.first.get(body.index()).filter(|&&slot| slot != Self::NONE).map(|&slot| slot as usize)
    }

    /// How the velocity of point `k` changes when the motions of carriers change by `change`, one for each `[m/s]`; nothing if
    /// nothing carries it.
    #[must_use]
    pub fn velocity_change(&self, points: &InterfacePoints, k: usize, change: &[Twist]) -> Option<DVec3> {
        let first = self.slot(points.body[k])?;
        Some(match points.anchor(k) {
            Some(Anchor::Nodes { node, weight }) => {
                let of_node = |(n, w): (&u32, &f64)| *w * change[first + *n as usize].linear;
                node.iter().zip(weight).map(of_node).sum()
            }
            _ => change[first].at(points.position[k] - self.list[first].centre),
        })
    }

    /// What a change of all solids' motions is for each carrier.
    pub fn pick(&self, change: &MotionChange, out: &mut Vec<Twist>) {
        out.clear();
        out.extend(self.list.iter().map(|carrier| match carrier.node {
            None => change.twist[carrier.body.index()],
            Some(node) => {
                let linear = change.node[carrier.body.index()][node as usize];
                Twist { linear, angular: DVec3::ZERO }
            }
        }));
    }

    /// Adds an impulse `[N s]` and an angular impulse about the centre `[N m s]` on each carrier to the loads of solids.
    pub fn add_loads(&self, pushed: &[(DVec3, DVec3)], loads: &mut Loads) {
        for (carrier, &(impulse, turn)) in self.list.iter().zip(pushed) {
            let angular_impulse = turn + carrier.centre.cross(impulse);
            loads.wrench[carrier.body.index()] += Wrench { impulse, angular_impulse };
            if let Some(node) = carrier.node {
                loads.node[carrier.body.index()][node as usize] += impulse;
            }
        }
    }
}
