//! Contacts: bodies that touch push each other off, until nothing approaches.
//!
//! \[Guendelman2006\] Sec. 2.8. Pairs are processed from the ground upwards, many times over; each point is stopped gradually,
//! by a restitution that rises from −0.9 to 0. A last sweep, shock propagation (Sec. 2.8.2), makes the bodies of each level
//! immovable before the next is processed.
//!
//! | symbol | in code | meaning |
//! | --- | --- | --- |
//! | ε | `restitution` | −1 leaves a point alone, 0 stops it |
//!
//! **Departures**
//! - Impulses are whole ones, see [`friction`], and those of the previous step are where a step begins. The sweeps
//!   converge to the contact forces instead of starting from nothing at every step.
//! - A point may approach as fast as closes its gap by the end of the step, so that nothing comes to rest above the ground.
//! - Small groups of bodies are swept until they have converged; the number of sweeps is that of large ones.
//! - Joints are solved exactly after each sweep over the contacts, all of a [mechanism](crate::rigid::mechanism) at once.
//! - Groups of bodies that do not touch each other (islands) are solved side by side.

use glam::DVec3;

use super::graph::UNSUPPORTED;
use super::{ContactPair, ContactPoint, effective, friction, push, rolling};
use crate::rigid::body::InverseMass;
use crate::rigid::mechanism::motion::Motion;
use crate::rigid::mechanism::velocity::VelocitySystem;
use meniscus_core::Twist;

/// ContactPoint updates that a small island may spend on converging `[1]`. With a quarter of it, a tower of nine planks that must
/// topple is held up: shock propagation stops what the sweeps have not finished.
const BUDGET: usize = 3000;
/// Sweeps at most, as a multiple of the number asked for `[1]`.
const MAX_EXTRA: u32 = 10;

/// How often contacts are solved again after mechanisms have moved `[1]`.
const CORRECTIONS: u32 = 2;
/// Sweeps at most for a prediction, as a multiple of the number asked for `[1]`.
const MAX_EXTRA_PREDICTION: u32 = 3;
/// The tolerance of a prediction, as a multiple of that of a step `[1]`: a ten-thousandth of what gravity changes.
const PREDICTION_TOLERANCE: f64 = 1e4;

/// Where mechanisms were led, with their numbers.
pub(crate) type Motions = Vec<(usize, Motion)>;

/// How contacts are solved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SolverParams {
    pub dt: f64,
    /// Sweeps of an island that is too large to be swept to convergence `[1]`.
    pub sweeps: u32,
    /// Restitution of the first sweep `[1]`.
    pub first_restitution: f64,
    /// Passes over a level in shock propagation; none, and there is none `[1]`.
    pub shock_passes: u32,
    /// Passes over a level when overlaps are pushed apart `[1]`.
    pub push_passes: u32,
    /// Changes of velocity that count as none `[m/s]`.
    pub tolerance: f64,
}

/// Bodies that touch each other, directly or through others, with copies of all that is needed to solve their contacts.
#[derive(Debug, Default)]
pub(crate) struct Island {
    /// Their indices among all bodies; immovable ones that they touch included.
    pub body: Vec<u32>,
    pub twist: Vec<Twist>,
    pub mobility: Vec<InverseMass>,
    pub level: Vec<u32>,
    /// Contacts between them, by level.
    pub pair: Vec<ContactPair>,
    /// Mechanisms among them, by level, with their numbers.
    pub mechanism: Vec<(usize, VelocitySystem)>,
    /// By how much overlaps are pushed apart: metres and radians.
    pub push: Vec<Twist>,
    /// Sweeps that were needed.
    pub sweeps: u32,
    /// Impulses at the end of the sweeps, in the order of pairs and points `[N s]`.
    pub impulse: Vec<DVec3>,
}

