//! Dynamic bodies, and those they meet.

use super::problem::{BuildProblem, Problems};
use crate::expand::Placed;
use crate::model::{self, BodyShape, Engine, JointKind, Scene, TorusBody};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension};
use meniscus_coupling::{Body, EngineChoice, SolidSetup};
use meniscus_geometry::{GeometryError, MassProperties, Pose, Side};
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{
    BodyParams, ColliderShape, JointParams, JointType, KinematicUntil, Motor, PiecewiseLinear, RigidParams,
    Schedule, SolidError, SurfaceMaterial,
};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Convex pieces of a ring, for engines that need them `[1]`.
const RING_PARTS: u32 = 20;
/// Corners of the section of such a piece `[1]`.
const RING_CORNERS: u32 = 8;

/// The solids of a scene with dynamic bodies.
pub(crate) fn build(
    scene: &Scene,
    placed: &[Placed],
    bodies: &[Body],
    problems: &mut Problems,
) -> Option<SolidSetup> {
    if !scene.has_dynamics() {
        return None;
    }
    let first = |k: usize| placed.iter().position(|p| p.source == k).and_then(|n| bodies.get(n));
    let shapes: Vec<Option<Result<Arc<ColliderShape>, BuildProblem>>> = (0..scene.bodies.len())
        .into_par_iter()
        .map(|k| Some(shape(scene, &scene.bodies[k], first(k)?, &format!("body[{k}]"))))
        .collect();
    let mut params = Vec::with_capacity(bodies.len());
    for (place, body) in placed.iter().zip(bodies) {
        let key = format!("body[{}]", place.source);
        let made = match &shapes[place.source] {
            Some(Ok(shape)) => self::body(scene, place, body, shape, &key),
            Some(Err(problem)) => Err(problem.clone()),
            None => continue,
        };
        match made {
            Ok(body) => params.push(body),
            Err(problem) => problems.push_once(problem),
        }
    }
    let solids = SolidSetup {
        engine: match scene.solids.engine {
            Engine::Meniscus => EngineChoice::Meniscus,
            Engine::Rapier => EngineChoice::Rapier,
        },
        params: RigidParams {
            gravity: scene.gravity.into(),
            dimension: scene.dimension,
            contact_sweeps: scene.solids.contact_sweeps,
            max_substeps: scene.solids.max_substeps,
            ..RigidParams::default()
        },
        bodies: params,
        joints: joints(scene, placed),
    };
    if problems.is_empty()
        && let Err(error) = solids.build()
    {
        problems.push(engine_problem(&error, placed));
    }
    Some(solids)
}

/// One body.
fn body(
    scene: &Scene,
    place: &Placed,
    body: &Body,
    shape: &Arc<ColliderShape>,
    key: &str,
) -> Result<BodyParams, BuildProblem> {
    let given = &scene.bodies[place.source];
    let mut params = match (&given.dynamics, &body.motion) {
        (Some(dynamics), _) => {
            let mass = matter(scene, given, body, dynamics).map_err(|e| matter_problem(&e, key))?;
            let schedule = schedule(dynamics, body, &mass).map_err(|e| solid_problem(&e, key))?;
            BodyParams::dynamic(shape.clone(), mass, body.solid.pose)
                .moving(dynamics.velocity.into(), dynamics.angular_velocity.into())
                .scheduled(schedule)
        }
        (None, PrescribedMotion::Still) => BodyParams::fixed(shape.clone(), body.solid.pose),
        (None, motion) => BodyParams::scripted(shape.clone(), motion.clone(), body.solid.pose),
    };
    params.name.clone_from(&place.name);
    let m = &given.material;
    params.material = SurfaceMaterial {
        restitution: m.restitution,
        friction: m.friction,
        rolling: m.rolling_friction,
        spinning: m.spinning_friction,
    };
    Ok(params)
}

