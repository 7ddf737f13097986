//! \[Becker2009\] Fig. 4: what the answer of a body to its contacts costs, by their number.
//!
//! Plates of several sizes float in one tank. After some steps the contacts of the moment are found once more and answered many times
//! over; the best time of many counts, as others use the machine too. One thread does all of it, as in the paper.

use crate::boundaries::{Line, Report, panel, setup};
use anyhow::{Context as _, Result};
use glam::{DMat3, DVec3};
use meniscus_core::{BodyId, Carrier, Carriers, Mobility};
use meniscus_coupling::Simulation;
use meniscus_sph::boundary::{
    BoundaryTreatment, ContactWalls, ForcingContacts, ForcingFluid, ForcingParams, ForcingUpdate,
};
use std::hint::black_box;
use std::time::Instant;

const SPACING: f64 = 0.02;
const STEPS: u32 = 12;
/// Times that contacts are answered `[1]`.
const REPEATS: u32 = 300;

/// What was measured of one plate.
struct Cost {
    contacts: usize,
    /// Of one answer, by update `[s]`.
    answer: [f64; 2],
    /// Of all answers of a step relative to the step, by update `[1]`.
    share: [f64; 2],
}

/// The cost of both updates.
///
/// # Errors
/// If a scene cannot be run or the plot not be written.
pub fn all(report: &mut Report) -> Result<()> {
    let title = "The cost of a body's answer (Becker et al. 2009, Fig. 4)";
    report.table(
        title,
        &["contacts", "local [µs]", "global [µs]", "local, share of the step", "global, share of the step"],
    );
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut costs = Vec::new();
    for across in [4, 8, 12, 16, 20, 24, 28] {
        let cost = one_thread.install(|| measure(across))?;
        report.row(&[
            format!("{}", cost.contacts),
            format!("{:.1}", 1e6 * cost.answer[0]),
            format!("{:.1}", 1e6 * cost.answer[1]),
            format!("{:.3} %", 100.0 * cost.share[0]),
            format!("{:.3} %", 100.0 * cost.share[1]),
        ]);
        costs.push(cost);
    }
    let mut lines = Vec::new();
    for (n, name) in ["local", "global"].into_iter().enumerate() {
        let points: Vec<[f64; 2]> = costs.iter().map(|c| [c.contacts as f64, 1e6 * c.answer[n]]).collect();
        let straight = determination(&points);
        println!("\n{name}: R² = {straight:.4}");
        report.require(
            straight >= 0.98,
            format!("{name}: linear in the number of contacts: R² = {straight:.4}"),
        );
        let most = costs.iter().map(|c| c.share[n]).fold(0.0, f64::max);
        report.require(most < 0.01, format!("{name}: below 1 % of the step: {:.2} %", 100.0 * most));
        lines.push(Line { name: name.into(), points });
    }
    report.draw("response.svg", vec![panel(title, ["contacts", "time of an answer [µs]"], &lines)])
}

/// A plate of this many samples across, half under water.
fn scene(across: u32, update: &str) -> Result<Simulation> {
    let size = f64::from(across) * SPACING;
    Ok(Simulation::new(setup(&format!(
        r#"
[time]
end = 9.0

[fluid]
spacing = {SPACING}
pressure = {{ method = "dfsph", on_failure = "accept" }}

[[fluid.source]]
shape = "box"
min = [-0.8, 0.0, -0.8]
max = [0.8, 0.3, 0.8]
carve = true

[[body]]
name = "tank"
shape = "box"
size = [1.6, 0.6, 1.6]
position = [0.0, 0.3, 0.0]
open = ["+y"]
container = true

[[body]]
name = "plate"
shape = "box"
size = [{size}, 0.12, {size}]
position = [0.0, 0.3, 0.0]
boundary = {{ method = "direct-forcing", update = "{update}" }}
dynamics = {{ density = 500.0 }}
"#
    ))?)?)
}

