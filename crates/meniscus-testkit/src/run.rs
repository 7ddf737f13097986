//! A simulation as tests see it: the only place that knows how [`Simulation`] is made and read.

use anyhow::{Context as _, Result};
use glam::DVec3;
use meniscus_core::{Clock, Dimension, SeriesRow, SimulationError, StateHash, Wrench};
use meniscus_coupling::{Setup, Simulation, State, StepReport};
use meniscus_geometry::{Kinematics, Solid};
use meniscus_sph::boundary::{BoundaryRows, BoundarySample, BoundarySum};
use meniscus_sph::source::EmitterState;
use meniscus_sph::{FluidSums, SphReport, SphState, Totals};

/// How much of a step may be missing at a time that is waited for, so that rounding adds no step `[s]`.
const SLACK: f64 = 1e-9;

/// A running simulation.
pub struct Run {
    simulation: Simulation,
    /// Of a particle `[kg]`.
    mass: f64,
    spacing: f64,
    gravity: DVec3,
}

/// A state that runs can go on from.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved(State);

impl Saved {
    /// The state that its own bytes describe.
    #[must_use]
    pub fn through_bytes(&self) -> Self {
        Self(State::from_bytes(self.0.bytes().to_vec()))
    }
}

impl Run {
    /// A simulation at its start.
    pub fn new(setup: Setup) -> Result<Self> {
        let (mass, spacing, gravity) = (setup.sph.fluid.mass(), setup.sph.fluid.spacing, setup.gravity);
        Ok(Self { simulation: Simulation::new(setup)?, mass, spacing, gravity })
    }

    /// A simulation that goes on from a saved state.
    pub fn restore(setup: Setup, saved: &Saved) -> Result<Self> {
        let (mass, spacing, gravity) = (setup.sph.fluid.mass(), setup.sph.fluid.spacing, setup.gravity);
        Ok(Self { simulation: Simulation::restore(setup, &saved.0)?, mass, spacing, gravity })
    }

    /// The state.
    pub fn save(&self) -> Result<Saved> {
        Ok(Saved(self.simulation.state()?))
    }

    /// Takes a step.
    pub fn step(&mut self) -> Result<StepReport> {
        self.try_step().context("a step failed")
    }

    /// Takes a step, whose error can be looked at.
    pub fn try_step(&mut self) -> Result<StepReport, SimulationError> {
        self.simulation.step()
    }

    /// Takes a number of steps.
    pub fn steps(&mut self, count: u32) -> Result<()> {
        (0..count).try_for_each(|_| self.step().map(drop))
    }

    /// Steps until a time `[s]`.
    pub fn until(&mut self, time: f64) -> Result<()> {
        self.watch(time, |_| ())
    }

    /// Steps until a time `[s]`, with a look after each step.
    pub fn watch(&mut self, time: f64, mut look: impl FnMut(&mut Self)) -> Result<()> {
        while self.time() < time - SLACK {
            self.step()?;
            look(self);
        }
        Ok(())
    }

    /// Simulated time `[s]`.
    pub fn time(&self) -> f64 {
        self.simulation.clock().time
    }

    /// Steps taken.
    pub fn step_count(&self) -> u64 {
        self.simulation.clock().step
    }

    /// Length of the last step `[s]`.
    pub fn dt(&self) -> f64 {
        self.simulation.clock().last_dt
    }

    /// Share of the length that motion allows for a step `[1]`.
    pub fn step_scale(&self) -> f64 {
        self.simulation.sph().map_or(1.0, |sph| sph.state().step_scale)
    }

    /// Clock and fluid without what tells how often the last step was tried.
    pub fn as_if_at_once(&self) -> (Clock, Option<SphState>) {
        let state = self.simulation.sph().map(|sph| {
            let mut state = sph.state().clone();
            (state.step_scale, state.totals.retries) = (1.0, 0);
            state
        });
        (*self.simulation.clock(), state)
    }

    /// What the last step did.
    pub fn report(&self) -> StepReport {
        *self.simulation.last_report()
    }

    /// What the fluid did in the last step.
    pub fn fluid_report(&self) -> SphReport {
        self.simulation.sph_report()
    }

