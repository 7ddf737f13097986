//! What fluids must keep to.

use super::{Law, hold, laws, on_threads};
use anyhow::{Context as _, Result, anyhow, ensure};
use glam::DVec3;
use meniscus_core::{
    Exchange, Failure, Fluid, ParticleFrame, Phase, SimulationError, Solids, Stage, StateError, StepContext,
    StepPolicy, Subject, Value,
};
use meniscus_coupling::{Setup, Simulation, SolidSet};

/// A fluid among solids.
pub struct FluidCase<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Makes the scene, with steps of a fixed length and without gravity, the fluid at its start, and the solids around it: the fluid
    /// must push some of them in the first steps.
    pub make: &'a (dyn Fn() -> Result<(Setup, Box<dyn Fluid>, SolidSet)> + Sync),
    /// How much of the impulse that it gives may be missing from its momentum, as a share of that impulse and of what it had in the
    /// beginning `[1]`.
    pub tolerance: f64,
}

/// Steps before something happens to a fluid, and after it.
const STEPS: u64 = 4;

/// Holds a fluid to its laws.
///
/// # Errors
/// With the law that it breaks.
pub fn fluid(case: &FluidCase<'_>) -> Result<()> {
    let laws: &[Law<FluidCase<'_>>] = &laws![
        its_longest_step_is_positive,
        momentum_that_solids_receive_it_loses,
        a_step_that_fails_anywhere_leaves_no_trace,
        a_restored_fluid_goes_on_with_the_same_bits,
        damaged_bytes_are_refused_and_change_nothing,
        looking_on_changes_nothing,
        threads_do_not_matter,
    ];
    hold(case.name, case, laws)
}

/// A moment of a step at which a fluid may give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Contacts,
    Divergence,
    Density,
    Check,
}

/// A fluid to which something happens in a step.
struct Probe {
    fluid: Box<dyn Fluid>,
    /// The step before which it is saved, and the other fluid that goes on with that.
    heir: Option<(u64, Box<dyn Fluid>)>,
    /// The step in which it gives up, and when: after what it does then.
    fails: Option<(u64, Moment)>,
    /// What went wrong with that.
    trouble: Option<StateError>,
}

impl Probe {
    fn new(fluid: Box<dyn Fluid>) -> Self {
        Self { fluid, heir: None, fails: None, trouble: None }
    }

    fn give_up(&self, moment: Moment, step: &StepContext) -> Result<(), SimulationError> {
        if self.fails != Some((step.clock.step, moment)) {
            return Ok(());
        }
        Err(step.error(Phase::Check, Subject::Whole, Failure::Shock, "the probe gives up".to_owned()))
    }

    fn inherit(&mut self, mut heir: Box<dyn Fluid>) -> Result<(), StateError> {
        let mut bytes = Vec::new();
        self.fluid.save(&mut bytes)?;
        heir.restore(&bytes)?;
        let mut again = Vec::new();
        heir.save(&mut again)?;
        if again != bytes {
            return Err(StateError("what was restored is saved differently".to_owned()));
        }
        self.fluid = heir;
        Ok(())
    }
}

impl Fluid for Probe {
    fn step_limit(&self, policy: &StepPolicy, solids: &dyn Solids, step: &StepContext) -> f64 {
        self.fluid.step_limit(policy, solids, step)
    }

    fn begin(&mut self, step: &StepContext) {
        if let Some((_, heir)) = self.heir.take_if(|(when, _)| *when == step.clock.step) {
            self.trouble = self.inherit(heir).err();
        }
        self.fluid.begin(step);
    }

    fn find_contacts(
        &mut self,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        self.fluid.find_contacts(step, exchange)?;
        self.give_up(Moment::Contacts, step)
    }

    fn exchange(
        &mut self,
        stage: Stage,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        self.fluid.exchange(stage, step, exchange)?;
        self.give_up(if stage == Stage::Density { Moment::Density } else { Moment::Divergence }, step)
    }

    fn apply_forces(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        self.fluid.apply_forces(step, exchange);
    }

    fn integrate(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        self.fluid.integrate(step, exchange);
    }

    fn project(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        self.fluid.project(step, exchange);
    }

    fn check(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        self.fluid.check(step)?;
        self.give_up(Moment::Check, step)
    }

    fn accept(&mut self, step: &StepContext) {
        self.fluid.accept(step);
    }

