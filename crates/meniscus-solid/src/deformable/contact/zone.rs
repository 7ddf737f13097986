//! Rigid impact zones: what still collides moves as one rigid body \[Bridson2002\] Sec. 7.5, which keeps momentum and
//! angular momentum.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};
use meniscus_geometry::collision::Pair;

use super::ContactError;
use super::carrier::Carriers;

/// How far a held vertex may be from where its zone takes it, in parts of the separation `[1]`.
const HELD_TOLERANCE: f64 = 1e-3;
/// Iterations for the turn of a zone `[1]`.
const TURNS: u32 = 100;

/// Which vertices and bodies move together. Vertices have the numbers of the surface, bodies follow them.
#[derive(Debug, Clone, Default)]
pub(super) struct Zones {
    parent: Vec<u32>,
    vertices: u32,
    /// By vertex: the number of its zone, or `u32::MAX`; up to date after [`Zones::settle`].
    pub of: Vec<u32>,
    /// Zones and what they have, by number.
    member: BTreeMap<u32, Vec<u32>>,
}

impl Zones {
    pub fn clear(&mut self, vertices: usize, bodies: usize) {
        self.vertices = vertices as u32;
        self.parent.clear();
        self.parent.extend(0..(vertices + bodies) as u32);
        self.of.clear();
        self.of.resize(vertices, u32::MAX);
        self.member.clear();
    }

    /// How many zones there are, and how many vertices and bodies in them.
    pub fn count(&self) -> (usize, usize) {
        (self.member.len(), self.member.values().map(Vec::len).sum())
    }

    fn root(&mut self, mut of: u32) -> u32 {
        while self.parent[of as usize] != of {
            let above = self.parent[self.parent[of as usize] as usize];
            self.parent[of as usize] = above;
            of = above;
        }
        of
    }

    /// Puts the vertices of a pair, or the bodies to which they belong, into one zone.
    pub fn join(&mut self, carriers: &Carriers<'_>, pair: &Pair) {
        let name = |v: u32| carriers.body(v).map_or(v, |body| self.vertices + body as u32);
        let names = pair.vertex.map(name);
        for other in &names[1..] {
            let (a, b) = (self.root(names[0]), self.root(*other));
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }

    /// Lists what is in which zone.
    pub fn settle(&mut self, carriers: &Carriers<'_>) {
        self.member.clear();
        for i in 0..self.parent.len() as u32 {
            let root = self.root(i);
            if root != i {
                self.member.entry(root).or_insert_with(|| vec![root]).push(i);
            }
        }
        self.of.fill(u32::MAX);
        for v in 0..self.vertices {
            let name = carriers.body(v).map_or(v, |body| self.vertices + body as u32);
            let root = self.root(name);
            if self.member.contains_key(&root) {
                self.of[v as usize] = root;
            }
        }
    }

    /// Gives every zone one rigid motion.
    pub fn carry(&self, carriers: &mut Carriers<'_>, separation: f64) -> Result<(), ContactError> {
        for member in self.member.values() {
            let zone = Zone { member, vertices: self.vertices };
            let motion = match zone.prescribed(carriers) {
                Some(motion) => {
                    zone.require_held_to_follow(carriers, &motion, separation)?;
                    motion
                }
                None => zone.free_motion(carriers)?,
            };
            zone.apply(carriers, &motion);
        }
        Ok(())
    }
}

/// A turn about a point, and where the point goes.
struct Motion {
    from: DVec3,
    to: DVec3,
    turn: DQuat,
}

impl Motion {
    fn carry(&self, x: DVec3) -> DVec3 {
        self.to + self.turn * (x - self.from)
    }
}

struct Zone<'a> {
    member: &'a [u32],
    vertices: u32,
}

