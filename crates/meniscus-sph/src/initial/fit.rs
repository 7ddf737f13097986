//! Fluid out of which bodies were cut is fitted around them before the first step.
//!
//! What is left of a lattice ends in steps around a body: some particles are nearer to it than fluid rests, others leave gaps, and
//! the first thing that such fluid does is to move. So particles around bodies are moved until the sums of kernel gradients that pressure acts
//! through nearly vanish, the packing of \[Colagrossi2012\]: x_i −= β spacing² Σ V ∇W for a uniform pressure, with fluid and walls in the sum.
//!
//! Departures: there is no damped motion, only its displacements; particles at the free surface, and those that are farther than [`FIT_REACH`] from all
//! bodies, stay where they are; no particle comes nearer to a wall than fluid rests, so that bodies which are touched and not felt count as well.

use crate::fluid::SphFluid;
use crate::neighbourhood::Neighbourhood;
use crate::setup::SphSetup;
use glam::{DVec3, Vec3};
use meniscus_core::{BodyId, Dimension, Solids, StepContext};
use meniscus_geometry::{Aabb, Shape, Side, Solid};
use rayon::prelude::*;

/// The step of finite differences of the distance, in spacings `[1]`.
const DIFFERENCE: f64 = 1e-3;

/// How far from a body particles are moved, in spacings `[1]`.
const FIT_REACH: f64 = 8.0;
/// How far from a wall fluid rests, in spacings `[1]`.
const REST_DISTANCE: f64 = 0.5;
/// Particles that are nearer to a wall touch it: on a lattice around a box those at its edges are √½ away, in spacings `[1]`.
const TOUCH_DISTANCE: f64 = 0.75;
/// Walls that are farther away are not asked how far, in spacings `[1]`.
const WALL_RANGE: f64 = 2.0;
/// β `[1]`.
const FIT_STRIDE: f64 = 0.25;
/// The farthest that a sweep moves a particle, in spacings `[1]`.
const FIT_MAX_SHIFT: f64 = 0.1;
/// Sweeps at most `[1]`.
const FIT_SWEEPS: usize = 100;
/// Fluid fits when no particle moves farther than this in a sweep, in spacings `[1]`.
const FIT_TOLERANCE: f64 = 1e-3;
/// Sums of kernel gradients that are larger than this belong to particles that lack neighbours on one side; times the spacing `[1]`.
const ONE_SIDED: f64 = 0.25;

/// What a sweep may do to a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Freedom {
    /// It is far from all bodies.
    None,
    /// It is at the free surface: only walls move it.
    Surface,
    /// It goes where there is room.
    Full,
}

/// The walls around the fluid, where they are.
pub(crate) struct Walls {
    wall: Vec<Wall>,
    dimension: Dimension,
    pub(crate) spacing: f64,
}

struct Wall {
    solid: Solid,
    /// Around its matter, if that has an end.
    bounds: Option<Aabb>,
    /// Whether fluid is fitted to it.
    cut: bool,
}

impl SphFluid {
    /// Fits the fluid around the bodies that were cut out of it and left it uneven, or packs all of it.
    pub(crate) fn fit(&mut self, step: &StepContext, solids: &dyn Solids) {
        let SphSetup { walls, carved, dimension, fluid, packed_randomly, .. } = &self.setup;
        if carved.is_empty() && !packed_randomly {
            return;
        }
        let mut cut = vec![false; walls.len()];
        for body in carved {
            cut[body.index()] = true;
        }
        let wall = (0..).zip(walls).filter_map(|(k, wall)| {
            let solid = wall.solid.as_ref().filter(|solid| Wall::has_sides(solid))?;
            let now = solids.kinematics(BodyId(k)).filter(|_| solids.is_present(BodyId(k)))?;
            Some(Wall::new(solid.at(now.pose), cut[k as usize]))
        });
        let walls = Walls { wall: wall.collect(), dimension: *dimension, spacing: fluid.spacing };
        if *packed_randomly {
            self.pack(step, solids, &walls);
            return;
        }
        let freedom = self.freedom(step, solids, &walls);
        // A bound for the distance to the nearest wall: while it tells enough, no wall has to be asked.
        let mut clearance = vec![0.0; freedom.len()];
        for _ in 0..FIT_SWEEPS {
            let farthest = self.fit_once(step, solids, &walls, &freedom, &mut clearance);
            if farthest < FIT_TOLERANCE * walls.spacing {
                break;
            }
        }
    }

    /// What may move where. Rows are those of now afterwards.
    fn freedom(&mut self, step: &StepContext, solids: &dyn Solids, walls: &Walls) -> Vec<Freedom> {
        self.rebuild_for_observation(step, solids);
        let (position, neighbourhood) = (&self.state.particles.position, &self.neighbourhood);
        let mut freedom = vec![Freedom::None; position.len()];
        let found: Vec<Freedom> = (0..position.len())
            .into_par_iter()
            .with_min_len(1024)
            .map(|row| {
                let x = position[neighbourhood.order()[row] as usize];
                match () {
                    () if !walls.are_near(x) => Freedom::None,
                    () if walls.is_surface(neighbourhood, row, x) => Freedom::Surface,
                    () => Freedom::Full,
                }
            })
            .collect();
        for (&i, found) in self.neighbourhood.order().iter().zip(found) {
            freedom[i as usize] = found;
        }
        freedom
    }

