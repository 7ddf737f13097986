//! Limits: what single contacts of direct forcing ask of a particle's velocity, and which of them count.

use super::pinch::pass_on;
use super::{ForcingParams, ForcingUpdate};
use crate::boundary::{BoundaryRows, BoundarySample, BoundaryTreatment, SampleGeometry};
use glam::{DMat3, DVec3};
use meniscus_core::{BodyId, Carriers, InterfacePoints, Twist};

/// How many times the limits of a particle are imposed in turn: enough for a corner of three walls `[1]`.
const CONSTRAINT_PASSES: usize = 3;

/// Candidates this far from touching at the predicted place are watched, in radii of a fluid particle: pressure may bring
/// them nearer `[1]`.
const LOOK_AHEAD: f64 = 1.0;

/// A plane counts beside another one if its contact is this far in front of that, in radii of a fluid particle `[1]`.
const DISTINCT: f64 = 1e-3;

/// How far a particle that starts inside is pushed out in a step at most, in its radii `[1]`.
const MAX_PUSHOUT_PER_STEP: f64 = 0.2;

/// No body counts for more than this in one contact: of what a joint hardly lets move, rounding would be left, in masses of a particle `[1]`.
const MAX_EFFECTIVE_MASS: f64 = 1e4;

/// One limit of one particle's velocity.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactConstraint {
    /// The particle within its chunk.
    pub(super) local: u32,
    /// The sample that it is with.
    pub(super) point: u32,
    pub(super) body: BodyId,
    pub(super) normal: DVec3,
    /// Least v·n `[m/s]`.
    pub(super) min_normal_velocity: f64,
    /// The wall's velocity `[m/s]`.
    pub(super) wall: DVec3,
    /// Where the wall is touched at the end of the step `[m]`.
    pub(super) contact: DVec3,
    /// Where the particle is at its start `[m]`. The wall receives its load there: a particle does not spin, so only then one
    /// loses the angular momentum that the other gains.
    pub(super) particle: DVec3,
    pub(super) params: ForcingParams,
    /// What the contact has added to the particle's velocity along its normal in this solve `[m/s]`.
    pub(super) push: f64,
    /// What a body presses through the particle to the wall behind it, as a change of the particle's velocity that both of them undo: opposite
    /// for the two `[m/s]`.
    pub(super) through: DVec3,
    /// Whether the wall pushes the particle in this step, and the particle does not merely slide along or leave.
    pub(super) pressed: bool,
    /// What a wall at rest adds along its normal to a particle under pressure that nothing presses against it `[m/s]`.
    pub(super) off: f64,
    /// The body's place among the dynamic ones.
    pub(super) slot: Option<u32>,
    /// From its centre of mass to `particle` `[m]`: the wall in front of the particle moves and is pushed there.
    pub(super) arm: DVec3,
    /// How heavy its body is for a push at this contact, in masses of a particle `[1]`.
    pub(super) effective_mass: f64,
    /// The share of what is lacking that the particle makes up for, the rest being the body's: of Eq. 12, and 1 where
    /// the body's motion is solved for `[1]`.
    pub(super) share: f64,
    /// The share of the tangential relative velocity that the particle keeps in this step `[1]`.
    pub(super) kept: f64,
}

/// What contacts need to know of the fluid.
#[derive(Clone, Copy)]
pub struct ForcingFluid<'a> {
    /// Rows of the boundary.
    pub rows: &'a BoundaryRows,
    /// Positions at the start of the step `[m]`.
    pub position: &'a [DVec3],
    /// r_F, half the spacing `[m]`.
    pub radius: f64,
    /// Length of the step `[s]`.
    pub dt: f64,
    /// A speed that shakes no fluid: particles that start inside a body leave it no faster `[m/s]`.
    pub max_pushout_speed: f64,
    /// What a flat wall that is touched adds to the density `[1]`.
    pub fill: f32,
}

/// The samples of the points, as contacts see them: one entry for each lasting point.
#[derive(Clone, Copy)]
pub struct ContactWalls<'a> {
    /// The points.
    pub points: &'a InterfacePoints,
    /// How each touches; the normals are those at the end of the step, in the scene's frame.
    pub geometry: &'a [SampleGeometry],
    /// By body.
    pub treatment: &'a [BoundaryTreatment],
    /// What answers.
    pub carriers: &'a Carriers,
    /// Mass of a fluid particle `[kg]`.
    pub mass: f64,
}

