//! Checks of camera and light: directions that are none, and keys that exclude each other.

use crate::model::Vec3;
use crate::semantic::Checker;
use meniscus_core::{DVec3, Dimension};

/// The least height of the sun: of a direction of length 1, the part upwards `[1]`.
const LOWEST_SUN: f64 = 0.2;

/// Reports what cannot be seen or cannot shine.
pub(crate) fn check(checker: &mut Checker<'_>) {
    if checker.scene.dimension == Dimension::Two {
        let given =
            [("camera", !checker.scene.camera.is_default()), ("light", !checker.scene.light.is_default())];
        for (table, _) in given.into_iter().filter(|(_, given)| *given) {
            let message = "pictures of a planar scene are seen straight on, without a light".to_owned();
            checker.report(table, message, &format!("no {table} in 2D"), "leave it out");
        }
        return;
    }
    camera(checker);
    light(checker);
}

fn camera(checker: &mut Checker<'_>) {
    let scene = checker.scene;
    let camera = &scene.camera;
    if let (Some(_), Some(_)) = (camera.direction, camera.position) {
        let message = "the camera has a `position` and a `direction`".to_owned();
        let help = "an eye with a `position` looks at its `target`; `direction` is for one that frames the scene by itself";
        checker.report("camera.direction", message, "one of them is too much", help);
    }
    if camera.target.is_some() && camera.position.is_none() {
        let message = "the camera has a `target` but no `position`".to_owned();
        let help = "give its `position`, or a `direction` from which it frames the scene";
        checker.report("camera.target", message, "seen from where?", help);
    }
    if let Some(direction) = camera.direction {
        has_length(checker, direction, "camera.direction");
    }
    let (position, target) = (camera.position, camera.target);
    for (point, path) in [(position, "camera.position"), (target, "camera.target")] {
        if let Some(point) = point {
            checker.coordinates(point, path);
        }
    }
    if let (Some(position), Some(target)) = (position, target)
        && DVec3::from(position) == DVec3::from(target)
    {
        let message = "the camera looks at the place where it is".to_owned();
        checker.report("camera.target", message, "the same as `position`", "");
    }
}

fn light(checker: &mut Checker<'_>) {
    let direction = checker.scene.light.direction;
    if has_length(checker, direction, "light.direction") {
        let up = DVec3::from(direction).normalize_or_zero().y;
        if up < LOWEST_SUN {
            let message = "the sun is too low or below the horizon".to_owned();
            let help = format!(
                "`direction` points towards the sun; scaled to length 1, its y must be at least {LOWEST_SUN}"
            );
            checker.report("light.direction", message, "no light from there", &help);
        }
    }
}

/// Whether a direction is one; reports it otherwise.
fn has_length(checker: &mut Checker<'_>, direction: Vec3, path: &str) -> bool {
    let fine = DVec3::from(direction).try_normalize().is_some();
    if !fine {
        let message = "the direction has no length".to_owned();
        checker.report(path, message, "all components are 0", "for example [0.4, 0.4, 1.0]");
    }
    fine
}
