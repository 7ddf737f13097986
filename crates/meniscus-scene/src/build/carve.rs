//! Bodies are cut out of fluid, exactly as much as they take up.
//!
//! Particles that are left out one by one, by where they are, are too many or too few by up to half a layer around a
//! body, and then the water stands too low or is squeezed. So it is counted how much of the fluid's cells a body
//! covers, and as many particles are left out: the deepest ones. In a layer that is left out in part they are spread
//! evenly. What remains is fitted around the body when the simulation starts.

use super::fluid::Volume;
use super::placement::{TOLERANCE, closed_at_start, is_endless};
use crate::model::Scene;
use glam::DVec3;
use meniscus_core::{BodyId, Dimension};
use meniscus_coupling::Body;
use meniscus_geometry::{Aabb, Side, Solid};
use meniscus_sph::boundary::{BodySamples, BoundaryTreatment};
use rayon::prelude::*;

/// The step of finite differences of the distance, in spacings `[1]`.
const DIFFERENCE: f64 = 1e-3;

/// Powers of the root of x⁴ = x + 1 in reverse, whose multiples fill the unit interval evenly (\[Roberts2018\]) `[1]`.
const SPREAD: DVec3 = DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9);

/// Points along each edge of a cell at which it is asked whether a body covers it `[1]`.
const PROBES: usize = 4;
/// Who may go first among particles that are nearly equally deep, as a difference of depth, in spacings `[1]`.
const DITHER: f64 = 0.3;
/// How far before the surface particles are put that are just behind it, in spacings `[1]`.
const BEFORE: f64 = 0.02;

/// How often a particle is put out of a body, for one that sits where several faces meet `[1]`.
const EDGES: usize = 6;

/// The bodies that take the place of fluid in volumes that are to be carved.
pub(super) fn immersed(scene: &Scene, volumes: &[Volume], bodies: &[Body]) -> Vec<BodyId> {
    let takes_up = |solid: &Solid| {
        let cut = Cut::new(solid, scene.fluid.spacing, scene.dimension);
        let mut carved = scene.fluid.sources.iter().zip(volumes).filter(|(source, _)| source.carve);
        solid.side == Side::Solid
            && carved.any(|(_, volume)| {
                volume.position.par_iter().any(|x| cut.depth(*x) > (TOLERANCE - 0.5) * cut.spacing)
            })
    };
    closed(bodies).filter(|(_, solid)| takes_up(solid)).map(|(k, _)| BodyId(k as u32)).collect()
}

/// The bodies that have an inside, by their place, where they are at the start.
fn closed(bodies: &[Body]) -> impl Iterator<Item = (usize, Solid)> {
    bodies.iter().enumerate().filter_map(|(k, body)| Some((k, closed_at_start(body)?)))
}

/// Leaves out what bodies take up, of volumes that are to be carved, and tells around which of them fluid is left
/// uneven. Around those that answer with contacts or repulsion, by their `samples`, every particle nearer than fluid
/// rests is left out: they hold each particle by itself, and fluid from a lattice that has no room for a layer between
/// them jams. It does not if it is `packed_randomly`.
pub(super) fn carve(
    scene: &Scene,
    volumes: &mut [Volume],
    bodies: &[Body],
    samples: &[BodySamples],
    packed_randomly: bool,
) -> Vec<BodyId> {
    let is_felt = |k: usize| {
        let own =
            samples.iter().filter(|samples| samples.body.0 as usize == k && !samples.position.is_empty());
        own.map(|samples| samples.treatment)
            .all(|treatment| treatment == BoundaryTreatment::Pressure || packed_randomly)
    };
    let closed: Vec<(usize, Solid)> = closed(bodies).collect();
    let mut uneven = vec![false; bodies.len()];
    for (_, volume) in scene.fluid.sources.iter().zip(volumes).filter(|(source, _)| source.carve) {
        for (k, solid) in &closed {
            let cut = Cut::new(solid, scene.fluid.spacing, scene.dimension);
            if !is_felt(*k) {
                cut.clear(&mut volume.position);
                continue;
            }
            uneven[*k] |= cut.apply(&mut volume.position) && solid.side == Side::Solid;
        }
        // Who was put before one body may be in another one by that.
        for (_, solid) in &closed {
            let cut = Cut::new(solid, scene.fluid.spacing, scene.dimension);
            let free = |x: &DVec3| cut.depth(*x) <= 0.0;
            volume.position = std::mem::take(&mut volume.position).into_par_iter().filter(free).collect();
        }
    }
    (0..bodies.len()).filter(|&k| uneven[k]).map(|k| BodyId(k as u32)).collect()
}

