//! What a run needs.
//!
//! Figures are the largest resident memory of whole runs, divided among what a scene has;
//! [`docs/limits.md`](../../../../docs/limits.md) compares them with runs. They hold for all pressure solvers and boundary methods
//! within a tenth, and do not depend on the number of threads.

use meniscus_core::{Bytes, Dimension};
use meniscus_coupling::Setup;
use meniscus_geometry::Shape;
use meniscus_grid::GridSetup;
use meniscus_scene::Scene;
use meniscus_scene::model::{EmitterSpec, NozzleSpec};
use std::collections::HashSet;
use std::f64::consts::PI;
use std::fmt;

/// The program, the scene's schema and small things `[byte]`.
const PROGRAM: f64 = 14.5e6;
/// A fluid particle: state, neighbours, scratch, and the state that goes into a checkpoint; in the plane, in space `[byte]`.
const PARTICLE: [f64; 2] = [650.0, 865.0];
/// A fluid particle before the first step `[byte]`.
const PLACED_PARTICLE: f64 = 120.0;
/// A boundary particle `[byte]`.
const SAMPLE: f64 = 289.0;
/// A rigid body, and its share of frames that wait to be written `[byte]`.
const BODY: [f64; 2] = [2800.0, 3500.0];
/// A triangle of a mesh, with its part of the trees for queries `[byte]`.
const TRIANGLE: f64 = 520.0;
/// A particle's share of frames that wait to be written `[byte]`.
const IN_FRAMES: f64 = 200.0;
/// A particle while the surface around it is found, beside the steps that go on `[byte]`.
const IN_SURFACE: f64 = 950.0;
/// Pictures at the end of a run: themselves, and for each particle the surface `[byte]`.
const PICTURE: [f64; 2] = [17e6, 460.0];

/// What a run needs, by what it is needed for `[byte]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryNeed {
    fluid: f64,
    /// Of a fluid on a grid.
    grid: f64,
    /// Of the fluid, before the first step.
    placed: f64,
    samples: f64,
    bodies: f64,
    meshes: f64,
    /// While they are made, and when they are there.
    maps: [f64; 2],
    /// Of frames and surfaces while steps go on, or of pictures at the end, which share what steps leave.
    output: f64,
}

impl MemoryNeed {
    /// Of a scene and what was found in it.
    #[must_use]
    pub fn of(scene: &Scene, setup: &Setup) -> Self {
        let particles = setup.sph.initial.len() as f64 + emitted(scene);
        let samples: usize = setup.sph.samples.iter().map(|samples| samples.position.len()).sum();
        // Copies share their mesh.
        let mut known = HashSet::new();
        let meshes = setup.bodies.iter().filter(|body| known.insert(body.entry));
        let triangles = meshes.map(|body| match &body.solid.shape {
            Shape::Mesh(mesh) => mesh.mesh().triangle.len(),
            _ => 0,
        });
        let maps = setup.sph.map_memory;
        Self {
            grid: setup.grid.as_ref().map_or(0.0, GridSetup::memory),
            samples: SAMPLE * samples as f64,
            bodies: BODY[0] * setup.bodies.len() as f64,
            meshes: TRIANGLE * triangles.sum::<usize>() as f64,
            maps: [maps.making, maps.made],
            ..Self::of_fluid(scene, particles, setup.bodies.len())
        }
    }

    /// Of a scene, as far as it is known before its meshes are read and its particles placed.
    #[must_use]
    pub fn at_least(scene: &Scene) -> Self {
        // Bodies may be cut out of the fluid.
        let whole = scene.fluid.sources.iter().all(|source| !source.carve);
        let placed = if whole { scene.fluid.estimated_particles(scene.dimension) } else { 0.0 };
        Self::of_fluid(scene, placed, 0)
    }

    fn of_fluid(scene: &Scene, particles: f64, bodies: usize) -> Self {
        let planar = scene.dimension == Dimension::Two;
        let output = &scene.output;
        let in_space = if planar { 0.0 } else { particles };
        let frames = !output.formats.is_empty();
        let written = if frames { IN_FRAMES * particles + BODY[1] * bodies as f64 } else { 0.0 };
        let surfaces = if frames && output.surface { IN_SURFACE * in_space } else { 0.0 };
        let is_drawn = output.preview || output.animation;
        let drawn = if is_drawn { PICTURE[0] + PICTURE[1] * in_space } else { 0.0 };
        Self {
            fluid: PARTICLE[usize::from(!planar)] * particles,
            placed: PLACED_PARTICLE * particles,
            // The thread that writes keeps what it had; surfaces are found before pictures are drawn.
            output: written + surfaces.max(drawn),
            ..Self::default()
        }
    }

