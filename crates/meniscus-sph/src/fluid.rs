//! SPH water as a fluid: what each phase of a step does.

use crate::boundary::{Boundary, BoundaryMethod, BoundarySum, MappedBodies, SampledBodies};
use crate::contact::{Projection, WallContacts};
use crate::fixed::FixedFrame;
use crate::force::{Cohesion, Viscosity};
use crate::neighbourhood::{FluidParams, Neighbourhood, Surroundings};
use crate::particles::Particles;
use crate::pressure::{PressureSolver, StageReport};
use crate::setup::{SphSetup, Wall};
use crate::source::{Emitter, EmitterState};
use crate::state::{Densest, SphState, Totals};
use crate::step::Undo;
use glam::{DVec3, Vec3};
use meniscus_core::{
    Balance, BodyId, CarrierLinks, Carriers, Exchange, Fluid, InterfacePoints, ParticleFrame, Pose,
    SimulationError, SolidMotion, Solids, Stage, StateError, StepContext, StepLimiter, StepPolicy, Twist,
    Value,
};
use meniscus_geometry::Solid;

/// What a step did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SphReport {
    /// The density solve.
    pub pressure: StageReport,
    /// The divergence solve.
    pub divergence: StageReport,
    /// Mean compression at the start of the step `[1]`.
    pub density_error_mean: f64,
    /// Largest compression at the start of the step `[1]`.
    pub density_error_max: f64,
    /// Whose that is, if no step before had a larger one.
    pub densest: Option<Densest>,
}

impl SphReport {
    /// Sweeps of both solves `[1]`.
    #[must_use]
    pub fn sweeps(&self) -> u32 {
        self.pressure.sweeps + self.divergence.sweeps
    }
}

/// The scene is larger than the fixed-point frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scene is too large for its particle spacing; use a larger spacing or a smaller scene")]
pub struct TooLarge;

/// A fluid of particles: description, state and scratch.
pub struct SphFluid {
    pub(crate) setup: SphSetup,
    pub(crate) state: SphState,
    /// Where it may touch solids.
    pub(crate) points: InterfacePoints,
    pub(crate) boundary: Boundary,
    pub(crate) contacts: WallContacts,
    /// What answers it in the current step, and whom it pushes.
    pub(crate) carriers: Carriers,
    pub(crate) links: CarrierLinks,
    /// How much of their motions' change the points show, one for each carrier.
    pub(crate) shown: Vec<Twist>,
    /// Whether gravity has acted in this step.
    pub(crate) falling: bool,
    /// How far each solid reaches from the origin of its frame `[m]`.
    pub(crate) radius: Vec<f64>,
    pub(crate) solver: Box<dyn PressureSolver>,
    pub(crate) emitters: Vec<Emitter>,
    pub(crate) neighbourhood: Neighbourhood,
    pub(crate) viscosity: Viscosity,
    pub(crate) cohesion: Cohesion,
    pub(crate) scratch: Scratch,
    pub(crate) undo: Undo,
    pub(crate) report: SphReport,
    /// What the step has made of its energy.
    pub(crate) balance: Balance,
}

#[derive(Default)]
pub(crate) struct Scratch {
    /// Velocities at the current point of the step `[m/s]`.
    pub(crate) velocity_star: Vec<[f32; 4]>,
    /// What the step has added to the velocities so far `[m/s]`.
    pub(crate) change: Vec<Vec3>,
    /// New positions `[m]` and velocities `[m/s]`.
    pub(crate) position: Vec<DVec3>,
    pub(crate) velocity: Vec<DVec3>,
    /// How motions of carriers change.
    pub(crate) twist: [Vec<Twist>; 2],
    /// Particles whose approach to a wall is limited.
    pub(crate) stopped: Vec<Vec<usize>>,
    /// The bodies around one of them.
    pub(crate) walls: Vec<(BodyId, BoundarySum)>,
    pub(crate) projection: Projection,
    /// Emitters that are open, and the work of their nozzles in the step `[J]`.
    pub(crate) open: Vec<usize>,
    pub(crate) nozzle_work: f64,
    /// The geometry of walls where the step ends, with how far it reaches from its frame `[m]`.
    pub(crate) placed_walls: Vec<Option<(Solid, f64)>>,
    /// Flights that end, with the share of the step that they take.
    pub(crate) ended: Vec<Vec<(usize, f64)>>,
    /// Fast particles that come near something, with their squared speeds `[m²/s²]`.
    pub(crate) arriving: Vec<Option<(usize, f64)>>,
}

