//! Small setups for physics tests.
#![allow(dead_code, reason = "each test file uses its share")]

use glam::DVec3;
use meniscus_core::{BodyId, Dimension};
use meniscus_coupling::{Body, Setup, StepPolicy, Stops};
use meniscus_geometry::{OpenFaces, Pose, Profile, Shape, Side, Solid, fill};
use meniscus_sph::boundary::{
    BodyMap, BodySamples, FlatMap, MapKind, Response, Touch, flat_wall_volume_factor, layer_depths,
};
use meniscus_sph::force::ViscosityParams;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::pressure::{Criterion, DfsphParams, IisphParams, PcisphParams, WcsphParams};
use meniscus_sph::wet::FluidParams;
use meniscus_sph::{Integrator, Maps, OnFailure, PressureChoice, SphSetup, Wall};

pub const GRAVITY: f64 = 9.81;

pub fn dfsph(tolerance: f64) -> PressureChoice {
    let criterion = |min_sweeps, tolerance| Criterion::new(tolerance, min_sweeps, 200);
    PressureChoice::Dfsph(DfsphParams {
        density: criterion(2, tolerance),
        divergence: Some(criterion(1, 1e-3)),
        warm_start: true,
    })
}

pub fn iisph(tolerance: f64) -> PressureChoice {
    let density = Criterion::new(tolerance, 2, 1000);
    PressureChoice::Iisph(IisphParams { density, relaxation: 0.5, warm_factor: 0.5 })
}

pub fn pcisph(tolerance: f64) -> PressureChoice {
    let density = Criterion::new(tolerance, 3, 1000);
    PressureChoice::Pcisph(PcisphParams { density, warm_factor: 0.0 })
}

pub fn wcsph(sound_speed: f64) -> PressureChoice {
    PressureChoice::Wcsph(WcsphParams { sound_speed, exponent: 7.0, clamp_negative: true })
}

/// Fluid without walls or gravity.
pub fn free_setup(dimension: Dimension, spacing: f64, pressure: PressureChoice) -> Setup {
    let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0 * spacing, dimension };
    Setup {
        dimension,
        gravity: DVec3::ZERO,
        step: StepPolicy::Cfl { factor: 0.4, min: 1e-6, max: 2e-3, sweeps: None },
        stops: Stops { interval: f64::INFINITY, end: f64::INFINITY },
        has_fluid: true,
        sph: SphSetup {
            dimension,
            gravity: DVec3::ZERO,
            fluid: FluidParams { spacing, rest_density: 1000.0, kernel },
            integrator: Integrator::default(),
            pressure,
            on_failure: OnFailure::Stop,
            load_error: f64::INFINITY,
            viscosity: ViscosityParams::None,
            surface_tension: 0.0,
            initial: vec![],
            carved: vec![],
            packed_randomly: false,
            emitters: vec![],
            drains: vec![],
            walls: vec![],
            samples: vec![],
            maps: vec![],
        },
        bodies: vec![],
        solids: None,
    }
}

/// A box of water in a tank that is closed at the sides and the bottom; the corner of both is the origin.
pub fn tank_setup(
    dimension: Dimension,
    spacing: f64,
    tank: DVec3,
    water: DVec3,
    pressure: PressureChoice,
) -> Setup {
    let mut setup = free_setup(dimension, spacing, pressure);
    setup.gravity = DVec3::new(0.0, -GRAVITY, 0.0);
    setup.sph.gravity = setup.gravity;
    let shape = Shape::Box { size: tank, open: OpenFaces::default() };
    let flat = |x: DVec3| if dimension == Dimension::Two { DVec3::new(x.x, x.y, 0.0) } else { x };
    let pose = Pose { translation: flat(0.5 * tank), ..Pose::default() };
    let solid = Solid { shape, pose, side: Side::Container };
    setup.sph.samples = vec![BodySamples {
        body: BodyId(0),
        position: layer_depths(&setup.sph.fluid.kernel, spacing, 0.5)
            .into_iter()
            .flat_map(|depth| solid.sample_surface(spacing, depth * spacing, dimension).unwrap())
            .collect(),
        anchor: vec![],
        evenness: vec![],
        first_depth: 0.5,
        volume_factor: flat_wall_volume_factor(&setup.sph.fluid.kernel, spacing, 0.5),
        response: Response::Pressure,
        touch: vec![],
    }];
    setup.sph.walls = vec![Wall::smooth(solid.clone())];
    setup.bodies = vec![Body::fixed("tank", solid)];
    let shape = Shape::Box { size: water, open: OpenFaces::default() };
    let pose = Pose { translation: flat(0.5 * water), ..Pose::default() };
    setup.sph.initial =
        fill(&shape, &pose, spacing, dimension).unwrap().into_iter().map(|x| (x, DVec3::ZERO)).collect();
    setup
}

/// Replaces the kernel and samples the walls anew for it; `ratio` is the support radius in spacings.
pub fn change_kernel(setup: &mut Setup, kind: KernelKind, ratio: f64) {
    let spacing = setup.sph.fluid.spacing;
    let kernel = Kernel { kind, support_radius: ratio * spacing, dimension: setup.dimension };
    setup.sph.fluid.kernel = kernel;
    for samples in &mut setup.sph.samples {
        let solid = &setup.bodies[samples.body.0 as usize].solid;
        let layers = layer_depths(&kernel, spacing, samples.first_depth).into_iter();
        samples.position = layers
            .flat_map(|depth| solid.sample_surface(spacing, depth * spacing, setup.dimension).unwrap())
            .collect();
        samples.volume_factor = flat_wall_volume_factor(&kernel, spacing, samples.first_depth);
    }
}

/// Moves everything by `offset` `[m]`.
pub fn translate(setup: &mut Setup, offset: DVec3) {
    setup.sph.initial.iter_mut().for_each(|(x, _)| *x += offset);
    setup.sph.samples.iter_mut().flat_map(|s| &mut s.position).for_each(|x| *x += offset);
    setup.bodies.iter_mut().for_each(|b| b.solid.pose.translation += offset);
    let walls = setup.sph.walls.iter_mut().filter_map(|wall| wall.solid.as_mut());
    walls.for_each(|solid| solid.pose.translation += offset);
}

/// Lets all bodies answer in another way.
pub fn answer(setup: &mut Setup, response: Response) {
    let (spacing, dimension) = (setup.sph.fluid.spacing, setup.dimension);
    for samples in &mut setup.sph.samples {
        let solid = &setup.bodies[samples.body.0 as usize].solid;
        samples.response = response;
        let first = |x: &DVec3| -solid.signed_distance(*x, dimension) < (samples.first_depth + 0.4) * spacing;
        let touch = |x: &DVec3| if first(x) { Touch::of(solid, *x, spacing, dimension) } else { Touch::Deep };
        samples.touch = samples.position.iter().map(touch).collect();
    }
}

/// Represents all bodies by density maps.
pub fn map_bodies(setup: &mut Setup) {
    map_bodies_by(setup, MapKind::Density);
}

/// Represents all bodies by maps of one kind.
pub fn map_bodies_by(setup: &mut Setup, kind: MapKind) {
    let (spacing, kernel) = (setup.sph.fluid.spacing, setup.sph.fluid.kernel);
    let flat = FlatMap::new(kind, &kernel, spacing, Profile::default()).unwrap();
    let bodies = setup.bodies.iter().enumerate().map(|(n, body)| {
        BodyMap::build(&body.solid, BodyId(n as u32), body.is_kinematic(), &flat, None).unwrap()
    });
    setup.sph.maps = vec![Maps { bodies: bodies.collect(), flat }];
    setup.sph.samples.clear();
}