/// Makes a velocity obey its limits, for dynamic bodies that change their motion by `twist`.
pub(super) fn impose(limits: &mut [ContactConstraint], velocity: &mut DVec3, twist: &[Twist]) {
    for limit in limits.iter_mut() {
        limit.push = 0.0;
    }
    for _ in 0..CONSTRAINT_PASSES {
        let mut kept = true;
        for limit in limits.iter_mut() {
            let min_normal_velocity = limit.min_normal_velocity + limit.recoil(twist).dot(limit.normal);
            let velocity_deficit = limit.share * (min_normal_velocity - velocity.dot(limit.normal)).max(0.0);
            *velocity += velocity_deficit * limit.normal;
            limit.push += velocity_deficit;
            kept &= velocity_deficit <= 0.0;
        }
        if kept {
            break;
        }
    }
    pass_on(limits, twist);
}

impl ContactConstraint {
    pub(super) fn slot(&self) -> usize {
        self.slot.map_or(usize::MAX, |slot| slot as usize)
    }

    /// How the wall's velocity changes with its body's motion `[m/s]`.
    pub(super) fn recoil(&self, twist: &[Twist]) -> DVec3 {
        let twist = self.slot.and_then(|slot| twist.get(slot as usize));
        twist.map_or(DVec3::ZERO, |twist| twist.at(self.arm))
    }

    /// How a particle that touches follows a change of the wall's velocity: by slip and rebound, \[Becker2009\] Eq. 8.
    pub(super) fn hold(&self) -> DMat3 {
        let n = self.normal;
        let normal = DMat3::from_cols(n.x * n, n.y * n, n.z * n);
        let along = if self.pressed { 1.0 + self.params.restitution } else { 0.0 };
        (1.0 - self.kept) * (DMat3::IDENTITY - normal) + along * normal
    }

    /// What is left of the tangential relative velocity: \[Becker2009\] Eq. 8, first term.
    pub(super) fn slip(&self, velocity: &mut DVec3) {
        let relative = *velocity - self.wall;
        let normal = relative.dot(self.normal) * self.normal;
        *velocity = self.wall + normal + self.kept * (relative - normal);
    }

    /// The share of the tangential relative velocity that a particle keeps in the step: the solution of dv/dt = −ln(1/ε) v² / spacing.
    pub(super) fn keep(&mut self, velocity: DVec3, spacing: f64, dt: f64) {
        let ForcingParams { slip, .. } = self.params;
        let relative = velocity - self.wall;
        let sliding = (relative - relative.dot(self.normal) * self.normal).length();
        self.kept = match slip {
            slip if slip <= 0.0 => 0.0,
            slip if slip >= 1.0 => 1.0,
            // ADR 14.
            slip => 1.0 / (1.0 - slip.ln() * sliding * dt / spacing),
        };
    }

    /// −δ of the normal relative velocity before: \[Becker2009\] Eq. 8, second term. A particle that leaves by itself is not held
    /// back, however slowly it goes: Eq. 9.
    pub(super) fn rebound(&self, before: DVec3, velocity: &mut DVec3) {
        let approach = (before - self.wall).dot(self.normal).min(0.0);
        let wanted = self.wall.dot(self.normal) - self.params.restitution * approach;
        let velocity_deficit = wanted - velocity.dot(self.normal);
        *velocity += if self.pressed { velocity_deficit } else { velocity_deficit.max(0.0) } * self.normal;
    }
}

