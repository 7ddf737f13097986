//! Looks at a simulation after each step, and tells what whoever waits for it should know: once each, with the remedy.
//!
//! It reads what the simulation knows anyway, so it costs nothing to speak of and changes no result. What it has told is kept with
//! the checkpoint: a run that goes on tells nothing twice, and its report has all of it.

use meniscus_core::{DVec3, Limiter, StepLimiter, StepPolicy};
use meniscus_coupling::{Setup, Simulation};
use meniscus_output::{Notice, Sign};

/// Steps that are allowed to be less than this share of the expected length are told of `[1]`.
const SHORT: f64 = 0.5;

/// Steps whose solves do not converge are told of when there are so many `[1]`, and such a share of all `[1]`.
const UNCONVERGED: u64 = 10;
const UNCONVERGED_SHARE: f64 = 0.02;

/// And when one of them left such a mean error: tolerances may be far below what anybody sees `[1]`.
const UNCONVERGED_ERROR: f64 = 1e-3;

/// Compression of a particle that no splash causes `[1]`.
const COMPRESSED: f64 = 0.5;

/// Mean compression by which fluid visibly loses volume `[1]`.
const LOSES_VOLUME: f64 = 0.02;

/// What tells when something should be known.
#[derive(Debug)]
pub(crate) struct Watch {
    /// All that was told.
    pub notices: Vec<Notice>,
    /// The shortest step to be expected `[s]`.
    expected: f64,
    /// Which bodies have left the world, as far as was told.
    left: Vec<bool>,
}

impl Watch {
    /// Begins to watch a simulation of this setup, of which `notices` were told already.
    pub fn new(setup: &Setup, notices: Vec<Notice>) -> Self {
        Self { notices, expected: setup.shortest_step(), left: vec![false; setup.bodies.len()] }
    }

    /// Takes over what a simulation has been told of that goes on.
    pub fn resumed(mut self, simulation: &Simulation) -> Self {
        self.left.iter_mut().enumerate().for_each(|(k, left)| *left = simulation.has_left(k));
        self
    }

    /// Looks at the simulation after a step; returns how many notices there were before.
    pub fn look(&mut self, simulation: &Simulation) -> usize {
        let before = self.notices.len();
        self.look_for_departures(simulation);
        self.look_at_step(simulation);
        if simulation.setup().has_fluid {
            self.look_at_solves(simulation);
            self.look_at_density(simulation);
        }
        before
    }

    fn has_told(&self, sign: Sign) -> bool {
        self.notices.iter().any(|notice| notice.sign == sign)
    }

    fn tell(&mut self, simulation: &Simulation, sign: Sign, text: String, help: &str) {
        let clock = simulation.clock();
        self.notices.push(Notice { sign, step: clock.step, time: clock.time, text, help: help.to_owned() });
    }

    fn look_for_departures(&mut self, simulation: &Simulation) {
        if simulation.departed() > 0 && !self.has_told(Sign::FluidLeft) {
            let text = "fluid leaves the world and is removed".to_owned();
            let help = "`world` in scene.toml is where it ends; `--set world.margin=N` widens it, `--set world.bounded=false` removes it";
            self.tell(simulation, Sign::FluidLeft, text, help);
        }
        for k in 0..self.left.len() {
            if !self.left[k] && simulation.has_left(k) {
                self.left[k] = true;
                let name = &simulation.setup().bodies[k].name;
                let text = format!("the body `{name}` has left the world and is simulated no more");
                let help =
                    "`--set world.margin=N` widens the world, `--set world.bounded=false` removes its end";
                self.tell(simulation, Sign::BodyLeft, text, help);
            }
        }
    }

    fn look_at_step(&mut self, simulation: &Simulation) {
        let least = SHORT * self.expected;
        let adapts = matches!(simulation.setup().step, StepPolicy::Cfl { .. });
        if !adapts || simulation.clock().last_dt >= least || self.has_told(Sign::ShortSteps) {
            return;
        }
        // The last one may have been cut to hit a frame.
        let Some(StepLimiter { limit, what }) = simulation.limiter() else { return };
        if limit >= least {
            return;
        }
        let (what, help) = named(what, simulation);
        let text = format!(
            "steps are down to {limit:.1e} s, where {:.1e} s was to be expected: {what}",
            self.expected
        );
        self.tell(simulation, Sign::ShortSteps, text, help);
    }

