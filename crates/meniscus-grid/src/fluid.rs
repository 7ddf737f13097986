//! A fluid on a grid: what each phase of a step does.
//!
//! \[Guendelman2006\] Sec. 4.6: sources, then smoke, temperature and velocities are carried along the flow, then forces act,
//! then the pressure makes the flow free of divergence, with bodies where the step begins and moving as they will in it.
//!
//! By default a step is an advection-reflection step (\[Zehnder2018\]): half of it is taken as above, then what the projection took away
//! is taken away once more, as a forecast of what the pressure does in the other half, and that half is taken with the flow of
//! the middle. Forces act around the middle, half of them before the projection and half after the reflection. It is of second order
//! in time, where plain projections are of first order and lose energy ([`Splitting`]).
//!
//! **Departures** from the thesis: bodies answer to the pressure within its solve. There is no second solve for a coupling pressure
//! (Sec. 6.5.1).

use crate::advect::Transport;
use crate::buoyant::Displaced;
use crate::cut::Cut;
use crate::extend::{continue_channel, continue_velocity};
use crate::force::{Confinement, apply_buoyancy, apply_uniform};
use crate::pressure::{Limit, PressureSolve, SolveReport};
use crate::sample::Flow;
use crate::setup::{GridSetup, Splitting};
use crate::side::{Quantity, fill_ghosts};
use crate::source::Sources;
use crate::state::Fields;
use crate::viscosity::GridViscosity;
use glam::DVec3;
use meniscus_core::{
    BodyId, Carriers, Exchange, Failure, Fluid, Kinematics, ParticleFrame, Phase, Pose, SimulationError,
    SolidMotion, Solids, Stage, StateError, StepContext, StepPolicy, Subject, Twist, Value,
};

/// How often bodies are asked what they make of the pressure, at most `[1]`.
const ROUNDS: u32 = 3;

/// A flow that would take so many steps to cross a cell is none `[1]`.
const STILL: f64 = 1e-10;

/// A fluid on a grid: description, state and scratch.
pub struct GridFluid {
    pub(crate) setup: GridSetup,
    pub(crate) fields: Fields,
    /// The state that the step is finding.
    pub(crate) next: Fields,
    pub(crate) cut: Cut,
    pub(crate) pressure: PressureSolve,
    pub(crate) sources: Sources,
    displaced: Vec<Option<Displaced>>,
    carriers: Carriers,
    /// How the motion of each carrier changes in the step, as far as is known, and as it turns out.
    change: Vec<Twist>,
    answer: Vec<Twist>,
    by_fluid: Vec<Twist>,
    confinement: Confinement,
    viscosity: GridViscosity,
    scratch: [Vec<f64>; 2],
    /// The velocities that transport finds.
    carried: [Vec<f64>; 3],
    /// The flow in the middle of the step.
    middle: [Vec<f64>; 3],
    constrained: Vec<(u32, u32, f64)>,
    poses: Vec<Option<Pose>>,
    report: SolveReport,
}

/// How solids move in a step, as the grid meets them.
struct Motions<'a> {
    motion: &'a [SolidMotion],
    carriers: &'a Carriers,
    change: &'a [Twist],
}

impl Motions<'_> {
    /// How a body moves at a place, on average over the step `[m/s]`.
    fn velocity(&self, body: u32, x: DVec3) -> DVec3 {
        let Some(motion) = self.motion.get(body as usize).and_then(SolidMotion::rigid) else {
            return DVec3::ZERO;
        };
        let foreseen = motion.velocity_of(x);
        match self.carriers.slot(BodyId(body)) {
            Some(slot) if slot < self.change.len() => {
                foreseen + self.change[slot].at(x - self.carriers.list()[slot].centre)
            }
            _ => foreseen,
        }
    }
}

