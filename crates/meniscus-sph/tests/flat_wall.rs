//! A flat wall of boundary particles: it completes the fluid's lattice, and it knows when it moves.

use glam::DVec3;
use meniscus_core::{BodyId, Dimension, InterfacePoints, SolidMotion};
use meniscus_geometry::{Kinematics, Pose};
use meniscus_sph::boundary::{
    BodySamples, Boundary, BoundaryTreatment, SampledBodies, flat_wall_volume_factor, layer_depths,
};
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::neighbourhood::{FluidParams, Neighbourhood, Surroundings};
use meniscus_sph::particles::Particles;

const SPACING: f64 = 0.01;
/// Lattice points on either side of the middle: more than twice the widest support, so that the middle sees no end.
const HALF: i32 = 8;

fn lattice(dimension: Dimension, heights: impl IntoIterator<Item = f64>) -> Vec<DVec3> {
    let across = if dimension == Dimension::Two { 0 } else { HALF };
    let mut points = vec![];
    for y in heights {
        for a in -HALF..=HALF {
            for b in -across..=across {
                points.push(SPACING * DVec3::new(f64::from(a), y, f64::from(b)));
            }
        }
    }
    points
}

/// Fluid on a flat wall whose surface is y = 0, and the index of the middle particle of the first layer.
fn fluid_on_wall(kernel: Kernel, velocity: DVec3) -> (Neighbourhood, usize) {
    let dimension = kernel.dimension;
    let mut points = InterfacePoints::default();
    let samples = BodySamples {
        body: BodyId(0),
        position: lattice(dimension, layer_depths(&kernel, SPACING, 0.5).into_iter().map(|d| -d)),
        anchor: vec![],
        edge_correction: vec![],
        first_depth: 0.5,
        volume_factor: flat_wall_volume_factor(&kernel, SPACING, 0.5),
        treatment: BoundaryTreatment::Pressure,
        geometry: vec![],
    };
    let wall = SampledBodies::new(kernel, SPACING, &[samples], &[Pose::IDENTITY], &mut points);
    let mut boundary = Boundary::new(vec![Box::new(wall)], 1);
    let motion = SolidMotion::paused(Kinematics { velocity, ..Kinematics::at_rest(Pose::IDENTITY) });
    let mut particles = Particles::default();
    let water = lattice(dimension, (0..5).map(|n| f64::from(n) + 0.5));
    let middle = DVec3::new(0.0, 0.5 * SPACING, 0.0);
    let id = water.iter().position(|x| x.distance(middle) < 1e-9).unwrap() as u64;
    for x in water {
        particles.push(x, DVec3::ZERO);
    }
    let extent = DVec3::splat(20.0 * SPACING);
    let frame = FixedFrame::covering(-extent, extent, kernel.support_radius).unwrap();
    let fluid = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
    let mut neighbourhood = Neighbourhood::default();
    let mut around = Surroundings {
        boundary: &mut boundary,
        bodies: &[motion],
        points: &mut points,
        gravity: DVec3::ZERO,
    };
    neighbourhood.rebuild(&fluid, &frame, &mut particles, &mut around);
    let place = particles.id.iter().position(|&other| other == id).unwrap();
    (neighbourhood, place)
}

fn kernels() -> impl Iterator<Item = Kernel> {
    [Dimension::Two, Dimension::Three].into_iter().flat_map(|dimension| {
        [2.0, 2.6, 3.0].into_iter().flat_map(move |ratio| {
            [KernelKind::CubicSpline, KernelKind::WendlandC2].map(|kind| Kernel {
                kind,
                support_radius: ratio * SPACING,
                dimension,
            })
        })
    })
}

#[test]
fn a_calibrated_wall_completes_the_lattice() {
    for kernel in kernels() {
        let (neighbourhood, middle) = fluid_on_wall(kernel, DVec3::ZERO);
        let found = f64::from(neighbourhood.density[middle]);
        let wall = neighbourhood.boundary.sum[middle].density;
        println!("{kernel:?}: {found:.6}, of which the wall gives {wall:.4}");
        assert!((found - 1.0).abs() < 1e-5, "{kernel:?}: {found} instead of 1");
        assert!(wall > 0.1, "{kernel:?}: the wall gives {wall} only");
    }
}

#[test]
fn a_moving_wall_has_the_flux_of_its_velocity() {
    let velocity = DVec3::new(0.3, 1.5, -0.2);
    for kernel in kernels() {
        let (neighbourhood, middle) = fluid_on_wall(kernel, velocity);
        let wall = &neighbourhood.boundary.sum[middle];
        let expected = velocity.as_vec3().dot(wall.mirror());
        assert!(wall.flux < -1.0, "a rising wall compresses: {}", wall.flux);
        assert!((wall.flux - expected).abs() < 1e-5 * expected.abs(), "{} {expected}", wall.flux);
    }
}
