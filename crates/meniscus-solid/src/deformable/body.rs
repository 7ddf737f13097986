//! One deformable body: what it is made of, where it is, and how it gets to the end of a step.

use super::cloth::membrane::Membrane;
use super::cloth::patch::{BranchingEdge, Patch, patches};
use super::cloth::{bending, hinge};
use super::elastic::lattice::middles;
use super::elastic::neo_hookean::NeoHookean;
use super::elastic::tetrahedron::{Linear, Quadratic};
use super::material::ElasticMaterial;
use super::pin::Pin;
use super::rope::{self, Segment};
use super::step::{Integrator, Setting, Unsolved};
use super::system::{Elements, System};
use glam::DVec3;
use meniscus_core::{BodyId, SolidError, reduce};
use meniscus_geometry::tetra::volume;

/// Degree of the shape functions of tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ElementOrder {
    /// Four nodes: cheap, and too stiff in bending.
    Linear,
    /// Ten nodes.
    #[default]
    Quadratic,
}

/// What the nodes of a body are joined by.
#[derive(Debug, Clone, PartialEq)]
pub enum Structure {
    /// A sheet of triangles.
    Sheet {
        /// Its triangles.
        triangle: Vec<[u32; 3]>,
        /// `[m]`
        thickness: f64,
        /// Flexural rigidity, if it is not that of the material and the thickness `[N m]`.
        rigidity: Option<f64>,
    },
    /// A volume of tetrahedra.
    Volume {
        /// Corners, the last one where the first three run counter-clockwise.
        tetrahedron: Vec<[u32; 4]>,
        /// Of shape functions.
        order: ElementOrder,
    },
    /// A rope along its nodes, in their order.
    Rope {
        /// `[m]`
        radius: f64,
    },
}

/// A deformable body.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformableParams {
    /// What it is called.
    pub name: String,
    /// Its nodes in the shape in which nothing is stressed `[m]`.
    pub rest: Vec<DVec3>,
    /// Where they are at the start `[m]`.
    pub start: Vec<DVec3>,
    /// How they move then `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// What joins them.
    pub structure: Structure,
    /// What it is made of.
    pub material: ElasticMaterial,
    /// Viscous stress is what this time makes of the rate of strain, by the stiffness at rest `[s]`.
    pub damping: f64,
    /// Deceleration by velocity `[1/s]`.
    pub drag: f64,
    /// Nodes that are held.
    pub pins: Vec<Pin>,
    /// The longest step it takes `[s]`.
    pub max_substep: f64,
}

/// What a body has of energy `[J]`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of what is stretched, sheared or compressed.
    pub elastic: f64,
    /// Of what is bent.
    pub bending: f64,
}

impl Energies {
    /// All of it `[J]`.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.bending
    }
}

/// A node that is held, and by which pin.
#[derive(Debug, Clone, Copy)]
struct Held {
    node: u32,
    pin: u32,
}

/// How often a step that has no end is halved.
const MAX_HALVINGS: u32 = 12;

/// The first step towards rest `[s]`.
const SETTLING_STEP: f64 = 1e-2;

/// Steps after which the search for a shape at rest is given up.
const MAX_SETTLING_STEPS: u32 = 400;

/// A body rests if a step moves nothing by more than this part of its size `[1]`.
const SETTLED: f64 = 1e-9;

/// Angles between triangles of a sheet below which it counts as flat at rest `[rad]`.
const FLAT: f64 = 1e-6;

/// A deformable body that moves.
#[derive(Debug, Clone)]
pub struct DeformableBody {
    pub(super) name: String,
    id: BodyId,
    system: System,
    integrator: Integrator,
    mass: Vec<f64>,
    surface: Vec<[u32; 3]>,
    thickness: f64,
    pins: Vec<Pin>,
    held: Vec<Held>,
    /// Where its nodes were at the very start: pins move them from there `[m]`.
    origin: Vec<DVec3>,
    damping: f64,
    drag: f64,
    max_substep: f64,
    /// State.
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    time: f64,
    /// State before the last step.
    before: (Vec<DVec3>, Vec<DVec3>, f64),
    /// Of the step in hand.
    free: Vec<DVec3>,
    begun: Vec<DVec3>,
    is_held: bool,
    reaction: DVec3,
}

