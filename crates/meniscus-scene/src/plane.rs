//! Checks of planar scenes: nothing may leave the plane z = 0.

use crate::model::{BodyShape, DrainSpec, Face, GridPlace, MotionSpec, Scene, SourceShape, Vec3};
use crate::semantic::Checker;

/// Reports everything that does not lie in the plane.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let scene: &Scene = checker.scene;
    flat(checker, scene.gravity, "gravity");
    for (index, source) in scene.fluid.sources.iter().enumerate() {
        let path = format!("fluid.source[{index}]");
        flat(checker, source.velocity, &format!("{path}.velocity"));
        spin(checker, source.angular_velocity, &format!("{path}.angular_velocity"));
        match &source.shape {
            SourceShape::Box(volume) => flat_box(checker, volume.min, volume.max, &path),
            SourceShape::Sphere(ball) => flat(checker, ball.center, &format!("{path}.center")),
            SourceShape::Mesh(mesh) => flat(checker, mesh.translation, &format!("{path}.translation")),
            SourceShape::Particles(file) => flat(checker, file.translation, &format!("{path}.translation")),
            other => {
                let Some((_, placement)) = other.as_body() else { continue };
                flat(checker, placement.translation, &format!("{path}.translation"));
            }
        }
    }
    for (index, emitter) in scene.emitters.iter().enumerate() {
        flat(checker, emitter.position, &format!("emitter[{index}].position"));
        flat(checker, emitter.direction, &format!("emitter[{index}].direction"));
    }
    for (index, drain) in scene.drains.iter().enumerate() {
        let path = format!("drain[{index}]");
        match drain {
            DrainSpec::Box(volume) => flat_box(checker, volume.min, volume.max, &path),
            DrainSpec::Sphere(ball) => flat(checker, ball.center, &format!("{path}.center")),
        }
    }
    grid(checker, scene);
    bodies(checker, scene);
}

fn grid(checker: &mut Checker<'_>, scene: &Scene) {
    let Some(grid) = &scene.grid else { return };
    flat(checker, grid.velocity, "grid.velocity");
    flat(checker, grid.acceleration, "grid.acceleration");
    for (index, side) in grid.sides.iter().enumerate() {
        flat(checker, side.velocity, &format!("grid.side[{index}].velocity"));
    }
    for (index, source) in grid.sources.iter().enumerate() {
        let path = format!("grid.source[{index}]");
        if let Some(velocity) = source.velocity {
            flat(checker, velocity, &format!("{path}.velocity"));
        }
        if let GridPlace::Sphere(ball) = &source.place {
            flat(checker, ball.center, &format!("{path}.center"));
        }
    }
}

fn bodies(checker: &mut Checker<'_>, scene: &Scene) {
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("body[{index}]");
        flat(checker, body.position, &format!("{path}.position"));
        if let Some(given) = &body.motion {
            motion(checker, given, &format!("{path}.motion"));
        }
        match &body.shape {
            BodyShape::Box(shape) => faces(checker, &shape.open, &path),
            BodyShape::Sphere(_) | BodyShape::Cylinder(_) | BodyShape::Plane(_) => {}
            // A mesh is cut by the plane in any pose.
            _ => continue,
        }
        if let Some(rotation) = &body.rotation {
            spin(checker, rotation.axis, &format!("{path}.rotation.axis"));
        }
    }
}

/// A motion stays in the plane and turns about z.
fn motion(checker: &mut Checker<'_>, given: &MotionSpec, path: &str) {
    match given {
        MotionSpec::Linear(linear) => flat(checker, linear.velocity, &format!("{path}.velocity")),
        MotionSpec::Oscillation(swing) => flat(checker, swing.amplitude, &format!("{path}.amplitude")),
        MotionSpec::Spin(turn) => spin(checker, turn.axis, &format!("{path}.axis")),
        MotionSpec::Rocking(turn) => spin(checker, turn.axis, &format!("{path}.axis")),
        MotionSpec::Keyframes(keyframes) => {
            for (n, frame) in keyframes.frames.iter().enumerate() {
                let path = format!("{path}.frame[{n}]");
                flat(checker, frame.position, &format!("{path}.position"));
                if let Some(rotation) = &frame.rotation {
                    spin(checker, rotation.axis, &format!("{path}.rotation.axis"));
                }
            }
        }
    }
}

/// A box has no faces outside of the plane.
fn faces(checker: &mut Checker<'_>, open: &[Face], path: &str) {
    for (index, face) in open.iter().enumerate() {
        if matches!(face, Face::NegZ | Face::PosZ) {
            let message = "a planar box has no faces in z".to_owned();
            let help = "allowed: `-x`, `+x`, `-y` or `+y`";
            checker.report(&format!("{path}.open[{index}]"), message, "not in 2D", help);
        }
    }
}

fn flat_box(checker: &mut Checker<'_>, min: Vec3, max: Vec3, path: &str) {
    flat(checker, min, &format!("{path}.min"));
    flat(checker, max, &format!("{path}.max"));
}

/// A vector in the plane.
fn flat(checker: &mut Checker<'_>, vector: Vec3, path: &str) {
    if vector[2] != 0.0 {
        let message = format!("`{path}` leaves the plane of a 2D scene");
        checker.report(&format!("{path}[2]"), message, "z must be 0", "or set `dimension = 3`");
    }
}

/// A rotation in the plane is about z.
fn spin(checker: &mut Checker<'_>, axis: Vec3, path: &str) {
    if axis[0] != 0.0 || axis[1] != 0.0 {
        let message = format!("`{path}` turns out of the plane of a 2D scene");
        checker.report(path, message, "x and y must be 0", "or set `dimension = 3`");
    }
}
