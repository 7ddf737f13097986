//! Bodies that are touched: direct forcing (\[Becker2009\]).

mod common;

use common::{GRAVITY, answer, dfsph, free_setup, iisph, pcisph, tank_setup, wcsph};
use glam::{DQuat, DVec3};
use meniscus_core::{BodyId, Dimension};
use meniscus_coupling::{Body, PressureChoice, Setup, Simulation, StepPolicy};
use meniscus_geometry::{OpenFaces, Pose, Shape, Side, Solid};
use meniscus_sph::boundary::{BodySamples, ForcingParams, ForcingUpdate, PenaltyParams, Response};
use meniscus_sph::force::ViscosityParams;

fn forcing(slip: f64, restitution: f64) -> Response {
    Response::Forcing(ForcingParams { slip, restitution, update: ForcingUpdate::Global })
}

fn at_rest(dimension: Dimension, pressure: PressureChoice) {
    let spacing = 0.025;
    let (tank, water) = match dimension {
        Dimension::Two => (DVec3::new(0.5, 1.0, 1.0), DVec3::new(0.5, 0.5, 1.0)),
        Dimension::Three => (DVec3::new(0.25, 1.0, 0.25), DVec3::new(0.25, 0.5, 0.25)),
    };
    let mut setup = tank_setup(dimension, spacing, tank, water, pressure);
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 30.0 };
    answer(&mut setup, forcing(1.0, 0.0));
    let mut simulation = Simulation::new(setup).unwrap();
    let (mut load, mut time) = (0.0, 0.0);
    while simulation.clock().time < 0.8 {
        let dt = simulation.step().unwrap().dt;
        if simulation.clock().time > 0.4 {
            load -= simulation.load(0).impulse.y;
            time += dt;
        }
    }
    let setup = simulation.setup();
    let position = &simulation.particles().position;
    let weight = setup.fluid.mass() * -setup.gravity.y * position.len() as f64;
    let load = load / time / weight;
    let lowest = position.iter().map(|x| x.y).fold(f64::INFINITY, f64::min) / spacing;
    let top = position.iter().map(|x| x.y).fold(0.0, f64::max) / spacing + 0.5;
    println!(
        "{dimension:?}: load over weight {load:.3}, lowest at {lowest:.5}, surface at {top:.2} spacings"
    );
    assert!((load - 1.0).abs() < 0.03, "the floor carries {load} of the weight");
    assert!((lowest - 0.5).abs() < 1e-3, "the lowest particle is {lowest} spacings above the floor");
    assert!((top - 20.0).abs() < 0.5, "the surface is {top} spacings high");
    assert_eq!(simulation.escaped(), 0);
}

#[test]
fn water_rests_on_a_touched_floor() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for pressure in [dfsph(1e-4), iisph(3e-4), pcisph(3e-4), wcsph(30.0)] {
            at_rest(dimension, pressure);
        }
    }
}

#[test]
fn water_rests_on_a_repelling_floor() {
    for pressure in [dfsph(1e-4), iisph(3e-4), pcisph(3e-4), wcsph(30.0)] {
        let (tank, water) = (DVec3::new(0.5, 1.0, 1.0), DVec3::new(0.5, 0.5, 1.0));
        let mut setup = tank_setup(Dimension::Two, 0.025, tank, water, pressure);
        setup.viscosity = ViscosityParams::Artificial { coefficient: 0.3, signal_speed: 30.0 };
        answer(&mut setup, Response::Penalty(PenaltyParams { stiffness: 0.02 * 30.0 * 30.0 }));
        let mut simulation = Simulation::new(setup).unwrap();
        // It bounces: penalties are springs.
        while simulation.clock().time < 1.5 {
            simulation.step().unwrap();
            assert_eq!(simulation.escaped(), 0);
        }
        let top = simulation.particles().position.iter().map(|x| x.y).fold(0.0, f64::max) / 0.025 + 0.5;
        let fastest = simulation.particles().velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
        println!("surface at {top:.2} spacings, fastest {fastest:.3} m/s");
        assert!((top - 20.0).abs() < 0.5, "the surface is {top} spacings high");
        assert!(fastest < 0.3, "the fastest particle moves at {fastest} m/s");
    }
}

#[test]
fn side_walls_do_not_raise_the_pressure() {
    // Of 8 × 8 columns 28 are beside a wall: without what walls owe along themselves, pressure is 8 % too high.
    let (spacing, depth) = (0.025, 0.3);
    let (tank, water) = (DVec3::new(0.2, 0.6, 0.2), DVec3::new(0.2, depth, 0.2));
    let mut setup = tank_setup(Dimension::Three, spacing, tank, water, dfsph(2e-6));
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.3, signal_speed: 30.0 };
    answer(&mut setup, forcing(1.0, 0.0));
    let mut simulation = Simulation::new(setup).unwrap();
    let (mut found, mut expected) = (0.0, 0.0);
    while simulation.clock().time < 1.2 {
        simulation.step().unwrap();
        if simulation.clock().time > 0.7 {
            let pressures = simulation.pressures();
            for (x, p) in simulation.particles().position.iter().zip(pressures) {
                found += f64::from(p);
                expected += 1000.0 * GRAVITY * (depth - x.y);
            }
        }
    }
    let ratio = found / expected;
    println!("pressure over that of the weight above: {ratio:.3}");
    assert!((ratio - 1.0).abs() < 0.03, "the mean pressure is {ratio} of that of the weight above");
}

