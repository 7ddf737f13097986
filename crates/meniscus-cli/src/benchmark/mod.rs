//! What steps cost: whole scenes, and the parts of a step one by one.

mod parts;
mod table;

pub use parts::{Part, memory_bandwidth, parts};
pub use table::markdown;

use meniscus::core::{Phase, SimulationError};
use meniscus::coupling::Simulation;
use meniscus::output::{PhaseSeconds, cpu_seconds, peak_memory_bytes};
use std::time::Instant;

/// What the steps of one scene cost, means over the steps counted.
#[derive(Debug, Clone)]
pub struct Whole {
    /// What was measured.
    pub name: String,
    /// Fluid particles at the end `[1]`.
    pub particles: usize,
    /// Boundary particles `[1]`.
    pub boundary_particles: usize,
    /// Wall time of a step `[s]`.
    pub wall_s: f64,
    /// Processor time of a step over all threads, where the system tells `[s]`.
    pub cpu_s: Option<f64>,
    /// Simulated time of a step `[s]`.
    pub dt: f64,
    /// Wall time in each phase of a step `[s]`.
    pub phase_seconds: PhaseSeconds,
    /// Sweeps of the density and of the divergence solve in a step `[1]`.
    pub sweeps: [f64; 2],
    /// Mean compression `[1]`.
    pub density_error: f64,
    /// Largest resident memory of the process so far, where the system tells `[byte]`.
    pub memory_bytes: Option<u64>,
}

/// Takes `warm_up` steps, then `steps` that count, and tells what they cost.
///
/// # Errors
/// When a step fails.
pub fn whole(
    name: &str,
    simulation: &mut Simulation,
    warm_up: u64,
    steps: u64,
) -> Result<Whole, SimulationError> {
    for _ in 0..warm_up {
        simulation.step()?;
    }
    let phases = |simulation: &Simulation| Phase::ALL.map(|phase| simulation.timers().seconds(phase));
    let before = phases(simulation);
    let (start, start_cpu, start_time) = (Instant::now(), cpu_seconds(), simulation.clock().time);
    let mut density_error = 0.0;
    let mut sweeps = [0.0; 2];
    for _ in 0..steps {
        simulation.step()?;
        let report = simulation.sph_report();
        sweeps[0] += f64::from(report.pressure.sweeps);
        sweeps[1] += f64::from(report.divergence.sweeps);
        density_error += report.density_error_mean;
    }
    let per_step = |sum: f64| sum / steps.max(1) as f64;
    let wall_s = per_step(start.elapsed().as_secs_f64());
    let cpu_s = cpu_seconds().zip(start_cpu).map(|(now, then)| per_step(now - then));
    let after = phases(simulation);
    let [choose_dt, predict, contact, couple, commit, check, observe] =
        std::array::from_fn(|n| per_step(after[n] - before[n]));
    Ok(Whole {
        name: name.to_owned(),
        particles: simulation.particles().len(),
        boundary_particles: simulation.boundary_particles(),
        wall_s,
        cpu_s,
        dt: per_step(simulation.clock().time - start_time),
        phase_seconds: PhaseSeconds { choose_dt, predict, contact, couple, commit, check, observe },
        sweeps: sweeps.map(per_step),
        density_error: per_step(density_error),
        memory_bytes: peak_memory_bytes(),
    })
}
