//! The step, on one page, and the simulation that takes it.

use crate::setup::{Setup, SetupError};
use crate::solids::SolidSet;
use crate::state::State;
use meniscus_core::{
    Balance, BodyId, Clock, Exchange, Failure, Fluid, Interface, Kinematics, Ledger, Phase, PhaseTimers,
    Response, SimulationError, SolidError, SolidMotion, Solids, Stage, StepContext, StepPolicy, Subject,
    Wrench,
};
use std::time::Instant;

/// What a step did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepReport {
    /// Length of the step `[s]`.
    pub dt: f64,
    /// How many times it was begun again with half its length.
    pub retries: u32,
}

/// A running simulation: fluids and solids that push each other through one interface.
pub struct Simulation {
    pub(crate) setup: Setup,
    pub(crate) clock: Clock,
    /// Energy that no source explains.
    pub(crate) ledger: Ledger,
    pub(crate) fluids: Vec<Box<dyn Fluid>>,
    pub(crate) solids: SolidSet,
    pub(crate) interface: Interface,
    /// The same after the step that is being taken.
    next_ledger: Ledger,
    /// What solids make of their loads before the step is over.
    response: Response,
    pub(crate) timers: PhaseTimers,
    pub(crate) report: StepReport,
}

impl Simulation {
    /// A simulation at its start.
    ///
    /// # Errors
    /// When the scene is too large for its spacing, or the solids' engine refuses its bodies.
    pub fn new(mut setup: Setup) -> Result<Self, SetupError> {
        let solids = setup.build_solids()?;
        let fluids = setup.build_fluids(&solids)?;
        Ok(Self::of(setup, fluids, solids))
    }

    /// A simulation of fluids and solids of any kind: those that `setup` describes are left out.
    #[must_use]
    pub fn of(setup: Setup, fluids: Vec<Box<dyn Fluid>>, solids: SolidSet) -> Self {
        Self {
            interface: Interface::new(&solids.loadings()),
            setup,
            clock: Clock::default(),
            ledger: Ledger::default(),
            fluids,
            solids,
            next_ledger: Ledger::default(),
            response: Response::default(),
            timers: PhaseTimers::default(),
            report: StepReport::default(),
        }
    }

    /// A simulation that goes on from a saved state.
    ///
    /// # Errors
    /// When the state does not fit the setup.
    pub fn restore(mut setup: Setup, state: &State) -> Result<Self, SetupError> {
        let mut solids = setup.build_solids()?;
        let (clock, ledger, parts) = state.parts()?;
        let Some((engines, fluids)) = parts.split_at_checked(solids.engines()) else {
            return Err(SetupError::Mismatch("it has another number of parts"));
        };
        solids.restore_each(clock.time, engines)?;
        let fluids = setup.restore_fluids(fluids)?;
        Ok(Self { clock, ledger, ..Self::of(setup, fluids, solids) })
    }

    /// The state with all that a restart needs, for saving and for its fingerprint.
    ///
    /// # Errors
    /// When a fluid or an engine cannot write its state.
    pub fn state(&self) -> Result<State, SetupError> {
        let mut state =
            State::begin(&self.clock, self.ledger, (self.fluids.len() + self.solids.engines()) as u32);
        // Fluids last: what comes after their many bytes would make room for as many again.
        self.solids.save_each(|engine| state.add(|bytes| engine.save(bytes)))?;
        for fluid in &self.fluids {
            state.add(|bytes| fluid.save(bytes))?;
        }
        Ok(state)
    }

    /// Advances the simulation by one step.
    ///
    /// # Errors
    /// When a solve fails and the scene says to stop, or a number is not finite. The state is wholly that of the time before
    /// the step then.
    pub fn step(&mut self) -> Result<StepReport, SimulationError> {
        // In one of the pool's threads: from outside, every parallel loop would have to wake one.
        rayon::scope(|_| self.step_in_pool())
    }

