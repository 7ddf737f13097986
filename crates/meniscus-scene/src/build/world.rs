//! Where a scene ends, and what moves in it may have of energy.
//!
//! What is drawn tells how large a scene is meant to be: fluid, bodies wherever scripts lead them, emitters and drains. The world
//! reaches beyond by a multiple of that, and at least as far as what starts with the fastest speed of the scene flies on level
//! ground, v²/g. That is generous: from a fall through all that is drawn, H high, one gets no farther than 2 H. Where nothing is
//! fixed, there is nothing to fall onto, and the flight itself is the scene: its end counts as drawn.

use super::problem::{BuildProblem, Problems};
use super::shown;
use crate::model::{Scene, TimeStep};
use glam::DVec3;
use meniscus_core::World;
use meniscus_coupling::{Body, SolidSetup};
use meniscus_geometry::{Aabb, Pose, Shape};
use meniscus_grid::GridSetup;
use meniscus_solid::{DeformableParams, JointType};
use meniscus_sph::source::{Drain, EmitterParams};

/// At how many moments of a run the place of a scripted body is looked up `[1]`.
const MOMENTS: u32 = 256;

/// Nothing reaches farther `[m]`.
const FARTHEST: f64 = 1e15;

/// By how much speeds that scripts and motors give may be multiplied by what they move, as by levers `[1]`.
const LEVER: f64 = 10.0;

/// Share of the speed of sound with which fluid moves that is compressed and let go `[1]`.
const SHARE_OF_SOUND: f64 = 0.1;

/// How much more energy than one that is spread on its surface a particle gains by cohesion, which has a longer range than the tension says
/// `[1]`.
const COHESION: f64 = 10.0;

/// All that is placed in a scene.
pub(super) struct Content<'a> {
    pub scene: &'a Scene,
    pub initial: &'a [(DVec3, DVec3)],
    pub emitters: &'a [EmitterParams],
    pub drains: &'a [Drain],
    pub bodies: &'a [Body],
    pub solids: Option<&'a SolidSetup>,
    pub grid: Option<&'a GridSetup>,
    pub deformables: &'a [DeformableParams],
    /// If the fluid resolves sound `[m/s]`.
    pub sound_speed: f64,
}

/// The speeds with which a scene begins or moves something `[m/s]`.
struct Speeds {
    /// Of what starts with a speed, or comes out of an emitter.
    given: f64,
    /// Of what scripts and motors move.
    driven: f64,
}

