//! Steps that fail leave nothing behind, can be taken again, and adapt to what they cost.

use glam::DVec3;
use meniscus_core::Failure;
use meniscus_testkit::solver::{Solver, dfsph};
use meniscus_testkit::{Result, Run, Tank, above, at_most, below, exactly, law};

const SOLVERS: [&str; 3] = ["dfsph", "iisph", "pcisph"];
const SPACING: f64 = 0.02;

/// A dam break with a jet from above and, if asked for, a drain in the dam's foot.
fn dam(solver: &Solver, drained: bool) -> Tank {
    let jet = r#"
[[emitter]]
nozzle = { shape = "disc", radius = 0.06 }
position = [0.15, 0.4, 0.0]
direction = [-1.0, -1.0, 0.0]
speed = 1.5
"#;
    let drain = "[[drain]]\nshape = \"sphere\"\ncenter = [-0.01, 0.0, 0.0]\nradius = 0.1";
    let tank = bare_dam(solver).scene(jet);
    if drained { tank.scene(drain) } else { tank }
}

/// The same without the jet.
fn bare_dam(solver: &Solver) -> Tank {
    let tank = Tank::space(SPACING).width(0.5).height(0.5).across(0.2).closed().dam(0.24).depth(0.3);
    tank.solver(solver).viscosity("none")
}

/// A solver with a tolerance and bounds of its sweeps `[1]`, and what it does when they do not suffice.
fn bounded(name: &str, tolerance: f64, [least, most]: [u32; 2], on_failure: &str) -> Solver {
    let table = format!(
        "{{ method = \"{name}\", density_tolerance = {tolerance:?}, min_sweeps = {least}, max_sweeps = {most}, \
         on_failure = \"{on_failure}\" }}"
    );
    Solver::from(table.as_str())
}

/// A solver with sweeps enough.
fn free(name: &str, on_failure: &str) -> Solver {
    bounded(name, 1e-3, [if name == "pcisph" { 3 } else { 2 }, 1000], on_failure)
}

