//! The velocity constraints of a joint.

use glam::DVec3;

use super::frame::states;
use super::{JointFrame, JointType, Motor};
use crate::rigid::body::{BodyState, InverseMass};
use meniscus_core::Twist;

/// One direction in which a joint acts.
#[derive(Debug, Clone, Copy)]
struct JointRow {
    /// Direction of the impulse; zero for one that only turns.
    linear: DVec3,
    /// Angular impulses on both bodies per impulse `[m]`, or `[1]` for a row that only turns.
    angular: [DVec3; 2],
    /// The rate that is asked for `[m/s]` or `[rad/s]`.
    wanted: f64,
    /// Least and largest impulse; infinite for what always holds.
    range: [f64; 2],
    impulse: f64,
}

impl JointRow {
    fn rate(&self, a: &Twist, b: &Twist) -> f64 {
        self.linear.dot(a.linear - b.linear) + self.angular[0].dot(a.angular) - self.angular[1].dot(b.angular)
    }

    fn apply(&self, impulse: f64, a: &mut Twist, b: &mut Twist, m: [&InverseMass; 2]) {
        a.linear += m[0].mass * self.linear * impulse;
        b.linear -= m[1].mass * self.linear * impulse;
        a.angular += m[0].inertia * self.angular[0] * impulse;
        b.angular -= m[1].inertia * self.angular[1] * impulse;
    }

    /// The rate that a unit impulse of `other` brings here.
    fn coupling(&self, other: &Self, m: [&InverseMass; 2]) -> f64 {
        self.linear.dot((m[0].mass + m[1].mass) * other.linear)
            + self.angular[0].dot(m[0].inertia * other.angular[0])
            + self.angular[1].dot(m[1].inertia * other.angular[1])
    }
}

/// What the rows of a joint aim at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum JointAim {
    /// Velocities that close the joint's error by the end of a step of this length, with motors at work `[s]`.
    Step(f64),
    /// Velocities that keep its error as it is.
    Keep,
    /// Displacements that close its error.
    Close,
}

/// A joint while it is solved. JointRows that always hold are solved together, limits and motors after them one by one.
#[derive(Debug, Clone)]
pub(crate) struct JointRows {
    /// Indices of its bodies among those that are solved.
    pub body: [usize; 2],
    pub level: u32,
    hold: Vec<JointRow>,
    /// Factor L of the symmetric matrix of `hold`, row by row.
    factor: [[f64; 6]; 6],
    bound: Vec<JointRow>,
}

impl JointRows {
    /// The rows of a joint between bodies in the states `all`.
    pub fn new(
        frame: &JointFrame,
        all: &[BodyState],
        body: [usize; 2],
        mobility: [&InverseMass; 2],
        aim: JointAim,
    ) -> Self {
        let state = states(frame.body, all);
        let mut build = RowBuilder { state, aim, hold: Vec::with_capacity(6), bound: Vec::new() };
        build.all(frame);
        let RowBuilder { hold, bound, .. } = build;
        let factor = factorise(&hold, mobility);
        Self { body, level: 0, hold, factor, bound }
    }

    /// Applies the impulses that it starts with.
    pub fn start(&self, twist: &mut [Twist], mobility: &[InverseMass]) {
        let [i, j] = self.body;
        let (mut a, mut b) = (twist[i], twist[j]);
        for row in self.hold.iter().chain(&self.bound) {
            row.apply(row.impulse, &mut a, &mut b, [&mobility[i], &mobility[j]]);
        }
        (twist[i], twist[j]) = (a, b);
    }

