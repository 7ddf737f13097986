//! Water that flows: dams that break, drums that take their content along, drops that become round, nozzles and drains.

use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_testkit::solver::{Solver, dfsph, iisph, pcisph, wcsph};
use meniscus_testkit::{Body, Result, Tank, above, analytic, at_most, below, exactly, law, near, seen};
use std::collections::HashMap;

#[test]
fn a_dam_break_keeps_its_tolerance_and_its_particles() -> Result<()> {
    let tolerance = 1e-3;
    for solver in [dfsph(tolerance), pcisph(tolerance), iisph(tolerance)] {
        let tank = Tank::space(0.025).width(1.2).across(0.4).height(0.8).closed().dam(0.4).longest_step(2e-3);
        let mut run = tank.solver(solver.strict()).start()?;
        let (mut worst, mut escaped): (f64, u64) = (0.0, 0);
        run.watch(1.0, |run| {
            worst = worst.max(run.fluid_report().density_error_mean);
            escaped += run.escaped();
        })?;
        law!("mean density error in the worst step", worst, at_most(tolerance), "the tolerance", "{solver}");
        law!("escaped in all steps", escaped as f64, exactly(0.0), "walls are tight", "{solver}");
        let reach = run.positions().iter().map(|x| x.x + 0.6).fold(0.0, f64::max);
        law!("reach of the wave [m]", reach, above(1.1), "it gets to the far wall", "{solver}");
    }
    Ok(())
}

