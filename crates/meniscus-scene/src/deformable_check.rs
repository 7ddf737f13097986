//! Checks of cloth and elastic solids.

use crate::diagnostic::quoted;
use crate::model::{ClothSpec, ElasticSpec, MatterSpec, PinSpec, Rotation, Scene, Vec3};
use crate::semantic::Checker;
use meniscus_core::Dimension;

/// The most cells of a rectangle or a box `[1]`.
const MAX_CELLS: u64 = 2_000_000;

/// Reports what cannot deform.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let scene: &Scene = checker.scene;
    for (index, cloth) in scene.cloths.iter().enumerate() {
        self::cloth(checker, cloth, &format!("cloth[{index}]"));
    }
    for (index, elastic) in scene.elastics.iter().enumerate() {
        self::elastic(checker, elastic, &format!("elastic[{index}]"));
    }
    let own = scene.cloths.iter().enumerate().map(|(k, c)| (format!("cloth[{k}]"), &c.name));
    let own = own.chain(scene.elastics.iter().enumerate().map(|(k, e)| (format!("elastic[{k}]"), &e.name)));
    let mut known: Vec<&String> = scene.bodies.iter().map(|body| &body.name).collect();
    for (path, name) in own {
        refuse_surroundings(checker, scene, &path);
        let key = format!("{path}.name");
        checker.name(name, &key);
        if name.trim().is_empty() {
            checker.report(&key, "a body needs a name".to_owned(), "empty", "");
        } else if known.contains(&name) {
            let message = format!("another body has the name {} already", quoted(name));
            checker.report(&key, message, "names must be unique", "");
        }
        known.push(name);
    }
}

/// Scenes in which nothing can deform yet.
fn refuse_surroundings(checker: &mut Checker<'_>, scene: &Scene, path: &str) {
    if scene.dimension == Dimension::Two {
        let message = "nothing deforms in a planar scene".to_owned();
        checker.report(path, message, "needs space", "set `dimension = 3`");
    }
    if !scene.fluid.is_absent() {
        let message = "fluid does not feel bodies that deform yet".to_owned();
        checker.report(path, message, "the fluid would pass through it", "leave the fluid or this body out");
    }
}

fn cloth(checker: &mut Checker<'_>, cloth: &ClothSpec, path: &str) {
    let shape = [cloth.size.is_some(), cloth.path.is_some()];
    one_shape(checker, shape, cloth.cells.is_some(), path);
    if let Some(size) = cloth.size {
        checker.positive(&size, &format!("{path}.size"));
    }
    let cells = cloth.cells.map(|cells| cells.to_vec());
    cells_within_reason(checker, cells.as_deref(), path);
    if let (Some(size), Some(cells)) = (cloth.size, cloth.cells) {
        let edge = (0..2).map(|k| size[k] / f64::from(cells[k].max(1))).fold(f64::INFINITY, f64::min);
        if cloth.thickness > edge && edge > 0.0 {
            let message =
                format!("the sheet is thicker, {} m, than its cells are long, {edge} m", cloth.thickness);
            let help =
                "a sheet has fewer `cells` or is thinner; what is as thick as that is an `[[elastic]]` solid";
            checker.report(&format!("{path}.thickness"), message, "too thick", help);
        }
    }
    checker.positive(&cloth.scale.factors(), &format!("{path}.scale"));
    matter(checker, &cloth.matter, path);
    placed(checker, cloth.position, cloth.rotation.as_ref(), cloth.velocity, path);
    for (index, pin) in cloth.pins.iter().enumerate() {
        self::pin(checker, pin, cloth.size.is_some(), true, &format!("{path}.pin[{index}]"));
    }
}

fn elastic(checker: &mut Checker<'_>, elastic: &ElasticSpec, path: &str) {
    let shape = [elastic.size.is_some(), elastic.path.is_some()];
    one_shape(checker, shape, elastic.cells.is_some(), path);
    if elastic.path.is_some() && elastic.edge.is_none() {
        let message = "a mesh is filled with tetrahedra of some size".to_owned();
        checker.report(path, message, "`edge` is missing", "for example a tenth of its extent");
    }
    if let Some(size) = elastic.size {
        checker.positive(&size, &format!("{path}.size"));
    }
    let cells = elastic.cells.map(|cells| cells.to_vec());
    cells_within_reason(checker, cells.as_deref(), path);
    checker.positive(&elastic.scale.factors(), &format!("{path}.scale"));
    matter(checker, &elastic.matter, path);
    placed(checker, elastic.position, elastic.rotation.as_ref(), elastic.velocity, path);
    for (index, pin) in elastic.pins.iter().enumerate() {
        self::pin(checker, pin, false, false, &format!("{path}.pin[{index}]"));
    }
}

