//! Hollow vessels that float, tilt and are pushed under, and through whose walls nothing may go.
//!
//! A particle has gone through if it is on another side of the middle of the wall than a step before, below the rim.

use super::Selection;
use crate::boundaries::{Report, run, setup};
use anyhow::Result;
use glam::DVec3;
use meniscus_coupling::Simulation;

const SPACING: f64 = 0.02;
/// How long vessels are watched `[s]`.
const END: f64 = 10.0;
/// The water's level at the start `[m]`.
const LEVEL: f64 = 0.24;

/// A vessel in its own frame.
#[derive(Debug, Clone, Copy)]
enum Hull {
    /// A cup, in the middle of its height.
    Cup { radius: f64, height: f64, thickness: f64 },
    /// Half a ball, in the middle of its rim.
    Bowl { radius: f64, thickness: f64 },
}

impl Hull {
    fn keys(self) -> String {
        match self {
            Self::Cup { radius, height, thickness } => {
                format!("shape = \"cup\"\nradius = {radius}\nheight = {height}\nthickness = {thickness}")
            }
            Self::Bowl { radius, thickness } => {
                format!("shape = \"bowl\"\nradius = {radius}\nthickness = {thickness}")
            }
        }
    }

    /// Lowest and highest place `[m]`.
    fn reach(self) -> [f64; 2] {
        match self {
            Self::Cup { height, .. } => [-0.5 * height, 0.5 * height],
            Self::Bowl { radius, .. } => [-radius, 0.0],
        }
    }

    /// Whether a place is on the inner side of the middle of the wall.
    fn holds(self, x: DVec3) -> bool {
        let [bottom, rim] = self.reach();
        match self {
            Self::Cup { radius, thickness, .. } => {
                x.x.hypot(x.z) < radius - 0.5 * thickness && x.y > bottom + 0.5 * thickness && x.y < rim
            }
            Self::Bowl { radius, thickness } => x.length() < radius - 0.5 * thickness && x.y < rim,
        }
    }
}

/// When a vessel that is led is let go `[s]`.
const RELEASE: f64 = 6.0;

/// How a vessel is led before it is let go, from a place at this height `[m]`: lowered, tilted to one side and to another, pushed under until water
/// flows in, and lifted.
fn led_from(height: f64) -> String {
    let frame = |time: f64, [x, y, z]: [f64; 3], turn: &str| {
        format!("    {{ time = {time}, position = [{x}, {}, {z}]{turn} }},\n", height + y)
    };
    let frames = [
        frame(0.0, [0.0, 0.0, 0.0], ""),
        frame(1.0, [0.0, -0.06, 0.0], ""),
        frame(2.0, [0.03, -0.06, 0.0], ", rotation = { axis = [0, 0, 1], angle = 25.0 }"),
        frame(3.0, [-0.03, -0.05, 0.02], ", rotation = { axis = [1, 0, 0], angle = -25.0 }"),
        frame(4.0, [0.0, -0.20, 0.0], ""),
        frame(5.0, [0.0, -0.06, 0.0], ", rotation = { axis = [0, 0, 1], angle = -15.0 }"),
        frame(RELEASE, [0.0, -0.06, 0.0], ""),
    ];
    format!("motion = {{ kind = \"keyframes\", frame = [\n{}] }}", frames.concat())
}

/// Vessels of both kinds, floating and led.
///
/// # Errors
/// Never; what fails is noted.
pub fn all(report: &mut Report, selection: &Selection) -> Result<()> {
    report.table(
        "Vessels, 10 s",
        &[
            "vessel",
            "boundary",
            "",
            "through the wall",
            "inside at the end",
            "fastest particle [m/s]",
            "tilt at most [°]",
        ],
    );
    let cup = Hull::Cup { radius: 0.12, height: 0.16, thickness: SPACING };
    let bowl = Hull::Bowl { radius: 0.14, thickness: 2.0 * SPACING };
    for (name, hull, method) in [
        ("cup, wall of one layer", cup, "direct-forcing"),
        ("bowl, wall of two spacings", bowl, "density-map"),
    ] {
        if !selection.method.iter().any(|m| m == method) {
            continue;
        }
        for led in [false, true] {
            let how = if led { "led, then free" } else { "free" };
            let who = format!("{name}, {how}");
            let Some(seen) = report.attempt(&who, watch(hull, method, led)) else { continue };
            report.row(&[
                name.into(),
                method.into(),
                how.into(),
                format!("{}", seen.through),
                format!("{}", seen.inside),
                format!("{:.2}", seen.fastest),
                format!("{:.0}", seen.tilt),
            ]);
            report.require(seen.through == 0, format!("{who}: {} particles went through", seen.through));
        }
    }
    Ok(())
}

struct Seen {
    through: u64,
    inside: usize,
    fastest: f64,
    tilt: f64,
}

fn watch(hull: Hull, method: &str, led: bool) -> Result<Seen> {
    let [bottom, rim] = hull.reach();
    let height = LEVEL - bottom + 0.25 * SPACING;
    let (motion, release) =
        if led { (led_from(height), format!(", release = {RELEASE}")) } else { Default::default() };
    let text = format!(
        r#"
[time]
end = 60.0

[fluid]
spacing = {SPACING}
pressure = {{ method = "dfsph", on_failure = "accept" }}

[[fluid.source]]
shape = "box"
min = [-0.22, 0.0, -0.22]
max = [0.22, {LEVEL}, 0.22]

[[body]]
name = "tank"
shape = "box"
size = [0.44, 0.7, 0.44]
position = [0.0, 0.35, 0.0]
open = ["+y"]
container = true

[[body]]
name = "vessel"
{}
position = [0.0, {height}, 0.0]
boundary.method = "{method}"
dynamics = {{ mass = 2.7{release} }}
{motion}
"#,
        hull.keys()
    );
    let mut simulation = Simulation::new(setup(&text)?)?;
    let mut seen = Seen { through: 0, inside: 0, fastest: 0.0, tilt: 0.0 };
    // By number: whether it is inside, and whether it is below the rim, so that it cannot have come over it.
    let places = |simulation: &Simulation| {
        let pose = simulation.body(1).pose;
        let particles = &simulation.particles();
        let mut places = vec![(false, false); particles.len()];
        for (&id, &x) in particles.id.iter().zip(&particles.position) {
            let local = pose.to_local(x);
            places[id as usize] = (hull.holds(local), local.y < rim - 0.25 * SPACING);
        }
        places
    };
    let mut before = places(&simulation);
    run(&mut simulation, END, |simulation| {
        let now = places(simulation);
        let crossed = |(a, b): &(&(bool, bool), &(bool, bool))| a.0 != b.0 && a.1 && b.1;
        seen.through += before.iter().zip(&now).filter(crossed).count() as u64;
        let velocity = &simulation.particles().velocity;
        seen.fastest = velocity.iter().map(|v| v.length()).fold(seen.fastest, f64::max);
        let up = simulation.body(1).pose.rotation * DVec3::Y;
        seen.tilt = seen.tilt.max(up.y.clamp(-1.0, 1.0).acos().to_degrees());
        before = now;
        Ok(())
    })?;
    seen.inside = before.iter().filter(|place| place.0).count();
    Ok(seen)
}