impl GridFluid {
    /// The fluid at its start, around solids where they are.
    #[must_use]
    pub fn new(setup: GridSetup, solids: &dyn Solids) -> Self {
        let mut fields = Fields::at_rest(&setup.lattice);
        for axis in setup.lattice.axes() {
            fields.velocity[axis].fill(setup.velocity[axis]);
        }
        let mut fluid = Self::assemble(setup, fields);
        let mut motion = vec![SolidMotion::paused(Kinematics::at_rest(Pose::IDENTITY)); solids.count()];
        solids.pause(&mut motion);
        fluid.find_cut(&motion);
        fluid.fill_all_ghosts();
        fluid.next.copy_from(&fluid.fields);
        fluid.measure();
        fluid.fields.copy_from(&fluid.next);
        fluid
    }

    /// The fluid of a saved state.
    ///
    /// # Errors
    /// When the bytes are damaged, or belong to another fluid.
    pub fn restored(setup: GridSetup, bytes: &[u8]) -> Result<Self, StateError> {
        let fields = Fields::restored(&setup.lattice, bytes)?;
        Ok(Self::assemble(setup, fields))
    }

    fn assemble(setup: GridSetup, fields: Fields) -> Self {
        let channel = || setup.lattice.channel();
        Self {
            next: fields.clone(),
            fields,
            cut: Cut::default(),
            pressure: PressureSolve::default(),
            sources: Sources::new(&setup.lattice, setup.sources.clone()),
            displaced: setup
                .bodies
                .iter()
                .map(|body| Displaced::by(body, setup.lattice.dimension()))
                .collect(),
            carriers: Carriers::default(),
            change: Vec::new(),
            answer: Vec::new(),
            by_fluid: Vec::new(),
            confinement: Confinement::default(),
            viscosity: GridViscosity::default(),
            scratch: [channel(), channel()],
            carried: [channel(), channel(), channel()],
            middle: Default::default(),
            constrained: Vec::new(),
            poses: Vec::new(),
            report: SolveReport::default(),
            setup,
        }
    }

    /// Gives the fluid another flow at its start: u(x) `[m/s]`, the part across each face.
    pub fn set_velocity(&mut self, flow: impl Fn(DVec3) -> DVec3) {
        let lattice = self.setup.lattice;
        for axis in lattice.axes() {
            let site = crate::lattice::Site::Face(axis);
            for (slot, n) in lattice.each(&lattice.face_range(axis)) {
                self.fields.velocity[axis][n] = flow(lattice.position(site, slot))[axis];
            }
        }
        self.begin_anew();
    }

    /// Gives the fluid smoke at its start: a concentration by place `[1]`.
    pub fn set_smoke(&mut self, smoke: impl Fn(DVec3) -> f64) {
        let lattice = self.setup.lattice;
        for (slot, n) in lattice.each(&lattice.cell_range()) {
            self.fields.smoke[n] = smoke(lattice.position(crate::lattice::Site::Cell, slot));
        }
        self.begin_anew();
    }

    fn begin_anew(&mut self) {
        self.fill_all_ghosts();
        self.next.copy_from(&self.fields);
        self.measure();
        self.fields.copy_from(&self.next);
    }

    /// The description.
    #[must_use]
    pub fn setup(&self) -> &GridSetup {
        &self.setup
    }

    /// The state.
    #[must_use]
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// How solids cut the grid, as the last step has found.
    #[must_use]
    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    /// What the last projection did.
    #[must_use]
    pub fn report(&self) -> &SolveReport {
        &self.report
    }

    /// How many cells hold fluid, as the last step has found.
    #[must_use]
    pub fn rooms(&self) -> usize {
        self.pressure.rooms()
    }

