//! One band of rows: background, balls, bodies, edges, then two samples by two become a pixel.

use glam::{DVec2, DVec3, Vec2, Vec3};
use meniscus_core::Dimension;

use super::stage::{Ball, SAMPLES, Stage};
use super::{colour, line};

/// The samples of a band.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// First row of the band in the picture, in samples.
    pub(crate) top: usize,
    pub(crate) colour: Vec<Vec3>,
    /// Depth of what is seen `[m]`; infinite for the background.
    pub(crate) depth: Vec<f32>,
}

/// Draws the band that begins at row `first` into the bytes of its rows.
pub(crate) fn draw(stage: &Stage, first: usize, rows: &mut [u8]) {
    let width = stage.size.x as usize;
    let height = rows.len() / 3 * SAMPLES * SAMPLES / width;
    let samples = width * height;
    let mut canvas = Canvas {
        width,
        height,
        top: first * SAMPLES,
        colour: vec![Vec3::ZERO; samples],
        depth: vec![f32::INFINITY; samples],
    };
    let nearest = canvas.find_nearest(stage, &stage.bands[first / super::BAND_ROWS]);
    let facet = canvas.find_facets(stage, &stage.facet_bands[first / super::BAND_ROWS]);
    canvas.paint(stage, &nearest, &facet);
    for edge in &stage.edges {
        line::draw(&mut canvas, edge, stage.palette.line);
    }
    canvas.reduce_into(rows);
}

/// No ball covers this sample.
const NONE: u32 = u32::MAX;

impl Canvas {
    /// Finds the nearest ball of each sample and its depth.
    fn find_nearest(&mut self, stage: &Stage, balls: &[u32]) -> Vec<u32> {
        let mut nearest = vec![NONE; self.depth.len()];
        for &i in balls {
            let ball = &stage.balls[i as usize];
            let rows = span(ball.at.y - self.top as f32, ball.radius, self.height);
            for y in rows {
                let across = self.offset(ball, 0, y).y;
                let half = (1.0 - across * across).max(0.0).sqrt() * ball.radius;
                for x in span(ball.at.x, half, self.width) {
                    let depth = ball.depth - stage.ball_radius * bulge(self.offset(ball, x, y));
                    let sample = y * self.width + x;
                    if depth < self.depth[sample] {
                        self.depth[sample] = depth;
                        nearest[sample] = i;
                    }
                }
            }
        }
        nearest
    }

    /// Finds the nearest facet of each sample that is nearer than what was found so far.
    fn find_facets(&mut self, stage: &Stage, facets: &[u32]) -> Vec<u32> {
        let mut nearest = vec![NONE; self.depth.len()];
        let (size, top) = ([self.width, self.height], self.top);
        for &i in facets {
            stage.facets[i as usize].cover(size, top, |x, y, depth| {
                let sample = y * size[0] + x;
                if depth < self.depth[sample] {
                    self.depth[sample] = depth;
                    nearest[sample] = i;
                }
            });
        }
        nearest
    }

    /// A sample's place on a ball, in radii from its centre, y up.
    fn offset(&self, ball: &Ball, x: usize, y: usize) -> Vec2 {
        let at = Vec2::new(x as f32 + 0.5, (self.top + y) as f32 + 0.5);
        (at - ball.at) * Vec2::new(1.0, -1.0) / ball.radius
    }

    fn paint(&mut self, stage: &Stage, nearest: &[u32], facet: &[u32]) {
        for (sample, (&i, &facet)) in nearest.iter().zip(facet).enumerate() {
            let (x, y) = (sample % self.width, sample / self.width);
            let behind = stage.palette.sky((self.top + y) as f32 / stage.size.y as f32);
            self.colour[sample] = if facet != NONE {
                stage.facets[facet as usize].colour.lerp(behind, haze(stage, self.depth[sample]))
            } else if i == NONE {
                floor(stage, DVec2::new(x as f64 + 0.5, (self.top + y) as f64 + 0.5), behind)
            } else {
                let ball = &stage.balls[i as usize];
                let lit = shade(stage.dimension, ball, self.offset(ball, x, y));
                lit.lerp(behind, haze(stage, ball.depth))
            };
        }
    }

    fn reduce_into(&self, rows: &mut [u8]) {
        let width = self.width / SAMPLES;
        for (i, pixel) in rows.chunks_exact_mut(3).enumerate() {
            let (x, y) = (i % width * SAMPLES, i / width * SAMPLES);
            let row = |y: usize| {
                let start = y * self.width + x;
                self.colour[start..start + SAMPLES].iter().sum::<Vec3>()
            };
            let sum: Vec3 = (y..y + SAMPLES).map(row).sum();
            pixel.copy_from_slice(&colour::to_bytes(sum / (SAMPLES * SAMPLES) as f32));
        }
    }
}

/// Samples whose centres lie within `half` of `centre`, cut to `0..limit`.
fn span(centre: f32, half: f32, limit: usize) -> std::ops::Range<usize> {
    let start = (centre - half + 0.5).max(0.0) as usize;
    let end = (centre + half + 0.5).max(0.0) as usize;
    start.min(limit)..end.min(limit)
}

/// Height of a ball's surface above its rim, in radii.
fn bulge(offset: Vec2) -> f32 {
    (1.0 - offset.length_squared()).max(0.0).sqrt()
}

/// Light on a ball: a soft lamp from the upper left, the sky from above, a small highlight, and an edge that stays
/// visible against water of the same colour.
fn shade(dimension: Dimension, ball: &Ball, offset: Vec2) -> Vec3 {
    if dimension == Dimension::Two {
        // A disc, slightly darker towards its rim.
        return ball.colour * (1.05 - 0.45 * offset.length_squared().powi(2));
    }
    let normal = offset.extend(bulge(offset));
    let lamp = Vec3::new(-0.40, 0.72, 0.56);
    let halfway = Vec3::new(-0.226, 0.408, 0.884);
    let lambert = normal.dot(lamp).max(0.0);
    let from_sky = 0.5 + 0.5 * normal.y;
    let rim = (1.0 - normal.z).powi(2);
    let highlight = normal.dot(halfway).max(0.0).powi(48);
    let body = ball.colour * (0.36 + 0.32 * from_sky + 0.70 * lambert) * (1.0 - 0.55 * rim);
    body + Vec3::new(0.20, 0.27, 0.32) * rim * from_sky * 0.45 + Vec3::splat(0.22 * highlight)
}

/// How much of the sky lies over things at a depth.
fn haze(stage: &Stage, depth: f32) -> f32 {
    if stage.dimension == Dimension::Two {
        return 0.0;
    }
    let (near, far) = (stage.camera.depths.0 as f32, stage.camera.depths.1 as f32);
    0.14 * ((depth - near) / (far - near)).clamp(0.0, 1.0).powf(1.5)
}

/// The floor under the scene, fading out around it, with the water's shadow.
fn floor(stage: &Stage, sample: DVec2, behind: Vec3) -> Vec3 {
    let (low, high) = stage.bounds;
    let Some(point) = stage.camera.floor_at(sample, low.y) else { return behind };
    let outside = (low - point).max(point - high).max(DVec3::ZERO) * DVec3::new(1.0, 0.0, 1.0);
    let reach = 0.35 * (high - low).max_element();
    let fade = (1.0 - outside.length() / reach).clamp(0.0, 1.0) as f32;
    let shadow = stage.shadow.shadow_at(point);
    behind.lerp(stage.palette.ground(shadow), 0.75 * fade * fade)
}