/// The form of a body.
fn shape(
    scene: &Scene,
    given: &model::BodySpec,
    body: &Body,
    key: &str,
) -> Result<Arc<ColliderShape>, BuildProblem> {
    use meniscus_geometry::Shape as Simple;
    let room = body.solid.side == Side::Container;
    let simple = body.solid.shape.clone();
    let mesh = matches!(simple, Simple::Mesh(_));
    if mesh && scene.dimension == Dimension::Two {
        return Err(BuildProblem {
            key: key.to_owned(),
            message: "meshes cannot meet bodies that move freely in a planar scene".to_owned(),
            label: "a mesh".to_owned(),
            help: "use boxes, spheres, cylinders and planes, or set `dimension = 3`".to_owned(),
        });
    }
    let made = match (&given.shape, simple) {
        (BodyShape::Capsule(s), _) if !room && s.height > 2.0 * s.radius => {
            ColliderShape::capsule(s.radius, s.height - 2.0 * s.radius)
        }
        (_, Simple::Mesh(mesh)) if room => ColliderShape::room_in_mesh(&mesh),
        (BodyShape::Torus(s), Simple::Mesh(mesh)) => {
            ColliderShape::volume(&mesh).map(|shape| shape.with_convex_parts(ring_parts(s)))
        }
        (_, Simple::Mesh(mesh)) => ColliderShape::volume(&mesh),
        (_, Simple::Plane { .. }) => Ok(ColliderShape::half_space()),
        (_, simple) if room => ColliderShape::room(simple),
        (_, Simple::Box { size, .. }) => ColliderShape::cuboid(size),
        (_, Simple::Sphere { radius }) => ColliderShape::sphere(radius),
        (_, Simple::Cylinder { radius, height }) => ColliderShape::cylinder(radius, height),
    };
    made.map_err(|error| solid_problem(&error, key))
}

/// The matter of a dynamic body.
fn matter(
    scene: &Scene,
    given: &model::BodySpec,
    body: &Body,
    dynamics: &model::Dynamics,
) -> Result<MassProperties, GeometryError> {
    let density = dynamics.density_or_default();
    let solid = &body.solid;
    let matter = match (&given.shape, scene.dimension) {
        (_, Dimension::Two) => {
            let matter = MassProperties::of_section(&solid.shape, &solid.pose, density)?;
            // The section is known in the scene, the body in its own frame; about z both have the same inertia.
            MassProperties { centre: solid.pose.to_local(matter.centre), ..matter }
        }
        (BodyShape::Capsule(s), Dimension::Three) if s.height > 2.0 * s.radius => {
            let capsule = |mass| MassProperties::capsule(mass, s.radius, s.height - 2.0 * s.radius);
            capsule(capsule(1.0).extent * density)
        }
        (_, Dimension::Three) => MassProperties::of_shape(&solid.shape, density)?,
    };
    dynamics.mass.as_ref().map_or(Ok(matter), |mass| matter.with_mass(mass.first()))
}

/// What changes about a body with time; `matter` is that of the beginning of its course.
fn schedule(
    dynamics: &model::Dynamics,
    body: &Body,
    matter: &MassProperties,
) -> Result<Schedule, SolidError> {
    let given = dynamics.mass.as_ref().or(dynamics.density.as_ref());
    let course = given.and_then(|given| Some((given.first(), given.course()?)));
    let mass = match course {
        Some((first, moments)) => {
            let course = PiecewiseLinear::new(moments.iter().map(|m| (m.time, m.value)).collect())?;
            Some(course.scaled(matter.mass / first)?)
        }
        None => None,
    };
    let kinematic = dynamics.release.map(|until| KinematicUntil { motion: body.motion.clone(), until });
    Ok(Schedule { enter: dynamics.enter, kinematic, mass })
}

/// The corners of convex pieces of a ring.
fn ring_parts(ring: &TorusBody) -> Vec<Vec<DVec3>> {
    let section = |k: u32| {
        let around = TAU * f64::from(k) / f64::from(RING_PARTS);
        (0..RING_CORNERS).map(move |s| {
            let angle = TAU * (f64::from(s) + 0.5) / f64::from(RING_CORNERS);
            let r = ring.radius + ring.tube * angle.cos();
            DVec3::new(r * around.cos(), ring.tube * angle.sin(), r * around.sin())
        })
    };
    (0..RING_PARTS).map(|k| section(k).chain(section((k + 1) % RING_PARTS)).collect()).collect()
}