    /// How many regions of fluid there are that are not connected, as the last step has found.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.pressure.regions()
    }

    fn fill_all_ghosts(&mut self) {
        let GridSetup { lattice, sides, .. } = &self.setup;
        fill_ghosts(lattice, sides, Quantity::Smoke, &mut self.fields.smoke);
        fill_ghosts(lattice, sides, Quantity::Temperature, &mut self.fields.temperature);
        for axis in lattice.axes() {
            fill_ghosts(lattice, sides, Quantity::Velocity(axis), &mut self.fields.velocity[axis]);
        }
    }

    /// Where solids are when the step begins.
    fn find_cut(&mut self, motion: &[SolidMotion]) {
        let pose = |motion: &SolidMotion| motion.rigid().filter(|m| m.present).map(|m| m.start.pose);
        self.poses.clear();
        self.poses.extend(motion.iter().map(pose));
        let GridSetup { lattice, sides, bodies, pressure, .. } = &self.setup;
        if self.cut.update(lattice, sides, bodies, &self.poses) {
            self.pressure.rebuild(lattice, &self.cut, pressure.preconditioner);
        }
    }

    fn fill_velocity_ghosts(&mut self) {
        let GridSetup { lattice, sides, .. } = &self.setup;
        for axis in lattice.axes() {
            fill_ghosts(lattice, sides, Quantity::Velocity(axis), &mut self.next.velocity[axis]);
        }
    }

    /// Smoke and temperature go along the flow of the middle, or of the start, for `dt` `[s]`.
    fn carry_scalars(&mut self, dt: f64) {
        let Self { setup, next, scratch: [first_way, result], middle, .. } = self;
        let GridSetup { lattice, sides, advection, splitting, .. } = &*setup;
        let velocity = if *splitting == Splitting::Reflection { &*middle } else { &next.velocity };
        let transport = Transport { flow: Flow { lattice, velocity }, sides, advection: *advection, dt };
        for (quantity, channel) in
            [(Quantity::Smoke, &mut next.smoke), (Quantity::Temperature, &mut next.temperature)]
        {
            fill_ghosts(lattice, sides, quantity, channel);
            // What is nowhere stays nowhere.
            if channel.iter().any(|value| *value != 0.0) {
                transport.carry(quantity, channel, result, first_way);
                std::mem::swap(channel, result);
            }
        }
    }

    /// Velocities go along the flow: their own, or that of the middle.
    fn carry_velocity(&mut self, dt: f64, along_middle: bool) {
        self.fill_velocity_ghosts();
        let Self { setup, next, scratch: [first_way, _], carried, middle, .. } = self;
        let GridSetup { lattice, sides, advection, .. } = &*setup;
        let velocity = if along_middle { &*middle } else { &next.velocity };
        let transport = Transport { flow: Flow { lattice, velocity }, sides, advection: *advection, dt };
        for axis in lattice.axes() {
            let (old, new) = (&next.velocity[axis], &mut carried[axis]);
            transport.carry(Quantity::Velocity(axis), old, new, first_way);
        }
        for axis in lattice.axes() {
            std::mem::swap(&mut next.velocity[axis], &mut carried[axis]);
        }
    }

    /// Forces act for `dt` `[s]`.
    fn accelerate(&mut self, gravity: DVec3, dt: f64) {
        let Self { setup, next, confinement, .. } = self;
        let GridSetup { lattice, buoyancy, .. } = &*setup;
        let Fields { velocity, smoke, temperature, .. } = next;
        if !buoyancy.is_none() {
            apply_buoyancy(lattice, buoyancy, gravity, dt, [smoke, temperature], velocity);
        }
        apply_uniform(lattice, setup.acceleration, dt, velocity);
        if setup.confinement > 0.0 {
            for axis in lattice.axes() {
                fill_ghosts(lattice, &setup.sides, Quantity::Velocity(axis), &mut velocity[axis]);
            }
            confinement.apply(lattice, setup.confinement, dt, velocity);
        }
        self.fill_velocity_ghosts();
    }

    /// What bodies foresee under all impulses so far: for the end of the step, or for its middle, when gravity and contacts have done
    /// half of what they will do.
    fn ask(&mut self, stage: Stage, exchange: &mut Exchange<'_>) {
        exchange.response.update(exchange.solids, &exchange.interface.load);
        exchange.response.changes(&self.carriers, true, &mut self.answer);
        if stage == Stage::Divergence {
            exchange.response.changes(&self.carriers, false, &mut self.by_fluid);
            for (all, by_fluid) in self.answer.iter_mut().zip(&self.by_fluid) {
                let sum = *all + *by_fluid;
                *all = Twist { linear: 0.5 * sum.linear, angular: 0.5 * sum.angular };
            }
        }
    }

    /// Velocities in bodies.
    fn extend_velocity(&mut self, motion: &[SolidMotion]) {
        let Self { setup, next, cut, carriers, change, constrained, .. } = self;
        let motions = Motions { motion, carriers, change };
        let friction = |body: u32| setup.bodies.get(body as usize).map_or(0.0, |body| body.friction);
        let velocity = |body, x| motions.velocity(body, x);
        continue_velocity(&setup.lattice, cut, friction, velocity, &mut next.velocity, constrained);
    }

    /// Fluid diffuses for `dt` `[s]`; returns what bodies have received `[N s]`.
    fn diffuse(&mut self, dt: f64, exchange: &mut Exchange<'_>) -> DVec3 {
        if self.setup.viscosity <= 0.0 {
            return DVec3::ZERO;
        }
        self.move_walls(&exchange.interface.motion);
        let Self { setup, next, cut, viscosity, .. } = self;
        let GridSetup { lattice, sides, bodies, .. } = &*setup;
        let friction = |body: u32| bodies.get(body as usize).map_or(0.0, |body| body.friction);
        let load = &mut exchange.interface.load;
        let (nu, mass) = (setup.viscosity, setup.cell_mass());
        viscosity.apply(lattice, sides, cut, friction, nu, dt, mass, &mut next.velocity, load)
    }

    /// The weight of displaced fluid over `dt` `[s]`; returns all of it `[N s]`.
    fn lift(&self, gravity: DVec3, dt: f64, exchange: &mut Exchange<'_>) -> DVec3 {
        let mut given = DVec3::ZERO;
        for (body, displaced) in self.displaced.iter().enumerate() {
            let (Some(displaced), Some(Some(pose))) = (displaced, self.poses.get(body)) else { continue };
            let (volume, centre) = displaced.within(&self.setup.lattice, &self.setup.bodies[body], pose);
            let impulse = -dt * self.setup.density * volume * gravity;
            exchange.interface.load.wrench[body].push(centre, impulse);
            given += impulse;
        }
        given
    }

    /// The pressure and the bodies that answer to it. In the middle of a step it is applied twice: once to make the flow free of
    /// divergence, and once as a forecast.
    fn couple(&mut self, stage: Stage, step: &StepContext, exchange: &mut Exchange<'_>) {
        let lattice = self.setup.lattice;
        self.ask(stage, exchange);
        std::mem::swap(&mut self.change, &mut self.answer);
        let bodies = exchange.interface.load.wrench.len();
        self.pressure.find_pushes(&lattice, &self.cut, bodies, &self.carriers, self.setup.cell_mass());
        for round in 0..ROUNDS {
            self.move_walls(&exchange.interface.motion);
            let limit = self.limit(step);
            let choice = self.setup.pressure.preconditioner;
            let Self { cut, next, pressure, .. } = self;
            let load = &mut exchange.interface.load;
            let report = pressure.solve(&lattice, cut, choice, limit, &next.velocity);
            pressure.push(&lattice, cut, &mut next.velocity, load, &mut next.outside);
            if stage == Stage::Divergence {
                // Rounds add up; each is reflected at the end.
                pressure.remember(round == 0);
            }
            let scale = self.setup.density * lattice.spacing() / step.dt;
            self.next.pressure.iter_mut().zip(self.pressure.q()).for_each(|(p, q)| *p += scale * q);
            self.report = SolveReport { iterations: self.report.iterations + report.iterations, ..report };
            if self.carriers.is_empty() || !report.converged {
                break;
            }
            self.ask(stage, exchange);
            let again = self.hold_others(limit.residual) && round + 1 < ROUNDS;
            std::mem::swap(&mut self.change, &mut self.answer);
            if !again {
                break;
            }
        }
        self.move_walls(&exchange.interface.motion);
    }

    /// The first half of a step, and the forecast of what the pressure does in the second.
    fn reflect(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let (half, before) = (0.5 * step.dt, self.fields.totals.momentum);
        self.carry_velocity(half, false);
        self.accelerate(step.gravity, half);
        let given = self.diffuse(half, exchange) + self.lift(step.gravity, half, exchange);
        self.next.outside += self.momentum() - before + given;
        self.couple(Stage::Divergence, step, exchange);

        self.fill_velocity_ghosts();
        self.extend_velocity(&exchange.interface.motion);
        for (middle, velocity) in self.middle.iter_mut().zip(&self.next.velocity) {
            middle.clone_from(velocity);
        }
        let Self { setup, cut, next, pressure, .. } = self;
        let (lattice, load) = (&setup.lattice, &mut exchange.interface.load);
        pressure.recall();
        pressure.push(lattice, cut, &mut next.velocity, load, &mut next.outside);
        let scale = setup.density * lattice.spacing() / step.dt;
        next.pressure.iter_mut().zip(pressure.q()).for_each(|(p, q)| *p += scale * q);
    }

    /// What a solve that has failed tells.
    fn require_converged(&self, step: &StepContext) -> Result<(), SimulationError> {
        let params = &self.setup.pressure;
        let SolveReport { iterations, residual, converged } = self.report;
        if converged || params.accept_unconverged {
            return Ok(());
        }
        let failure = Failure::NotConverged { sweeps: iterations, residual, tolerance: params.tolerance };
        let reason = format!(
            "the pressure of the grid left a flux of {residual:.3e} m/s in a cell after {iterations} iterations; \
             allow more iterations, a larger tolerance or shorter steps"
        );
        Err(step.error(Phase::Couple, Subject::Whole, failure, reason))
    }

    /// Bodies that do not move as their mobility says, for something else holds them, are held in further solves. Tells whether
    /// there are any.
    fn hold_others(&mut self, tolerance: f64) -> bool {
        let mut any = false;
        for (slot, carrier) in self.carriers.list().iter().enumerate() {
            let body = carrier.body.index();
            let expected = self.change[slot] + self.pressure.answer(body);
            let off = self.answer[slot] - expected;
            let reach = self.setup.lattice.extent().max_element();
            if off.linear.length() + reach * off.angular.length() > tolerance {
                self.pressure.hold(body);
                any = true;
            }
        }
        any
    }

    fn move_walls(&mut self, motion: &[SolidMotion]) {
        let Self { setup, cut, carriers, change, .. } = self;
        let motions = Motions { motion, carriers, change };
        cut.move_walls(&setup.lattice, |body, x| motions.velocity(body, x));
    }

    fn limit(&self, step: &StepContext) -> Limit {
        let speed = self.fastest(&self.next.velocity).max(self.fastest(&self.cut.wall));
        let still = STILL * self.setup.lattice.spacing() / step.dt;
        let params = &self.setup.pressure;
        Limit { residual: (params.tolerance * speed).max(still), iterations: params.max_iterations }
    }
}

