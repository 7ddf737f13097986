//! Where the picture is taken from.

use glam::{DVec2, DVec3};

/// Parts of the picture's height that stay free above and below for the text.
const MARGIN_TOP: f64 = 0.085;
const MARGIN_BOTTOM: f64 = 0.055;
const MARGIN_SIDE: f64 = 0.05;

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

/// From where a picture is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Viewpoint {
    /// Straight on, without perspective, as planar scenes are seen. What must be seen fills the picture.
    StraightOn,
    /// From this direction, so far away that what must be seen fills the picture.
    Framing {
        /// Towards the eye `[1]`.
        towards_eye: DVec3,
        /// How strong the perspective is: about the angle that the whole takes `[rad]`.
        angle: f64,
    },
    /// From a fixed place.
    Fixed {
        /// Where the eye is `[m]`.
        eye: DVec3,
        /// What it looks at; if left out, the middle of what must be seen `[m]`.
        target: Option<DVec3>,
        /// The angle between the lower and the upper edge of the picture `[rad]`.
        angle: f64,
    },
}

impl Viewpoint {
    /// The usual direction towards the eye: the front, the right and slightly above `[1]`.
    pub const TOWARDS_EYE: DVec3 = DVec3::new(0.40, 0.42, 1.0);
    /// The usual angle: calm `[rad]`.
    pub const ANGLE: f64 = 25.0 / 180.0 * std::f64::consts::PI;
}

impl Default for Viewpoint {
    fn default() -> Self {
        Self::Framing { towards_eye: Self::TOWARDS_EYE, angle: Self::ANGLE }
    }
}

/// The eye of a picture.
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
    /// Looks at the bounds from a viewpoint, for a picture of that size `[pixel]`. What is not a direction or a place
    /// is taken as the usual one.
    #[must_use]
    pub fn new(viewpoint: &Viewpoint, bounds: (DVec3, DVec3), size: DVec2) -> Self {
        let centre = (bounds.0 + bounds.1) * 0.5;
        let reach = ((bounds.1 - bounds.0) * 0.5).length();
        let usual = || Viewpoint::TOWARDS_EYE.normalize();
        match *viewpoint {
            Viewpoint::StraightOn => {
                let mut camera = Self::looking(centre + DVec3::Z * (4.6 * reach), DVec3::Z, reach);
                camera.perspective = false;
                camera.fit(bounds, size);
                camera
            }
            Viewpoint::Framing { towards_eye, angle } => {
                let towards_eye = towards_eye.try_normalize().unwrap_or_else(usual);
                // A ball around the bounds takes this angle.
                let eye = centre + towards_eye * (reach / (0.5 * sound_angle(angle)).sin());
                let mut camera = Self::looking(eye, towards_eye, reach);
                camera.fit(bounds, size);
                camera
            }
            Viewpoint::Fixed { eye, target, angle } => {
                let towards_eye = (eye - target.unwrap_or(centre)).try_normalize().unwrap_or_else(usual);
                let mut camera = Self::looking(eye, towards_eye, reach);
                camera.zoom = 0.5 * size.y / (0.5 * sound_angle(angle)).tan();
                camera.shift = size * 0.5;
                camera.measure_depths(bounds);
                camera
            }
        }
    }

    /// An eye that is not yet focused. Up is up, except for an eye that looks straight up or down.
    fn looking(eye: DVec3, towards_eye: DVec3, reach: f64) -> Self {
        let forward = -towards_eye;
        let right = forward.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X);
        Self {
            perspective: true,
            near: 0.02 * reach,
            eye,
            right,
            up: right.cross(forward),
            forward,
            zoom: 1.0,
            shift: DVec2::ZERO,
            depths: (f64::INFINITY, f64::NEG_INFINITY),
        }
    }

    /// Notes how near and far the bounds are; what is behind the eye does not count.
    fn measure_depths(&mut self, bounds: (DVec3, DVec3)) {
        for corner in corners(bounds) {
            let depth = (corner - self.eye).dot(self.forward).max(self.near);
            self.depths = (self.depths.0.min(depth), self.depths.1.max(depth));
        }
    }

    /// Zooms and shifts so that the bounds fill the picture up to its margins.
    fn fit(&mut self, bounds: (DVec3, DVec3), size: DVec2) {
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for corner in corners(bounds) {
            let Some(seen) = self.see(corner) else { continue };
            low = low.min(seen.at);
            high = high.max(seen.at);
        }
        self.measure_depths(bounds);
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

/// An angle that a picture can have, whatever was given `[rad]`.
fn sound_angle(angle: f64) -> f64 {
    if angle.is_finite() { angle.clamp(0.02, 2.5) } else { Viewpoint::ANGLE }
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

    const SIZE: DVec2 = DVec2::new(1280.0, 720.0);

    #[test]
    fn the_bounds_fill_the_picture_and_stay_inside() {
        let steep = Viewpoint::Framing { towards_eye: DVec3::Y, angle: 1.9 };
        for viewpoint in [Viewpoint::StraightOn, Viewpoint::default(), steep] {
            for high in [DVec3::new(4.0, 1.0, 1.0), DVec3::new(1.0, 9.0, 0.5), DVec3::splat(1e-3)] {
                let bounds = (DVec3::splat(-0.2), high);
                let camera = Camera::new(&viewpoint, bounds, SIZE);
                let seen: Vec<DVec2> = corners(bounds).map(|corner| camera.see(corner).unwrap().at).collect();
                let low = seen.iter().copied().fold(DVec2::INFINITY, DVec2::min);
                let high = seen.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
                assert!(low.cmpge(DVec2::ZERO).all() && high.cmple(SIZE).all());
                assert!((high - low).y > 0.85 * SIZE.y || (high - low).x > 0.9 * SIZE.x);
            }
        }
    }

    #[test]
    fn a_fixed_eye_sees_its_target_in_the_middle_and_the_angle_from_edge_to_edge() {
        let (eye, target) = (DVec3::new(1.0, 2.0, 5.0), DVec3::new(0.0, 1.0, 0.0));
        let viewpoint = Viewpoint::Fixed { eye, target: Some(target), angle: 0.5 };
        let camera = Camera::new(&viewpoint, (DVec3::ZERO, DVec3::ONE), SIZE);
        assert!(camera.see(target).unwrap().at.distance(SIZE * 0.5) < 1e-9);
        let towards = (target - eye).normalize();
        let up = towards.cross(DVec3::Y).normalize().cross(towards);
        let top = camera.see(eye + towards + up * 0.25_f64.tan()).unwrap().at;
        assert!(top.distance(DVec2::new(640.0, 0.0)) < 1e-9);
        // Straight down there is a picture as well.
        let above = Viewpoint::Fixed { eye: DVec3::Y * 9.0, target: Some(DVec3::ZERO), angle: 0.5 };
        let camera = Camera::new(&above, (DVec3::ZERO, DVec3::ONE), SIZE);
        assert!(camera.see(DVec3::X).unwrap().at.x > 640.0);
    }

    #[test]
    fn a_pixel_finds_the_floor_point_that_it_shows() {
        let bounds = (DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0));
        let camera = Camera::new(&Viewpoint::default(), bounds, SIZE);
        let point = DVec3::new(0.7, 0.0, 0.3);
        let pixel = camera.see(point).unwrap().at;
        assert!(camera.floor_at(pixel, 0.0).unwrap().distance(point) < 1e-9);
    }
}