impl Content<'_> {
    /// The world of the scene, and what a kilogram has of energy in it when it is as fast and as high as the scene can make it
    /// `[J/kg]`. Reports a world that the scene begins outside of.
    pub fn world(&self, problems: &mut Problems) -> (World, f64) {
        let (drawn, speeds) = (self.drawn(), self.speeds());
        let size = drawn.size().max_element().max(self.scene.fluid.spacing);
        let energy = self.specific_energy(size, &speeds);
        let given = &self.scene.world;
        if !given.bounded {
            return (World::BOUNDLESS, energy);
        }
        let reach = (given.margin * size).max(self.range(speeds.given.max(speeds.driven))).min(FARTHEST);
        let corner = |given: Option<[f64; 3]>, auto: DVec3| given.map_or(auto, DVec3::from);
        let world =
            World { min: corner(given.min, drawn.min - reach), max: corner(given.max, drawn.max + reach) };
        self.check(world, problems);
        (world, energy)
    }

    /// How far something gets that starts with a speed `[m/s]` on level ground, or before the run is over `[m]`.
    fn range(&self, speed: f64) -> f64 {
        let gravity = DVec3::from(self.scene.gravity).length();
        let level = if gravity > 0.0 { speed * speed / gravity } else { f64::INFINITY };
        level.min(speed * self.scene.time.end)
    }

    /// The box around all that is drawn.
    fn drawn(&self) -> Aabb {
        let fluid = Aabb::of_points(self.initial.iter().map(|(x, _)| *x));
        let emitters = Aabb::of_points(self.emitters.iter().map(|emitter| emitter.position));
        let drains = self.drains.iter().map(|drain| match *drain {
            Drain::Box { min, max } => Aabb { min, max },
            Drain::Sphere { center, radius } => Aabb::around(center, DVec3::splat(radius)),
        });
        let bodies = self.bodies.iter().enumerate().map(|(k, body)| self.course(k, body));
        let cells = self.grid.map(|grid| Aabb { min: grid.lattice.origin(), max: grid.lattice.end() });
        let nodes = self.deformables.iter().map(|body| Aabb::of_points(body.start.iter().copied()));
        let all = drains.chain(bodies).chain(cells).chain(nodes).fold(fluid.join(emitters), Aabb::join);
        let all = if self.is_fixed() { all } else { all.join(self.flight(all)) };
        if all.is_empty() {
            return Aabb::around(DVec3::ZERO, DVec3::ZERO);
        }
        // What is led for ever, or nobody knows where to, has an end all the same.
        let ended = |x: DVec3, end: f64| {
            DVec3::from(x.to_array().map(|c| if c.is_nan() { end } else { c.clamp(-FARTHEST, FARTHEST) }))
        };
        let all = Aabb { min: ended(all.min, -FARTHEST), max: ended(all.max, FARTHEST) };
        self.bodies.iter().fold(all, |all, body| all.join(below(all, body)))
    }

    /// The box around a body, wherever a script leads it.
    fn course(&self, index: usize, body: &Body) -> Aabb {
        let here = body.solid.bounds();
        let until = self.scripted_until(index, body);
        if until <= 0.0 {
            return here;
        }
        // However it turns.
        let own = body.solid.at(Pose::IDENTITY).bounds();
        let reach = DVec3::splat(own.min.abs().max(own.max.abs()).length());
        let place = |k: u32| body.at(until * f64::from(k) / f64::from(MOMENTS)).pose.translation;
        (0..=MOMENTS).map(|k| Aabb::around(place(k), reach)).fold(here, Aabb::join)
    }

    /// Until when a body follows a script, if it does `[s]`.
    fn scripted_until(&self, index: usize, body: &Body) -> f64 {
        if !body.is_kinematic() {
            return 0.0;
        }
        let params = self.solids.and_then(|solids| solids.bodies.get(index));
        let released = params.and_then(|body| body.schedule.kinematic.as_ref()).map(|script| script.until);
        released.unwrap_or(f64::INFINITY).min(self.scene.time.end)
    }

    /// Whether there is a body that does not fly.
    fn is_fixed(&self) -> bool {
        let moves = |k: usize| {
            self.solids.and_then(|s| s.bodies.get(k)).is_some_and(meniscus_solid::BodyParams::is_dynamic)
        };
        (0..self.bodies.len()).any(|k| !moves(k))
    }

    /// Where all that is in a box will be at the end if nothing stops it.
    fn flight(&self, all: Aabb) -> Aabb {
        let time = self.scene.time.end;
        let fall = 0.5 * time * time * DVec3::from(self.scene.gravity);
        let way = DVec3::splat(self.speeds().given * time);
        let bound = DVec3::splat(FARTHEST);
        Aabb { min: (all.min + fall - way).max(-bound), max: (all.max + fall + way).min(bound) }
    }

    fn speeds(&self) -> Speeds {
        let fluid = self.initial.iter().map(|(_, v)| v.length());
        let emitters = self.emitters.iter().map(|emitter| emitter.speed);
        let params = self.solids.map_or(&[][..], |solids| &solids.bodies);
        let thrown = params.iter().map(|b| b.velocity.length() + b.angular_velocity.length() * b.reach());
        let given = fluid.chain(emitters).chain(thrown).fold(0.0, f64::max);
        let scripted = self.bodies.iter().enumerate().flat_map(|(k, body)| {
            let until = self.scripted_until(k, body);
            let own = body.solid.at(Pose::IDENTITY).bounds();
            let reach = own.min.abs().max(own.max.abs()).length();
            (0..=MOMENTS).map(move |k| {
                let now = body.at(until * f64::from(k) / f64::from(MOMENTS));
                let turning = now.angular_velocity.length() * if reach.is_finite() { reach } else { 0.0 };
                now.velocity.length() + turning
            })
        });
        let joints = self.solids.map_or(&[][..], |solids| &solids.joints);
        let motors = joints.iter().map(|joint| match joint.kind {
            JointType::Hinge { motor: Some(motor), .. } => {
                let pair = [Some(joint.first), joint.second].into_iter().flatten();
                let reach = pair.filter_map(|body| params.get(body.index())).map(|body| 2.0 * body.reach());
                motor.speed.abs() * reach.fold(0.0, f64::max)
            }
            JointType::Slider { motor: Some(motor), .. } => motor.speed.abs(),
            _ => 0.0,
        });
        Speeds { given, driven: scripted.chain(motors).fold(0.0, f64::max) }
    }

    /// What a kilogram has of energy when it is as fast, and as high, as the scene can make it, for a scene of this size
    /// `[m]`.
    fn specific_energy(&self, size: f64, speeds: &Speeds) -> f64 {
        let Scene { fluid, time, .. } = self.scene;
        let lever = if self.solids.is_some() { LEVER } else { 1.0 };
        let height = DVec3::from(self.scene.gravity).length() * size;
        // Without gravity, the time for which a scene is seen says what speeds matter.
        let pace = if height > 0.0 { 0.0 } else { size / time.end };
        let by_motion = [speeds.given, lever * speeds.driven, pace].map(|v| v * v).iter().sum::<f64>();
        // What one step can take back of compression.
        let per_step = match &time.step {
            TimeStep::Fixed(step) => fluid.spacing / step.dt,
            TimeStep::Cfl(cfl) => cfl.factor * fluid.spacing / cfl.max,
        };
        let sound = SHARE_OF_SOUND * self.sound_speed;
        let tension = COHESION * fluid.surface_tension / (fluid.density * fluid.spacing);
        let has_fluid = !self.initial.is_empty() || !self.emitters.is_empty();
        let of_fluid = if has_fluid { per_step * per_step + sound * sound + tension } else { 0.0 };
        height + by_motion + of_fluid
    }

    /// Reports a world that does not hold what the scene begins with.
    fn check(&self, world: World, problems: &mut Problems) {
        let spacing = self.scene.fluid.spacing;
        let key = if self.scene.world.min.is_some() { "world.min" } else { "world.max" };
        if !world.min.cmplt(world.max).all() {
            problems.push(BuildProblem {
                key: key.to_owned(),
                message: "the world has no room".to_owned(),
                label: "`min` must be below `max` in every axis".to_owned(),
                help: "leave both out: the world is then around all that the scene draws".to_owned(),
            });
            return;
        }
        let mut report = |what: String| {
            problems.push(BuildProblem {
                key: key.to_owned(),
                message: format!("{what} is outside of the world"),
                label: "it would be removed at once".to_owned(),
                help: "widen the world, or leave `min` and `max` out: it is then around all that the scene draws"
                    .to_owned(),
            });
        };
        let nozzles = self.emitters.iter().map(|emitter| (emitter.position, "a nozzle"));
        let fluid = self.initial.iter().map(|(x, _)| (*x, "a fluid particle"));
        if let Some((x, what)) = fluid.chain(nozzles).find(|(x, _)| !world.contains(*x)) {
            report(format!("{what} at {}", shown(x, spacing)));
        }
        for (k, body) in self.bodies.iter().enumerate() {
            let params = self.solids.and_then(|solids| solids.bodies.get(k));
            let bounds = body.solid.bounds();
            if params.is_some_and(meniscus_solid::BodyParams::is_dynamic)
                && world.has_lost(bounds.centre(), 0.5 * bounds.size().length())
            {
                report(format!("the body {:?}", body.name));
                return;
            }
        }
    }
}

/// What of a plane is below, or above, a box; nothing for other bodies.
fn below(all: Aabb, body: &Body) -> Aabb {
    if !matches!(body.solid.shape, Shape::Plane { .. }) {
        return Aabb::EMPTY;
    }
    let (point, normal) = (body.solid.pose.translation, body.solid.pose.rotation * DVec3::Y);
    let corner = |k: u32| {
        let upper = [k & 1, k & 2, k & 4].map(|bit| bit != 0);
        DVec3::from([0, 1, 2].map(|axis| if upper[axis] { all.max[axis] } else { all.min[axis] }))
    };
    let onto = |x: DVec3| x - (x - point).dot(normal) * normal;
    Aabb::of_points((0..8).map(|k| onto(corner(k))))
}
