//! One combination, run to its end.

use super::{Combination, Comparison, Curve};
use meniscus::core::Phase;
use meniscus::coupling::{Setup, Simulation};
use meniscus::output::{Outcome, PhaseSeconds, Summary, cpu_seconds};
use meniscus::run::{Costs, RunError, is_over, summarise, survey};
use meniscus::scene::{Scene, SceneError, SceneSource};
use std::ops::ControlFlow;
use std::time::Instant;

/// What a combination has cost and how good it was.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The methods.
    pub combination: Combination,
    /// Costs and figures; those of a trial that failed are of the steps before.
    pub summary: Summary,
    /// Processor time of all steps, where the system tells `[s]`.
    pub stepping_cpu_s: Option<f64>,
    /// Kinetic and potential energy of the fluid over time `[J]`, in the plane `[J/m]`.
    pub energy: Curve,
    /// Mean compression over time `[1]`.
    pub density_error: Curve,
    /// Why it failed.
    pub error: Option<String>,
}

impl Trial {
    /// Wall time of a step without observation, mean over steps `[s]`; nothing without steps.
    #[must_use]
    pub fn step_s(&self) -> Option<f64> {
        let PhaseSeconds { choose_dt, predict, contact, couple, commit, check, observe: _ } =
            self.summary.phase_seconds;
        self.per_step(choose_dt + predict + contact + couple + commit + check)
    }

    /// Processor time of a step over all threads, mean over steps `[s]`; nothing without steps or where it is unknown.
    #[must_use]
    pub fn step_cpu_s(&self) -> Option<f64> {
        self.stepping_cpu_s.and_then(|sum| self.per_step(sum))
    }

    /// A sum over all steps as a mean; nothing without steps.
    pub(super) fn per_step(&self, sum: f64) -> Option<f64> {
        (self.summary.steps > 0).then(|| sum / self.summary.steps as f64)
    }

    /// Energy at the start and at the end `[J]`, in the plane `[J/m]`; nothing if it never started.
    #[must_use]
    pub fn energy_ends(&self) -> Option<[f64; 2]> {
        self.energy.ends()
    }
}

impl Comparison {
    /// Runs one combination. `watch` is called before each step, and ends the trial if it says so.
    #[must_use]
    pub fn run(
        &self,
        combination: &Combination,
        watch: &mut dyn FnMut(&Simulation) -> ControlFlow<()>,
    ) -> Trial {
        let start = Instant::now();
        let mut trial = Trial {
            combination: combination.clone(),
            summary: Summary { outcome: Outcome::Failed, ..Summary::default() },
            stepping_cpu_s: None,
            energy: Curve::default(),
            density_error: Curve::default(),
            error: None,
        };
        let built = self.build(combination).and_then(|(scene, setup)| {
            Ok((scene, Simulation::new(setup).map_err(|error| error.to_string())?))
        });
        let (scene, mut simulation) = match built {
            Ok(built) => built,
            Err(error) => return Trial { error: Some(error), ..trial },
        };
        let setup_s = start.elapsed().as_secs_f64();
        let cpu_before = cpu_seconds();
        let outcome = self.advance(&scene, &mut simulation, &mut trial, watch);
        trial.stepping_cpu_s = cpu_seconds().zip(cpu_before).map(|(now, before)| now - before);
        trial.energy.close(simulation.clock().time, energy(&simulation));
        let costs = Costs {
            wall_s: start.elapsed().as_secs_f64(),
            setup_s,
            phase_seconds: PhaseSeconds::from(simulation.timers()),
            ..Costs::default()
        };
        match summarise(&scene, &simulation, outcome, &costs) {
            Ok(summary) => trial.summary = summary,
            Err(error) => trial.error = Some(error.to_string()),
        }
        trial
    }

    fn advance(
        &self,
        scene: &Scene,
        simulation: &mut Simulation,
        trial: &mut Trial,
        watch: &mut dyn FnMut(&Simulation) -> ControlFlow<()>,
    ) -> Outcome {
        loop {
            let clock = simulation.clock();
            if is_over(scene, clock) || self.limits.reached(clock) {
                return Outcome::Completed;
            }
            if watch(simulation).is_break() {
                return Outcome::Interrupted;
            }
            let (time, start) = (clock.time, Instant::now());
            trial.energy.offer(time, || energy(simulation));
            simulation.timers_mut().add_since(Phase::Observe, start);
            match simulation.step() {
                // A step measures the densities at its start.
                Ok(_) => trial.density_error.offer(time, || simulation.sph_report().density_error_mean),
                Err(error) => {
                    trial.error = Some(error.to_string());
                    return Outcome::Failed;
                }
            }
        }
    }

    /// The scene with the methods. It is written and read again, so that it is checked as if the user had written it.
    fn build(&self, combination: &Combination) -> Result<(Scene, Setup), String> {
        let Combination { boundary, pressure } = combination;
        let scene = self.scene.clone().with_pressure(pressure).map_err(|error| error.to_string())?;
        let scene = match boundary {
            Some(name) => scene.with_boundary(name).map_err(|error| error.to_string())?,
            None => scene,
        };
        let text = scene.to_toml().map_err(|error| error.to_string())?;
        let source = SceneSource::from_text(&combination.to_string(), &text);
        let built = survey(&source, self.shortage)
            .and_then(|(scene, setup)| Ok((source.with_maps(&scene, setup)?, scene)));
        match built {
            Ok((setup, scene)) => Ok((scene, setup)),
            Err(RunError::Scene(error)) => Err(brief(&error)),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The mistakes without the text around them, which the user did not write.
fn brief(error: &SceneError) -> String {
    let messages: Vec<&str> =
        error.diagnostics().iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    messages.join("; ")
}

/// Kinetic and potential energy of the fluid `[J]`, in the plane `[J/m]`.
fn energy(simulation: &Simulation) -> f64 {
    let sums = simulation.fluid_sums();
    sums.kinetic_energy + sums.potential_energy
}