impl Island {
    /// Solves its contacts and joints. `lead` moves its mechanisms as what contacts and motors did to them so far has it.
    pub fn solve(&mut self, solver: &SolverParams, lead: impl Fn(&Self) -> Motions) -> Motions {
        if self.pair.is_empty() && self.mechanism.iter().all(|(_, m)| m.only_holds()) {
            // Their motion is found with all that holds.
            self.push = vec![Twist::default(); self.body.len()];
            return lead(self);
        }
        self.start();
        self.sweep_all(solver);
        if !self.pair.is_empty() && !self.mechanism.is_empty() {
            for _ in 0..CORRECTIONS {
                let motions = lead(self);
                self.follow(&motions, solver.dt);
                self.sweep_again(solver);
            }
        }
        self.impulse = self.pair.iter().flat_map(|p| &p.point).map(|p| p.impulse).collect();
        if solver.shock_passes > 0 {
            self.shock(solver);
        }
        let motions = lead(self);
        self.follow(&motions, solver.dt);
        push::apart(self, solver);
        motions
    }

    /// Takes over how mechanisms really move, which bends while sweeps see it straight. What contacts do from here on they do
    /// in addition.
    fn follow(&mut self, motions: &Motions, dt: f64) {
        for ((_, system), (_, motion)) in self.mechanism.iter_mut().zip(motions) {
            system.follow(&mut self.twist, &motion.mean(dt));
        }
    }

    /// Sweeps until contacts agree with what they have been told.
    fn sweep_again(&mut self, solver: &SolverParams) {
        for _ in 0..passes(self.points(), solver.sweeps) {
            self.sweeps += 1;
            if sweep_once(self, solver.dt, 1.0) <= solver.tolerance {
                break;
            }
        }
    }

    /// Where bodies end that would move as `loaded` says if they did not touch. Starts from the impulses of the last prediction.
    pub fn predict(&mut self, loaded: impl Fn(usize) -> Twist, solver: &SolverParams) {
        for (twist, body) in self.twist.iter_mut().zip(&self.body) {
            *twist = loaded(*body as usize);
        }
        self.start();
        // The next prediction starts where this one ends; what is left now is done then.
        for _ in 0..passes(self.points(), solver.sweeps).min(MAX_EXTRA_PREDICTION * solver.sweeps) {
            if sweep_once(self, solver.dt, 1.0) <= PREDICTION_TOLERANCE * solver.tolerance {
                break;
            }
        }
    }

    /// Applies the impulses that were right in the previous step.
    fn start(&mut self) {
        for pair in &self.pair {
            let [a, b] = pair.body.map(|i| i as usize);
            for point in &pair.point {
                self.mobility[a].push(&mut self.twist[a], point.arm[0], point.impulse);
                self.mobility[b].push(&mut self.twist[b], point.arm[1], -point.impulse);
            }
        }
        self.mechanism.iter_mut().for_each(|(_, m)| m.restart());
    }

    /// Points that a sweep goes through, joints by what they cost.
    fn points(&self) -> usize {
        self.pair.iter().map(|p| p.point.len()).sum::<usize>()
            + 6 * self.mechanism.iter().map(|(_, m)| m.mechanism.joint.len()).sum::<usize>()
    }

    fn sweep_all(&mut self, solver: &SolverParams) {
        for sweep in 0..passes(self.points(), solver.sweeps) {
            // [Guendelman2006] Sec. 2.8: ε = −0.9 at first, 0 at last
            let rise = f64::from(sweep + 1) / f64::from(solver.sweeps);
            let restitution = solver.first_restitution * (1.0 - rise).max(0.0);
            let change = sweep_once(self, solver.dt, 1.0 + restitution);
            self.sweeps += 1;
            if change <= solver.tolerance {
                break;
            }
        }
    }

