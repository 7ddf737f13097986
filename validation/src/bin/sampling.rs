//! How fast and how even the samplings of surfaces are, beside the figures of \[Akinci2013\] and \[Wang2017\].

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use glam::{DVec2, DVec3};
use meniscus_core::Dimension;
use meniscus_geometry::sample::{
    RandomRelaxParams, RandomRelaxation, RelaxParams, Relaxation, ResampledSurface, Rounding, SamplingMethod,
    SamplingParams, ScanlineParams, sample, scanline,
};
use meniscus_geometry::shape::builtin::{self, Duck};
use meniscus_geometry::{MeshShape, SamplingQuality, TriangleMesh, number_density};
use meniscus_output::plot::{Axis, Curves, Figure, Key, Panel, Series, Style};
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_validation::sampling::pairs::{Pair, Scheme, everyday, quality, random};
use meniscus_validation::sampling::picture::Sheet;
use meniscus_validation::sampling::relaxing::{SQUARE, by_gradient, by_trials, scattered};
use meniscus_validation::sampling::timing::time;
use meniscus_validation::sampling::{meshes, timing::Timing};
use std::path::{Path, PathBuf};

/// Sweeps of the experiment of Wang.
const SWEEPS: u32 = 100;
const SCHEMES: [(&str, Scheme); 5] = [
    ("kept", Scheme::Kept),
    ("7-point, 2 h", Scheme::SevenPoint(2.0)),
    ("7-point, 2.8 h", Scheme::SevenPoint(2.8)),
    ("scanline down", Scheme::Down),
    ("scanline up", Scheme::Up),
];

/// Measures samplings: their time, their number density, and how fast relaxations make them even
#[derive(Debug, Parser)]
struct Args {
    /// Which parts to run; if left out, all
    #[arg(value_enum)]
    part: Vec<Part>,
    /// A mesh to time besides the built-in ones
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// The spacing of its samples; if left out, as for 12,000 samples
    #[arg(long, value_name = "METRES")]
    spacing: Option<f64>,
    /// Runs of each timing
    #[arg(long, value_name = "N", default_value_t = 101)]
    runs: usize,
    /// Seeds of the relaxation experiment
    #[arg(long, value_name = "N", default_value_t = 20)]
    seeds: u64,
    /// Where the pictures go
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/sampling"))]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Times of samplings
    Times,
    /// Pairs of triangles that deform
    Pairs,
    /// Relaxation of random points
    Relaxation,
}

fn main() -> Result<()> {
    let args = Args::parse();
    println!("{} threads", rayon::current_num_threads());
    for part in Part::value_variants().iter().filter(|p| args.part.is_empty() || args.part.contains(p)) {
        match part {
            Part::Times => times(&args)?,
            Part::Pairs => pairs(&args.out)?,
            Part::Relaxation => relaxation(&args)?,
        }
    }
    Ok(())
}

// Times.

fn times(args: &Args) -> Result<()> {
    println!("\n# Times");
    let duck = Duck { length: 0.3, triangles: Duck::TRIANGLES }.mesh()?;
    let models = [("duck", duck), ("bumpy ring", meshes::bumpy_ring())];
    for (name, model) in &models {
        for (count, coarser) in [(12_000.0, ""), (3_000.0, ", coarser")] {
            let spacing = (meshes::area(model) / count).sqrt();
            let name = format!("{name} of {} triangles{coarser}", model.triangle.len());
            model_times(&name, model, spacing, args.runs)?;
        }
    }
    if let Some(path) = &args.mesh {
        let mesh = TriangleMesh::read(path)?;
        let spacing = args.spacing.unwrap_or_else(|| (meshes::area(&mesh) / 12_000.0).sqrt());
        model_times(&path.display().to_string(), &mesh, spacing, args.runs)?;
    }
    cloth_times(args.runs)
}

fn model_times(name: &str, mesh: &TriangleMesh, spacing: f64, runs: usize) -> Result<()> {
    println!("{name}, spacing {spacing:.5} m");
    for (name, rounding) in [("scanline", Rounding::Up), ("scanline, rounded down", Rounding::Down)] {
        let (samples, timing) = time(runs, || scanline(mesh, &ScanlineParams { spacing, rounding }));
        report(name, &samples?.position, spacing, timing)?;
    }
    let shape = MeshShape::new(mesh.clone())?;
    let methods = [
        ("seven-point", SamplingMethod::SevenPoint, runs),
        ("poisson", SamplingMethod::PoissonDisk, runs / 10 + 1),
        ("relaxed", SamplingMethod::Relaxed, runs / 50 + 1),
    ];
    for (name, method, runs) in methods {
        let params = SamplingParams { method, ..SamplingParams::new(spacing) };
        let (samples, timing) = time(runs, || sample(&shape, &params));
        report(name, &samples?.position, spacing, timing)?;
    }
    Ok(())
}

fn report(name: &str, samples: &[DVec3], spacing: f64, timing: Timing) -> Result<()> {
    let dimension = Dimension::Three;
    let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0 * spacing, dimension };
    let density = number_density(samples, samples, &kernel)?;
    let q = SamplingQuality::of(&density, 2.0 * spacing, dimension);
    println!("  {name:22} {:6} samples: {timing}; at samples {}", samples.len(), line(&q));
    Ok(())
}

