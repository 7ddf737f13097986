//! Checks of dynamic bodies, their copies and their joints.

use crate::diagnostic::quoted;
use crate::expand::copy_name;
use crate::model::{BodyShape, BodySpec, Dynamics, Joint, JointKind, OverTime, Repeat, Scene, Vec3};
use crate::semantic::Checker;
use crate::suggest::nearest;
use glam::DVec3;
use meniscus_core::Dimension;

/// The most bodies of a scene, copies included `[1]`.
const MAX_BODIES: u64 = 100_000;

/// Reports what bodies, copies and joints cannot be.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let scene: &Scene = checker.scene;
    something_moves(checker, scene);
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("body[{index}]");
        if let Some(dynamics) = &body.dynamics {
            moves(checker, scene, body, dynamics, &path);
        }
        if let Some(repeat) = &body.repeat {
            repeats(checker, scene, repeat, &format!("{path}.repeat"));
        }
    }
    let copies = |body: &BodySpec| body.repeat.as_ref().map_or(1, Repeat::copies);
    let total = scene.bodies.iter().map(copies).fold(0, u64::saturating_add);
    if total > MAX_BODIES {
        let message = format!("the scene would have {total} bodies");
        checker.report("body", message, "too many", &format!("at most {MAX_BODIES} are allowed"));
        return;
    }
    for (index, joint) in scene.joints.iter().enumerate() {
        joins(checker, scene, joint, &format!("joint[{index}]"));
    }
}

/// Without fluid, at least one body must be dynamic.
fn something_moves(checker: &mut Checker<'_>, scene: &Scene) {
    if !scene.fluid.is_absent() {
        return;
    }
    if !scene.has_dynamics() && !scene.has_deformables() {
        let message = "the scene has neither a fluid nor a body that moves freely".to_owned();
        let help = "add a `[fluid]` with a source, or `dynamics = {}` to a body";
        checker.report("", message, "nothing would happen", help);
    }
    for (key, present) in [("emitter", !scene.emitters.is_empty()), ("drain", !scene.drains.is_empty())] {
        if present {
            let message = format!("the scene has `{key}`, but no fluid");
            checker.report(
                key,
                message,
                "nothing to do",
                "add a `[fluid]` with a `spacing`, or leave it out",
            );
        }
    }
}

fn moves(checker: &mut Checker<'_>, scene: &Scene, body: &BodySpec, dynamics: &Dynamics, path: &str) {
    if dynamics.density.is_some() && dynamics.mass.is_some() {
        let message = "a body has either a density or a mass".to_owned();
        checker.report(&format!("{path}.dynamics.mass"), message, "one too many", "leave one of them out");
    }
    changes(checker, body, dynamics, path);
    if body.container || matches!(body.shape, BodyShape::Plane(_)) {
        let what = if body.container { "container" } else { "plane" };
        let message = format!("a {what} has no end and cannot move freely");
        let help = "use a cup, a bowl or a mesh with walls, or give it a `motion`";
        checker.report(&format!("{path}.dynamics"), message, "infinitely heavy", help);
    }
    if scene.dimension == Dimension::Two {
        if dynamics.velocity[2] != 0.0 {
            let path = format!("{path}.dynamics.velocity");
            let message = format!("`{path}` leaves the plane of a 2D scene");
            checker.report(&format!("{path}[2]"), message, "z must be 0", "or set `dimension = 3`");
        }
        if dynamics.angular_velocity[..2] != [0.0; 2] {
            let path = format!("{path}.dynamics.angular_velocity");
            let message = format!("`{path}` turns out of the plane of a 2D scene");
            checker.report(&path, message, "x and y must be 0", "or set `dimension = 3`");
        }
    }
}

/// What changes about a body with time.
fn changes(checker: &mut Checker<'_>, body: &BodySpec, dynamics: &Dynamics, path: &str) {
    let at = |key: &str| format!("{path}.dynamics.{key}");
    match (&body.motion, dynamics.release) {
        (Some(_), None) => {
            let message = "a body either follows a motion or moves freely".to_owned();
            let help = "leave one of them out, or say with `dynamics.release` when it is let go";
            checker.report(&format!("{path}.dynamics"), message, "it has a `motion` too", help);
        }
        (_, Some(release)) if release <= dynamics.enter => {
            let message = format!("the body is released at {release} s, but enters at {} s", dynamics.enter);
            checker.report(
                &at("release"),
                message,
                "not after it enters",
                "release it later, or leave one out",
            );
        }
        _ => {}
    }
    for (key, given) in [("velocity", dynamics.velocity), ("angular_velocity", dynamics.angular_velocity)] {
        if dynamics.release.is_some() && DVec3::from(given) != DVec3::ZERO {
            let message = format!("`{}` has no meaning for a body that is released", at(key));
            checker.report(&at(key), message, "the motion gives it", "leave it out");
        }
    }
    for (key, given) in [("density", &dynamics.density), ("mass", &dynamics.mass)] {
        let course = given.as_ref().and_then(OverTime::course).unwrap_or_default();
        if let Some(k) = course.windows(2).position(|pair| pair[1].time <= pair[0].time) {
            let message = format!("`{}` has times that do not ascend", at(key));
            let label = format!("{} s comes after {} s", course[k + 1].time, course[k].time);
            checker.report(
                &format!("{}[{}].time", at(key), k + 1),
                message,
                &label,
                "put them in order of time",
            );
        }
    }
}