    /// All of it, at the moment when most is needed.
    #[must_use]
    pub fn peak(&self) -> Bytes {
        let [making, made] = self.maps;
        let always = PROGRAM + self.grid + self.samples + self.bodies + self.meshes;
        Bytes(always + (self.placed + making).max(made + self.fluid + self.output))
    }

    /// What placing the particles takes, before anything else is known.
    pub(super) fn placing(&self) -> Bytes {
        Bytes(PROGRAM + self.placed)
    }

    /// The same scene with a spacing so many times as large.
    pub(super) fn coarser(&self, times: f64, dimension: Dimension) -> Self {
        let inside = times.powi(-(dimension.count() as i32));
        let along_surfaces = inside * times;
        let drawn = self.output.min(PICTURE[0]);
        Self {
            fluid: self.fluid * inside,
            grid: self.grid * inside,
            placed: self.placed * inside,
            samples: self.samples * along_surfaces,
            maps: self.maps.map(|bytes| bytes * along_surfaces),
            output: drawn + (self.output - drawn) * inside,
            ..self.clone()
        }
    }

    /// Whether a large part is needed for maps.
    pub(super) fn is_of_maps(&self) -> bool {
        self.maps[0] > 0.4 * self.peak().0
    }

    /// Whether a large part is needed for pictures and surfaces.
    pub(super) fn is_of_output(&self) -> bool {
        self.output > 0.3 * self.peak().0
    }
}

impl fmt::Display for MemoryNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.peak())?;
        let parts = [
            (self.fluid.max(self.placed), "fluid"),
            (self.samples, "boundary particles"),
            (self.maps[0], "making maps"),
            (self.meshes, "meshes"),
            (self.bodies, "bodies"),
            (self.output, "output and pictures"),
        ];
        let large = parts.iter().filter(|(bytes, _)| *bytes >= 0.02 * self.peak().0 && *bytes >= 1e6);
        let words: Vec<String> = large.map(|(bytes, what)| format!("{what} {}", Bytes(*bytes))).collect();
        if words.is_empty() { Ok(()) } else { write!(f, " ({})", words.join(", ")) }
    }
}

/// How many particles come out of emitters until the end, if no drain takes them `[1]`.
fn emitted(scene: &Scene) -> f64 {
    let spacing = scene.fluid.spacing;
    let planar = scene.dimension == Dimension::Two;
    let of = |emitter: &EmitterSpec| {
        let opening = match (&emitter.nozzle, planar) {
            (NozzleSpec::Disc(disc), true) => 2.0 * disc.radius / spacing,
            (NozzleSpec::Disc(disc), false) => PI * (disc.radius / spacing).powi(2),
            (NozzleSpec::Box(opening), true) => opening.width / spacing,
            (NozzleSpec::Box(opening), false) => opening.width * opening.height / (spacing * spacing),
        };
        let stop = emitter.stop.unwrap_or(f64::INFINITY).min(scene.time.end);
        let layers = (stop - emitter.start).max(0.0) * emitter.speed / spacing;
        (opening * layers).min(emitter.max_particles.unwrap_or(u64::MAX) as f64)
    };
    scene.emitters.iter().map(of).sum()
}

/// What must be there before fluid of so many particles can take a step `[byte]`.
pub(crate) fn stepping(particles: usize, samples: usize, dimension: Dimension) -> f64 {
    PARTICLE[usize::from(dimension == Dimension::Three)] * particles as f64 + SAMPLE * samples as f64
}

/// What must be there for a frame of so many particles, and the surface around them if there is to be one `[byte]`.
pub(crate) fn frame(particles: usize, surface: bool) -> f64 {
    (IN_FRAMES + if surface { IN_SURFACE } else { 0.0 }) * particles as f64
}

/// What must be there for a picture of so many particles `[byte]`.
pub(crate) fn picture(particles: usize, dimension: Dimension) -> f64 {
    PICTURE[0] + if dimension == Dimension::Three { PICTURE[1] * particles as f64 } else { 0.0 }
}
