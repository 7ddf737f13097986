//! `map`: the field of a mesh, how long it takes, how good it is, and what it looks like.

use crate::cli::{MapArgs, MapAxis, MapExtension, MapKernel, MapKind};
use crate::terminal::say;
use glam::DVec3;
use meniscus::core::Dimension;
use meniscus::geometry::field::SerendipityField;
use meniscus::geometry::map::{BallQuadrature, FieldCache, Origin};
use meniscus::geometry::{
    Aabb, Band, DensityMap, DistanceField, GeometryError, MapParams, MeshDistance, MeshShape, Profile, Side,
    SignedDistance, VolumeMap,
};
use meniscus::output::OutputError;
use meniscus::runner::RunError;
use meniscus::sph::kernel::{Kernel, KernelKind};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Points at which the map is compared with the integral over the mesh itself `[1]`.
const SAMPLES: usize = 48;
/// Points at which a distance field is compared with the mesh `[1]`.
const DISTANCE_SAMPLES: usize = 2000;
/// Longer edge of the picture `[px]`.
const PICTURE: f64 = 720.0;

/// What was asked for.
enum Field {
    Density(Arc<DensityMap>),
    Volume(Arc<VolumeMap>),
    Distance(Arc<DistanceField>),
}

impl Field {
    fn sampled(&self) -> &SerendipityField {
        match self {
            Self::Density(map) => map.field(),
            Self::Volume(map) => map.field(),
            Self::Distance(field) => field.field(),
        }
    }
}

/// Builds or reads a field and describes it.
pub fn map(args: &MapArgs) -> Result<(), RunError> {
    let mesh = super::mesh::open(&args.mesh)?;
    let bounds = mesh.mesh().bounds();
    // A tenth of the mesh shows something of most meshes.
    let fallback = 0.1 * bounds.size().max_element();
    let support = args.support.or(args.spacing.map(|spacing| 2.0 * spacing)).unwrap_or(fallback);
    let params = params(args, support);
    let started = Instant::now();
    let (field, origin) = field(args, &mesh, support, &params)?;
    let seconds = started.elapsed().as_secs_f64();
    let mut lines = describe(field.sampled(), origin, seconds);
    lines.insert(0, format!("support      {support} m, cells of {} m", params.cell));
    lines.push(error(&field, &mesh, &kernel(args, support), &params)?);
    if let Some(path) = &args.out {
        let at = args.at.unwrap_or(bounds.centre()[args.axis as usize]);
        let picture = Slice::new(&field, &mesh, args.axis, at);
        picture.write(path)?;
        lines.push(format!("slice        {}, white is 0 and red {:.4}", path.display(), picture.largest));
    }
    say(&lines.join("\n"));
    Ok(())
}

fn params(args: &MapArgs, support: f64) -> MapParams {
    let cell = args.cell.unwrap_or(0.5 * support);
    MapParams {
        cell,
        distance_cell: 0.5 * cell.min(support),
        tolerance: args.tolerance,
        profile: match args.extension {
            MapExtension::Flush => Profile::Flush,
            MapExtension::Inflated => Profile::Inflated,
            MapExtension::Smooth => Profile::Smooth,
        },
        side: if args.container { Side::Container } else { Side::Solid },
        ..MapParams::new(support)
    }
}

fn kernel(args: &MapArgs, support_radius: f64) -> Kernel {
    let kind = match args.kernel {
        MapKernel::CubicSpline => KernelKind::CubicSpline,
        MapKernel::WendlandC2 => KernelKind::WendlandC2,
    };
    Kernel { kind, support_radius, dimension: Dimension::Three }
}

fn field(
    args: &MapArgs,
    mesh: &MeshShape,
    support: f64,
    params: &MapParams,
) -> Result<(Field, Origin), GeometryError> {
    let cache = FieldCache::new(args.cache.as_deref());
    Ok(match args.kind {
        MapKind::Density => {
            let (map, origin) = cache.density(mesh, &kernel(args, support), params)?;
            (Field::Density(map), origin)
        }
        MapKind::Volume => {
            let (map, origin) = cache.volume(mesh, support, params)?;
            (Field::Volume(map), origin)
        }
        MapKind::Distance => {
            let band = Band { inner: support, outer: 2.0 * support };
            let (field, origin) = cache.distance(mesh, params.cell, band)?;
            (Field::Distance(field), origin)
        }
    })
}

fn describe(field: &SerendipityField, origin: Origin, seconds: f64) -> Vec<String> {
    let [x, y, z] = field.lattice().count();
    let (kept, all) = (field.kept_cells(), field.lattice().cells());
    let share = 100.0 * kept as f64 / all as f64;
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    let how = match origin {
        Origin::Built => "built",
        Origin::Disk | Origin::Memory => "read from the cache",
    };
    vec![
        format!("time         {seconds:.3} s, {how}"),
        format!("grid         {x} × {y} × {z} cells, {kept} of {all} kept ({share:.1} %)"),
        format!("nodes        {}", field.sampled_nodes()),
        format!(
            "memory       {:.2} MB, {:.2} MB if all cells were kept",
            megabytes(field.memory_bytes()),
            megabytes(field.dense_bytes())
        ),
    ]
}

