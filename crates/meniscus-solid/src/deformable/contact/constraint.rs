//! A pair that is kept apart along a fixed direction, with friction.

use glam::{DMat3, DVec3};
use meniscus_geometry::collision::Pair;

use super::carrier::Carriers;

/// A pair that is to be apart at the end of the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constraint {
    pair: Pair,
    /// What each vertex counts for in the gap `[1]`.
    weight: [f64; 4],
    /// Along which the gap is measured `[1]`.
    normal: DVec3,
    /// The gap that is wanted at the end `[m]`.
    gap: f64,
    friction: f64,
    answer: DMat3,
    /// The gap for a push along the normal `[kg]`.
    resistance: f64,
    /// What was pushed so far, along the normal and across it `[kg m]`.
    pushed: f64,
    rubbed: DVec3,
}

impl Constraint {
    /// `None` if nothing that is done here moves the pair.
    pub fn new(
        carriers: &Carriers<'_>,
        pair: Pair,
        weight: [f64; 4],
        normal: DVec3,
        gap: f64,
    ) -> Option<Self> {
        let answer = carriers.answer(pair.vertex, weight);
        let softness = normal.dot(answer * normal);
        let of = |sign: f64| {
            let part = pair.vertex.iter().zip(weight).filter(|(_, w)| w * sign > 0.0);
            part.map(|(&v, w)| w.abs() * carriers.of.friction[v as usize]).sum::<f64>()
        };
        (softness > 0.0 && softness.is_finite()).then(|| Self {
            pair,
            weight,
            normal,
            gap,
            friction: (of(1.0) * of(-1.0)).max(0.0).sqrt(),
            answer,
            resistance: 1.0 / softness,
            pushed: 0.0,
            rubbed: DVec3::ZERO,
        })
    }

    /// Pushes until the gap is as wide as wanted, and rubs against sliding as much as the push allows (Coulomb). Never
    /// pulls: what it does may be taken back, as others push as well. Returns how far that moved the gap `[m]`.
    pub fn relax(&mut self, carriers: &mut Carriers<'_>) -> f64 {
        let at = |i: usize| carriers.end(self.pair.vertex[i]);
        let offset: DVec3 = (0..4).map(|i| self.weight[i] * at(i)).sum();
        let pushed = (self.pushed + self.resistance * (self.gap - self.normal.dot(offset))).max(0.0);
        let change = (pushed - self.pushed) * self.normal;
        self.pushed = pushed;
        let before: DVec3 =
            (0..4).map(|i| self.weight[i] * carriers.start[self.pair.vertex[i] as usize]).sum();
        let rub = self.rub(offset - before + self.answer * change);
        carriers.push(self.pair.vertex, self.weight, change + rub);
        change.length() / self.resistance
    }

    /// The change of friction for a slip over the step.
    fn rub(&mut self, moved: DVec3) -> DVec3 {
        if self.friction == 0.0 {
            return DVec3::ZERO;
        }
        let slip = moved.reject_from_normalized(self.normal);
        let softness = slip.dot(self.answer * slip);
        let mut rubbed = self.rubbed;
        if softness > 0.0 {
            rubbed -= slip * (slip.length_squared() / softness);
        }
        let rubbed = rubbed.clamp_length_max(self.friction * self.pushed);
        let change = rubbed - self.rubbed;
        self.rubbed = rubbed;
        change
    }
}