#[test]
fn a_step_that_fails_leaves_the_state_as_it_was() -> Result<()> {
    for solver in SOLVERS {
        for drained in [false, true] {
            let mut run = dam(&free(solver, "stop"), drained).longest_step(2e-3).start()?;
            // Until a step that emits: what it has done must be undone.
            let mut before = run.save()?;
            let mut emits = false;
            while run.step_count() < 20 || !emits {
                before = run.save()?;
                let emitted = run.emitted(0).particles;
                run.step()?;
                emits = run.emitted(0).particles > emitted;
            }
            let hopeless = bounded(solver, 1e-12, [1, 3], "stop");
            let mut strict = dam(&hopeless, drained).longest_step(2e-3).resume(&before)?;
            for _ in 0..2 {
                let Err(error) = strict.try_step() else { panic!("{solver}: the step did not fail") };
                assert!(error.reason.contains("sweeps"), "{error}");
                let Failure::NotConverged { sweeps: 3, residual, tolerance } = error.failure else {
                    panic!("{error:?}")
                };
                assert!(residual > tolerance && tolerance <= 1e-12, "{error:?}");
                assert!(strict.save()? == before, "drained: {drained}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_step_taken_again_is_the_shorter_step() -> Result<()> {
    for solver in SOLVERS {
        let fine = |most: u32, on_failure: &str| bounded(solver, 1e-5, [1, most], on_failure);
        let mut run = dam(&fine(1000, "stop"), true).longest_step(1e-3).start()?;
        run.steps(40)?;
        let here = run.save()?;
        let from_here = |longest: f64, sweeps: u32, on_failure: &str| {
            dam(&fine(sweeps, on_failure), true).longest_step(longest).resume(&here)
        };
        let mut long = from_here(8e-3, 1000, "stop")?;
        long.step()?;
        let needed = long.fluid_report().pressure.sweeps;
        // Half the sweeps that a long step needs.
        let mut again = from_here(8e-3, needed / 2, "retry")?;
        let report = again.step()?;
        assert!(report.retries > 0, "{needed} {report:?}");
        let mut direct = from_here(report.dt, needed / 2, "stop")?;
        direct.step()?;
        law!(
            "step scale",
            again.step_scale(),
            below(1.0),
            "a step that was taken again is followed by shorter ones"
        );
        assert!(again.as_if_at_once() == direct.as_if_at_once());
    }
    Ok(())
}

#[test]
fn with_retries_no_step_ends_above_its_tolerance() -> Result<()> {
    // By density alone: what is left of an acceleration does not depend on the step.
    let run = |on_failure: &str| -> Result<Run> {
        let mut run = bare_dam(&bounded("dfsph", 1e-4, [1, 3], on_failure)).longest_step(2e-3).start()?;
        run.until(0.3)?;
        Ok(run)
    };
    let unconverged = run("accept")?.totals().unconverged_steps as f64;
    law!("steps that do not converge", unconverged, above(0.0), "three sweeps are not enough");
    let again = run("retry")?;
    let unconverged = again.totals().unconverged_steps as f64;
    law!("steps that do not converge, with retries", unconverged, exactly(0.0), "they are taken again");
    law!("retries", again.totals().retries as f64, above(0.0), "some are needed");
    Ok(())
}

#[test]
fn steps_follow_the_sweeps_they_need() -> Result<()> {
    let run = |sweeps: &str| -> Result<(f64, f64)> {
        let step = format!("step = {{ method = \"cfl\", factor = 0.8{sweeps} }}");
        let mut run = bare_dam(&free("pcisph", "stop")).time(&step).start()?;
        run.until(0.5)?;
        let steps = run.step_count() as f64;
        Ok((steps, run.totals().pressure_sweeps as f64 / steps))
    };
    let (free_steps, free_mean) = run("")?;
    let (steps, mean) = run(", sweeps = 5")?;
    law!("sweeps a step without a wish", free_mean, above(8.0), "enough to tell the difference");
    law!("sweeps a step", mean, below(5.5), "5 were asked for, within a tenth");
    law!("steps", steps, above(free_steps), "they are shorter");
    Ok(())
}

/// How far the fastest particle gets in a step, in spacings.
fn reach(run: &Run) -> f64 {
    run.fastest() * run.dt() / run.spacing()
}

#[test]
fn a_shock_is_met_with_a_shorter_step() -> Result<()> {
    // A tank that is jerked: at the start of the first step it stands still, and says nothing of how fast it will be.
    let build = |on_failure: &str| {
        let jerk = r#"motion = { kind = "oscillation", amplitude = [0.1, 0.0, 0.0], frequency = 50.0, phase = 90.0 }"#;
        let water = "shape = \"box\"\nmin = [0.0, 0.0, 0.0]\nmax = [0.2, 0.15, 0.0]";
        let tank = Tank::plane(SPACING).width(0.2).height(0.3).closed().walls(jerk).source(water);
        tank.solver(dfsph(1e-3).with(&format!("on_failure = \"{on_failure}\"")))
            .viscosity("none")
            .longest_step(2e-3)
    };
    let mut careless = build("accept").start()?;
    careless.step()?;
    law!("way in a careless step [spacings]", reach(&careless), above(0.8), "it is a shock");
    let mut careful = build("retry").start()?;
    let report = careful.step()?;
    law!("retries", f64::from(report.retries), above(0.0), "it is noticed");
    law!("way in a careful step [spacings]", reach(&careful), at_most(0.8), "the bound of shocks");
    Ok(())
}

#[test]
fn fluid_that_bursts_is_not_hurried() -> Result<()> {
    // A squeezed disc swells by the same length in any step, only faster in a shorter one.
    let disc =
        Tank::plane(SPACING).without_walls().source("shape = \"sphere\"\nradius = 0.2\ncenter = [0, 0, 0]");
    let disc = disc.solver(dfsph(1e-3).with("on_failure = \"retry\"")).viscosity("none").longest_step(2e-3);
    let squeezed = disc.lattice()?.into_iter().map(|(x, v)| (0.9 * x, v)).collect();
    let mut run = disc.gravity(DVec3::ZERO).particles(squeezed).start()?;
    let report = run.step()?;
    law!("way [spacings]", reach(&run), above(0.8), "it bursts");
    assert_eq!(report.retries, 0);
    Ok(())
}

#[test]
fn an_ordinary_dam_break_has_no_shocks() -> Result<()> {
    for solver in SOLVERS {
        let mut run = dam(&free(solver, "retry"), true).longest_step(2e-3).start()?;
        run.until(0.4)?;
        law!("retries", run.totals().retries as f64, exactly(0.0), "nothing is sudden", "{solver}");
        law!("step scale", run.step_scale(), exactly(1.0), "steps are as long as motion allows", "{solver}");
    }
    Ok(())
}
