//! Pictures of pairs of triangles: their samples, and the number density inside of them.

use anyhow::Result;
use glam::{DVec2, DVec3};
use meniscus_core::Dimension;
use meniscus_geometry::{SamplingQuality, TriangleMesh, number_density};
use meniscus_output::Picture;

use super::pairs::KERNEL;

/// Pixels of a smoothing length.
const SCALE: f64 = 34.0;
const PAPER: [u8; 3] = [255, 255, 255];

/// A sheet of pictures of equal size, side by side.
pub struct Sheet {
    picture: Picture,
    cell: [usize; 2],
}

impl Sheet {
    /// An empty sheet of `columns` and `rows` that each show `size` `[h]`.
    #[must_use]
    pub fn new(columns: usize, rows: usize, size: DVec2) -> Self {
        let cell = [(size.x * SCALE) as usize + 20, (size.y * SCALE) as usize + 20];
        let (width, height) = (cell[0] * columns, cell[1] * rows);
        let rgb = PAPER.repeat(width * height);
        Self { picture: Picture { width: width as u32, height: height as u32, rgb }, cell }
    }

    /// Draws samples as discs of diameter h/2 on the triangles.
    pub fn samples(&mut self, at: [usize; 2], mesh: &TriangleMesh, sample: &[DVec3]) {
        self.paint(at, mesh, |x, inside| {
            let nearest = sample.iter().map(|s| s.distance(x)).fold(f64::INFINITY, f64::min);
            match nearest {
                d if d < 0.22 => [60, 90, 130],
                d if d < 0.25 => [20, 30, 50],
                _ if inside => [236, 228, 210],
                _ => PAPER,
            }
        });
    }

    /// Draws δ: blue where it is under-sampled, red where it is over-sampled, between them from light to dark green.
    ///
    /// # Errors
    /// If δ cannot be computed.
    pub fn density(&mut self, at: [usize; 2], mesh: &TriangleMesh, sample: &[DVec3]) -> Result<()> {
        let mut places = Vec::new();
        self.paint(at, mesh, |x, inside| {
            places.extend(inside.then_some(x));
            PAPER
        });
        let mut density = number_density(sample, &places, &KERNEL)?.into_iter();
        let [low, high] = SamplingQuality::limits(Dimension::Three);
        self.paint(at, mesh, |_, inside| {
            let Some(d) = inside.then(|| density.next()).flatten() else { return PAPER };
            if d < low {
                [60, 90, 220]
            } else if d > high {
                [210, 50, 40]
            } else {
                let t = (d - low) / (high - low);
                [235.0 - 190.0 * t, 245.0 - 110.0 * t, 215.0 - 150.0 * t].map(|c| c as u8)
            }
        });
        Ok(())
    }

    /// Colours every pixel of a cell by its place `[h]` and whether it lies in the mesh, from the top left.
    fn paint(&mut self, at: [usize; 2], mesh: &TriangleMesh, mut colour: impl FnMut(DVec3, bool) -> [u8; 3]) {
        let low = mesh.bounds().min - DVec3::splat(10.0 / SCALE);
        for row in 0..self.cell[1] {
            for column in 0..self.cell[0] {
                let up = self.cell[1] - row;
                let x = low + DVec3::new(column as f64 + 0.5, up as f64 - 0.5, 0.0) / SCALE;
                let x = x.with_z(0.0);
                let rgb = colour(x, mesh.corners().any(|corner| contains(corner, x)));
                let pixel = (at[1] * self.cell[1] + row) * self.picture.width as usize
                    + at[0] * self.cell[0]
                    + column;
                if let Some(slot) = self.picture.rgb.get_mut(3 * pixel..3 * pixel + 3) {
                    slot.copy_from_slice(&rgb);
                }
            }
        }
    }

    /// The finished sheet.
    #[must_use]
    pub fn finish(self) -> Picture {
        self.picture
    }
}

fn contains([a, b, c]: [DVec3; 3], x: DVec3) -> bool {
    let side = |p: DVec3, q: DVec3| (q - p).cross(x - p).z >= 0.0;
    let sides = [side(a, b), side(b, c), side(c, a)];
    sides == [true; 3] || sides == [false; 3]
}
