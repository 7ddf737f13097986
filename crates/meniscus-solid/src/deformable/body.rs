//! One deformable body: where it is, and how it gets to the end of a step.

use super::build::{Built, Held, build};
use super::params::{DeformableParams, check};
use super::pin::Pin;
use super::step::{Integrator, Setting, Unsolved};
use super::system::System;
use glam::DVec3;
use meniscus_core::{BodyId, SolidError, reduce};

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

/// How often a step that has no end is halved.
const MAX_HALVINGS: u32 = 12;

/// The first step towards rest `[s]`.
const SETTLING_STEP: f64 = 1e-2;

/// Steps so long that inertia counts for nothing, and the longest ones `[s]`.
const STATIC_STEPS: [f64; 2] = [1e3, 1e6];

/// Steps after which the search for a shape at rest is given up.
const MAX_SETTLING_STEPS: u32 = 400;

/// A body rests if a step moves nothing by more than this part of its size `[1]`.
const SETTLED: f64 = 1e-7;

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
    /// Whether a shape at rest is looked for.
    settles: bool,
    reaction: DVec3,
}

impl DeformableBody {
    /// A body at its start.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] with what makes no sense about it.
    pub fn new(params: DeformableParams, id: BodyId) -> Result<Self, SolidError> {
        check(&params)?;
        let Built { start, velocity, elements, mass, surface, thickness, held } = build(&params)?;
        let nodes = mass.len();
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
            settles: false,
            reaction: DVec3::ZERO,
            name: params.name,
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
    /// It acts along F half way all the same: what only tension holds (a chain) would swing to the other side of its rest, what
    /// stiffness holds goes there. Two thirds of each step leave a third of either.
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
        self.settles = true;
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
            for (x, end) in self.position.iter_mut().zip(&self.integrator.end) {
                *x += 2.0 / 3.0 * (*end - *x);
            }
            if dt > STATIC_STEPS[0] && moved <= SETTLED * size {
                rested = Some(steps);
                break;
            }
            if self.integrator.iterations < 12 {
                dt = (2.0 * dt).min(STATIC_STEPS[1]);
            }
        }
        (self.time, self.damping, self.drag) = (time, damping, drag);
        self.settles = false;
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
            // A step that is meant to be so many substeps long may be a rounding error longer.
            let parts = ((stop - self.time) / self.max_substep * (1.0 - 1e-9)).ceil().max(1.0);
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
        let Self { system, integrator, mass, position, begun, free, .. } = self;
        let (damping, drag, held, settles) = (self.damping, self.drag, self.is_held, self.settles);
        let (start, velocity) = (&position[..], &begun[..]);
        let set = Setting { mass, start, velocity, free, held, settles, gravity, damping, drag, dt };
        (system, integrator, set)
    }
}
