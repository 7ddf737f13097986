//! Momentum: fluid and bodies gain what gravity and walls give them, and nothing else.

use glam::DVec3;
use meniscus_core::{Dimension, Wrench};
use meniscus_testkit::solver::{Solver, all, dfsph, wcsph};
use meniscus_testkit::{Body, METHODS, Result, Run, Tank, above, below, exactly, law};

const WHY: &str = "nothing else pushes; single precision";

/// The mean velocity of the half of the particles that came first `[m/s]`.
fn first_half_velocity(run: &Run) -> DVec3 {
    let half = run.ids().len() as u64 / 2;
    let first = run.ids().iter().zip(run.velocities()).filter(|(id, _)| **id < half);
    first.map(|(_, v)| *v).sum::<DVec3>() / half as f64
}

/// The keys of a drop of fluid at a place `[m]` that flies `[m/s]` and spins `[rad/s]`.
fn drop_of(radius: f64, [centre, velocity, spin]: [DVec3; 3]) -> String {
    let [centre, velocity, spin] = [centre, velocity, spin].map(|x| x.to_array());
    format!(
        "shape = \"sphere\"\nradius = {radius:?}\ncenter = {centre:?}\nvelocity = {velocity:?}\nangular_velocity = {spin:?}"
    )
}

/// By how much momentum and angular momentum about a place drift, relative to themselves.
fn drift(start: [DVec3; 2], end: [DVec3; 2], about: DVec3) -> [f64; 2] {
    let spin = |[linear, angular]: [DVec3; 2]| angular - about.cross(linear);
    let linear = (end[0] - start[0]).length() / start[0].length();
    [linear, (spin(end) - spin(start)).length() / spin(start).length()]
}

fn is_conserved([linear, angular]: [f64; 2], case: &str) {
    law!("drift of momentum", linear, below(1e-5), WHY, "{case}");
    law!("drift of angular momentum", angular, below(1e-5), WHY, "{case}");
}

/// Two spinning drops that collide off centre, away from the origin: pressure and viscosity have work to do, and
/// orbital and intrinsic angular momentum both count.
fn collide(solver: &Solver, viscosity: &str) -> Result<()> {
    let first = [DVec3::new(0.2, -0.1, 0.2), DVec3::new(1.7, 0.2, -0.4), DVec3::new(1.0, 5.0, -2.0)];
    let second = [DVec3::new(0.45, -0.03, 0.22), DVec3::new(-0.9, 0.1, 0.3), DVec3::new(-3.0, 0.0, 4.0)];
    let tank = Tank::space(0.02).without_walls().gravity(DVec3::ZERO).longest_step(2e-3);
    let tank = tank.source(&drop_of(0.1, first)).source(&drop_of(0.1, second));
    let mut run = tank.solver(solver.strict()).viscosity(viscosity).start()?;
    let start = run.momentum();
    run.steps(500)?;
    let case = format!("{solver}, {viscosity}");
    let change = (first_half_velocity(&run) - first[1]).length();
    law!("change of the first drop's velocity [m/s]", change, above(0.2), "they meet", "{case}");
    is_conserved(drift(start, run.momentum(), DVec3::ZERO), &case);
    Ok(())
}

#[test]
fn drops_that_collide_keep_their_momentum() -> Result<()> {
    for solver in all(1e-3, 20.0) {
        collide(&solver, "none")?;
    }
    Ok(())
}

