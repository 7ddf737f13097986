//! Everything the bands need to know, computed once for the picture.

use glam::{DVec2, DVec3, Vec2, Vec3};
use meniscus_core::{Dimension, ParticleFrame};
use rayon::prelude::*;

use super::BAND_ROWS;
use super::camera::{Camera, Viewpoint};
use super::colour::{SpeedColours, srgb};
use super::surface::{self, Facet};
use super::{ColourScale, PreviewView, Surface};

/// Samples per pixel in each direction.
pub(crate) const SAMPLES: usize = 2;

/// Radius of a drawn ball in particle distances: a little more than half, so that calm water has no gaps. Discs need
/// more, because no second layer fills the gaps from behind.
const BALL_RADIUS: f64 = 0.58;
const DISC_RADIUS: f64 = 0.66;

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
    pub(crate) facets: Vec<Facet>,
    /// Facets that reach into each band.
    pub(crate) facet_bands: Vec<Vec<u32>>,
    pub(crate) shadow: Columns,
    pub(crate) palette: Palette,
    pub(crate) ball_radius: f32,
    /// Speed at the upper end of the colours `[m/s]`.
    pub(crate) top_speed: f64,
}

impl Stage {
    pub(crate) fn new(frame: &ParticleFrame, view: &PreviewView, width: u32, height: u32) -> Self {
        let bounds = sound_bounds(view.bounds);
        let size = DVec2::new(f64::from(width), f64::from(height)) * SAMPLES as f64;
        let planar = view.dimension == Dimension::Two;
        let viewpoint = if planar { Viewpoint::StraightOn } else { view.viewpoint };
        let camera = Camera::new(&viewpoint, bounds, size);
        let top_speed = top_speed(frame, bounds.1.y - bounds.0.y);
        let spacing = sound_spacing(view.spacing, bounds);
        let ball_radius = spacing * if planar { DISC_RADIUS } else { BALL_RADIUS };
        let mut shadow = Columns::new(frame, bounds, spacing);
        view.surfaces.iter().for_each(|surface| shadow.darken(surface));
        let colours = SpeedColours::new();
        let ball = |(i, (&position, velocity)): (usize, (&DVec3, &DVec3))| {
            let seen = camera.see(position)?;
            let colour = colours.at(match &view.scale {
                Some(scale) => fraction(scale, i),
                None => (velocity.length() / top_speed) as f32,
            });
            Some(Ball {
                at: seen.at.as_vec2(),
                radius: ((ball_radius * seen.scale) as f32).clamp(1.0, size.y as f32),
                depth: seen.depth as f32,
                colour: if planar { colour } else { colour * shadow.light_at(position) },
            })
        };
        let particles = frame.position.par_iter().zip(&frame.velocity).enumerate();
        let balls: Vec<Ball> = particles.filter_map(ball).collect();
        let facets = surface::facets(&camera, &view.surfaces, planar);
        Self {
            dimension: view.dimension,
            bands: bands_of(balls.iter().map(|b| (b.at.y - b.radius, b.at.y + b.radius)), height as usize),
            facet_bands: bands_of(facets.iter().map(Facet::rows), height as usize),
            facets,
            edges: edges_of(&camera, &view.segments),
            ball_radius: ball_radius as f32,
            size,
            camera,
            bounds,
            balls,
            shadow,
            palette: Palette::new(),
            top_speed,
        }
    }
}

/// Where a particle's value lies in its scale, 0 to 1.
fn fraction(scale: &ColourScale, i: usize) -> f32 {
    let [low, high] = scale.range;
    let value = scale.value.get(i).map_or(low, |v| f64::from(*v));
    ((value - low) / (high - low)) as f32
}

/// Bounds `[m]` that a camera can frame, whatever was given.
#[must_use]
pub fn sound_bounds((low, high): (DVec3, DVec3)) -> (DVec3, DVec3) {
    if !(low.is_finite() && high.is_finite()) {
        return (DVec3::ZERO, DVec3::ONE);
    }
    let least = (high - low).abs().max_element().max(1e-6) * 1e-3;
    (low.min(high) - least, low.max(high) + least)
}

/// A spacing that can be drawn, whatever was given `[m]`.
fn sound_spacing(spacing: f64, (low, high): (DVec3, DVec3)) -> f64 {
    let extent = (high - low).max_element();
    if spacing.is_finite() { spacing.clamp(1e-5 * extent, extent) } else { 1e-2 * extent }
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

/// For each band the numbers of things that reach into it, which have these first and last rows in samples.
fn bands_of(rows: impl Iterator<Item = (f32, f32)>, height: usize) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); height.div_ceil(BAND_ROWS)];
    let band_rows = (BAND_ROWS * SAMPLES) as f32;
    for (i, (first, last)) in rows.enumerate() {
        let (first, last) = (first / band_rows, last / band_rows);
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
    // Ends farther out than this lose their digits, and the steps along the line with them.
    const FARTHEST: f64 = 1e9;
    let edge = |&[from, to]: &[DVec3; 2]| {
        let (from, to) = (camera.see(from)?, camera.see(to)?);
        let near = from.at.abs().max(to.at.abs()).max_element() < FARTHEST;
        near.then_some(Edge { ends: [from.at, to.at], depths: [from.depth, to.depth] })
    };
    segments.iter().filter_map(edge).collect()
}

/// The water in upright square columns: how much lies above a place, for light and shadow.
pub(crate) struct Columns {
    low: DVec3,
    width: f64,
    count: [usize; 2],
    /// Water above each level of each column `[m]`.
    above: Vec<f32>,
    /// How dark the floor of each column is, 0 to 1.
    cover: Vec<f32>,
    height: f64,
}

