//! Contact of deformable surfaces with themselves, each other and rigid bodies, so that nothing ends a step inside of
//! anything: \[Guendelman2006\] Sec. 3.2.2, after \[Bridson2002\].
//!
//! The input is plain: where the vertices of a surface are at the start of a step, where they would be at its end, how
//! they resist impulses. [`ContactSolver::resolve`] moves the ends. In reading order: `carrier` knows what moves
//! vertices (nodes with a mass, rigid bodies with six unknowns, what is held); `detect` finds pairs that are too near
//! and pairs that would meet; `constraint` pushes pairs apart along a fixed direction, with friction; `zone` moves all
//! that still collides as one rigid body; `resolve` is the sequence. If nothing helps, it is told ([`ContactError`]),
//! and the step has to be repeated with a shorter one.
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | x, x̄ | `start`, `end` | positions at both ends of the step | m |
//! | h | sum of two `reach` | thickness within which surfaces repel each other | m |
//! | I | `push` | an impulse, multiplied by the length of the step | kg m |
//! | μ | `friction` | of Coulomb | 1 |
//! | – | `separation` | distance that is never fallen below | m |
//!
//! All impulses are pairs of equal and opposite ones, so that momentum is kept to rounding. An impact zone keeps the
//! angular momentum Σ m x × x̄ / dt as well, to rounding; single impulses do so to the order of the distance at which
//! they act.
//!
//! **Departures.** \[Bridson2002\] applies each impulse once in a pass; here a pass sweeps over all pairs that were
//! found so far, until their impulses fit each other (projected Gauss–Seidel), so that few zones are needed. Repulsion
//! recovers a tenth of the overlap in a step, as there, without the spring that makes it weaker. An impact zone turns
//! by a rotation instead of by ω × r: a map that is affine at all times of the step, under which nothing can meet that
//! did not before.

mod carrier;
mod constraint;
mod detect;
mod resolve;
mod zone;

pub use carrier::{BodyMotion, NO_BODY};
pub use resolve::ContactSolver;

use glam::DVec3;
use meniscus_geometry::collision::CollisionSurface;

/// The surface of everything that can meet, by vertex.
#[derive(Debug, Clone, Default)]
pub struct ContactSurface {
    /// Triangles and edges.
    pub surface: CollisionSurface,
    /// What a unit impulse does to the velocity of a vertex, axis by axis; zero along axes that are held. Of no meaning
    /// for vertices of bodies `[1/kg]`.
    pub inverse_mass: Vec<DVec3>,
    /// The rigid body that moves a vertex, or [`NO_BODY`].
    pub body: Vec<u32>,
    /// Half of the thickness around a vertex: two surfaces repel each other when nearer than the sum of theirs `[m]`.
    pub reach: Vec<f64>,
    /// Coefficient of friction; of two surfaces the geometric mean counts `[1]`.
    pub friction: Vec<f64>,
    /// Vertices of the same set never meet; [`SweptTree::ANY`](meniscus_geometry::collision::SweptTree::ANY) meets all.
    pub set: Vec<u32>,
}

impl ContactSurface {
    /// Makes reaches so small that a surface at rest does not repel itself: at most two fifths of the smallest height
    /// of the triangles around a vertex, and of the length of its loose edges.
    pub fn limit_reach(&mut self, rest: &[DVec3]) {
        let mut limit = vec![f64::INFINITY; self.reach.len()];
        let mut lower = |v: u32, height: f64| {
            if let Some(limit) = limit.get_mut(v as usize) {
                *limit = limit.min(0.4 * height);
            }
        };
        for t in self.surface.triangles() {
            let [a, b, c] = t.map(|v| rest[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let height = (b - a).cross(c - a).length() / longest;
            for &v in t {
                lower(v, height);
            }
        }
        for e in self.surface.edges() {
            let length = rest[e[0] as usize].distance(rest[e[1] as usize]);
            for &v in e {
                lower(v, length);
            }
        }
        for (reach, limit) in self.reach.iter_mut().zip(limit) {
            *reach = reach.min(limit);
        }
    }

    /// Refuses columns of different lengths, bodies that do not exist, and reaches that are not positive.
    fn check(&self, positions: [usize; 2], bodies: usize) -> Result<(), ContactError> {
        let n = self.surface.vertices();
        let columns =
            [self.inverse_mass.len(), self.body.len(), self.reach.len(), self.friction.len(), self.set.len()];
        let exists = |body: &u32| *body == NO_BODY || (*body as usize) < bodies;
        if columns.iter().chain(&positions).any(|len| *len != n) || !self.body.iter().all(exists) {
            return Err(ContactError::Mismatch);
        }
        match self.reach.iter().position(|r| !(r.is_finite() && *r > 0.0)) {
            Some(vertex) => Err(ContactError::NoThickness { vertex: vertex as u32 }),
            None => Ok(()),
        }
    }
}

/// How contact is resolved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactParams {
    /// The distance that nothing falls below, as a part of the thickness `[1]`.
    pub separation: f64,
    /// Searches for collisions before impact zones are made `[1]`.
    pub passes: u32,
    /// Sweeps over all pairs in a pass `[1]`.
    pub sweeps: u32,
    /// The part of an overlap of thicknesses that is undone in a step `[1]`.
    pub recovery: f64,
}

impl Default for ContactParams {
    fn default() -> Self {
        Self { separation: 0.05, passes: 8, sweeps: 12, recovery: 0.1 }
    }
}

/// What contact took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContactReport {
    /// Pairs within their thickness at the start `[1]`.
    pub repulsions: usize,
    /// Pairs that would have met, in all passes `[1]`.
    pub collisions: usize,
    /// Searches for collisions `[1]`.
    pub passes: u32,
    /// Impact zones `[1]`.
    pub zones: usize,
    /// Vertices and bodies in impact zones `[1]`.
    pub zone_members: usize,
}

/// Why there is no end of the step at which nothing meets.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// A position is not a number.
    #[error("vertex {vertex} has a position that is not finite")]
    NotFinite {
        /// The vertex.
        vertex: u32,
    },
    /// A column has not one entry for each vertex, or names a body that does not exist.
    #[error(
        "positions, masses, bodies, reaches, frictions and sets must have one entry for each vertex of the surface"
    )]
    Mismatch,
    /// A reach that is zero, negative or not a number.
    #[error("vertex {vertex} has no thickness; allowed: a positive, finite reach")]
    NoThickness {
        /// The vertex.
        vertex: u32,
    },
    /// Two things touch already.
    #[error(
        "surfaces meet at ({:.6}, {:.6}, {:.6}) m at the start of the step; keep them apart in the initial state",
        place.x, place.y, place.z
    )]
    Touching {
        /// Where they do `[m]`.
        place: DVec3,
    },
    /// What is caught between things that are moved by others.
    #[error(
        "a surface is caught at ({:.6}, {:.6}, {:.6}) m between things whose motion is prescribed; make room for its thickness",
        place.x, place.y, place.z
    )]
    Caught {
        /// Where it is `[m]`.
        place: DVec3,
    },
}
