//! Closed forms: homogeneous bodies about their centre, along the axes.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::{MassProperties, principal};

impl MassProperties {
    /// A homogeneous box with edges `size` `[m]` and mass `mass` `[kg]`.
    #[must_use]
    pub fn cuboid(mass: f64, size: DVec3) -> Self {
        let squares = size * size;
        let moments = DVec3::splat(squares.element_sum()) - squares;
        Self::of_moments(size.element_product(), mass, moments / 12.0)
    }

    /// A homogeneous ball of radius `radius` `[m]` and mass `mass` `[kg]`.
    #[must_use]
    pub fn ball(mass: f64, radius: f64) -> Self {
        let volume = 4.0 / 3.0 * PI * radius.powi(3);
        Self::of_moments(volume, mass, DVec3::splat(0.4 * radius * radius))
    }

    /// A homogeneous cylinder along y with `radius` and `height` `[m]` and mass `mass` `[kg]`.
    #[must_use]
    pub fn cylinder(mass: f64, radius: f64, height: f64) -> Self {
        let square = radius * radius;
        let across = square / 4.0 + height * height / 12.0;
        Self::of_moments(PI * square * height, mass, DVec3::new(across, 0.5 * square, across))
    }

    /// A homogeneous capsule along y with `radius` and, between the centres of its caps, `height` `[m]` and mass
    /// `mass` `[kg]`.
    #[must_use]
    pub fn capsule(mass: f64, radius: f64, height: f64) -> Self {
        // Volumes without π: a cylinder and the two halves of a ball.
        let (tube, caps) = (height * radius * radius, 4.0 / 3.0 * radius.powi(3));
        let (of_tube, of_caps) = (tube / (tube + caps), caps / (tube + caps));
        let along = (0.5 * of_tube + 0.4 * of_caps) * radius * radius;
        let across = of_tube * (radius * radius / 4.0 + height * height / 12.0)
            + of_caps * (0.4 * radius * radius + height * height / 4.0 + 3.0 / 8.0 * height * radius);
        Self::of_moments(PI * (tube + caps), mass, DVec3::new(across, along, across))
    }

    /// A homogeneous torus around y: `ring` from the axis to the middle of the tube, `tube` its radius `[m]`, mass `mass`
    /// `[kg]`.
    #[must_use]
    pub fn torus(mass: f64, ring: f64, tube: f64) -> Self {
        let (r, t) = (ring * ring, tube * tube);
        let (along, across) = (r + 0.75 * t, 0.5 * r + 0.625 * t);
        Self::of_moments(2.0 * PI * PI * ring * t, mass, DVec3::new(across, along, across))
    }

    /// A body about the origin with principal axes along x, y, z, from its moments of inertia for each kilogram
    /// `[m^2]`.
    fn of_moments(extent: f64, mass: f64, moments: DVec3) -> Self {
        let inertia = DMat3::from_diagonal(moments * mass);
        let (principal_moments, principal_axes) = principal::decompose(inertia);
        Self { extent, mass, centre: DVec3::ZERO, inertia, principal_moments, principal_axes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integrates over a lattice of points in a box of half size `half` that satisfy `inside`: volume, and moments for each
    /// kilogram.
    fn by_counting(half: DVec3, inside: impl Fn(DVec3) -> bool) -> (f64, DVec3) {
        let n = 60_u32;
        let (mut count, mut sum) = (0.0, DVec3::ZERO);
        for k in 0..n * n * n {
            let cell = DVec3::new((k % n).into(), (k / n % n).into(), (k / n / n).into());
            let x = half * ((cell + 0.5) * (2.0 / f64::from(n)) - 1.0);
            if inside(x) {
                count += 1.0;
                sum += DVec3::splat(x.length_squared()) - x * x;
            }
        }
        let cell = (2.0 * half / f64::from(n)).element_product();
        (count * cell, sum / count)
    }

    #[test]
    fn closed_forms_match_integrals() {
        let close = |mass: MassProperties, (volume, counted): (f64, DVec3)| {
            let i = mass.inertia;
            let diagonal = DVec3::new(i.x_axis.x, i.y_axis.y, i.z_axis.z) / mass.mass;
            assert!(((diagonal - counted) / counted).abs().max_element() < 0.01, "{diagonal} {counted}");
            assert!((mass.extent / volume - 1.0).abs() < 0.01, "{} {volume}", mass.extent);
            assert!((mass.mass - 3.0).abs() < 1e-15);
        };
        let size = DVec3::new(1.0, 2.0, 0.5);
        close(MassProperties::cuboid(3.0, size), by_counting(0.5 * size, |_| true));
        close(MassProperties::ball(3.0, 0.7), by_counting(DVec3::splat(0.7), |x| x.length() < 0.7));
        let across = |x: DVec3| x.x.hypot(x.z);
        let counted = by_counting(DVec3::new(0.7, 1.0, 0.7), |x| across(x) < 0.7);
        close(MassProperties::cylinder(3.0, 0.7, 2.0), counted);
        let capsule = |x: DVec3| (x - DVec3::Y * x.y.clamp(-0.5, 0.5)).length() < 0.4;
        close(MassProperties::capsule(3.0, 0.4, 1.0), by_counting(DVec3::new(0.4, 0.9, 0.4), capsule));
        let torus = |x: DVec3| (across(x) - 1.0).hypot(x.y) < 0.3;
        close(MassProperties::torus(3.0, 1.0, 0.3), by_counting(DVec3::new(1.3, 0.3, 1.3), torus));
    }
}