impl Fluid for GridFluid {
    fn step_limit(&self, policy: &StepPolicy, solids: &dyn Solids, step: &StepContext) -> f64 {
        policy.limit(&self.step_demand(solids, step))
    }

    fn begin(&mut self, step: &StepContext) {
        self.next.copy_from(&self.fields);
        self.sources.apply(step.clock.time, &mut self.next);
    }

    fn find_contacts(
        &mut self,
        _step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        self.find_cut(&exchange.interface.motion);
        self.carriers.find(exchange.solids);
        self.change.clear();
        self.report = SolveReport::default();
        self.next.pressure.fill(0.0);
        Ok(())
    }

    fn exchange(
        &mut self,
        stage: Stage,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        match (stage, self.setup.splitting) {
            // The velocity that transport follows is free of divergence since the last step.
            (Stage::Divergence, Splitting::Projection) => return Ok(()),
            (Stage::Divergence, Splitting::Reflection) => self.reflect(step, exchange),
            (Stage::Density, _) => {
                self.couple(stage, step, exchange);
                self.next.iterations = self.report.iterations;
            }
        }
        self.require_converged(step)
    }

    fn apply_forces(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let (half, gravity) = (0.5 * step.dt, step.gravity);
        let (before, mut given);
        match self.setup.splitting {
            Splitting::Projection => {
                before = self.fields.totals.momentum;
                self.fill_velocity_ghosts();
                self.carry_scalars(step.dt);
                self.carry_velocity(step.dt, false);
                self.accelerate(gravity, half);
                given = self.diffuse(step.dt, exchange);
                self.accelerate(gravity, half);
                given += self.lift(gravity, step.dt, exchange);
            }
            Splitting::Reflection => {
                before = self.momentum();
                self.fill_velocity_ghosts();
                given = self.diffuse(half, exchange) + self.lift(gravity, half, exchange);
                self.accelerate(gravity, half);
                self.carry_scalars(step.dt);
                self.carry_velocity(half, true);
            }
        }
        // All that has changed comes from elsewhere, but for what bodies took.
        self.next.outside += self.momentum() - before + given;
    }

