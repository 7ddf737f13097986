//! Archimedes: how much of a floating body is under water.
//!
//! The body starts half a spacing above its place and moves freely. What is submerged is measured by geometry: the body's pose, and the level
//! at which the water in the tank, with the body in it, has the volume of all particles. The level that is seen, from the highest
//! particles beside the body, is printed beside it.

use super::{Form, Pool, SIZE, Selection, centre};
use crate::boundaries::{Line, Report, panel};
use anyhow::Result;
use glam::DVec3;
use meniscus_coupling::Simulation;

/// Points along an edge of the box around a body, at which it is asked whether they are in it.
const POINTS: i32 = 40;

/// What was seen, as means over the second half of the run.
struct Seen {
    fraction: f64,
    /// Largest less smallest fraction in it.
    range: f64,
    /// The fraction by the surface that is seen, instead of volumes.
    by_surface: f64,
    /// Root mean square speed of the body `[m/s]`.
    speed: f64,
    /// How far its axis has turned `[°]`.
    tilt: f64,
    /// Particles, and steps taken.
    size: (usize, u64),
}

/// How deep boxes and spheres float.
///
/// # Errors
/// If the plot cannot be written.
pub fn all(report: &mut Report, selection: &Selection, seconds: f64) -> Result<()> {
    let allowed = if selection.across >= 20 { 0.015 } else { 0.03 };
    let title = format!("Submerged fraction, {} particles across", selection.across);
    report.table(
        &title,
        &[
            "body",
            "boundary",
            "ratio",
            "submerged",
            "off by",
            "by the surface",
            "range",
            "speed [mm/s]",
            "tilt [°]",
            "particles",
            "steps",
        ],
    );
    let mut lines = Vec::new();
    for &form in &selection.form {
        for method in &selection.method {
            let mut points = Vec::new();
            for ratio in selection.ratios(&[0.1, 0.3, 0.5, 0.7, 0.9]) {
                let who = format!("{} of {ratio} with {method}", form.name());
                let Some(seen) = report.attempt(&who, run(form, method, ratio, selection, seconds)) else {
                    continue;
                };
                let off = seen.fraction - ratio;
                report.row(&[
                    form.name().into(),
                    method.clone(),
                    format!("{ratio}"),
                    format!("{:.4}", seen.fraction),
                    format!("{:+.2} %", 100.0 * off),
                    format!("{:.3}", seen.by_surface),
                    format!("{:.4}", seen.range),
                    format!("{:.1}", 1000.0 * seen.speed),
                    format!("{:.1}", seen.tilt),
                    format!("{}", seen.size.0),
                    format!("{}", seen.size.1),
                ]);
                report.require(
                    off.abs() < allowed,
                    format!("{who} floats within {allowed}: {:.4}", seen.fraction),
                );
                points.push([ratio, 100.0 * off]);
            }
            lines.push(Line { name: format!("{}, {method}", form.name()), points });
        }
    }
    let labels = ["density ratio", "submerged, off by [percentage points]"];
    report.draw(&format!("depth-{}.svg", selection.across), vec![panel(&title, labels, &lines)])
}

