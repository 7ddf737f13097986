//! The rays of a picture, more of them where neighbours differ.

use glam::{Vec2, Vec3};
use meniscus_output::Picture;
use meniscus_output::preview::to_bytes;
use rayon::prelude::*;

use crate::random;
use crate::sky::film;
use crate::stage::{Quality, RenderScene, Stage};
use crate::trace::Path;

/// Pixels that differ from a neighbour by more than this, from 0 to 1, get more rays.
const CONTRAST: f32 = 0.045;
/// Pictures are at least 1 and at most this wide and high `[pixel]`.
const MAX_SIDE: u32 = 8192;

/// Renders a picture of that size `[pixel]`.
#[must_use]
pub fn render(scene: &RenderScene, width: u32, height: u32, quality: Quality) -> Picture {
    let (width, height) = (width.clamp(1, MAX_SIDE), height.clamp(1, MAX_SIDE));
    let stage = Stage::new(scene, width, height, quality);
    let size = [width as usize, height as usize];
    let first: Vec<Vec3> =
        (0..size[0] * size[1]).into_par_iter().map(|pixel| sample(&stage, size, pixel, 0)).collect();
    let more = quality.samples();
    let finished = (0..first.len()).into_par_iter().flat_map_iter(|pixel| {
        let colour = if differs(&first, size, pixel) {
            let others: Vec3 = (1..more).map(|k| sample(&stage, size, pixel, k)).sum();
            (first[pixel] + others) / more as f32
        } else {
            first[pixel]
        };
        to_bytes(colour)
    });
    Picture { width, height, rgb: finished.collect() }
}

/// One sample of a pixel as film sees it.
fn sample(stage: &Stage, size: [usize; 2], pixel: usize, k: u32) -> Vec3 {
    let at = Vec2::new((pixel % size[0]) as f32, (pixel / size[0]) as f32);
    let seed = random::hash(pixel as u32, k);
    let within = if k == 0 { Vec2::splat(0.5) } else { random::point(pixel as u32, k) };
    let light = stage.radiance(&stage.sight(at + within), Path::from_eye(seed));
    // Nothing that is not a number may reach the picture.
    film(Vec3::from(light.to_array().map(|x| if x.is_finite() { x.clamp(0.0, 30.0) } else { 0.0 })))
}

/// Whether a pixel differs from one of its four neighbours.
fn differs(picture: &[Vec3], [width, height]: [usize; 2], pixel: usize) -> bool {
    let (x, y) = (pixel % width, pixel / width);
    let here = picture[pixel];
    let far = |other: usize| (picture[other] - here).abs().max_element() > CONTRAST;
    (x > 0 && far(pixel - 1))
        || (x + 1 < width && far(pixel + 1))
        || (y > 0 && far(pixel - width))
        || (y + 1 < height && far(pixel + width))
}
