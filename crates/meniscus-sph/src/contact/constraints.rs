//! Contacts and repulsion that act between sweeps.

use super::lost;
use crate::boundary::{
    Boundary, ContactWalls, ForcingContacts, ForcingFluid, Penalties, StepEnd, TangentialCompletion,
    WallView, missing_density, missing_gradient,
};
use crate::fluid::SphFluid;
use crate::neighbourhood::{FluidParams, Neighbourhood, WALL_PRESSURE};
use crate::particles::Particles;
use crate::setup::{SphSetup, Wall};
use glam::Vec3;
use meniscus_core::{Carriers, Exchange, InterfacePoints, Loads, Stage, StepContext, Twist};
use meniscus_geometry::Side;

/// How fast particles leave a body that they are in, in units of the speed of waves as short as the spacing, √(g spacing) `[1]`.
const MAX_PUSHOUT: f64 = 0.5;

/// What keeps fluid off walls where their pressure does not.
#[derive(Default)]
pub(crate) struct WallContacts {
    completion: TangentialCompletion,
    forcing: ForcingContacts,
    penalties: Penalties,
    /// Which bodies are containers.
    container: Vec<bool>,
}

/// The same while one stage is solved.
pub(crate) struct Constraints<'a> {
    completion: &'a mut TangentialCompletion,
    forcing: &'a mut ForcingContacts,
    /// In the stage in which forces act.
    penalties: Option<&'a mut Penalties>,
    /// Before the stage `[m/s]`.
    velocity: &'a [[f32; 4]],
    /// Of a particle `[kg]`.
    mass: f64,
    /// `[s]`
    dt: f64,
}

impl WallContacts {
    pub fn new(walls: &[Wall]) -> Self {
        let is_container =
            |wall: &Wall| wall.solid.as_ref().is_some_and(|solid| solid.side == Side::Container);
        Self { container: walls.iter().map(is_container).collect(), ..Self::default() }
    }

    /// Finds the particles that bodies repel which answer with penalties.
    pub fn find_penalties(
        &mut self,
        boundary: &Boundary,
        neighbourhood: &Neighbourhood,
        particles: &Particles,
        points: &InterfacePoints,
        setup: &SphSetup,
    ) {
        let Some(sample_geometries) = boundary.sample_geometries() else { return };
        self.penalties.find(
            &neighbourhood.boundary,
            &particles.position,
            points,
            sample_geometries,
            setup.fluid.spacing,
        );
    }

    /// What acts between the sweeps of a stage over `dt` `[s]`.
    pub fn constraints<'a>(
        &'a mut self,
        stage: Stage,
        velocity: &'a [[f32; 4]],
        mass: f64,
        dt: f64,
    ) -> Constraints<'a> {
        let Self { completion, forcing, penalties, .. } = self;
        let penalties = (stage == Stage::Density).then_some(penalties);
        Constraints { completion, forcing, penalties, velocity, mass, dt }
    }

    /// Hands solids the reaction to what a stage has come to; `mass` is a particle's `[kg]`.
    pub fn load(&self, stage: Stage, points: &InterfacePoints, loads: &mut Loads, mass: f64, dt: f64) {
        self.completion.load(loads, dt, mass);
        self.forcing.load(points, loads, mass);
        if stage == Stage::Density {
            self.penalties.load(points, loads, mass);
        }
    }

    /// Follows solids whose motions have changed, one entry for each carrier.
    pub fn move_walls(&mut self, change: &[Twist]) {
        self.forcing.move_walls(change);
    }
}

impl Constraints<'_> {
    /// Particles that contacts stop, and in which directions, in the order of the particles.
    pub fn firm(&self) -> Vec<(u32, Vec3)> {
        self.forcing.firm()
    }

    /// Changes accelerations `[m/s²]`.
    pub fn constrain(&mut self, acceleration: &mut [[f32; 4]], carriers: &Carriers) {
        self.completion.complete(acceleration);
        if let Some(penalties) = &mut self.penalties {
            penalties.repel(self.velocity, self.dt, acceleration);
        }
        self.forcing.constrain(self.velocity, self.dt, acceleration, carriers, self.mass);
    }
}

impl SphFluid {
    /// Finds where the fluid touches bodies that answer by direct forcing.
    pub(crate) fn find_wall_contacts(&mut self, step: &StepContext) {
        let Some((geometry, treatment)) = self.boundary.sample_geometries() else { return };
        let Self { setup, neighbourhood, scratch, points, contacts, state, carriers, .. } = self;
        let WallContacts { completion, forcing, container, .. } = contacts;
        let FluidParams { kernel, spacing, .. } = &setup.fluid;
        let (rows, position) = (&neighbourhood.boundary, &state.particles.position);
        let along = WallView { rows, points, geometry, treatment, container, kernel, spacing: *spacing };
        completion.find(along, position);
        let fluid = ForcingFluid {
            rows,
            position,
            radius: 0.5 * setup.fluid.spacing,
            dt: step.dt,
            max_pushout_speed: MAX_PUSHOUT * setup.wave_speed(),
            fill: missing_density(kernel, *spacing) as f32,
        };
        let walls = ContactWalls { points, geometry, treatment, carriers, mass: setup.fluid.mass() };
        forcing.find(fluid, walls, &scratch.velocity_star);
        for (i, surplus) in forcing.pinched() {
            neighbourhood.density[i] -= surplus;
        }
    }

    /// Sets velocities and positions of particles that touch such bodies.
    pub(crate) fn finish_wall_contacts(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let Self { setup, scratch, contacts, state, carriers, solver, .. } = self;
        let forcing = &mut contacts.forcing;
        if forcing.count() == 0 {
            return;
        }
        let (velocity, before) = (&scratch.velocity, &state.particles.velocity);
        let FluidParams { kernel, spacing, .. } = &setup.fluid;
        let (pressure, steepness) = (solver.pressure(), step.dt * missing_gradient(kernel, *spacing));
        // As a wall that mirrors the pressure: [Wang2017] Eq. 10.
        let press = |i: usize| f64::from(WALL_PRESSURE * pressure[i].max(0.0)) * steepness;
        for end in forcing.finish(velocity, before, carriers, setup.fluid.mass(), press) {
            let StepEnd { particle: i, body, moving, lasting } = end;
            let (start, free) = (state.particles.position[i], scratch.velocity[i]);
            scratch.position[i] = start + step.dt * moving;
            scratch.velocity[i] = lasting;
            // Not at one place: the particle moves on by another velocity than the one it keeps.
            exchange.interface.load.wrench[body.index()] +=
                lost((start, free), (scratch.position[i], lasting), setup.fluid.mass());
        }
    }
}
