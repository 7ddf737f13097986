//! From a scene to a setup: the only place that turns names into types.
//!
//! [`build`] knows the scene but not the text it came from, so its problems name keys;
//! [`SceneSource::build`](crate::SceneSource::build) shows them where the keys were written.

mod built_in;
mod carve;
mod deformable;
mod dynamics;
mod fluid;
mod grid;
mod mesh;
mod method;
mod motion;
mod overlap;
mod placement;
mod points;
mod problem;
mod reference;
mod solid;
mod world;

pub(crate) use grid::{lattice as grid_lattice, place as grid_place};
pub(crate) use mesh::rotation;
pub use points::read_particles;
pub use problem::{BuildError, BuildProblem};
pub use reference::reference_sound_speed;

use crate::expand::expand;
use crate::model::{self, EmitterSpec, FrameFormat, NozzleSpec, Scene, Source, SourceShape, TimeStep};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension};
use meniscus_coupling::{Setup, SolidSetup, StepPolicy, Stops};
use meniscus_geometry::map::FieldCache;
use meniscus_solid::BodyType;
use meniscus_sph::boundary::{BodySamples, BoundaryTreatment};
use meniscus_sph::neighbourhood::FluidParams;
use meniscus_sph::source::{Drain, EmitterParams};
use meniscus_sph::{Integrator, SphSetup};
use problem::Problems;

/// Reads the meshes of a checked scene, places its particles and chooses its methods.
///
/// # Errors
/// With every problem of the meshes and the particles' places.
pub fn build(scene: &Scene) -> Result<Setup, BuildError> {
    with_maps(scene, survey(scene)?, &FieldCache::default())
}

/// A setup that was surveyed with its density and volume maps, those that are in the cache already from there.
pub(crate) fn with_maps(scene: &Scene, mut setup: Setup, cache: &FieldCache) -> Result<Setup, BuildError> {
    let mut problems = Problems::default();
    setup.sph.maps = solid::maps(scene, &setup, cache, &mut problems);
    problems.none_so_far().map(|()| setup)
}

/// As [`build`], but without density and volume maps, which take long, and which only steps need. Whether they can be made is
/// checked, and what they take is told.
///
/// # Errors
/// As [`build`].
pub fn survey(scene: &Scene) -> Result<Setup, BuildError> {
    let mut problems = Problems::default();
    let kernel = method::kernel(scene);
    let placed = expand(scene);
    let (bodies, mut samples) = solid::build(scene, &placed, &kernel, &mut problems);
    let mut volumes = fluid::build(scene, &mut problems);
    // Where a mesh is missing, the places of the others say nothing yet.
    problems.none_so_far()?;
    let map_memory = solid::map_memory(scene, &bodies, &kernel, &mut problems);
    let solids = dynamics::build(scene, &placed, &bodies, &mut problems);
    let deformables = deformable::build(scene, &mut problems);
    let immersed = carve::immersed(scene, &volumes, &bodies);
    let packed_randomly = packed_randomly(scene, &immersed, &samples, solids.as_ref());
    let carved = carve::carve(scene, &mut volumes, &bodies, &samples, packed_randomly);
    placement::check(scene, &volumes, &bodies, &mut problems);
    overlap::check(scene, &volumes, &mut problems);
    problems.none_so_far()?;

    let initial = fluid::particles(scene, volumes);
    let emitters: Vec<EmitterParams> = scene.emitters.iter().map(emitter).collect();
    let gravity = DVec3::from(scene.gravity);
    let sound_speed = reference_sound_speed(gravity, &initial, &emitters, &bodies, &samples);
    solid::complete_penalties(scene, &placed, sound_speed, &mut samples);
    let pressure = method::pressure(scene, sound_speed);
    let drains: Vec<Drain> = scene.drains.iter().map(drain).collect();
    let grid = grid::build(scene, &bodies);
    let content = world::Content {
        scene,
        initial: &initial,
        emitters: &emitters,
        drains: &drains,
        bodies: &bodies,
        solids: solids.as_ref(),
        grid: grid.as_ref(),
        deformables: &deformables,
        sound_speed: pressure.sound_speed().unwrap_or(0.0),
    };
    let (world, specific_energy) = content.world(&mut problems);
    problems.none_so_far()?;
    // Where there are no particles, what is drawn in their place has the width of a cell.
    let spacing = scene.grid.as_ref().map_or(scene.fluid.spacing, |grid| grid.spacing);
    Ok(Setup {
        dimension: scene.dimension,
        gravity,
        step: step(&scene.time.step),
        stops: stops(scene),
        world,
        specific_energy,
        has_fluid: !initial.is_empty() || !emitters.is_empty() || scene.grid.is_some(),
        grid,
        sph: SphSetup {
            dimension: scene.dimension,
            gravity,
            fluid: FluidParams { spacing, rest_density: scene.fluid.density, kernel },
            integrator: match scene.time.integrator {
                model::IntegratorSpec::SymplecticEuler => Integrator::SymplecticEuler,
                model::IntegratorSpec::Leapfrog => Integrator::Leapfrog,
            },
            pressure,
            on_failure: method::on_failure(&scene.fluid.pressure),
            viscosity: method::viscosity(&scene.fluid.viscosity(), &pressure, sound_speed),
            surface_tension: scene.fluid.surface_tension,
            initial,
            carved,
            packed_randomly,
            emitters,
            drains,
            walls: solid::walls(scene, &placed, &bodies),
            samples: samples.into(),
            maps: Vec::new(),
            map_memory,
        },
        bodies,
        solids,
        deformables,
    })
}