    /// One sweep upwards after each level of which all bodies are immovable (\[Guendelman2006\] Sec. 2.8.2).
    fn shock(&mut self, solver: &SolverParams) {
        let Self { twist, mobility, level, pair, mechanism, .. } = self;
        let mut mechanisms = &mut mechanism[..];
        for group in pair.chunk_by_mut(|a, b| a.level == b.level) {
            let now = group.first().map_or(0, |p| p.level);
            let split = mechanisms.iter().take_while(|(_, m)| m.level <= now).count();
            let (due, later) = std::mem::take(&mut mechanisms).split_at_mut(split);
            mechanisms = later;
            for pair in &mut *group {
                let held = held(pair, level, mobility);
                if pair.body.iter().any(|b| is_frozen(level[*b as usize], now)) {
                    for point in &mut pair.point {
                        hold(point, &held);
                    }
                }
            }
            let joints = due.iter().map(|(_, m)| m.mechanism.joint.len()).sum::<usize>();
            let points = group.iter().map(|p| p.point.len()).sum::<usize>() + 6 * joints;
            for _ in 0..passes(points, solver.shock_passes) {
                let mut change = 0.0_f64;
                for (_, mechanism) in &mut *due {
                    change = change.max(mechanism.relax(twist));
                }
                for pair in &mut *group {
                    let held = held(pair, level, mobility);
                    change = change.max(relax(pair, twist, [&held[0], &held[1]], solver.dt, 1.0));
                }
                if change <= solver.tolerance {
                    break;
                }
            }
        }
    }
}

/// How often `points` points are gone through when `asked` times is enough for many.
fn passes(points: usize, asked: u32) -> u32 {
    let affordable = (BUDGET / points.max(1)) as u32;
    affordable.clamp(asked, asked.saturating_mul(MAX_EXTRA))
}

/// Whether a body of level `level` is already immovable while level `now` is processed.
pub(super) fn is_frozen(level: u32, now: u32) -> bool {
    level < now && level != UNSUPPORTED
}

/// The mobilities of a pair in shock propagation.
pub(super) fn held(pair: &ContactPair, level: &[u32], mobility: &[InverseMass]) -> [InverseMass; 2] {
    pair.body.map(|b| {
        let frozen = is_frozen(level[b as usize], pair.level);
        if frozen { InverseMass::NONE } else { mobility[b as usize] }
    })
}

/// Recomputes K after a body became immovable.
fn hold(point: &mut ContactPoint, mobility: &[InverseMass; 2]) {
    point.set_k(effective([&mobility[0], &mobility[1]], point.arm));
}

/// One sweep over all joints and pairs; the largest change of a velocity `[m/s]`.
fn sweep_once(island: &mut Island, dt: f64, share: f64) -> f64 {
    let Island { twist, mobility, pair, mechanism, .. } = island;
    let mut change = 0.0_f64;
    for (_, mechanism) in mechanism {
        change = change.max(mechanism.relax(twist));
    }
    for pair in pair {
        let [a, b] = pair.body.map(|i| i as usize);
        change = change.max(relax(pair, twist, [&mobility[a], &mobility[b]], dt, share));
    }
    // A sweep that does less than it could has not converged.
    change / share
}

/// Brings the points of one pair to rest, each by the given share; the largest change of a velocity `[m/s]`.
fn relax(
    pair: &mut ContactPair,
    twist: &mut [Twist],
    mobility: [&InverseMass; 2],
    dt: f64,
    share: f64,
) -> f64 {
    let [a, b] = pair.body.map(|i| i as usize);
    let (mut first, mut second) = (twist[a], twist[b]);
    let (coefficient, turning) = ([pair.rolling, pair.spinning], rolling::matters(pair));
    let mut change = 0.0_f64;
    for point in &mut pair.point {
        let velocity = point.relative([&first, &second]);
        let wanted = -point.gap.max(0.0) / dt;
        let impulse = friction::impulse(point, velocity, point.impulse, wanted, pair.friction);
        let delta = share * (impulse - point.impulse);
        if delta != DVec3::ZERO {
            point.impulse += delta;
            mobility[0].push(&mut first, point.arm[0], delta);
            mobility[1].push(&mut second, point.arm[1], -delta);
            change = change.max(delta.length_squared() * point.k.x_axis.x.powi(2));
        }
        if turning {
            let turned = rolling::resist(point, coefficient, [&mut first, &mut second], mobility);
            change = change.max((turned * point.arm[0].length()).powi(2));
        }
    }
    (twist[a], twist[b]) = (first, second);
    change.sqrt()
}