    fn step_in_pool(&mut self) -> Result<StepReport, SimulationError> {
        let mut step = self.timed(Phase::ChooseDt, Self::choose_dt);
        while let Err(error) = self.attempt(&step) {
            self.undo(&step)?;
            if !self.may_retry(&error, &step) {
                return Err(error);
            }
            let end = self.clock.time + 0.5 * step.dt;
            step = StepContext { retries: step.retries + 1, ..step.lasting(end - self.clock.time, end) };
        }
        self.timed(Phase::Check, |s| s.accept(&step));
        Ok(self.report)
    }

    /// The phases of a step up to the moment at which its result counts. When one fails, the state is in between.
    fn attempt(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        self.timed(Phase::Predict, |s| s.predict(step));
        self.try_each_fluid(Phase::Contact, |fluid, hub| fluid.find_contacts(step, hub))?;
        self.try_each_fluid(Phase::Couple, |fluid, hub| fluid.exchange(Stage::Divergence, step, hub))?;
        self.each_fluid(Phase::Couple, |fluid, hub| fluid.apply_forces(step, hub));
        self.try_each_fluid(Phase::Couple, |fluid, hub| fluid.exchange(Stage::Density, step, hub))?;
        self.each_fluid(Phase::Commit, |fluid, hub| fluid.integrate(step, hub));
        self.timed(Phase::Commit, |s| s.integrate_solids(step))?;
        self.each_fluid(Phase::Commit, |fluid, hub| fluid.project(step, hub));
        self.try_each_fluid(Phase::Check, |fluid, _| fluid.check(step))?;
        self.timed(Phase::Check, |s| s.check_energy(step))
    }

    /// Refuses a step that has brought energy from nowhere.
    fn check_energy(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        self.next_ledger = self.ledger;
        // Where nothing moves that has a mass, nothing can gain.
        let Some(balance) = self.balance(step).filter(|balance| balance.mass > 0.0) else { return Ok(()) };
        // For each kilogram, so that what has left takes its share along.
        let Balance { gained, supplied, mass } = balance;
        let specific = Balance { gained: gained / mass, supplied: supplied / mass, mass: 1.0 };
        let ledger = self.ledger.after(specific);
        if ledger.has_run_away(self.setup.specific_energy) {
            let (excess, scale) = (mass * ledger.excess, mass * self.setup.specific_energy);
            let reason = format!(
                "{excess:.3e} J have come from nowhere, where all that moves has about {scale:.3e} J when it moves as this scene can make \
                 it; {}",
                self.setup.energy_remedy()
            );
            return Err(step.error(Phase::Check, Subject::Whole, Failure::Runaway { excess, scale }, reason));
        }
        self.next_ledger = ledger;
        Ok(())
    }

    /// What the step has made of the energy of all there is; nothing if some of it does not keep count.
    fn balance(&self, step: &StepContext) -> Option<Balance> {
        let mut sum = self.solids.balance()?;
        for fluid in &self.fluids {
            sum = sum.join(fluid.balance(step)?);
        }
        sum.supplied += self.work_of_scripts();
        Some(sum)
    }

    /// The work that scripted bodies have done on fluids in the step `[J]`: against what they have received, with the mean of the
    /// velocities at its beginning and end.
    fn work_of_scripts(&self) -> f64 {
        let work = |(motion, load): (&SolidMotion, &Wrench)| {
            let Some(motion) = motion.rigid().filter(|motion| !motion.dynamic) else { return 0.0 };
            let at = |now: &Kinematics| {
                let about = load.angular_impulse - now.pose.translation.cross(load.impulse);
                load.impulse.dot(now.velocity) + about.dot(now.angular_velocity)
            };
            -0.5 * (at(&motion.start) + at(&motion.end))
        };
        self.interface.motion.iter().zip(&self.interface.load.wrench).map(work).sum()
    }