    fn undo(&mut self) {
        self.fluid.undo();
    }

    fn may_retry(&self, _error: &SimulationError, _step: &StepContext) -> bool {
        false
    }

    fn columns(&self) -> &'static [&'static str] {
        self.fluid.columns()
    }

    fn observe(&self, step: &StepContext, values: &mut Vec<Value>) {
        self.fluid.observe(step, values);
    }

    fn snapshot(&mut self, index: u32, step: &StepContext, solids: &dyn Solids) -> ParticleFrame {
        self.fluid.snapshot(index, step, solids)
    }

    fn escaped(&self, step: &StepContext, solids: &dyn Solids) -> u64 {
        self.fluid.escaped(step, solids)
    }

    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StateError> {
        match &self.trouble {
            Some(trouble) => Err(trouble.clone()),
            None => self.fluid.save(bytes),
        }
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        self.fluid.restore(bytes)
    }
}

/// The case, begun, with what is to happen to its fluid.
fn begin(case: &FluidCase<'_>, prepare: impl FnOnce(&mut Probe)) -> Result<Simulation> {
    let (setup, fluid, solids) = (case.make)()?;
    let mut probe = Probe::new(fluid);
    prepare(&mut probe);
    Ok(Simulation::of(setup, vec![Box::new(probe)], solids))
}

fn steps(simulation: &mut Simulation, count: u64) -> Result<()> {
    (0..count).try_for_each(|_| simulation.step().map(drop)).context("a step failed")
}

fn bytes(simulation: &Simulation) -> Result<Vec<u8>> {
    Ok(simulation.state()?.into_bytes())
}

/// The bytes of a run to which nothing happens.
fn undisturbed(case: &FluidCase<'_>, count: u64) -> Result<Vec<u8>> {
    let mut simulation = begin(case, |_| ())?;
    steps(&mut simulation, count)?;
    bytes(&simulation)
}

fn its_longest_step_is_positive(case: &FluidCase<'_>) -> Result<()> {
    let mut simulation = begin(case, |_| ())?;
    for _ in 0..STEPS {
        let setup = simulation.setup();
        let context = StepContext::new(*simulation.clock(), setup.gravity, setup.dimension, setup.step);
        for max in [1e-3, 1.0] {
            let policy = StepPolicy::Cfl { factor: 0.4, min: 1e-6, max, sweeps: None };
            let limit = simulation.fluids()[0].step_limit(&policy, simulation.solids(), &context);
            ensure!(limit > 0.0, "it allows {limit} s");
        }
        steps(&mut simulation, 1)?;
    }
    Ok(())
}

/// The fluid's momentum without what others than solids have given it, by what its columns say `[kg m/s]`: `momentum_x` and so on, less
/// `outside_impulse_x` if there are such.
fn momentum(simulation: &Simulation) -> Result<DVec3> {
    let (columns, row) = (simulation.series_columns(), simulation.series_row());
    ensure!(columns.fit(&row), "it has other values than columns");
    let place = |name: &str| columns.fluid.iter().position(|column| column == name);
    let vector = |first: usize| {
        let number = |k: usize| match row.fluid.get(first + k) {
            Some(Value::Number(number)) => Ok(*number),
            _ => Err(anyhow!("its momentum is not a number")),
        };
        anyhow::Ok(DVec3::new(number(0)?, number(1)?, number(2)?))
    };
    let first = place("momentum_x").context("it has no columns momentum_x, momentum_y and momentum_z")?;
    let outside = place("outside_impulse_x").map_or(Ok(DVec3::ZERO), vector)?;
    Ok(vector(first)? - outside)
}

fn momentum_that_solids_receive_it_loses(case: &FluidCase<'_>) -> Result<()> {
    let mut simulation = begin(case, |_| ())?;
    let start = momentum(&simulation)?;
    let (mut given, mut size) = (DVec3::ZERO, start.length());
    for _ in 0..2 * STEPS {
        steps(&mut simulation, 1)?;
        for body in 0..simulation.solids().count() {
            let load = simulation.load(body).impulse;
            given += load;
            size += load.length();
        }
    }
    ensure!(size > 0.0 && given.length() > 1e-3 * size, "the case is none: solids receive {given}");
    let off = (momentum(&simulation)? - start + given).length();
    ensure!(
        off <= case.tolerance * size,
        "solids have received {given} N s, of which {off} are not accounted for"
    );
    Ok(())
}