/// Points all over the field's grid at which it has a value.
fn places(field: &SerendipityField, count: usize) -> Vec<DVec3> {
    let Aabb { min, max } = field.lattice().bounds();
    // The additive recurrence of the plastic number's cousin for three dimensions fills a box evenly.
    let at = |i: u32| DVec3::new(0.819_172_5, 0.671_043_6, 0.549_700_5).map(|f| (f64::from(i) * f).fract());
    let points = (1..200_000).map(|i| min + (max - min) * at(i));
    points.filter(|x| field.evaluate(*x).is_some()).take(count).collect()
}

/// How far the field is from what the mesh itself gives.
fn error(
    field: &Field,
    mesh: &MeshShape,
    kernel: &Kernel,
    params: &MapParams,
) -> Result<String, GeometryError> {
    let exact = MeshDistance::new(mesh);
    let sign = if params.side == Side::Solid { 1.0 } else { -1.0 };
    let (unit, of, differences): (_, _, Vec<f64>) = match field {
        Field::Distance(field) => {
            let of = |x: &DVec3| field.evaluate(*x).map(|(d, _)| (d - exact.distance(*x)).abs());
            let points = places(field.field(), DISTANCE_SAMPLES);
            (" m", "the mesh's distance", points.par_iter().filter_map(of).collect())
        }
        Field::Density(_) | Field::Volume(_) => {
            let (quadrature, whole) = reference(field, kernel, params)?;
            let signed = Signed { distance: &exact, sign };
            let sampled = field.sampled();
            let of = |x: &DVec3| {
                sampled.evaluate(*x).map(|(v, _)| (v / whole - quadrature.integrate(&signed, *x)).abs())
            };
            let points = places(sampled, SAMPLES);
            let unit = if matches!(field, Field::Volume(_)) { " of the ball" } else { "" };
            (unit, "the integral over the mesh itself", points.par_iter().filter_map(of).collect())
        }
    };
    let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    let most = differences.iter().copied().fold(0.0, f64::max);
    let count = differences.len();
    Ok(format!("error        {mean:.2e} mean, {most:.2e} max{unit}, from {of} at {count} points"))
}

/// The quadrature of the map, and what its 1 means in the map's unit.
fn reference(
    field: &Field,
    kernel: &Kernel,
    params: &MapParams,
) -> Result<(BallQuadrature, f64), GeometryError> {
    let (profile, tolerance) = (params.profile, params.tolerance);
    if matches!(field, Field::Volume(_)) {
        let support = kernel.support_radius;
        let ball = 4.0 / 3.0 * std::f64::consts::PI * support.powi(3);
        return Ok((BallQuadrature::plain(support, profile, tolerance, Dimension::Three)?, ball));
    }
    Ok((BallQuadrature::weighted(kernel, profile, tolerance, Dimension::Three)?, 1.0))
}

/// A distance with a sign of choice.
struct Signed<'a> {
    distance: &'a MeshDistance<'a>,
    sign: f64,
}

impl SignedDistance for Signed<'_> {
    fn distance(&self, x: DVec3) -> f64 {
        self.sign * self.distance.distance(x)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.distance.distance_and_gradient(x);
        (self.sign * distance, self.sign * gradient)
    }

    fn bounds(&self) -> Aabb {
        self.distance.bounds()
    }
}

/// A picture of a slice: white to red, and the surface in black as in \[Koschier2017\] Fig. 4.
struct Slice {
    width: usize,
    value: Vec<f64>,
    surface: Vec<f64>,
    largest: f64,
}

impl Slice {
    fn new(field: &Field, mesh: &MeshShape, axis: MapAxis, at: f64) -> Self {
        let sampled = field.sampled();
        let Aabb { min, max } = sampled.lattice().bounds();
        let normal = axis as usize;
        let [across, up] = [[2, 1], [0, 2], [0, 1]][normal];
        let pixel = (max[across] - min[across]).max(max[up] - min[up]) / PICTURE;
        let count = |axis: usize| (((max[axis] - min[axis]) / pixel) as usize).max(1);
        let (width, height) = (count(across), count(up));
        let place = |i: usize| {
            let mut x = DVec3::splat(at);
            x[across] = min[across] + pixel * ((i % width) as f64 + 0.5);
            x[up] = max[up] - pixel * ((i / width) as f64 + 0.5);
            x
        };
        let exact = MeshDistance::new(mesh);
        let both = |i: usize| {
            let x = place(i);
            let value = sampled.evaluate(x).map_or(0.0, |(v, _)| v.abs());
            (value, exact.distance(x) / pixel)
        };
        let (value, surface): (Vec<f64>, Vec<f64>) = (0..width * height).into_par_iter().map(both).unzip();
        let largest = value.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Self { width, value, surface, largest }
    }

    fn write(&self, path: &Path) -> Result<(), OutputError> {
        let mut pixels = Vec::with_capacity(3 * self.value.len());
        for (value, distance) in self.value.iter().zip(&self.surface) {
            let ink = (1.2 - distance.abs()).clamp(0.0, 1.0);
            let pale = 1.0 - (value / self.largest).clamp(0.0, 1.0);
            let colour = [1.0 - 0.15 * (1.0 - pale), pale, pale];
            pixels.extend(colour.map(|c| (255.0 * c * (1.0 - ink)).round() as u8));
        }
        let (width, height) = (self.width as u32, (self.value.len() / self.width) as u32);
        meniscus::output::atomic::write_with(path, |out| {
            let mut encoder = png::Encoder::new(out, width, height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.write_header()?.write_image_data(&pixels)?;
            Ok(())
        })
    }
}