    /// The step counts.
    fn accept(&mut self, step: &StepContext) {
        self.fluids.iter_mut().for_each(|fluid| fluid.accept(step));
        self.solids.accept();
        self.report = StepReport { dt: step.dt, retries: step.retries };
        self.ledger = self.next_ledger;
        self.clock = Clock { time: step.end, step: self.clock.step + 1, last_dt: step.dt };
    }

    /// Goes back to before a step that failed.
    fn undo(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        self.fluids.iter_mut().for_each(|fluid| fluid.undo());
        self.solids.undo().map_err(|error| self.solids_failed(step, &error))
    }

    /// A step of the length that all fluids allow.
    fn choose_dt(&mut self) -> StepContext {
        let step = self.setup.context(self.clock);
        let time = self.clock.time;
        if let StepPolicy::Fixed { dt } = step.policy {
            return step.lasting(dt, time + dt);
        }
        // Solids divide a step themselves; without fluid nothing else limits it.
        let limits = self.fluids.iter().map(|fluid| fluid.step_limit(&step.policy, &self.solids, &step));
        let limit = limits.fold(step.policy.longest(), f64::min);
        let end = self.setup.stops.step_end(time, limit);
        step.lasting(end - time, end)
    }

    /// Where solids will be, as far as is known; sources and drains of fluids.
    fn predict(&mut self, step: &StepContext) {
        self.interface.load.clear();
        self.solids.predict(step, &mut self.interface.motion);
        self.fluids.iter_mut().for_each(|fluid| fluid.begin(step));
        if !self.fluids.is_empty() {
            self.response.begin(&mut self.solids, &self.interface.load, step.dt);
        }
    }

    /// Hands the fluids' impulses to the solids and advances them. If that fails, they are as before.
    fn integrate_solids(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        let advanced = self.solids.advance(step, &self.interface.load);
        advanced.map_err(|error| self.solids_failed(step, &error))?;
        for (k, motion) in (0..).zip(&mut self.interface.motion) {
            if let (SolidMotion::Rigid(motion), Some(now)) = (motion, self.solids.kinematics(BodyId(k))) {
                motion.end = now;
            }
        }
        Ok(())
    }

    fn solids_failed(&self, step: &StepContext, error: &SolidError) -> SimulationError {
        step.error(Phase::Commit, self.blamed(error), Failure::Solids, error.to_string())
    }

    fn blamed(&self, error: &SolidError) -> Subject {
        let name = |id: BodyId| {
            let rigid = self.setup.bodies.iter().map(|body| &body.name);
            let mut names = rigid.chain(self.setup.deformables.iter().map(|body| &body.name));
            names.nth(id.index()).cloned().unwrap_or_default()
        };
        error.body().map_or(Subject::Whole, |id| Subject::Body { id, name: name(id) })
    }

    fn may_retry(&self, error: &SimulationError, step: &StepContext) -> bool {
        !self.fluids.is_empty()
            && step.policy.may_halve(step.dt)
            && self.fluids.iter().all(|fluid| fluid.may_retry(error, step))
    }

    /// A part of a phase, of all fluids.
    fn each_fluid(&mut self, phase: Phase, mut work: impl FnMut(&mut dyn Fluid, &mut Exchange<'_>)) {
        self.timed(phase, |s| {
            let Self { fluids, interface, response, solids, .. } = s;
            let mut hub = Exchange { interface, response, solids };
            for fluid in fluids {
                work(fluid.as_mut(), &mut hub);
            }
        });
    }

    /// The same of one that may fail.
    fn try_each_fluid(
        &mut self,
        phase: Phase,
        mut work: impl FnMut(&mut dyn Fluid, &mut Exchange<'_>) -> Result<(), SimulationError>,
    ) -> Result<(), SimulationError> {
        let mut result = Ok(());
        self.each_fluid(phase, |fluid, hub| {
            if result.is_ok() {
                result = work(fluid, hub);
            }
        });
        result
    }

    fn timed<R>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> R) -> R {
        let start = Instant::now();
        let result = work(self);
        self.timers.add_since(phase, start);
        result
    }
}
