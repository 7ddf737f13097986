//! Checks that need more than one value: sizes against the spacing, names against each other.

use crate::diagnostic::{Finding, quoted};
use crate::model::{
    BodyShape, BodySpec, DrainSpec, EmitterSpec, IntegratorSpec, KeyframeMotion, MotionSpec, NozzleSpec,
    OnFailureSpec, Pressure, Scene, Source, SourceShape, TimeStep, Vec3,
};
use crate::tree::Node;
use crate::{claim_check, deformable_check, look_check, particle_count, plane, solid_check};
use meniscus_core::Dimension;

/// Coordinates are held as cells of a grid; beyond this many spacings from the origin they would not fit `[1]`.
const MAX_CELLS: f64 = 1e9;

/// The largest speed `[m/s]` and acceleration `[m/s²]`: nothing is faster, and squares of what is larger would not be
/// numbers any more.
const MAX_SPEED: f64 = 299_792_458.0;

/// What spreadsheets take for the beginning of a formula.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// All mistakes of a scene that fits the schema.
pub(crate) fn check(scene: &Scene, root: &Node) -> Vec<Finding> {
    let mut checker = Checker { scene, root, findings: Vec::new() };
    checker.texts();
    checker.speeds();
    checker.time();
    checker.fluid();
    for (index, emitter) in scene.emitters.iter().enumerate() {
        checker.emitter(emitter, &format!("emitter[{index}]"));
    }
    for (index, drain) in scene.drains.iter().enumerate() {
        checker.drain(drain, &format!("drain[{index}]"));
    }
    for (index, body) in scene.bodies.iter().enumerate() {
        checker.body(body, index);
    }
    solid_check::check(&mut checker);
    deformable_check::check(&mut checker);
    look_check::check(&mut checker);
    if scene.dimension == Dimension::Two {
        plane::check(&mut checker);
    }
    particle_count::check(&mut checker);
    // Claims name columns, which are only known of bodies without mistakes.
    if checker.findings.is_empty() {
        claim_check::check(&mut checker);
    }
    checker.findings
}

/// The scene, the tree that knows where each key was written, and what was found so far.
pub(crate) struct Checker<'a> {
    pub scene: &'a Scene,
    root: &'a Node,
    findings: Vec<Finding>,
}

