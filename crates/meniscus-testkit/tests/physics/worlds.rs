//! Worlds with an end, particles that fly alone, and energy that comes from nowhere.

use meniscus_core::Failure;
use meniscus_testkit::solver::{dfsph, wcsph};
use meniscus_testkit::{Body, Result, Run, Tank, above, at_most, below, exactly, law, near};

/// Water at rest in a tank, and a particle far from it that flies.
fn with_stray(place: [f64; 3], velocity: [f64; 3]) -> Result<Tank> {
    let tank = Tank::space(0.04).width(0.4).across(0.4).depth(0.2).solver(dfsph(1e-3));
    let mut particles = tank.lattice()?;
    particles.push((place.into(), velocity.into()));
    Ok(tank.particles(particles))
}

#[test]
fn a_stray_particle_does_not_set_the_step_of_all_others() -> Result<()> {
    let steps = |velocity: f64| -> Result<(u64, Run)> {
        let tank = with_stray([1.0, 3.0, 0.0], [velocity, 0.0, 0.0])?;
        let mut run = tank.scene("[world]\nmargin = 1000.0").start()?;
        run.until(0.25)?;
        Ok((run.step_count(), run))
    };
    let (slow, _) = steps(0.0)?;
    let (fast, run) = steps(200.0)?;
    let excess = fast as f64 - slow as f64;
    // Before the first step nobody has looked for neighbours, and it is one that the particle limits.
    law!("more steps", excess, at_most(3.0), "a particle that is alone needs no step of its own");
    let stray = run.ids().iter().position(|id| *id as usize == run.ids().len() - 1).unwrap();
    let flown = run.positions()[stray].x - 1.0;
    law!("way [m]", flown, near(200.0 * run.time(), 1e-9), "it flies as thrown");
    Ok(())
}

#[test]
fn a_fast_stray_passes_no_thin_plate_and_lands_softly() -> Result<()> {
    // On a plate as thin as a twentieth of a spacing, and in the water: faster than ten spacings a step.
    let plate = Body::cuboid([0.6, 0.002, 0.6]).at([2.0, 0.5, 0.0]).felt_by("volume-particles");
    let tank = with_stray([2.01, 3.0, 0.003], [0.0, -120.0, 0.0])?.with(plate);
    let mut run = tank.start()?;
    run.until(0.1)?;
    // The last one that was placed.
    let place = |run: &Run| {
        let last = (0..run.ids().len()).max_by_key(|i| run.ids()[*i]).unwrap();
        run.positions()[last]
    };
    law!("height on the plate [m]", place(&run).y, above(0.5), "nothing passes through a plate");
    law!("escaped", run.escaped() as f64, exactly(0.0), "nothing ends in one");

    let mut run = with_stray([0.013, 3.0, 0.017], [0.0, -20.0, 0.0])?.start()?;
    let mut worst: f64 = 0.0;
    run.watch(0.3, |run| worst = worst.max(run.fluid_report().density_error_max))?;
    law!("largest compression", worst, below(0.6), "it meets the water as if it had come step by step");
    law!("height in the tank [m]", place(&run).y, below(1.5), "it has landed");
    Ok(())
}

#[test]
fn what_leaves_the_world_is_removed_counted_and_resumed_alike() -> Result<()> {
    let tank = Tank::space(0.05).without_walls().width(0.3).across(0.3).depth(0.3).at([0.0, 1.0, 0.0]);
    let tank = tank.scene("[world]\nmin = [-1.0, -0.5, -1.0]");
    let mut run = tank.start()?;
    let count = run.ids().len();
    // The lowest begins 1.025 m above, and the world ends at −0.5 m.
    run.until(0.5)?;
    law!("left early", run.totals().departed as f64, exactly(0.0), "½ g t² < 1.5 m");
    run.until(0.56)?;
    let (left, saved) = (run.totals().departed as usize, run.save()?.through_bytes());
    assert!(left > 0 && left < count, "{left} of {count}");
    assert_eq!(run.ids().len() + left, count);
    let mut again = tank.resume(&saved)?;
    run.until(0.7)?;
    again.until(0.7)?;
    assert_eq!(run.hash()?, again.hash()?);
    law!("left in the end", run.totals().departed as f64, exactly(count as f64), "all of it fell out");
    Ok(())
}

