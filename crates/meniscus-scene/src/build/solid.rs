//! Bodies: their geometry and their boundary particles.

use super::built_in;
use super::mesh::{Purpose, geometry_problem, load, require_closed, require_samples};
use super::problem::{BuildProblem, Problems};
use crate::expand::Placed;
use crate::model::{self, BodyShape, BoundarySpec, BoxBody, DirectForcingParams, Face, Scene};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension};
use meniscus_coupling::Body;
use meniscus_geometry::map::FieldCache;
use meniscus_geometry::{GeometryError, OpenFaces, Profile, Shape, Side, Solid};
use meniscus_sph::boundary::{
    BodyMap, BodySamples, BoundaryTreatment, FlatMap, ForcingParams, ForcingUpdate, MapKind, PenaltyParams,
    SampleGeometry, edge_volume_correction, flat_wall_volume_factor, layer_depths, round_wall_volume_factor,
    sheet_volume_factor,
};
use meniscus_sph::kernel::Kernel;
use meniscus_sph::{Maps, Wall};
use rayon::prelude::*;

/// How deep below the surface of a body its first layer of samples lies unless the scene says otherwise, in spacings `[1]`.
const SAMPLE_DEPTH: f64 = 0.5;

/// How much nearer to the surface than it should be a sample of a deeper layer may be, in spacings `[1]`.
const LAYER_SLACK: f64 = 0.25;

/// The stiffness of penalties that the scene leaves open, in squares of the speed of sound (\[Monaghan2005\]) `[1]`.
const PENALTY_STIFFNESS: f64 = 0.02;

/// Extent in z of planar shapes, for which any positive one will do `[m]`.
pub(crate) const PLANAR_DEPTH: f64 = 1.0;

/// All bodies with their samples, in the order of the scene.
pub(crate) fn build(
    scene: &Scene,
    placed: &[Placed],
    kernel: &Kernel,
    problems: &mut Problems,
) -> (Vec<Body>, Vec<BodySamples>) {
    // Copies share the shape of their entry.
    let shapes: Vec<_> = scene
        .bodies
        .par_iter()
        .enumerate()
        .map(|(i, body)| shape(scene, body, &format!("body[{i}].path")))
        .collect();
    // One result per body, in order, however many threads there are.
    let built: Vec<_> = placed
        .par_iter()
        .enumerate()
        .map(|(i, place)| {
            let shape = shapes[place.source].clone()?;
            build_body(scene, kernel, place, shape, BodyId(i as u32))
        })
        .collect();
    let mut all = (Vec::new(), Vec::new());
    for result in built {
        match result {
            Ok((body, samples)) => {
                all.0.push(body);
                all.1.push(samples);
            }
            Err(problem) => problems.push_once(problem),
        }
    }
    all
}

fn build_body(
    scene: &Scene,
    kernel: &Kernel,
    place: &Placed,
    shape: Shape,
    id: BodyId,
) -> Result<(Body, BodySamples), BuildProblem> {
    let body = &scene.bodies[place.source];
    let side = if body.container { Side::Container } else { Side::Solid };
    let solid = Solid { shape, pose: place.pose, side };
    let key = format!("body[{}]", place.source);
    let samples = sample(scene, kernel, body, &solid, id)
        .map_err(|error| geometry_problem(&error, &key, Purpose::Samples))?;
    let motion =
        super::motion::build(body.motion.as_ref(), place.pose.translation, &format!("{key}.motion"))?;
    let Placed { name, in_series, .. } = place.clone();
    let entry = place.source as u32;
    Ok((Body { name, solid, motion, in_series, entry }, samples))
}

/// All bodies as the fluid meets them.
pub(crate) fn walls(scene: &Scene, placed: &[Placed], bodies: &[Body]) -> Vec<Wall> {
    let wall = |(place, body): (&Placed, &Body)| {
        let given = &scene.bodies[place.source];
        let friction = match &given.boundary {
            BoundarySpec::DensityMap(params) | BoundarySpec::VolumeMap(params) => params.friction,
            _ => 0.0,
        };
        Wall { solid: Some(body.solid.clone()), friction, adhesion: given.adhesion }
    };
    placed.iter().zip(bodies).map(wall).collect()
}