#[test]
fn viscous_forces_conserve_momentum() -> Result<()> {
    collide(&dfsph(1e-3), r#"{ method = "laplacian", kinematic = 0.01 }"#)?;
    collide(&wcsph(20.0), r#"{ method = "artificial", coefficient = 0.1 }"#)
}

#[test]
fn drops_that_collide_far_away_keep_their_momentum() -> Result<()> {
    let centre = DVec3::new(100.0, -70.0, 100.0);
    for solver in [dfsph(1e-3), wcsph(20.0)] {
        let tank = Tank::space(0.01).without_walls().gravity(DVec3::ZERO).longest_step(2e-3);
        let drops = [(-1.0, DVec3::new(1.0, 8.0, -2.0)), (1.0, DVec3::new(-5.0, 0.0, 4.0))];
        let tank = drops.iter().fold(tank, |tank, (side, spin)| {
            let middle = centre + *side * DVec3::new(0.05, 0.01, 0.0);
            tank.source(&drop_of(0.045, [middle, DVec3::new(0.3 - side, 0.1, 0.0), *spin]))
        });
        let mut run = tank.solver(solver.strict()).viscosity("none").start()?;
        let start = run.momentum();
        run.until(0.05)?;
        let first = first_half_velocity(&run).x;
        law!("first drop's velocity [m/s]", first, below(1.0), "they meet", "{solver}");
        // About the place where the drops meet: about the origin the long lever would hide everything else.
        is_conserved(drift(start, run.momentum(), centre), &format!("{solver}, far away"));
    }
    Ok(())
}

/// A closed tank from whose wall at −x water falls.
fn dam(dimension: Dimension, solver: &Solver, viscosity: &str) -> Tank {
    let tank = Tank::new(dimension, 0.03).width(0.7).across(0.24).height(0.5).closed().dam(0.3).depth(0.4);
    // Towards a corner, so that pressure, friction and contacts all have work to do.
    let along = if dimension == Dimension::Two { 0.0 } else { 0.3 };
    tank.flowing([-0.4, -0.2, along]).solver(solver.strict()).viscosity(viscosity).longest_step(2e-3)
}

#[test]
fn walls_receive_what_the_fluid_loses() -> Result<()> {
    let viscosities = [
        "none",
        r#"{ method = "laplacian", kinematic = 0.01, boundary_kinematic = 0.02 }"#,
        r#"{ method = "artificial", coefficient = 0.1 }"#,
    ];
    for solver in all(1e-3, 25.0) {
        for dimension in [Dimension::Two, Dimension::Three] {
            for viscosity in viscosities {
                let case = format!("{dimension:?}, {solver}, {viscosity}");
                let found = dam(dimension, &solver, viscosity).start()?.balance(50)?;
                law!(
                    "share that walls take sideways",
                    found.sideways,
                    above(0.01),
                    "the dam pushes",
                    "{case}"
                );
                law!("missing momentum", found.linear, below(1e-4), WHY, "{case}");
                law!("missing angular momentum", found.angular, below(1e-4), WHY, "{case}");
            }
        }
    }
    Ok(())
}

/// Water that falls into the corner of a tank, with a block in its way; if `moving`, the tank rocks and the block runs
/// against the water.
fn blocked(dimension: Dimension, moving: bool) -> Tank {
    let along = if dimension == Dimension::Two { 0.0 } else { 0.3 };
    let tank = Tank::new(dimension, 0.03).width(0.6).across(0.18).height(0.42).closed().dam(0.3).depth(0.3);
    let tank = tank.flowing([0.5, -0.2, along]).longest_step(2e-3);
    let block = Body::cuboid([0.12; 3]).at([0.06, 0.1, 0.0]);
    let tank = tank.viscosity(r#"{ method = "artificial", coefficient = 0.1 }"#);
    if !moving {
        return tank.with(block);
    }
    let turn = 0.1_f64.to_degrees();
    let rocking = format!(
        "motion = {{ kind = \"rocking\", axis = [0, 0, 1], amplitude = {turn}, frequency = 1.0, point = [0.0, 0.21, 0.0] }}"
    );
    tank.walls(&rocking).with(block.led(r#"{ kind = "linear", velocity = [-0.5, 0.1, 0.0] }"#))
}

#[test]
fn momentum_is_accounted_for_with_all_solvers_and_boundaries() -> Result<()> {
    let methods = [
        "volume-particles",
        r#"{ method = "density-map", friction = 0.2 }"#,
        r#"{ method = "direct-forcing", slip = 0.5, restitution = 0.3 }"#,
        r#"{ method = "penalty", stiffness = 12.5 }"#,
    ];
    for dimension in [Dimension::Two, Dimension::Three] {
        for moving in [false, true] {
            for method in methods {
                for solver in all(1e-3, 25.0) {
                    let case = format!("{dimension:?}, {method}, {solver}, moving: {moving}");
                    let mut run = blocked(dimension, moving).felt_by(method).solver(&solver).start()?;
                    let found = run.balance(20)?;
                    let columns = run.positions().iter().chain(run.velocities());
                    let broken = columns.filter(|x| !x.is_finite()).count();
                    let broken = broken + run.solved_pressures().iter().filter(|p| !p.is_finite()).count();
                    law!("figures that are not finite", broken as f64, exactly(0.0), "no division", "{case}");
                    // Ten times what may be missing below: a load that is not recorded would be noticed. Penalties of
                    // WCSPH take 0.003 within these steps, as water has to come nearer before they push.
                    law!(
                        "share that walls take sideways",
                        found.sideways,
                        above(1e-3),
                        "the dam pushes",
                        "{case}"
                    );
                    law!("missing momentum", found.linear, below(1e-4), WHY, "{case}");
                    law!("missing angular momentum", found.angular, below(1e-4), WHY, "{case}");
                }
            }
        }
    }
    Ok(())
}

/// How much of the change of momentum and of angular momentum is not explained, relative to all that was exchanged, of
/// water and a spinning brick that flies into it, far from the origin; with `walled` in a closed box.
fn unexplained(method: &str, solver: &str, walled: bool, until: f64) -> Result<[f64; 2]> {
    let brick = Body::cuboid([0.24, 0.16, 0.2]).at([2.04, 0.5, -1.02]).free(600.0);
    let tank = Tank::space(0.04).at([2.0, 0.0, -1.0]).width(0.64).across(0.56).height(0.8).depth(0.32);
    let tank = tank.closed().flowing([0.1, 0.3, -0.2]).felt_by(method).solver(solver);
    let tank = tank.viscosity(r#"{ method = "laplacian", kinematic = 0.01, boundary_kinematic = 0.01 }"#);
    let tank = tank.with(brick.thrown([0.2, -2.0, 0.1], [3.0, 1.0, -6.0]));
    let mut run = if walled { tank.start()? } else { tank.without_walls().start()? };
    let (mass, brick_mass, brick) = (run.particle_mass(), 600.0 * 0.24 * 0.16 * 0.2, run.body_count() - 1);
    let start = run.momentum();
    let (mut linear, mut angular, mut on_brick) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    let (mut touched, mut before) = (0, run.place(brick));
    let sums = |run: &Run| (run.positions().iter().sum::<DVec3>(), run.positions().len() as f64);
    let (mut sum, mut count) = sums(&run);
    run.watch(until, |run| {
        let weight = run.dt() * run.gravity();
        // Velocities change where a step begins, but that of a brick in the air evenly on its way.
        let flies = run.load(brick) == Wrench::default();
        let place = if flies { 0.5 * (before + run.place(brick)) } else { before };
        linear += (mass * count + brick_mass) * weight;
        angular += mass * sum.cross(weight) + brick_mass * place.cross(weight);
        on_brick += run.load(brick).impulse.length();
        touched += run.contact_points();
        if walled {
            linear -= run.load(0).impulse;
            angular -= run.load(0).angular_impulse;
        }
        before = run.place(brick);
        (sum, count) = sums(run);
    })?;
    law!("impulse on the brick [N s]", on_brick, above(2.0), "it meets the water", "{method}");
    law!("contacts of brick and tank", f64::from(touched), exactly(0.0), "it is in the middle", "{method}");
    let end = run.momentum();
    let relative = |gap: DVec3, a: DVec3, b: DVec3| gap.length() / a.length().max(b.length());
    Ok([
        relative(end[0] - start[0] - linear, start[0], linear),
        relative(end[1] - start[1] - angular, start[1], angular),
    ])
}

fn is_explained([linear, angular]: [f64; 2], case: &str) {
    law!("unexplained momentum", linear, below(2e-6), WHY, "{case}");
    law!("unexplained angular momentum", angular, below(2e-6), WHY, "{case}");
}

#[test]
fn nothing_but_gravity_moves_what_falls_freely() -> Result<()> {
    for method in METHODS {
        for solver in ["dfsph", "iisph", "wcsph"] {
            is_explained(unexplained(method, solver, false, 0.25)?, &format!("{method} {solver}"));
        }
    }
    Ok(())
}

#[test]
fn a_closed_box_receives_what_its_content_loses() -> Result<()> {
    for method in METHODS {
        is_explained(unexplained(method, "dfsph", true, 0.3)?, method);
    }
    Ok(())
}
