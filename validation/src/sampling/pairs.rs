//! Pairs of triangles that deform, as in \[Akinci2013\] Fig. 3 and 4.
//!
//! h = 1: lengths are in smoothing lengths, the spacing is one half.

use anyhow::Result;
use glam::{DMat2, DVec2, DVec3};
use meniscus_core::Dimension;
use meniscus_geometry::sample::{
    RandomStream, ResampledSurface, Rounding, ScanlineParams, places_in_triangle, seven_point,
};
use meniscus_geometry::{SamplingQuality, TriangleMesh, number_density};
use meniscus_sph::kernel::{Kernel, KernelKind};

/// The cubic spline that ends at h = 1.
pub const KERNEL: Kernel =
    Kernel { kind: KernelKind::CubicSpline, support_radius: 1.0, dimension: Dimension::Three };

/// How a deformed pair is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// The scanline samples of the initial pose, moved with the triangles.
    Kept,
    /// The seven-point rule in each pose, cut until no edge is longer than this many h.
    SevenPoint(f64),
    /// Scanlines with resampling, rounded down as in the paper.
    Down,
    /// Scanlines with resampling, rounded up.
    Up,
}

/// A pair of triangles in two poses.
#[derive(Debug, Clone)]
pub struct Pair {
    /// What it shows.
    pub name: String,
    /// The initial pose.
    pub initial: TriangleMesh,
    /// The deformed pose of its vertices `[h]`.
    pub deformed: Vec<DVec3>,
}

impl Pair {
    /// The deformed pose as a mesh.
    #[must_use]
    pub fn deformed(&self) -> TriangleMesh {
        TriangleMesh { vertex: self.deformed.clone(), triangle: self.initial.triangle.clone() }
    }

    /// The samples of both poses.
    ///
    /// # Errors
    /// If a pose cannot be sampled.
    pub fn samples(&self, scheme: Scheme) -> Result<[Vec<DVec3>; 2]> {
        let rounding = if scheme == Scheme::Up { Rounding::Up } else { Rounding::Down };
        let params = ScanlineParams { spacing: 0.5, rounding };
        Ok(match scheme {
            Scheme::SevenPoint(threshold) => {
                { [&self.initial, &self.deformed()].map(|m| seven_point(m, threshold).map(|s| s.position)) }
                    .into_iter()
                    .collect::<Result<Vec<_>, _>>()?
                    .try_into()
                    .unwrap_or_default()
            }
            Scheme::Kept => {
                let first = ResampledSurface::new(&self.initial, &params)?;
                let mesh = self.deformed();
                let place = |a: &meniscus_geometry::sample::MeshAnchor| a.place(&mesh.vertex, &mesh.triangle);
                let moved = first.samples().anchor.iter().filter_map(place).collect();
                [first.samples().position.clone(), moved]
            }
            Scheme::Down | Scheme::Up => {
                let mut surface = ResampledSurface::new(&self.initial, &params)?;
                let first = surface.samples().position.clone();
                // In many small steps, as a simulation does.
                for step in 1..=50 {
                    let t = f64::from(step) / 50.0;
                    let pose: Vec<DVec3> =
                        self.initial.vertex.iter().zip(&self.deformed).map(|(a, b)| a.lerp(*b, t)).collect();
                    surface.update(&pose)?;
                }
                [first, surface.samples().position.clone()]
            }
        })
    }
}

/// δ at many places inside of a pair, `border` `[h]` or farther from its outer border.
///
/// # Errors
/// If the mesh cannot be asked.
pub fn quality(mesh: &TriangleMesh, sample: &[DVec3], border: f64) -> Result<SamplingQuality> {
    let mut places = Vec::new();
    for corner in mesh.corners() {
        places.extend(places_in_triangle(corner, 0.06)?);
    }
    places.retain(|x| border <= 0.0 || from_border(mesh, *x) >= border);
    let density = number_density(sample, &places, &KERNEL)?;
    Ok(SamplingQuality::of(&density, 1.0, Dimension::Three))
}

