//! Rigid bodies in the pressure solve: what each room's pressure does to them, and how they answer.
//!
//! A room pushes the closed share of each face of its cell, so that pressures q give body b the impulse m Σ_i q_i K_ib with
//! K_ib = Σ_faces s (1 − a) (n, x × n), the mass m of a full cell and the sign s of the face. The body's motion changes by its
//! mobility S_b times that, and so does the flux of closed shares into the rooms: m Σ_b K_ib · S_b Σ_j K_jb q_j. Bodies and fluid are
//! solved for together, by a symmetric matrix (\[Batty2007\]). What a body receives is what the fluid loses, whatever the
//! residual.

use glam::DVec3;
use meniscus_core::{BodyId, Carriers, Loads, Twist, Wrench};

/// What a room and a body are to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Push {
    room: u32,
    body: u32,
    /// K, its moments about the origin of the scene `[1]`, `[m]`.
    along: DVec3,
    turn: DVec3,
}

/// All pairs of rooms and bodies.
#[derive(Debug, Clone, Default)]
pub struct Pushes {
    list: Vec<Push>,
    /// Mass of a full cell `[kg]`.
    mass: f64,
    /// By body: its carrier, if it answers.
    answers: Vec<Option<meniscus_core::Carrier>>,
    /// By body: Σ q K, and how its motion changes, as that of the origin of the scene.
    sum: Vec<Wrench>,
    change: Vec<Twist>,
}

impl Pushes {
    /// None, on so many bodies.
    pub(crate) fn clear(&mut self, bodies: usize, mass: f64) {
        self.list.clear();
        self.mass = mass;
        self.answers.clear();
        self.answers.resize(bodies, None);
        self.sum.resize(bodies, Wrench::default());
        self.change.resize(bodies, Twist::default());
    }

    /// A face at `x` `[m]` whose closed share belongs to a body; `area` is the share, along the face's normal out of the room.
    pub(crate) fn push(&mut self, room: u32, body: u32, x: DVec3, area: DVec3) {
        let turn = x.cross(area);
        if let Some(last) = self.list.last_mut()
            && last.room == room
            && last.body == body
        {
            last.along += area;
            last.turn += turn;
            return;
        }
        self.list.push(Push { room, body, along: area, turn });
    }

    /// Lets the carriers of bodies answer.
    pub(crate) fn answer_by(&mut self, carriers: &Carriers) {
        for (body, answer) in self.answers.iter_mut().enumerate() {
            let slot = carriers.slot(BodyId(body as u32));
            *answer = slot.map(|slot| carriers.list()[slot]).filter(|carrier| carrier.node.is_none());
        }
    }

    /// Lets a body stand still, or move on as it does, whatever pushes it.
    pub(crate) fn hold(&mut self, body: usize) {
        self.answers[body] = None;
    }

    /// How the motion of each body that answers changes by pressures q, as that of the point of the body in the scene's origin.
    fn find_change(&mut self, q: &[f64]) {
        self.sum.fill(Wrench::default());
        for push in &self.list {
            let (q, sum) = (q[push.room as usize], &mut self.sum[push.body as usize]);
            *sum += Wrench { impulse: q * push.along, angular_impulse: q * push.turn };
        }
        for ((change, sum), answer) in self.change.iter_mut().zip(&self.sum).zip(&self.answers) {
            *change = Twist::default();
            if let Some(carrier) = answer {
                let load = Wrench {
                    impulse: self.mass * sum.impulse,
                    angular_impulse: self.mass * sum.angular_impulse,
                };
                let Twist { linear, angular } = carrier.answer(&load);
                *change = Twist { linear: linear - angular.cross(carrier.centre), angular };
            }
        }
    }

    /// Adds what the answers do to the fluxes into rooms.
    pub(crate) fn add_answer(&mut self, q: &[f64], out: &mut [f64]) {
        if self.answers.iter().all(Option::is_none) {
            return;
        }
        self.find_change(q);
        for push in &self.list {
            let change = &self.change[push.body as usize];
            out[push.room as usize] += push.along.dot(change.linear) + push.turn.dot(change.angular);
        }
    }

    /// Mass of a full cell `[kg]`.
    pub(crate) fn mass(&self) -> f64 {
        self.mass
    }

    /// Gives bodies the impulses of pressures q.
    pub(crate) fn give(&mut self, q: &[f64], loads: &mut Loads) {
        self.find_change(q);
        for (wrench, sum) in loads.wrench.iter_mut().zip(&self.sum) {
            let (impulse, angular_impulse) = (self.mass * sum.impulse, self.mass * sum.angular_impulse);
            *wrench += Wrench { impulse, angular_impulse };
        }
    }

    /// How the motion of a body has changed by the last impulses given to it, as its mobility says.
    pub(crate) fn answer(&self, body: usize) -> Twist {
        let change = self.change[body];
        let centre = self.answers[body].map_or(DVec3::ZERO, |carrier| carrier.centre);
        Twist { linear: change.at(centre), angular: change.angular }
    }

    /// Whether the pressure of some rooms alone, equal in all of them, pushes any body that answers.
    pub(crate) fn moves(&mut self, equal: &[f64]) -> bool {
        if self.answers.iter().all(Option::is_none) {
            return false;
        }
        self.find_change(equal);
        let scale: f64 = 1e-6;
        self.sum
            .iter()
            .zip(&self.answers)
            .any(|(sum, answer)| answer.is_some() && sum.impulse.abs().max_element() > scale)
    }
}
