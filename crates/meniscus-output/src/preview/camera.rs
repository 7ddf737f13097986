//! Where the picture is taken from.

use glam::{DVec2, DVec3};
use meniscus_core::Dimension;

/// Parts of the picture's height that stay free above and below for the text.
const MARGIN_TOP: f64 = 0.085;
const MARGIN_BOTTOM: f64 = 0.055;
const MARGIN_SIDE: f64 = 0.05;

/// Distance of the eye from the centre, in half diagonals of the bounds: far enough for a calm perspective.
const DISTANCE: f64 = 4.6;

/// A point as the picture sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    /// Place in the picture, from its upper left corner `[pixel]`.
    pub(crate) at: DVec2,
    /// Distance along the line of sight `[m]`.
    pub(crate) depth: f64,
    /// Pixels a metre takes at that depth `[pixel/m]`.
    pub(crate) scale: f64,
}

/// A camera that frames the bounds: seen from the front, the right and slightly above in space, straight on in the
/// plane.
#[derive(Debug, Clone)]
pub struct Camera {
    perspective: bool,
    /// Points nearer than this are not seen `[m]`.
    near: f64,
    eye: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    zoom: f64,
    shift: DVec2,
    /// Nearest and farthest depth of the bounds `[m]`.
    pub(crate) depths: (f64, f64),
}

impl Camera {
    /// Frames the bounds in a picture of that size `[pixel]`.
    #[must_use]
    pub fn framing(bounds: (DVec3, DVec3), dimension: Dimension, size: DVec2) -> Self {
        let perspective = dimension == Dimension::Three;
        let centre = (bounds.0 + bounds.1) * 0.5;
        let reach = ((bounds.1 - bounds.0) * 0.5).length();
        let towards_eye = if perspective { DVec3::new(0.40, 0.42, 1.0).normalize() } else { DVec3::Z };
        let forward = -towards_eye;
        let right = forward.cross(DVec3::Y).normalize();
        let mut camera = Self {
            perspective,
            near: 0.05 * reach,
            eye: centre + towards_eye * (DISTANCE * reach),
            right,
            up: right.cross(forward),
            forward,
            zoom: 1.0,
            shift: DVec2::ZERO,
            depths: (f64::INFINITY, f64::NEG_INFINITY),
        };
        camera.fit(bounds, size);
        camera
    }

    /// Zooms and shifts so that the bounds fill the picture up to its margins.
    fn fit(&mut self, bounds: (DVec3, DVec3), size: DVec2) {
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for corner in corners(bounds) {
            let Some(seen) = self.see(corner) else { continue };
            low = low.min(seen.at);
            high = high.max(seen.at);
            self.depths = (self.depths.0.min(seen.depth), self.depths.1.max(seen.depth));
        }
        let free_low = DVec2::new(MARGIN_SIDE * size.y, MARGIN_TOP * size.y);
        let free_high = size - DVec2::new(MARGIN_SIDE * size.y, MARGIN_BOTTOM * size.y);
        let extent = (high - low).max(DVec2::splat(f64::MIN_POSITIVE.sqrt()));
        self.zoom = ((free_high - free_low) / extent).min_element();
        self.shift = (free_low + free_high - (low + high) * self.zoom) * 0.5;
    }

    /// Where a point appears; nothing for points behind the eye or not finite.
    pub(crate) fn see(&self, point: DVec3) -> Option<Seen> {
        let from_eye = point - self.eye;
        let depth = from_eye.dot(self.forward);
        if depth <= self.near {
            return None;
        }
        let scale = self.zoom / if self.perspective { depth } else { 1.0 };
        let plane = DVec2::new(from_eye.dot(self.right), -from_eye.dot(self.up));
        let at = plane * scale + self.shift;
        (at.is_finite() && depth.is_finite()).then_some(Seen { at, depth, scale })
    }

    /// Where the light comes from: the upper left of the picture, and the eye.
    pub(crate) fn lamp(&self) -> DVec3 {
        (-0.40 * self.right + 0.72 * self.up - 0.56 * self.forward).normalize()
    }

    /// The line of sight through a pixel: where it begins `[m]` and where it goes, one metre forward `[1]`.
    #[must_use]
    pub fn sight(&self, pixel: DVec2) -> (DVec3, DVec3) {
        let plane = (pixel - self.shift) / self.zoom;
        (self.eye, self.forward + self.right * plane.x - self.up * plane.y)
    }

    /// Where the line of sight through a pixel meets the level `y = height`; nothing if it never does.
    pub(crate) fn floor_at(&self, pixel: DVec2, height: f64) -> Option<DVec3> {
        let (_, sight) = self.sight(pixel);
        let distance = (height - self.eye.y) / sight.y;
        (self.perspective && distance > 0.0 && distance.is_finite()).then(|| self.eye + sight * distance)
    }
}

fn corners((low, high): (DVec3, DVec3)) -> impl Iterator<Item = DVec3> {
    let pick = |bit: u32, low: f64, high: f64| if bit == 0 { low } else { high };
    (0..8_u32).map(move |i| {
        DVec3::new(pick(i & 1, low.x, high.x), pick(i & 2, low.y, high.y), pick(i & 4, low.z, high.z))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_fill_the_picture_and_stay_inside() {
        let size = DVec2::new(1280.0, 720.0);
        for dimension in [Dimension::Two, Dimension::Three] {
            for high in [DVec3::new(4.0, 1.0, 1.0), DVec3::new(1.0, 9.0, 0.5), DVec3::splat(1e-3)] {
                let bounds = (DVec3::splat(-0.2), high);
                let camera = Camera::framing(bounds, dimension, size);
                let seen: Vec<DVec2> = corners(bounds).map(|corner| camera.see(corner).unwrap().at).collect();
                let low = seen.iter().copied().fold(DVec2::INFINITY, DVec2::min);
                let high = seen.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
                assert!(low.cmpge(DVec2::ZERO).all() && high.cmple(size).all());
                assert!((high - low).y > 0.85 * size.y || (high - low).x > 0.9 * size.x);
            }
        }
    }

    #[test]
    fn a_pixel_finds_the_floor_point_that_it_shows() {
        let bounds = (DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0));
        let camera = Camera::framing(bounds, Dimension::Three, DVec2::new(1280.0, 720.0));
        let point = DVec3::new(0.7, 0.0, 0.3);
        let pixel = camera.see(point).unwrap().at;
        assert!(camera.floor_at(pixel, 0.0).unwrap().distance(point) < 1e-9);
    }
}