    /// One sweep; how far it moves the particle that moves farthest `[m]`.
    fn fit_once(
        &mut self,
        step: &StepContext,
        solids: &dyn Solids,
        walls: &Walls,
        freedom: &[Freedom],
        clearance: &mut [f64],
    ) -> f64 {
        self.rebuild_for_observation(step, solids);
        let (position, neighbourhood) = (&self.state.particles.position, &self.neighbourhood);
        let far = FIT_MAX_SHIFT * walls.spacing;
        let moved: Vec<(usize, DVec3, f64)> = (0..position.len())
            .into_par_iter()
            .with_min_len(256)
            .filter_map(|row| {
                let i = neighbourhood.order()[row] as usize;
                let way = match freedom[i] {
                    Freedom::None => return None,
                    Freedom::Surface => DVec3::ZERO,
                    Freedom::Full => -FIT_STRIDE * walls.spacing.powi(2) * gradient_sum(neighbourhood, row),
                };
                let way = way.clamp_length_max(far);
                let way =
                    if is_only_touched(neighbourhood, row) { walls.along(position[i], way) } else { way };
                let (x, clearance) = walls.keep_off(position[i], way, clearance[i]);
                Some((i, x, clearance))
            })
            .collect();
        let position = &mut self.state.particles.position;
        moved.into_iter().fold(0.0, |farthest, (i, x, bound)| {
            let way = (x - position[i]).length();
            (position[i], clearance[i]) = (x, bound);
            f64::max(farthest, way)
        })
    }
}

/// Σ V ∇W of fluid and walls in a row `[1/m]`; it points away from where there is room.
fn gradient_sum(neighbourhood: &Neighbourhood, row: usize) -> DVec3 {
    (Vec3::from(neighbourhood.sum[row].gradient) + neighbourhood.boundary.sum[row].push).as_dvec3()
}

/// Whether all walls in a row are such that are touched and not felt: what they do across their faces is no part of [`gradient_sum`].
fn is_only_touched(neighbourhood: &Neighbourhood, row: usize) -> bool {
    let wall = &neighbourhood.boundary.sum[row];
    wall.density > 0.0 && wall.contact_ratio <= 0.0
}

impl Wall {
    fn new(solid: Solid, cut: bool) -> Self {
        let ends = solid.side == Side::Solid && !matches!(solid.shape, Shape::Plane { .. });
        Self { bounds: ends.then(|| solid.bounds()), solid, cut }
    }

    /// Whether it is known on which side of a surface a point is.
    fn has_sides(solid: &Solid) -> bool {
        solid.is_closed() || solid.side == Side::Container
    }

    /// The distance of a point `[m]`, or any number above `reach` `[m]` if it is farther than that.
    fn distance(&self, x: DVec3, reach: f64, dimension: Dimension) -> f64 {
        let far = |bounds: &Aabb| !Aabb { min: bounds.min - reach, max: bounds.max + reach }.contains(x);
        if self.bounds.as_ref().is_some_and(far) {
            return f64::INFINITY;
        }
        self.solid.signed_distance(x, dimension)
    }
}

impl Walls {
    /// Whether a particle is near enough to a body to be fitted to it.
    fn are_near(&self, x: DVec3) -> bool {
        let reach = FIT_REACH * self.spacing;
        self.wall.iter().any(|wall| wall.cut && wall.distance(x, reach, self.dimension) < reach)
    }

    /// Whether the particle of a row, at `x`, seems to be at the free surface: it lacks neighbours, and there is nothing at all where it does.
    pub(crate) fn is_surface(&self, neighbourhood: &Neighbourhood, row: usize, x: DVec3) -> bool {
        let lack = self.spacing * gradient_sum(neighbourhood, row);
        if lack.length() <= ONE_SIDED {
            return false;
        }
        let there = x - self.spacing * lack.normalize_or_zero();
        self.distance(there) > 0.5 * REST_DISTANCE * self.spacing
    }

    /// What is left of a way from `x` where a particle that touches a wall does not go nearer to it `[m]`.
    fn along(&self, x: DVec3, way: DVec3) -> DVec3 {
        let reach = TOUCH_DISTANCE * self.spacing;
        let touching = |wall: &&Wall| wall.distance(x, reach, self.dimension) < reach;
        self.wall.iter().filter(touching).fold(way, |way, wall| {
            let normal = self.normal(wall, x);
            way - way.dot(normal).min(0.0) * normal
        })
    }

    /// Where a particle ends that would go `way` `[m]`, and a lower bound of its distance from walls then, given one for before `[m]`.
    pub(crate) fn keep_off(&self, start: DVec3, way: DVec3, clearance: f64) -> (DVec3, f64) {
        let room = REST_DISTANCE * self.spacing;
        let mut x = start + way;
        let bound = clearance - way.length();
        if bound >= room {
            return (x, bound);
        }
        for wall in &self.wall {
            let distance = wall.distance(x, room, self.dimension);
            if distance < room {
                x += (room - distance).min(FIT_MAX_SHIFT * self.spacing) * self.normal(wall, x);
            }
        }
        // Between two walls neither of which gives way.
        let distance = self.distance(x);
        if distance < 0.0 { (start, 0.0) } else { (x, distance) }
    }

    fn normal(&self, wall: &Wall, x: DVec3) -> DVec3 {
        wall.solid.normal(x, DIFFERENCE * self.spacing, self.dimension)
    }

    /// From the nearest of them, or [`WALL_RANGE`] if that is farther `[m]`.
    fn distance(&self, x: DVec3) -> f64 {
        let far = WALL_RANGE * self.spacing;
        let each = self.wall.iter().map(|wall| wall.distance(x, far, self.dimension));
        each.fold(far, f64::min)
    }
}