fn line(q: &SamplingQuality) -> String {
    format!(
        "δ {:.2} ± {:.2}, {:.2} to {:.2}, under {:.2} %, over {:.2} %",
        q.mean,
        q.deviation,
        q.min,
        q.max,
        100.0 * q.under,
        100.0 * q.over
    )
}

fn cloth_times(runs: usize) -> Result<()> {
    let cloth = builtin::cloth(300, 150, 0.01);
    let params = ScanlineParams { spacing: 0.01, rounding: Rounding::Down };
    println!("cloth of {} triangles, spacing = edge", cloth.triangle.len());
    let (samples, timing) = time(runs, || scanline(&cloth, &params));
    println!("  first sampling {} samples: {timing}", samples?.len());
    let mut surface = ResampledSurface::new(&cloth, &params)?;
    let (mut frame, mut changed, mut largest) = (0_u32, 0, 0);
    let (_, timing) = time(runs, || -> Result<()> {
        // A dent that grows and is let go.
        let depth = 1.5 * (0.15 * f64::from(frame)).sin().powi(2);
        frame += 1;
        let dent = |v: &DVec3| {
            let r = (*v - DVec3::new(1.5, 0.75, 0.0)) / 0.5;
            v.with_z(-depth * (-r.length_squared()).exp())
        };
        let pose: Vec<DVec3> = cloth.vertex.iter().map(dent).collect();
        let report = surface.update(&pose)?;
        changed += report.edges + report.triangles;
        largest = largest.max(report.samples);
        Ok(())
    });
    println!(
        "  an update of a growing dent: {timing}; {} edges and triangles renewed in each, at most {largest} samples",
        changed / frame as usize
    );
    Ok(())
}

// Pairs of triangles.

fn pairs(out: &Path) -> Result<()> {
    println!("\n# Pairs of triangles: δ for h = 1 at places 0.06 h apart, border included");
    let all = everyday();
    summary("everyday shapes, five deformations each", &all)?;
    for pair in &all {
        let samples = pair.samples(Scheme::Down)?;
        let q = quality(&pair.deformed(), &samples[1], 0.0)?;
        println!("    scanline down, {}: {}", pair.name, line(&q));
    }
    summary("random pairs, edges of 3 h or more", &random(300, 3.0, 1))?;
    summary("random pairs, edges of 1 h or more", &random(300, 1.0, 2))?;
    for (name, file) in [
        ("irregular, stretched 1.5 along x", "pair-stretched.png"),
        ("even, stretched 2 along y", "pair-tall.png"),
        ("flat, sheared 0.6", "pair-sheared.png"),
    ] {
        let pair = all.iter().find(|p| p.name == name).context("no such pair")?;
        sheet(pair, &out.join(file))?;
    }
    Ok(())
}

fn summary(name: &str, pairs: &[Pair]) -> Result<()> {
    println!("{name} ({} pairs)", pairs.len());
    for (scheme_name, scheme) in SCHEMES {
        for pose in 0..2 {
            let (mut all, mut inner) = (Vec::new(), Vec::new());
            let (mut sound, mut mean) = (0, 0.0);
            for pair in pairs {
                let samples = pair.samples(scheme)?;
                let mesh = if pose == 0 { pair.initial.clone() } else { pair.deformed() };
                let q = quality(&mesh, &samples[pose], 0.0)?;
                sound += usize::from(q.under + q.over == 0.0);
                mean += q.mean / pairs.len() as f64;
                all.push(q);
                inner.push(quality(&mesh, &samples[pose], 0.5)?);
            }
            let n = all.len() as f64;
            let average = |f: fn(&SamplingQuality) -> f64| all.iter().map(f).sum::<f64>() / n;
            println!(
                "  {scheme_name:14} {}: mean δ {mean:.2} ± {:.2}, least {:.2}, largest {:.2}, under {:.3} %, over {:.3} %, all within: {sound} of {}; h/2 from the border or farther: least {:.2}, under {:.3} %",
                ["initial ", "deformed"][pose],
                average(|q| q.deviation),
                all.iter().map(|q| q.min).fold(f64::INFINITY, f64::min),
                all.iter().map(|q| q.max).fold(0.0, f64::max),
                100.0 * average(|q| q.under),
                100.0 * average(|q| q.over),
                pairs.len(),
                inner.iter().filter(|q| q.count > 0).map(|q| q.min).fold(f64::INFINITY, f64::min),
                100.0 * inner.iter().map(|q| q.under).sum::<f64>() / n
            );
        }
    }
    Ok(())
}

