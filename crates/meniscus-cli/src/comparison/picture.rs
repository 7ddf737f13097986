//! The trials as a plot: colours tell boundary methods apart, dashes pressure solvers.

use super::table::digits;
use super::{Comparison, Curve, Trial};
use meniscus::output::plot::{Axis, Bar, Bars, COLOURS, Curves, Figure, Key, Panel, Series, Style};
use meniscus::output::{Outcome, PhaseSeconds};

/// Phases of a step and their colours.
const PHASES: [(&str, &str); 6] = [
    ("choose_dt", "#bbbbbb"),
    ("predict", "#777777"),
    ("contact", "#4a90c2"),
    ("couple", "#e08a3c"),
    ("commit", "#6aa84f"),
    ("check", "#a277c2"),
];
const STAGES: [(&str, &str); 2] = [("pressure", "#e08a3c"), ("divergence", "#4a90c2")];

impl Comparison {
    /// Times and sweeps as bars, density error and energy over time.
    #[must_use]
    pub fn svg(&self, trials: &[Trial]) -> String {
        let title = format!("{} – {}", self.title(), self.description(trials));
        let legend = trials.iter().map(|trial| self.key(trial)).collect();
        let bars = vec![Panel::Bars(times(trials)), Panel::Bars(sweeps(trials))];
        let curves = vec![Panel::Curves(self.density_errors(trials)), Panel::Curves(self.energies(trials))];
        Figure { title: &title, rows: vec![bars, curves], legend }.svg()
    }

    /// How the curves of a trial are drawn.
    fn key(&self, trial: &Trial) -> Key<'static> {
        let combination = &trial.combination;
        let all = &self.combinations;
        // All solvers of the first boundary method come first, then all of the second.
        let solvers = all.iter().filter(|c| c.boundary == combination.boundary).count().max(1);
        let boundary = all.iter().position(|c| c.boundary == combination.boundary).unwrap_or(0) / solvers;
        let pressure = all.iter().position(|c| c.pressure == combination.pressure).unwrap_or(0);
        // Without boundary methods the colours are free for the solvers.
        let (colour, style) = match combination.boundary {
            Some(_) => (boundary, pressure),
            None => (pressure, 0),
        };
        Key {
            name: combination.to_string(),
            style: Style::LINES[style % Style::LINES.len()],
            colour: COLOURS[colour % COLOURS.len()],
        }
    }

    fn density_errors<'a>(&self, trials: &'a [Trial]) -> Curves<'a> {
        let values = trials.iter().flat_map(|trial| trial.density_error.points()).map(|point| point[1]);
        Curves {
            title: "Mean density error over time",
            axes: [time_axis(trials), Axis::decades("ρ/ρ₀ − 1 where positive, mean [1]", values)],
            series: self.series(trials, |trial| &trial.density_error),
            legend: false,
        }
    }

    fn energies<'a>(&self, trials: &'a [Trial]) -> Curves<'a> {
        let label = format!("kinetic + potential energy [{}]", self.energy_unit());
        Curves {
            title: "Energy of the fluid over time",
            axes: [time_axis(trials), Axis::holding(&label, usual(trials))],
            series: self.series(trials, |trial| &trial.energy),
            legend: false,
        }
    }

    fn series<'a>(&self, trials: &'a [Trial], curve: impl Fn(&'a Trial) -> &'a Curve) -> Vec<Series<'a>> {
        trials.iter().map(|trial| Series { key: self.key(trial), points: curve(trial).points() }).collect()
    }
}

/// The energies that the axis must hold. A trial that explodes shall not flatten the others: what is farther from the start
/// than ten times the change in an average trial is left out.
fn usual(trials: &[Trial]) -> Vec<f64> {
    let start = trials.iter().find_map(Trial::energy_ends).map_or(0.0, |ends| ends[0]);
    let away = |point: &[f64; 2]| (point[1] - start).abs();
    let farthest = |trial: &Trial| trial.energy.points().iter().map(away).fold(0.0, f64::max);
    let mut all: Vec<f64> = trials.iter().filter(|t| t.energy_ends().is_some()).map(farthest).collect();
    all.sort_by(f64::total_cmp);
    let limit = all.get(all.len().saturating_sub(1) / 2).map_or(0.0, |median| 10.0 * median);
    let points = trials.iter().flat_map(|trial| trial.energy.points());
    points.filter(|point| away(point) <= limit).map(|point| point[1]).collect()
}

fn time_axis(trials: &[Trial]) -> Axis {
    let end = trials.iter().map(|trial| trial.summary.simulated_s).fold(0.0, f64::max);
    Axis::holding("time [s]", [0.0, end])
}

fn times(trials: &[Trial]) -> Bars<'static> {
    let parts = |trial: &Trial| {
        let PhaseSeconds { choose_dt, predict, contact, couple, commit, check, observe: _ } =
            trial.summary.phase_seconds;
        let phases = [choose_dt, predict, contact, couple, commit, check];
        phases.iter().map(|&sum| 1e3 * trial.per_step(sum).unwrap_or(0.0)).collect::<Vec<_>>()
    };
    stacked("Wall time of a step by phase", "time per step [ms]", &PHASES, trials, parts)
}

fn sweeps(trials: &[Trial]) -> Bars<'static> {
    let parts = |trial: &Trial| {
        let sweeps = &trial.summary.sweeps;
        vec![sweeps.pressure_mean, sweeps.divergence_mean]
    };
    stacked("Sweeps of a step", "sweeps per step [1]", &STAGES, trials, parts)
}

/// A bar for each trial with the sum of its parts behind it.
fn stacked(
    title: &'static str,
    label: &str,
    names: &[(&'static str, &'static str)],
    trials: &[Trial],
    parts: impl Fn(&Trial) -> Vec<f64>,
) -> Bars<'static> {
    let bar = |trial: &Trial| {
        let parts = parts(trial);
        let sum = digits(parts.iter().sum());
        let remark = match trial.summary.outcome {
            Outcome::Failed => format!("{sum} (failed)"),
            _ => sum,
        };
        Bar { name: trial.combination.to_string(), parts, remark }
    };
    let bars: Vec<Bar> = trials.iter().map(bar).collect();
    let sums = bars.iter().map(|bar| bar.parts.iter().sum());
    Bars { title, axis: Axis::holding(label, sums.chain([0.0])), parts: names.to_vec(), bars }
}