impl ContactWalls<'_> {
    /// What walls that are touched add to the density of particle `i` `[1]`.
    pub(super) fn fill(&self, fluid: ForcingFluid<'_>, i: usize) -> f32 {
        let treatment = |point: u32| self.treatment[self.points.get(point as usize).body.0 as usize];
        let touched =
            |sample: &&BoundarySample| matches!(treatment(sample.point), BoundaryTreatment::DirectForcing(_));
        fluid.rows.row(i).iter().filter(touched).map(|sample| sample.value).sum()
    }

    /// The limit that a sample sets to a particle on its way from `x` to `ahead` `[m]`, with its distance `[m]`.
    pub(super) fn limit(
        &self,
        fluid: ForcingFluid<'_>,
        point: usize,
        x: DVec3,
        ahead: DVec3,
    ) -> Option<(f64, ContactConstraint)> {
        if point >= self.points.len() {
            return None;
        }
        let wall = self.points.get(point);
        let BoundaryTreatment::DirectForcing(params) = self.treatment[wall.body.0 as usize] else {
            return None;
        };
        let sample = wall.position + fluid.dt * wall.velocity;
        let away = ahead - sample;
        // The side on which the particle was stays its side.
        let geometry = self.geometry.get(point)?;
        let (normal, place) = geometry.plane(x - wall.position, away, fluid.radius)?;
        if (away - place).dot(normal) > (1.0 + LOOK_AHEAD) * fluid.radius {
            return None;
        }
        // x_cp of [Becker2009] Sec. V-A.
        let contact = sample + place;
        // A particle that starts inside is pushed out, not shot out, however short the step is.
        let fastest = wall.velocity.dot(normal)
            + (MAX_PUSHOUT_PER_STEP * fluid.radius / fluid.dt).min(fluid.max_pushout_speed);
        // [Becker2009] Eq. 19, for the velocity of the step; no faster than ADR 18 allows.
        let min_normal_velocity = ((fluid.radius - (x - contact).dot(normal)) / fluid.dt).min(fastest);
        let slot = self.carriers.slot(wall.body);
        let body = slot.map(|slot| &self.carriers.list()[slot]);
        let arm = body.map_or(DVec3::ZERO, |body| x - body.centre);
        let yields = body.map_or(0.0, |body| {
            let turn = arm.cross(normal);
            let Twist { linear, angular } = body.mobility.respond(normal, turn);
            self.mass * (normal.dot(linear) + turn.dot(angular))
        });
        // Eq. 12 along the normal.
        let share = if params.update == ForcingUpdate::Local { 1.0 / (1.0 + yields) } else { 1.0 };
        let limit = ContactConstraint {
            local: 0,
            point: point as u32,
            body: wall.body,
            normal,
            min_normal_velocity,
            wall: wall.velocity,
            contact,
            particle: x,
            params,
            push: 0.0,
            through: DVec3::ZERO,
            pressed: false,
            off: 0.0,
            slot: slot.map(|slot| slot as u32),
            arm,
            effective_mass: body.map_or(0.0, |body| {
                (yields.max(self.mass * body.mobility.largest())).recip().min(MAX_EFFECTIVE_MASS)
            }),
            share,
            kept: 1.0,
        };
        Some((away.length(), limit))
    }
}