impl Zone<'_> {
    fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.member.iter().filter(|&&m| m >= self.vertices).map(|&m| (m - self.vertices) as usize)
    }

    fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.member.iter().filter(|&&m| m < self.vertices).map(|&m| m as usize)
    }

    /// Nodes that are held along any axis.
    fn held_nodes<'b>(&'b self, carriers: &'b Carriers<'_>) -> impl Iterator<Item = usize> + 'b {
        self.nodes().filter(|&v| carriers.of.inverse_mass[v].min_element() == 0.0)
    }

    /// The motion of what is held, if anything is.
    fn prescribed(&self, carriers: &Carriers<'_>) -> Option<Motion> {
        let body = self.bodies().map(|b| &carriers.bodies[b]).find(|b| b.is_held());
        let of_body = body.map(|b| Motion { from: b.start, to: b.end, turn: b.rotation });
        of_body.or_else(|| {
            let v = self.held_nodes(carriers).next()?;
            Some(Motion { from: carriers.start[v], to: carriers.end[v], turn: DQuat::IDENTITY })
        })
    }

    fn require_held_to_follow(
        &self,
        carriers: &Carriers<'_>,
        motion: &Motion,
        separation: f64,
    ) -> Result<(), ContactError> {
        let tolerance = HELD_TOLERANCE * separation;
        for body in self.bodies().map(|b| &carriers.bodies[b]).filter(|b| b.is_held()) {
            let turned = (body.rotation * motion.turn.inverse()).to_scaled_axis().length();
            // Bodies turn about themselves: a metre of size is more than most have.
            if motion.carry(body.start).distance(body.end) > tolerance || turned > tolerance {
                return Err(ContactError::Caught { place: body.start });
            }
        }
        for v in self.held_nodes(carriers) {
            if motion.carry(carriers.start[v]).distance(carriers.end[v]) > tolerance {
                return Err(ContactError::Caught { place: carriers.start[v] });
            }
        }
        Ok(())
    }

    /// The rigid motion with the momentum and the angular momentum of all members.
    fn free_motion(&self, carriers: &Carriers<'_>) -> Result<Motion, ContactError> {
        let mut mass = 0.0;
        let (mut from, mut to) = (DVec3::ZERO, DVec3::ZERO);
        let point = |v: usize| (1.0 / carriers.of.inverse_mass[v].x, carriers.start[v], carriers.end[v]);
        let centre = |b: usize| {
            (1.0 / carriers.bodies[b].inverse_mass, carriers.bodies[b].start, carriers.bodies[b].end)
        };
        let all = || self.nodes().map(point).chain(self.bodies().map(centre));
        for (m, x0, x1) in all() {
            mass += m;
            from += m * x0;
            to += m * x1;
        }
        (from, to) = (from / mass, to / mass);
        // Second moments, and Σ m x × x̄ about the centre.
        let mut moment = DMat3::ZERO;
        let mut momentum = DVec3::ZERO;
        for (m, x0, x1) in all() {
            let (r0, r1) = (x0 - from, x1 - to);
            moment += outer(m * r0, r0);
            momentum += m * r0.cross(r1);
        }
        for body in self.bodies().map(|b| &carriers.bodies[b]) {
            let inertia = body.inverse_inertia.inverse();
            let own = 0.5 * trace(&inertia) * DMat3::IDENTITY - inertia;
            moment += own;
            momentum += spin(&own, body.rotation);
        }
        let turn = turn_with(&moment, momentum).ok_or(ContactError::Caught { place: from })?;
        Ok(Motion { from, to, turn })
    }

    fn apply(&self, carriers: &mut Carriers<'_>, motion: &Motion) {
        for v in self.nodes() {
            if carriers.of.inverse_mass[v].min_element() > 0.0 {
                carriers.end[v] = motion.carry(carriers.start[v]);
            }
        }
        for b in self.bodies() {
            let body = &mut carriers.bodies[b];
            if !body.is_held() {
                body.end = motion.carry(body.start);
                body.rotation = motion.turn;
            }
        }
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// Σ m r × (R r) of a body with these second moments Σ m r rᵀ: the part of S Rᵀ that is not symmetric.
fn spin(moment: &DMat3, turn: DQuat) -> DVec3 {
    let rotated = DMat3::from_quat(turn) * *moment;
    // (R S)_ij − (R S)_ji of r × R r = Σ ε_ijk r_j (R r)_k.
    DVec3::new(
        rotated.y_axis.z - rotated.z_axis.y,
        rotated.z_axis.x - rotated.x_axis.z,
        rotated.x_axis.y - rotated.y_axis.x,
    )
}

/// The rotation with this Σ m r × (R r), by repeated small turns; `None` if there is none below half a turn.
fn turn_with(moment: &DMat3, momentum: DVec3) -> Option<DQuat> {
    // Along a line of points there is nothing to turn; a little inertia keeps the matrix invertible.
    let size = trace(moment);
    if size <= 0.0 {
        return Some(DQuat::IDENTITY);
    }
    let inertia = size * (1.0 + 1e-13) * DMat3::IDENTITY - *moment;
    let (inverse, mut turn) = (inertia.inverse(), DQuat::IDENTITY);
    let mut least = f64::INFINITY;
    for _ in 0..TURNS {
        let missing = momentum - spin(moment, turn);
        let left = missing.length();
        if left <= 1e-15 * size || left >= least && left <= 1e-12 * size {
            break;
        }
        least = least.min(left);
        // What a small turn adds at no turn serves for all: errors shrink as long as turns are below one.
        turn = (DQuat::from_scaled_axis(inverse * missing) * turn).normalize();
    }
    let missing = (momentum - spin(moment, turn)).length();
    let small = turn.to_scaled_axis().length() < 1.5;
    (missing <= 1e-9 * size && small).then_some(turn)
}