/// The distance to the nearest edge that has one triangle `[h]`.
fn from_border(mesh: &TriangleMesh, x: DVec3) -> f64 {
    let sides = || mesh.triangle.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let is_border = |e: &[u32; 2]| sides().filter(|f| *f == *e || [f[1], f[0]] == *e).count() == 1;
    let distance = |[a, b]: [u32; 2]| {
        let (a, b) = (mesh.vertex[a as usize], mesh.vertex[b as usize]);
        let t = ((x - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        x.distance(a.lerp(b, t))
    };
    sides().filter(is_border).map(distance).fold(f64::INFINITY, f64::min)
}

/// Pairs of everyday shapes, each under several deformations.
#[must_use]
pub fn everyday() -> Vec<Pair> {
    let shapes = [
        ("even", [[0.0, 0.0], [5.3, 0.0], [2.65, 4.6], [7.95, 4.6]]),
        ("right", [[0.0, 0.0], [4.2, 0.0], [0.0, 4.2], [4.2, 4.2]]),
        ("irregular", [[0.0, 0.4], [4.9, 0.0], [1.6, 3.3], [6.2, 5.1]]),
        ("flat", [[0.0, 0.0], [6.1, 0.0], [2.1, 1.9], [7.4, 2.3]]),
    ];
    let changes = [
        ("stretched 1.5 along x", DMat2::from_cols(DVec2::new(1.5, 0.0), DVec2::Y)),
        ("stretched 2 along y", DMat2::from_cols(DVec2::X, DVec2::new(0.0, 2.0))),
        ("sheared 0.6", DMat2::from_cols(DVec2::X, DVec2::new(0.6, 1.0))),
        ("shrunk to 0.7 along x", DMat2::from_cols(DVec2::new(0.7, 0.0), DVec2::Y)),
        ("grown 1.3", DMat2::from_diagonal(DVec2::splat(1.3))),
    ];
    let pair = |(shape, corner): (&str, [[f64; 2]; 4]), (change, by): (&str, DMat2)| {
        let vertex: Vec<DVec3> = corner.iter().map(|c| DVec2::from(*c).extend(0.0)).collect();
        let deformed = corner.iter().map(|c| (by * DVec2::from(*c)).extend(0.0)).collect();
        let initial = TriangleMesh { vertex, triangle: vec![[0, 1, 2], [2, 1, 3]] };
        Pair { name: format!("{shape}, {change}"), initial, deformed }
    };
    shapes.into_iter().flat_map(|shape| changes.map(|change| pair(shape, change))).collect()
}

/// Random pairs without angles below 20 degrees, with edges of `shortest` h or more, under random deformations.
#[must_use]
pub fn random(count: usize, shortest: f64, seed: u64) -> Vec<Pair> {
    let mut random = RandomStream::new(seed);
    let mut pairs = Vec::new();
    while pairs.len() < count {
        let mut corner = || DVec2::new(random.unit(), random.unit()) * 8.0;
        let corners = [corner(), corner(), corner(), corner()];
        let mut part = || random.unit() - 0.5;
        let by = DMat2::from_cols(DVec2::new(1.0 + part(), part()), DVec2::new(part(), 1.0 + part()));
        let place = |by: DMat2| corners.iter().map(|c| (by * *c).extend(0.0)).collect::<Vec<DVec3>>();
        let initial = TriangleMesh { vertex: place(DMat2::IDENTITY), triangle: vec![[0, 1, 2], [2, 1, 3]] };
        let pair = Pair { name: format!("random {}", pairs.len() + 1), deformed: place(by), initial };
        if is_sound(&pair.initial, shortest) && is_sound(&pair.deformed(), shortest) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Whether the triangles do not overlap, are turned alike, and have no short edge and no sharp angle.
fn is_sound(mesh: &TriangleMesh, shortest: f64) -> bool {
    let turn = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).z;
    mesh.corners().all(|corner| {
        let angle = |k: usize| {
            let (x, y) = (corner[(k + 1) % 3] - corner[k], corner[(k + 2) % 3] - corner[k]);
            x.angle_between(y).to_degrees()
        };
        let edge = |k: usize| corner[k].distance(corner[(k + 1) % 3]);
        turn(corner) > 0.0 && (0..3).all(|k| angle(k) > 20.0 && edge(k) >= shortest)
    })
}