fn measure(across: u32) -> Result<Cost> {
    let mut cost = Cost { contacts: 0, answer: [0.0; 2], share: [0.0; 2] };
    for (n, update) in ["local", "global"].into_iter().enumerate() {
        let mut simulation = scene(across, update)?;
        // Of a sweep and all that belongs to it; the quickest step counts, as with answers.
        let (mut shortest, mut sweeps) = (f64::INFINITY, 0.0);
        for _ in 0..STEPS {
            let start = Instant::now();
            simulation.step()?;
            // Each stage ends with one answer more than it has sweeps.
            let answers = f64::from(simulation.sph_report().sweeps() + 2);
            let part = start.elapsed().as_secs_f64() / answers;
            if part < shortest {
                (shortest, sweeps) = (part, answers);
            }
        }
        let (contacts, answer, end) = answer(&simulation)?;
        cost.contacts = contacts;
        cost.answer[n] = answer;
        cost.share[n] = (answer + end / sweeps) / shortest;
    }
    Ok(cost)
}

/// How many contacts there are, and the times of an answer within a sweep and of the one that ends a step `[s]`.
fn answer(simulation: &Simulation) -> Result<(usize, f64, f64)> {
    let plate = simulation
        .setup()
        .sph
        .samples
        .iter()
        .find(|s| matches!(s.treatment, BoundaryTreatment::DirectForcing(_)));
    let plate = plate.context("the plate has no samples")?;
    let params = match plate.treatment {
        BoundaryTreatment::DirectForcing(params) => params,
        _ => ForcingParams { slip: 1.0, restitution: 0.0, update: ForcingUpdate::Global },
    };
    let turn = simulation.body(1).pose.rotation;
    let geometry = simulation.setup().sph.samples.iter().flat_map(|s| {
        let missing = s.position.len() - s.geometry.len();
        let deep = std::iter::repeat_n(meniscus_sph::boundary::SampleGeometry::Interior, missing);
        s.geometry.iter().map(|geometry| geometry.turned(turn)).chain(deep).collect::<Vec<_>>()
    });
    let geometry: Vec<_> = geometry.collect();
    let fluid = simulation.setup().sph.fluid;
    let sph = simulation.sph().context("the scene has no water")?;
    let (neighbourhood, points) = (sph.neighbourhood(), sph.points());
    let position = &simulation.particles().position;
    let now = simulation.body(1);
    let mass = 500.0 * SPACING.powi(3) * 1000.0;
    let body = Carrier {
        body: BodyId(1),
        node: None,
        centre: now.pose.translation,
        mobility: Mobility {
            linear: DMat3::from_diagonal(DVec3::splat(1.0 / mass)),
            angular: DMat3::from_diagonal(DVec3::splat(100.0 / mass)),
            lever: DMat3::ZERO,
        },
    };
    let carriers = Carriers::of(vec![body]);
    let dt = simulation.clock().last_dt;
    let velocity = simulation.particles().velocity.clone();
    let narrow: Vec<[f32; 4]> = velocity.iter().map(|v| v.as_vec3().extend(0.0).to_array()).collect();
    let mut contacts = ForcingContacts::default();
    contacts.find(
        ForcingFluid {
            rows: &neighbourhood.boundary,
            position,
            radius: 0.5 * SPACING,
            dt,
            max_pushout_speed: 0.2,
            fill: 0.0,
        },
        ContactWalls {
            points,
            geometry: &geometry,
            treatment: &[BoundaryTreatment::Pressure, BoundaryTreatment::DirectForcing(params)],
            carriers: &carriers,
            mass: fluid.mass(),
        },
        &narrow,
    );
    let falling = vec![[0.0, -9.81, 0.0, 0.0]; position.len()];
    let mut acceleration = falling.clone();
    let (mut sweep, mut end) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPEATS {
        acceleration.copy_from_slice(&falling);
        let start = Instant::now();
        contacts.constrain(&narrow, dt, &mut acceleration, &carriers, fluid.mass());
        sweep = sweep.min(start.elapsed().as_secs_f64());
        black_box(&mut acceleration);
        let mut ending = contacts.clone();
        let start = Instant::now();
        black_box(ending.finish(&velocity, &velocity, &carriers, fluid.mass(), |_| 0.0));
        end = end.min(start.elapsed().as_secs_f64());
    }
    Ok((contacts.count(), sweep, end))
}

/// R² of the straight line through points.
fn determination(points: &[[f64; 2]]) -> f64 {
    let n = points.len() as f64;
    let mean = |axis: usize| points.iter().map(|p| p[axis]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let sum =
        |a: usize, b: usize| points.iter().map(|p| (p[a] - [x, y][a]) * (p[b] - [x, y][b])).sum::<f64>();
    sum(0, 1).powi(2) / (sum(0, 0) * sum(1, 1))
}