/// One body in a fluid.
struct Cut<'a> {
    solid: &'a Solid,
    /// Where particles may be in it or near it, if that has an end.
    around: Option<Aabb>,
    spacing: f64,
    dimension: Dimension,
}

impl<'a> Cut<'a> {
    fn new(solid: &'a Solid, spacing: f64, dimension: Dimension) -> Self {
        let Aabb { min, max } = solid.bounds();
        let ends = solid.side == Side::Solid && !is_endless(solid);
        let around = ends.then_some(Aabb { min: min - 2.0 * spacing, max: max + 2.0 * spacing });
        Self { solid, around, spacing, dimension }
    }

    /// Leaves out all that is nearer than fluid rests.
    fn clear(&self, position: &mut Vec<DVec3>) {
        let free = |x: &DVec3| self.depth(*x) <= (TOLERANCE - 0.5) * self.spacing;
        *position = std::mem::take(position).into_par_iter().filter(free).collect();
    }

    /// Leaves out what the body takes up; whether others than those nearer to it than fluid rests are left out.
    fn apply(&self, position: &mut Vec<DVec3>) -> bool {
        let depth: Vec<f64> = position.par_iter().map(|&x| self.depth(x)).collect();
        let mut near: Vec<usize> = (0..depth.len()).filter(|&i| depth[i] > -self.spacing).collect();
        let covered: Vec<f64> = near.par_iter().map(|&i| self.covered(position[i], depth[i])).collect();
        let count = covered.iter().sum::<f64>().round() as usize;
        let rank = |i: usize| depth[i] + DITHER * self.spacing * spread(position[i] / self.spacing);
        near.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
        let (mut left, mut uneven) = (vec![true; position.len()], false);
        for (n, &i) in near.iter().enumerate() {
            left[i] = n >= count && depth[i] < 0.5 * self.spacing;
            uneven |= left[i] == (depth[i] > (TOLERANCE - 0.5) * self.spacing);
            if left[i] {
                position[i] = self.before(position[i]);
            }
        }
        let mut left = left.into_iter();
        position.retain(|_| left.next().unwrap_or(true));
        uneven
    }

    /// Where a particle that is hardly in the matter is put; the same place if it is outside.
    fn before(&self, mut x: DVec3) -> DVec3 {
        // At an edge the way out along both faces' mean is not yet one.
        for _ in 0..EDGES {
            let depth = self.depth(x);
            if depth <= -TOLERANCE * self.spacing {
                break;
            }
            let out = self.solid.normal(x, DIFFERENCE * self.spacing, self.dimension);
            x += (depth + BEFORE * self.spacing) * out;
        }
        x
    }

    /// How deep a particle is in the matter, negative outside of it; far away it does not matter how far `[m]`.
    fn depth(&self, x: DVec3) -> f64 {
        let far = self.around.as_ref().is_some_and(|around| !around.contains(x));
        if far { -2.0 * self.spacing } else { -self.solid.signed_distance(x, self.dimension) }
    }

    /// How much of the cell around a particle the body covers `[1]`.
    fn covered(&self, x: DVec3, depth: f64) -> f64 {
        if depth > self.spacing {
            return 1.0;
        }
        let layers = if self.dimension == Dimension::Two { 1 } else { PROBES };
        let at = |k: usize, of: usize| (k as f64 + 0.5) / of as f64 - 0.5;
        let probes = (0..PROBES * PROBES * layers).map(|k| {
            let (i, j, l) = (k % PROBES, k / PROBES % PROBES, k / PROBES / PROBES);
            x + self.spacing * DVec3::new(at(i, PROBES), at(j, PROBES), at(l, layers))
        });
        // Each probe stands for a small cell, which a face cuts in proportion: exact for faces along the lattice.
        let small = self.spacing / PROBES as f64;
        let share = |x: DVec3| (0.5 - self.solid.signed_distance(x, self.dimension) / small).clamp(0.0, 1.0);
        probes.map(share).sum::<f64>() / (PROBES * PROBES * layers) as f64
    }
}

/// A number in [0, 1) for a place in spacings, which neighbours on a lattice have far apart: the fractional parts of
/// multiples of the roots of x⁴ = x + 1 (\[Roberts2018\]) `[1]`.
fn spread(place: DVec3) -> f64 {
    place.floor().dot(SPREAD).rem_euclid(1.0)
}
