//! Bodies as density maps (\[Koschier2017\]).

mod common;

use common::{dfsph, free_setup, iisph, map_bodies, map_bodies_by, pcisph, tank_setup, wcsph};
use glam::{DQuat, DVec3};
use meniscus_core::Dimension;
use meniscus_coupling::{Body, OnFailure, PressureChoice, Simulation, StepPolicy};
use meniscus_geometry::{OpenFaces, Pose, Shape, Side, Solid};
use meniscus_sph::boundary::MapKind;
use meniscus_sph::force::ViscosityParams;

fn at_rest(kind: MapKind, dimension: Dimension, pressure: PressureChoice) {
    let spacing = 0.025;
    let (tank, water) = match dimension {
        Dimension::Two => (DVec3::new(0.5, 1.0, 1.0), DVec3::new(0.5, 0.5, 1.0)),
        Dimension::Three => (DVec3::new(0.4, 1.0, 0.4), DVec3::new(0.4, 0.5, 0.4)),
    };
    let mut setup = tank_setup(dimension, spacing, tank, water, pressure);
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.3, signal_speed: 30.0 };
    setup.on_failure = OnFailure::Accept;
    map_bodies_by(&mut setup, kind);
    let mut simulation = Simulation::new(setup).unwrap();
    let (mut load, mut time, mut pressures, mut steps) = (0.0, 0.0, 0.0, 0);
    while simulation.clock().time < 2.0 {
        let dt = simulation.step().unwrap().dt;
        if simulation.clock().time > 1.0 {
            load -= simulation.load(0).impulse.y;
            time += dt;
            steps += 1;
            let pressure = simulation.pressures();
            let particles = simulation.particles().position.iter().zip(pressure);
            let low: Vec<f64> =
                particles.filter(|(x, _)| x.y < 2.0 * spacing).map(|(_, p)| f64::from(p)).collect();
            pressures += low.iter().sum::<f64>() / low.len() as f64;
        }
    }
    let setup = simulation.setup();
    let position = &simulation.particles().position;
    let weight = setup.fluid.mass() * -setup.gravity.y * position.len() as f64;
    let load = load / time / weight;
    let bottom = pressures / f64::from(steps) / (4905.0 * 0.95);
    let lowest = position.iter().map(|x| x.y).fold(f64::INFINITY, f64::min) / spacing;
    let top = position.iter().map(|x| x.y).fold(0.0, f64::max) / spacing + 0.5;
    let velocity = &simulation.particles().velocity;
    let fastest = velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
    let speed = (velocity.iter().map(|v| v.length_squared()).sum::<f64>() / velocity.len() as f64).sqrt();
    println!(
        "{kind:?} {dimension:?}: load over weight {load:.3}, bottom pressure {bottom:.3}, lowest at {lowest:.3}, surface at {top:.2} spacings, speed {speed:.4}, fastest {fastest:.3}, sweeps {}",
        simulation.last_report().pressure.sweeps
    );
    assert!((load - 1.0).abs() < 0.03, "the floor carries {load} of the weight");
    assert!((bottom - 1.0).abs() < 0.03, "the bottom pressure is {bottom} of what it should be");
    assert!(speed < 0.04, "the water moves at {speed} m/s");
    // Now and then one slips into a gap of a lower layer.
    assert!(fastest < 0.2, "the fastest particle moves at {fastest} m/s");
    assert!((top - 20.0).abs() < 0.5, "the surface is {top} spacings high");
    assert_eq!(simulation.escaped(), 0);
}

#[test]
fn water_rests_on_a_mapped_floor() {
    for pressure in [dfsph(2e-6), iisph(3e-4), pcisph(3e-4), wcsph(30.0)] {
        at_rest(MapKind::Density, Dimension::Two, pressure);
    }
    at_rest(MapKind::Density, Dimension::Three, dfsph(2e-6));
    at_rest(MapKind::Volume, Dimension::Two, dfsph(2e-6));
    at_rest(MapKind::Volume, Dimension::Two, wcsph(30.0));
}

/// A particle that slides down a plane inclined by `angle` `[rad]` in the plane z = 0: its distances from the plane in
/// spacings, and its way `[m]` after a second.
fn slide(angle: f64, friction: f64, pressure: PressureChoice) -> (Vec<f64>, f64) {
    let spacing = 0.1;
    let mut setup = free_setup(Dimension::Two, spacing, pressure);
    setup.gravity = DVec3::new(0.0, -9.81, 0.0);
    setup.step = StepPolicy::Fixed { dt: 1e-3 };
    let rotation = DQuat::from_rotation_z(-angle);
    let shape = Shape::Box { size: DVec3::new(12.0, 1.0, 1.0), open: OpenFaces::NONE };
    let translation = rotation * DVec3::new(4.0, -0.5, 0.0);
    let solid = Solid { shape, pose: Pose { translation, rotation }, side: Side::Solid };
    setup.bodies = vec![Body { friction, ..Body::fixed("plane", solid.clone()) }];
    map_bodies(&mut setup);
    // Where the wall's share of its density and its own make up the rest density.
    let own = setup.fluid.kernel_volume() * setup.fluid.kernel.value(0.0);
    let height = setup.maps.first().map_or(0.0, |maps| maps.flat.distance(1.0 - own));
    setup.initial = vec![(rotation * DVec3::new(0.033, height, 0.0), DVec3::ZERO)];
    let start = setup.initial[0].0;
    let mut simulation = Simulation::new(setup).unwrap();
    let mut distance = Vec::new();
    for _ in 0..1000 {
        simulation.step().unwrap();
        distance
            .push(solid.signed_distance(simulation.particles().position[0], Dimension::Two) / spacing);
    }
    (distance, simulation.particles().position[0].distance(start))
}

#[test]
fn a_particle_slides_smoothly_down_a_plane() {
    let angle: f64 = 0.4;
    for pressure in [dfsph(1e-4), wcsph(10.0)] {
        let (distance, way) = slide(angle, 0.0, pressure);
        let (low, high) = distance.iter().fold((f64::INFINITY, 0f64), |(a, b), d| (a.min(*d), b.max(*d)));
        println!("between {low} and {high} spacings from the plane");
        assert!(high - low < 1e-2, "between {low} and {high} spacings from the plane");
        let exact = 0.5 * 9.81 * angle.sin();
        assert!((way / exact - 1.0).abs() < 0.01, "{way} m instead of {exact} m");
    }
}

#[test]
fn a_particle_leaves_a_wall_no_faster_than_it_came() {
    for dt in [2.5e-4, 1e-3, 1.5e-3] {
        let spacing = 0.1;
        let mut setup = free_setup(Dimension::Two, spacing, wcsph(40.0));
        setup.step = StepPolicy::Fixed { dt };
        let shape = Shape::Box { size: DVec3::new(4.0, 1.0, 1.0), open: OpenFaces::NONE };
        let pose = Pose { translation: DVec3::new(0.0, -0.5, 0.0), rotation: DQuat::IDENTITY };
        setup.bodies = vec![Body::fixed("floor", Solid { shape, pose, side: Side::Solid })];
        map_bodies(&mut setup);
        setup.initial = vec![(DVec3::new(0.033, 0.25, 0.0), DVec3::new(0.0, -2.4, 0.0))];
        let mut simulation = Simulation::new(setup).unwrap();
        while simulation.clock().time < 0.3 {
            simulation.step().unwrap();
        }
        let v = simulation.particles().velocity[0].y;
        println!("{dt} s: {v} m/s");
        assert!((-1e-3..=2.4).contains(&v), "leaves at {v} m/s in steps of {dt} s");
    }
}