impl SphFluid {
    /// The fluid at its start, around solids where they are.
    ///
    /// # Errors
    /// When the scene is too large for its spacing.
    pub fn new(mut setup: SphSetup, solids: &dyn Solids, step: &StepContext) -> Result<Self, TooLarge> {
        let initial = std::mem::take(&mut setup.initial);
        let mut particles = Particles::with_capacity(initial.len());
        for (position, velocity) in initial {
            particles.push(position, velocity);
        }
        let points = setup.samples.iter().flat_map(|s| &s.position).chain(&particles.position);
        let (min, max) = bounds(points.copied()).unwrap_or((DVec3::ZERO, DVec3::ZERO));
        let frame = FixedFrame::covering(min, max, setup.fluid.kernel.support_radius).ok_or(TooLarge)?;
        let state = SphState {
            frame,
            particles,
            emitters: vec![EmitterState::default(); setup.emitters.len()],
            predicted_error: f64::INFINITY,
            prediction_gap: 0.0,
            step_scale: 1.0,
            pace: None,
            totals: Totals::default(),
        };
        let mut fluid = Self::assemble(setup, state);
        fluid.fit(step, solids);
        Ok(fluid)
    }

    /// The fluid of a saved state.
    ///
    /// # Errors
    /// When the bytes are damaged, or belong to another fluid.
    pub fn restored(mut setup: SphSetup, bytes: &[u8]) -> Result<Self, StateError> {
        setup.initial = Vec::new();
        let state = SphState::from_bytes(bytes)?;
        state.check(&setup)?;
        Ok(Self::assemble(setup, state))
    }

    fn assemble(setup: SphSetup, state: SphState) -> Self {
        let mut points = InterfacePoints::default();
        let at_rest = |wall: &Wall| wall.solid.as_ref().map_or(Pose::IDENTITY, |solid| solid.pose);
        let rest: Vec<Pose> = setup.walls.iter().map(at_rest).collect();
        let mut methods: Vec<Box<dyn BoundaryMethod>> = Vec::new();
        if setup.samples.iter().any(|s| !s.position.is_empty()) {
            let FluidParams { kernel, spacing, .. } = setup.fluid;
            methods.push(Box::new(SampledBodies::new(kernel, spacing, &setup.samples, &rest, &mut points)));
        }
        for maps in &setup.maps {
            methods.push(Box::new(MappedBodies::new(maps.flat.clone(), maps.bodies.clone())));
        }
        let boundary = Boundary::new(methods, setup.walls.len());
        let new = |params: &crate::source::EmitterParams| {
            Emitter::new(params.clone(), setup.fluid.spacing, setup.dimension)
        };
        Self {
            contacts: WallContacts::new(&setup.walls),
            carriers: Carriers::default(),
            links: CarrierLinks::default(),
            shown: Vec::new(),
            falling: false,
            radius: setup.walls.iter().map(Wall::radius).collect(),
            solver: setup.pressure.solver(setup.fluid),
            emitters: setup.emitters.iter().map(new).collect(),
            neighbourhood: Neighbourhood::default(),
            viscosity: Viscosity::default(),
            cohesion: Cohesion::default(),
            scratch: Scratch::default(),
            undo: Undo::default(),
            report: SphReport::default(),
            balance: Balance::default(),
            setup,
            state,
            points,
            boundary,
        }
    }

    /// Finds the neighbourhoods of now: entry n of `neighbourhood` is then that of particle `neighbourhood.order()[n]`.
    pub(crate) fn rebuild_for_observation(&mut self, step: &StepContext, solids: &dyn Solids) {
        let mut motion =
            vec![SolidMotion::paused(meniscus_core::Kinematics::at_rest(Pose::IDENTITY)); solids.count()];
        solids.pause(&mut motion);
        let Self { neighbourhood, boundary, points, setup, state, .. } = self;
        let mut around = Surroundings { boundary, bodies: &motion, points, gravity: step.gravity };
        neighbourhood.look_at(&setup.fluid, &state.frame, &state.particles.position, &mut around);
    }

    /// The description.
    #[must_use]
    pub fn setup(&self) -> &SphSetup {
        &self.setup
    }

    /// The state.
    #[must_use]
    pub fn state(&self) -> &SphState {
        &self.state
    }

    /// The points where it may touch solids.
    #[must_use]
    pub fn points(&self) -> &InterfacePoints {
        &self.points
    }

    /// What the last step did.
    #[must_use]
    pub fn report(&self) -> &SphReport {
        &self.report
    }

    /// The neighbourhoods of the last step, in the order of the particles; nothing before the first step.
    #[must_use]
    pub fn neighbourhood(&self) -> &Neighbourhood {
        &self.neighbourhood
    }

