//! The trials as a Markdown table and as CSV.

use super::{Comparison, Trial};
use meniscus::output::{Outcome, PhaseSeconds, csv_field};
use std::fmt::Write as _;

const CSV_COLUMNS: &str = "boundary,pressure,outcome,fluid_particles,boundary_particles,threads,steps,simulated_s,\
    setup_s,wall_s,step_s,step_cpu_s,step_relative,choose_dt_s,predict_s,wet_s,couple_s,commit_s,check_s,\
    pressure_sweeps,divergence_sweeps,density_error_mean,density_error_max,escaped_particles,unconverged_steps,\
    energy_start,energy_end,energy_change,state_hash,error\n";

/// What stands for a number that there is none of.
const NOTHING: &str = "–";
/// Processor time is counted in hundredths of a second; a sum from here on is known to a tenth `[s]`.
const KNOWN_WELL: f64 = 0.1;

impl Comparison {
    /// The table with a heading, and below it why trials failed.
    #[must_use]
    pub fn markdown(&self, trials: &[Trial]) -> String {
        let mut text = format!("# {}\n\n{}\n\n", self.title(), self.description(trials));
        let mut rows = vec![self.headings()];
        rows.extend(trials.iter().map(|trial| row(trial, relative(trial, trials))));
        text += &aligned(&rows);
        for trial in trials {
            if let Some(error) = &trial.error {
                let _ = write!(text, "\n{} failed: {}\n", trial.combination, one_line(error));
            }
        }
        text
    }

    /// What was compared.
    pub(super) fn title(&self) -> String {
        let title = one_line(&self.scene.title);
        format!("Comparison: {}", if title.is_empty() { "scene" } else { &title })
    }

    /// How large and how long, and how much of it is done.
    pub(super) fn description(&self, trials: &[Trial]) -> String {
        let particles = trials.iter().map(|trial| trial.summary.fluid_particles).max().unwrap_or(0);
        let threads = trials.iter().map(|trial| trial.summary.threads).max().unwrap_or(0);
        let end = match self.limits.steps {
            Some(steps) => format!("{steps} steps or t = {} s", self.scene.time.end),
            None => format!("t = {} s", self.scene.time.end),
        };
        let plural = if threads == 1 { "" } else { "s" };
        let all = self.combinations.len();
        let done = trials.len();
        let missing = if done < all { format!("; {done} of {all} combinations") } else { String::new() };
        format!("{particles} particles to {end}, {threads} thread{plural}{missing}")
    }

    fn headings(&self) -> Vec<String> {
        let energy = format!("energy [{}]", self.energy_unit());
        let names = [
            "boundary",
            "pressure",
            "wall [s]",
            "steps",
            "step [ms]",
            "cpu [ms]",
            "relative",
            "sweeps",
            "density error",
            "largest",
            "escaped",
            &energy,
            "change",
            "unconverged",
            "result",
        ];
        names.map(str::to_owned).to_vec()
    }
}

/// Work of a step over that of the cheapest trial `[1]`: it hardly depends on the computer. Processor time tells it best,
/// because other programs do not lengthen it; wall time is used where the former is unknown or too short to be known well.
fn relative(trial: &Trial, trials: &[Trial]) -> Option<f64> {
    let known =
        |trial: &Trial| trial.summary.steps == 0 || trial.stepping_cpu_s.is_some_and(|s| s >= KNOWN_WELL);
    let by_cpu = trials.iter().all(known);
    let cost = |trial: &Trial| if by_cpu { trial.step_cpu_s() } else { trial.step_s() };
    let least = trials.iter().filter_map(cost).fold(f64::INFINITY, f64::min);
    cost(trial).filter(|_| least > 0.0).map(|step| step / least)
}

fn row(trial: &Trial, relative: Option<f64>) -> Vec<String> {
    let summary = &trial.summary;
    let started = |text: String| if trial.energy_ends().is_some() { text } else { NOTHING.to_owned() };
    let stepped = |value: f64| digits_or_nothing(trial.per_step(1.0).map(|_| value));
    let (energy, change) = match trial.energy_ends() {
        Some([start, end]) => (format!("{} → {}", digits(start), digits(end)), digits(end - start)),
        None => (NOTHING.to_owned(), NOTHING.to_owned()),
    };
    let sweeps = &summary.sweeps;
    vec![
        trial.combination.boundary.clone().unwrap_or_else(|| NOTHING.to_owned()),
        trial.combination.pressure.clone(),
        started(digits(summary.wall_s)),
        started(summary.steps.to_string()),
        digits_or_nothing(trial.step_s().map(|s| 1e3 * s)),
        digits_or_nothing(trial.step_cpu_s().map(|s| 1e3 * s)),
        digits_or_nothing(relative),
        started(format!("{:.1} + {:.1}", sweeps.pressure_mean, sweeps.divergence_mean)),
        stepped(summary.density_error.mean),
        stepped(summary.density_error.max),
        started(summary.escaped_particles.to_string()),
        energy,
        change,
        started(summary.unconverged_steps.to_string()),
        outcome(summary.outcome).to_owned(),
    ]
}

