//! Conjugate gradients with the inverse of diagonal blocks as preconditioner.

use super::sparse::{Pattern, multiply};
use glam::{DMat3, DVec3};
use meniscus_core::reduce;
use rayon::prelude::*;

/// Entries that one thread takes at least.
const ENTRIES: usize = 1024;

/// What a solve needs room for.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConjugateGradient {
    inverse: Vec<DMat3>,
    residual: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
}

impl ConjugateGradient {
    pub(crate) fn new(rows: usize) -> Self {
        let zero = vec![DVec3::ZERO; rows];
        let inverse = vec![DMat3::IDENTITY; rows];
        Self { inverse, residual: zero.clone(), direction: zero.clone(), image: zero }
    }

    /// Prepares for a matrix on the coordinates that are free (1 instead of 0).
    pub(crate) fn prepare(&mut self, pattern: &Pattern, block: &[DMat3], free: &[DVec3]) {
        self.inverse.par_iter_mut().with_min_len(ENTRIES).enumerate().for_each(|(row, inverse)| {
            let mask = DMat3::from_diagonal(free[row]);
            let held = DMat3::from_diagonal(DVec3::ONE - free[row]);
            let own = mask * block[pattern.diagonal[row] as usize] * mask + held;
            *inverse = mask * own.inverse() * mask;
        });
    }

    /// Solves A x = b on the free coordinates, from x = 0, until the preconditioned residual is `tolerance` of what it was. Returns
    /// the sweeps, or nothing if numbers broke down.
    pub(crate) fn solve(
        &mut self,
        pattern: &Pattern,
        block: &[DMat3],
        free: &[DVec3],
        b: &[DVec3],
        x: &mut [DVec3],
        tolerance: f64,
    ) -> Option<u32> {
        let Self { inverse, residual, direction, image } = self;
        let most = 200 + 30 * b.len() as u32;
        x.fill(DVec3::ZERO);
        residual.copy_from_slice(b);
        let preconditioned = |residual: &[DVec3]| {
            reduce::by_chunk(
                residual.len(),
                0.0,
                |range| range.map(|i| residual[i].dot(inverse[i] * residual[i])).sum::<f64>(),
                |a, b| a + b,
            )
        };
        let pairs = direction.par_iter_mut().zip(&*inverse).zip(&*residual).with_min_len(ENTRIES);
        pairs.for_each(|((d, inverse), r)| *d = *inverse * *r);
        let mut square = preconditioned(residual);
        let enough = tolerance * tolerance * square;
        for sweep in 0..most {
            if square <= enough {
                return Some(sweep);
            }
            multiply(pattern, block, direction, image);
            let curvature = reduce::sum(b.len(), |i| direction[i].dot(free[i] * image[i]));
            if !(curvature > 0.0 && curvature.is_finite()) {
                return None;
            }
            let way = square / curvature;
            let steps = x.par_iter_mut().zip(&mut *residual).zip(&*direction).zip(&*image).zip(free);
            steps.with_min_len(ENTRIES).for_each(|((((x, r), d), image), free)| {
                *x += way * *d;
                *r -= way * (*free * *image);
            });
            let next = preconditioned(residual);
            let kept = next / square;
            let turns = direction.par_iter_mut().zip(&*inverse).zip(&*residual).with_min_len(ENTRIES);
            turns.for_each(|((d, inverse), r)| *d = *inverse * *r + kept * *d);
            square = next;
        }
        Some(most)
    }
}
