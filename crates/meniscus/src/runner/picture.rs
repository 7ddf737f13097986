//! The picture of the last state.

use glam::DVec3;
use meniscus_core::{Dimension, ParticleFrame};
use meniscus_coupling::{Body, Setup};
use meniscus_geometry::Aabb;
use meniscus_output::{Picture, PreviewView, render_preview};

/// Draws the frame with the outlines of all bodies.
pub(crate) fn draw(frame: &ParticleFrame, setup: &Setup, title: &str) -> Picture {
    let outline = |body: &Body| body.solid.at(body.at(frame.time).pose).outline(setup.dimension);
    let segments: Vec<[DVec3; 2]> = setup.bodies.iter().flat_map(outline).collect();
    let title = if title.is_empty() { "Meniscus" } else { title };
    let view = PreviewView {
        dimension: setup.dimension,
        spacing: setup.fluid.spacing,
        bounds: bounds(frame, setup, &segments),
        segments,
        caption: format!("{title}  t = {:.3} s", frame.time),
        ..PreviewView::default()
    };
    render_preview(frame, &view)
}

/// What must be seen: the bodies, and most of the fluid. Single drops may fly far; they shall not shrink the rest.
fn bounds(frame: &ParticleFrame, setup: &Setup, segments: &[[DVec3; 2]]) -> (DVec3, DVec3) {
    let bodies = Aabb::of_points(segments.iter().flatten().copied());
    let fluid = most(&frame.position);
    let Aabb { min, max } = bodies.join(fluid);
    if min.cmpgt(max).any() || !(min.is_finite() && max.is_finite()) {
        return (DVec3::ZERO, DVec3::ONE);
    }
    let margin = 0.5 * setup.fluid.spacing;
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
