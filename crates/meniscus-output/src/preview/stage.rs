//! Everything the bands need to know, computed once for the picture.

use glam::{DVec2, DVec3, Vec2, Vec3};
use meniscus_core::{Dimension, ParticleFrame};
use rayon::prelude::*;

use super::BAND_ROWS;
use super::PreviewView;
use super::camera::Camera;
use super::colour::{SpeedColours, srgb};

/// Samples per pixel in each direction.
pub(crate) const SAMPLES: usize = 2;

/// Radius of a drawn ball in particle distances: a little more than half, so that calm water has no gaps.
const RADIUS: f64 = 0.56;

/// A particle as the picture sees it, in samples.
pub(crate) struct Ball {
    pub(crate) at: Vec2,
    pub(crate) radius: f32,
    /// Depth of the centre `[m]`.
    pub(crate) depth: f32,
    pub(crate) colour: Vec3,
}

/// A segment in samples, with the depths of its ends `[m]`.
pub(crate) struct Edge {
    pub(crate) ends: [DVec2; 2],
    pub(crate) depths: [f64; 2],
}

/// The whole picture, ready to be drawn band by band.
pub(crate) struct Stage {
    pub(crate) dimension: Dimension,
    /// Size in samples.
    pub(crate) size: DVec2,
    pub(crate) camera: Camera,
    pub(crate) bounds: (DVec3, DVec3),
    pub(crate) balls: Vec<Ball>,
    /// Balls that reach into each band.
    pub(crate) bands: Vec<Vec<u32>>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) shadow: Columns,
    pub(crate) ball_radius: f32,
    /// Speed at the upper end of the colours `[m/s]`.
    pub(crate) top_speed: f64,
}

impl Stage {
    pub(crate) fn new(frame: &ParticleFrame, view: &PreviewView, width: u32, height: u32) -> Self {
        let bounds = sound_bounds(view.bounds);
        let size = DVec2::new(f64::from(width), f64::from(height)) * SAMPLES as f64;
        let camera = Camera::framing(bounds, view.dimension, size);
        let top_speed = top_speed(frame, bounds.1.y - bounds.0.y);
        let ball_radius = RADIUS * view.spacing.max(0.0);
        let shadow = Columns::new(frame, bounds, view.spacing);
        let colours = SpeedColours::new();
        let ball = |(&position, velocity): (&DVec3, &DVec3)| {
            let seen = camera.see(position)?;
            let colour = colours.at((velocity.length() / top_speed) as f32);
            Some(Ball {
                at: seen.at.as_vec2(),
                radius: ((ball_radius * seen.scale) as f32).clamp(1.0, size.y as f32),
                depth: seen.depth as f32,
                colour: colour * shadow.light_at(position),
            })
        };
        let balls: Vec<Ball> = frame.position.par_iter().zip(&frame.velocity).filter_map(ball).collect();
        Self {
            dimension: view.dimension,
            bands: bands_of(&balls, height as usize),
            edges: edges_of(&camera, &view.segments),
            ball_radius: ball_radius as f32,
            size,
            camera,
            bounds,
            balls,
            shadow,
            top_speed,
        }
    }
}

/// Bounds that a camera can frame, whatever was given.
fn sound_bounds((low, high): (DVec3, DVec3)) -> (DVec3, DVec3) {
    if !(low.is_finite() && high.is_finite()) {
        return (DVec3::ZERO, DVec3::ONE);
    }
    let least = (high - low).abs().max_element().max(1e-6) * 1e-3;
    (low.min(high) - least, low.max(high) + least)
}

/// The speed that gets the lightest colour `[m/s]`: nearly the largest, but never so small that the trembling of
/// calm water looks like foam.
fn top_speed(frame: &ParticleFrame, height: f64) -> f64 {
    let mut speeds: Vec<f64> = frame.velocity.iter().map(|velocity| velocity.length()).collect();
    speeds.retain(|speed| speed.is_finite());
    let calm = 0.1 * (2.0 * 9.81 * height).sqrt();
    if speeds.is_empty() {
        return calm;
    }
    // A few droplets that fly off must not take the colours from all others.
    let place = (speeds.len() - 1) * 995 / 1000;
    calm.max(*speeds.select_nth_unstable_by(place, f64::total_cmp).1)
}