impl Checker<'_> {
    /// Reports a mistake at a key such as `body[1].size`, or at the table it is missing from.
    pub fn report(&mut self, path: &str, message: String, label: &str, help: &str) {
        let mut finding = Finding::new(self.root.find(path).place.clone(), message).label(label);
        if !help.is_empty() {
            finding = finding.help(help);
        }
        self.findings.push(finding);
    }

    fn time(&mut self) {
        let leapfrog = self.scene.time.integrator == IntegratorSpec::Leapfrog;
        if leapfrog && !matches!(self.scene.fluid.pressure, Pressure::Wcsph(_)) {
            let message = "`leapfrog` does not go with this pressure solver".to_owned();
            let label = "its pressures are made for velocities at the end of the step";
            let help = "choose `fluid.pressure.method = \"wcsph\"` or leave `integrator` out";
            self.report("time.integrator", message, label, help);
        }
        let TimeStep::Cfl(cfl) = &self.scene.time.step else { return };
        if cfl.min > cfl.max {
            let message =
                format!("the smallest time step, {} s, is larger than the largest, {} s", cfl.min, cfl.max);
            let key =
                if self.root.find("time.step").as_table().is_some_and(|table| table.get("min").is_some()) {
                    "time.step.min"
                } else {
                    "time.step.max"
                };
            self.report(key, message, "`min` must not exceed `max`", "");
        }
    }

    fn fluid(&mut self) {
        let scene = self.scene;
        if !scene.fluid.is_absent() && scene.fluid.sources.is_empty() && scene.emitters.is_empty() {
            let help = "add a `[[fluid.source]]` or an `[[emitter]]`";
            self.report("fluid", "the scene has no fluid".to_owned(), "no source and no emitter", help);
        }
        let retries = scene.fluid.pressure.on_failure() == OnFailureSpec::Retry;
        if retries && matches!(scene.time.step, TimeStep::Fixed(_)) {
            let message = "a fixed time step cannot be halved when a solve fails".to_owned();
            let help = "use `time.step.method = \"cfl\"`, or another `on_failure`";
            self.report("fluid.pressure.on_failure", message, "needs steps that adapt", help);
        }
        for [(min_key, min), (max_key, max)] in scene.fluid.pressure.sweep_bounds() {
            if min > max {
                let message = format!("`{min_key}`, {min}, is larger than `{max_key}`, {max}");
                self.report("fluid.pressure", message, "the fewest sweeps must not exceed the most", "");
            }
        }
        for (index, source) in scene.fluid.sources.iter().enumerate() {
            self.source(source, &format!("fluid.source[{index}]"));
        }
    }

    /// Speeds from which no step and no speed of sound follows.
    fn speeds(&mut self) {
        let scene = self.scene;
        self.speed(scene.gravity, "gravity", "m/s²");
        for (index, source) in scene.fluid.sources.iter().enumerate() {
            self.speed(source.velocity, &format!("fluid.source[{index}].velocity"), "m/s");
        }
        for (index, emitter) in scene.emitters.iter().enumerate() {
            self.speed([emitter.speed, 0.0, 0.0], &format!("emitter[{index}].speed"), "m/s");
        }
    }

    pub fn speed(&mut self, vector: Vec3, path: &str, unit: &str) {
        if vector.iter().any(|x| x.abs() > MAX_SPEED) {
            let message = format!("this is beyond reason: more than {MAX_SPEED:.2e} {unit}");
            let help =
                "no speed of sound and no time step can be found for it; are the units metres and seconds?";
            self.report(path, message, "too large", help);
        }
    }

    fn source(&mut self, source: &Source, path: &str) {
        match &source.shape {
            SourceShape::Box(volume) => {
                self.extent(volume.min, volume.max, path);
                self.thickness(volume.min, volume.max, path);
            }
            SourceShape::Sphere(ball) => {
                self.coordinates(ball.center, &format!("{path}.center"));
                self.coordinates([ball.radius; 3], &format!("{path}.radius"));
                let spacing = self.scene.fluid.spacing;
                if 2.0 * ball.radius < spacing {
                    let message = format!("the ball is smaller than one particle spacing, {spacing} m");
                    let help = format!(
                        "the radius must be at least {} m, or `fluid.spacing` smaller",
                        0.5 * spacing
                    );
                    self.report(&format!("{path}.radius"), message, "too small", &help);
                }
            }
            SourceShape::Mesh(mesh) => {
                self.coordinates(mesh.translation, &format!("{path}.translation"));
                self.positive(&mesh.scale.factors(), &format!("{path}.scale"));
                self.rotation(mesh.rotation.as_ref().map(|rotation| rotation.axis), path);
            }
            SourceShape::Particles(file) => {
                self.coordinates(file.translation, &format!("{path}.translation"));
                self.positive(&file.scale.factors(), &format!("{path}.scale"));
                self.rotation(file.rotation.as_ref().map(|rotation| rotation.axis), path);
            }
            other => {
                let Some((_, placement)) = other.as_body() else { return };
                self.coordinates(placement.translation, &format!("{path}.translation"));
                self.rotation(placement.rotation.as_ref().map(|rotation| rotation.axis), path);
            }
        }
    }

    /// The corners of a box must be in order.
    pub fn extent(&mut self, min: Vec3, max: Vec3, path: &str) {
        self.coordinates(min, &format!("{path}.min"));
        self.coordinates(max, &format!("{path}.max"));
        for axis in self.axes() {
            if min[axis] >= max[axis] {
                let name = ["x", "y", "z"][axis];
                let message =
                    format!("the box has no size in {name}: it goes from {} to {}", min[axis], max[axis]);
                self.report(&format!("{path}.max[{axis}]"), message, "must be larger than in `min`", "");
            }
        }
    }

    /// A box of fluid must hold at least one particle in every direction.
    fn thickness(&mut self, min: Vec3, max: Vec3, path: &str) {
        let spacing = self.scene.fluid.spacing;
        for axis in self.axes() {
            let size = max[axis] - min[axis];
            // A box that is meant to be one spacing thick may be a rounding error thinner.
            if size > 0.0 && size < spacing * (1.0 - 1e-6) {
                let name = ["x", "y", "z"][axis];
                let message =
                    format!("the box is thinner in {name}, {size} m, than one particle spacing, {spacing} m");
                let help = "make the box thicker, or `fluid.spacing` smaller";
                self.report(&format!("{path}.max[{axis}]"), message, "too thin to hold a particle", help);
            }
        }
    }

    fn emitter(&mut self, emitter: &EmitterSpec, path: &str) {
        self.coordinates(emitter.position, &format!("{path}.position"));
        if is_zero(emitter.direction) {
            self.report(
                &format!("{path}.direction"),
                "the direction has no length".to_owned(),
                "all components are 0",
                "",
            );
        }
        if let Some(stop) = emitter.stop
            && stop <= emitter.start
        {
            let message = format!("the emitter stops at {stop} s, before it starts at {} s", emitter.start);
            self.report(&format!("{path}.stop"), message, "must be later than `start`", "");
        }
        let spacing = self.scene.fluid.spacing;
        let width = match &emitter.nozzle {
            NozzleSpec::Disc(disc) => 2.0 * disc.radius,
            NozzleSpec::Box(opening) if self.scene.dimension == Dimension::Two => opening.width,
            NozzleSpec::Box(opening) => opening.width.min(opening.height),
        };
        if !self.scene.fluid.is_absent() && width < spacing * (1.0 - 1e-6) {
            let message =
                format!("the nozzle is {width} m wide, less than one particle spacing, {spacing} m");
            self.report(&format!("{path}.nozzle"), message, "too narrow for a particle", "");
        }
    }

    fn drain(&mut self, drain: &DrainSpec, path: &str) {
        match drain {
            DrainSpec::Box(volume) => self.extent(volume.min, volume.max, path),
            DrainSpec::Sphere(ball) => self.coordinates(ball.center, &format!("{path}.center")),
        }
    }

    fn body(&mut self, body: &BodySpec, index: usize) {
        let path = format!("body[{index}]");
        self.name(&body.name, &format!("{path}.name"));
        if body.name.trim().is_empty() {
            self.report(&format!("{path}.name"), "a body needs a name".to_owned(), "empty", "");
        } else if self.scene.bodies[..index].iter().any(|other| other.name == body.name) {
            let message = format!("another body has the name {} already", quoted(&body.name));
            self.report(&format!("{path}.name"), message, "names must be unique", "");
        }
        self.coordinates(body.position, &format!("{path}.position"));
        self.rotation(body.rotation.as_ref().map(|rotation| rotation.axis), &path);
        if let Some(motion) = &body.motion {
            self.motion(motion, &format!("{path}.motion"));
        }
        let dimension = self.scene.dimension.count() as usize;
        match &body.shape {
            BodyShape::Box(shape) => self.positive(&shape.size[..dimension], &format!("{path}.size")),
            BodyShape::Plane(shape) => self.positive(&shape.size[..dimension - 1], &format!("{path}.size")),
            BodyShape::Mesh(shape) => self.positive(&shape.scale.factors(), &format!("{path}.scale")),
            BodyShape::Sphere(shape) => self.coordinates([shape.radius; 3], &format!("{path}.radius")),
            BodyShape::Cylinder(shape) => {
                self.coordinates([shape.radius; 3], &format!("{path}.radius"));
                self.coordinates([shape.height; 3], &format!("{path}.height"));
            }
            built_in => self.built_in(built_in, &path),
        }
        if body.container && matches!(body.shape, BodyShape::Plane(_)) {
            let message = "a plane has no inside".to_owned();
            self.report(
                &format!("{path}.container"),
                message,
                "a plane cannot be a container",
                "turn the plane instead",
            );
        }
    }

    /// Names are printed, become names of files and head the columns of tables, which are opened by spreadsheets.
    pub fn name(&mut self, name: &str, path: &str) {
        self.plain(name, path, false);
        if name.trim_start().starts_with(FORMULA) {
            let message = format!("the name {} would be a formula", quoted(name));
            let help =
                "a name begins with none of `=`, `+`, `-` and `@`: spreadsheets take what does for a formula";
            self.report(path, message, "in the header of `series.csv`", help);
        }
    }

    /// Reports characters that would move the cursor of a terminal or hide what follows. `long` texts may have lines and
    /// tabs.
    fn plain(&mut self, text: &str, path: &str, long: bool) {
        let fine = |c: char| long && matches!(c, '\n' | '\r' | '\t');
        let turns = |c: char| matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if let Some(found) = text.chars().find(|c| (c.is_control() || turns(*c)) && !fine(*c)) {
            let message = format!("there is a control character, U+{:04X}, in this text", u32::from(found));
            self.report(path, message, "not to be printed", "leave it out");
        }
    }

    /// Texts that are printed.
    fn texts(&mut self) {
        let scene = self.scene;
        self.plain(&scene.title, "title", true);
        for (index, claim) in scene.claims.iter().enumerate() {
            let texts =
                [("text", Some(&claim.text)), ("unit", Some(&claim.unit)), ("than", claim.than.as_ref())];
            for (key, text) in texts.into_iter().filter_map(|(key, text)| Some((key, text?))) {
                self.plain(text, &format!("claim[{index}].{key}"), key == "text");
            }
        }
    }

    /// What a motion says about axes and places.
    pub fn motion(&mut self, motion: &MotionSpec, path: &str) {
        let (axis, point) = match motion {
            MotionSpec::Spin(spin) => (Some(spin.axis), spin.point),
            MotionSpec::Rocking(rocking) => (Some(rocking.axis), rocking.point),
            MotionSpec::Keyframes(keyframes) => return self.keyframes(keyframes, path),
            MotionSpec::Linear(_) | MotionSpec::Oscillation(_) => (None, None),
        };
        if axis == Some([0.0; 3]) {
            let message = "the axis of the motion has no length".to_owned();
            self.report(&format!("{path}.axis"), message, "no direction", "for example [0.0, 0.0, 1.0]");
        }
        if let Some(point) = point {
            self.coordinates(point, &format!("{path}.point"));
        }
    }

    fn keyframes(&mut self, keyframes: &KeyframeMotion, path: &str) {
        for (n, frame) in keyframes.frames.iter().enumerate() {
            let path = format!("{path}.frame[{n}]");
            self.coordinates(frame.position, &format!("{path}.position"));
            self.rotation(frame.rotation.as_ref().map(|rotation| rotation.axis), &path);
        }
    }

    /// The lengths of a built-in mesh must fit each other.
    fn built_in(&mut self, shape: &BodyShape, path: &str) {
        for (key, length) in shape.lengths() {
            self.coordinates([length; 3], &format!("{path}.{key}"));
        }
        // One remark on each key is enough.
        let mut told = Vec::new();
        for order in shape.orders() {
            if order.value >= order.limit && !told.contains(&order.key) {
                told.push(order.key);
                let key = format!("{path}.{}", order.key);
                let message = format!(
                    "`{key}`, {} m, is not smaller than {}, {} m",
                    order.value, order.name, order.limit
                );
                self.report(&key, message, "too large", "");
            }
        }
    }

    pub fn rotation(&mut self, axis: Option<Vec3>, path: &str) {
        if axis.is_some_and(is_zero) {
            let message = "the axis of the rotation has no length".to_owned();
            self.report(
                &format!("{path}.rotation.axis"),
                message,
                "all components are 0",
                "for example `axis = [0, 0, 1]`",
            );
        }
    }

    /// Lengths and factors must be positive, and lengths must not be too large to be sampled.
    pub fn positive(&mut self, sizes: &[f64], path: &str) {
        for (axis, &size) in sizes.iter().enumerate() {
            if size <= 0.0 {
                let message = format!("`{path}` must be positive, found {size}");
                self.report(&format!("{path}[{axis}]"), message, "must be greater than 0", "");
            } else if size / self.scene.fluid.spacing > MAX_CELLS {
                self.too_far(&format!("{path}[{axis}]"));
            }
        }
    }

    pub fn coordinates(&mut self, point: Vec3, path: &str) {
        if point.iter().any(|x| x.abs() / self.scene.fluid.spacing > MAX_CELLS) {
            self.too_far(path);
        }
    }

    fn too_far(&mut self, path: &str) {
        let limit = MAX_CELLS * self.scene.fluid.spacing;
        let message = "this is too large for the particle spacing".to_owned();
        let help =
            format!("lengths and coordinates up to {limit:e} m can be told apart at this `fluid.spacing`");
        self.report(path, message, "too far", &help);
    }

    /// The axes in which the scene has an extent.
    fn axes(&self) -> std::ops::Range<usize> {
        0..self.scene.dimension.count() as usize
    }
}

fn is_zero(vector: Vec3) -> bool {
    vector.iter().all(|&x| x == 0.0)
}
