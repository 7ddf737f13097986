//! Times of many runs.

use meniscus_output::cpu_seconds;
use std::time::Instant;

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// The median of the wall times `[s]`.
    pub median: f64,
    /// The shortest wall time `[s]`.
    pub least: f64,
    /// Processor time of a run over all threads, on average; nothing where it is not known `[s]`.
    pub cpu: Option<f64>,
}

/// Runs something `runs` times, after one run that is not counted.
pub fn time<T>(runs: usize, mut work: impl FnMut() -> T) -> (T, Timing) {
    let mut result = work();
    let before = cpu_seconds();
    let mut wall = Vec::with_capacity(runs);
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        result = work();
        wall.push(start.elapsed().as_secs_f64());
    }
    let spent = before.zip(cpu_seconds()).map(|(a, b)| (b - a) / wall.len() as f64);
    wall.sort_unstable_by(f64::total_cmp);
    (result, Timing { median: wall[wall.len() / 2], least: wall[0], cpu: spent })
}

impl std::fmt::Display for Timing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "median {:.3} ms, least {:.3} ms", 1e3 * self.median, 1e3 * self.least)?;
        self.cpu.map_or(Ok(()), |cpu| write!(f, ", cpu {:.3} ms", 1e3 * cpu))
    }
}
