//! How many particles a scene would have, so that a slip in the spacing is caught before the memory is full.

use crate::model::{BodyShape, BodySpec, FluidSpec, Source, SourceShape};
use crate::semantic::Checker;
use meniscus_core::Dimension;
use std::f64::consts::PI;

/// The most particles a scene may start with, of the fluid and of the solids each `[1]`.
const MAX_PARTICLES: f64 = 50e6;

/// Refuses scenes that would not fit into any memory. Meshes are not counted, since they have not been read yet.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let (fluid, dimension) = (&checker.scene.fluid, checker.scene.dimension);
    if fluid.is_absent() {
        return;
    }
    let order = f64::from(dimension.count());
    let copies = |body: &BodySpec| body.repeat.as_ref().map_or(1.0, |repeat| repeat.copies() as f64);
    let area: f64 = checker.scene.bodies.iter().map(|body| copies(body) * surface(body, dimension)).sum();
    let boundary = area / fluid.spacing.powf(order - 1.0);
    let counts =
        [("fluid", fluid.estimated_particles(dimension), order), ("boundary", boundary, order - 1.0)];
    let needed = counts.map(|(what, count, order)| (what, count, (count / MAX_PARTICLES).powf(1.0 / order)));
    // Both come from the same spacing, so one remark is enough: that which asks for the larger spacing.
    let worst = needed.into_iter().max_by(|a, b| a.2.total_cmp(&b.2));
    if let Some((what, count, factor)) = worst.filter(|worst| worst.2 > 1.0 && worst.2.is_finite()) {
        let message = format!("the scene would have about {} million {what} particles", in_millions(count));
        let spacing = round_up(fluid.spacing * factor);
        let help = format!("at most 50 million are allowed; `spacing = {spacing}` would fit");
        checker.report("fluid.spacing", message, "too fine for these sizes", &help);
    }
}

fn fluid_particles(source: &Source, spacing: f64, dimension: Dimension) -> f64 {
    match (&source.shape, dimension) {
        (SourceShape::Box(volume), _) => {
            let axes = 0..dimension.count() as usize;
            axes.map(|axis| ((volume.max[axis] - volume.min[axis]) / spacing).round().max(0.0)).product()
        }
        (SourceShape::Sphere(ball), Dimension::Two) => PI * (ball.radius / spacing).powi(2),
        (SourceShape::Sphere(ball), Dimension::Three) => 4.0 / 3.0 * PI * (ball.radius / spacing).powi(3),
        // Counted when it is built.
        _ => 0.0,
    }
}

/// The surface of a body; in the plane, its outline.
fn surface(body: &BodySpec, dimension: Dimension) -> f64 {
    match (&body.shape, dimension) {
        (BodyShape::Box(shape), Dimension::Two) => 2.0 * (shape.size[0] + shape.size[1]),
        (BodyShape::Box(shape), Dimension::Three) => {
            let [x, y, z] = shape.size;
            2.0 * (x * y + y * z + z * x)
        }
        (BodyShape::Sphere(shape), Dimension::Two) => 2.0 * PI * shape.radius,
        (BodyShape::Sphere(shape), Dimension::Three) => 4.0 * PI * shape.radius * shape.radius,
        (BodyShape::Cylinder(shape), _) => 2.0 * PI * shape.radius * (shape.radius + shape.height),
        (BodyShape::Plane(shape), Dimension::Two) => shape.size[0],
        (BodyShape::Plane(shape), Dimension::Three) => shape.size[0] * shape.size[1],
        // Meshes, also the built-in ones, are counted when they are made.
        _ => 0.0,
    }
}

/// A count for a message.
pub(crate) fn in_millions(count: f64) -> String {
    let millions = count / 1e6;
    if millions < 1e6 { format!("{millions:.0}") } else { format!("{millions:.1e}") }
}

/// Two significant digits, rounded up so that the count is surely below the limit.
fn round_up(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    let rounded = (value / unit).ceil() * unit;
    // The product carries the rounding error of the unit into the printed digits.
    format!("{rounded:.1e}").parse().unwrap_or(rounded)
}

impl FluidSpec {
    /// About how many particles the sources hold; those that are meshes are not counted `[1]`.
    #[must_use]
    pub fn estimated_particles(&self, dimension: Dimension) -> f64 {
        self.sources.iter().map(|source| fluid_particles(source, self.spacing, dimension)).sum()
    }
}
