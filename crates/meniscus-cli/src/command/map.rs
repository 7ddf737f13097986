//! `map`: the field of a mesh, how long it takes, how good it is, and what it looks like.

use crate::cli::{MapArgs, MapAxis, MapExtension, MapField, MapKernel};
use crate::error::CommandError;
use crate::terminal::say;
use glam::DVec3;
use meniscus::core::Dimension;
use meniscus::geometry::SerendipityField;
use meniscus::geometry::map::{BallQuadrature, FieldCache, FluidDistance, Origin, lattice_sum};
use meniscus::geometry::{
    Aabb, Band, DensityMap, DistanceField, GeometryError, MapParams, MeshDistance, MeshShape, Profile, Side,
    SignedDistance, VolumeMap,
};
use meniscus::output::OutputError;
use meniscus::sph::kernel::{Kernel, KernelKind};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Points at which the map is compared with the integral over the mesh itself `[1]`.
const SAMPLES: usize = 48;
/// Nodes among which those are sought where the surface bends most `[1]`.
const NODES: usize = 2000;
/// Points of the sums over lattices for a support radius `[1]`.
const PARTS: u32 = 32;
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
pub fn map(args: &MapArgs) -> Result<(), CommandError> {
    let out = args.out.as_deref().map(super::png_path).transpose()?;
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
    lines.extend(node_error(&field, &mesh, &kernel(args, support), &params));
    if let Some(path) = &out {
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
        MapField::Density => {
            let (map, origin) = cache.density(mesh, &kernel(args, support), params)?;
            (Field::Density(map), origin)
        }
        MapField::Volume => {
            let (map, origin) = cache.volume(mesh, support, params)?;
            (Field::Volume(map), origin)
        }
        MapField::Distance => {
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
    let (unit, of, differences): (_, _, Vec<f64>) = match field {
        Field::Distance(field) => {
            let of = |x: &DVec3| field.evaluate(*x).map(|(d, _)| (d - exact.distance(*x)).abs());
            let points = places(field.field(), DISTANCE_SAMPLES);
            (" m", "the mesh's distance", points.par_iter().filter_map(of).collect())
        }
        Field::Density(_) | Field::Volume(_) => {
            let (quadrature, whole) = reference(field, kernel, params)?;
            let fluid = FluidDistance { distance: &exact, side: params.side };
            let sampled = field.sampled();
            let of = |x: &DVec3| {
                sampled.evaluate(*x).map(|(v, _)| (v / whole - quadrature.integrate(&fluid, *x)).abs())
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

/// How far the values at nodes are from sums over lattices, where the surface bends most; nothing for distances, which are
/// exact there.
fn node_error(field: &Field, mesh: &MeshShape, kernel: &Kernel, params: &MapParams) -> Option<String> {
    let (sampled, support) = (field.sampled(), kernel.support_radius);
    let weight = |t: f64| match field {
        Field::Density(_) => kernel.value(t * support),
        Field::Volume(_) | Field::Distance(_) => 1.0,
    };
    let whole = match field {
        Field::Density(_) => 1.0,
        Field::Volume(_) => ball_volume(support),
        Field::Distance(_) => return None,
    };
    let exact = MeshDistance::new(mesh);
    let fluid = FluidDistance { distance: &exact, side: params.side };
    let (origin, cell) = (sampled.lattice().origin(), sampled.lattice().cell());
    let bend = |x: DVec3| {
        let second = |way: DVec3| fluid.distance(x + way) + fluid.distance(x - way) - 2.0 * fluid.distance(x);
        DVec3::AXES.map(|axis| second(0.5 * support * axis).abs()).into_iter().fold(0.0, f64::max)
    };
    let nodes = places(sampled, NODES).into_iter().map(|x| origin + cell * ((x - origin) / cell).round());
    let mut nodes: Vec<(f64, DVec3)> = nodes
        .filter(|x| sampled.evaluate(*x).is_some() && fluid.distance(*x) > -0.5 * support)
        .map(|x| (bend(x), x))
        .collect();
    nodes.sort_by(|a, b| b.0.total_cmp(&a.0));
    nodes.truncate(SAMPLES);
    let difference = |(_, x): &(f64, DVec3)| {
        let (sum, unsure) = lattice_sum(&fluid, *x, params.profile, support, PARTS, weight);
        let value = sampled.evaluate(*x).map_or(f64::NAN, |(value, _)| value / whole);
        ((value - sum).abs(), unsure)
    };
    let differences: Vec<(f64, f64)> = nodes.par_iter().map(difference).collect();
    let mean = differences.iter().map(|d| d.0).sum::<f64>() / differences.len().max(1) as f64;
    let most = differences.iter().fold((0f64, 0f64), |most, d| (most.0.max(d.0), most.1.max(d.1)));
    Some(format!(
        "at nodes     {mean:.1e} mean, {:.1e} max from sums over lattices (sure to {:.0e}), at {} nodes where the surface bends most",
        most.0,
        most.1,
        differences.len()
    ))
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
        let quadrature = BallQuadrature::plain(support, profile, tolerance, Dimension::Three)?;
        return Ok((quadrature, ball_volume(support)));
    }
    Ok((BallQuadrature::weighted(kernel, profile, tolerance, Dimension::Three)?, 1.0))
}

fn ball_volume(radius: f64) -> f64 {
    4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
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
