//! How things start: bodies with the mass of the water they move, carved water at rest.

use meniscus_testkit::{
    Body, CALM, METHODS, Result, Run, Tank, WATER, above, analytic, below, between, law, near, seen,
};
use std::f64::consts::PI;

const SPACING: f64 = 0.02;

/// A tank of water, 24 particles wide and deep, with a body of the water's density that fits no lattice.
fn carved(tank: Tank, method: &str, body: Body) -> Result<Run> {
    tank.width(0.48).height(1.0).depth(0.48).carved().with(body.free(WATER).felt_by(method)).start()
}

fn odd_box() -> Body {
    Body::cuboid([0.212; 3]).at([0.003, 0.245, 0.007])
}

fn odd_ball() -> Body {
    Body::ball(0.084).at([0.003, 0.245, 0.007])
}

#[test]
fn as_many_particles_are_left_out_as_a_body_takes_up() -> Result<()> {
    let disc = PI * 0.084_f64.powi(2);
    let ball = 4.0 / 3.0 * disc * 0.084;
    let cases = [
        ("a ball", 3, odd_ball(), ball),
        ("a box", 3, odd_box(), 0.212_f64.powi(3)),
        ("a box in the middle", 3, Body::cuboid([0.19; 3]).at([0.0, 0.24, 0.0]), 0.19_f64.powi(3)),
        ("a ball half above the water", 3, Body::ball(0.084).at([0.003, 0.48, 0.007]), 0.5 * ball),
        ("a disc", 2, Body::ball(0.084).at([0.003, 0.245, 0.0]), disc),
    ];
    for (name, dimension, body, volume) in cases {
        let tank = if dimension == 2 { Tank::plane(SPACING) } else { Tank::space(SPACING) };
        let run = carved(tank, "volume-particles", body)?;
        let left_out = 24_f64.powi(dimension) - run.positions().len() as f64;
        let expected = volume / SPACING.powi(dimension);
        let bound = near(expected, 1.0 + 0.003 * expected);
        law!("particles left out", left_out, bound, "volume, within a particle", "{name}");
    }
    Ok(())
}

#[test]
fn a_body_that_fits_no_lattice_starts_at_rest() -> Result<()> {
    for method in ["volume-particles", "density-map"] {
        for (name, body) in [("a box", odd_box()), ("a ball", odd_ball())] {
            let mut run = carved(Tank::space(SPACING), method, body)?;
            let start = run.place(1);
            run.until(0.05)?;
            let moved = (run.place(1) - start).length() / SPACING;
            // Where particles near the body were only left out, boxes sank by 0.43 to 0.47 and balls by 0.08.
            law!("moved [spacings]", moved, below(0.1), "as heavy as water", "{method}, {name}");
        }
    }
    Ok(())
}

#[test]
fn nothing_starts_nearer_to_a_body_than_fluid_rests() -> Result<()> {
    for method in METHODS {
        let run = carved(Tank::space(SPACING), method, odd_box())?;
        let why = "half a spacing, fitted within a tenth";
        law!("nearest particle [spacings]", run.nearest(1) / SPACING, above(0.45), why, "{method}");
    }
    Ok(())
}

mod slow {
    use super::*;

    #[test]
    fn bodies_start_with_the_mass_of_the_water_they_move() -> Result<()> {
        let release = 1.0;
        for method in METHODS {
            let tank = |ratio: f64| {
                let body =
                    Body::ball(0.1).at([0.0, 0.5, 0.0]).free(ratio * WATER).held(release).felt_by(method);
                Tank::plane(SPACING).height(1.6).depth(1.0).carved().solver(CALM).with(body)
            };
            // The water settles once for all densities: while the body is held, its mass does not matter.
            let mut held = tank(1.0).start()?;
            held.until(release)?;
            let held = held.save()?;
            for ratio in [0.05, 0.5, 2.0, 8.0] {
                let mut run = tank(ratio).resume(&held)?;
                let start = run.place(1);
                run.until(release + 0.05)?;
                let time = run.time() - release;
                // A cylinder moves as much water as it displaces.
                let way = (run.place(1) - start).y / (0.5 * time * time * analytic::start(ratio, 1.0));
                // The fluid's friction and the tank's walls slow it down.
                seen!("way over expected", way, between(0.6, 1.1), 0.71..=1.07, "{method} {ratio}");
            }
        }
        Ok(())
    }
}
