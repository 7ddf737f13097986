//! The fluid's state: one column per quantity, rows in cell order.

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Everything that a restart needs to know about the fluid particles.
///
/// The order of the rows is part of the state: it decides the order of sums, and so the bits of the future.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// Position `[m]`.
    pub position: Vec<DVec3>,
    /// Velocity `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// Stable identity.
    pub id: Vec<u64>,
    /// Start value of the density solve: ρ0 p dt² / ρ² of the last step `[m²]`.
    pub density_warm: Vec<f32>,
    /// Start value of the divergence solve: ρ0 p dt / ρ² of the last step `[m²/s]`.
    pub divergence_warm: Vec<f32>,
    /// Pressure at the end of the last step `[Pa]`.
    pub pressure: Vec<f32>,
    /// The id that the next new particle gets.
    pub next_id: u64,
}

impl Particles {
    /// No particles.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            position: Vec::new(),
            velocity: Vec::new(),
            id: Vec::new(),
            density_warm: Vec::new(),
            divergence_warm: Vec::new(),
            pressure: Vec::new(),
            next_id: 0,
        }
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there is no fluid at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// None yet, with room for so many.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        Self {
            position: Vec::with_capacity(count),
            velocity: Vec::with_capacity(count),
            id: Vec::with_capacity(count),
            density_warm: Vec::with_capacity(count),
            divergence_warm: Vec::with_capacity(count),
            pressure: Vec::with_capacity(count),
            ..Self::default()
        }
    }

    /// Adds a particle at rest pressure.
    pub fn push(&mut self, position: DVec3, velocity: DVec3) {
        self.position.push(position);
        self.velocity.push(velocity);
        self.id.push(self.next_id);
        self.density_warm.push(0.0);
        self.divergence_warm.push(0.0);
        self.pressure.push(0.0);
        self.next_id += 1;
    }

    /// Keeps the particles for which `keep(i)` holds, in their order.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        fn filter<T: Copy>(column: &mut Vec<T>, keep: &impl Fn(usize) -> bool) {
            let mut i = 0;
            column.retain(|_| {
                i += 1;
                keep(i - 1)
            });
        }
        // `position` goes last: `keep` usually looks at it through another borrow's copy of the indices.
        filter(&mut self.velocity, &keep);
        filter(&mut self.id, &keep);
        filter(&mut self.density_warm, &keep);
        filter(&mut self.divergence_warm, &keep);
        filter(&mut self.pressure, &keep);
        filter(&mut self.position, &keep);
    }

    /// Puts row `order[n]` at place n, for all columns.
    pub fn permute(&mut self, order: &[u32], spare: &mut SpareColumns) {
        permute(&mut self.position, &mut spare.vector, order);
        permute(&mut self.velocity, &mut spare.vector, order);
        permute(&mut self.id, &mut spare.id, order);
        permute(&mut self.density_warm, &mut spare.scalar, order);
        permute(&mut self.divergence_warm, &mut spare.scalar, order);
        permute(&mut self.pressure, &mut spare.scalar, order);
    }
}

/// Buffers that make permuting free of allocations.
#[derive(Debug, Default)]
pub struct SpareColumns {
    vector: Vec<DVec3>,
    id: Vec<u64>,
    scalar: Vec<f32>,
}

/// Puts `column[order[n]]` at place n; `spare` makes it free of allocations.
pub(crate) fn permute<T: Copy + Send + Sync>(column: &mut Vec<T>, spare: &mut Vec<T>, order: &[u32]) {
    order.par_iter().with_min_len(4096).map(|&i| column[i as usize]).collect_into_vec(spare);
    std::mem::swap(column, spare);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_together_when_permuted_and_filtered() {
        let mut particles = Particles::default();
        for i in 0..10 {
            particles.push(DVec3::splat(f64::from(i)), DVec3::splat(-f64::from(i)));
        }
        let order: Vec<u32> = (0..10).rev().collect();
        particles.permute(&order, &mut SpareColumns::default());
        particles.retain(|i| i % 2 == 0);
        assert_eq!(particles.id, [9, 7, 5, 3, 1]);
        for i in 0..5 {
            assert_eq!(particles.position[i], -particles.velocity[i]);
            assert_eq!(particles.position[i].x as u64, particles.id[i]);
        }
    }
}