impl DeformableBody {
    /// A body at its start.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] with what makes no sense about it.
    pub fn new(params: DeformableParams, id: BodyId) -> Result<Self, SolidError> {
        let params = check(params)?;
        let DeformableParams { name, mut rest, mut start, mut velocity, structure, material, .. } = params;
        let mut elements = Elements::default();
        let (mut mass, surface, thickness);
        match structure {
            Structure::Sheet { triangle, thickness: h, rigidity } => {
                mass = vec![0.0; rest.len()];
                let rigidity = rigidity.unwrap_or_else(|| material.flexural_rigidity(h));
                sheet(&mut elements, &rest, &triangle, (h, rigidity), &material, &name)?;
                for t in &triangle {
                    let [a, b, c] = t.map(|n| rest[n as usize]);
                    let third = material.density * h * 0.5 * (b - a).cross(c - a).length() / 3.0;
                    t.iter().for_each(|&n| mass[n as usize] += third);
                }
                (surface, thickness) = (triangle, h);
            }
            Structure::Volume { tetrahedron, order } => {
                let quadratic = order == ElementOrder::Quadratic;
                let (middle, ends) =
                    if quadratic { middles(&tetrahedron, rest.len() as u32) } else { Default::default() };
                for list in [&mut rest, &mut start, &mut velocity] {
                    let between = ends.iter().map(|[a, b]| 0.5 * (list[*a as usize] + list[*b as usize]));
                    let between: Vec<DVec3> = between.collect();
                    list.extend(between);
                }
                mass = vec![0.0; rest.len()];
                solid(&mut elements, &rest, &tetrahedron, &middle, &material);
                for (n, t) in tetrahedron.iter().enumerate() {
                    let whole = material.density * volume(t.map(|n| rest[n as usize]));
                    // Quadratic: the diagonal of the consistent mass matrix, scaled to the whole (Hinton, Rock and Zienkiewicz 1976).
                    let (corner, between) = if quadratic { (1.0 / 36.0, 4.0 / 27.0) } else { (0.25, 0.0) };
                    t.iter().for_each(|&n| mass[n as usize] += corner * whole);
                    let middle = middle.get(n).into_iter().flatten();
                    middle.for_each(|&n| mass[n as usize] += between * whole);
                }
                surface = super::elastic::lattice::surface(&tetrahedron, quadratic.then_some(&middle[..]));
                thickness = 0.0;
            }
            Structure::Rope { radius } => {
                let area = std::f64::consts::PI * radius * radius;
                let rigidity = material.young * area * radius * radius / 4.0;
                mass = vec![0.0; rest.len()];
                for k in 1..rest.len() as u32 {
                    elements.segment.push(Segment::new([k - 1, k], &rest, material.young * area));
                    let half =
                        0.5 * material.density * area * rest[k as usize - 1].distance(rest[k as usize]);
                    mass[k as usize - 1] += half;
                    mass[k as usize] += half;
                }
                for k in 2..rest.len() as u32 {
                    elements.stencil.push(rope::corner([k - 2, k - 1, k], &rest, rigidity));
                }
                (surface, thickness) = (Vec::new(), 2.0 * radius);
            }
        }
        let nodes = rest.len();
        if let Some(node) = mass.iter().position(|m| !(*m > 0.0)) {
            let allowed = "every node in an element; remove vertices that no element uses";
            return Err(SolidError::invalid(&name, format!("node {node} has no mass, which"), allowed));
        }
        let held = held_nodes(&params.pins, &start, &name)?;
        let mut body = Self {
            id,
            system: System::new(nodes, elements),
            integrator: Integrator::new(nodes),
            mass,
            surface,
            thickness,
            pins: params.pins,
            held,
            origin: start.clone(),
            damping: params.damping,
            drag: params.drag,
            max_substep: params.max_substep,
            before: (start.clone(), velocity.clone(), 0.0),
            position: start,
            velocity,
            time: 0.0,
            free: vec![DVec3::ONE; nodes],
            begun: vec![DVec3::ZERO; nodes],
            is_held: false,
            reaction: DVec3::ZERO,
            name,
        };
        body.hold(1.0);
        Ok(body)
    }