/// Of the candidates of one particle, those that count: the nearest, and others whose contact point is in front of all that
/// count already.
pub(super) fn choose(
    found: &mut [(f64, ContactConstraint)],
    radius: f64,
    limits: &mut Vec<ContactConstraint>,
) {
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = limits.len();
    for (_, candidate) in found.iter() {
        // ADR 14: all planes count whose contact point is in front of those that count already.
        let in_front = |kept: &ContactConstraint| {
            (candidate.contact - kept.contact).dot(kept.normal) > DISTINCT * radius
        };
        if limits[first..].iter().all(in_front) {
            limits.push(*candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Extent;
    use meniscus_core::{Anchor, Dimension};
    use meniscus_geometry::{Pose, Shape, Side, Solid};

    const SPACING: f64 = 0.1;
    const DT: f64 = 1e-3;

    const MAX_PUSHOUT: f64 = 10.0;

    /// The limits of a particle on its way from `start` to `ahead` `[m]` beside samples at rest.
    fn limits(
        position: &[DVec3],
        geometry: &[SampleGeometry],
        start: DVec3,
        ahead: DVec3,
    ) -> Vec<ContactConstraint> {
        limits_in(DT, position, geometry, start, ahead)
    }

    /// The same in a step of `dt` `[s]`.
    fn limits_in(
        dt: f64,
        position: &[DVec3],
        geometry: &[SampleGeometry],
        start: DVec3,
        ahead: DVec3,
    ) -> Vec<ContactConstraint> {
        let mut points = InterfacePoints::default();
        for &x in position {
            points.fix(BodyId(0), Anchor::Frame(x), x);
        }
        let params = ForcingParams { slip: 1.0, restitution: 0.0, update: ForcingUpdate::Global };
        let (rows, carriers) = (BoundaryRows::default(), Carriers::default());
        let fluid = ForcingFluid {
            rows: &rows,
            position: &[],
            radius: 0.5 * SPACING,
            dt,
            max_pushout_speed: MAX_PUSHOUT,
            fill: 0.0,
        };
        let treatment = [BoundaryTreatment::DirectForcing(params)];
        let walls =
            ContactWalls { points: &points, geometry, treatment: &treatment, carriers: &carriers, mass: 1.0 };
        let mut found: Vec<_> =
            (0..position.len()).filter_map(|k| walls.limit(fluid, k, start, ahead)).collect();
        let mut limits = Vec::new();
        choose(&mut found, fluid.radius, &mut limits);
        limits
    }

    #[test]
    fn in_a_valley_a_particle_keeps_its_distance_from_both_faces() {
        // The faces meet at the origin. The sample there belongs to the left one, so the right one begins a spacing farther.
        let normals = [DVec3::Y, DVec3::new(-0.5, 0.75_f64.sqrt(), 0.0)];
        let along = DVec3::new(0.75_f64.sqrt(), 0.5, 0.0);
        let position = [-DVec3::X * SPACING, DVec3::ZERO, SPACING * along, 2.0 * SPACING * along];
        // Both faces are half planes that end at the origin.
        let distance = |x: DVec3| {
            let half = |way: DVec3| (x - x.dot(way).max(0.0) * way).length();
            half(-DVec3::X).min(half(along))
        };
        let sheet = |k: usize| {
            let normal = normals[k / 2];
            let extent = Extent::of(normal, SPACING, |aside| distance(position[k] + aside));
            SampleGeometry::Sheet { normal, front: 0.0, back: 0.0, extent }
        };
        let geometry: Vec<SampleGeometry> = (0..4).map(sheet).collect();
        for start in [DVec3::new(-0.04, 0.052, 0.0), DVec3::new(0.0, 0.06, 0.0), DVec3::new(-0.01, 0.05, 0.0)]
        {
            let mut velocity = DVec3::new(30.0, -10.0, 0.0);
            let mut limits = limits(&position, &geometry, start, start + DT * velocity);
            impose(&mut limits, &mut velocity, &[]);
            let end = start + DT * velocity;
            for normal in normals {
                assert!(end.dot(normal) > 0.499 * SPACING, "{start}: {} off", end.dot(normal) / SPACING);
            }
        }
    }

    #[test]
    fn a_face_ends_at_its_rim() {
        // A half plane that ends at the sample.
        let distance = |x: DVec3| x.x.max(0.0).hypot(x.y);
        let extent = Extent::of(DVec3::Y, SPACING, distance);
        let geometry = [SampleGeometry::Sheet { normal: DVec3::Y, front: 0.0, back: 0.0, extent }];
        for (aside, stopped) in [(-1.1, true), (0.5, true), (1.0, false)] {
            let start = DVec3::new(aside * SPACING, 0.06, 0.0);
            let limits = limits(&[DVec3::ZERO], &geometry, start, start - 0.02 * DVec3::Y);
            assert_eq!(!limits.is_empty(), stopped, "{aside} spacings aside");
        }
    }

    #[test]
    fn what_is_inside_leaves_no_faster_in_a_shorter_step() {
        let distance = |x: DVec3| x.y;
        let extent = Extent::of(DVec3::Y, SPACING, distance);
        let geometry = [SampleGeometry::Face { normal: DVec3::Y, offset: 0.5 * SPACING, extent }];
        let start = DVec3::new(0.0, 0.7 * SPACING, 0.0);
        for dt in [1e-1, 1e-3, 1e-5] {
            let limits = limits_in(dt, &[DVec3::ZERO], &geometry, start, start);
            let led_out = dt * limits[0].min_normal_velocity;
            assert!(
                limits[0].min_normal_velocity > 0.0 && limits[0].min_normal_velocity <= MAX_PUSHOUT,
                "{dt}: {}",
                limits[0].min_normal_velocity
            );
            assert!(led_out <= 1.001 * MAX_PUSHOUT_PER_STEP * 0.5 * SPACING, "{dt}: {led_out}");
        }
    }

    #[test]
    fn no_particle_gets_in_between_the_samples_of_a_ball() {
        for spacings in [2.0, 3.0, 5.0] {
            let (radius, pose) = (spacings * SPACING, Pose::default());
            let solid = Solid { shape: Shape::Sphere { radius }, pose, side: Side::Solid };
            let position = solid.sample_surface(SPACING, 0.5 * SPACING, Dimension::Three).unwrap();
            let geometry: Vec<SampleGeometry> =
                position.iter().map(|&x| SampleGeometry::of(&solid, x, SPACING, Dimension::Three)).collect();
            let missed = (0..1000).filter(|&n| {
                // Directions on a spiral of even density.
                let y = (f64::from(n) + 0.5) / 500.0 - 1.0;
                let (sin, cos) = (2.4 * f64::from(n)).sin_cos();
                let way = DVec3::new((1.0 - y * y).sqrt() * cos, y, (1.0 - y * y).sqrt() * sin);
                let start = (radius + 0.5 * SPACING) * way;
                limits(&position, &geometry, start, start - 0.1 * SPACING * way).is_empty()
            });
            assert_eq!(missed.count(), 0, "a ball of {spacings} spacings");
        }
    }
}
