//! Bodies in water, in space: how deep they float, whether they stay, how they start.

pub mod depth;
pub mod images;
pub mod neutral;
pub mod response;
pub mod start;
pub mod vessel;

use crate::boundaries::setup;
use anyhow::Result;
use glam::DVec3;
use meniscus_coupling::{Setup, Simulation};

/// The boundary methods of bodies that move freely, by their names in scenes.
pub const METHODS: [&str; 3] = ["volume-particles", "density-map", "direct-forcing"];
/// Size of the bodies: edge of a box, diameter of a sphere `[m]`.
pub const SIZE: f64 = 0.2;
/// Density of water `[kg/m³]`.
const WATER: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

/// What is run: all of it where nothing is said.
#[derive(Debug, Clone)]
pub struct Selection {
    /// Particles across a body `[1]`.
    pub across: u32,
    /// Boundary methods.
    pub method: Vec<String>,
    /// Forms of the body.
    pub form: Vec<Form>,
    /// Density ratios `[1]`; those of the case if empty.
    pub ratio: Vec<f64>,
    /// Keys of the pressure solver.
    pub pressure: String,
}

impl Selection {
    fn ratios(&self, all: &[f64]) -> Vec<f64> {
        if self.ratio.is_empty() { all.to_vec() } else { self.ratio.clone() }
    }

    fn spacing(&self) -> f64 {
        SIZE / f64::from(self.across)
    }
}

/// The form of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// A cube.
    Box,
    /// A sphere.
    Sphere,
}

impl Form {
    /// Its name in scenes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Sphere => "sphere",
        }
    }

    fn keys(self) -> String {
        match self {
            Self::Box => format!("shape = \"box\"\nsize = [{SIZE}, {SIZE}, {SIZE}]"),
            Self::Sphere => format!("shape = \"sphere\"\nradius = {}", 0.5 * SIZE),
        }
    }

    /// Its volume `[m³]`.
    fn volume(self) -> f64 {
        match self {
            Self::Box => SIZE.powi(3),
            Self::Sphere => std::f64::consts::PI / 6.0 * SIZE.powi(3),
        }
    }

    fn contains(self, x: DVec3) -> bool {
        match self {
            Self::Box => x.abs().max_element() <= 0.5 * SIZE,
            Self::Sphere => x.length() <= 0.5 * SIZE,
        }
    }
}

/// A tank of water with a body in its middle.
#[derive(Debug, Clone)]
struct Pool<'a> {
    method: &'a str,
    form: Form,
    /// Of the body and of water.
    ratio: f64,
    spacing: f64,
    /// Of the tank, a square seen from above `[m]`.
    width: f64,
    /// Of the water where the body is not `[m]`.
    depth: f64,
    /// Of the body's centre `[m]`.
    height: f64,
    /// Until when the body is held `[s]`.
    release: Option<f64>,
    pressure: &'a str,
    /// Table of the viscosity; that of every scene if empty.
    viscosity: &'a str,
}

impl Pool<'_> {
    fn setup(&self) -> Result<Setup> {
        let Self { method, form, spacing, width, depth, height, pressure, .. } = *self;
        let release = self.release.map_or(String::new(), |time| format!(", release = {time}"));
        let (half, density, keys) = (0.5 * width, WATER * self.ratio, form.keys());
        let tall = depth + SIZE;
        let viscosity = match self.viscosity {
            "" => String::new(),
            table => format!("viscosity = {table}"),
        };
        setup(&format!(
            r#"
[time]
end = 60.0

[fluid]
spacing = {spacing}
pressure = {{ {pressure} }}
{viscosity}

[[fluid.source]]
shape = "box"
min = [{}, 0.0, {}]
max = [{half}, {depth}, {half}]
carve = true

[[body]]
name = "tank"
shape = "box"
size = [{width}, {tall}, {width}]
position = [0.0, {}, 0.0]
open = ["+y"]
container = true

[[body]]
name = "body"
{keys}
position = [0.0, {height}, 0.0]
boundary.method = "{method}"
dynamics = {{ density = {density}{release} }}
"#,
            -half,
            -half,
            0.5 * tall
        ))
    }
}

/// Where the body is.
fn centre(simulation: &Simulation) -> DVec3 {
    simulation.body(1).pose.translation
}

fn run_until(simulation: &mut Simulation, time: f64) -> Result<()> {
    while simulation.clock().time < time - 1e-9 {
        simulation.step()?;
    }
    Ok(())
}
