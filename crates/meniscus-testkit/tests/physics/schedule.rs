//! Bodies that enter, are let go and change their density.

use meniscus_testkit::{
    Body, GRAVITY, Result, Run, Tank, WATER, above, analytic, between, exactly, law, near,
};
use std::f64::consts::PI;

/// The lowest particle of water that falls towards a plate which enters at a time `[s]` `[m]`.
fn lowest(enter: f64, method: &str) -> Result<f64> {
    let plate = Body::cuboid([0.8, 0.1, 1.0]).at([0.0, 0.15, 0.0]).entering(enter).held(9.0).felt_by(method);
    let plate = plate.led(r#"{ kind = "linear", velocity = [0, 0, 0] }"#);
    let tank = Tank::plane(0.02).without_walls().at([0.0, 0.3, 0.0]).width(0.2).depth(0.2).with(plate);
    let mut run = tank.start()?;
    run.until(0.26)?;
    assert_eq!(run.is_present(0), enter < 0.26);
    law!("escaped", run.escaped() as f64, exactly(0.0), "no particle is in a body", "{method}");
    Ok(run.lowest())
}

#[test]
fn fluid_does_not_feel_a_body_before_it_enters() -> Result<()> {
    for method in ["volume-particles", "density-map", "direct-forcing", "penalty"] {
        // Falls freely by ½ g t² = 0.33 m, from half a spacing above 0.3 m; the plate's top is at 0.2 m.
        law!("lowest particle [m]", lowest(0.5, method)?, between(-0.03, 0.0), "½ g t²", "{method}");
        if method == "penalty" {
            // Its forces throw fluid that arrives this fast far away.
            continue;
        }
        let why = "the plate catches it";
        law!("lowest particle [m]", lowest(0.0, method)?, above(0.19), why, "{method}, from the start");
        // Fluid that has not arrived yet meets a plate that came in between.
        law!("lowest particle [m]", lowest(0.1, method)?, above(0.19), why, "{method}, in between");
    }
    Ok(())
}

/// A floor, a ball that is thrown, one that appears, and a box that grows heavier; without fluid.
fn changing() -> Tank {
    let thrown = Body::ball(0.1).at([-1.0, 2.0, 0.0]).held(0.333);
    let thrown = thrown.led(r#"{ kind = "linear", velocity = [2.0, 1.0, 0.0] }"#);
    let late = Body::ball(0.1).at([1.0, 2.0, 0.0]).entering(0.505).thrown([0.0, 0.0, 1.0], [0.0; 3]);
    let filling = Body::cuboid([0.2; 3]).at([0.0, 0.1, 1.0]);
    let filling =
        filling.key("dynamics = { density = [{ time = 0.2, value = 500 }, { time = 0.7, value = 2000 }] }");
    let tank = Tank::dry().with(Body::shape("shape = \"plane\"\nsize = [4.0, 4.0]")).with(thrown).with(late);
    tank.with(filling).longest_step(0.01).scene("[output]\nframes_per_second = 10")
}

#[test]
fn bodies_enter_are_let_go_and_grow_heavier() -> Result<()> {
    let mut run = changing().start()?;
    let start = run.body(1);
    assert_eq!((start.pose.translation.x, start.velocity.x), (-1.0, 2.0));
    run.until(0.2)?;
    // Only the box is free, and weighs 4 kg.
    law!("potential energy [J]", run.potential_energy(), near(4.0 * GRAVITY * 0.1, 1e-6), "m g h");
    assert!(!run.is_present(2));
    run.until(1.0)?;
    let height = 2.0 + 1.0 - analytic::fall(1.0 - 0.333);
    law!("height of the thrown one [m]", run.place(1).y, near(height, 1e-6), "½ g t²");
    let fall = 1.0 - 0.505;
    law!("height of the late one [m]", run.place(2).y, near(2.0 - analytic::fall(fall), 1e-6), "½ g t²");
    law!("way of the late one [m]", run.place(2).z, near(fall, 1e-9), "v t");
    let ball = WATER * 4.0 / 3.0 * PI * 1e-3;
    law!("momentum [kg m/s]", run.momentum()[0].z, near(ball, 1e-6), "m v");
    assert!((0..run.body_count()).all(|k| run.is_present(k)));
    Ok(())
}

#[test]
fn a_restart_while_bodies_change_gives_the_same_state() -> Result<()> {
    let mut through = changing().start()?;
    through.until(0.4)?;
    let mut resumed: Run = changing().resume(&through.save()?)?;
    through.until(1.0)?;
    resumed.until(1.0)?;
    assert_eq!(through.hash()?, resumed.hash()?);
    Ok(())
}