    /// Makes the joint hold; the largest change of a rate.
    pub fn relax(&mut self, twist: &mut [Twist], mobility: &[InverseMass]) -> f64 {
        let [i, j] = self.body;
        let m = [&mobility[i], &mobility[j]];
        let (mut a, mut b) = (twist[i], twist[j]);
        let mut change = 0.0_f64;
        for row in &mut self.bound {
            let k = row.coupling(row, m);
            if k <= 0.0 {
                continue;
            }
            let missing = row.wanted - row.rate(&a, &b);
            let total = (row.impulse + missing / k).clamp(row.range[0], row.range[1]);
            let delta = total - row.impulse;
            row.impulse = total;
            row.apply(delta, &mut a, &mut b, m);
            change = change.max((delta * k).abs());
        }
        let mut delta = [0.0; 6];
        for (d, row) in delta.iter_mut().zip(&self.hold) {
            *d = row.wanted - row.rate(&a, &b);
            change = change.max(d.abs());
        }
        substitute(&self.factor, self.hold.len(), &mut delta);
        for (d, row) in delta.iter().zip(&mut self.hold) {
            row.impulse += d;
            row.apply(*d, &mut a, &mut b, m);
        }
        (twist[i], twist[j]) = (a, b);
        change
    }

    /// The impulses of all rows, to start from in the next step.
    pub fn impulses(&self) -> impl Iterator<Item = f64> + '_ {
        self.hold.iter().chain(&self.bound).map(|r| r.impulse)
    }

    /// Starts from the impulses of the previous step, if they are of the same rows.
    pub fn warm_start(&mut self, impulses: &[f64], scale: f64) {
        if impulses.len() == self.hold.len() + self.bound.len() {
            for (row, i) in self.hold.iter_mut().chain(&mut self.bound).zip(impulses) {
                row.impulse = (scale * i).clamp(row.range[0], row.range[1]);
            }
        }
    }
}

/// Directions and angular impulses of the rows that hold a joint while its bodies receive an impulse: what always holds, and the limit that
/// it was at in the last step, whose impulses were `last`.
pub(crate) fn holding_rows(
    frame: &JointFrame,
    all: &[BodyState],
    last: &[f64],
) -> impl Iterator<Item = (DVec3, [DVec3; 2])> {
    let state = states(frame.body, all);
    let mut build = RowBuilder { state, aim: JointAim::Keep, hold: Vec::with_capacity(6), bound: Vec::new() };
    build.all(frame);
    // Limits are the last rows, whether or not there is a motor before them.
    let limits = build.bound.into_iter().rev().zip(last.iter().rev());
    let reached = limits.filter(|(_, impulse)| **impulse != 0.0).map(|(row, _)| row).next();
    build.hold.into_iter().chain(reached).map(|row| (row.linear, row.angular))
}

/// Collects the rows of one joint.
struct RowBuilder {
    state: [BodyState; 2],
    aim: JointAim,
    hold: Vec<JointRow>,
    bound: Vec<JointRow>,
}

impl RowBuilder {
    fn all(&mut self, frame: &JointFrame) {
        let [a, b] = self.state;
        let arm = [a.rotation * frame.anchor[0], b.rotation * frame.anchor[1]];
        let apart = a.position + arm[0] - b.position - arm[1];
        let axis = b.rotation * frame.axis;
        let across = axis.any_orthonormal_pair();
        let xyz = [DVec3::X, DVec3::Y, DVec3::Z];
        match frame.kind {
            JointType::Ball => self.hold_point(&xyz, arm, apart),
            JointType::Fixed => {
                self.hold_point(&xyz, arm, apart);
                self.hold_turn(&xyz, frame.turn(&self.state));
            }
            JointType::Hinge { limits, motor, .. } => {
                self.hold_point(&xyz, arm, apart);
                self.hold_turn(&[across.0, across.1], frame.swing(&self.state));
                let row = self.row(DVec3::ZERO, [axis; 2], 0.0);
                // A hinge that is pressed a little beyond a limit near half a turn must not seem to be at the other one.
                let middle = limits.map_or(0.0, |[least, most]| 0.5 * (least + most));
                self.bounds(row, frame.angle(&self.state, middle), limits, motor);
            }
            JointType::Slider { limits, motor, .. } => {
                // The axis turns with the second body, so its arm reaches to the first body's point.
                let arm = [arm[0], a.position + arm[0] - b.position];
                self.hold_point(&[across.0, across.1], arm, apart);
                self.hold_turn(&xyz, frame.turn(&self.state));
                let row = self.row(axis, arm.map(|r| r.cross(axis)), 0.0);
                self.bounds(row, apart.dot(axis), limits, motor);
            }
            JointType::Distance { range, .. } => {
                let n = apart.normalize_or(DVec3::Y);
                let row = self.row(n, arm.map(|r| r.cross(n)), apart.length() - range[0]);
                if range[1] - range[0] <= 1e-12 * range[1] {
                    self.hold.push(row);
                } else {
                    self.bounds(row, apart.length(), Some(range), None);
                }
            }
        }
    }

