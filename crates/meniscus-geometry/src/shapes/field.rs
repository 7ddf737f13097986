//! Bodies as functions: negative inside, positive outside, roughly a distance near the surface.

use glam::DVec3;

/// A ball stretched along the axes.
pub(super) fn ellipsoid(x: DVec3, centre: DVec3, radii: DVec3) -> f64 {
    let p = x - centre;
    let (near, steep) = ((p / radii).length(), (p / (radii * radii)).length());
    // Along a ray from the centre `near` grows linearly to 1 on the surface; its slope there makes it a distance.
    if steep > 0.0 { near * (near - 1.0) / steep } else { -radii.min_element() }
}

/// A rod with round ends whose radius changes from one end to the other.
pub(super) fn rod(x: DVec3, a: DVec3, b: DVec3, radius: [f64; 2]) -> f64 {
    let (along, length) = (b - a, a.distance(b));
    let axial = (x - a).dot(along) / length;
    let radial = (x - a - along * (axial / length)).length();
    // The nearest of all balls along the rod is not beside the point but a little towards the thick end, for the side
    // leans by this sine. Without that, balls at thin ends would show as knobs.
    let sin = ((radius[0] - radius[1]) / length).clamp(-0.95, 0.95);
    let t = ((axial - radial * sin / (1.0 - sin * sin).sqrt()) / length).clamp(0.0, 1.0);
    x.distance(a + along * t) - (radius[0] + (radius[1] - radius[0]) * t)
}

/// A box with rounded edges.
pub(super) fn block(x: DVec3, centre: DVec3, half: DVec3, round: f64) -> f64 {
    let q = (x - centre).abs() - (half - round);
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - round
}

/// Both together, with a fillet of about this width.
pub(super) fn union(a: f64, b: f64, fillet: f64) -> f64 {
    let h = (fillet - (a - b).abs()).max(0.0) / fillet;
    a.min(b) - 0.25 * fillet * h * h
}

/// What both share, with a rounded edge of about this width.
pub(super) fn intersection(a: f64, b: f64, fillet: f64) -> f64 {
    -union(-a, -b, fillet)
}

/// Moves a point onto the surface of a body near which it is, along the gradient.
pub(super) fn project(field: &impl Fn(DVec3) -> f64, mut x: DVec3, step: f64) -> DVec3 {
    let h = 1e-5;
    for _ in 0..4 {
        let slope = |axis: DVec3| (field(x + h * axis) - field(x - h * axis)) / (2.0 * h);
        let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
        let square = gradient.length_squared();
        if square < 1e-6 {
            break;
        }
        // Where the function is far from a distance, a step must not leave the neighbourhood.
        x -= (gradient * (field(x) / square)).clamp_length_max(step);
    }
    x
}