    /// Figures of the whole run so far.
    pub fn totals(&self) -> Totals {
        self.simulation.totals()
    }

    /// Energies and momenta of the fluid.
    pub fn fluid_sums(&self) -> FluidSums {
        self.simulation.fluid_sums()
    }

    /// The series row of now.
    pub fn series_row(&self) -> SeriesRow {
        self.simulation.series_row()
    }

    /// Plane or space.
    pub fn dimension(&self) -> Dimension {
        self.simulation.dimension()
    }

    /// Distance of particles at rest `[m]`.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Mass of a particle `[kg]`.
    pub fn particle_mass(&self) -> f64 {
        self.mass
    }

    /// Gravity `[m/s²]`.
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// Where particles are `[m]`.
    pub fn positions(&self) -> &[DVec3] {
        &self.simulation.particles().position
    }

    /// Their velocities, in the order of the positions `[m/s]`.
    pub fn velocities(&self) -> &[DVec3] {
        &self.simulation.particles().velocity
    }

    /// Their ids, in the order of the positions.
    pub fn ids(&self) -> &[u64] {
        &self.simulation.particles().id
    }

    /// The pressures of the solver, in the order of the positions `[Pa]`.
    pub fn solved_pressures(&self) -> &[f32] {
        &self.simulation.particles().pressure
    }

    /// The pressures by which momentum goes through the fluid, in the order of the positions `[Pa]`.
    pub fn pressures(&mut self) -> Vec<f32> {
        self.simulation.pressures()
    }

    /// Densities over the rest density in the order of the ids `[1]`.
    pub fn densities(&mut self) -> Vec<f64> {
        let rest = self.simulation.setup().sph.fluid.rest_density;
        self.simulation.frame(0).density.iter().map(|&density| f64::from(density) / rest).collect()
    }

    /// Positions in the order of the ids `[m]`.
    pub fn positions_by_id(&mut self) -> Vec<DVec3> {
        self.simulation.frame(0).position
    }

    /// What an emitter has given so far.
    pub fn emitted(&self, k: usize) -> EmitterState {
        self.simulation.sph().map_or_else(EmitterState::default, |sph| sph.state().emitters[k])
    }

    /// How many particles are in bodies, outside of containers or below the floor of a tank.
    pub fn escaped(&self) -> u64 {
        self.simulation.escaped()
    }

    /// How many particles have left the world `[1]`.
    #[must_use]
    pub fn departed(&self) -> u64 {
        self.simulation.departed()
    }

    /// What the walls add to particle `i` at the start of the last step.
    pub fn wall_sum(&self, i: usize) -> &BoundarySum {
        &self.wall_rows().sum[i]
    }

    fn wall_rows(&self) -> &BoundaryRows {
        static NONE: BoundaryRows = BoundaryRows::none();
        self.simulation.sph().map_or(&NONE, |sph| &sph.neighbourhood().boundary)
    }

    /// The row of samples behind it.
    pub fn wall_row(&self, i: usize) -> &[BoundarySample] {
        self.wall_rows().row(i)
    }

    /// How many bodies there are; the tank is the first one.
    pub fn body_count(&self) -> usize {
        self.simulation.setup().bodies.len()
    }

    /// Where a body is and how it moves.
    pub fn body(&self, k: usize) -> Kinematics {
        self.simulation.body(k)
    }

    /// The geometry of a body where it is now.
    pub fn solid(&self, k: usize) -> Solid {
        self.simulation.setup().bodies[k].solid.at(self.body(k).pose)
    }

    /// Whether a body has entered the scene.
    pub fn is_present(&self, k: usize) -> bool {
        self.simulation.is_present(k)
    }

    /// What the fluid did to a body in the last step.
    pub fn load(&self, k: usize) -> Wrench {
        self.simulation.load(k)
    }

    /// How many points bodies touch each other at.
    pub fn contact_points(&self) -> u32 {
        self.simulation.solid_report().map_or(0, |report| report.points)
    }

    /// The fingerprint of the whole state.
    pub fn hash(&self) -> Result<StateHash> {
        Ok(self.simulation.state()?.hash())
    }
}
