//! Checks of fluids on grids: boxes that are none, grids that no memory holds, sides of which too much is said.

use crate::build::{grid_lattice, grid_place};
use crate::model::{GridPlace, GridSpec, SideKind};
use crate::semantic::Checker;
use meniscus_core::Dimension;

/// The most cells of a grid: it then takes some 25 GB `[1]`.
const MAX_CELLS: f64 = 64e6;

/// Inflow and outflow that differ by a smaller share are equal `[1]`.
const UNBALANCED: f64 = 1e-6;

/// Reports what no grid can be made of.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let scene = checker.scene;
    let Some(grid) = &scene.grid else { return };
    if !scene.fluid.is_absent() {
        let message = "the scene has a fluid on a grid and one of particles".to_owned();
        let help = "leave out `grid` or `fluid`";
        checker.report("grid", message, "one fluid too many", help);
    }
    size(checker, grid);
    sides(checker, grid);
    sources(checker, grid);
}

fn size(checker: &mut Checker<'_>, grid: &GridSpec) {
    let dimension = checker.scene.dimension;
    checker.coordinates(grid.min, "grid.min");
    checker.coordinates(grid.max, "grid.max");
    let axes = 0..dimension.count() as usize;
    for axis in axes.clone() {
        let length = grid.max[axis] - grid.min[axis];
        if length < grid.spacing {
            let message = format!("the box is {length} m long along {}", ["x", "y", "z"][axis]);
            let help = format!(
                "a cell is {} m wide; `max` must be larger than `min` by at least that",
                grid.spacing
            );
            checker.report("grid.max", message, "no cell fits", &help);
            return;
        }
    }
    let cells: f64 = axes.map(|axis| ((grid.max[axis] - grid.min[axis]) / grid.spacing).floor()).product();
    if cells > MAX_CELLS || grid_lattice(grid, dimension).is_err() {
        let factor = (cells / MAX_CELLS).powf(1.0 / f64::from(dimension.count())).max(1.0);
        let message = format!("the grid would have about {:.0} million cells", cells / 1e6);
        let help = format!(
            "at most 64 million are allowed; `spacing = {:.1e}` would fit",
            1.05 * grid.spacing * factor
        );
        checker.report("grid.spacing", message, "too fine for this box", &help);
    }
}

fn sides(checker: &mut Checker<'_>, grid: &GridSpec) {
    let mut seen = [false; 6];
    for (index, side) in grid.sides.iter().enumerate() {
        let (path, place) = (format!("grid.side[{index}]"), grid_place(side.face));
        if std::mem::replace(&mut seen[place], true) {
            let message = "this side of the box has been described before".to_owned();
            checker.report(&format!("{path}.face"), message, "said twice", "leave one of them out");
        }
        if checker.scene.dimension == Dimension::Two && place >= 4 {
            let message = "a planar grid has no side there".to_owned();
            checker.report(&format!("{path}.face"), message, "not in 2D", "sides are -x, +x, -y and +y");
        }
        if side.kind != SideKind::Wall && side.slip.is_some() {
            let message = "only walls have `slip`".to_owned();
            checker.report(&format!("{path}.slip"), message, "without meaning here", "leave it out");
        }
        checker.speed(side.velocity, &format!("{path}.velocity"), "m/s");
    }
    balance(checker, grid);
    checker.speed(grid.velocity, "grid.velocity", "m/s");
    checker.speed(grid.acceleration, "grid.acceleration", "m/s²");
}

/// What comes in through the sides must be able to leave.
fn balance(checker: &mut Checker<'_>, grid: &GridSpec) {
    if grid.sides.iter().any(|side| side.kind == SideKind::Open) {
        return;
    }
    let axes = 0..checker.scene.dimension.count() as usize;
    let length = |axis: usize| grid.max[axis] - grid.min[axis];
    let (mut net, mut size) = (0.0, 0.0);
    for side in grid.sides.iter().filter(|side| side.kind == SideKind::Inflow) {
        let (axis, upper) = (grid_place(side.face) / 2, grid_place(side.face) % 2 == 1);
        let area: f64 = axes.clone().filter(|other| *other != axis).map(length).product();
        let flux = area * side.velocity[axis];
        net += if upper { -flux } else { flux };
        size += flux.abs();
    }
    if net.abs() > UNBALANCED * size {
        let message = "what flows in through the sides of the grid cannot leave".to_owned();
        let help =
            "make another side `open`, or let as much flow out through an `inflow` that points outwards";
        checker.report("grid", message, "no way out", help);
    }
}

fn sources(checker: &mut Checker<'_>, grid: &GridSpec) {
    for (index, source) in grid.sources.iter().enumerate() {
        let path = format!("grid.source[{index}]");
        if let GridPlace::Box(volume) = &source.place {
            let axes = 0..checker.scene.dimension.count() as usize;
            if axes.into_iter().any(|axis| volume.max[axis] <= volume.min[axis]) {
                let message = "the box of the source has no inside".to_owned();
                let help = "each coordinate of `max` must be larger than that of `min`";
                checker.report(&format!("{path}.max"), message, "not above `min`", help);
            }
        }
        if source.smoke.is_none() && source.temperature.is_none() && source.velocity.is_none() {
            let message = "the source gives nothing".to_owned();
            checker.report(&path, message, "in this table", "add `smoke`, `temperature` or `velocity`");
        }
        if let Some(velocity) = source.velocity {
            checker.speed(velocity, &format!("{path}.velocity"), "m/s");
        }
        if source.stop.is_some_and(|stop| stop <= source.start) {
            let message = "the source closes before it opens".to_owned();
            checker.report(&format!("{path}.stop"), message, "must be later than `start`", "");
        }
    }
}