#[test]
fn bodies_that_leave_are_simulated_no_more_and_joined_ones_leave_together() -> Result<()> {
    let ball = |name: &str, x: f64, y: f64| Body::ball(0.1).named(name).at([x, y, 0.0]).free(500.0);
    let tank = Tank::dry()
        .with(ball("alone", -1.0, 1.0))
        .with(ball("lower", 0.0, 1.0))
        .with(ball("upper", 0.0, 2.5))
        .with(Body::cuboid([0.2, 0.2, 0.2]).named("post").at([3.0, 0.0, 0.0]))
        .scene(
            "[world]\nmin = [-5.0, -1.0, -5.0]\n\
             [[joint]]\nkind = \"fixed\"\nfirst = \"lower\"\nsecond = \"upper\"\npoint = [0.0, 1.7, 0.0]",
        );
    let mut run = tank.start()?;
    // Alone: what is highest of it falls from 1.17 m (the ball that holds its bounds) to −1 m in 0.67 s. The joined ones
    // follow when the upper does, from 2.67 m in 0.87 s.
    run.until(0.6)?;
    assert!((0..4).all(|k| run.is_present(k)));
    run.until(0.72)?;
    assert!(!run.is_present(0) && run.is_present(1) && run.is_present(2));
    let saved = run.save()?.through_bytes();
    run.until(0.95)?;
    assert!((0..3).all(|k| !run.is_present(k)) && run.is_present(3));
    let place = run.body(0).pose.translation;
    run.until(1.2)?;
    assert_eq!(run.body(0).pose.translation, place);
    let mut again = tank.resume(&saved)?;
    again.until(0.95)?;
    again.until(1.2)?;
    assert_eq!(run.hash()?, again.hash()?);
    Ok(())
}

#[test]
fn a_joint_to_the_scene_lets_go_when_all_that_it_holds_has_left() -> Result<()> {
    // A pendulum that swings out of a narrow world, with its pivot outside of it.
    let bob = Body::ball(0.1).named("bob").at([1.0, 0.0, 0.0]).free(500.0);
    let tank = Tank::dry().with(bob).with(Body::cuboid([0.2, 0.2, 0.2]).named("post").at([3.0, 0.0, 0.0])).scene(
        "[world]\nmin = [-5.0, -0.4, -5.0]\n[[joint]]\nkind = \"ball\"\nfirst = \"bob\"\npoint = [0.0, 0.0, 0.0]",
    );
    let mut run = tank.start()?;
    run.until(1.0)?;
    assert!(!run.is_present(0));
    Ok(())
}

/// How a run ends.
fn failure(tank: &Tank, time: f64) -> Result<Option<Failure>> {
    let mut run = tank.start()?;
    while run.time() < time {
        if let Err(error) = run.try_step() {
            return Ok(Some(error.failure));
        }
    }
    Ok(None)
}

#[test]
fn energy_from_nowhere_ends_a_run() -> Result<()> {
    let dam = || Tank::space(0.05).width(1.0).across(0.4).height(1.0).closed().dam(0.5);
    let hopeless = dam().solver(wcsph(60.0)).fixed_step(0.005);
    let failed = failure(&hopeless, 1.0)?;
    assert!(matches!(failed, Some(Failure::Runaway { .. } | Failure::Crushed { .. })), "{failed:?}");
    let stiff = dam().solver(dfsph(1e-3)).walls("boundary = { method = \"penalty\", stiffness = 1e12 }");
    let failed = failure(&stiff, 1.0)?;
    assert!(matches!(failed, Some(Failure::Runaway { .. } | Failure::Crushed { .. })), "{failed:?}");
    Ok(())
}