/// Columns are the schemes; rows the initial samples, their δ, the deformed samples, their δ.
fn sheet(pair: &Pair, path: &Path) -> Result<()> {
    let size = pair.initial.bounds().size().max(pair.deformed().bounds().size());
    let schemes = [Scheme::Kept, Scheme::SevenPoint(2.8), Scheme::Down, Scheme::Up];
    let mut sheet = Sheet::new(schemes.len(), 4, DVec2::new(size.x, size.y));
    for (column, scheme) in schemes.into_iter().enumerate() {
        let samples = pair.samples(scheme)?;
        for (pose, mesh) in [pair.initial.clone(), pair.deformed()].iter().enumerate() {
            sheet.samples([column, 2 * pose], mesh, &samples[pose]);
            sheet.density([column, 2 * pose + 1], mesh, &samples[pose])?;
        }
    }
    Ok(sheet.finish().write(path)?)
}

// Relaxation.

fn relaxation(args: &Args) -> Result<()> {
    println!("\n# 100 random points in a square of 0.1 m, {SWEEPS} sweeps, {} seeds", args.seeds);
    println!(
        "points nearer than r to another after 0, 1, 3, 10, 30, 100 sweeps, mean over seeds; time of {SWEEPS} sweeps"
    );
    for radius in [0.007, 0.0085, 0.009, 0.0095, 0.01, 0.0103, 0.0105, 0.0107] {
        println!("r = {radius} m");
        let gradient = gradient_row(args, radius)?;
        for attempts in [20, 30] {
            let (counts, timing) = trial_row(args, radius, attempts)?;
            println!(
                "  random trials, {attempts:2}: {}; {:.3} ms, {:.1} times the gradient's",
                at_sweeps(&counts),
                1e3 * timing.median,
                timing.median / gradient.median
            );
        }
    }
    plot(args)
}

fn at_sweeps(counts: &[f64]) -> String {
    [0, 1, 3, 10, 30, 100].map(|t| format!("{:.2}", counts.get(t).copied().unwrap_or_default())).join(", ")
}

fn mean_counts(all: &[Vec<usize>]) -> Vec<f64> {
    (0..=SWEEPS as usize).map(|t| all.iter().map(|c| c[t] as f64).sum::<f64>() / all.len() as f64).collect()
}

fn gradient_row(args: &Args, radius: f64) -> Result<Timing> {
    let params = RelaxParams { radius, sweeps: SWEEPS };
    let all = (0..args.seeds).map(|seed| Ok(by_gradient(&scattered(100, seed), params)?.0));
    let counts = mean_counts(&all.collect::<Result<Vec<_>>>()?);
    let start = scattered(100, 0);
    let (_, timing) = time(args.runs, || -> Result<()> {
        let mut relaxation = Relaxation::new(&start, &SQUARE, params)?;
        for _ in 0..SWEEPS {
            relaxation.sweep();
        }
        Ok(())
    });
    println!("  gradient         : {}; {:.3} ms", at_sweeps(&counts), 1e3 * timing.median);
    Ok(timing)
}

fn trial_row(args: &Args, radius: f64, attempts: u32) -> Result<(Vec<f64>, Timing)> {
    let params = |seed| RandomRelaxParams { radius, attempts, sweeps: SWEEPS, seed };
    let all = (0..args.seeds).map(|seed| Ok(by_trials(&scattered(100, seed), params(seed))?.0));
    let counts = mean_counts(&all.collect::<Result<Vec<_>>>()?);
    let start = scattered(100, 0);
    let (_, timing) = time(args.runs / 5 + 1, || -> Result<()> {
        let mut relaxation = RandomRelaxation::new(&start, &SQUARE, params(0))?;
        for _ in 0..SWEEPS {
            relaxation.sweep();
        }
        Ok(())
    });
    Ok((counts, timing))
}

/// The counts of every sweep for one radius, as \[Wang2017\] Fig. 2 (b).
fn plot(args: &Args) -> Result<()> {
    let radius = 0.009;
    let row = |counts: Vec<f64>| -> Vec<[f64; 2]> {
        counts.into_iter().enumerate().map(|(t, n)| [t as f64, n]).collect()
    };
    let all = (0..args.seeds)
        .map(|seed| Ok(by_gradient(&scattered(100, seed), RelaxParams { radius, sweeps: SWEEPS })?.0))
        .collect::<Result<Vec<_>>>()?;
    let gradient = row(mean_counts(&all));
    let one = row(all[0].iter().map(|n| *n as f64).collect());
    let trials = row(trial_row(args, radius, 20)?.0);
    let series = |name: &str, style, colour, points| Series {
        key: Key { name: name.to_owned(), style, colour },
        points,
    };
    let plot = Curves {
        title: "Points nearer than 9 mm to another",
        axes: [
            Axis::from_zero_to("sweep", f64::from(SWEEPS), 10.0),
            Axis::from_zero_to("points of 100", 100.0, 10.0),
        ],
        series: vec![
            series("gradient, mean over seeds", Style::Line, "#1f77b4", &gradient),
            series("gradient, one seed", Style::Dashes, "#1f77b4", &one),
            series("20 random trials, mean over seeds", Style::Line, "#d62728", &trials),
        ],
        legend: true,
    };
    let figure = Figure { title: "", rows: vec![vec![Panel::Curves(plot)]], legend: Vec::new() };
    std::fs::write(args.out.join("relaxation.svg"), figure.svg())?;
    Ok(())
}
