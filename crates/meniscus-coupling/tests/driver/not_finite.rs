//! Numbers that are not finite end in an error that says when and where, never in a panic or a hang. Absurd ones do so
//! too, unless the walls of the tank catch what is absurdly fast.

use glam::DVec3;
use meniscus_core::{Dimension, Phase, SimulationError};
use meniscus_testkit::solver::{self, Solver};
use meniscus_testkit::{Body, Result, Tank};

/// A small dam in the corner of a tank, 0.6 m wide.
fn tank(dimension: Dimension, solver: &Solver) -> Tank {
    let tank = Tank::new(dimension, 0.04).width(0.6).height(0.4).across(0.24).closed().dam(0.2).depth(0.2);
    tank.solver(solver).viscosity("none").longest_step(2e-3)
}

/// The error within a few steps, or nothing if all is finite and in the tank after them. Whatever happens, the
/// particles that were there are still there, at finite places if they were at finite places before.
fn failure(tank: &Tank) -> Result<Option<SimulationError>> {
    let mut run = tank.start()?;
    let (particles, finite) = (run.positions().len(), run.positions().iter().all(|x| x.is_finite()));
    for _ in 0..5 {
        if let Err(error) = run.try_step() {
            assert_eq!(run.positions().len(), particles);
            assert_eq!(error.step, run.step_count() + 1);
            assert!(!finite || run.positions().iter().all(|x| x.is_finite()));
            return Ok(Some(error));
        }
    }
    assert!(run.positions().iter().chain(run.velocities()).all(|x| x.is_finite()));
    // What is absurdly fast may have left the world, and is counted.
    assert_eq!((run.positions().len() + run.departed() as usize, run.escaped()), (particles, 0));
    Ok(None)
}

/// All solvers, with either answer to a solve that does not converge.
fn solvers() -> impl Iterator<Item = Solver> {
    let answers = |solver: Solver| [solver.strict(), solver];
    solver::all(1e-3, 25.0).into_iter().flat_map(answers)
}

const ABSURD: [f64; 6] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e160, 1e30];

#[test]
fn an_absurd_velocity_is_an_error() -> Result<()> {
    for dimension in [Dimension::Two, Dimension::Three] {
        for solver in solvers() {
            let tank = tank(dimension, &solver);
            let lattice = tank.lattice()?;
            for speed in ABSURD {
                for axis in [0, 1] {
                    // A particle among others, and one that is alone.
                    for alone in [false, true] {
                        let mut particles = lattice.clone();
                        let last = particles.len() - 1;
                        if alone {
                            particles[last].0.x = 0.2;
                        }
                        particles[last].1[axis] = speed;
                        let Some(error) = failure(&tank.clone().particles(particles))? else {
                            assert!(speed.is_finite(), "{speed} {alone}: no error");
                            continue;
                        };
                        assert!(
                            matches!(error.phase, Phase::Contact | Phase::Couple | Phase::Check),
                            "{speed} {alone}: {error}"
                        );
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn an_absurd_position_is_an_error() -> Result<()> {
    for dimension in [Dimension::Two, Dimension::Three] {
        for solver in solvers() {
            let tank = tank(dimension, &solver);
            let lattice = tank.lattice()?;
            for place in ABSURD {
                let mut particles = lattice.clone();
                let middle = particles.len() / 2;
                particles[middle].0.y = place;
                // Refused at once, or by the first step that meets it.
                let tank = tank.clone().particles(particles);
                if tank.start().is_ok() {
                    // What is somewhere outside of the world has left it.
                    assert!(place.is_finite() || failure(&tank)?.is_some(), "{place}: no error");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_mesh_that_is_hit_by_something_absurd_survives() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let tetrahedron = "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.path().join("rock.obj"), tetrahedron)?;
    for solver in solvers() {
        let rock = Body::shape("shape = \"mesh\"\npath = \"rock.obj\"").at([0.0, 0.0, -0.12]);
        let tank = tank(Dimension::Three, &solver).with(rock).folder(folder.path());
        let lattice = tank.lattice()?;
        for speed in ABSURD {
            let mut particles = lattice.clone();
            // Just above the slanted face.
            particles.push((DVec3::new(0.11, 0.11, -0.01), DVec3::splat(-speed)));
            let error = failure(&tank.clone().particles(particles))?;
            assert!(speed.is_finite() || error.is_some(), "{speed}: no error");
        }
    }
    Ok(())
}