/// One particle above a plane that is inclined by `angle` `[rad]`, its centre half a spacing and `height` `[m]` above it.
fn above_plane(response: Response, angle: f64, height: f64, dt: f64) -> Setup {
    let spacing = 0.1;
    let mut setup = free_setup(Dimension::Three, spacing, wcsph(10.0));
    setup.gravity = DVec3::new(0.0, -9.81, 0.0);
    setup.step = StepPolicy::Fixed { dt };
    let rotation = DQuat::from_rotation_z(-angle);
    let shape = Shape::Box { size: DVec3::new(12.0, 0.5, 0.6), open: OpenFaces::NONE };
    let solid = Solid {
        shape,
        pose: Pose { translation: rotation * DVec3::new(4.0, -0.25, 0.0), rotation },
        side: Side::Solid,
    };
    setup.samples = vec![BodySamples {
        body: BodyId(0),
        position: solid.sample_surface(spacing, 0.5 * spacing, Dimension::Three).unwrap(),
        evenness: vec![],
        first_depth: 0.5,
        volume_factor: 1.0,
        response,
        touch: vec![],
    }];
    setup.bodies = vec![Body::fixed("plane", solid)];
    answer(&mut setup, response);
    // Not above a sample.
    setup.initial = vec![(rotation * DVec3::new(0.033, 0.5 * spacing + height, 0.014), DVec3::ZERO)];
    setup
}

#[test]
fn particles_rebound_with_the_restitution() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut simulation = Simulation::new(above_plane(forcing(1.0, restitution), 0.0, 0.3, 1e-3)).unwrap();
        let mut fall: f64 = 0.0;
        let after = loop {
            let before = simulation.particles().velocity[0].y;
            simulation.step().unwrap();
            let v = simulation.particles().velocity[0].y;
            fall = fall.max(-before);
            if v > before {
                break v;
            }
        };
        assert!(
            (after - restitution * fall).abs() <= 0.02 * fall,
            "{after} instead of {restitution} · {fall}"
        );
    }
}

#[test]
fn a_particle_slides_down_without_friction_at_a_constant_distance() {
    let angle: f64 = 0.4;
    let setup = above_plane(forcing(1.0, 0.0), angle, 0.0, 1e-3);
    let solid = setup.bodies[0].solid.clone();
    let start = setup.initial[0].0;
    let mut simulation = Simulation::new(setup).unwrap();
    for _ in 0..1000 {
        simulation.step().unwrap();
        let x = simulation.particles().position[0];
        let distance = solid.signed_distance(x, Dimension::Three) / 0.1;
        assert!((distance - 0.5).abs() < 1e-3, "{distance} spacings from the plane");
    }
    let way = simulation.particles().position[0].distance(start);
    let exact = 0.5 * 9.81 * angle.sin() * simulation.clock().time.powi(2);
    assert!((way / exact - 1.0).abs() < 0.01, "{way} m instead of {exact} m");
}

#[test]
fn without_slip_a_particle_stays() {
    let mut simulation = Simulation::new(above_plane(forcing(0.0, 0.0), 0.4, 0.0, 1e-3)).unwrap();
    let start = simulation.particles().position[0];
    for _ in 0..200 {
        simulation.step().unwrap();
    }
    assert!(simulation.particles().position[0].distance(start) < 1e-3);
}

#[test]
fn slip_is_kept_on_the_way_past_each_boundary_particle_whatever_the_step() {
    for dt in [1e-3, 2.5e-4] {
        let mut setup = above_plane(forcing(0.5, 0.0), 0.0, 0.0, dt);
        setup.initial[0].1 = DVec3::X;
        let mut simulation = Simulation::new(setup).unwrap();
        let start = simulation.particles().position[0].x;
        for _ in 0..(0.5 / dt) as u32 {
            simulation.step().unwrap();
        }
        let particles = &simulation.particles();
        let (way, speed) = ((particles.position[0].x - start) / 0.1, particles.velocity[0].x);
        assert!(way > 2.0, "only {way} spacings");
        assert!((speed / 0.5f64.powf(way) - 1.0).abs() < 0.02, "{speed} m/s after {way} spacings");
    }
}

#[test]
fn a_particle_under_a_ceiling_falls_however_short_the_step() {
    for (dt, slip, restitution) in [(2e-3, 1.0, 0.0), (2e-3, 0.0, 0.0), (1e-4, 0.5, 0.0), (1e-4, 1.0, 0.5)] {
        let setup = above_plane(forcing(slip, restitution), std::f64::consts::PI, 0.0, dt);
        let start = setup.initial[0].0;
        let mut simulation = Simulation::new(setup).unwrap();
        while simulation.clock().time < 0.2 {
            simulation.step().unwrap();
        }
        let way = start.y - simulation.particles().position[0].y;
        let exact = 0.5 * 9.81 * simulation.clock().time.powi(2);
        assert!(
            (way / exact - 1.0).abs() < 0.02,
            "{way} m instead of {exact} m: {dt} s, {slip}, {restitution}"
        );
    }
}
