//! How far a run is: a bar on a terminal, lines elsewhere.

use crate::terminal::mention;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use meniscus::coupling::Simulation;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Ticks of the bar over the whole run.
const TICKS: f64 = 1e6;
/// Time between two updates of the bar.
const BAR_PERIOD: Duration = Duration::from_millis(100);
/// Time between two lines.
const LINE_PERIOD: Duration = Duration::from_secs(5);

/// Shows how far a run is.
pub struct Progress {
    display: Display,
    end: f64,
    begun: Instant,
    begun_time: f64,
    last: Instant,
    last_particle_steps: u64,
}

enum Display {
    Nothing,
    Lines,
    Bar(ProgressBar),
}

impl Progress {
    /// Begins to show a run that ends at `end` `[s]`.
    pub fn new(quiet: bool, end: f64, simulation: &Simulation) -> Self {
        let display = if quiet {
            Display::Nothing
        } else if std::io::stderr().is_terminal() {
            Display::Bar(bar())
        } else {
            Display::Lines
        };
        let clock = simulation.clock();
        let now = Instant::now();
        let progress = Self {
            display,
            end,
            begun: now,
            begun_time: clock.time,
            last: now,
            last_particle_steps: simulation.totals().particle_steps,
        };
        if let Display::Bar(bar) = &progress.display {
            bar.set_position(progress.position(clock.time));
            bar.reset_eta();
        }
        progress
    }

    /// Shows the state between two steps, if it is time to.
    pub fn update(&mut self, simulation: &Simulation) {
        let period = match &self.display {
            Display::Nothing => return,
            Display::Lines => LINE_PERIOD,
            Display::Bar(_) => BAR_PERIOD,
        };
        if self.last.elapsed() >= period {
            self.show(simulation);
        }
    }

    /// Prints something while the bar is out of the way.
    pub fn aside(&self, print: impl FnOnce()) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(print),
            Display::Nothing | Display::Lines => print(),
        }
    }

    /// Ends the display; the bar is removed.
    pub fn finish(self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, simulation: &Simulation) {
        let (clock, report) = (simulation.clock(), simulation.last_report());
        let steps = simulation.totals().particle_steps;
        let rate = steps.saturating_sub(self.last_particle_steps) as f64 / self.last.elapsed().as_secs_f64();
        (self.last, self.last_particle_steps) = (Instant::now(), steps);
        let mut state =
            format!("t {:.4}/{} s  step {}  dt {:.2e} s", clock.time, self.end, clock.step, report.dt);
        if let Some(grid) = simulation.grid() {
            let _ = write!(state, "  iterations {}", grid.report().iterations);
        } else if simulation.setup().has_fluid {
            let done = simulation.sph_report();
            let (sweeps, more) = (done.pressure.sweeps, done.divergence.sweeps);
            let (count, rate) = (simulation.particles().len(), in_words(rate));
            // Writing to a String cannot fail.
            let _ = write!(state, "  sweeps {sweeps}+{more}  {count} particles  {rate}");
        }
        if let Some(solids) = simulation.solid_report() {
            let _ = write!(state, "  {} contacts  {} substeps", solids.points, solids.substeps);
        }
        match &self.display {
            Display::Nothing => {}
            Display::Lines => mention(&format!("{state}  {} left", self.left(clock.time))),
            Display::Bar(bar) => {
                bar.set_position(self.position(clock.time));
                bar.set_message(state);
            }
        }
    }

    fn position(&self, time: f64) -> u64 {
        (TICKS * time / self.end).clamp(0.0, TICKS) as u64
    }

    /// The wall time to the end at the mean pace since the beginning.
    fn left(&self, time: f64) -> String {
        let done = time - self.begun_time;
        let seconds = self.begun.elapsed().as_secs_f64() * (self.end - time) / done;
        if done > 0.0 && seconds.is_finite() { duration(seconds) } else { "?".to_owned() }
    }
}

/// A bar that counts to `end`; nothing where there is no terminal.
pub fn counter(what: &'static str, end: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} {msg}, {eta} left");
    let bar = ProgressBar::with_draw_target(Some(end as u64), ProgressDrawTarget::stderr());
    // The template is a constant and right.
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style)).with_message(what)
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(TICKS as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:24} {percent:>3}%  {msg}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A rate with a handy unit.
pub fn in_words(rate: f64) -> String {
    if rate >= 1e6 {
        format!("{:.2} M particle-steps/s", rate / 1e6)
    } else {
        format!("{:.1} k particle-steps/s", rate / 1e3)
    }
}

/// A wall time with handy units.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..120 if seconds < 10.0 => format!("{seconds:.1} s"),
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}
