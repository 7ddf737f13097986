//! `check`: everything that can be told without a step.

use crate::cli::CheckArgs;
use crate::error::CommandError;
use crate::terminal::{line, say};
use glam::DVec3;
use meniscus::coupling::{Body, Setup, Simulation, World};
use meniscus::geometry::Shape;
use meniscus::run::{MemoryNeed, OnShortage, survey};
use meniscus::scene::model::BoundarySpec;
use meniscus::scene::{Scene, SceneSource, reference_sound_speed};
use meniscus::sph::SphSetup;

/// Checks a scene and describes it.
pub fn check(args: &CheckArgs) -> Result<(), CommandError> {
    let source = SceneSource::open(&args.scene.scene)?.with_overrides(&args.scene.overrides);
    let (scene, mut setup) = survey(&source, OnShortage::Refuse)?;
    if args.maps {
        setup = source.with_maps(&scene, setup)?;
    }
    let description = describe(&scene, &setup);
    // Some scenes are too large for their spacing, and only the simulation knows.
    Simulation::new(setup)?;
    say(&description);
    Ok(())
}

fn describe(scene: &Scene, setup: &Setup) -> String {
    let fluid = setup.sph.initial.len();
    let boundary: usize = setup.sph.samples.iter().map(|samples| samples.position.len()).sum();
    let mut lines = vec![format!(
        "{}: no mistakes",
        if scene.title.is_empty() { "scene".to_owned() } else { line(&scene.title) }
    )];
    if let Some(grid) = &setup.grid {
        let [x, y, z] = grid.lattice.cells();
        lines.push(format!("grid cells           {x} x {y} x {z}"));
    } else if setup.has_fluid {
        lines.push(format!("fluid particles      {fluid}{}", emitted(setup)));
        lines.push(format!("boundary particles   {boundary}"));
        for (body, samples) in setup.bodies.iter().zip(setup.sph.samples.iter()) {
            lines.push(format!("  {:<18} {}", line(&body.name), felt(scene, body, samples.position.len())));
        }
    }
    if let Some(solids) = &setup.solids {
        let moving = solids.bodies.iter().filter(|body| body.is_dynamic()).count();
        lines.push(format!("bodies               {}, {moving} of them move freely", solids.bodies.len()));
        lines.push(format!("joints               {}", solids.joints.len()));
    }
    let (dt, shortest) = (setup.first_step(), setup.shortest_step());
    let steps =
        |dt: f64| format!("{dt:.3e} s; {:.0} such steps to t = {} s", scene.time.end / dt, scene.time.end);
    lines.push(format!("memory               about {}", MemoryNeed::of(scene, setup)));
    if setup.has_fluid && setup.grid.is_none() {
        lines.push(format!("reference sound      {:.4} m/s", sound_speed(setup)));
    }
    lines.extend([
        format!("first time step      {}", steps(dt)),
        format!("shortest expected    {}", steps(shortest)),
        format!("world                {}", world(setup)),
        format!("frames               {}", frames(scene)),
    ]);
    lines.extend(setup.bodies.iter().flat_map(mesh_remarks));
    lines.join("\n")
}

/// Where the scene ends.
fn world(setup: &Setup) -> String {
    let World { min, max } = setup.world;
    if !setup.world.is_bounded() {
        return "without an end".to_owned();
    }
    let corner = |x: DVec3| format!("({:.4}, {:.4}, {:.4})", x.x, x.y, x.z);
    format!("from {} to {} m; what leaves it is removed", corner(min), corner(max))
}

/// How many boundary particles a body has, or what it has in their place.
fn felt(scene: &Scene, body: &Body, samples: usize) -> String {
    match scene.bodies.get(body.entry as usize).map(|entry| &entry.boundary) {
        Some(BoundarySpec::DensityMap(_)) => "none: it has a density map".to_owned(),
        Some(BoundarySpec::VolumeMap(_)) => "none: it has a volume map".to_owned(),
        _ => samples.to_string(),
    }
}

/// What was mended in the mesh of a body, and what is wrong with it.
fn mesh_remarks(body: &Body) -> Vec<String> {
    let Shape::Mesh(mesh) = &body.solid.shape else { return Vec::new() };
    let report = mesh.report();
    let mended = report.mended().into_iter().map(|line| format!("mended in {}: {line}", body.name));
    let warnings = report.warnings().into_iter().map(|line| format!("warning: {}: {line}", body.name));
    mended.chain(warnings).collect()
}

fn emitted(setup: &Setup) -> String {
    match setup.sph.emitters.len() {
        0 => String::new(),
        1 => ", more from 1 emitter".to_owned(),
        count => format!(", more from {count} emitters"),
    }
}

fn frames(scene: &Scene) -> String {
    if scene.output.formats.is_empty() {
        return "none".to_owned();
    }
    format!("{}", (scene.time.end * scene.output.frames_per_second + 1e-6).floor() + 1.0)
}

fn sound_speed(setup: &Setup) -> f64 {
    let reference = || {
        let Setup { gravity, sph, bodies, .. } = setup;
        let SphSetup { initial, emitters, samples, .. } = sph;
        reference_sound_speed(*gravity, initial, emitters, bodies, samples)
    };
    setup.sph.pressure.sound_speed().unwrap_or_else(reference)
}
