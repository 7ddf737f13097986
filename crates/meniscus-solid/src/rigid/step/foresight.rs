//! What a step would make of loads, before it is taken.
//!
//! A driver that looks for loads and motions together asks many times for the same step. Who may touch whom is found once; each
//! question is a few sweeps over contacts and joints, which start from the answer to the one before. Unlike
//! [`answer`](crate::rigid::answer) it knows that contacts do not pull, that friction has a limit, and that a load on one body moves others.
//! Collisions, shock propagation and division into substeps are left to the step itself.

use meniscus_core::Wrench;
use rayon::prelude::*;

use crate::rigid::RigidBodies;
use crate::rigid::body::InverseMass;
use crate::rigid::contact::sweep::Island;
use crate::rigid::island::{Whole, islands};
use meniscus_core::Twist;

/// The step to come, as far as it is known without loads.
#[derive(Debug, Default)]
pub(crate) struct Foresight {
    /// Its length `[s]`.
    dt: f64,
    /// Motions at its start, and with gravity at its end.
    before: Vec<Twist>,
    fallen: Vec<Twist>,
    mobility: Vec<InverseMass>,
    islands: Vec<Island>,
}

impl RigidBodies {
    /// Finds who may touch whom in a step of length `dt` `[s]`.
    pub(crate) fn look_ahead(&mut self, dt: f64) {
        let now = self.now(dt, 0.0);
        let candidates = self.candidates(&now);
        let mut nearby = std::mem::take(&mut self.nearby);
        let mut pairs = self.look_at_all(&now, &candidates, &mut nearby);
        self.nearby = nearby;
        let joints = self.joint_rows(&now);
        let level = Self::levels(&now, &mut pairs, &joints);
        let joints = self.levelled(joints, &level, self.state.memory.scale(dt));
        let whole = Whole { twist: &now.twist, mobility: &now.mobility, level: &level };
        let islands = islands(&whole, pairs, joints);
        let fallen = now.twist.iter().zip(&now.kick).map(|(&twist, &kick)| twist + kick).collect();
        self.foresight = Foresight { dt, before: now.twist, fallen, mobility: now.mobility, islands };
    }

    /// How motions change in that step under gravity and `loads`, one for each body.
    pub(crate) fn motions_under(&mut self, loads: &[Wrench], result: &mut Vec<Twist>) {
        let Foresight { dt, before, fallen, mobility, mut islands } = std::mem::take(&mut self.foresight);
        let effort = self.effort(dt);
        let loaded = |body: usize| {
            let (mut twist, load) = (fallen[body], loads.get(body).copied().unwrap_or_default());
            if !mobility[body].is_none() && load != Wrench::default() {
                let kick = self.kick_of(body, &mobility[body], load);
                twist.linear += kick.linear;
                twist.angular += kick.angular;
            }
            twist
        };
        islands.par_iter_mut().with_max_len(1).for_each(|island| island.answer(loaded, &effort));
        let change = |body: usize, twist: Twist| twist - before[body];
        result.clear();
        result.extend((0..self.body.len()).map(|body| change(body, loaded(body))));
        for island in &islands {
            for (&body, &twist) in island.body.iter().zip(&island.twist) {
                if !mobility[body as usize].is_none() {
                    result[body as usize] = change(body as usize, twist);
                }
            }
        }
        self.foresight = Foresight { dt, before, fallen, mobility, islands };
    }
}