fn a_step_that_fails_anywhere_leaves_no_trace(case: &FluidCase<'_>) -> Result<()> {
    let expected = undisturbed(case, 2 * STEPS)?;
    for moment in [Moment::Contacts, Moment::Divergence, Moment::Density, Moment::Check] {
        for when in [0, STEPS] {
            let mut simulation = begin(case, |probe| probe.fails = Some((when, moment)))?;
            steps(&mut simulation, when)?;
            let before = bytes(&simulation)?;
            ensure!(simulation.step().is_err(), "the step does not fail");
            ensure!(
                bytes(&simulation)? == before,
                "a step that fails after {moment:?} has changed the state"
            );
        }
        // And the next attempt is as if there had been none: another fluid with the state of the one that failed.
        let mut failing = begin(case, |probe| probe.fails = Some((STEPS, moment)))?;
        steps(&mut failing, STEPS)?;
        ensure!(failing.step().is_err(), "the step does not fail");
        let fluid = &failing.fluids()[0];
        let mut kept = Vec::new();
        fluid.save(&mut kept)?;
        let (_, mut heir, _) = (case.make)()?;
        heir.restore(&kept)?;
        let mut simulation = begin(case, |probe| probe.heir = Some((STEPS, heir)))?;
        steps(&mut simulation, 2 * STEPS)?;
        ensure!(bytes(&simulation)? == expected, "after a failure at {moment:?} it goes on differently");
    }
    Ok(())
}

fn a_restored_fluid_goes_on_with_the_same_bits(case: &FluidCase<'_>) -> Result<()> {
    let expected = undisturbed(case, 2 * STEPS)?;
    for when in [0, STEPS] {
        let (_, heir, _) = (case.make)()?;
        let mut simulation = begin(case, |probe| probe.heir = Some((when, heir)))?;
        steps(&mut simulation, 2 * STEPS)?;
        ensure!(bytes(&simulation)? == expected, "restored before step {when} it goes on differently");
    }
    Ok(())
}

fn damaged_bytes_are_refused_and_change_nothing(case: &FluidCase<'_>) -> Result<()> {
    let mut simulation = begin(case, |_| ())?;
    steps(&mut simulation, STEPS)?;
    let mut whole = Vec::new();
    simulation.fluids()[0].save(&mut whole)?;
    let (_, mut fluid, _) = (case.make)()?;
    let mut before = Vec::new();
    fluid.save(&mut before)?;
    for end in (0..whole.len()).step_by(1 + whole.len() / 200) {
        ensure!(fluid.restore(&whole[..end]).is_err(), "{end} of {} bytes will do", whole.len());
        let mut now = Vec::new();
        fluid.save(&mut now)?;
        ensure!(now == before, "{end} bytes are refused and change something");
    }
    // Other damage may look like a state; it must not end the program.
    for place in (0..whole.len()).step_by(1 + whole.len() / 200) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        let (_, mut fluid, _) = (case.make)()?;
        let refused = fluid.restore(&damaged).is_err();
        let mut now = Vec::new();
        fluid.save(&mut now)?;
        ensure!(!refused || now == before, "damage at {place} is refused and changes something");
    }
    Ok(())
}

fn looking_on_changes_nothing(case: &FluidCase<'_>) -> Result<()> {
    let mut simulation = begin(case, |_| ())?;
    for _ in 0..2 * STEPS {
        let before = bytes(&simulation)?;
        let frame = simulation.frame(7);
        ensure!(frame.index == 7 && frame.step == simulation.clock().step, "the frame is another one");
        ensure!(simulation.frame(7) == frame, "a second look shows something else");
        let _ = (simulation.series_row(), simulation.escaped());
        ensure!(bytes(&simulation)? == before, "a look changes the state");
        steps(&mut simulation, 1)?;
    }
    ensure!(bytes(&simulation)? == undisturbed(case, 2 * STEPS)?, "who looks on gets other bits");
    Ok(())
}

fn threads_do_not_matter(case: &FluidCase<'_>) -> Result<()> {
    let run = |threads| on_threads(threads, || undisturbed(case, 2 * STEPS));
    ensure!(run(1)? == run(3)?, "one thread and three give other bits");
    Ok(())
}