/// The samples of a body; none if it has a map instead.
fn sample(
    scene: &Scene,
    kernel: &Kernel,
    body: &model::BodySpec,
    solid: &Solid,
    id: BodyId,
) -> Result<BodySamples, GeometryError> {
    let spacing = scene.fluid.spacing;
    let mut volume_factor = None;
    let (depth, treatment) = match &body.boundary {
        BoundarySpec::VolumeParticles(params) => {
            volume_factor = params.volume_factor;
            (params.sample_depth, BoundaryTreatment::Pressure)
        }
        BoundarySpec::DensityMap(_) | BoundarySpec::VolumeMap(_) => {
            (SAMPLE_DEPTH, BoundaryTreatment::Pressure)
        }
        BoundarySpec::DirectForcing(params) => {
            let DirectForcingParams { slip, restitution, update } = *params;
            let update = match update {
                model::ForcingUpdateSpec::Local => ForcingUpdate::Local,
                model::ForcingUpdateSpec::Global => ForcingUpdate::Global,
            };
            (
                touched_depth(solid),
                BoundaryTreatment::DirectForcing(ForcingParams { slip, restitution, update }),
            )
        }
        // Without a stiffness of its own it gets that of the scene, as soon as it is known.
        BoundarySpec::Penalty(params) => {
            let stiffness = params.stiffness.unwrap_or(0.0);
            (touched_depth(solid), BoundaryTreatment::Penalty(PenaltyParams { stiffness }))
        }
    };
    let thin = is_sheet(solid) && treatment != BoundaryTreatment::Pressure;
    let layers = match &body.boundary {
        _ if scene.fluid.is_absent() => vec![],
        BoundarySpec::DensityMap(_) | BoundarySpec::VolumeMap(_) => vec![],
        // Behind a sheet there is fluid, too, where no samples may be.
        _ if thin => vec![solid.sample_surface(spacing, depth * spacing, scene.dimension)?],
        _ => layers(solid, kernel, spacing, depth, scene.dimension)?,
    };
    let geometry = if treatment == BoundaryTreatment::Pressure {
        vec![]
    } else {
        sample_geometries(solid, &layers, scene)
    };
    let edge_correction = match (&solid.shape, &layers[..]) {
        (Shape::Box { size, .. }, [layer]) if solid.side == Side::Solid && !thin => {
            let local: Vec<DVec3> = layer.iter().map(|x| solid.pose.to_local(*x)).collect();
            let size = *size - 2.0 * depth * spacing;
            let size = if scene.dimension == Dimension::Two { size.with_z(0.0) } else { size };
            edge_volume_correction(kernel, &local, size, spacing)
        }
        _ => vec![],
    };
    Ok(BodySamples {
        body: id,
        position: layers.into_iter().flatten().collect(),
        anchor: Vec::new(),
        edge_correction,
        first_depth: depth,
        volume_factor: volume_factor.unwrap_or_else(|| {
            let sign = if solid.side == Side::Solid { 1.0 } else { -1.0 };
            match (&solid.shape, treatment) {
                _ if thin => sheet_volume_factor(kernel, spacing),
                (&Shape::Sphere { radius }, BoundaryTreatment::Pressure) => {
                    round_wall_volume_factor(kernel, spacing, depth, radius, sign)
                }
                _ => flat_wall_volume_factor(kernel, spacing, depth),
            }
        }),
        treatment,
        geometry,
    })
}

/// The maps of bodies that have one; bodies of the same shape share theirs.
pub(crate) fn maps(
    scene: &Scene,
    placed: &[Placed],
    kernel: &Kernel,
    bodies: &[Body],
    cache: &FieldCache,
    problems: &mut Problems,
) -> Vec<Maps> {
    let kind_of = |place: &Placed| match scene.bodies[place.source].boundary {
        BoundarySpec::DensityMap(_) => Some(MapKind::Density),
        BoundarySpec::VolumeMap(_) => Some(MapKind::Volume),
        _ => None,
    };
    let mut all = Vec::new();
    for kind in [MapKind::Density, MapKind::Volume] {
        let mut mapped = (0..).zip(placed.iter().zip(bodies));
        let mapped: Vec<_> = mapped.by_ref().filter(|(_, (place, _))| kind_of(place) == Some(kind)).collect();
        if scene.fluid.is_absent() || mapped.is_empty() {
            continue;
        }
        let flat = match FlatMap::new(kind, kernel, scene.fluid.spacing, Profile::default()) {
            Ok(flat) => flat,
            Err(error) => {
                problems.push_once(geometry_problem(&error, "fluid.kernel", Purpose::FlatMap));
                continue;
            }
        };
        let mut maps = Vec::new();
        for (n, (place, body)) in mapped {
            match BodyMap::build(&body.solid, BodyId(n), body.is_kinematic(), &flat, Some(cache)) {
                Ok(map) => maps.push(map),
                Err(error) => {
                    let key = format!("body[{}]", place.source);
                    problems.push_once(geometry_problem(&error, &key, Purpose::Map));
                }
            }
        }
        all.push(Maps { flat, bodies: maps });
    }
    all
}

