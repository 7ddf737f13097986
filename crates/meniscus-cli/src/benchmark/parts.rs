//! The parts of a step, measured again and again on the neighbourhoods that the last step left.

use meniscus::coupling::Simulation;
use meniscus::sph::force::Viscosity;
use meniscus::sph::pressure::{SolveContext, Stage};
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// Numbers that the measurement of the memory's speed reads: too many for caches `[1]`.
const NUMBERS: usize = 1 << 25;

/// What one pass costs.
#[derive(Debug, Clone)]
pub struct Part {
    /// What it does.
    pub name: &'static str,
    /// Wall time, the median of all repeats `[s]`.
    pub wall_s: f64,
    /// Memory of the rows that it reads `[byte]`.
    pub row_bytes: usize,
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)
}

fn measure(repeats: u32, mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    median((0..repeats).map(once).collect())
}

/// Measures the passes of the density solve and of viscosity; the simulation must have made a step.
#[must_use]
pub fn parts(simulation: &Simulation, repeats: u32) -> Vec<Part> {
    let Some(sph) = simulation.sph() else { return Vec::new() };
    let (setup, neighbourhood, particles) = (sph.setup(), sph.neighbourhood(), &sph.state().particles);
    if neighbourhood.density.len() != particles.len() {
        return Vec::new();
    }
    let velocity: Vec<[f32; 4]> =
        particles.velocity.iter().map(|v| v.as_vec3().extend(0.0).to_array()).collect();
    let dt = simulation.last_report().dt;
    let context = SolveContext {
        neighbourhood,
        velocity: &velocity,
        dt,
        relief: f32::INFINITY,
        gravity: setup.gravity.length(),
    };
    let mut solver = setup.pressure.solver(setup.fluid);
    let mut viscosity = Viscosity::default();
    let row_bytes = neighbourhood.rows.bytes();
    let stage = Stage::Density;
    let mut found = Vec::new();
    let mut add = |name, row_bytes, wall_s| found.push(Part { name, wall_s, row_bytes });
    let begin = measure(repeats, || solver.begin(stage, context, particles));
    // Without sweeps the solver reads densities and no rows.
    let sweeps = solver.criterion(stage).is_some_and(|criterion| criterion.max_sweeps > 0);
    add("start values", 0, begin);
    add("acceleration by pressure", row_bytes, measure(repeats, || solver.accelerate(stage, context)));
    if sweeps {
        let residual = measure(repeats, || {
            black_box(solver.residual(stage, context, &[]));
        });
        add("residual", row_bytes, residual);
        add("relaxation", 0, measure(repeats, || solver.relax(stage, context, &())));
    }
    let viscous = measure(repeats, || {
        black_box(viscosity.accelerate(setup.viscosity, &setup.fluid, neighbourhood, &velocity, dt));
    });
    add("viscosity", row_bytes, viscous);
    found
}

/// How fast all threads together read memory `[byte/s]`: no pass over rows can be faster.
#[must_use]
pub fn memory_bandwidth(repeats: u32) -> f64 {
    let number = vec![1.0_f64; NUMBERS];
    let read = |chunk: &[f64]| {
        // Eight sums at a time, or the additions would wait for each other.
        let mut sum = [0.0; 8];
        for eight in chunk.as_chunks::<8>().0 {
            for (sum, x) in sum.iter_mut().zip(eight) {
                *sum += x;
            }
        }
        sum.iter().sum::<f64>()
    };
    let seconds = measure(repeats, || {
        black_box(number.par_chunks(1 << 16).map(read).sum::<f64>());
    });
    size_of_val(&*number) as f64 / seconds.max(f64::MIN_POSITIVE)
}
