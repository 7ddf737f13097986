//! Tanks of water, as scenes that a user could write.

use crate::body::{Body, method_table};
use crate::run::{Run, Saved};
use crate::solver::Solver;
use anyhow::Result;
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::Setup;
use meniscus_scene::SceneSource;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A tank of water with bodies in it, or fluid without a tank.
///
/// The tank stands on y = 0 with its middle above the origin, is open above and has walls as high as three times its
/// water is deep. Whatever is not said is as in any scene that does not say it.
#[must_use]
#[derive(Debug, Clone)]
pub struct Tank {
    dimension: Dimension,
    spacing: f64,
    /// Where the middle of its floor is `[m]`.
    place: DVec3,
    /// Of the tank along x, of it along z, and of the water along x `[m]`.
    width: f64,
    across: Option<f64>,
    dam: Option<f64>,
    /// Of the tank and of the water `[m]`.
    height: Option<f64>,
    depth: f64,
    wet: bool,
    walls: Walls,
    carved: bool,
    flow: DVec3,
    gravity: Option<DVec3>,
    method: Option<String>,
    /// Further keys of the tank, of the fluid and of time, and further tables, as lines of a scene.
    wall: String,
    fluid: String,
    time: String,
    more: String,
    /// Keys of sources that are there instead of the water.
    sources: Vec<String>,
    bodies: Vec<Body>,
    /// Positions and velocities instead of the water.
    particles: Option<Vec<(DVec3, DVec3)>>,
    folder: Option<PathBuf>,
    map_cache: Option<PathBuf>,
}

/// What holds the water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Walls {
    None,
    Open,
    Closed,
}

impl Tank {
    /// A tank in the plane, 1 m wide with water 0.5 m deep, with this distance of particles `[m]`.
    pub fn plane(spacing: f64) -> Self {
        Self::new(Dimension::Two, spacing)
    }

    /// A tank in space, 1 m wide both ways with water 0.5 m deep, with this distance of particles `[m]`.
    pub fn space(spacing: f64) -> Self {
        Self::new(Dimension::Three, spacing)
    }

    /// A tank in the plane or in space, 1 m wide with water 0.5 m deep, with this distance of particles `[m]`.
    pub fn new(dimension: Dimension, spacing: f64) -> Self {
        Self {
            dimension,
            spacing,
            place: DVec3::ZERO,
            width: 1.0,
            across: None,
            dam: None,
            height: None,
            depth: 0.5,
            wet: true,
            walls: Walls::Open,
            carved: false,
            flow: DVec3::ZERO,
            gravity: None,
            method: None,
            wall: String::new(),
            fluid: String::new(),
            time: String::new(),
            more: String::new(),
            sources: Vec::new(),
            bodies: Vec::new(),
            particles: None,
            folder: None,
            map_cache: None,
        }
    }

    /// Bodies in space, without a tank and without fluid.
    pub fn dry() -> Self {
        Self { wet: false, walls: Walls::None, ..Self::space(1.0) }
    }

    /// Puts the middle of the floor somewhere `[m]`.
    pub fn at(mut self, place: impl Into<DVec3>) -> Self {
        self.place = place.into();
        self
    }