    /// Where its nodes are `[m]`.
    #[must_use]
    pub fn position(&self) -> &[DVec3] {
        &self.position
    }

    /// How they move `[m/s]`.
    #[must_use]
    pub fn velocity(&self) -> &[DVec3] {
        &self.velocity
    }

    /// The mass of each `[kg]`.
    #[must_use]
    pub fn mass(&self) -> &[f64] {
        &self.mass
    }

    /// How the velocity of each node changes by an impulse on it alone: nothing of what is held `[1/kg]`.
    pub(super) fn mobility(&self) -> impl Iterator<Item = DVec3> {
        self.free.iter().zip(&self.mass).map(|(free, mass)| *free / *mass)
    }

    /// Triangles of its surface, counter-clockwise for a viewer outside.
    #[must_use]
    pub fn surface(&self) -> &[[u32; 3]] {
        &self.surface
    }

    /// Thickness of a sheet; zero for volumes `[m]`.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// What it has of energy, that of its height apart.
    #[must_use]
    pub fn energies(&self) -> Energies {
        let kinetic =
            reduce::sum(self.mass.len(), |i| 0.5 * self.mass[i] * self.velocity[i].length_squared());
        let (elastic, bending) = self.system.energies(&self.position);
        Energies { kinetic, elastic, bending }
    }

    /// The largest stretch of an element: length over that at rest `[1]`.
    #[must_use]
    pub fn stretch(&self) -> f64 {
        self.system.stretch(&self.position)
    }

    /// The force of all pins on the body at the end of the last substep `[N]`.
    #[must_use]
    pub fn pin_force(&self) -> DVec3 {
        self.reaction
    }

    /// Iterations of Newton's method, and sweeps of the linear solver within, in the last substep `[1]`.
    #[must_use]
    pub fn effort(&self) -> (u32, u32) {
        (self.integrator.iterations, self.integrator.sweeps)
    }

    /// Moves to a shape in which it rests under gravity `[m/s²]`, with pins where they are now, and stops there. Time does not pass.
    /// Returns the steps that it took.
    ///
    /// These are steps of the implicit Euler method without velocities from one to the next, which become longer and longer: half of
    /// the stress is the mean's of both ends, and with a damping of a quarter of the step the viscous half makes all of it the end's.
    ///
    /// # Errors
    /// [`SolidError::Unsolved`] if there is no such shape, or none is found; the body is then as before.
    pub fn settle(&mut self, gravity: DVec3) -> Result<u32, SolidError> {
        let (time, damping, drag) = (self.time, self.damping, self.drag);
        self.before.0.copy_from_slice(&self.position);
        self.before.1.copy_from_slice(&self.velocity);
        self.before.2 = time;
        let mut dt = SETTLING_STEP;
        self.drag = 0.0;
        let mut rested = None;
        for steps in 1..=MAX_SETTLING_STEPS {
            self.velocity.fill(DVec3::ZERO);
            self.damping = 0.25 * dt;
            self.time = time;
            self.hold(dt);
            for (begun, free) in self.begun.iter_mut().zip(&self.free) {
                *begun *= *free;
            }
            let (system, integrator, set) = self.parts(dt, gravity);
            if integrator.solve(system, &set).is_err() {
                dt *= 0.25;
                continue;
            }
            self.reaction = self.reaction_of(dt, gravity);
            let size = self.position.iter().map(|x| x.distance(self.position[0])).fold(0.0, f64::max);
            let moved = self.position.iter().zip(&self.integrator.end).map(|(a, b)| a.distance(*b));
            let moved = moved.fold(0.0, f64::max);
            std::mem::swap(&mut self.position, &mut self.integrator.end);
            if dt > 1e3 && moved <= SETTLED * size {
                rested = Some(steps);
                break;
            }
            dt = if self.integrator.iterations < 12 { 2.0 * dt } else { dt };
        }
        (self.time, self.damping, self.drag) = (time, damping, drag);
        if rested.is_none() {
            self.undo();
        }
        self.velocity.fill(DVec3::ZERO);
        rested.ok_or_else(|| SolidError::Unsolved { body: self.id, name: self.name.clone(), dt })
    }