fn joints(scene: &Scene, placed: &[Placed]) -> Vec<JointParams> {
    let find = |name: &str| placed.iter().position(|p| p.name == name);
    let joint = |joint: &model::Joint| {
        let first = find(&joint.first)?;
        let pose: &Pose = &placed.get(first)?.pose;
        let point = joint.point.map_or(pose.translation, DVec3::from);
        let degrees = |limits: Option<[f64; 2]>| limits.map(|l| l.map(f64::to_radians));
        Some(JointParams {
            first: BodyId(first as u32),
            second: match &joint.second {
                Some(name) => Some(BodyId(find(name)? as u32)),
                None => None,
            },
            point,
            kind: match &joint.kind {
                JointKind::Ball(_) => JointType::Ball,
                JointKind::Fixed(_) => JointType::Fixed,
                JointKind::Hinge(hinge) => JointType::Hinge {
                    axis: hinge.axis.into(),
                    limits: degrees(hinge.limits),
                    motor: hinge
                        .motor
                        .as_ref()
                        .map(|m| Motor { speed: m.speed.to_radians(), strength: m.torque }),
                },
                JointKind::Slider(slider) => JointType::Slider {
                    axis: slider.axis.into(),
                    limits: slider.limits,
                    motor: slider.motor.as_ref().map(|m| Motor { speed: m.speed, strength: m.force }),
                },
                JointKind::Distance(rod) => {
                    let other = DVec3::from(rod.other);
                    let range = rod.range.unwrap_or([point.distance(other); 2]);
                    JointType::Distance { other, range }
                }
            },
            collide: joint.collide,
        })
    };
    // Names were checked with the scene.
    scene.joints.iter().filter_map(joint).collect()
}

fn solid_problem(error: &SolidError, key: &str) -> BuildProblem {
    let (message, help) = match error {
        SolidError::Invalid { what, allowed, .. } => (what.clone(), format!("allowed: {allowed}")),
        other => (other.to_string(), String::new()),
    };
    BuildProblem {
        key: key.to_owned(),
        message: format!("this body cannot meet others: {message}"),
        label: "cannot be simulated".to_owned(),
        help,
    }
}

fn matter_problem(error: &GeometryError, key: &str) -> BuildProblem {
    BuildProblem {
        key: format!("{key}.dynamics"),
        message: error.to_string(),
        label: "this body has no matter".to_owned(),
        help: "a body that moves freely needs a volume and a positive density or mass".to_owned(),
    }
}

/// What an engine refuses, at the key that is to blame.
fn engine_problem(error: &SolidError, placed: &[Placed]) -> BuildProblem {
    let (key, label, help) = match error {
        SolidError::EngineMissing { .. } => (
            "solids.engine".to_owned(),
            "not in this program",
            "leave `engine` out: `meniscus` is always there",
        ),
        SolidError::Unsupported { .. } => {
            let help = "`engine = \"meniscus\"` simulates everything that a scene can say";
            ("solids.engine".to_owned(), "this engine cannot do it", help)
        }
        SolidError::Invalid { place, .. } => {
            let blamed = placed.iter().find(|p| *place == format!("body {:?}", p.name));
            match blamed {
                Some(p) => {
                    let help = "give it a size, and a density or mass, with which a computer can reckon";
                    (format!("body[{}].dynamics", p.source), "no body can move with this", help)
                }
                None => ("solids".to_owned(), "refused", "change what is named"),
            }
        }
        _ => ("solids".to_owned(), "refused", "look for huge or tiny sizes, masses and speeds"),
    };
    BuildProblem { key, message: told(error), label: label.to_owned(), help: help.to_owned() }
}

/// The error in words; of quantities with hundreds of digits only the first.
fn told(error: &SolidError) -> String {
    const MOST: usize = 60;
    match error {
        SolidError::Invalid { place, what, allowed } if what.chars().count() > MOST => {
            let head: String = what.chars().take(MOST).collect();
            format!("{place}: {head}… makes no sense; allowed: {allowed}")
        }
        _ => error.to_string(),
    }
}