fn bands_of(balls: &[Ball], height: usize) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); height.div_ceil(BAND_ROWS)];
    let rows = (BAND_ROWS * SAMPLES) as f32;
    for (i, ball) in balls.iter().enumerate() {
        let (first, last) = ((ball.at.y - ball.radius) / rows, (ball.at.y + ball.radius) / rows);
        if last < 0.0 || first >= bands.len() as f32 {
            continue;
        }
        let last = (last as usize).min(bands.len() - 1);
        for band in &mut bands[first as usize..=last] {
            band.push(i as u32);
        }
    }
    bands
}

fn edges_of(camera: &Camera, segments: &[[DVec3; 2]]) -> Vec<Edge> {
    let edge = |&[from, to]: &[DVec3; 2]| {
        let (from, to) = (camera.see(from)?, camera.see(to)?);
        Some(Edge { ends: [from.at, to.at], depths: [from.depth, to.depth] })
    };
    segments.iter().filter_map(edge).collect()
}

/// The water seen from above in square columns: how high it reaches and how much there is, for light and shadow.
pub(crate) struct Columns {
    low: DVec3,
    width: f64,
    count: [usize; 2],
    top: Vec<f32>,
    cover: Vec<f32>,
    height: f32,
}

impl Columns {
    /// Columns across the longer side, at most.
    const MOST: f64 = 200.0;

    fn new(frame: &ParticleFrame, (low, high): (DVec3, DVec3), spacing: f64) -> Self {
        let extent = high - low;
        let width = (2.0 * spacing).max(extent.x.max(extent.z) / Self::MOST);
        let count =
            [extent.x, extent.z].map(|side| (side / width).ceil().clamp(1.0, Self::MOST + 1.0) as usize);
        let cells = count[0] * count[1];
        let height = extent.y as f32;
        let mut columns =
            Self { low, width, count, top: vec![low.y as f32; cells], cover: vec![0.0; cells], height };
        let share = (spacing / width).powi(2) as f32;
        for &position in &frame.position {
            if let Some(cell) = columns.cell_of(position) {
                columns.top[cell] = columns.top[cell].max(position.y as f32);
                columns.cover[cell] += share;
            }
        }
        columns.cover.iter_mut().for_each(|cover| *cover = 1.0 - (-1.5 * *cover).exp());
        (0..3).for_each(|_| columns.soften());
        columns
    }

    fn cell_of(&self, position: DVec3) -> Option<usize> {
        let place = (position - self.low) / self.width;
        let inside = place.x >= 0.0 && place.z >= 0.0;
        let (x, z) = (place.x as usize, place.z as usize);
        (inside && x < self.count[0] && z < self.count[1]).then(|| z * self.count[0] + x)
    }

    /// Blurs the shadow by one column in each direction.
    fn soften(&mut self) {
        let [nx, nz] = self.count;
        let cover = |x: usize, z: usize| self.cover[z * nx + x];
        let blurred = (0..nx * nz).map(|cell| {
            let (x, z) = (cell % nx, cell / nx);
            let (left, right) = (x.saturating_sub(1), (x + 1).min(nx - 1));
            let (back, front) = (z.saturating_sub(1), (z + 1).min(nz - 1));
            let across = cover(left, z) + cover(right, z) + cover(x, back) + cover(x, front);
            0.5 * cover(x, z) + 0.125 * across
        });
        self.cover = blurred.collect();
    }

    /// Light that reaches a particle through the water above it, 0 to 1.
    fn light_at(&self, position: DVec3) -> f32 {
        let Some(cell) = self.cell_of(position) else { return 1.0 };
        let below = (self.top[cell] - position.y as f32).max(0.0) / self.height;
        0.62 + 0.38 * (-4.0 * below).exp()
    }

    /// Shadow of the water on the floor, 0 to 1.
    pub(crate) fn shadow_at(&self, position: DVec3) -> f32 {
        self.cell_of(position).map_or(0.0, |cell| self.cover[cell])
    }
}

/// The sky behind everything, at a fraction of the height from the top.
pub(crate) fn sky(fraction: f32) -> Vec3 {
    srgb(0xF1_F5F8).lerp(srgb(0xBF_CCD7), fraction.clamp(0.0, 1.0))
}
