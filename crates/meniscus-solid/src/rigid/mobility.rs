//! Mobility: the change of a body's motion per impulse, when joints hold it to others.
//!
//! Nothing is simulated: with the mass M of a mechanism and the gradients G of what its joints hold, mobilities are the diagonal
//! blocks of M⁻¹ − M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ G M⁻¹, which is a part of the inverse of the [mechanism](crate::rigid::mechanism)'s system. Those
//! of all its bodies come out of one factorisation. They are linear in the impulse and symmetric, as those who solve for pressures need it.
//!
//! Contacts are not among the constraints. They do not pull, and friction has a limit: a light body that seems as firm as the
//! floor below it takes up pressures that throw it when the contact opens. A [`Prediction`](crate::rigid::step::Prediction)
//! knows them.

use std::sync::OnceLock;

use glam::{DMat3, DVec3};
use meniscus_core::Mobility;

use crate::rigid::RigidBodies;
use crate::rigid::mechanism::block::Block;

/// The mobilities of jointed bodies, by their numbers; found when they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Mobilities(OnceLock<Vec<(u32, Mobility)>>);

impl RigidBodies {
    /// The mobility of a body.
    pub(crate) fn mobility_of(&self, body: usize) -> Mobility {
        let own = self.inverse_mass(body);
        let free =
            Mobility { linear: DMat3::from_diagonal(own.mass), angular: own.inertia, lever: DMat3::ZERO };
        if own.is_none() || !self.jointed[body] {
            return free;
        }
        let known = self.mobilities.0.get_or_init(|| self.jointed_mobilities());
        known.binary_search_by_key(&(body as u32), |m| m.0).map_or(free, |k| known[k].1)
    }

    fn jointed_mobilities(&self) -> Vec<(u32, Mobility)> {
        let mut all: Vec<(u32, Mobility)> = Vec::new();
        for mechanism in &self.mechanism {
            let blocks = self.system_now(mechanism).mobilities();
            all.extend(mechanism.body.iter().copied().zip(blocks.iter().map(mobility)));
        }
        all.sort_unstable_by_key(|m| m.0);
        all
    }
}

fn mobility(block: &Block) -> Mobility {
    let part = |row: usize, first: usize| {
        let column = |k: usize| DVec3::new(block[row][k], block[row + 1][k], block[row + 2][k]);
        DMat3::from_cols(column(first), column(first + 1), column(first + 2))
    };
    Mobility { linear: part(0, 0), angular: part(3, 3), lever: part(0, 3) }
}
