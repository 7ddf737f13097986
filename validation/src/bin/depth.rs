//! Water of any depth: columns that should rest, and what a step of them costs.

use anyhow::Result;
use clap::Parser;
use glam::DVec3;
use meniscus_coupling::Simulation;
use meniscus_validation::boundaries::setup;
use std::process::ExitCode;
use std::time::Instant;

const SPACING: f64 = 0.02;
const GRAVITY: f64 = 9.81;
/// The largest mean vertical velocity, in units of √(g H) `[1]`.
const MOST_DRIFT: f64 = 0.02;
/// The largest speed at the end, in the root of the mean square, in units of √(g H) `[1]`.
const MOST_SPEED: f64 = 0.02;
/// The largest compression `[1]`.
const MOST_COMPRESSION: f64 = 0.05;
/// How far the pressure on the floor may be off in the mean over the second half `[1]`.
const MOST_PRESSURE_ERROR: f64 = 0.01;

/// Lets columns of water stand and tells whether they rest
#[derive(Debug, Parser)]
struct Args {
    /// Layers of particles
    #[arg(long, value_delimiter = ',', default_values_t = [25, 50, 100, 200, 400])]
    layers: Vec<u32>,
    /// In the plane, 20 particles across, or in space, 20 by 20
    #[arg(long, value_delimiter = ',', default_values_t = [2, 3])]
    dimension: Vec<u32>,
    /// Boundary methods
    #[arg(
        long,
        value_delimiter = ',',
        default_values = ["volume-particles", "density-map", "volume-map", "direct-forcing"]
    )]
    method: Vec<String>,
    /// Keys of the pressure solver
    #[arg(long, default_values_t = [r#"method = "dfsph""#.to_owned(), r#"method = "iisph""#.to_owned()])]
    pressure: Vec<String>,
    /// Particles across
    #[arg(long, default_value_t = 20)]
    across: u32,
    /// How long
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    seconds: f64,
    /// How many threads; as many as there are cores if left out
    #[arg(long)]
    threads: Option<usize>,
}

struct Case<'a> {
    layers: u32,
    dimension: u32,
    across: u32,
    method: &'a str,
    pressure: &'a str,
}

/// What a column did.
#[derive(Debug, Default)]
struct Found {
    steps: u32,
    /// Largest mean vertical velocity, and speed at the end, over √(g H).
    drift: f64,
    speed: f64,
    compression: f64,
    /// Of the force on the tank, in the mean over the second half, over the weight.
    load: f64,
    /// The root of the mean square of how the load changes from step to step in the second half, over the weight.
    tremble: f64,
    sweeps: u32,
    most_sweeps: u32,
    unconverged: u64,
    /// Wall time a particle-step `[µs]`.
    cost: f64,
}

impl Case<'_> {
    fn scene(&self) -> String {
        let (width, height) = (f64::from(self.across) * SPACING, f64::from(self.layers) * SPACING);
        let (half, tall) = (0.5 * width, height + 10.0 * SPACING);
        let deep = if self.dimension == 3 { half } else { 0.0 };
        format!(
            "dimension = {}
            [fluid]
            spacing = {SPACING}
            pressure = {{ {} }}
            [[fluid.source]]
            shape = \"box\"
            min = [{}, 0.0, {}]
            max = [{half}, {height}, {deep}]
            [[body]]
            name = \"tank\"
            shape = \"box\"
            size = [{width}, {tall}, {width}]
            position = [0.0, {}, 0.0]
            open = [\"+y\"]
            container = true
            boundary = {{ method = \"{}\" }}",
            self.dimension,
            self.pressure,
            -half,
            -deep,
            0.5 * tall,
            self.method
        )
    }

    fn run(&self, seconds: f64) -> Result<Found> {
        let setup = setup(&self.scene())?;
        let mass = setup.sph.fluid.mass();
        let mut simulation = Simulation::new(setup)?;
        let wave = (GRAVITY * SPACING * f64::from(self.layers)).sqrt();
        let (mut found, mut loads) = (Found::default(), Vec::new());
        let (mut particle_steps, start) = (0, Instant::now());
        while simulation.clock().time < seconds - 1e-9 {
            simulation.step()?;
            let report = simulation.sph_report();
            let Some(sph) = simulation.sph() else { break };
            let particles = &sph.state().particles;
            let n = particles.len() as f64;
            let mean = particles.velocity.iter().sum::<DVec3>().y / n;
            let square = particles.velocity.iter().map(|v| v.length_squared()).sum::<f64>() / n;
            found.steps += 1;
            found.drift = found.drift.max(mean.abs() / wave);
            found.speed = square.sqrt() / wave;
            found.compression = found.compression.max(report.density_error_max);
            found.sweeps += report.sweeps();
            found.most_sweeps = found.most_sweeps.max(report.sweeps());
            particle_steps += particles.len();
            if simulation.clock().time > 0.5 * seconds {
                let weight = n * mass * GRAVITY;
                loads.push(-simulation.load(0).impulse.y / simulation.clock().last_dt / weight);
            }
        }
        found.cost = 1e6 * start.elapsed().as_secs_f64() / particle_steps as f64;
        found.unconverged = simulation.totals().unconverged_steps;
        found.load = loads.iter().sum::<f64>() / loads.len() as f64;
        let jumps = loads.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
        found.tremble = (jumps.sum::<f64>() / loads.len() as f64).sqrt();
        Ok(found)
    }
}

impl Found {
    fn rests(&self) -> bool {
        self.drift < MOST_DRIFT
            && self.speed < MOST_SPEED
            && self.compression < MOST_COMPRESSION
            && (self.load - 1.0).abs() < MOST_PRESSURE_ERROR
            && self.unconverged == 0
    }
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    println!(
        "| dimension, layers | walls | solver | steps | sweeps, mean, most | drift | speed | compression | load | its jumps | unconverged | µs | rests |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut all = true;
    for &dimension in &args.dimension {
        for (pressure, method) in args.pressure.iter().flat_map(|p| args.method.iter().map(move |m| (p, m))) {
            for &layers in &args.layers {
                let case = Case { layers, dimension, across: args.across, method, pressure };
                let found = case.run(args.seconds)?;
                all &= found.rests();
                println!(
                    "| {dimension}, {layers} | {method} | {pressure} | {} | {:.1}, {} | {:.4} | {:.4} | {:.3} | {:.4} | {:.4} | {} | {:.2} | {} |",
                    found.steps,
                    f64::from(found.sweeps) / f64::from(found.steps),
                    found.most_sweeps,
                    found.drift,
                    found.speed,
                    found.compression,
                    found.load,
                    found.tremble,
                    found.unconverged,
                    found.cost,
                    if found.rests() { "yes" } else { "no" }
                );
            }
        }
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