fn repeats(checker: &mut Checker<'_>, scene: &Scene, repeat: &Repeat, path: &str) {
    if repeat.count.contains(&0) {
        let message = "there must be at least one copy along each axis".to_owned();
        checker.report(&format!("{path}.count"), message, "no copies", "for example `count = [5, 1, 5]`");
    }
    let last = [0, 1, 2].map(|a| f64::from(repeat.count[a].max(1)) * repeat.step[a].abs() + repeat.jitter[a]);
    checker.coordinates(last, &format!("{path}.step"));
    if scene.dimension == Dimension::Two && (repeat.count[2] > 1 || repeat.jitter[2] != 0.0) {
        let message = format!("`{path}` leaves the plane of a 2D scene");
        checker.report(path, message, "one copy along z, without jitter", "or set `dimension = 3`");
    }
}

fn joins(checker: &mut Checker<'_>, scene: &Scene, joint: &Joint, path: &str) {
    for (key, name) in [("first", Some(&joint.first)), ("second", joint.second.as_ref())] {
        if let Some(name) = name.filter(|name| find(scene, name).is_none()) {
            let names = scene.bodies.iter().map(|body| body.name.as_str());
            let near = nearest(name, names).map(|n| format!("did you mean {}?", quoted(n)));
            let help = "copies are called by the name of their body, a dash and a number from 0";
            let message = format!("no body has the name {}", quoted(name));
            checker.report(
                &format!("{path}.{key}"),
                message,
                "unknown body",
                &near.unwrap_or_else(|| help.to_owned()),
            );
        }
    }
    for (key, name) in [("first", Some(&joint.first)), ("second", joint.second.as_ref())] {
        let body = name.and_then(|name| scene.bodies.get(find(scene, name)?));
        if body.and_then(|b| b.dynamics.as_ref()).is_some_and(|d| d.enter > 0.0) {
            let message = "a jointed body must be there from the start".to_owned();
            checker.report(&format!("{path}.{key}"), message, "enters later", "leave out its `enter`");
        }
    }
    if joint.second.as_ref() == Some(&joint.first) {
        let message = "a joint needs two different bodies".to_owned();
        checker.report(
            &format!("{path}.second"),
            message,
            "the same as `first`",
            "leave it out for the scene",
        );
    }
    let dynamic = |name: &String| {
        find(scene, name).is_none_or(|body| scene.bodies.get(body).is_none_or(|b| b.dynamics.is_some()))
    };
    if !dynamic(&joint.first) && !joint.second.as_ref().is_some_and(dynamic) {
        let message = "neither body of this joint moves freely".to_owned();
        checker.report(
            &format!("{path}.first"),
            message,
            "no `dynamics`",
            "add `dynamics = {}` to one of them",
        );
    }
    numbers(checker, scene, joint, path);
}

/// Axes, limits and points.
fn numbers(checker: &mut Checker<'_>, scene: &Scene, joint: &Joint, path: &str) {
    let planar = scene.dimension == Dimension::Two;
    let (axis, range, other) = match &joint.kind {
        JointKind::Ball(_) | JointKind::Fixed(_) => (None, None, None),
        JointKind::Hinge(hinge) => (Some((hinge.axis, 0)), hinge.limits.map(|l| ("limits", l)), None),
        JointKind::Slider(slider) => (Some((slider.axis, 2)), slider.limits.map(|l| ("limits", l)), None),
        JointKind::Distance(rod) => (None, rod.range.map(|r| ("range", r)), Some(rod.other)),
    };
    if let Some((axis, forbidden)) = axis {
        if DVec3::from(axis) == DVec3::ZERO {
            let message = "the axis of the joint has no length".to_owned();
            checker.report(&format!("{path}.axis"), message, "no direction", "for example [0.0, 0.0, 1.0]");
        }
        // A hinge turns about z, a slider stays in the plane.
        let leaves = if forbidden == 0 { axis[..2] != [0.0; 2] } else { axis[2] != 0.0 };
        if planar && leaves {
            let message = "the joint leads out of the plane of a 2D scene".to_owned();
            checker.report(&format!("{path}.axis"), message, "out of the plane", "or set `dimension = 3`");
        }
    }
    if let Some((key, [least, most])) = range {
        let turns = matches!(joint.kind, JointKind::Hinge(_)) && (least < -180.0 || most > 180.0);
        let negative = key == "range" && least < 0.0;
        if least > most || turns || negative {
            let message = format!("`{path}.{key}` goes from {least} to {most}");
            let help = match joint.kind {
                JointKind::Hinge(_) => "in ascending order, from -180 to 180 degrees",
                JointKind::Distance(_) => "in ascending order, not negative",
                _ => "in ascending order",
            };
            checker.report(&format!("{path}.{key}"), message, "no such range", help);
        }
    }
    for (key, point) in [("point", joint.point), ("other", other)] {
        let Some(point) = point else { continue };
        checker.coordinates(point, &format!("{path}.{key}"));
        in_plane(checker, planar, point, &format!("{path}.{key}"));
    }
}

fn in_plane(checker: &mut Checker<'_>, planar: bool, point: Vec3, path: &str) {
    if planar && point[2] != 0.0 {
        let message = format!("`{path}` leaves the plane of a 2D scene");
        checker.report(&format!("{path}[2]"), message, "z must be 0", "or set `dimension = 3`");
    }
}

/// The entry of the scene whose body, or one of whose copies, has this name.
fn find(scene: &Scene, name: &str) -> Option<usize> {
    scene.bodies.iter().position(|body| match &body.repeat {
        None => body.name == name,
        Some(repeat) => name
            .rsplit_once('-')
            .and_then(|(_, number)| number.parse::<u64>().ok())
            .is_some_and(|k| k < repeat.copies() && copy_name(body, k) == name),
    })
}