/// The strength of penalties that the scene leaves open: 0.02 c_s² (\[Monaghan2005\]).
pub(crate) fn complete_penalties(
    scene: &Scene,
    placed: &[Placed],
    sound_speed: f64,
    samples: &mut [BodySamples],
) {
    for (place, samples) in placed.iter().zip(samples) {
        let body = &scene.bodies[place.source];
        if matches!(&body.boundary, BoundarySpec::Penalty(params) if params.stiffness.is_none()) {
            samples.treatment = BoundaryTreatment::Penalty(PenaltyParams {
                stiffness: PENALTY_STIFFNESS * sound_speed * sound_speed,
            });
        }
    }
}

/// Samples of a body that is touched lie half a spacing deep, those of a sheet on it.
fn touched_depth(solid: &Solid) -> f64 {
    if is_sheet(solid) { 0.0 } else { SAMPLE_DEPTH }
}

fn is_sheet(solid: &Solid) -> bool {
    matches!(&solid.shape, Shape::Mesh(mesh) if !mesh.is_watertight())
}

/// How the samples touch: those of the first layer do.
fn sample_geometries(solid: &Solid, layers: &[Vec<DVec3>], scene: &Scene) -> Vec<SampleGeometry> {
    let (spacing, dimension) = (scene.fluid.spacing, scene.dimension);
    let geometry = |(layer, x): (usize, &DVec3)| match layer {
        0 => SampleGeometry::of(solid, *x, spacing, dimension),
        _ => SampleGeometry::Interior,
    };
    let points: Vec<(usize, &DVec3)> =
        layers.iter().enumerate().flat_map(|(n, layer)| layer.iter().map(move |x| (n, x))).collect();
    points.into_par_iter().map(geometry).collect()
}

/// As many layers of samples as the fluid can feel. Behind the first one, only those that are as deep inside as they
/// should be: where a solid is thin they would come out on its other side.
fn layers(
    solid: &Solid,
    kernel: &Kernel,
    spacing: f64,
    first: f64,
    dimension: Dimension,
) -> Result<Vec<Vec<DVec3>>, GeometryError> {
    let depths = layer_depths(kernel, spacing, first);
    let mut all = vec![solid.sample_surface(spacing, first * spacing, dimension)?];
    for depth in &depths[1..] {
        let deep = |x: &DVec3| solid.signed_distance(*x, dimension) < -(depth - LAYER_SLACK) * spacing;
        // A solid that is too small for a deeper layer has none.
        if let Ok(layer) = solid.sample_surface(spacing, depth * spacing, dimension) {
            all.push(layer.into_iter().filter(deep).collect());
        }
    }
    Ok(all)
}

fn shape(scene: &Scene, body: &model::BodySpec, key: &str) -> Result<Shape, BuildProblem> {
    let planar = scene.dimension == Dimension::Two;
    Ok(match &body.shape {
        BodyShape::Box(shape) => box_shape(shape, planar),
        BodyShape::Sphere(shape) => Shape::Sphere { radius: shape.radius },
        BodyShape::Cylinder(shape) => Shape::Cylinder { radius: shape.radius, height: shape.height },
        BodyShape::Plane(shape) => {
            let [x, z] = shape.size;
            Shape::Plane { size: [x, if planar { PLANAR_DEPTH } else { z }] }
        }
        BodyShape::Mesh(file) => {
            let mesh = load(&file.path, &file.scale, key)?;
            if body.container {
                require_closed(&mesh, &file.path, key)?;
            }
            require_samples(&mesh, scene, body, key)?;
            Shape::Mesh(mesh)
        }
        other => {
            // The mesh has no file, so what is wrong is said at the shape.
            let key = key.trim_end_matches(".path");
            let mesh =
                built_in::mesh(other).map_err(|error| geometry_problem(&error, key, Purpose::Shape))?;
            require_samples(&mesh, scene, body, key)?;
            Shape::Mesh(mesh)
        }
    })
}

fn box_shape(shape: &BoxBody, planar: bool) -> Shape {
    let size = DVec3::from(shape.size);
    let size = if planar { size.with_z(PLANAR_DEPTH) } else { size };
    let order = [Face::NegX, Face::PosX, Face::NegY, Face::PosY, Face::NegZ, Face::PosZ];
    Shape::Box { size, open: OpenFaces::new(order.map(|face| shape.open.contains(&face))) }
}
