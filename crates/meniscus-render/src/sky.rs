//! The sky, the sun, the colour of water, and how light becomes bytes.

use glam::{DVec3, Vec3};

/// The tangent of the sun's radius as seen from the ground: larger than the real one, for softer shadows.
const SUN_TANGENT: f32 = 0.045;
/// Light of the sun on a surface that faces it.
const SUN: Vec3 = Vec3::new(2.35, 2.2, 1.95);
/// Light of the whole sky on a surface that faces upwards.
const SKY: Vec3 = Vec3::new(0.62, 0.72, 0.86);
/// How water dims light, per unit of length.
const ABSORPTION: Vec3 = Vec3::new(3.6, 0.95, 0.50);
/// Light that deep water sends back by itself.
const DEEP: Vec3 = Vec3::new(0.008, 0.11, 0.19);

/// What shines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// Towards the sun `[1]`.
    pub direction: DVec3,
    /// How bright the sun is, as a multiple of the usual `[1]`.
    pub sun: f64,
    /// How bright the sky is, as a multiple of the usual `[1]`.
    pub sky: f64,
    /// The size of the sun, as a multiple of the usual `[1]`.
    pub softness: f64,
}

impl Default for Light {
    fn default() -> Self {
        Self { direction: DVec3::new(-0.42, 0.78, 0.34), sun: 1.0, sky: 1.0, softness: 1.0 }
    }
}

/// The light as rays need it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lamp {
    /// Towards the sun.
    pub(crate) towards: Vec3,
    /// The tangent of the sun's radius as seen from the ground.
    pub(crate) tangent: f32,
    /// Light of the sun on a surface that faces it.
    pub(crate) sun: Vec3,
    /// Light of the whole sky on a surface that faces upwards.
    pub(crate) sky: Vec3,
    /// Light that deep water sends back by itself.
    pub(crate) deep: Vec3,
    brightness: f32,
}

impl Lamp {
    pub(crate) fn new(light: &Light) -> Self {
        let sound = |x: f64| if x.is_finite() { x.clamp(0.0, 100.0) as f32 } else { 1.0 };
        let usual = Light::default().direction;
        let above = light.direction.try_normalize().filter(|d| d.y > 0.05);
        let brightness = sound(light.sky);
        Self {
            towards: above.unwrap_or_else(|| usual.normalize()).as_vec3(),
            tangent: SUN_TANGENT * sound(light.softness),
            sun: SUN * sound(light.sun),
            sky: SKY * brightness,
            deep: DEEP * brightness,
            brightness,
        }
    }

    /// What is seen in a direction in which nothing is; `with_sun` in mirrors, not by eyes.
    pub(crate) fn seen(&self, direction: Vec3, with_sun: bool) -> Vec3 {
        let (horizon, zenith) = (Vec3::new(0.86, 0.90, 0.94), Vec3::new(0.30, 0.50, 0.80));
        let up = direction.y.max(0.0);
        let base = self.brightness * horizon.lerp(zenith, up.powf(0.55));
        if !with_sun {
            return base;
        }
        let near = direction.dot(self.towards).max(0.0);
        base + self.sun * (9.0 * near.powi(900) + 0.5 * near.powi(40))
    }
}

/// How much of the light is left after a way through water.
pub(crate) fn through_water(length: f32) -> Vec3 {
    (-ABSORPTION * length.max(0.0)).exp()
}

/// What part of the light a surface between media mirrors, by the cosine of the incoming ray and the quotient of
/// refractive indices, from the ray's side to the other.
pub(crate) fn fresnel(cosine: f32, ratio: f32) -> f32 {
    let sine_squared = ratio * ratio * (1.0 - cosine * cosine);
    if sine_squared >= 1.0 {
        return 1.0;
    }
    let other = (1.0 - sine_squared).sqrt();
    let across = (ratio * cosine - other) / (ratio * cosine + other);
    let along = (cosine - ratio * other) / (cosine + ratio * other);
    0.5 * (across * across + along * along)
}

/// Compresses bright light, as film does, to values from 0 to 1.
pub(crate) fn film(light: Vec3) -> Vec3 {
    let x = light * 0.58;
    // A rational curve with a soft toe and a soft shoulder.
    (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_follow_fresnel() {
        // Straight on, water mirrors ((n - 1) / (n + 1))² on both ways.
        let straight = (0.33_f32 / 2.33).powi(2);
        assert!((fresnel(1.0, 1.0 / 1.33) - straight).abs() < 1e-5);
        assert!((fresnel(1.0, 1.33) - straight).abs() < 1e-5);
        // From inside, beyond asin(1 / 1.33) = 48.8°, all of it.
        assert!(fresnel(49.0_f32.to_radians().cos(), 1.33) >= 1.0);
        assert!(fresnel(48.0_f32.to_radians().cos(), 1.33) < 1.0);
        assert!(fresnel(0.0, 1.0 / 1.33) > 0.999);
    }

    #[test]
    fn film_keeps_order_and_stays_in_range() {
        let mut last = -1.0;
        for k in 0..100 {
            let grey = film(Vec3::splat(0.1 * k as f32)).x;
            assert!(grey > last && grey <= 1.04);
            last = grey;
        }
    }
}