fn matter(checker: &mut Checker<'_>, matter: &MatterSpec, path: &str) {
    if matter.poisson <= -1.0 || matter.poisson >= 0.5 {
        let message =
            format!("matter with a Poisson ratio of {} cannot be squeezed, or not be turned", matter.poisson);
        let help = "more than -1 and less than 0.5; rubber has about 0.49";
        checker.report(&format!("{path}.matter.poisson"), message, "out of range", help);
    }
}

/// Either a size with cells or a mesh.
fn one_shape(checker: &mut Checker<'_>, [size, mesh]: [bool; 2], cells: bool, path: &str) {
    let help = "give it a `size` and `cells`, or the `path` of a mesh";
    match (size, mesh) {
        (true, true) => {
            let message = "a body has either a size or a mesh".to_owned();
            checker.report(&format!("{path}.path"), message, "one too many", help);
        }
        (false, false) => {
            checker.report(path, "the body has no shape".to_owned(), "neither `size` nor `path`", help);
        }
        (true, false) if !cells => {
            checker.report(path, "the body is not divided".to_owned(), "`cells` is missing", help);
        }
        (false, true) if cells => {
            let message = "a mesh has its own triangles".to_owned();
            checker.report(&format!("{path}.cells"), message, "only with `size`", "leave it out");
        }
        _ => {}
    }
}

fn cells_within_reason(checker: &mut Checker<'_>, cells: Option<&[u32]>, path: &str) {
    let Some(cells) = cells else { return };
    let total = cells.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
    if total == 0 || total > MAX_CELLS {
        let message = format!("the body would have {total} cells");
        let help = format!("at least one along each axis, and at most {MAX_CELLS} in all");
        let label = if total == 0 { "none at all" } else { "too many" };
        checker.report(&format!("{path}.cells"), message, label, &help);
    }
}

fn placed(checker: &mut Checker<'_>, position: Vec3, turn: Option<&Rotation>, velocity: Vec3, path: &str) {
    checker.coordinates(position, &format!("{path}.position"));
    checker.rotation(turn.map(|rotation| rotation.axis), path);
    checker.speed(velocity, &format!("{path}.velocity"), "m/s");
}

fn pin(checker: &mut Checker<'_>, pin: &PinSpec, is_rectangle: bool, is_sheet: bool, path: &str) {
    let given = [!pin.corners.is_empty(), !pin.vertices.is_empty(), pin.inside.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        let message = "a pin holds corners, vertices or what is in a box".to_owned();
        let label = if given.contains(&true) { "more than one of these" } else { "none of these" };
        checker.report(path, message, label, "for example `box = { min = [0, 0, 0], max = [1, 1, 1] }`");
    }
    if !pin.corners.is_empty() && !is_rectangle {
        let message = "only a rectangle of cloth has corners".to_owned();
        checker.report(&format!("{path}.corners"), message, "not here", "use `box`");
    }
    if !pin.vertices.is_empty() && !is_sheet {
        let message = "the nodes of a solid are not those of its mesh".to_owned();
        checker.report(&format!("{path}.vertices"), message, "only of cloth", "use `box`");
    }
    if let Some(volume) = &pin.inside {
        for axis in 0..3 {
            if volume.min[axis] > volume.max[axis] {
                let name = ["x", "y", "z"][axis];
                let message = format!(
                    "the box ends in {name}, at {}, before it begins, at {}",
                    volume.max[axis], volume.min[axis]
                );
                checker.report(
                    &format!("{path}.box.max[{axis}]"),
                    message,
                    "must not be less than in `min`",
                    "",
                );
            }
        }
    }
    if let Some(motion) = &pin.motion {
        checker.motion(motion, &format!("{path}.motion"));
    }
}
