//! The boundary methods.

use meniscus_core::{Dimension, InterfacePoints};
use meniscus_sph::boundary::{BoundaryMethod, MappedBodies, SampledBodies};
use meniscus_testkit::contract::{BoundaryCase, boundary_method};
use meniscus_testkit::{Body, METHODS, Result, Tank};

/// A body below fluid, felt by a method of samples or of maps.
fn hold(method: &str, dimension: Dimension, body: Body) -> Result<()> {
    let tank = Tank::new(dimension, 0.02).without_walls().width(0.16).depth(0.16);
    let setup = tank.carved().with(body.felt_by(method)).setup()?;
    let (sph, rest) = (&setup.sph, setup.bodies[0].solid.pose);
    let make = |points: &mut InterfacePoints| -> Box<dyn BoundaryMethod> {
        if let Some(maps) = sph.maps.first() {
            return Box::new(MappedBodies::new(maps.flat.clone(), maps.bodies.clone()));
        }
        Box::new(SampledBodies::new(sph.fluid.kernel, sph.fluid.spacing, &sph.samples, &[rest], points))
    };
    let particles = sph.initial.iter().map(|(x, _)| *x).collect();
    let name = format!("{method} {dimension:?}");
    boundary_method(&BoundaryCase { name: &name, fluid: sph.fluid, particles, rest, make: &make })
}

#[test]
fn boundary_methods_keep_their_laws_below_a_box_and_around_a_ball() -> Result<()> {
    for method in METHODS.into_iter().chain(["volume-map", "penalty"]) {
        for dimension in [Dimension::Two, Dimension::Three] {
            hold(method, dimension, Body::cuboid([0.2, 0.1, 0.2]).at([0.01, -0.05, 0.0]))?;
            hold(method, dimension, Body::ball(0.05).at([0.003, 0.04, 0.0]))?;
        }
    }
    Ok(())
}
