//! What a joint demands, as products of two vectors that its bodies carry.
//!
//! A demand is g = P · Q / s − c = 0, where P and Q are what separates two points of the bodies, or directions that turn with one
//! of them, or constants. All of them are linear in places and in rotated vectors, so that over a step
//!
//! g' − g = (P' − P) · Q̄ / s + P̄ · (Q' − Q) / s,
//!
//! with primes at its end and bars for means of start and end, exactly. A body that is displaced by d and turned by the Cayley
//! vector θ changes a vector r that it carries by θ × r̄, exactly too. So g' − g is linear in d and θ, and its coefficients are the
//! *discrete gradient* (\[Gonzalez1996\]): impulses along it do no work if the joint holds at both ends.

use glam::{DMat3, DQuat, DVec3};

use crate::rigid::body::BodyState;
use crate::rigid::integrate::cross_matrix;

/// A vector that two bodies carry: what separates them, if wanted, plus a vector that turns with each, plus a constant.
#[derive(Debug, Clone, Copy)]
struct Carried {
    /// 1 with what leads from the second centre of mass to the first, else 0.
    apart: f64,
    /// In the frames of the bodies.
    turning: [DVec3; 2],
    constant: DVec3,
}

impl Carried {
    fn constant(constant: DVec3) -> Self {
        Self { apart: 0.0, turning: [DVec3::ZERO; 2], constant }
    }

    fn by(side: usize, local: DVec3) -> Self {
        let mut turning = [DVec3::ZERO; 2];
        turning[side] = local;
        Self { apart: 0.0, turning, constant: DVec3::ZERO }
    }

    fn turned(&self, turn: [DQuat; 2]) -> [DVec3; 2] {
        [turn[0] * self.turning[0], turn[1] * self.turning[1]]
    }

    fn value(&self, state: &[BodyState; 2]) -> DVec3 {
        let [a, b] = self.turned([state[0].rotation, state[1].rotation]);
        self.apart * (state[0].position - state[1].position) + a + b + self.constant
    }
}

/// How a number depends on where both bodies are: on their displacements and on their turns.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gradient {
    pub linear: [DVec3; 2],
    pub angular: [DVec3; 2],
}

impl Gradient {
    /// Adds what `w` · (a carried vector) depends on; `turned` are its parts.
    fn add(&mut self, apart: f64, turned: [DVec3; 2], w: DVec3) {
        self.linear[0] += apart * w;
        self.linear[1] -= apart * w;
        for (angular, turned) in self.angular.iter_mut().zip(turned) {
            *angular += turned.cross(w);
        }
    }

    /// The components of one body.
    pub fn of(&self, side: usize) -> [f64; 6] {
        let ([a, b, c], [d, e, f]) = (self.linear[side].to_array(), self.angular[side].to_array());
        [a, b, c, d, e, f]
    }
}

/// A step of both bodies of a joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub start: [BodyState; 2],
    pub end: [BodyState; 2],
    /// How the turn at the end depends on the Cayley vector of each body.
    pub turning: [DMat3; 2],
}

/// P · Q / s − c.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    factor: [Carried; 2],
    scale: f64,
    target: f64,
}

impl Form {
    fn new(p: Carried, q: Carried) -> Self {
        Self { factor: [p, q], scale: 1.0, target: 0.0 }
    }

    /// What separates two points, given from the centres of their bodies, along a fixed direction.
    pub fn point(anchor: [DVec3; 2], along: DVec3) -> Self {
        Self::new(separation(anchor), Carried::constant(along))
    }

    /// The same along a direction that turns with the second body, beyond `target` `[m]`.
    pub fn along(anchor: [DVec3; 2], direction: DVec3, target: f64) -> Self {
        Self { target, ..Self::new(separation(anchor), Carried::by(1, direction)) }
    }

    /// The product of a direction in the first body and one in the second.
    pub fn directions(first: DVec3, second: DVec3) -> Self {
        Self::new(Carried::by(0, first), Carried::by(1, second))
    }

    /// By how much two points are farther apart than `length` `[m]`, to first order.
    pub fn distance(anchor: [DVec3; 2], length: f64) -> Self {
        let apart = separation(anchor);
        Self { factor: [apart; 2], scale: (2.0 * length).recip(), target: 0.5 * length }
    }

    /// By how much it is violated `[m]` or `[1]`.
    pub fn error(&self, state: &[BodyState; 2]) -> f64 {
        let [p, q] = &self.factor;
        self.scale * p.value(state).dot(q.value(state)) - self.target
    }

    /// How the error changes with the places of the bodies.
    pub fn gradient(&self, state: &[BodyState; 2]) -> Gradient {
        let mut sum = Gradient::default();
        for (v, other) in self.roles() {
            let w = self.scale * other.value(state);
            sum.add(v.apart, v.turned([state[0].rotation, state[1].rotation]), w);
        }
        sum
    }

    /// How the error at the end of a step depends on displacements and Cayley vectors.
    pub fn end_gradient(&self, span: &Span) -> Gradient {
        let mut sum = self.gradient(&span.end);
        for side in 0..2 {
            sum.angular[side] = span.turning[side].transpose() * sum.angular[side];
        }
        sum
    }

    /// The discrete gradient: the change of the error over the step is its product with displacements and Cayley vectors.
    pub fn mean_gradient(&self, span: &Span) -> Gradient {
        let mut sum = Gradient::default();
        for (v, other) in self.roles() {
            let w = self.scale * 0.5 * (other.value(&span.start) + other.value(&span.end));
            sum.add(v.apart, mean_turned(v, span), w);
        }
        sum
    }

