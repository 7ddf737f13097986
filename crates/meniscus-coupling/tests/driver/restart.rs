//! A simulation of fluid, free bodies, joints and led bodies goes on from any step as if it had never been stopped.

use glam::DVec3;
use meniscus_testkit::{Body, Result, Tank};

/// A raft that tows a box, and a ball that is let go above them.
fn tank() -> Tank {
    let raft =
        Body::cuboid([0.2, 0.1, 0.2]).named("raft").at([-0.25, 0.4, 0.1]).turned(DVec3::Z, 20.0).free(300.0);
    let tow = Body::cuboid([0.15; 3]).named("tow").at([0.0, 0.45, 0.1]).felt_by("direct-forcing").free(700.0);
    let ball = Body::ball(0.1).at([0.25, 0.5, -0.1]).felt_by("density-map").free(2000.0).held(0.08);
    let ball = ball.led(r#"{ kind = "linear", velocity = [0.0, -0.5, 0.0] }"#);
    let joint = "[[joint]]\nkind = \"ball\"\nfirst = \"raft\"\nsecond = \"tow\"\npoint = [-0.1, 0.42, 0.1]";
    let tank = Tank::space(0.08).width(1.0).across(0.8).height(1.0).depth(0.3);
    tank.with(raft).with(tow.thrown(DVec3::ZERO, DVec3::Y * 3.0)).with(ball).scene(joint)
}

#[test]
fn no_step_is_a_bad_one_to_stop_at() -> Result<()> {
    let (tank, steps) = (tank(), 60);
    let mut whole = tank.start()?;
    whole.steps(steps)?;
    assert!(whole.time() > 0.15, "the ball was not let go");
    let end = whole.save()?;
    // Before and after the ball is let go, and while all of them are in the water.
    for stops in [[1, 2], [9, 31], [17, 59]] {
        let mut parts = tank.start()?;
        let mut done = 0;
        for stop in stops {
            parts.steps(stop - done)?;
            parts = tank.resume(&parts.save()?)?;
            done = stop;
        }
        parts.steps(steps - done)?;
        assert!(parts.save()? == end, "stopped at {stops:?}");
    }
    Ok(())
}