    fn integrate(&mut self, _step: &StepContext, exchange: &mut Exchange<'_>) {
        self.fill_velocity_ghosts();
        self.next.divergence = self.largest_divergence();
        self.extend_velocity(&exchange.interface.motion);
        let (open, band) = (&self.cut.open, &self.cut.cells_inside);
        for channel in [&mut self.next.smoke, &mut self.next.temperature] {
            continue_channel(&self.setup.lattice, band, |n| open[n] > 0.0, channel);
        }
        self.measure();
    }

    fn project(&mut self, _step: &StepContext, _exchange: &mut Exchange<'_>) {}

    fn check(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        let Some(what) = self.not_finite() else { return Ok(()) };
        let reason =
            format!("the {what} on the grid is not a finite number any more; shorter steps may help");
        Err(step.error(Phase::Check, Subject::Whole, Failure::NotFinite, reason))
    }

    fn accept(&mut self, _step: &StepContext) {
        std::mem::swap(&mut self.fields, &mut self.next);
    }

    fn undo(&mut self) {
        // What the step has found lies beside the state.
    }

    fn may_retry(&self, error: &SimulationError, _step: &StepContext) -> bool {
        matches!(error.failure, Failure::NotConverged { .. } | Failure::NotFinite)
    }

    fn columns(&self) -> &'static [&'static str] {
        &Self::COLUMNS
    }

    fn observe(&self, _step: &StepContext, values: &mut Vec<Value>) {
        values.extend(self.row());
    }

    fn snapshot(&mut self, index: u32, step: &StepContext, solids: &dyn Solids) -> ParticleFrame {
        // Where bodies are now, which the next step finds as well.
        let mut motion = vec![SolidMotion::paused(Kinematics::at_rest(Pose::IDENTITY)); solids.count()];
        solids.pause(&mut motion);
        self.find_cut(&motion);
        self.visible(index, step)
    }

    /// None: what is in solids is no fluid, and there is nothing outside of the box.
    fn escaped(&self, _step: &StepContext, _solids: &dyn Solids) -> u64 {
        0
    }

    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StateError> {
        self.fields.save(bytes)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        self.fields = Fields::restored(&self.setup.lattice, bytes)?;
        Ok(())
    }
}