    fn reaction_of(&mut self, dt: f64, gravity: DVec3) -> DVec3 {
        let (_, integrator, set) = self.parts(dt, gravity);
        integrator.reaction(&set)
    }

    /// Moves on to `end` `[s]` under gravity `[m/s²]` and impulses that nodes receive at once `[N s]`. Returns the substeps.
    ///
    /// # Errors
    /// [`SolidError::Unsolved`] or [`SolidError::NotFinite`]; the body is then as before.
    pub fn advance(&mut self, end: f64, gravity: DVec3, impulse: &[DVec3]) -> Result<u32, SolidError> {
        self.before.0.copy_from_slice(&self.position);
        self.before.1.copy_from_slice(&self.velocity);
        self.before.2 = self.time;
        for ((v, impulse), mass) in self.velocity.iter_mut().zip(impulse).zip(&self.mass) {
            *v += *impulse / *mass;
        }
        let result = if self.velocity.iter().all(|v| v.is_finite()) {
            self.divide(end, gravity)
        } else {
            Err(SolidError::NotFinite { body: self.id, name: self.name.clone() })
        };
        if result.is_err() {
            self.undo();
        }
        result
    }

    /// Substeps to the end, shorter where no shape is found.
    fn divide(&mut self, end: f64, gravity: DVec3) -> Result<u32, SolidError> {
        let (mut halvings, mut substeps) = (0_u32, 0);
        while self.time < end {
            let stop = self.next_release().min(end);
            let parts = ((stop - self.time) / self.max_substep).ceil().max(1.0);
            let dt = (stop - self.time) / parts / f64::from(1_u32 << halvings);
            let until = if parts > 1.0 || halvings > 0 { self.time + dt } else { stop };
            match self.substep(until, gravity) {
                Ok(()) => {
                    halvings = halvings.saturating_sub(1);
                    substeps += 1;
                }
                Err(_) if halvings < MAX_HALVINGS => halvings += 1,
                Err(Unsolved::NotFinite) => {
                    return Err(SolidError::NotFinite { body: self.id, name: self.name.clone() });
                }
                Err(Unsolved::NotConverged) => {
                    return Err(SolidError::Unsolved { body: self.id, name: self.name.clone(), dt });
                }
            }
        }
        Ok(substeps)
    }

    /// When a pin lets go next `[s]`.
    fn next_release(&self) -> f64 {
        let later = self.pins.iter().map(|pin| pin.until).filter(|until| *until > self.time);
        later.fold(f64::INFINITY, f64::min)
    }

    fn substep(&mut self, until: f64, gravity: DVec3) -> Result<(), Unsolved> {
        let dt = until - self.time;
        self.hold(dt);
        let (system, integrator, set) = self.parts(dt, gravity);
        integrator.solve(system, &set)?;
        self.reaction = self.reaction_of(dt, gravity);
        std::mem::swap(&mut self.position, &mut self.integrator.end);
        std::mem::swap(&mut self.velocity, &mut self.integrator.velocity);
        self.time = until;
        Ok(())
    }

    /// Finds what pins hold in a substep, and how they move it.
    fn hold(&mut self, dt: f64) {
        self.free.fill(DVec3::ONE);
        self.begun.copy_from_slice(&self.velocity);
        self.is_held = false;
        for &Held { node, pin } in &self.held {
            let (pin, node) = (&self.pins[pin as usize], node as usize);
            if pin.until <= self.time {
                continue;
            }
            let moved = (pin.target(self.origin[node], self.time + dt) - self.position[node]) / dt;
            for axis in (0..3).filter(|axis| pin.axes[*axis]) {
                self.free[node][axis] = 0.0;
                self.begun[node][axis] = moved[axis];
            }
            self.is_held = true;
        }
    }

