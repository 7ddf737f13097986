//! A picture of a frame, drawn in the program: balls of water, coloured by their speed, in the wireframe of the
//! bodies.
//!
//! Every band of rows is drawn by itself, at twice the resolution in both directions, so that bands can be drawn in
//! parallel and need little memory.

mod band;
mod camera;
mod colour;
mod font;
mod legend;
mod line;
mod stage;
mod surface;

use std::path::Path;

use glam::DVec3;
use meniscus_core::{Dimension, ParticleFrame};
use rayon::prelude::*;

use crate::{OutputError, atomic};
pub use camera::{Camera, Viewpoint};
pub use colour::to_bytes;
use stage::Stage;
pub use stage::sound_bounds;
pub use surface::{Surface, SurfaceMesh, tint_colour};

/// What to show besides the particles, and how large.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewView {
    /// Whether the scene lives in a plane or in space.
    pub dimension: Dimension,
    /// Distance of neighbouring particles `[m]`; a particle is drawn as a ball or disc of about that diameter.
    pub spacing: f64,
    /// Edges of the bodies, drawn as thin lines `[m]`.
    pub segments: Vec<[DVec3; 2]>,
    /// Bodies, drawn as shaded surfaces.
    pub surfaces: Vec<Surface>,
    /// Least and largest corner of what must be seen `[m]`.
    pub bounds: (DVec3, DVec3),
    /// Width of the picture `[pixel]`.
    pub width: u32,
    /// Height of the picture `[pixel]`.
    pub height: u32,
    /// A line of text: the scene's title, the time.
    pub caption: String,
    /// Where the picture is taken from; a plane is always seen straight on.
    pub viewpoint: Viewpoint,
    /// What the colours mean; if left out, the speed.
    pub scale: Option<ColourScale>,
}

/// A quantity that colours the particles instead of their speed.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourScale {
    /// Its value at each particle; without one, the least.
    pub value: Vec<f32>,
    /// The values of the darkest and of the lightest colour.
    pub range: [f64; 2],
    /// What is written behind the largest value: a unit, or nothing. The legend has room for a few letters.
    pub label: String,
}

impl Default for PreviewView {
    fn default() -> Self {
        Self {
            dimension: Dimension::Three,
            spacing: 0.01,
            segments: Vec::new(),
            surfaces: Vec::new(),
            bounds: (DVec3::ZERO, DVec3::ONE),
            width: 1280,
            height: 720,
            caption: String::new(),
            viewpoint: Viewpoint::default(),
            scale: None,
        }
    }
}

/// A finished picture: rows from the top, three bytes a pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width `[pixel]`.
    pub width: u32,
    /// Height `[pixel]`.
    pub height: u32,
    /// Red, green, blue of each pixel.
    pub rgb: Vec<u8>,
}

/// Rows of the picture that are drawn at once `[pixel]`.
const BAND_ROWS: usize = 16;

/// Pictures are at least 1 and at most this wide and high `[pixel]`.
const MAX_SIDE: u32 = 16_384;

/// Draws a frame. Particles at places that are not finite are left out.
#[must_use]
pub fn render_preview(frame: &ParticleFrame, view: &PreviewView) -> Picture {
    let (width, height) = (view.width.clamp(1, MAX_SIDE), view.height.clamp(1, MAX_SIDE));
    let stage = Stage::new(frame, view, width, height);
    let row_bytes = width as usize * 3;
    let mut rgb = vec![0; row_bytes * height as usize];
    rgb.par_chunks_mut(row_bytes * BAND_ROWS).enumerate().for_each(|(i, rows)| {
        band::draw(&stage, i * BAND_ROWS, rows);
    });
    let mut picture = Picture { width, height, rgb };
    legend::draw(&mut picture, &stage, view);
    picture
}

impl Picture {
    /// The picture as a PNG file's bytes.
    ///
    /// # Errors
    /// When the pixels do not match the size.
    pub fn to_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes the picture as PNG, atomically.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let bytes = self.to_png().map_err(|error| OutputError::io("write", path)(error.into()))?;
        atomic::write(path, &bytes)
    }
}
