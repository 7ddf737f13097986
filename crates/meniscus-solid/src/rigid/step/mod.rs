//! The time sequence: collision, velocity, contact, position.
//!
//! \[Guendelman2006\] Secs. 2.5 and 2.11. Contacts are resolved right after velocities have been updated with gravity, so that bodies
//! at rest stay at rest without a threshold velocity.
//!
//! **Departures**
//! - Interference is looked up once, not in every iteration; again only if collisions made something faster than the
//!   search foresaw. See [`narrow`](crate::rigid::detect::narrow).
//! - A body without loads that touches nothing, or only immovable bodies along which it slides, moves with the mean of its
//!   velocities before and after gravity: falling and sliding are then exact, where the thesis' rule is off by half a step.

mod collide;
mod foresight;
mod joints;
mod levels;
mod now;
mod position;
mod search;
mod travel;

pub(crate) use foresight::Foresight;

use rayon::prelude::*;

use crate::SolidError;
use crate::rigid::RigidBodies;
use crate::rigid::contact::sweep::Effort;
use crate::rigid::island::{Whole, islands};
use meniscus_core::SolidReport;

/// The shortest part of a step, as a share of it, that is worth a substep of its own when bodies appear or are let go `[1]`.
const SLIVER: f64 = 1e-3;

impl RigidBodies {
    /// Advances by `dt` `[s]` in as many substeps as are needed.
    pub(crate) fn advance_by(&mut self, dt: f64) -> Result<SolidReport, SolidError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(SolidError::invalid("advance", format!("dt = {dt} s"), "a positive, finite time"));
        }
        let end = self.state.time + dt;
        let mut report = SolidReport::default();
        let mut left = dt;
        while left > 0.0 {
            let change = self.next_change(left, SLIVER * dt);
            let stretch = change.map_or(left, |change| change - self.state.time);
            let (parts, candidates) = self.parts(stretch, dt)?;
            if report.substeps.saturating_add(parts) > self.params.max_substeps {
                return Err(self.too_fast(stretch, dt, f64::from(report.substeps) + f64::from(parts)));
            }
            let h = stretch / f64::from(parts);
            // With one part the candidates are those of the substep.
            let candidates = (parts == 1).then_some(candidates);
            self.substep(h, h / dt, candidates, &mut report)?;
            report.substeps += 1;
            left = if parts == 1 && change.is_none() { 0.0 } else { left - h };
            if let (1, Some(change)) = (parts, change) {
                self.state.time = change;
            }
        }
        self.state.time = end;
        Ok(report)
    }

    /// The next moment within the time `left` at which a body appears or is let go: no substep reaches past it `[s]`. What is nearer
    /// than `sliver` `[s]` is now, what is as near to the end is left to the next step.
    fn next_change(&mut self, left: f64, sliver: f64) -> Option<f64> {
        let next = |time: f64| {
            self.body.iter().filter_map(|body| body.schedule.next_change(time)).min_by(f64::total_cmp)
        };
        let mut change = next(self.state.time);
        while let Some(now) = change.filter(|change| change - self.state.time <= sliver) {
            self.state.time = now;
            change = next(now);
        }
        change.filter(|change| change - self.state.time < left - sliver)
    }

    /// One substep of length `dt` `[s]`, which is the given share of the loads' time.
    fn substep(
        &mut self,
        dt: f64,
        share: f64,
        candidates: Option<Vec<[u32; 2]>>,
        report: &mut SolidReport,
    ) -> Result<(), SolidError> {
        self.shuffle();
        let mut now = self.now(dt, share);
        let candidates = candidates.unwrap_or_else(|| self.candidates(&now));
        let mut nearby = std::mem::take(&mut self.nearby);
        let mut pairs = self.look_at_all(&now, &candidates, &mut nearby);
        self.nearby = nearby;
        self.collide(&mut now, &mut pairs, report);
        let joints = self.joint_rows(&now);
        let level = Self::levels(&now, &mut pairs, &joints);
        let before = now.twist.clone();
        for (twist, kick) in now.twist.iter_mut().zip(&now.kick) {
            twist.linear += kick.linear;
            twist.angular += kick.angular;
        }
        let scale = self.state.memory.scale(dt);
        report.pairs = pairs.len() as u32;
        report.points = pairs.iter().map(|p| p.point.len() as u32).sum();
        report.deepest = pairs.iter().flat_map(|p| &p.point).map(|p| -p.gap).fold(0.0, f64::max);
        let joints = self.levelled(joints, &level, scale);
        let effort = self.effort(dt);
        let whole = Whole { twist: &now.twist, mobility: &now.mobility, level: &level };
        let mut islands = islands(&whole, pairs, joints);
        islands.par_iter_mut().with_max_len(1).for_each(|i| i.solve(&effort));
        report.sweeps = islands.iter().map(|i| i.sweeps).max().unwrap_or(0);
        self.state.memory.keep(&islands, self.joint.len(), dt);
        self.advance_positions(&now, &before, &islands)?;
        self.state.substep += 1;
        Ok(())
    }

    pub(super) fn effort(&self, dt: f64) -> Effort {
        let p = &self.params;
        Effort {
            dt,
            sweeps: p.contact_sweeps,
            first_restitution: p.first_restitution,
            shock_passes: p.shock_passes,
            push_passes: p.push_passes,
            tolerance: 1e-8 * (p.gravity.length() * dt).max(1e-6),
        }
    }
}