    /// A row whose error is `error` and which always holds.
    fn row(&self, linear: DVec3, angular: [DVec3; 2], error: f64) -> JointRow {
        let wanted = match self.aim {
            JointAim::Step(dt) => -error / dt,
            JointAim::Keep => 0.0,
            JointAim::Close => -error,
        };
        JointRow { linear, angular, wanted, range: [f64::NEG_INFINITY, f64::INFINITY], impulse: 0.0 }
    }

    fn hold_point(&mut self, directions: &[DVec3], arm: [DVec3; 2], apart: DVec3) {
        for &n in directions {
            let row = self.row(n, arm.map(|r| r.cross(n)), apart.dot(n));
            self.hold.push(row);
        }
    }

    fn hold_turn(&mut self, directions: &[DVec3], turn: DVec3) {
        for &n in directions {
            let row = self.row(DVec3::ZERO, [n; 2], turn.dot(n));
            self.hold.push(row);
        }
    }

    /// Motor and limits along a row whose coordinate is `value`. There are always as many rows, so that impulses of the
    /// previous step find theirs.
    fn bounds(&mut self, row: JointRow, value: f64, limits: Option<[f64; 2]>, motor: Option<Motor>) {
        if let (Some(motor), JointAim::Step(dt)) = (motor, self.aim) {
            let most = motor.strength * dt;
            self.bound.push(JointRow { wanted: motor.speed, range: [-most, most], ..row });
        }
        if let Some([least, most]) = limits {
            let rate = |room: f64| match self.aim {
                JointAim::Step(dt) => room / dt,
                JointAim::Keep if room > 0.0 => f64::INFINITY,
                JointAim::Keep => 0.0,
                JointAim::Close => room,
            };
            let (down, up) = (rate(value - least), rate(most - value));
            self.bound.push(JointRow { wanted: (-down).max(-1e300), range: [0.0, f64::INFINITY], ..row });
            self.bound.push(JointRow { wanted: up.min(1e300), range: [f64::NEG_INFINITY, 0.0], ..row });
        }
    }
}

/// Cholesky factor of the coupling of rows. JointRows on which nothing can act get a pivot that leaves them alone.
fn factorise(rows: &[JointRow], mobility: [&InverseMass; 2]) -> [[f64; 6]; 6] {
    let mut l = [[0.0; 6]; 6];
    let scale = rows.iter().map(|r| r.coupling(r, mobility)).fold(f64::MIN_POSITIVE, f64::max);
    for i in 0..rows.len().min(6) {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let rest = rows[i].coupling(&rows[j], mobility) - known;
            l[i][j] = if i == j {
                if rest > 1e-12 * scale { rest.sqrt() } else { f64::INFINITY }
            } else {
                rest / l[j][j]
            };
        }
    }
    l
}

/// Solves L Lᵀ x = x in place.
fn substitute(l: &[[f64; 6]; 6], count: usize, x: &mut [f64; 6]) {
    for i in 0..count.min(6) {
        let known: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - known) / l[i][i];
    }
    for i in (0..count.min(6)).rev() {
        let known: f64 = (i + 1..count.min(6)).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / l[i][i];
    }
}
