//! Constraints of joints, and what they leave of a change of motion.

use glam::DVec3;

use crate::rigid::body::InverseMass;
use meniscus_core::Twist;

/// What a direction has at least that those before it have not, as a share of its own `[1]`. With less it is one of them.
const MIN_INDEPENDENT_SHARE: f64 = 1e-9;

/// A direction in which two bodies do not move relative to each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Constraint {
    /// Places of the bodies; none for what is not dynamic.
    pub place: [Option<usize>; 2],
    /// Direction of the impulse on the first; zero for one that only turns.
    pub linear: DVec3,
    /// Angular impulses on both bodies per impulse.
    pub angular: [DVec3; 2],
}

/// Independent constraints, with the factor of the matrix of their couplings.
#[derive(Debug)]
pub(crate) struct Constraints {
    /// Of the bodies; the first one is pushed.
    mobility: Vec<InverseMass>,
    constraint: Vec<Constraint>,
    /// The factor L of N M⁻¹ Nᵀ, row by row.
    factor: Vec<f64>,
}

impl Constraints {
    /// No constraints yet on a body that will be pushed.
    pub fn new(pushed: InverseMass) -> Self {
        Self { mobility: vec![pushed], constraint: Vec::new(), factor: Vec::new() }
    }

    /// The place of one more body.
    pub fn add_body(&mut self, mobility: InverseMass) -> usize {
        self.mobility.push(mobility);
        self.mobility.len() - 1
    }

    /// Adds a direction unless those before it forbid it already.
    pub fn add(&mut self, constraint: Constraint) {
        let start = self.factor.len();
        let mut own = self.coupling(&constraint, &constraint);
        let least = MIN_INDEPENDENT_SHARE * own;
        for (n, before) in self.constraint.iter().enumerate() {
            let row = n * (n + 1) / 2;
            let known: f64 = (0..n).map(|m| self.factor[row + m] * self.factor[start + m]).sum();
            let entry = (self.coupling(&constraint, before) - known) / self.factor[row + n];
            self.factor.push(entry);
            own -= entry * entry;
        }
        if own > least {
            self.factor.push(own.sqrt());
            self.constraint.push(constraint);
        } else {
            self.factor.truncate(start);
        }
    }

    /// What is left of a change of the pushed body's motion.
    pub fn project(&self, linear: DVec3, angular: DVec3) -> Twist {
        let mut motion = Twist { linear, angular };
        let mut impulse: Vec<f64> =
            self.constraint.iter().map(|constraint| constraint.rate(&motion)).collect();
        self.solve(&mut impulse);
        let InverseMass { mass, inertia } = self.mobility[0];
        for (constraint, impulse) in self.constraint.iter().zip(impulse) {
            for (linear, angular) in constraint.on_pushed() {
                motion.linear -= mass * linear * impulse;
                motion.angular -= inertia * angular * impulse;
            }
        }
        motion
    }

    /// The rate along one direction that a unit impulse along the other brings.
    fn coupling(&self, a: &Constraint, b: &Constraint) -> f64 {
        let mut sum = 0.0;
        for (side, place) in a.place.iter().enumerate() {
            for (other, _) in b.place.iter().enumerate().filter(|(_, at)| *at == place) {
                let Some(place) = *place else { continue };
                let InverseMass { mass, inertia } = self.mobility[place];
                let part = a.linear.dot(mass * b.linear) + a.angular[side].dot(inertia * b.angular[other]);
                sum += if side == other { part } else { -part };
            }
        }
        sum
    }

    /// Solves L Lᵀ x = x in place.
    fn solve(&self, x: &mut [f64]) {
        let at = |row: usize, column: usize| self.factor[row * (row + 1) / 2 + column];
        for i in 0..x.len() {
            let known: f64 = (0..i).map(|k| at(i, k) * x[k]).sum();
            x[i] = (x[i] - known) / at(i, i);
        }
        for i in (0..x.len()).rev() {
            let known: f64 = (i + 1..x.len()).map(|k| at(k, i) * x[k]).sum();
            x[i] = (x[i] - known) / at(i, i);
        }
    }
}

impl Constraint {
    /// Its parts on the pushed body, with their signs.
    fn on_pushed(&self) -> impl Iterator<Item = (DVec3, DVec3)> {
        let part = |side: usize| {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            (self.place[side] == Some(0)).then_some((sign * self.linear, sign * self.angular[side]))
        };
        [part(0), part(1)].into_iter().flatten()
    }

    fn rate(&self, motion: &Twist) -> f64 {
        self.on_pushed()
            .map(|(linear, angular)| linear.dot(motion.linear) + angular.dot(motion.angular))
            .sum()
    }
}