/// One line for each trial; fields without a value are empty.
pub(super) fn csv(trials: &[Trial]) -> String {
    let mut text = CSV_COLUMNS.to_owned();
    for trial in trials {
        text += &csv_fields(trial, relative(trial, trials)).join(",");
        text.push('\n');
    }
    text
}

fn csv_fields(trial: &Trial, relative: Option<f64>) -> Vec<String> {
    let summary = &trial.summary;
    let number = |value: Option<f64>| value.map(|v| format!("{v:?}")).unwrap_or_default();
    let per_step = |sum: f64| number(trial.per_step(sum));
    let mean = |value: f64| number(trial.per_step(1.0).map(|_| value));
    let PhaseSeconds { choose_dt, predict, contact, couple, commit, check, observe: _ } =
        summary.phase_seconds;
    let ends = trial.energy_ends();
    let mut fields = vec![
        csv_field(trial.combination.boundary.as_deref().unwrap_or_default()),
        csv_field(&trial.combination.pressure),
        outcome(summary.outcome).to_owned(),
    ];
    let counts = [summary.fluid_particles, summary.boundary_particles, summary.threads.into(), summary.steps];
    fields.extend(counts.map(|count| count.to_string()));
    fields.extend([summary.simulated_s, summary.setup_s, summary.wall_s].map(|value| number(Some(value))));
    fields.extend([trial.step_s(), trial.step_cpu_s(), relative].map(number));
    fields.extend([choose_dt, predict, contact, couple, commit, check].map(per_step));
    fields.extend([summary.sweeps.pressure_mean, summary.sweeps.divergence_mean].map(mean));
    fields.extend([summary.density_error.mean, summary.density_error.max].map(mean));
    fields.extend([summary.escaped_particles, summary.unconverged_steps].map(|count| count.to_string()));
    fields.extend([ends.map(|e| e[0]), ends.map(|e| e[1]), ends.map(|e| e[1] - e[0])].map(number));
    fields.extend([summary.state_hash.clone(), csv_field(trial.error.as_deref().unwrap_or_default())]);
    fields
}

/// All curves, one line for each point.
pub(super) fn curves_csv(trials: &[Trial]) -> String {
    let mut text = "boundary,pressure,quantity,time,value\n".to_owned();
    for trial in trials {
        let boundary = csv_field(trial.combination.boundary.as_deref().unwrap_or_default());
        let pressure = csv_field(&trial.combination.pressure);
        for (quantity, curve) in [("energy", &trial.energy), ("density_error_mean", &trial.density_error)] {
            for [time, value] in curve.points() {
                let _ = writeln!(text, "{boundary},{pressure},{quantity},{time:?},{value:?}");
            }
        }
    }
    text
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Interrupted => "interrupted",
        _ => "failed",
    }
}

/// A Markdown table whose columns line up in plain text too; the first row is the heading.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
            .max(4)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            // Names to the left, numbers to the right.
            let cell =
                if is_name(column, columns) { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            let _ = write!(text, "| {cell} ");
        }
        text += "|\n";
        if index == 0 {
            for (column, &width) in widths.iter().enumerate() {
                let rule = "-".repeat(width - 1);
                let rule = if is_name(column, columns) { format!(":{rule}") } else { format!("{rule}:") };
                let _ = write!(text, "| {rule} ");
            }
            text += "|\n";
        }
    }
    text
}

fn is_name(column: usize, columns: usize) -> bool {
    column < 2 || column + 1 == columns
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn digits_or_nothing(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), digits)
}

/// A number with three digits that count.
pub(super) fn digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-2..1e5).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (2.0 - size.log10().floor()).max(0.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0, 12_345.6, 123.4, 12.34, 1.234, -0.123_4, 0.001_234, 1e7].map(digits);
        assert_eq!(texts, ["0", "12346", "123", "12.3", "1.23", "-0.123", "1.23e-3", "1.00e7"]);
    }

    #[test]
    fn columns_line_up() {
        let rows = [["name", "x", "result"], ["a → b", "1.25", "completed"]];
        let rows: Vec<Vec<String>> = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let text = aligned(&rows);
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|&width| width == widths[0]), "{text}");
    }
}
