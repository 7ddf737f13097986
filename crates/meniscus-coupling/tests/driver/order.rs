//! The order of a step is the one that core names and that the documentation shows.

use glam::DVec3;
use meniscus_core::{
    BodyId, Exchange, Fluid, Kinematics, Loads, MotionChange, ParticleFrame, Pose, STEP, SimulationError,
    SolidEngine, SolidError, SolidMotion, SolidReport, Solids, Stage, StateError, StepContext, StepPart,
    StepPolicy,
};
use meniscus_coupling::{Simulation, SolidSet};
use meniscus_testkit::Tank;
use std::sync::{Arc, Mutex};

/// Notes what is called.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<&'static str>>>);

impl Log {
    fn note(&self, call: &'static str) {
        self.0.lock().unwrap().push(call);
    }

    fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A fluid and an engine without bodies that do nothing but note what is asked of them. The first check fails.
struct Recorder {
    log: Log,
    checked: bool,
}

impl Recorder {
    fn new(log: &Log) -> Self {
        Self { log: log.clone(), checked: false }
    }
}

impl Fluid for Recorder {
    fn step_limit(&self, policy: &StepPolicy, _: &dyn Solids, _: &StepContext) -> f64 {
        self.log.note("Fluid::step_limit");
        policy.longest()
    }

    fn begin(&mut self, _: &StepContext) {
        self.log.note("Fluid::begin");
    }

    fn find_contacts(&mut self, _: &StepContext, _: &mut Exchange<'_>) -> Result<(), SimulationError> {
        self.log.note("Fluid::find_contacts");
        Ok(())
    }

    fn exchange(
        &mut self,
        stage: Stage,
        _: &StepContext,
        _: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        self.log.note(match stage {
            Stage::Divergence => "Fluid::exchange (divergence)",
            Stage::Density => "Fluid::exchange (density)",
        });
        Ok(())
    }

    fn apply_forces(&mut self, _: &StepContext, _: &mut Exchange<'_>) {
        self.log.note("Fluid::apply_forces");
    }

    fn integrate(&mut self, _: &StepContext, _: &mut Exchange<'_>) {
        self.log.note("Fluid::integrate");
    }

    fn project(&mut self, _: &StepContext, _: &mut Exchange<'_>) {
        self.log.note("Fluid::project");
    }

    fn check(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        self.log.note("Fluid::check");
        if std::mem::replace(&mut self.checked, true) {
            return Ok(());
        }
        let (phase, subject) = (meniscus_core::Phase::Check, meniscus_core::Subject::Whole);
        Err(step.error(phase, subject, meniscus_core::Failure::Shock, "for a trial".to_owned()))
    }

    fn accept(&mut self, _: &StepContext) {
        self.log.note("Fluid::accept");
    }

    fn undo(&mut self) {
        self.log.note("Fluid::undo");
    }

    fn may_retry(&self, _: &SimulationError, _: &StepContext) -> bool {
        true
    }

    fn snapshot(&mut self, _: u32, _: &StepContext, _: &dyn Solids) -> ParticleFrame {
        ParticleFrame::default()
    }

    fn escaped(&self, _: &StepContext, _: &dyn Solids) -> u64 {
        0
    }

    fn save(&self, _: &mut Vec<u8>) -> Result<(), StateError> {
        Ok(())
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), StateError> {
        Ok(())
    }
}

impl Solids for Recorder {
    fn count(&self) -> usize {
        1
    }

    fn kinematics(&self, _: BodyId) -> Option<Kinematics> {
        Some(Kinematics::at_rest(Pose::IDENTITY))
    }

    fn pause(&self, _: &mut [SolidMotion]) {}

    fn begin_response(&mut self, _: f64) {
        self.log.note("Solids::begin_response");
    }

    fn respond(&mut self, _: &Loads, _: &mut MotionChange) {}
}

impl SolidEngine for Recorder {
    fn predict(&mut self, _: &StepContext, _: &mut [SolidMotion]) {
        self.log.note("SolidEngine::predict");
    }

    fn advance(&mut self, _: &StepContext, _: &Loads) -> Result<SolidReport, SolidError> {
        self.log.note("SolidEngine::advance");
        Ok(SolidReport::default())
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        self.log.note("SolidEngine::undo");
        Ok(())
    }

    fn save(&self, _: &mut Vec<u8>) -> Result<(), SolidError> {
        Ok(())
    }

    fn restore(&mut self, _: f64, _: &[u8]) -> Result<(), SolidError> {
        Ok(())
    }
}

#[test]
fn a_step_calls_its_parts_in_the_order_that_core_names() {
    let log = Log::default();
    let mut setup = Tank::plane(0.1).width(1.0).height(1.0).depth(0.5).setup().unwrap();
    setup.gravity = DVec3::NEG_Y;
    setup.step = StepPolicy::Cfl { factor: 0.4, min: 1e-6, max: 0.01, sweeps: None };
    let mut simulation = Simulation::of(
        setup,
        vec![Box::new(Recorder::new(&log))],
        SolidSet::of(Box::new(Recorder::new(&log))),
    );
    simulation.step().unwrap();
    let calls = log.take();
    let parts: Vec<&str> = STEP.iter().map(|part| part.call).collect();
    // The first attempt is undone after its check, the second one begins behind the choice of the step's length.
    let check = parts.iter().position(|call| *call == "Fluid::check").unwrap();
    let undone = ["Fluid::undo", "SolidEngine::undo"];
    let expected: Vec<&str> = parts[..=check].iter().chain(&undone).chain(&parts[1..]).copied().collect();
    assert_eq!(calls, expected);
    simulation.step().unwrap();
    assert_eq!(log.take(), parts);
    assert!(STEP.is_sorted_by_key(|part| part.phase), "phases follow each other");
}

#[test]
fn the_documentation_shows_that_order() {
    let page = include_str!("../../../../docs/step.md");
    let row = |part: &StepPart| format!("| `{}` | `{}` | {} |\n", part.phase, part.call, part.what);
    let rows: String = STEP.iter().map(row).collect();
    let table = format!("| phase | call | what happens |\n| --- | --- | --- |\n{rows}");
    assert!(page.contains(&table), "docs/step.md should have this table:\n\n{table}");
}
