//! What a step would make of loads, before it is taken.
//!
//! A driver that looks for loads and motions together asks many times for the same step. Who may touch whom is found once; each
//! prediction is a few sweeps over contacts and joints, which start from the one before. Unlike
//! [`mobility`](crate::rigid::mobility) it knows that contacts do not pull, that friction has a limit, and that a load on one
//! body moves others.
//! Collisions, shock propagation and division into substeps are left to the step itself.

use meniscus_core::Wrench;
use rayon::prelude::*;

use crate::rigid::RigidBodies;
use crate::rigid::body::InverseMass;
use crate::rigid::contact::sweep::Island;
use crate::rigid::island::{IslandView, islands};
use meniscus_core::Twist;

/// The step to come, as far as it is known without loads.
#[derive(Debug, Default)]
pub(crate) struct Prediction {
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
    pub(crate) fn prepare_prediction(&mut self, dt: f64) {
        self.find_mechanisms();
        let substep = self.substep_state(dt, 0.0);
        let candidates = self.candidates(&substep);
        let mut proximity = std::mem::take(&mut self.proximity);
        let mut pairs = self.find_contacts(&substep, &candidates, &mut proximity);
        self.proximity = proximity;
        let level = Self::levels(&substep, &mut pairs, &self.joint);
        let joints = self.joint_systems(dt, &level);
        let view = IslandView { twist: &substep.twist, mobility: &substep.mobility, level: &level };
        let islands = islands(&view, pairs, joints);
        let fallen = substep.twist.iter().zip(&substep.kick).map(|(&twist, &kick)| twist + kick).collect();
        self.prediction =
            Prediction { dt, before: substep.twist, fallen, mobility: substep.mobility, islands };
    }

    /// How motions change in that step under gravity and `loads`, one for each body.
    pub(crate) fn predict_motions(&mut self, loads: &[Wrench], result: &mut Vec<Twist>) {
        let Prediction { dt, before, fallen, mobility, mut islands } = std::mem::take(&mut self.prediction);
        let solver = self.solver_params(dt);
        let loaded = |body: usize| {
            let (mut twist, load) = (fallen[body], loads.get(body).copied().unwrap_or_default());
            if !mobility[body].is_none() && load != Wrench::default() {
                let kick = self.kick_of(body, &mobility[body], load);
                twist.linear += kick.linear;
                twist.angular += kick.angular;
            }
            twist
        };
        islands.par_iter_mut().with_max_len(1).for_each(|island| island.predict(loaded, &solver));
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
        self.prediction = Prediction { dt, before, fallen, mobility, islands };
    }
}
