//! The picture of the last state.

use super::bodies::BodyMeshes;
use glam::DVec3;
use meniscus_core::{Dimension, ParticleFrame};
use meniscus_coupling::{Setup, Simulation};
use meniscus_geometry::{Aabb, Shape, Side, Solid};
use meniscus_output::glb::BodyPlace;
use meniscus_output::{Picture, PreviewView, render_preview};

/// Draws the frame with the bodies: as surfaces where bodies move freely, except for containers and planes, else as
/// outlines.
pub(crate) fn draw(
    frame: &ParticleFrame,
    simulation: &Simulation,
    meshes: &BodyMeshes,
    title: &str,
) -> Picture {
    let setup = simulation.setup();
    let solids = simulation.solids();
    let outlined = |k: usize| solids.get(k).is_none_or(|s| setup.solids.is_none() || is_around(s));
    let outline = |(k, solid): (usize, &Solid)| {
        if outlined(k) && simulation.is_present(k) { solid.outline(setup.dimension) } else { Vec::new() }
    };
    let segments: Vec<[DVec3; 2]> = solids.iter().enumerate().flat_map(outline).collect();
    let place = |(k, solid): (usize, &Solid)| BodyPlace {
        position: solid.pose.translation,
        rotation: solid.pose.rotation,
        present: simulation.is_present(k),
    };
    let places = solids.iter().enumerate().map(place).collect();
    let surfaces = meshes.surfaces(setup, &places, |k| !outlined(k));
    let title = if title.is_empty() { "Meniscus" } else { title };
    let shaded: Vec<&Solid> =
        solids.iter().enumerate().filter(|(k, _)| !outlined(*k)).map(|(_, s)| s).collect();
    let view = PreviewView {
        dimension: setup.dimension,
        spacing: setup.fluid.spacing,
        bounds: bounds(frame, setup, &segments, &shaded),
        segments,
        surfaces,
        caption: format!("{title}  t = {:.3} s", frame.time),
        ..PreviewView::default()
    };
    render_preview(frame, &view)
}

/// Whether a body is around the others or without end, and would hide them.
fn is_around(solid: &Solid) -> bool {
    solid.side == Side::Container || matches!(solid.shape, Shape::Plane { .. })
}

/// What must be seen: the bodies, and most of the fluid. Single drops may fly far; they shall not shrink the rest.
fn bounds(
    frame: &ParticleFrame,
    setup: &Setup,
    segments: &[[DVec3; 2]],
    shaded: &[&Solid],
) -> (DVec3, DVec3) {
    let outlines = Aabb::of_points(segments.iter().flatten().copied());
    let fluid = most(&frame.position);
    let corners: Vec<DVec3> = shaded.iter().map(|s| s.bounds()).flat_map(|b| [b.min, b.max]).collect();
    // Where surfaces are drawn, an outlined floor need not be seen whole.
    let around = if shaded.is_empty() { outlines } else { Aabb::EMPTY };
    let Aabb { min, max } = around.join(fluid).join(most(&corners));
    if min.cmpgt(max).any() || !(min.is_finite() && max.is_finite()) {
        return (DVec3::ZERO, DVec3::ONE);
    }
    let margin = if setup.is_dry() { 0.0 } else { 0.5 * setup.fluid.spacing };
    let margin = if setup.dimension == Dimension::Two {
        DVec3::new(margin, margin, 0.0)
    } else {
        DVec3::splat(margin)
    };
    (min - margin, max + margin)
}

/// The box around all but the outermost hundredth of the points on each side.
fn most(points: &[DVec3]) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    let skip = points.len() / 100;
    for axis in 0..3 {
        let mut column: Vec<f64> = points.iter().map(|x| x[axis]).filter(|x| x.is_finite()).collect();
        if column.len() <= 2 * skip || column.is_empty() {
            return Aabb::EMPTY;
        }
        let last = column.len() - 1 - skip;
        bounds.min[axis] = *column.select_nth_unstable_by(skip, f64::total_cmp).1;
        bounds.max[axis] = *column.select_nth_unstable_by(last, f64::total_cmp).1;
    }
    bounds
}
