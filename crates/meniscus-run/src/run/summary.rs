//! The run on one page.

use super::End;
use super::ledger::Costs;
use meniscus_coupling::{SetupError, Simulation};
use meniscus_output::{
    DensityErrorSummary, Outcome, SolidSummary, Summary, SweepSummary, WorldSummary, peak_memory_bytes,
};
use meniscus_scene::Scene;

/// How a run that ended like this is called.
pub(crate) fn outcome(end: &End) -> Outcome {
    match end {
        End::Completed => Outcome::Completed,
        End::Limit | End::Interrupted => Outcome::Interrupted,
        End::Failed(_) => Outcome::Failed,
    }
}

/// Particle steps of this process per second of stepping `[1/s]`.
pub(crate) fn rate(simulation: &Simulation, earlier: u64, seconds: f64) -> f64 {
    let steps = simulation.totals().particle_steps.saturating_sub(earlier);
    if seconds > 0.0 { steps as f64 / seconds } else { 0.0 }
}

/// What is known of a simulation of a scene at its end: all but frames, claims, notices, the rate and the time that pictures took.
///
/// # Errors
/// When the state of the solids cannot be had.
pub fn summarise(
    scene: &Scene,
    simulation: &Simulation,
    outcome: Outcome,
    costs: &Costs,
) -> Result<Summary, SetupError> {
    let clock = simulation.clock();
    let totals = simulation.totals();
    let per_step = |sum: f64| if clock.step == 0 { 0.0 } else { sum / clock.step as f64 };
    Ok(Summary {
        schema_version: Summary::SCHEMA_VERSION,
        scene: scene.title.clone(),
        outcome,
        fluid_particles: simulation.particles().len() as u64,
        boundary_particles: simulation.boundary_particles() as u64,
        steps: clock.step,
        frames: 0,
        simulated_s: clock.time,
        wall_s: costs.wall_s,
        cpu_s: costs.cpu_s,
        setup_s: costs.setup_s,
        pictures_s: 0.0,
        peak_memory_bytes: peak_memory_bytes(),
        particle_steps_per_s: 0.0,
        phase_seconds: costs.phase_seconds,
        sweeps: SweepSummary {
            pressure_mean: per_step(totals.pressure_sweeps as f64),
            divergence_mean: per_step(totals.divergence_sweeps as f64),
        },
        density_error: DensityErrorSummary {
            mean: per_step(totals.density_error_sum),
            max: totals.density_error_max,
            max_time: totals.densest.time,
            max_place: totals.densest.place.to_array(),
            max_particle: totals.densest.particle,
        },
        world: world(simulation),
        departed_particles: simulation.departed(),
        departed_bodies: departed_bodies(simulation),
        notices: Vec::new(),
        pressure_residual_max: totals.pressure_residual_max,
        unconverged_steps: totals.unconverged_steps,
        retries: totals.retries,
        escaped_particles: simulation.escaped(),
        threads: rayon::current_num_threads() as u32,
        state_hash: simulation.state()?.hash().to_string(),
        solids: solids(simulation),
        claims: Vec::new(),
    })
}

/// Where the scene ended.
fn world(simulation: &Simulation) -> Option<WorldSummary> {
    let world = simulation.setup().world;
    world.is_bounded().then(|| WorldSummary { min: world.min.to_array(), max: world.max.to_array() })
}

/// The names of the bodies that have left it.
fn departed_bodies(simulation: &Simulation) -> Vec<String> {
    let bodies = simulation.setup().bodies.iter().enumerate();
    bodies.filter(|(k, _)| simulation.has_left(*k)).map(|(_, body)| body.name.clone()).collect()
}

/// The dynamic bodies.
fn solids(simulation: &Simulation) -> Option<SolidSummary> {
    let (setup, report) = (simulation.setup(), simulation.solid_report()?);
    let solids = setup.solids.as_ref()?;
    Some(SolidSummary {
        bodies: setup.bodies.len() as u64,
        moving_bodies: solids.bodies.iter().filter(|body| body.is_dynamic()).count() as u64,
        joints: solids.joints.len() as u64,
        contacts: u64::from(report.points),
        penetration: report.deepest,
    })
}