    /// Adds `impulse` times the change of the discrete gradient with displacements and Cayley vectors: blocks of displacement and
    /// turn of the first body, then of the second.
    pub fn add_stiffness(&self, span: &Span, impulse: f64, sum: &mut [[DMat3; 4]; 4]) {
        let half = 0.5 * self.scale * impulse;
        for (v, other) in self.roles() {
            let mean = mean_turned(v, span);
            let w = 0.5 * (other.value(&span.start) + other.value(&span.end));
            let end = v.turned([span.end[0].rotation, span.end[1].rotation]);
            let other_end = other.turned([span.end[0].rotation, span.end[1].rotation]);
            for side in (0..2).filter(|side| v.turning[*side] != DVec3::ZERO) {
                let own = cross_matrix(w) * cross_matrix(end[side]) * span.turning[side];
                sum[2 * side + 1][2 * side + 1] += half * own;
            }
            // How the other factor changes, felt by this one.
            for part in 0..4 {
                let row = match part {
                    _ if part % 2 == 0 && v.apart != 0.0 => sign(part) * DMat3::IDENTITY,
                    _ if part % 2 == 1 && v.turning[part / 2] != DVec3::ZERO => cross_matrix(mean[part / 2]),
                    _ => continue,
                };
                for from in 0..4 {
                    let column = match from {
                        _ if from % 2 == 0 && other.apart != 0.0 => sign(from) * DMat3::IDENTITY,
                        _ if from % 2 == 1 && other.turning[from / 2] != DVec3::ZERO => {
                            -cross_matrix(other_end[from / 2]) * span.turning[from / 2]
                        }
                        _ => continue,
                    };
                    sum[part][from] += half * (row * column);
                }
            }
        }
    }

    /// Each factor with the other.
    fn roles(&self) -> [(&Carried, &Carried); 2] {
        let [p, q] = &self.factor;
        [(p, q), (q, p)]
    }
}

/// With which sign the displacement of a body counts.
fn sign(part: usize) -> f64 {
    if part < 2 { 1.0 } else { -1.0 }
}

fn separation(anchor: [DVec3; 2]) -> Carried {
    Carried { apart: 1.0, turning: [anchor[0], -anchor[1]], constant: DVec3::ZERO }
}

fn mean_turned(v: &Carried, span: &Span) -> [DVec3; 2] {
    let turned = |state: &[BodyState; 2]| v.turned([state[0].rotation, state[1].rotation]);
    let (start, end) = (turned(&span.start), turned(&span.end));
    [0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid::integrate::{cayley, cayley_turning};

    fn state(k: f64) -> BodyState {
        let position = DVec3::new(0.3 * k, -0.7, 0.2 + k);
        let rotation = DQuat::from_scaled_axis(DVec3::new(0.4, 0.3 * k, -0.2));
        BodyState { position, rotation, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    fn moved(start: &[BodyState; 2], by: &[DVec3; 4]) -> Span {
        let end = [0, 1].map(|k| BodyState {
            position: start[k].position + by[2 * k],
            rotation: cayley(by[2 * k + 1]) * start[k].rotation,
            ..start[k]
        });
        Span { start: *start, end, turning: [cayley_turning(by[1]), cayley_turning(by[3])] }
    }

    #[test]
    fn gradients_are_those_of_the_error() {
        let start = [state(1.0), state(2.0)];
        let anchor = [DVec3::new(0.1, 0.5, -0.3), DVec3::new(-0.4, 0.2, 0.7)];
        let by = [
            DVec3::new(0.02, -0.1, 0.05),
            DVec3::new(0.3, -0.2, 0.1),
            DVec3::new(-0.03, 0.04, 0.1),
            DVec3::new(-0.1, 0.2, 0.25),
        ];
        let forms = [
            Form::point(anchor, DVec3::Y),
            Form::along(anchor, DVec3::new(0.6, 0.0, 0.8), 0.3),
            Form::directions(DVec3::X, DVec3::new(0.0, 0.6, 0.8)),
            Form::distance(anchor, 1.3),
        ];
        let product = |g: &Gradient, by: &[DVec3; 4]| -> f64 {
            (0..2).map(|k| g.linear[k].dot(by[2 * k]) + g.angular[k].dot(by[2 * k + 1])).sum()
        };
        for form in forms {
            let span = moved(&start, &by);
            let change = form.error(&span.end) - form.error(&span.start);
            assert!((product(&form.mean_gradient(&span), &by) - change).abs() < 1e-14);
            let mut stiffness = [[DMat3::ZERO; 4]; 4];
            form.add_stiffness(&span, 1.0, &mut stiffness);
            for part in 0..4 {
                for axis in DVec3::AXES {
                    let step = 1e-6;
                    let at = |sign: f64| {
                        let mut by = by;
                        by[part] += sign * step * axis;
                        moved(&start, &by)
                    };
                    let (back, ahead) = (at(-1.0), at(1.0));
                    let slope = (form.error(&ahead.end) - form.error(&back.end)) / (2.0 * step);
                    let mut unit = [DVec3::ZERO; 4];
                    unit[part] = axis;
                    assert!((product(&form.end_gradient(&span), &unit) - slope).abs() < 1e-8);
                    let (back, ahead) = (form.mean_gradient(&back), form.mean_gradient(&ahead));
                    for (row, stiffness) in stiffness.iter().enumerate() {
                        let of = |g: &Gradient| {
                            if row % 2 == 0 { g.linear[row / 2] } else { g.angular[row / 2] }
                        };
                        let slope = (of(&ahead) - of(&back)) / (2.0 * step);
                        let own = stiffness[part] * axis;
                        assert!(slope.distance(own) < 1e-8, "{row} {part}: {slope} {own}");
                    }
                }
            }
        }
    }
}