#[test]
fn what_drives_a_scene_is_no_energy_from_nowhere() -> Result<()> {
    // A paddle that stirs, a piston that lifts water, an emitter that fills from below, a motor that throws a ball.
    let paddle = Body::cuboid([0.1, 0.6, 0.3]).at([0.0, 0.2, 0.0]);
    let paddle =
        paddle.led(r#"{ kind = "oscillation", amplitude = [0.25, 0.0, 0.0], frequency = 1.5, phase = 0.0 }"#);
    let stirred =
        Tank::space(0.05).carved().width(1.0).across(0.4).depth(0.3).solver(dfsph(1e-3)).with(paddle);
    assert_eq!(failure(&stirred, 2.0)?, None);

    let fountain = Tank::space(0.05).width(0.6).across(0.6).depth(0.3).solver(dfsph(1e-3)).scene(
        "[[emitter]]\nnozzle = { shape = \"disc\", radius = 0.1 }\nposition = [0.0, 0.1, 0.0]\n\
         direction = [0.0, 1.0, 0.0]\nspeed = 3.0",
    );
    assert_eq!(failure(&fountain, 1.0)?, None);

    let ball =
        Body::ball(0.1).named("ball").at([0.0, 0.3, 0.0]).free(500.0).key("material = { restitution = 1.0 }");
    let bat = Body::cuboid([0.5, 0.1, 0.5]).named("bat").key("material = { restitution = 1.0 }");
    let bat =
        bat.led(r#"{ kind = "oscillation", amplitude = [0.0, 0.1, 0.0], frequency = 3.0, phase = 0.0 }"#);
    assert_eq!(failure(&Tank::dry().with(ball).with(bat), 10.0)?, None);

    let arm = Body::cuboid([1.0, 0.1, 0.1]).named("arm").at([0.5, 0.0, 0.0]).free(800.0);
    let post = Body::cuboid([0.1, 0.1, 0.1]).named("post").at([0.0, -1.0, 0.0]);
    let driven = Tank::dry().with(arm).with(post).scene(
        "[[joint]]\nkind = \"hinge\"\nfirst = \"arm\"\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n\
         motor = { speed = 720.0, torque = 1e4 }",
    );
    assert_eq!(failure(&driven, 3.0)?, None);
    Ok(())
}

mod slow {
    use super::*;

    #[test]
    fn drops_that_run_off_the_table_do_not_hold_up_the_mug_under_the_tap() -> Result<()> {
        let mug = |world: &str| -> Result<(u64, u64)> {
            let first = "shape = \"sphere\"\ncenter = [0.0, 0.05, 0.0]\nradius = 0.02";
            let tank = Tank::space(0.008).without_walls().solver(dfsph(1e-3)).source(first).scene(&format!(
                "{world}\n[[emitter]]\nnozzle = {{ shape = \"disc\", radius = 0.014 }}\nposition = [0.0, 0.22, 0.0]\n\
                 direction = [0.0, -1.0, 0.0]\nspeed = 0.8\n\
                 [[body]]\nname = \"mug\"\nshape = \"cup\"\nradius = 0.045\nheight = 0.08\nthickness = 0.01\nposition = [0.0, 0.041, 0.0]\n\
                 [[body]]\nname = \"table\"\nshape = \"box\"\nsize = [0.24, 0.02, 0.24]\nposition = [0.0, -0.011, 0.0]"
            ));
            let mut run = tank.start()?;
            run.until(2.0)?;
            Ok((run.step_count(), run.totals().departed))
        };
        let (bounded, left) = mug("")?;
        let (endless, stayed) = mug("[world]\nbounded = false")?;
        assert!(left > 100 && stayed == 0, "{left} {stayed}");
        law!("steps", bounded as f64, below(0.8 * endless as f64), "what has fallen for long does not count");
        Ok(())
    }
}