/// Whether the fluid starts without the order of a lattice: in space, where bodies of samples that are dynamic are cut out of all of it. Penalties hold particles off by
/// themselves, smooth walls of maps put them in layers, and weakly compressible fluid answers small differences of density with
/// pressure waves: all of these start better from a lattice.
fn packed_randomly(
    scene: &Scene,
    immersed: &[BodyId],
    samples: &[BodySamples],
    solids: Option<&SolidSetup>,
) -> bool {
    let whole = |source: &Source| source.carve && !matches!(source.shape, SourceShape::Particles(_));
    let moves = |body: &&BodyId| {
        let params = solids.and_then(|solids| solids.bodies.get(body.0 as usize));
        params.is_some_and(|body| matches!(body.kind, BodyType::Dynamic(_)))
    };
    let is_repelled = |samples: &BodySamples| matches!(samples.treatment, BoundaryTreatment::Penalty(_));
    let mut floating = immersed.iter().filter(moves).peekable();
    scene.dimension == Dimension::Three
        && !matches!(scene.fluid.pressure, model::Pressure::Wcsph(_))
        && scene.fluid.sources.iter().all(whole)
        && !samples.iter().any(is_repelled)
        && floating.peek().is_some()
        && floating.all(|body| samples.iter().any(|s| s.body == *body && !s.position.is_empty()))
}

fn step(step: &TimeStep) -> StepPolicy {
    match step {
        TimeStep::Fixed(fixed) => StepPolicy::Fixed { dt: fixed.dt },
        TimeStep::Cfl(cfl) => {
            StepPolicy::Cfl { factor: cfl.factor, min: cfl.min, max: cfl.max, sweeps: cfl.sweeps }
        }
    }
}

/// Adaptive steps hit the times of frames, if there are any to be written.
fn stops(scene: &Scene) -> Stops {
    let formats: &[FrameFormat] = &scene.output.formats;
    let interval = if formats.is_empty() { f64::INFINITY } else { 1.0 / scene.output.frames_per_second };
    Stops { interval, end: scene.time.end }
}

fn emitter(emitter: &EmitterSpec) -> EmitterParams {
    use meniscus_sph::source::Nozzle as Opening;
    EmitterParams {
        nozzle: match &emitter.nozzle {
            NozzleSpec::Disc(disc) => Opening::Disc { radius: disc.radius },
            NozzleSpec::Box(opening) => Opening::Box { width: opening.width, height: opening.height },
        },
        position: emitter.position.into(),
        direction: emitter.direction.into(),
        speed: emitter.speed,
        start: emitter.start,
        stop: emitter.stop.unwrap_or(f64::INFINITY),
        max_particles: emitter.max_particles.unwrap_or(u64::MAX),
    }
}

fn drain(drain: &crate::model::DrainSpec) -> Drain {
    match drain {
        crate::model::DrainSpec::Box(volume) => Drain::Box { min: volume.min.into(), max: volume.max.into() },
        crate::model::DrainSpec::Sphere(ball) => {
            Drain::Sphere { center: ball.center.into(), radius: ball.radius }
        }
    }
}

/// A point for a message: three decimals more than a spacing needs.
fn shown(x: DVec3, spacing: f64) -> String {
    let decimals = (3.0 - spacing.log10().floor()).clamp(0.0, 12.0) as usize;
    // Adding zero turns -0 into +0.
    let coordinates = [x.x, x.y, x.z].map(|c| format!("{:.decimals$}", c + 0.0));
    format!("({})", coordinates.join(", "))
}
