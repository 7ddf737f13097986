//! The time sequence: collision, velocity, contact, position.
//!
//! \[Guendelman2006\] Secs. 2.5 and 2.11. Contacts are resolved right after velocities have been updated with gravity, so that bodies
//! at rest stay at rest without a threshold velocity.
//!
//! **Departures**
//! - Interference is looked up once, not in every iteration; again only if collisions made something faster than the
//!   search expected. See [`narrow`](crate::rigid::detect::narrow).
//! - A body without loads that touches nothing, or only immovable bodies along which it slides, moves with the mean of its
//!   velocities before and after gravity: falling and sliding are then exact, where the thesis' rule is off by half a step.

mod collide;
mod joints;
mod levels;
mod position;
mod predict;
mod search;
mod substep_state;
mod travel;

pub(crate) use predict::Prediction;

use rayon::prelude::*;

use crate::SolidError;
use crate::rigid::RigidBodies;
use crate::rigid::contact::sweep::{Island, Motions, SolverParams};
use crate::rigid::island::{IslandView, islands};
use meniscus_core::SolidReport;

/// What joints may be off by when a substep begins, as a share of their arms `[1]`.
const OPEN: f64 = 1e-4;
/// The shortest part of a step, as a share of it, that is worth a substep of its own when bodies enter or are released `[1]`.
const MIN_SUBSTEP_SHARE: f64 = 1e-3;

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
            let change = self.next_change(left, MIN_SUBSTEP_SHARE * dt);
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

    /// The next moment within the time `left` at which a body enters or is released: no substep reaches past it `[s]`. What is
    /// nearer than `shortest` `[s]` happens at once, what is as near to the end is left to the next step.
    fn next_change(&mut self, left: f64, shortest: f64) -> Option<f64> {
        let next = |time: f64| {
            self.body.iter().filter_map(|body| body.schedule.next_change(time)).min_by(f64::total_cmp)
        };
        let mut change = next(self.state.time);
        while let Some(at_once) = change.filter(|change| change - self.state.time <= shortest) {
            self.state.time = at_once;
            change = next(at_once);
        }
        change.filter(|change| change - self.state.time < left - shortest)
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
        self.find_mechanisms();
        // Joints that do not fit the bodies' start, and what somebody else has moved.
        self.close_joints(OPEN, |_| true);
        let mut substep = self.substep_state(dt, share);
        let candidates = candidates.unwrap_or_else(|| self.candidates(&substep));
        let mut proximity = std::mem::take(&mut self.proximity);
        let mut pairs = self.find_contacts(&substep, &candidates, &mut proximity);
        self.proximity = proximity;
        self.collide(&mut substep, &mut pairs, report);
        self.start_joints(&mut substep);
        let level = Self::levels(&substep, &mut pairs, &self.joint);
        let before = substep.twist.clone();
        for (twist, kick) in substep.twist.iter_mut().zip(&substep.kick) {
            twist.linear += kick.linear;
            twist.angular += kick.angular;
        }
        report.pairs = pairs.len() as u32;
        report.points = pairs.iter().map(|p| p.point.len() as u32).sum();
        report.deepest = pairs.iter().flat_map(|p| &p.point).map(|p| -p.gap).fold(0.0, f64::max);
        let joints = self.joint_systems(dt, &level);
        let solver = self.solver_params(dt);
        let view = IslandView { twist: &substep.twist, mobility: &substep.mobility, level: &level };
        let mut islands = islands(&view, pairs, joints);
        let lead = |island: &Island| self.move_mechanisms(&substep, island);
        let solve = |island: &mut Island| island.solve(&solver, lead);
        let motions: Vec<Motions> = islands.par_iter_mut().with_max_len(1).map(solve).collect();
        report.sweeps = islands.iter().map(|i| i.sweeps).max().unwrap_or(0);
        self.state.contact_cache.store(&islands, dt);
        self.advance_positions(&substep, &before, &islands, motions)?;
        self.state.substep += 1;
        Ok(())
    }

    pub(super) fn solver_params(&self, dt: f64) -> SolverParams {
        let p = &self.params;
        SolverParams {
            dt,
            sweeps: p.contact_sweeps,
            first_restitution: p.first_restitution,
            shock_passes: p.shock_passes,
            push_passes: p.push_passes,
            tolerance: 1e-8 * (p.gravity.length() * dt).max(1e-6),
        }
    }
}
