//! Numbers that are not finite end in an error that says when and where, never in a panic or a hang. Absurd ones do so too, unless the walls
//! of the tank catch what is absurdly fast.

mod common;

use std::sync::Arc;

use common::{dfsph, iisph, pcisph, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension, Phase, SimulationError};
use meniscus_coupling::{Body, Setup, Simulation};
use meniscus_geometry::{MeshShape, Pose, Shape, Side, Solid, TriangleMesh};
use meniscus_sph::boundary::{BodySamples, Response, flat_wall_volume_factor};
use meniscus_sph::{OnFailure, PressureChoice, Wall};

const SPACING: f64 = 0.04;

fn tank(dimension: Dimension, pressure: PressureChoice, on_failure: OnFailure) -> Setup {
    let (tank, water) = (DVec3::new(0.6, 0.4, 0.24), DVec3::new(0.2, 0.2, 0.24));
    let mut setup = tank_setup(dimension, SPACING, tank, water, pressure);
    setup.sph.on_failure = on_failure;
    setup
}

/// The error within a few steps, or nothing if all is finite and in the tank after them. Whatever happens, the particles that were there
/// are still there, at finite places if they were at finite places before.
fn failure(setup: Setup) -> Option<SimulationError> {
    let particles = setup.sph.initial.len();
    let finite = setup.sph.initial.iter().all(|(x, _)| x.is_finite());
    let mut simulation = Simulation::new(setup).unwrap();
    for _ in 0..5 {
        if let Err(error) = simulation.step() {
            let now = simulation.particles();
            assert_eq!(now.len(), particles);
            assert_eq!(error.step, simulation.clock().step + 1);
            assert!(!finite || now.position.iter().all(|x| x.is_finite()));
            return Some(error);
        }
    }
    let now = simulation.particles();
    assert!(now.position.iter().chain(&now.velocity).all(|x| x.is_finite()));
    assert_eq!((now.len(), simulation.escaped()), (particles, 0));
    None
}

fn choices() -> impl Iterator<Item = (PressureChoice, OnFailure)> {
    [dfsph(1e-3), iisph(1e-3), pcisph(1e-3), wcsph(25.0)]
        .into_iter()
        .flat_map(|pressure| [OnFailure::Stop, OnFailure::Accept].map(|on_failure| (pressure, on_failure)))
}

const ABSURD: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e160, 1e30];

#[test]
fn an_absurd_velocity_is_an_error() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for (pressure, on_failure) in choices() {
            for speed in ABSURD {
                for axis in [0, 1] {
                    // A particle among others, and one that is alone.
                    for alone in [false, true] {
                        let mut setup = tank(dimension, pressure, on_failure);
                        let last = setup.sph.initial.len() - 1;
                        if alone {
                            setup.sph.initial[last].0.x = 0.5;
                        }
                        setup.sph.initial[last].1[axis] = speed;
                        let Some(error) = failure(setup) else {
                            assert!(speed.is_finite(), "{speed} {alone}: no error");
                            continue;
                        };
                        assert!(
                            matches!(error.phase, Phase::Wet | Phase::Couple | Phase::Check),
                            "{speed} {alone}: {error}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn an_absurd_position_is_an_error() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for (pressure, on_failure) in choices() {
            for place in ABSURD {
                let mut setup = tank(dimension, pressure, on_failure);
                let middle = setup.sph.initial.len() / 2;
                setup.sph.initial[middle].0.y = place;
                // Refused at once, or by the first step that meets it.
                if Simulation::new(setup.clone()).is_ok() {
                    println!("{place}: {}", failure(setup).expect("an error"));
                }
            }
        }
    }
}

#[test]
fn a_mesh_that_is_hit_by_something_absurd_survives() {
    let tetrahedron = TriangleMesh {
        vertex: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].into_iter().map(|v| 0.3 * v).collect(),
        triangle: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let shape = Shape::Mesh(Arc::new(MeshShape::new(tetrahedron).unwrap()));
    let solid = Solid { shape, pose: Pose::at(DVec3::new(0.3, 0.0, 0.0)), side: Side::Solid };
    for (pressure, on_failure) in choices() {
        for speed in ABSURD {
            let mut setup = tank(Dimension::Three, pressure, on_failure);
            setup.sph.samples.push(BodySamples {
                body: BodyId(1),
                position: solid.sample_surface(SPACING, 0.5 * SPACING, Dimension::Three).unwrap(),
                anchor: vec![],
                evenness: vec![],
                first_depth: 0.5,
                volume_factor: flat_wall_volume_factor(&setup.sph.fluid.kernel, SPACING, 0.5),
                response: Response::Pressure,
                touch: vec![],
            });
            setup.sph.walls.push(Wall::smooth(solid.clone()));
            setup.bodies.push(Body::fixed("rock", solid.clone()));
            // Just above the slanted face.
            setup.sph.initial.push((DVec3::splat(0.1) + DVec3::new(0.31, 0.01, 0.01), DVec3::splat(-speed)));
            let error = failure(setup);
            assert!(speed.is_finite() || error.is_some(), "{speed}: no error");
            println!("{speed}: {error:?}");
        }
    }
}