    /// Number of boundary particles.
    #[must_use]
    pub fn boundary_particles(&self) -> usize {
        self.boundary.particles()
    }
}

impl Fluid for SphFluid {
    fn step_limit(&self, policy: &StepPolicy, solids: &dyn Solids, step: &StepContext) -> f64 {
        let demand = self.step_demand(solids, step);
        policy.scaled_limit(&demand, self.state.step_scale)
    }

    fn limiter(&self, policy: &StepPolicy, solids: &dyn Solids, step: &StepContext) -> Option<StepLimiter> {
        Some(self.find_limiter(policy, solids, step))
    }

    fn begin(&mut self, step: &StepContext) {
        let strays = self.has_strays(step.world);
        self.undo.begin(&mut self.state, strays || !self.setup.drains.is_empty());
        self.pour_and_drain(step, strays);
    }

    fn find_contacts(
        &mut self,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        self.find_neighbours(step, exchange)?;
        self.undo.note_sorted(&self.state.particles);
        self.begin_velocities();
        self.find_carriers(step, exchange);
        self.find_wall_contacts(step);
        Ok(())
    }

    fn exchange(
        &mut self,
        stage: Stage,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        match stage {
            Stage::Divergence => self.report.divergence = self.solve_stage(stage, step, exchange)?,
            Stage::Density => {
                // Before the solve, so that it knows whom a wall stops; after it, because it may push others into a wall.
                self.limit_approach(step, exchange);
                self.predict_boundary_density(step);
                self.report.pressure = self.solve_stage(stage, step, exchange)?;
                self.state.predicted_error = self.report.pressure.residual;
                self.limit_approach(step, exchange);
            }
        }
        Ok(())
    }

    fn apply_forces(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        self.apply_body_forces(step);
        self.contacts.find_penalties(
            &self.boundary,
            &self.neighbourhood,
            &self.state.particles,
            &self.points,
            &self.setup,
        );
        self.apply_wall_viscosity(step, exchange);
        self.apply_adhesion(step, exchange);
        self.update_velocity_star();
        // Solids fall, too.
        self.falling = true;
        self.update_interface_velocities(step, exchange);
    }

    fn integrate(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        self.move_particles(step);
        self.end_flights(step, &exchange.interface.motion);
        self.finish_wall_contacts(step, exchange);
        self.stop_at_solids(step, exchange);
    }

    fn project(&mut self, _step: &StepContext, exchange: &mut Exchange<'_>) {
        self.make_way_for_solids(exchange);
    }

    fn check(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        self.check_compression(step)?;
        self.detect_shock(step)?;
        self.balance = self.energy_balance(step);
        // What is not finite makes the sum so.
        if self.balance.gained.is_finite() { Ok(()) } else { self.check_finite(step) }
    }

    fn balance(&self, _step: &StepContext) -> Option<Balance> {
        Some(self.balance)
    }

    fn accept(&mut self, step: &StepContext) {
        std::mem::swap(&mut self.state.particles.position, &mut self.scratch.position);
        std::mem::swap(&mut self.state.particles.velocity, &mut self.scratch.velocity);
        self.count(step);
        self.find_pace(step);
        self.adapt_step_scale(step);
    }

    fn undo(&mut self) {
        self.undo.restore(&mut self.state, self.neighbourhood.order());
    }

    fn may_retry(&self, error: &SimulationError, step: &StepContext) -> bool {
        self.is_worth_retrying(error, step)
    }

    fn columns(&self) -> &'static [&'static str] {
        &Self::COLUMNS
    }

    fn observe(&self, step: &StepContext, values: &mut Vec<Value>) {
        values.extend(self.row(step));
    }

    fn snapshot(&mut self, index: u32, step: &StepContext, solids: &dyn Solids) -> ParticleFrame {
        self.particle_frame(index, step, solids)
    }

    fn escaped(&self, step: &StepContext, solids: &dyn Solids) -> u64 {
        self.count_escaped(step, solids)
    }

    fn departed(&self) -> u64 {
        self.state.totals.departed
    }

    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StateError> {
        self.state.save(bytes)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let state = SphState::from_bytes(bytes)?;
        state.check(&self.setup)?;
        self.state = state;
        Ok(())
    }
}

/// The box around points `[m]`; nothing if there are none.
pub(crate) fn bounds(points: impl Iterator<Item = DVec3>) -> Option<(DVec3, DVec3)> {
    points.fold(None, |range, x| match range {
        None => Some((x, x)),
        Some((a, b)) => Some((a.min(x), b.max(x))),
    })
}
