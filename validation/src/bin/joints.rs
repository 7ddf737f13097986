//! Joints: random mechanisms for energy and gaps, known ones beside Rapier, and what long chains cost.

#[path = "../../../crates/meniscus-solid/tests/rigid/mechanisms.rs"]
mod mechanisms;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use glam::{DQuat, DVec3};
use mechanisms::{Mechanism, Outcome, Shape};
use meniscus_core::BodyId;
use meniscus_geometry::{MassProperties, Pose};
use meniscus_solid::rapier::{RapierBodies, RapierParams};
use meniscus_solid::{
    BodyParams, ColliderShape, JointParams, JointType, RigidBodies, RigidEngine, RigidParams,
};

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Case {
    /// Random mechanisms that touch nothing.
    Free,
    /// Random mechanisms that fall on the ground.
    Ground,
    /// Known mechanisms, beside Rapier.
    Peers,
    /// Chains of 100 and 1000 links.
    Cost,
}

/// Measures what joints do to energy, how far they open and what they cost
#[derive(Debug, Parser)]
struct Args {
    /// What to run
    #[arg(value_enum, default_values_t = [Case::Free, Case::Ground, Case::Peers, Case::Cost])]
    case: Vec<Case>,
    /// How many random mechanisms
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: u64,
    /// The first of them
    #[arg(long, value_name = "N", default_value_t = 1000)]
    seed: u64,
    /// The most links of one
    #[arg(long, value_name = "N", default_value_t = 50)]
    links: usize,
    /// Simulated time `[s]`
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Steps per second
    #[arg(long, value_delimiter = ',', default_values_t = [30.0, 60.0, 240.0, 2000.0])]
    rates: Vec<f64>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let mut holds = true;
    for case in &args.case {
        holds &= match case {
            Case::Free => random(&args, false, 1e-7)?,
            // Bodies without joints gain as much where they are pushed out of the ground.
            Case::Ground => random(&args, true, 1e-2)?,
            Case::Peers => peers(args.seconds)?,
            Case::Cost => cost()?,
        };
    }
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Tries random mechanisms; whether none gains more than `most`, as a share of its scale, and none opens.
fn random(args: &Args, touching: bool, most: f64) -> Result<bool> {
    println!(
        "| {} | step | runs | largest gain | largest gap | median loss | ms a step and link |",
        if touching { "on the ground" } else { "free" }
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut holds = true;
    for rate in &args.rates {
        let mut runs: Vec<(Mechanism, Outcome, f64)> = Vec::new();
        for seed in args.seed..args.seed + args.count {
            let mechanism = Mechanism::random(seed, args.links, touching)?;
            let clock = Instant::now();
            let outcome = mechanism.run(&mut ours(&mechanism)?, rate.recip(), args.seconds)?;
            if !(outcome.gain < most && outcome.gap < 1e-4) {
                eprintln!("seed {seed} at 1/{rate} s: {outcome:?}");
                holds = false;
            }
            let time = clock.elapsed().as_secs_f64() * 1e3 / (args.seconds * rate * mechanism.links as f64);
            runs.push((mechanism, outcome, time));
        }
        for shape in [Shape::Chain, Shape::Tree, Shape::Loop] {
            let own: Vec<_> = runs.iter().filter(|(m, ..)| m.shape == shape).collect();
            let largest = |of: fn(&Outcome) -> f64| own.iter().map(|(_, o, _)| of(o)).fold(0.0, f64::max);
            let mut lost: Vec<f64> = own.iter().map(|(_, o, _)| o.lost).collect();
            lost.sort_unstable_by(f64::total_cmp);
            let time = own.iter().map(|(_, _, t)| t).sum::<f64>() / own.len().max(1) as f64;
            println!(
                "| {shape:?}s | 1/{rate} s | {} | {:.0e} | {:.0e} | {:.1e} | {time:.3} |",
                own.len(),
                largest(|o| o.gain),
                largest(|o| o.gap),
                lost.get(lost.len() / 2).copied().unwrap_or(0.0)
            );
        }
    }
    Ok(holds)
}

fn ours(mechanism: &Mechanism) -> Result<RigidBodies> {
    Ok(RigidBodies::new(RigidParams::default(), mechanism.bodies.clone(), &mechanism.joints)?)
}

/// Known mechanisms with all engines; whether ours gains nothing and stays closed.
fn peers(seconds: f64) -> Result<bool> {
    println!("| mechanism | step | engine | gain | lost | gap | ms a step |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let hinge = JointType::Hinge { axis: DVec3::Z, limits: None, motor: None };
    let cases = [
        ("pendulum, from the horizontal", chain(1, hinge, 0.0, 1.0)?),
        ("10 hinges, nudged", chain(10, hinge, 0.01, 1.0)?),
        ("50 hinges, nudged", chain(50, hinge, 0.01, 1.0)?),
        ("20 balls", chain(20, JointType::Ball, 0.01, 1.0)?),
        ("10 balls, the last 100 times as heavy", chain(10, JointType::Ball, 0.01, 100.0)?),
        ("ring of 20 balls", ring(20)?),
        (
            "random tree, 30 links",
            (0..1000)
                .map(|seed| Mechanism::random(seed, 30, false))
                .find(|m| m.as_ref().is_ok_and(|m| m.shape == Shape::Tree && m.links == 30))
                .unwrap_or_else(|| Mechanism::random(0, 30, false))?,
        ),
    ];
    let mut holds = true;
    for (name, mechanism) in &cases {
        for rate in [60.0, 240.0] {
            for engine in ["Meniscus", "Rapier, impulses", "Rapier, multibody"] {
                let multibody = engine == "Rapier, multibody";
                if multibody && mechanism.shape == Shape::Loop {
                    continue;
                }
                let mut world: Box<dyn RigidEngine> = if engine == "Meniscus" {
                    Box::new(ours(mechanism)?)
                } else {
                    let params = RapierParams { max_step: 1.0 / rate, multibody, ..RapierParams::default() };
                    Box::new(RapierBodies::new(params, mechanism.bodies.clone(), &mechanism.joints)?)
                };
                let clock = Instant::now();
                let row = match mechanism.run(world.as_mut(), 1.0 / rate, seconds) {
                    Ok(Outcome { gain, lost, gap }) => {
                        holds &= engine != "Meniscus" || gain < 1e-7 && gap < 1e-4;
                        format!("{gain:.0e} | {lost:.1e} | {gap:.0e}")
                    }
                    Err(error) => {
                        holds &= engine != "Meniscus";
                        format!("{error} | | ")
                    }
                };
                let time = clock.elapsed().as_secs_f64() * 1e3 / (seconds * rate);
                println!("| {name} | 1/{rate} s | {engine} | {row} | {time:.3} |");
            }
        }
    }
    Ok(holds)
}

/// The least time of a step of long chains; whether ten times the links cost at most twelve times as much.
fn cost() -> Result<bool> {
    println!("| links | ms a step | ms a step and link |");
    println!("| --- | --- | --- |");
    let mut times = Vec::new();
    for count in [10, 100, 1000] {
        let hinge = JointType::Hinge { axis: DVec3::Z, limits: None, motor: None };
        let mut world = ours(&chain(count, hinge, 0.0, 1.0)?)?;
        let mut least = f64::INFINITY;
        for _ in 0..200 {
            let clock = Instant::now();
            world.advance(1.0 / 240.0)?;
            least = least.min(clock.elapsed().as_secs_f64() * 1e3);
        }
        println!("| {count} | {least:.3} | {:.4} |", least / count as f64);
        times.push(least);
    }
    Ok(times[2] < 12.0 * times[1])
}

/// A horizontal chain of bars of 1 m and 2 kg that hangs on the scene, turned sideways at `nudge` `[rad/s]`; the last is
/// `heavier` times as heavy.
fn chain(count: usize, kind: JointType, nudge: f64, heavier: f64) -> Result<Mechanism> {
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for k in 0..count {
        let centre = DVec3::X * (0.5 + k as f64);
        let spin = nudge * DVec3::Y;
        let mass = if k + 1 == count { 2.0 * heavier } else { 2.0 };
        bodies.push(bar(mass, Pose::at(centre))?.moving(spin.cross(centre), spin));
        joints.push(joint(k, k.checked_sub(1), DVec3::X * k as f64, kind));
    }
    Ok(mechanism(Shape::Chain, bodies, joints))
}

/// A ring that stands and hangs on the scene by one of its joints.
fn ring(count: usize) -> Result<Mechanism> {
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    let step = std::f64::consts::TAU / count as f64;
    let radius = 0.5 / (0.5 * step).sin();
    let corner = |k: usize| radius * DVec3::new((step * k as f64).cos(), (step * k as f64).sin(), 0.0);
    for k in 0..count {
        let (from, to) = (corner(k), corner(k + 1));
        let rotation = DQuat::from_rotation_arc(DVec3::X, (to - from).normalize());
        bodies.push(bar(2.0, Pose { translation: 0.5 * (from + to), rotation })?);
        joints.push(joint(k, Some((k + 1) % count), to, JointType::Ball));
    }
    joints.push(joint(0, None, corner(0), JointType::Ball));
    Ok(mechanism(Shape::Loop, bodies, joints))
}

fn mechanism(shape: Shape, bodies: Vec<BodyParams>, joints: Vec<JointParams>) -> Mechanism {
    let links = bodies.len();
    let mass = |b: &BodyParams| if let meniscus_solid::BodyType::Dynamic(m) = &b.kind { m.mass } else { 0.0 };
    let scale = bodies.iter().map(mass).sum::<f64>() * 9.81 * links as f64;
    Mechanism { shape, bodies, joints, links, length: 1.0, scale }
}

/// A bar of 1 m whose shape meets nothing.
fn bar(mass: f64, pose: Pose) -> Result<BodyParams> {
    let matter = MassProperties::cuboid(mass, DVec3::new(1.0, 0.1, 0.1));
    Ok(BodyParams::dynamic(ColliderShape::cuboid(DVec3::splat(1e-6))?, matter, pose))
}

fn joint(first: usize, second: Option<usize>, point: DVec3, kind: JointType) -> JointParams {
    let second = second.map(|b| BodyId(b as u32));
    JointParams { first: BodyId(first as u32), second, point, kind, collide: false }
}