/// How far particles of a dam break come to lie from where they belong when everything is moved, in spacings.
fn apart(dimension: Dimension, solver: &Solver, offset: DVec3, steps: u32) -> Result<f64> {
    let spacing = 0.01;
    let [width, height, across, dam, depth] = match dimension {
        Dimension::Two => [0.4, 0.3, 1.0, 0.16, 0.2],
        Dimension::Three => [0.2, 0.15, 0.08, 0.08, 0.1],
    };
    let end = |place: DVec3| -> Result<[Vec<DVec3>; 2]> {
        let tank =
            Tank::new(dimension, spacing).at(place).width(width).height(height).across(across).closed();
        let tank = tank.dam(dam).depth(depth).solver(solver.strict()).longest_step(2e-3);
        let mut run = tank.viscosity(r#"{ method = "artificial", coefficient = 0.1 }"#).start()?;
        let start = run.positions_by_id();
        run.steps(steps)?;
        Ok([start, run.positions_by_id()])
    };
    let [start, here] = end(DVec3::ZERO)?;
    let farthest = |a: &[DVec3], b: &[DVec3], offset: DVec3| {
        a.iter().zip(b).map(|(a, b)| (*b - offset - *a).length()).fold(0.0, f64::max) / spacing
    };
    let moved = farthest(&start, &here, DVec3::ZERO);
    law!("way of a particle [spacings]", moved, above(0.05), "it falls", "{dimension:?}, {solver}");
    Ok(farthest(&here, &end(offset)?[1], offset))
}

const PLANE: DVec3 = DVec3::new(100.0, -100.0, 0.0);
const SPACE: DVec3 = DVec3::new(100.0, 100.0, -100.0);
/// Not a multiple of the spacing: the fixed-point frame rounds each position in another way.
const ODD: f64 = 1.000_012_3;

#[test]
fn a_dam_breaks_the_same_way_far_away() -> Result<()> {
    let (two, three) = (Dimension::Two, Dimension::Three);
    // The lattice starts at exactly the rest density, where the pressure of WCSPH sets in: there the last bit of a
    // position decides whether two particles push each other at first. DFSPH decides who takes part and when to stop,
    // so the last bit of a position grows fast: a shift of a nanometre at the origin does as much after fifty steps.
    let cases = [
        (two, wcsph(20.0), PLANE, 50, 1e-6),
        (three, wcsph(20.0), SPACE, 50, 1e-6),
        (two, wcsph(20.0), PLANE, 200, 1e-2),
        (two, wcsph(20.0), ODD * PLANE, 50, 5e-3),
        (three, wcsph(20.0), ODD * SPACE, 50, 5e-3),
        (two, wcsph(20.0), ODD * PLANE, 200, 1e-2),
        (two, dfsph(1e-3), PLANE, 10, 1e-4),
        (two, dfsph(1e-3), PLANE, 50, 0.1),
        (two, dfsph(1e-3), ODD * PLANE, 50, 0.1),
        (three, dfsph(1e-3), SPACE, 10, 1e-4),
        (three, dfsph(1e-3), SPACE, 50, 0.1),
        (three, dfsph(1e-3), ODD * SPACE, 50, 0.1),
    ];
    for (dimension, solver, offset, steps, bound) in cases {
        let apart = apart(dimension, &solver, offset, steps)?;
        let why = "space is the same everywhere";
        law!(
            "apart [spacings]",
            apart,
            below(bound),
            why,
            "{dimension:?}, {solver}, {offset}, {steps} steps"
        );
    }
    Ok(())
}

/// The largest difference of the share of rigid rotation that the content of a drum has from the exact one; at its end,
/// by how much the content lags.
fn spin_up(boundary_kinematic: f64) -> Result<f64> {
    let (radius, spacing, kinematic, rate) = (0.25, 0.0125, 0.005, 0.5_f64);
    let degrees = rate.to_degrees();
    let drum = Body::ball(radius).container().felt_by("density-map");
    let drum = drum.led(&format!("{{ kind = \"spin\", axis = [0, 0, 1], rate = {degrees} }}"));
    let viscosity = format!(
        "{{ method = \"laplacian\", kinematic = {kinematic}, boundary_kinematic = {boundary_kinematic:?} }}"
    );
    let inside = format!("shape = \"sphere\"\nradius = {:?}\ncenter = [0, 0, 0]", radius - 0.4 * spacing);
    let tank = Tank::plane(spacing).without_walls().gravity(DVec3::ZERO).source(&inside).with(drum);
    let tank = tank.solver(dfsph(1e-3)).viscosity(&viscosity).longest_step(2e-3);
    let mut run = tank.start()?;
    let mut worst: f64 = 0.0;
    for time in [0.05, 0.1, 0.2, 0.4] {
        run.until(time * radius * radius / kinematic)?;
        let all = run.positions().iter().zip(run.velocities());
        let momentum: f64 = all.map(|(x, v)| x.cross(*v).z).sum();
        let rigid: f64 = run.positions().iter().map(|x| rate * x.length_squared()).sum();
        worst = worst.max((momentum / rigid - analytic::spin_up(time)).abs());
    }
    Ok(worst)
}

#[test]
fn a_drum_takes_its_content_along() -> Result<()> {
    // Twenty particles to the radius: the lag is largest while the layer that moves is a few particles thick.
    law!("error of the share of rotation", spin_up(0.005)?, below(0.12), "spin-up of a drum by friction");
    law!("the same without friction", spin_up(0.0)?, above(0.4), "nothing takes it along");
    Ok(())
}

/// How square a drop about the origin is: the share of cos 4θ in its fourth moments.
fn squareness(position: &[DVec3]) -> f64 {
    let fourth = |x: &DVec3| x.x.powi(4) + x.y.powi(4) - 6.0 * (x.x * x.y).powi(2);
    let all: f64 = position.iter().map(|x| x.truncate().length_squared().powi(2)).sum();
    (position.iter().map(fourth).sum::<f64>() / all).abs()
}

#[test]
fn a_square_drop_becomes_round() -> Result<()> {
    for (spacing, solver) in [(0.05, dfsph(1e-3)), (0.04, wcsph(8.0))] {
        let tank = Tank::plane(spacing).without_walls().gravity(DVec3::ZERO).at([0.0, -0.5, 0.0]).depth(1.0);
        let tank =
            tank.fluid("surface_tension = 40.0").viscosity(r#"{ method = "laplacian", kinematic = 0.02 }"#);
        let mut run = tank.solver(&solver).longest_step(2e-3).start()?;
        let start = squareness(run.positions());
        run.until(3.0)?;
        let end = squareness(run.positions()) / start;
        seen!("squareness over that of the start", end, below(0.35), 0.08..=0.23, "{solver}");
        let farthest = run.positions().iter().map(|x| x.length()).fold(0.0, f64::max);
        // A disc of the same area has the radius 0.564 m.
        law!("farthest particle [m]", farthest, below(0.65), "a disc, within two spacings", "{solver}");
        let momentum = run.velocities().iter().sum::<DVec3>().length();
        law!("sum of velocities [m/s]", momentum, below(1e-4), "nothing sets itself in motion", "{solver}");
    }
    Ok(())
}

/// A layer of 30 particles on a floor that gravity pulls it away from: how many are there after half a second.
fn hanging(adhesion: f64, method: &str) -> Result<f64> {
    let tank = Tank::plane(0.01).width(0.3).height(0.8).depth(0.01).closed().gravity([0.0, 2.0, 0.0]);
    let tank = tank.fluid("surface_tension = 0.5").viscosity("none").longest_step(2e-3).felt_by(method);
    let mut run = tank.walls(&format!("adhesion = {adhesion:?}")).solver(dfsph(1e-3)).start()?;
    run.until(0.5)?;
    Ok(run.positions().iter().filter(|x| x.y < 0.05).count() as f64)
}

#[test]
fn fluid_hangs_from_a_ceiling_that_it_clings_to() -> Result<()> {
    for method in ["volume-particles", "density-map", "direct-forcing"] {
        let (dry, wet) = (hanging(0.0, method)?, hanging(0.2, method)?);
        seen!("particles of 30 that hang without adhesion", dry, below(5.0), 0.0, "{method}");
        seen!("particles of 30 that hang with it", wet, above(20.0), 24.0..=30.0, "{method}");
    }
    Ok(())
}

#[test]
fn a_leapfrog_falls_on_the_parabola() -> Result<()> {
    // How far from the parabola a drop is after a second of falling with steps of 10 ms `[m]`.
    let miss = |integrator: &str| -> Result<f64> {
        let tank = Tank::space(0.1).without_walls().width(0.1).depth(0.1).fixed_step(0.01);
        let tank = tank.time(&format!("integrator = \"{integrator}\"")).solver(wcsph(20.0)).viscosity("none");
        let mut run = tank.particles(vec![(DVec3::ZERO, DVec3::new(1.0, 2.0, 0.0))]).start()?;
        run.steps(100)?;
        Ok((run.positions()[0] - DVec3::new(1.0, 2.0 - analytic::fall(1.0), 0.0)).length())
    };
    law!("miss of leapfrog [m]", miss("leapfrog")?, below(1e-5), "second order: exact on a parabola");
    let euler = near(analytic::fall(1.0) * 0.01, 1e-4);
    law!("miss of symplectic Euler [m]", miss("symplectic-euler")?, euler, "first order: ½ g t dt");
    Ok(())
}

/// A statue is led through water; its arms are thinner than a spacing, so that hardly any sample is in them.
#[test]
fn no_particle_stays_in_arms_without_samples() -> Result<()> {
    let statue = Body::shape("shape = \"statue\"\nheight = 0.45").at([-0.35, 0.3, 0.0]);
    let statue = statue.led(r#"{ kind = "linear", velocity = [1.0, 0.0, 0.0] }"#);
    let water = "shape = \"box\"\nmin = [-0.1, 0, -0.3]\nmax = [0.4, 0.4, 0.3]";
    let tank = Tank::space(0.05).width(1.2).across(0.6).height(1.0).source(water).with(statue);
    let mut run = tank.start()?;
    let mut escaped = 0;
    run.watch(0.45, |run| escaped += run.escaped())?;
    law!("escaped in all steps", escaped as f64, exactly(0.0), "no particle is in a body");
    Ok(())
}

#[test]
fn a_rocking_vessel_of_penalties_does_not_burst() -> Result<()> {
    // Two walls and a floor between z = −0.5 and z = 0.5, sheets without thickness.
    let vessel = "
v -0.3 0.4 -0.5\nv -0.3 0.4 0.5\nv -0.3 0 -0.5\nv -0.3 0 0.5\nv 0.3 0 -0.5\nv 0.3 0 0.5\nv 0.3 0.4 -0.5\nv 0.3 0.4 0.5
f 1 3 4\nf 1 4 2\nf 3 5 6\nf 3 6 4\nf 5 7 8\nf 5 8 6
";
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("vessel.obj"), vessel)?;
    let body = Body::shape("shape = \"mesh\"\npath = \"vessel.obj\"").felt_by("penalty");
    let body =
        body.led(r#"{ kind = "rocking", amplitude = 10.0, frequency = 0.7, point = [0.0, 0.0, 0.0] }"#);
    let tank = Tank::plane(0.02).without_walls().width(0.6).depth(0.2).with(body).folder(folder.path());
    let mut run = tank.viscosity(r#"{ method = "artificial", coefficient = 0.1 }"#).start()?;
    let mut fastest: f64 = 0.0;
    run.watch(1.6, |run| fastest = fastest.max(run.fastest()))?;
    seen!("fastest [m/s]", fastest, below(5.0), 0.93);
    Ok(())
}

/// Two jets and two drains, and fluid that waits: some over a drain, some that never reaches one.
const JETS: &str = r#"
[[emitter]]
nozzle = { shape = "disc", radius = 0.05 }
position = [0.0, 1.0, 0.0]
direction = [1.0, 0.0, 0.0]
speed = 2.0
start = 0.02
stop = 0.195

[[emitter]]
nozzle = { shape = "disc", radius = 0.05 }
position = [0.5, 1.0, 0.0]
direction = [-1.0, 0.0, 0.0]
speed = 2.0
start = 0.02
stop = 0.195
max_particles = 100

[[drain]]
shape = "box"
min = [0.2, 0.0, -1.0]
max = [0.3, 2.0, 1.0]

[[drain]]
shape = "sphere"
center = [0.0, 0.5, 0.0]
radius = 0.2
"#;

fn drained(x: DVec3) -> bool {
    let boxed = x.cmpge(DVec3::new(0.2, 0.0, -1.0)).all() && x.cmple(DVec3::new(0.3, 2.0, 1.0)).all();
    boxed || x.distance(DVec3::new(0.0, 0.5, 0.0)) <= 0.2
}

#[test]
fn emitted_less_drained_is_present() -> Result<()> {
    let spacing = 0.02;
    let place = |i: usize| {
        let start = if i < 5 { DVec3::new(0.0, 0.8, 0.0) } else { DVec3::new(-1.0, 0.0, 0.0) };
        start + 2.0 * spacing * (i % 5) as f64 * DVec3::X
    };
    let at_rest: Vec<DVec3> = (0..10).map(place).collect();
    let tank = Tank::space(spacing).without_walls().width(0.1).depth(0.1).scene(JETS).viscosity("none");
    let tank = tank.solver(dfsph(1e-3).strict()).longest_step(2e-3);
    let mut run = tank.particles(at_rest.iter().map(|&x| (x, DVec3::ZERO)).collect()).start()?;

    let mut known: HashMap<u64, DVec3> = (0u64..).zip(at_rest.iter().copied()).collect();
    let initial = known.len() as u64;
    let mut next_id = initial;
    run.watch(0.35, |run| {
        let (dt, position, velocity) = (run.dt(), run.positions(), run.velocities());
        let emitted = run.emitted(0).particles + run.emitted(1).particles;
        assert_eq!(initial + emitted - run.totals().drained, position.len() as u64);

        let now: HashMap<u64, usize> = run.ids().iter().copied().zip(0..).collect();
        assert_eq!(now.len(), position.len(), "an id is there twice");
        for (id, x) in &known {
            match now.get(id) {
                // Without walls a particle is where its velocity brought it, and nowhere else.
                Some(&i) => {
                    let path = position[i] - *x - dt * velocity[i];
                    assert!(path.length() < 1e-12, "particle {id} has jumped");
                }
                None => assert!(drained(*x), "particle {id} vanished at {x}"),
            }
        }
        for (id, &i) in &now {
            let (x, v) = (position[i], velocity[i]);
            if !known.contains_key(id) {
                assert!((next_id..initial + emitted).contains(id), "{id} is not a new id");
                assert!(!drained(x - dt * v), "{id} is born in a drain");
                let mouth = |at: f64| x.distance(DVec3::new(at, 1.0, 0.0)) < 0.05 + 2.0 * spacing;
                assert!(mouth(0.0) || mouth(0.5), "{id} appears at {x}");
            }
        }
        next_id = initial + emitted;
        known = now.iter().map(|(&id, &i)| (id, position[i])).collect();
        let mut in_order: Vec<u64> = known.keys().copied().collect();
        in_order.sort_unstable();
        let in_order: Vec<DVec3> = in_order.iter().map(|id| known[id]).collect();
        assert_eq!(run.positions_by_id(), in_order);
    })?;
    // Open for 0.175 s at 2 m/s, the first layer at once: eighteen layers; the other nozzle had only so much to give.
    let [first, second] = [run.emitted(0), run.emitted(1)];
    law!("layers", first.layers as f64, exactly(18.0), "speed over spacing, and the first one");
    let per_layer = first.particles / first.layers;
    let most = (100 / per_layer * per_layer) as f64;
    law!("particles of the other nozzle", second.particles as f64, exactly(most), "whole layers of 100");
    law!("drained", run.totals().drained as f64, above(200.0), "both jets meet a drain");
    assert!((5..10).all(|id| known.contains_key(&id)), "fluid that meets no drain stays");
    Ok(())
}