    fn look_at_solves(&mut self, simulation: &Simulation) {
        let count = simulation.totals().unconverged_steps;
        let share = count as f64 / simulation.clock().step.max(1) as f64;
        let residual = simulation.totals().pressure_residual_max;
        let matters = count >= UNCONVERGED && share >= UNCONVERGED_SHARE && residual >= UNCONVERGED_ERROR;
        if matters && !self.has_told(Sign::Unconverged) {
            let text = format!(
                "{count} of {} steps ended above the solver's tolerance, one with a mean error of {residual:.1e}",
                simulation.clock().step
            );
            let help = "shorter steps (`time.step.max`), more `fluid.pressure.max_sweeps`, or `time.step.sweeps`, by which steps \
                        become shorter when solves are hard; bodies that leave the fluid no room cannot be solved for";
            self.tell(simulation, Sign::Unconverged, text, help);
        }
    }

    fn look_at_density(&mut self, simulation: &Simulation) {
        let report = simulation.sph_report();
        if report.density_error_max > COMPRESSED && !self.has_told(Sign::Compressed) {
            let at = simulation.totals().densest.place;
            let text = format!(
                "a particle at {} is compressed by {:.0} %: it has been pinched or hit hard",
                point(at),
                100.0 * report.density_error_max
            );
            let help = "look at that place and time: two bodies that meet there, fluid that begins inside of other fluid, or a fast \
                        impact; shorter steps (`time.step.max`) help with the latter";
            self.tell(simulation, Sign::Compressed, text, help);
        }
        if report.density_error_mean > LOSES_VOLUME && !self.has_told(Sign::LosesVolume) {
            let text = format!(
                "the fluid is compressed by {:.1} % in the mean and loses as much of its volume",
                100.0 * report.density_error_mean
            );
            let help = "a smaller `fluid.pressure.density_tolerance` or more `fluid.pressure.max_sweeps`; with WCSPH a larger \
                        `sound_speed`; bodies that leave the fluid no room cannot be solved for";
            self.tell(simulation, Sign::LosesVolume, text, help);
        }
    }
}

/// What limits steps, in words, and what may be done.
fn named(what: Limiter, simulation: &Simulation) -> (String, &'static str) {
    const FAST: &str = "if it does not matter for what is shown, let a drain, a floor or the end of the world (`world.margin`) remove it";
    match what {
        Limiter::Particle { id, place, speed } => {
            (format!("fluid particle {id} at {} moves at {speed:.3} m/s", point(place)), FAST)
        }
        Limiter::Body { body, place, speed } => {
            let name = simulation.setup().bodies.get(body.index()).map_or("", |body| &body.name);
            (format!("the body `{name}` at {} moves at up to {speed:.3} m/s", point(place)), FAST)
        }
        Limiter::Nozzle { speed } => (format!("an emitter pours at {speed:.3} m/s"), ""),
        Limiter::Signal { speed } => (
            format!("sound, or what penalties throw back, moves at {speed:.3} m/s"),
            "an incompressible solver has no sound; penalties allow longer steps with a smaller `stiffness`",
        ),
        Limiter::Gravity => ("gravity over one spacing".to_owned(), ""),
        Limiter::Depth { depth } => (
            format!(
                "the fluid reaches {depth:.3} m along gravity, and its pressure shakes it apart in longer steps"
            ),
            "a smaller depth, or a larger `fluid.spacing`",
        ),
        Limiter::Scale { scale } => (
            format!(
                "steps that were hard to solve or failed have shortened them to {:.0} % of what motion allows",
                100.0 * scale
            ),
            "`time.step.sweeps` and `fluid.pressure.on_failure` say when steps become shorter",
        ),
        _ => ("`time.step.max`".to_owned(), ""),
    }
}

/// A place with as many digits as anybody looks for.
fn point(x: DVec3) -> String {
    let [x, y, z] = x.to_array().map(|c| format!("{c:.3}"));
    format!("({x}, {y}, {z}) m")
}