impl Columns {
    /// Columns across the longer side, at most.
    const MOST: f64 = 200.0;
    /// Levels of a column.
    const LEVELS: usize = 64;

    fn new(frame: &ParticleFrame, (low, high): (DVec3, DVec3), spacing: f64) -> Self {
        // Some columns beyond the bounds, for the soft edge of the shadow.
        let around = 0.04 * (high - low).max_element() * DVec3::new(1.0, 0.0, 1.0);
        let (low, extent) = (low - around, high - low + 2.0 * around);
        let width = (2.0 * spacing).max(extent.x.max(extent.z) / Self::MOST);
        let count =
            [extent.x, extent.z].map(|side| (side / width).ceil().clamp(1.0, Self::MOST + 1.0) as usize);
        let cells = count[0] * count[1];
        let above = vec![0.0; cells * Self::LEVELS];
        let mut columns = Self { low, width, count, above, cover: vec![0.0; cells], height: extent.y };
        columns.pile_up(frame, (spacing.powi(3) / (width * width)) as f32);
        for (cover, levels) in columns.cover.iter_mut().zip(columns.above.chunks(Self::LEVELS)) {
            *cover = 1.0 - (-1.5 * levels[0] / spacing as f32).exp();
        }
        (0..4).for_each(|_| columns.soften());
        columns
    }

    /// Counts `share` metres of water for each particle, then adds up from the top.
    fn pile_up(&mut self, frame: &ParticleFrame, share: f32) {
        for &position in &frame.position {
            if let Some(cell) = self.cell_of(position) {
                let level = self.level_of(position);
                self.above[cell * Self::LEVELS + level] += share;
            }
        }
        for levels in self.above.chunks_mut(Self::LEVELS) {
            let mut sum = 0.0;
            for level in levels.iter_mut().rev() {
                sum += *level;
                *level = sum;
            }
        }
    }

    fn level_of(&self, position: DVec3) -> usize {
        let place = (position.y - self.low.y) / self.height * Self::LEVELS as f64;
        (place as usize).min(Self::LEVELS - 1)
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

    /// Lets a body darken the floor below it, the less the higher it is.
    fn darken(&mut self, surface: &Surface) {
        let mesh = &surface.mesh;
        if mesh.vertex.is_empty() {
            return;
        }
        let centre = mesh.vertex.iter().sum::<DVec3>() / mesh.vertex.len() as f64;
        let spread = mesh.vertex.iter().map(|v| v.distance(centre)).fold(0.0, f64::max);
        let middle = surface.rotation * centre + surface.position;
        let above = ((middle.y - self.low.y) / spread.max(f64::MIN_POSITIVE) - 1.0).max(0.0);
        let radius = spread * (1.0 + 0.2 * above.min(5.0));
        let strength = 0.55 / (1.0 + above);
        let low = self.cell_near(middle - radius);
        let high = self.cell_near(middle + radius);
        for z in low[1]..=high[1] {
            for x in low[0]..=high[0] {
                let at = self.low + self.width * DVec3::new(x as f64 + 0.5, 0.0, z as f64 + 0.5);
                let away = ((at - middle) * DVec3::new(1.0, 0.0, 1.0)).length() / radius;
                let dark = (strength * (1.0 - away * away).max(0.0)) as f32;
                let cover = &mut self.cover[z * self.count[0] + x];
                *cover = 1.0 - (1.0 - *cover) * (1.0 - dark);
            }
        }
    }

    /// The column nearest to a place.
    fn cell_near(&self, position: DVec3) -> [usize; 2] {
        let place = (position - self.low) / self.width;
        let near = |s: f64, n: usize| (s.max(0.0) as usize).min(n.saturating_sub(1));
        [near(place.x, self.count[0]), near(place.z, self.count[1])]
    }

    /// Light that reaches a particle through the water above it, 0 to 1.
    fn light_at(&self, position: DVec3) -> f32 {
        let Some(cell) = self.cell_of(position) else { return 1.0 };
        let above = self.above[cell * Self::LEVELS + self.level_of(position)];
        0.55 + 0.45 * (-5.0 * above / self.height as f32).exp()
    }

    /// Shadow of the water on the floor, 0 to 1, smooth between the middles of the columns.
    pub(crate) fn shadow_at(&self, position: DVec3) -> f32 {
        let place = (position - self.low) / self.width - 0.5;
        let (x, z) = (place.x.floor(), place.z.floor());
        let (right, front) = ((place.x - x) as f32, (place.z - z) as f32);
        let corner = |x: f64, z: f64| {
            let inside = x >= 0.0 && z >= 0.0 && x < self.count[0] as f64 && z < self.count[1] as f64;
            if inside { self.cover[z as usize * self.count[0] + x as usize] } else { 0.0 }
        };
        let row = |z: f64| corner(x, z) * (1.0 - right) + corner(x + 1.0, z) * right;
        row(z) * (1.0 - front) + row(z + 1.0) * front
    }
}

/// The colours of everything but the water.
pub(crate) struct Palette {
    sky: [Vec3; 2],
    ground: [Vec3; 2],
    pub(crate) line: Vec3,
}

impl Palette {
    fn new() -> Self {
        Self {
            sky: [srgb(0xF1_F5F8), srgb(0xBF_CCD7)],
            ground: [srgb(0xFA_FBFC), srgb(0x5F_7C98)],
            line: srgb(0x3C_4650),
        }
    }

    /// The sky behind everything, at a fraction of the height from the top.
    pub(crate) fn sky(&self, fraction: f32) -> Vec3 {
        self.sky[0].lerp(self.sky[1], fraction)
    }

    /// The floor, in a shadow between 0 and 1.
    pub(crate) fn ground(&self, shadow: f32) -> Vec3 {
        self.ground[0].lerp(self.ground[1], 0.75 * shadow)
    }
}
