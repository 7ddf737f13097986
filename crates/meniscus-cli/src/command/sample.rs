//! `sample`: places samples on a mesh and tells how even they are.

use super::mesh;
use crate::cli::{Method, SampleArgs};
use crate::error::CommandError;
use crate::terminal::say;
use clap::ValueEnum;
use glam::DVec3;
use meniscus::core::{Dimension, ParticleFrame};
use meniscus::geometry::sample::{Rounding, SamplingMethod, SamplingParams, SurfaceSamples, VolumeLattice};
use meniscus::geometry::{MeshShape, SamplingQuality, number_density};
use meniscus::output::{ColourScale, PointColumn, PreviewView, render_preview, write_points};
use meniscus::sph::kernel::{Kernel, KernelKind};
use std::path::Path;
use std::time::Instant;

/// The kernel of the number density ends at two spacings, where the one of the fluid ends.
const SUPPORT_IN_SPACINGS: f64 = 2.0;

/// Samples a mesh, writes what was asked for and describes it.
pub fn sample(args: &SampleArgs) -> Result<(), CommandError> {
    let picture = args.picture.as_deref().map(super::png_path).transpose()?;
    let mesh = mesh::open(&args.mesh)?;
    let dimension = if args.planar { Dimension::Two } else { Dimension::Three };
    let params = SamplingParams {
        method: method(args.method),
        spacing: args.spacing,
        depth: args.depth,
        seed: args.seed,
        dimension,
    };
    let start = Instant::now();
    let samples = meniscus::geometry::sample::sample(&mesh, &params)?;
    let seconds = start.elapsed().as_secs_f64();
    let support_radius = SUPPORT_IN_SPACINGS * args.spacing;
    let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius, dimension };
    let density = number_density(&samples.position, &samples.position, &kernel)?;
    if let Some(path) = &args.out {
        write(path, &samples, &density, &mesh)?;
    }
    let quality = SamplingQuality::of(&density, support_radius, dimension);
    if let Some(path) = &picture {
        draw(path, args, &samples.position, &density, dimension)?;
    }
    say(&describe(&quality, dimension, seconds));
    Ok(())
}

fn method(method: Method) -> SamplingMethod {
    match method {
        Method::Scanline => SamplingMethod::Scanline(Rounding::Up),
        Method::ScanlineDown => SamplingMethod::Scanline(Rounding::Down),
        Method::SevenPoint => SamplingMethod::SevenPoint,
        Method::Poisson => SamplingMethod::PoissonDisk,
        Method::Relaxed => SamplingMethod::Relaxed,
        Method::Volume => SamplingMethod::Volume(VolumeLattice::Cubic),
        Method::VolumeRelaxed => SamplingMethod::VolumeRelaxed,
    }
}

fn describe(quality: &SamplingQuality, dimension: Dimension, seconds: f64) -> String {
    let [low, high] = SamplingQuality::limits(dimension);
    let power = if dimension == Dimension::Two { "²" } else { "³" };
    [
        format!("samples              {}", quality.count),
        format!("number density       {:.2} ± {:.2} / h{power}", quality.mean, quality.deviation),
        format!("  from to            {:.2} {:.2}", quality.min, quality.max),
        format!("under-sampled        {:.2} % (below {low:.2})", 100.0 * quality.under),
        format!("over-sampled         {:.2} % (above {high:.2})", 100.0 * quality.over),
        format!("time                 {:.1} ms", 1e3 * seconds),
    ]
    .join("\n")
}

/// Writes the samples with V_b, δ and, where they lie on triangles, normals.
fn write(
    path: &Path,
    samples: &SurfaceSamples,
    density: &[f64],
    mesh: &MeshShape,
) -> Result<(), CommandError> {
    let volume: Vec<f32> = density.iter().map(|d| d.recip() as f32).collect();
    let density: Vec<f32> = density.iter().map(|d| *d as f32).collect();
    let normals = samples.normals(mesh.mesh());
    let axis = |k: usize| normals.iter().map(|n| n[k] as f32).collect::<Vec<f32>>();
    let (nx, ny, nz) = (axis(0), axis(1), axis(2));
    let mut columns = vec![
        PointColumn { name: "volume", value: &volume },
        PointColumn { name: "number_density", value: &density },
    ];
    if !normals.is_empty() {
        columns
            .extend([("nx", &nx), ("ny", &ny), ("nz", &nz)].map(|(name, value)| PointColumn { name, value }));
    }
    Ok(write_points(path, &samples.position, &columns)?)
}

/// Draws the samples from the front, the right and above, dark where they are sparse.
fn draw(
    path: &Path,
    args: &SampleArgs,
    position: &[DVec3],
    density: &[f64],
    dimension: Dimension,
) -> Result<(), CommandError> {
    let unit = dimension.cell_volume(SUPPORT_IN_SPACINGS * args.spacing);
    let n = position.len();
    let frame = ParticleFrame {
        position: position.to_vec(),
        velocity: vec![DVec3::ZERO; n],
        density: vec![0.0; n],
        pressure: vec![0.0; n],
        id: (0..n as u64).collect(),
        time: 0.0,
        step: 0,
        index: 0,
    };
    let bounds = meniscus::geometry::Aabb::of_points(position.iter().copied());
    let margin = DVec3::splat(0.5 * args.spacing);
    let name = args.mesh.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let method = args.method.to_possible_value();
    let method = method.as_ref().map_or("", |value| value.get_name());
    let view = PreviewView {
        dimension,
        // Discs a little smaller than the spacing, so that gaps show.
        spacing: 0.8 * args.spacing,
        bounds: (bounds.min - margin, bounds.max + margin),
        caption: format!("{name}  {n} samples  {method}  colour: number density"),
        scale: Some(ColourScale {
            value: density.iter().map(|d| (d * unit) as f32).collect(),
            range: SamplingQuality::limits(dimension),
            label: String::new(),
        }),
        ..PreviewView::default()
    };
    Ok(render_preview(&frame, &view).write(path)?)
}