    /// Goes back to before the last step.
    pub(super) fn undo(&mut self) {
        self.position.copy_from_slice(&self.before.0);
        self.velocity.copy_from_slice(&self.before.1);
        self.time = self.before.2;
    }

    /// Continues from another state.
    pub(super) fn continue_from(&mut self, position: &[DVec3], velocity: &[DVec3], time: f64) {
        self.position.copy_from_slice(position);
        self.velocity.copy_from_slice(velocity);
        self.time = time;
    }

    /// Prepares for [`DeformableBody::respond`].
    pub(super) fn begin_response(&mut self, dt: f64, gravity: DVec3) {
        self.hold(dt);
        let (system, integrator, set) = self.parts(dt, gravity);
        integrator.begin_response(system, &set);
    }

    /// See [`Integrator::respond`].
    pub(super) fn respond(&mut self, dt: f64, gravity: DVec3, impulse: &[DVec3], change: &mut [DVec3]) {
        let (system, integrator, set) = self.parts(dt, gravity);
        integrator.respond(system, &set, impulse, change);
    }

    fn parts(&mut self, dt: f64, gravity: DVec3) -> (&mut System, &mut Integrator, Setting<'_>) {
        let Self { system, integrator, mass, position, begun, free, is_held, damping, drag, .. } = self;
        let (damping, drag, held) = (*damping, *drag, *is_held);
        let set = Setting { mass, start: position, velocity: begun, free, held, gravity, damping, drag, dt };
        (system, integrator, set)
    }
}

/// Membranes and bending of a sheet.
fn sheet(
    elements: &mut Elements,
    rest: &[DVec3],
    triangles: &[[u32; 3]],
    (thickness, rigidity): (f64, f64),
    material: &ElasticMaterial,
    name: &str,
) -> Result<(), SolidError> {
    let lame = material.plane_stress();
    elements.membrane = triangles.iter().map(|t| Membrane::new(*t, rest, thickness, lame)).collect();
    let patches = patches(triangles).map_err(|BranchingEdge([a, b])| {
        let what = format!("the edge between nodes {a} and {b} belongs to more than two triangles or to two that face opposite ways, which");
        SolidError::invalid(name, what, "surfaces with at most two triangles at each edge, all facing one way")
    })?;
    let place = |n: u32| rest[n as usize];
    let is_bent = |patch: &Patch| {
        (0..3).any(|edge| {
            let [a, b, c] = [0, 1, 2].map(|k| patch.corner[(edge + k) % 3]);
            patch.opposite[edge].is_some_and(|d| hinge::angle([a, b, c, d].map(place)).abs() > FLAT)
        })
    };
    if patches.iter().any(is_bent) {
        elements.shell =
            patches.iter().map(|p| hinge::ShellPatch::new(p, rest, rigidity, material.poisson)).collect();
    } else {
        elements.stencil =
            patches.iter().map(|p| bending::flat(p, rest, rigidity, material.poisson)).collect();
    }
    Ok(())
}

/// Tetrahedra of a volume, quadratic if they have middles.
fn solid(
    elements: &mut Elements,
    rest: &[DVec3],
    tetrahedra: &[[u32; 4]],
    middle: &[[u32; 6]],
    material: &ElasticMaterial,
) {
    let law = NeoHookean::new(material.lame());
    if middle.is_empty() {
        elements.linear = tetrahedra.iter().map(|t| Linear::new(*t, rest, law)).collect();
        return;
    }
    let quadratic = tetrahedra.iter().zip(middle).map(|([a, b, c, d], [p, q, r, s, t, u])| {
        Quadratic::new([*a, *b, *c, *d, *p, *q, *r, *s, *t, *u], rest, law)
    });
    elements.quadratic = quadratic.collect();
}