fn run(form: Form, method: &str, ratio: f64, selection: &Selection, seconds: f64) -> Result<Seen> {
    let spacing = selection.spacing();
    let width = 2.4 * SIZE;
    // Half a body of water below it, whole layers of particles.
    let rest = draft(form, ratio);
    let depth = ((rest + 0.5 * SIZE) / spacing).round() * spacing;
    let height = depth - rest + 0.5 * SIZE + 0.5 * spacing;
    let pool = Pool {
        method,
        form,
        ratio,
        spacing,
        width,
        depth,
        height,
        release: None,
        pressure: &selection.pressure,
        viscosity: "",
    };
    let mut simulation = Simulation::new(pool.setup()?)?;
    let water = simulation.particles().len() as f64 * spacing.powi(3);
    let (mut fractions, mut surface, mut speeds) = (Vec::new(), 0.0, 0.0);
    while simulation.clock().time < seconds {
        simulation.step()?;
        let clock = *simulation.clock();
        let interval = (0.5 * seconds / 40.0).max(clock.last_dt);
        if clock.time > 0.5 * seconds
            && (clock.time / interval).floor() > ((clock.time - clock.last_dt) / interval).floor()
        {
            let below = |level: f64| submerged(form, &simulation, level);
            fractions.push(below(level(water, width, form.volume(), below)));
            surface += below(seen_level(&simulation, width, spacing));
            speeds += simulation.body(1).velocity.length_squared();
        }
    }
    let count = fractions.len() as f64;
    let (low, high) = fractions.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &f| (a.min(f), b.max(f)));
    let up = simulation.body(1).pose.rotation * DVec3::Y;
    Ok(Seen {
        fraction: fractions.iter().sum::<f64>() / count,
        range: high - low,
        by_surface: surface / count,
        speed: (speeds / count).sqrt(),
        tilt: up.y.clamp(-1.0, 1.0).acos().to_degrees(),
        size: (simulation.particles().len(), simulation.clock().step),
    })
}

/// How deep an upright body is under water when this fraction of it is `[m]`.
fn draft(form: Form, fraction: f64) -> f64 {
    match form {
        Form::Box => fraction * SIZE,
        // V(t) = t² (3 − 2 t) of a sphere that is submerged by t diameters; found by halving.
        Form::Sphere => {
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let t: f64 = 0.5 * (low + high);
                if t * t * (3.0 - 2.0 * t) < fraction { low = t } else { high = t }
            }
            low * SIZE
        }
    }
}

/// The fraction of the body below a level `[m]`.
fn submerged(form: Form, simulation: &Simulation, level: f64) -> f64 {
    let pose = simulation.body(1).pose;
    let step = SIZE / f64::from(POINTS);
    let (mut inside, mut below) = (0.0, 0.0);
    let places = || (0..POINTS).map(|n| (f64::from(n) + 0.5) * step - 0.5 * SIZE);
    for x in places() {
        for y in places() {
            for z in places() {
                let local = DVec3::new(x, y, z);
                if form.contains(local) {
                    inside += 1.0;
                    // Cells that the level cuts count in part.
                    let height = pose.to_world(local).y;
                    below += ((level - height) / step + 0.5).clamp(0.0, 1.0);
                }
            }
        }
    }
    below / inside
}

/// The level at which the tank holds all water and what is submerged of the body `[m]`.
fn level(water: f64, width: f64, volume: f64, submerged: impl Fn(f64) -> f64) -> f64 {
    let area = width * width;
    let mut level = water / area;
    // Converges quickly: the body is a small part of the tank's area.
    for _ in 0..30 {
        level = (water + volume * submerged(level)) / area;
    }
    level
}

/// Half a spacing above the highest particles of columns two spacings wide beside the body: their median `[m]`.
fn seen_level(simulation: &Simulation, width: f64, spacing: f64) -> f64 {
    let cells = (0.5 * width / spacing).round() as usize;
    let mut top = vec![f64::NEG_INFINITY; cells * cells];
    let middle = centre(simulation);
    for x in &simulation.particles().position {
        let cell = |c: f64| (((c + 0.5 * width) / (2.0 * spacing)).max(0.0) as usize).min(cells - 1);
        let aside = (x.x - middle.x).hypot(x.z - middle.z);
        if aside > 0.75 * SIZE {
            let top = &mut top[cell(x.x) * cells + cell(x.z)];
            *top = top.max(x.y);
        }
    }
    let mut heights: Vec<f64> = top.into_iter().filter(|y| y.is_finite()).collect();
    heights.sort_by(f64::total_cmp);
    heights.get(heights.len() / 2).map_or(f64::NAN, |height| height + 0.5 * spacing)
}
