//! Emitters and drains keep the books: every particle that is there was there at the start or was emitted, and none is
//! lost but into a drain.

mod common;

use std::collections::HashMap;

use common::{GRAVITY, dfsph, free_setup};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::Simulation;
use meniscus_sph::source::{Drain, EmitterParams, Nozzle};

#[test]
fn emitted_less_drained_is_present() {
    let spacing = 0.02;
    let mut setup = free_setup(Dimension::Three, spacing, dfsph(1e-3));
    setup.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    let jet = |x: f64, direction: DVec3, max_particles| EmitterParams {
        nozzle: Nozzle::Disc { radius: 0.05 },
        position: DVec3::new(x, 1.0, 0.0),
        direction,
        speed: 2.0,
        start: 0.02,
        stop: 0.195,
        max_particles,
    };
    setup.emitters = vec![jet(0.0, DVec3::X, u64::MAX), jet(0.5, DVec3::NEG_X, 100)];
    let drains = [
        Drain::Box { min: DVec3::new(0.2, 0.0, -1.0), max: DVec3::new(0.3, 2.0, 1.0) },
        Drain::Sphere { center: DVec3::new(0.0, 0.5, 0.0), radius: 0.2 },
    ];
    setup.drains = drains.to_vec();
    // Some fluid that waits over a drain, some that never reaches one.
    let place = |i: usize| {
        let start = if i < 5 { DVec3::new(0.0, 0.8, 0.0) } else { DVec3::new(-1.0, 0.0, 0.0) };
        start + 2.0 * spacing * (i % 5) as f64 * DVec3::X
    };
    let at_rest: Vec<DVec3> = (0..10).map(place).collect();
    setup.initial = at_rest.iter().map(|&x| (x, DVec3::ZERO)).collect();

    let mut simulation = Simulation::new(setup).unwrap();
    let mut known: HashMap<u64, DVec3> = (0u64..).zip(at_rest.iter().copied()).collect();
    let initial = known.len() as u64;
    let mut next_id = initial;
    while simulation.clock().time < 0.35 {
        let dt = simulation.step().unwrap().dt;
        let world = simulation.world();
        let particles = &world.particles;
        let emitted: u64 = world.emitters.iter().map(|e| e.particles).sum();
        assert_eq!(initial + emitted - world.totals.drained, particles.len() as u64);
        assert_eq!(particles.next_id, initial + emitted);

        let now: HashMap<u64, usize> = particles.id.iter().copied().zip(0..).collect();
        assert_eq!(now.len(), particles.len(), "an id is there twice");
        for (id, x) in &known {
            match now.get(id) {
                // Without walls a particle is where its velocity brought it, and nowhere else.
                Some(&i) => {
                    let path = particles.position[i] - *x - dt * particles.velocity[i];
                    assert!(path.length() < 1e-12, "particle {id} has jumped");
                }
                None => assert!(drains.iter().any(|d| d.contains(*x)), "particle {id} vanished at {x}"),
            }
        }
        for (id, &i) in &now {
            let (x, v) = (particles.position[i], particles.velocity[i]);
            if !known.contains_key(id) {
                assert!((next_id..particles.next_id).contains(id), "{id} is not a new id");
                assert!(!drains.iter().any(|d| d.contains(x - dt * v)), "{id} is born in a drain");
                let mouth = |at: f64| x.distance(DVec3::new(at, 1.0, 0.0)) < 0.05 + 2.0 * spacing;
                assert!(mouth(0.0) || mouth(0.5), "{id} appears at {x}");
            }
        }
        next_id = particles.next_id;
        known = now.iter().map(|(&id, &i)| (id, particles.position[i])).collect();

        let frame = simulation.frame(0);
        assert!(frame.id.is_sorted() && frame.id.len() == known.len());
        assert!(frame.id.iter().zip(&frame.position).all(|(id, x)| known[id] == *x));
    }
    let world = simulation.world();
    println!("{:?}, {} drained, {} left", world.emitters, world.totals.drained, known.len());
    // Open for 0.175 s at 2 m/s, the first layer at once: eighteen layers; the other nozzle had only so much to give.
    assert_eq!(world.emitters[0].layers, 18);
    let per_layer = world.emitters[0].particles / world.emitters[0].layers;
    assert_eq!(world.emitters[1].particles, 100 / per_layer * per_layer);
    assert!(world.totals.drained > 200, "{} drained", world.totals.drained);
    assert!((5..10).all(|id| known.contains_key(&id)), "fluid that meets no drain stays");
}
