//! Mass, centre and inertia of a body.

use glam::{DMat3, DVec3};
use meniscus_core::Dimension;
use serde::{Deserialize, Serialize};

use crate::SolidError;

/// How the matter of a body is spread, in the local frame of its shape.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MassParams {
    /// Mass; per metre of depth in a planar scene `[kg]`.
    pub mass: f64,
    /// Centre of mass `[m]`.
    pub centre: DVec3,
    /// Inertia tensor about the centre of mass, along the axes of the shape `[kg m^2]`.
    pub inertia: DMat3,
}

impl MassParams {
    /// A homogeneous box with edges `size` `[m]` and mass `mass` `[kg]`.
    #[must_use]
    pub fn cuboid(mass: f64, size: DVec3) -> Self {
        let s = size * size * (mass / 12.0);
        Self::principal(mass, DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y))
    }

    /// A homogeneous ball of radius `radius` `[m]` and mass `mass` `[kg]`.
    #[must_use]
    pub fn ball(mass: f64, radius: f64) -> Self {
        Self::principal(mass, DVec3::splat(0.4 * mass * radius * radius))
    }

    /// A homogeneous cylinder along y with `radius` and `height` `[m]` and mass `mass` `[kg]`.
    #[must_use]
    pub fn cylinder(mass: f64, radius: f64, height: f64) -> Self {
        let along = 0.5 * mass * radius * radius;
        let across = mass * (3.0 * radius * radius + height * height) / 12.0;
        Self::principal(mass, DVec3::new(across, along, across))
    }

    /// A homogeneous capsule along y with `radius` and, between the centres of its caps, `height` `[m]` and mass
    /// `mass` `[kg]`.
    #[must_use]
    pub fn capsule(mass: f64, radius: f64, height: f64) -> Self {
        // Volumes without π: a cylinder and the two halves of a ball.
        let (tube, caps) = (height * radius * radius, 4.0 / 3.0 * radius.powi(3));
        let (m_tube, m_caps) = (mass * tube / (tube + caps), mass * caps / (tube + caps));
        let along = (0.5 * m_tube + 0.4 * m_caps) * radius * radius;
        let across = m_tube * (radius * radius / 4.0 + height * height / 12.0)
            + m_caps * (0.4 * radius * radius + height * height / 4.0 + 3.0 / 8.0 * height * radius);
        Self::principal(mass, DVec3::new(across, along, across))
    }

    /// A homogeneous torus around y: `ring` from the axis to the middle of the tube, `tube` its radius `[m]`, mass `mass`
    /// `[kg]`.
    #[must_use]
    pub fn torus(mass: f64, ring: f64, tube: f64) -> Self {
        let (r, t) = (ring * ring, tube * tube);
        let along = mass * (r + 0.75 * t);
        let across = mass * (0.5 * r + 0.625 * t);
        Self::principal(mass, DVec3::new(across, along, across))
    }

    /// A body with its centre of mass in the local origin and these principal moments `[kg m^2]`.
    #[must_use]
    pub fn principal(mass: f64, moments: DVec3) -> Self {
        Self { mass, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }

    /// Refuses what no matter could have. `place` says where it was given.
    pub(crate) fn check(&self, place: &str, dimension: Dimension) -> Result<(), SolidError> {
        if !(self.mass.is_finite() && self.mass > 0.0 && self.mass.recip().is_finite()) {
            return Err(SolidError::invalid(
                place,
                format!("a mass of {} kg", self.mass),
                "a positive, finite mass; make the body static or scripted if it should not move",
            ));
        }
        if !self.centre.is_finite() {
            return Err(SolidError::invalid(
                place,
                format!("centre = {} m", self.centre),
                "finite coordinates",
            ));
        }
        let i = self.inertia;
        let scale = i.x_axis.x.abs() + i.y_axis.y.abs() + i.z_axis.z.abs();
        let symmetric = (i - i.transpose()).abs().to_cols_array().iter().all(|e| *e <= 1e-9 * scale);
        let positive = match dimension {
            Dimension::Two => i.z_axis.z > 0.0,
            // Leading minors, with room for rounding: a plate has one moment that is the sum of the others.
            Dimension::Three => {
                i.x_axis.x > 0.0
                    && i.x_axis.x * i.y_axis.y - i.x_axis.y * i.x_axis.y > 0.0
                    && i.determinant() > 1e-15 * scale.powi(3)
            }
        };
        let invertible = dimension == Dimension::Two || i.inverse().is_finite();
        if i.is_finite() && symmetric && positive && invertible {
            Ok(())
        } else {
            Err(SolidError::invalid(
                place,
                format!("inertia = {i} kg m^2"),
                "a symmetric tensor with positive moments; a mesh without volume has none",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integrates over a lattice of points in a box of half size `half` that satisfy `inside`.
    fn by_counting(half: DVec3, inside: impl Fn(DVec3) -> bool) -> DVec3 {
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
        sum / count
    }

    #[test]
    fn closed_forms_match_integrals() {
        let close = |mass: MassParams, counted: DVec3| {
            let i = mass.inertia;
            let diagonal = DVec3::new(i.x_axis.x, i.y_axis.y, i.z_axis.z) / mass.mass;
            assert!(((diagonal - counted) / counted).abs().max_element() < 0.01, "{diagonal} {counted}");
        };
        let size = DVec3::new(1.0, 2.0, 0.5);
        close(MassParams::cuboid(3.0, size), by_counting(0.5 * size, |_| true));
        close(MassParams::ball(3.0, 0.7), by_counting(DVec3::splat(0.7), |x| x.length() < 0.7));
        let across = |x: DVec3| x.x.hypot(x.z);
        let counted = by_counting(DVec3::new(0.7, 1.0, 0.7), |x| across(x) < 0.7);
        close(MassParams::cylinder(3.0, 0.7, 2.0), counted);
        let capsule = |x: DVec3| (x - DVec3::Y * x.y.clamp(-0.5, 0.5)).length() < 0.4;
        close(MassParams::capsule(3.0, 0.4, 1.0), by_counting(DVec3::new(0.4, 0.9, 0.4), capsule));
        let torus = |x: DVec3| (across(x) - 1.0).hypot(x.y) < 0.3;
        close(MassParams::torus(3.0, 1.0, 0.3), by_counting(DVec3::new(1.3, 0.3, 1.3), torus));
    }

    #[test]
    fn impossible_matter_is_refused() {
        let check = |m: MassParams| m.check("body 0", Dimension::Three);
        assert!(check(MassParams::ball(1.0, 1.0)).is_ok());
        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
            assert!(check(MassParams::ball(mass, 1.0)).is_err(), "{mass}");
        }
        let error = check(MassParams::cuboid(1.0, DVec3::ZERO)).unwrap_err().to_string();
        assert!(error.contains("mesh without volume"), "{error}");
        assert!(check(MassParams { centre: DVec3::NAN, ..MassParams::ball(1.0, 1.0) }).is_err());
    }
}
