//! The fluid at the start: a lattice in each volume, and how it moves.

use super::built_in;
use super::mesh::{Purpose, geometry_problem, load, require_closed, rotation};
use super::points;
use super::problem::{BuildProblem, Problems};
use super::solid::PLANAR_DEPTH;
use crate::model::{BodyShape, Scene, Source, SourceShape};
use crate::particle_count::in_millions;
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_geometry::{GeometryError, OpenFaces, Pose, Shape, fill, fill_count};

/// The most lattice points that are tried for one mesh `[1]`; other shapes are counted before they are built.
const MAX_CANDIDATES: f64 = 100e6;

/// The particles of one source.
#[derive(Debug, Clone)]
pub(crate) struct Volume {
    /// What the source turns about `[m]`.
    pub centre: DVec3,
    /// Where its particles are `[m]`.
    pub position: Vec<DVec3>,
}

/// The volumes of all sources, in the order of the scene.
pub(crate) fn build(scene: &Scene, problems: &mut Problems) -> Vec<Volume> {
    let mut volumes = Vec::new();
    for (index, source) in scene.fluid.sources.iter().enumerate() {
        match volume(scene, source, &format!("fluid.source[{index}]")) {
            Ok(volume) => volumes.push(volume),
            Err(problem) => problems.push(problem),
        }
    }
    let empty = !scene.fluid.is_absent() && volumes.iter().all(|volume| volume.position.is_empty());
    if empty && volumes.len() == scene.fluid.sources.len() && scene.emitters.is_empty() {
        problems.push(BuildProblem {
            key: "fluid".to_owned(),
            message: "the scene has no fluid: no particle fits into its volumes".to_owned(),
            label: "no particles and no emitter".to_owned(),
            help: "use larger volumes or a smaller `spacing`".to_owned(),
        });
    }
    volumes
}

/// Positions and velocities of all particles.
pub(crate) fn particles(scene: &Scene, volumes: Vec<Volume>) -> Vec<(DVec3, DVec3)> {
    let moving = scene.fluid.sources.iter().zip(volumes).flat_map(|(source, volume)| {
        let (velocity, turn) = (DVec3::from(source.velocity), DVec3::from(source.angular_velocity));
        let Volume { centre, position } = volume;
        position.into_iter().map(move |x| (x, velocity + turn.cross(x - centre)))
    });
    moving.collect()
}

/// The particles of a source.
fn volume(scene: &Scene, source: &Source, key: &str) -> Result<Volume, BuildProblem> {
    let (shape, pose) = match &source.shape {
        SourceShape::Box(volume) => {
            let (min, max) = (DVec3::from(volume.min), DVec3::from(volume.max));
            let size = max - min;
            let planar = scene.dimension == Dimension::Two;
            let size = if planar { size.with_z(PLANAR_DEPTH) } else { size };
            (Shape::Box { size, open: OpenFaces::NONE }, Pose::at(0.5 * (min + max)))
        }
        SourceShape::Sphere(ball) => (Shape::Sphere { radius: ball.radius }, Pose::at(ball.center.into())),
        SourceShape::Mesh(file) => {
            let key = format!("{key}.path");
            let mesh = load(&file.path, &file.scale, &key)?;
            require_closed(&mesh, &file.path, &key)?;
            let rotation = rotation(file.rotation.as_ref());
            (Shape::Mesh(mesh), Pose { translation: file.translation.into(), rotation })
        }
        SourceShape::Particles(file) => return points::volume(scene, file, key),
        other => {
            let Some((body, placement)) = other.as_body() else { return Err(no_shape(key)) };
            let shape = match &body {
                BodyShape::Cylinder(s) => Shape::Cylinder { radius: s.radius, height: s.height },
                made => Shape::Mesh(
                    built_in::mesh(made).map_err(|error| geometry_problem(&error, key, Purpose::Shape))?,
                ),
            };
            let rotation = rotation(placement.rotation.as_ref());
            (shape, Pose { translation: placement.translation.into(), rotation })
        }
    };
    filled(scene, &shape, &pose, key)
}

/// The points of a lattice inside of a shape.
fn filled(scene: &Scene, shape: &Shape, pose: &Pose, key: &str) -> Result<Volume, BuildProblem> {
    let (spacing, dimension) = (scene.fluid.spacing, scene.dimension);
    let problem = |error| geometry_problem(&error, key, Purpose::Fluid);
    let candidates = fill_count(shape, pose, spacing, dimension).map_err(problem)?;
    if candidates > MAX_CANDIDATES {
        return Err(BuildProblem {
            key: key.to_owned(),
            message: format!(
                "the box around the volume would hold about {} million particles",
                in_millions(candidates)
            ),
            label: "too large for `fluid.spacing`".to_owned(),
            help: "scale it down (its file may not be in metres), or use a larger `fluid.spacing`".to_owned(),
        });
    }
    let position = fill(shape, pose, spacing, dimension).map_err(problem)?;
    let centre = match shape {
        Shape::Mesh(_) => shape.bounds(pose).centre(),
        _ => pose.translation,
    };
    let centre = if dimension == Dimension::Two { centre.with_z(0.0) } else { centre };
    Ok(Volume { centre, position })
}

/// For shapes that have neither a branch of their own nor a body.
fn no_shape(key: &str) -> BuildProblem {
    let invalid = GeometryError::Invalid { what: "this shape".to_owned(), allowed: "a shape with a volume" };
    geometry_problem(&invalid, key, Purpose::Fluid)
}
