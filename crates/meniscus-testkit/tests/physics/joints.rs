//! Light bodies under water that something holds: what joints make of a body's answer is known while pressures are
//! found.
//!
//! With the settings that scenes have by default, in the plane.

use glam::DVec3;
use meniscus_testkit::{Body, METHODS, Result, Tank, below, exactly, law, near, seen};

/// The most kinetic energy of the water within a second `[J]`, per metre across the plane, and where the body is at the
/// end: one of 50 kg/m³ in a tank 0.8 m wide and 0.5 m deep.
fn run(method: &str, body: Body, joint: &str) -> Result<(f64, DVec3)> {
    let tank = Tank::plane(0.02).width(0.8).height(2.0).carved().felt_by(method);
    let mut run = tank.with(body.named("body").free(50.0)).scene(joint).start()?;
    let energy = run.most_kinetic_energy(1.0)?;
    law!("escaped", run.escaped() as f64, exactly(0.0), "walls are tight", "{method}");
    Ok((energy, run.place(1)))
}

#[test]
fn a_pinned_box_does_not_shake_the_water() -> Result<()> {
    let pin = "[[joint]]\nkind = \"ball\"\nfirst = \"body\"\npoint = [0.0, 0.2, 0.0]";
    for method in METHODS {
        let body = Body::cuboid([0.14, 0.14, 1.0]).at([0.0, 0.2, 0.0]);
        let (energy, place) = run(method, body, pin)?;
        // What is carved out for the box and filled up makes 10 to 13 J; as if nothing held it, it made 207 J to 220
        // kJ.
        seen!("most kinetic energy [J]", energy, below(20.0), 1.6..=13.2, "{method}");
        law!("height [m]", place.y, near(0.2, 1e-6), "it is pinned", "{method}");
    }
    Ok(())
}

#[test]
fn a_buoy_rests_at_the_end_of_its_rope() -> Result<()> {
    let rope = "[[joint]]\nkind = \"distance\"\nfirst = \"body\"\npoint = [0.0, 0.2, 0.0]\nother = [0.0, 0.0, 0.0]\nrange = [0.0, 0.2]";
    // With direct forcing 49 J were seen: the buoy jerks at its rope, and one that was slack in the last step is not
    // part of its answer.
    for method in ["volume-particles", "density-map"] {
        let (energy, place) = run(method, Body::ball(0.07).at([0.0, 0.2, 0.0]), rope)?;
        seen!("most kinetic energy [J]", energy, below(20.0), 3.5..=3.6, "{method}");
        law!("distance from its hold [m]", place.length(), near(0.2, 1e-3), "its rope is tight", "{method}");
    }
    Ok(())
}

#[test]
fn a_flap_on_a_hinge_near_the_ground_swings() -> Result<()> {
    let hinge =
        "[[joint]]\nkind = \"hinge\"\nfirst = \"body\"\npoint = [0.0, 0.06, 0.0]\naxis = [0.0, 0.0, 1.0]";
    for method in ["volume-particles", "density-map"] {
        let (energy, place) = run(method, Body::cuboid([0.04, 0.26, 1.0]).at([0.0, 0.19, 0.0]), hinge)?;
        seen!("most kinetic energy [J]", energy, below(60.0), 0.5..=1.1, "{method}");
        let arm = (place - DVec3::new(0.0, 0.06, 0.0)).length();
        law!("distance from its hinge [m]", arm, near(0.13, 1e-3), "hinges hold", "{method}");
    }
    Ok(())
}
