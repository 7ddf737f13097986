//! The mass of water that a sphere in a tank moves with it.
//!
//! In water without end it is half of the water that the sphere displaces. Walls and the surface change that as mirrored spheres
//! would: a sphere that moves upwards is, from afar, a dipole. A wall beside it mirrors it as it is, the floor below turned around,
//! the surface, on which the pressure stays what it is, again as it is. If all images together make the water at the sphere
//! move by u when the sphere moves by U, the mass is ½ (1 − 3 u/U) to the first order in (radius / distance)³ (Lamb, Hydrodynamics,
//! § 99; for one wall below it is the classical 1 + 3/8 (a/h)³).

/// Images of the walls beside the sphere that are counted in each direction, and of floor and surface.
const ASIDE: i32 = 60;
const ABOVE: i32 = 12;

/// The added mass of a sphere of this radius `[m]` that moves upwards at this height `[m]` in a square tank, in units of the water
/// that it displaces `[1]`.
#[must_use]
pub fn added_mass(radius: f64, width: f64, depth: f64, height: f64) -> f64 {
    let mut induced = 0.0;
    for n in -ABOVE..=ABOVE {
        // Floor at 0 turns, surface at `depth` keeps: a period of 4 depths has four images.
        let period = 4.0 * depth * f64::from(n);
        let images = [
            (period + height, 1.0),
            (period - height, -1.0),
            (period + 2.0 * depth - height, 1.0),
            (period + 2.0 * depth + height, -1.0),
        ];
        for (y, sign) in images {
            induced += sign * layer(y - height, width);
        }
    }
    let induced = induced * radius.powi(3);
    0.5 * (1.0 - 3.0 * induced)
}

/// What a layer of dipoles, `width` apart and `above` the sphere, induces at it, without the sphere's own `[1/m³]`.
fn layer(above: f64, width: f64) -> f64 {
    let mut sum = 0.0;
    for i in -ASIDE..=ASIDE {
        for k in -ASIDE..=ASIDE {
            let aside = width * width * f64::from(i * i + k * k);
            let squared = aside + above * above;
            if squared > 1e-12 {
                // Of a sphere of radius 1 that moves at 1: (3 cos² − 1) / 2 r³.
                sum += 0.5 * (2.0 * above * above - aside) / squared.powf(2.5);
            }
        }
    }
    // Those farther away, as a continuous sheet.
    let far = (f64::from(ASIDE) + 0.5) * width;
    sum - std::f64::consts::PI * far * far / (width * width * (far * far + above * above).powf(1.5)) * CORNERS
}

/// The sheet outside of a square in units of that outside of the circle in it: 2 √2 / π.
const CORNERS: f64 = 0.900_316_316;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_far_below_the_surface_adds_three_eighths() {
        let (a, h) = (1.0, 3.0);
        let found = added_mass(a, 2000.0, 1000.0, h);
        assert!((found - 0.5 * (1.0 + 3.0 / 8.0 / 27.0)).abs() < 1e-4, "{found}");
    }

    #[test]
    fn walls_add_and_the_surface_takes() {
        assert!(added_mass(0.1, 0.6, 6.0, 3.0) > 0.5);
        assert!(added_mass(0.1, 60.0, 6.0, 5.8) < 0.5);
    }
}