    /// How wide the tank is, both ways unless [`Self::across`] is said `[m]`.
    pub fn width(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// How wide it is along z `[m]`.
    pub fn across(mut self, across: f64) -> Self {
        self.across = Some(across);
        self
    }

    /// How high its walls are `[m]`.
    pub fn height(mut self, height: f64) -> Self {
        self.height = Some(height);
        self
    }

    /// How deep the water is `[m]`.
    pub fn depth(mut self, depth: f64) -> Self {
        self.depth = depth;
        self
    }

    /// Water that stands at the wall at −x only, this wide `[m]`.
    pub fn dam(mut self, width: f64) -> Self {
        self.dam = Some(width);
        self
    }

    /// Closes it above.
    pub fn closed(mut self) -> Self {
        self.walls = Walls::Closed;
        self
    }

    /// Fluid without a tank.
    pub fn without_walls(mut self) -> Self {
        self.walls = Walls::None;
        self
    }

    /// Bodies are cut out of the water, which starts fitted around them instead of as a lattice.
    pub fn carved(mut self) -> Self {
        self.carved = true;
        self
    }

    /// The velocity of the water at the start `[m/s]`.
    pub fn flowing(mut self, velocity: impl Into<DVec3>) -> Self {
        self.flow = velocity.into();
        self
    }

    /// Gravity `[m/s²]`.
    pub fn gravity(mut self, gravity: impl Into<DVec3>) -> Self {
        self.gravity = Some(gravity.into());
        self
    }

    /// By which boundary method the fluid feels tank and bodies, unless a body says otherwise: a name or a table.
    pub fn felt_by(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// The pressure solver: a name, a table or a [`Solver`].
    pub fn solver(self, solver: impl Into<Solver>) -> Self {
        let table = method_table(solver.into().text());
        self.fluid(&format!("pressure = {table}"))
    }

    /// The viscosity: a name or a table.
    pub fn viscosity(self, viscosity: &str) -> Self {
        let table = method_table(viscosity);
        self.fluid(&format!("viscosity = {table}"))
    }

    /// Steps of one length `[s]`.
    pub fn fixed_step(self, dt: f64) -> Self {
        self.time(&format!("step = {{ method = \"fixed\", dt = {dt:?} }}"))
    }

    /// Steps by the fastest motion, but not longer than this `[s]`.
    pub fn longest_step(self, dt: f64) -> Self {
        self.time(&format!("step = {{ method = \"cfl\", max = {dt:?} }}"))
    }

    /// Adds a line to the table of time.
    pub fn time(mut self, line: &str) -> Self {
        self.time += line;
        self.time += "\n";
        self
    }

    /// Adds a line to the table of the fluid.
    pub fn fluid(mut self, line: &str) -> Self {
        self.fluid += line;
        self.fluid += "\n";
        self
    }

    /// Adds a line to the table of the tank.
    pub fn walls(mut self, line: &str) -> Self {
        self.wall += line;
        self.wall += "\n";
        self
    }

    /// Adds tables to the scene.
    pub fn scene(mut self, tables: &str) -> Self {
        self.more += tables;
        self.more += "\n";
        self
    }

    /// Adds a source of fluid, by its keys, instead of the water.
    pub fn source(mut self, keys: &str) -> Self {
        self.sources.push(keys.to_owned());
        self
    }

    /// Adds a body. The tank is body 0, this one has the next free number.
    pub fn with(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Particles at these places `[m]` with these velocities `[m/s]` instead of the water.
    pub fn particles(mut self, particles: Vec<(DVec3, DVec3)>) -> Self {
        self.particles = Some(particles);
        self
    }

    /// Where the scene finds its meshes.
    pub fn folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Where maps are kept.
    pub fn map_cache(mut self, folder: Option<&Path>) -> Self {
        self.map_cache = folder.map(Path::to_owned);
        self
    }

    /// The scene.
    #[must_use]
    pub fn text(&self) -> String {
        let number = if self.dimension == Dimension::Two { 2 } else { 3 };
        let mut text = format!("dimension = {number}\n");
        if let Some(gravity) = self.gravity {
            let _ = writeln!(text, "gravity = {:?}", gravity.to_array());
        }
        let _ = write!(text, "\n[time]\nend = 1e6\n{}", self.time);
        if self.wet {
            text += &self.filling();
        }
        let first = usize::from(self.walls != Walls::None);
        if first > 0 {
            text += &self.wall().text(0, self.method.as_deref());
        }
        for (k, body) in self.bodies.iter().enumerate() {
            text += &body.text(k + first, self.method.as_deref());
        }
        text + "\n" + &self.more
    }

    fn filling(&self) -> String {
        let text = format!("\n[fluid]\nspacing = {:?}\n{}", self.spacing, self.fluid);
        if self.sources.is_empty() {
            return text + &self.water();
        }
        self.sources.iter().fold(text, |text, keys| text + "\n[[fluid.source]]\n" + keys + "\n")
    }

    fn water(&self) -> String {
        let across = if self.dimension == Dimension::Two { 0.0 } else { self.breadth() };
        let min = self.place - 0.5 * DVec3::new(self.width, 0.0, across);
        let max = min + DVec3::new(self.dam.unwrap_or(self.width), self.depth, across);
        let [min, max, flow] = [min, max, self.flow].map(|x| x.to_array());
        let carved = self.carved;
        format!(
            "\n[[fluid.source]]\nshape = \"box\"\nmin = {min:?}\nmax = {max:?}\ncarve = {carved}\nvelocity = {flow:?}\n"
        )
    }

    fn breadth(&self) -> f64 {
        self.across.unwrap_or(self.width)
    }

    fn wall(&self) -> Body {
        let height = self.height.unwrap_or(3.0 * self.depth);
        let open = if self.walls == Walls::Open { "open = [\"+y\"]\n" } else { "" };
        Body::cuboid([self.width, height, self.breadth()])
            .named("tank")
            .at(self.place + 0.5 * height * DVec3::Y)
            .container()
            .key(&format!("{open}{}", self.wall))
    }

    /// The simulation's description.
    ///
    /// # Errors
    /// With every mistake in the scene.
    pub fn setup(&self) -> Result<Setup> {
        let mut source = SceneSource::from_text("tank", &self.text());
        if let Some(folder) = &self.folder {
            source = source.with_folder(folder);
        }
        let (_, mut setup) = source.with_map_cache(self.map_cache.as_deref()).build()?;
        if let Some(particles) = &self.particles {
            setup.sph.initial.clone_from(particles);
        }
        Ok(setup)
    }

    /// Positions `[m]` and velocities `[m/s]` of the water at the start.
    pub fn lattice(&self) -> Result<Vec<(DVec3, DVec3)>> {
        Ok(self.setup()?.sph.initial)
    }

    /// Fills the tank.
    ///
    /// # Errors
    /// With every mistake in the scene.
    pub fn start(&self) -> Result<Run> {
        Run::new(self.setup()?)
    }

    /// Goes on from a state that a run of this tank, or of one with other methods or densities, has left.
    ///
    /// # Errors
    /// With every mistake in the scene, or if the state does not fit it.
    pub fn resume(&self, saved: &Saved) -> Result<Run> {
        Run::restore(self.setup()?, saved)
    }
}
