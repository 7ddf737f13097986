//! Undoing a step that fails, so that the state is wholly the one before it.

use crate::particles::{Particles, SpareColumns};
use crate::state::SphState;

/// What a step has changed or removed before it moves anything: enough to go back.
///
/// Columns of the particles are large and mostly only reordered, so they are put back, not copied. Copies are made of what
/// solves overwrite, and of everything where drains or the end of the world may remove particles.
#[derive(Default)]
pub(crate) struct Undo {
    /// The state before the step, without its particles.
    rest: Option<SphState>,
    /// Whether the step may remove particles.
    removes: bool,
    /// The particles before the step, if it may.
    whole: Particles,
    /// Number of particles before emitters added some.
    count: usize,
    /// The id that the next new particle got.
    next_id: u64,
    /// Whether the rows are in the order of the step that failed.
    sorted: bool,
    /// What solves overwrite, in that order.
    density_warm: Vec<f32>,
    divergence_warm: Vec<f32>,
    pressure: Vec<f32>,
    spare: SpareColumns,
}

impl Undo {
    /// Notes the state before a step; `removes` tells whether particles may be removed.
    pub fn begin(&mut self, state: &mut SphState, removes: bool) {
        let particles = std::mem::take(&mut state.particles);
        match &mut self.rest {
            Some(rest) => rest.copy_from(state),
            rest @ None => *rest = Some(state.clone()),
        }
        self.count = particles.len();
        self.next_id = particles.next_id;
        self.sorted = false;
        self.removes = removes;
        if removes {
            self.whole.clone_from(&particles);
        }
        state.particles = particles;
    }

    /// Notes what solves will overwrite. The particles have been sorted.
    pub fn note_sorted(&mut self, particles: &Particles) {
        self.density_warm.clone_from(&particles.density_warm);
        self.divergence_warm.clone_from(&particles.divergence_warm);
        self.pressure.clone_from(&particles.pressure);
        self.sorted = true;
    }

    /// Goes back; `order` is how the step sorted the particles.
    pub fn restore(&mut self, state: &mut SphState, order: &[u32]) {
        let Some(rest) = self.rest.take() else { return };
        let mut particles = std::mem::take(&mut state.particles);
        if self.removes {
            particles.clone_from(&self.whole);
        } else {
            self.put_back(&mut particles, order);
        }
        *state = SphState { particles, ..rest };
    }

    fn put_back(&mut self, particles: &mut Particles, order: &[u32]) {
        if self.sorted {
            particles.density_warm.clone_from(&self.density_warm);
            particles.divergence_warm.clone_from(&self.divergence_warm);
            particles.pressure.clone_from(&self.pressure);
            let mut place = vec![0; order.len()];
            for (n, &i) in (0_u32..).zip(order) {
                if let Some(place) = place.get_mut(i as usize) {
                    *place = n;
                }
            }
            particles.permute(&place, &mut self.spare);
        }
        // Emitters add at the end.
        particles.retain(|i| i < self.count);
        particles.next_id = self.next_id;
    }
}
