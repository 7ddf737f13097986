//! Bodies for a tank.

use glam::DVec3;
use std::fmt::Write as _;

/// A body of a scene, by the keys that a user would write.
#[must_use]
#[derive(Debug, Clone)]
pub struct Body {
    name: Option<String>,
    keys: String,
    dynamics: Vec<String>,
    method: Option<String>,
}

impl Body {
    /// A body by the keys of its shape, such as `shape = "statue"` and `height = 0.45`, one a line.
    pub fn shape(keys: &str) -> Self {
        Self { name: None, keys: format!("{keys}\n"), dynamics: Vec::new(), method: None }
    }

    /// A box of this size `[m]`.
    pub fn cuboid(size: [f64; 3]) -> Self {
        Self::shape(&format!("shape = \"box\"\nsize = {size:?}"))
    }

    /// A ball; a disc in the plane `[m]`.
    pub fn ball(radius: f64) -> Self {
        Self::shape(&format!("shape = \"sphere\"\nradius = {radius:?}"))
    }

    /// A cylinder along the y axis `[m]`.
    pub fn cylinder(radius: f64, height: f64) -> Self {
        Self::shape(&format!("shape = \"cylinder\"\nradius = {radius:?}\nheight = {height:?}"))
    }

    /// Gives it a name; without one it is `body-1` if it is the first one after the tank, and so on.
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Puts its centre somewhere `[m]`.
    pub fn at(self, place: impl Into<DVec3>) -> Self {
        let place = place.into().to_array();
        self.key(&format!("position = {place:?}"))
    }

    /// Turns it about an axis `[degree]`.
    pub fn turned(self, axis: impl Into<DVec3>, angle: f64) -> Self {
        let axis = axis.into().to_array();
        self.key(&format!("rotation = {{ axis = {axis:?}, angle = {angle:?} }}"))
    }

    /// Makes it a container.
    pub fn container(self) -> Self {
        self.key("container = true")
    }

    /// Frees it, with matter of this density `[kg/m³]`. A body of which nothing is said stands still.
    pub fn free(self, density: f64) -> Self {
        self.dynamics(&format!("density = {density:?}"))
    }

    /// Holds it until then `[s]`.
    pub fn held(self, until: f64) -> Self {
        self.dynamics(&format!("release = {until:?}"))
    }

    /// Lets it appear at a time `[s]`.
    pub fn entering(self, time: f64) -> Self {
        self.dynamics(&format!("enter = {time:?}"))
    }

    /// Throws it `[m/s]` with a spin `[rad/s]`.
    pub fn thrown(self, velocity: impl Into<DVec3>, spin: impl Into<DVec3>) -> Self {
        let (velocity, spin) = (velocity.into().to_array(), spin.into().to_array());
        self.dynamics(&format!("velocity = {velocity:?}, angular_velocity = {spin:?}"))
    }

    /// Leads it along a motion, by the table of a scene.
    pub fn led(self, motion: &str) -> Self {
        self.key(&format!("motion = {motion}"))
    }

    /// By which boundary method the fluid feels it: a name or a table; that of the tank if nothing is said.
    pub fn felt_by(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// Adds a line of a scene.
    pub fn key(mut self, line: &str) -> Self {
        self.keys += line;
        self.keys += "\n";
        self
    }

    fn dynamics(mut self, entry: &str) -> Self {
        self.dynamics.push(entry.to_owned());
        self
    }

    /// The table of the scene; `others` is the method of those that have none of their own.
    pub(crate) fn text(&self, number: usize, others: Option<&str>) -> String {
        let name = self.name.clone().unwrap_or_else(|| format!("body-{number}"));
        let mut text = format!("\n[[body]]\nname = \"{name}\"\n{}", self.keys);
        if !self.dynamics.is_empty() {
            let _ = writeln!(text, "dynamics = {{ {} }}", self.dynamics.join(", "));
        }
        if let Some(method) = self.method.as_deref().or(others) {
            let _ = writeln!(text, "boundary = {}", method_table(method));
        }
        text
    }
}

/// The table of a method that is called by its name or is a table already.
pub(crate) fn method_table(method: &str) -> String {
    if method.starts_with('{') { method.to_owned() } else { format!("{{ method = \"{method}\" }}") }
}
