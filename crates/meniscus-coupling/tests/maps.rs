//! Bodies as density maps (\[Koschier2017\]).

mod common;

use common::{dfsph, map_bodies, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{PressureChoice, Simulation};
use meniscus_sph::force::ViscosityParams;

fn at_rest(dimension: Dimension, pressure: PressureChoice) {
    let spacing = 0.025;
    let (tank, water) = match dimension {
        Dimension::Two => (DVec3::new(0.5, 1.0, 1.0), DVec3::new(0.5, 0.5, 1.0)),
        Dimension::Three => (DVec3::new(0.25, 1.0, 0.25), DVec3::new(0.25, 0.5, 0.25)),
    };
    let mut setup = tank_setup(dimension, spacing, tank, water, pressure);
    setup.viscosity = ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 30.0 };
    let start = std::time::Instant::now();
    map_bodies(&mut setup);
    println!("build {:?}", start.elapsed());
    println!("{:?}", setup.maps.as_ref().unwrap().bodies[0].calibration);
    let mut simulation = Simulation::new(setup).unwrap();
    let (mut load, mut time, mut pressures, mut steps) = (0.0, 0.0, 0.0, 0);
    while simulation.world().time < 0.8 {
        let dt = simulation.step().unwrap().dt;
        if simulation.world().time > 0.4 {
            load -= simulation.interface().load[0].impulse.y;
            time += dt;
            steps += 1;
            let p = &simulation.world().particles;
            let low: Vec<f64> = (0..p.len())
                .filter(|&i| p.position[i].y < spacing)
                .map(|i| f64::from(p.pressure[i]))
                .collect();
            pressures += low.iter().sum::<f64>() / low.len() as f64;
        }
    }
    println!("run {:?}", start.elapsed());
    let setup = simulation.setup();
    let position = &simulation.world().particles.position;
    let weight = setup.fluid.mass() * -setup.gravity.y * position.len() as f64;
    let load = load / time / weight;
    let bottom = pressures / f64::from(steps) / (4905.0 * 0.975);
    let lowest = position.iter().map(|x| x.y).fold(f64::INFINITY, f64::min) / spacing;
    let top = position.iter().map(|x| x.y).fold(0.0, f64::max) / spacing + 0.5;
    let fastest = simulation.world().particles.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
    println!(
        "{dimension:?}: load over weight {load:.3}, bottom pressure {bottom:.3}, lowest at {lowest:.3}, surface at {top:.2} spacings, fastest {fastest:.3}, sweeps {}",
        simulation.last_report().pressure.sweeps
    );
    assert!((load - 1.0).abs() < 0.03, "the floor carries {load} of the weight");
    assert!((bottom - 1.0).abs() < 0.03, "the bottom pressure is {bottom} of what it should be");
    assert!((top - 20.0).abs() < 0.5, "the surface is {top} spacings high");
    assert_eq!(simulation.escaped(), 0);
}

#[test]
fn water_rests_on_a_mapped_floor() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for pressure in [dfsph(1e-4), wcsph(30.0)] {
            at_rest(dimension, pressure);
        }
    }
}