fn held_nodes(pins: &[Pin], start: &[DVec3], name: &str) -> Result<Vec<Held>, SolidError> {
    let mut held = Vec::new();
    for (number, pin) in (0..).zip(pins) {
        let place = format!("{name}, pin {number}");
        pin.motion.check(&place)?;
        if pin.until.is_nan() {
            return Err(SolidError::invalid(place, "a release at a time that is no number", "a time"));
        }
        let nodes = pin.nodes(start);
        if let Some(node) = nodes.iter().find(|n| **n as usize >= start.len()) {
            let what = format!("node {node} of a body with {} nodes", start.len());
            return Err(SolidError::invalid(place, what, "nodes that the body has"));
        }
        if nodes.is_empty() {
            return Err(SolidError::invalid(place, "holding no node", "a place where the body has nodes"));
        }
        held.extend(nodes.into_iter().map(|node| Held { node, pin: number }));
    }
    Ok(held)
}

/// Refuses what makes no sense.
fn check(params: DeformableParams) -> Result<DeformableParams, SolidError> {
    let DeformableParams { name, rest, start, velocity, structure, material, damping, drag, .. } = &params;
    material.check(name)?;
    let invalid = |what: String, allowed| Err(SolidError::invalid(name, what, allowed));
    for (what, value) in [("damping", *damping), ("drag", *drag)] {
        if !(value >= 0.0 && value.is_finite()) {
            return invalid(format!("{what} = {value}"), "zero or more");
        }
    }
    if !(params.max_substep > 0.0) {
        return invalid(format!("max_substep = {} s", params.max_substep), "more than zero");
    }
    if rest.len() != start.len() || rest.len() != velocity.len() || rest.is_empty() {
        let what = format!(
            "{} nodes at rest, {} at the start, {} velocities",
            rest.len(),
            start.len(),
            velocity.len()
        );
        return invalid(what, "as many of each, and at least one");
    }
    if let Some(node) =
        (0..rest.len()).find(|&n| !(rest[n].is_finite() && start[n].is_finite() && velocity[n].is_finite()))
    {
        return invalid(format!("the place or velocity of node {node}"), "finite numbers");
    }
    let known = |nodes: &[u32]| nodes.iter().all(|n| (*n as usize) < rest.len());
    match structure {
        Structure::Sheet { triangle, thickness, rigidity } => {
            if !(*thickness > 0.0 && thickness.is_finite()) {
                return invalid(format!("thickness = {thickness} m"), "more than zero");
            }
            if rigidity.is_some_and(|r| !(r >= 0.0 && r.is_finite())) {
                return invalid(format!("a bending stiffness of {rigidity:?} N m"), "zero or more");
            }
            if triangle.is_empty() || !triangle.iter().all(|t| known(t)) {
                return invalid(
                    "triangles that are missing or have unknown nodes".to_owned(),
                    "nodes of the body",
                );
            }
            let flat = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|n| rest[n as usize]);
                let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
                (b - a).cross(c - a).length() <= 1e-9 * longest
            };
            if let Some(n) = triangle.iter().position(flat) {
                return invalid(
                    format!("triangle {n} has no area, which"),
                    "triangles with an area; repair the mesh",
                );
            }
        }
        Structure::Volume { tetrahedron, .. } => {
            if tetrahedron.is_empty() || !tetrahedron.iter().all(|t| known(t)) {
                return invalid(
                    "tetrahedra that are missing or have unknown nodes".to_owned(),
                    "nodes of the body",
                );
            }
            if let Some(n) = tetrahedron.iter().position(|t| !(volume(t.map(|n| rest[n as usize])) > 0.0)) {
                let allowed = "tetrahedra with a volume, whose first three corners run counter-clockwise seen from the last";
                return invalid(format!("tetrahedron {n} is flat or inside out, which"), allowed);
            }
        }
        Structure::Rope { radius } => {
            if !(*radius > 0.0 && radius.is_finite()) {
                return invalid(format!("radius = {radius} m"), "more than zero");
            }
            if rest.len() < 2 || rest.windows(2).any(|w| w[0] == w[1]) {
                return invalid(
                    "a rope with fewer than two nodes, or two at one place,".to_owned(),
                    "at least two nodes, all apart",
                );
            }
        }
    }
    Ok(params)
}
