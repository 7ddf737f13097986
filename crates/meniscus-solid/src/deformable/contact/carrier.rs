//! What moves vertices, and how it answers impulses.

use glam::{DMat3, DQuat, DVec3};

use super::ContactSurface;

/// Stands for no body.
pub const NO_BODY: u32 = u32::MAX;

/// The motion of a rigid body over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyMotion {
    /// 1/mass; zero for a body that is held or whose motion is prescribed `[1/kg]`.
    pub inverse_mass: f64,
    /// Inverse of the inertia about the centre of mass, along the axes of the scene at the start; zero as above `[1/(kg
    /// m²)]`.
    pub inverse_inertia: DMat3,
    /// The centre of mass at the start `[m]`.
    pub start: DVec3,
    /// The centre of mass at the end `[m]`.
    pub end: DVec3,
    /// How it turns from start to end.
    pub rotation: DQuat,
}

impl BodyMotion {
    /// Where a point of the body goes that is at `x` at the start `[m]`.
    #[must_use]
    pub fn carry(&self, x: DVec3) -> DVec3 {
        self.end + self.rotation * (x - self.start)
    }

    pub(super) fn is_held(&self) -> bool {
        self.inverse_mass == 0.0
    }
}

/// Vertices and bodies while contact moves their ends.
pub(super) struct Carriers<'a> {
    pub of: &'a ContactSurface,
    pub start: &'a [DVec3],
    pub end: &'a mut [DVec3],
    pub bodies: &'a mut [BodyMotion],
}

impl Carriers<'_> {
    pub fn body(&self, vertex: u32) -> Option<usize> {
        let body = self.of.body[vertex as usize];
        (body != NO_BODY).then_some(body as usize)
    }

    /// Whether nothing that is done here moves a vertex.
    pub fn is_held(&self, vertex: u32) -> bool {
        match self.body(vertex) {
            Some(body) => self.bodies[body].is_held(),
            None => self.of.inverse_mass[vertex as usize] == DVec3::ZERO,
        }
    }

    /// Where a vertex ends now `[m]`.
    pub fn end(&self, vertex: u32) -> DVec3 {
        match self.body(vertex) {
            Some(body) => self.bodies[body].carry(self.start[vertex as usize]),
            None => self.end[vertex as usize],
        }
    }

    /// Writes the ends of the vertices of bodies.
    pub fn settle(&mut self) {
        for vertex in 0..self.end.len() {
            if self.of.body[vertex] != NO_BODY {
                self.end[vertex] = self.end(vertex as u32);
            }
        }
    }

    /// The parts of bodies in weighted vertices: body, sum of weights, and Σ weight · way from the centre at the start.
    fn parts(&self, vertex: [u32; 4], weight: [f64; 4]) -> impl Iterator<Item = (usize, f64, DVec3)> + use<> {
        let mut part: [Option<(usize, f64, DVec3)>; 4] = [None; 4];
        for (v, w) in vertex.into_iter().zip(weight) {
            let Some(body) = self.body(v) else { continue };
            let arm = w * (self.start[v as usize] - self.bodies[body].start);
            let known = part.iter().position(|p| p.is_none_or(|(of, _, _)| of == body)).unwrap_or(0);
            let (_, weight, before) = part[known].unwrap_or((body, 0.0, DVec3::ZERO));
            part[known] = Some((body, weight + w, before + arm));
        }
        part.into_iter().flatten()
    }

    /// The change of Σ weight · end for a push on it `[1/kg]`.
    pub fn answer(&self, vertex: [u32; 4], weight: [f64; 4]) -> DMat3 {
        let mut of_push = DMat3::ZERO;
        for (v, w) in vertex.into_iter().zip(weight) {
            if self.body(v).is_none() {
                of_push += DMat3::from_diagonal(w * w * self.of.inverse_mass[v as usize]);
            }
        }
        for (body, w, arm) in self.parts(vertex, weight) {
            let body = &self.bodies[body];
            let cross = skew(arm);
            of_push += w * w * body.inverse_mass * DMat3::IDENTITY - cross * body.inverse_inertia * cross;
        }
        of_push
    }

    /// Pushes vertices by their weights; what one part gets the other loses `[kg m]`.
    pub fn push(&mut self, vertex: [u32; 4], weight: [f64; 4], push: DVec3) {
        for (v, w) in vertex.into_iter().zip(weight) {
            if self.body(v).is_none() {
                self.end[v as usize] += w * self.of.inverse_mass[v as usize] * push;
            }
        }
        for (body, w, arm) in self.parts(vertex, weight) {
            let body = &mut self.bodies[body];
            body.end += w * body.inverse_mass * push;
            let turn = body.inverse_inertia * arm.cross(push);
            if turn != DVec3::ZERO {
                body.rotation = (DQuat::from_scaled_axis(turn) * body.rotation).normalize();
            }
        }
    }
}

/// The matrix of a × .
fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}
