//! The same scene gives the same bits: for any number of threads, across restarts, with and without frames.

use meniscus_core::{Dimension, StateHash};
use meniscus_testkit::solver::{Solver, dfsph, iisph, pcisph, wcsph};
use meniscus_testkit::{Result, Tank};

const STEPS: u64 = 60;

/// A dam break with a jet from above and a drain in the dam's foot. There are enough particles for every parallel loop
/// to be cut into pieces.
fn tank(dimension: Dimension, solver: &Solver) -> Tank {
    let (spacing, [width, height, across], [dam, depth], middle) = match dimension {
        Dimension::Two => (0.01, [1.5, 1.2, 1.0], [0.96, 0.9], 0.0),
        Dimension::Three => (0.02, [0.5, 0.5, 0.2], [0.24, 0.3], 0.0),
    };
    let (radius, place) = (3.0 * spacing, [0.3 * width, 0.8 * height, middle]);
    let flow = format!(
        r#"
[output]
frames_per_second = 250

[[emitter]]
nozzle = {{ shape = "disc", radius = {radius:?} }}
position = {place:?}
direction = [-1.0, -1.0, 0.0]
speed = 1.5

[[drain]]
shape = "sphere"
center = {foot:?}
radius = {reach:?}
"#,
        foot = [dam - 0.5 * width, 0.0, middle],
        reach = 6.0 * spacing
    );
    let tank = Tank::new(dimension, spacing).width(width).height(height).across(across).closed();
    let tank = tank.dam(dam).depth(depth).solver(solver).scene(&flow);
    tank.viscosity(r#"{ method = "laplacian", kinematic = 1e-3, boundary_kinematic = 1e-3 }"#)
}

/// The state's fingerprint after all steps, restarted from bytes after each of `restarts` steps; a frame is taken after
/// every `frames` steps.
fn run(tank: &Tank, restarts: &[u64], frames: u64) -> Result<StateHash> {
    let mut run = tank.start()?;
    while run.step_count() < STEPS {
        let step = run.step_count();
        if restarts.contains(&step) {
            let saved = run.save()?;
            let read = saved.through_bytes();
            run = tank.resume(&read)?;
            assert!(run.save()? == saved, "the bytes after step {step} are not the whole state");
        }
        if step > 0 && step.is_multiple_of(frames) {
            assert_eq!(run.positions_by_id().len(), run.positions().len());
        }
        run.step()?;
    }
    assert!(run.emitted(0).particles > 0 && run.totals().drained > 0, "nothing flows in or out");
    run.hash()
}

fn is_the_same_every_time(tank: &Tank) -> Result<()> {
    let with_threads = |threads: usize, restarts: &[u64], frames: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| run(tank, restarts, frames))
    };
    let expected = with_threads(1, &[], u64::MAX)?;
    assert_eq!(with_threads(2, &[17], u64::MAX)?, expected, "two threads, restarted after 17 steps");
    assert_eq!(with_threads(7, &[], 5)?, expected, "seven threads, with frames");
    assert_eq!(with_threads(2, &[17, 43], 7)?, expected, "restarted twice, with frames");
    Ok(())
}

fn check(solver: &Solver) -> Result<()> {
    is_the_same_every_time(&tank(Dimension::Two, solver).longest_step(2e-3))?;
    is_the_same_every_time(&tank(Dimension::Three, solver).longest_step(2e-3))
}

#[test]
fn dfsph_is_the_same_every_time() -> Result<()> {
    check(&dfsph(1e-3).strict())
}

#[test]
fn pcisph_is_the_same_every_time() -> Result<()> {
    check(&pcisph(1e-3).strict())
}

#[test]
fn iisph_is_the_same_every_time() -> Result<()> {
    check(&iisph(1e-3).strict())
}

#[test]
fn wcsph_is_the_same_every_time() -> Result<()> {
    check(&wcsph(25.0))
}

#[test]
fn steps_that_adapt_are_the_same_every_time() -> Result<()> {
    let solver = Solver::from(
        r#"{ method = "iisph", density_tolerance = 2e-4, max_sweeps = 3, on_failure = "retry" }"#,
    );
    let tank = tank(Dimension::Two, &solver)
        .time(r#"step = { method = "cfl", max = 5e-3, min = 1e-6, sweeps = 2 }"#);
    let mut run = tank.start()?;
    run.steps(STEPS as u32)?;
    assert!(run.totals().retries > 0, "no step was taken again");
    is_the_same_every_time(&tank)
}
