//! The measurements as tables.

use super::{Part, Whole};
use std::fmt::Write;

/// Markdown tables of whole steps, and of the parts of each scene; `bandwidth` is what memory can do `[byte/s]`.
#[must_use]
pub fn markdown(measured: &[(Whole, Vec<Part>)], threads: usize, bandwidth: f64) -> String {
    let mut text = String::from(
        "| scene | particles | boundary | wall [ms] | cpu [ms] | cpu [µs] a particle | sweeps | neighbours | solves | rest | wall [s] a simulated second | density error | memory [MiB] |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for (whole, _) in measured {
        row(&mut text, whole);
    }
    text.push_str("\n| scene | part | wall [ms] | wall [ns] a particle | rows [GB/s] | of the memory's speed |\n| --- | --- | --: | --: | --: | --: |\n");
    for (whole, parts) in measured {
        for part in parts {
            part_row(&mut text, whole, part, bandwidth);
        }
    }
    let _ = writeln!(text, "\n{threads} threads; memory is read at {:.1} GB/s.", 1e-9 * bandwidth);
    text
}

fn row(text: &mut String, whole: &Whole) {
    let Whole { name, particles, boundary_particles, wall_s, phase_seconds: phase, .. } = whole;
    let share = |seconds: f64| format!("{:.0} %", 100.0 * seconds / wall_s.max(f64::MIN_POSITIVE));
    let known =
        |value: Option<f64>, scale: f64| value.map_or("?".to_owned(), |v| format!("{:.2}", scale * v));
    let a_particle = 1e6 / (*particles).max(1) as f64;
    let _ = writeln!(
        text,
        "| {name} | {particles} | {boundary_particles} | {:.2} | {} | {} | {:.1} + {:.1} | {} | {} | {} | {:.2} | {:.1e} | {} |",
        1e3 * wall_s,
        known(whole.cpu_s, 1e3),
        known(whole.cpu_s, a_particle),
        whole.sweeps[0],
        whole.sweeps[1],
        share(phase.contact),
        share(phase.couple),
        share(wall_s - phase.contact - phase.couple),
        wall_s / whole.dt.max(f64::MIN_POSITIVE),
        whole.density_error,
        whole.memory_bytes.map_or("?".to_owned(), |bytes| (bytes >> 20).to_string()),
    );
}

fn part_row(text: &mut String, whole: &Whole, part: &Part, bandwidth: f64) {
    let rate = part.row_bytes as f64 / part.wall_s.max(f64::MIN_POSITIVE);
    let (rate, share) = if part.row_bytes == 0 {
        (String::new(), String::new())
    } else {
        (format!("{:.1}", 1e-9 * rate), format!("{:.0} %", 100.0 * rate / bandwidth))
    };
    let _ = writeln!(
        text,
        "| {} | {} | {:.3} | {:.1} | {rate} | {share} |",
        whole.name,
        part.name,
        1e3 * part.wall_s,
        1e9 * part.wall_s / whole.particles.max(1) as f64,
    );
}
