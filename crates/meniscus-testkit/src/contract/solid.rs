//! What engines of solids must keep to.

use super::{Law, hold, laws, on_threads};
use anyhow::{Context as _, Result, ensure};
use glam::DVec3;
use meniscus_core::{
    BodyId, Carrier, Clock, DeformingMotion, Dimension, Kinematics, Loading, Loads, MotionChange, Pose,
    SolidEngine, SolidMotion, StepContext, StepPolicy,
};

/// Solids of one engine, far from each other.
pub struct SolidCase<'a> {
    /// What they are called.
    pub name: &'a str,
    /// Makes them under this gravity `[m/s²]`. Bodies that forces move fly freely, with any velocities, and touch nothing.
    pub make: &'a (dyn Fn(DVec3) -> Result<Box<dyn SolidEngine>> + Sync),
    /// By how much momenta may be off, in units of what is exchanged: rounding, unless the engine says otherwise `[1]`.
    pub tolerance: f64,
}

/// Steps that suit any engine `[s]`.
const DT: f64 = 0.01;

/// How many of them.
const STEPS: u32 = 10;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// An impulse that is neither along an axis nor through a centre `[N s]`.
const IMPULSE: DVec3 = DVec3::new(0.3, -0.2, 0.5);

/// Holds an engine to its laws.
///
/// # Errors
/// With the law that it breaks.
pub fn solid(case: &SolidCase<'_>) -> Result<()> {
    let laws: &[Law<SolidCase<'_>>] = &laws![
        carriers_answer_for_what_loads_reach,
        what_is_predicted_happens_in_free_fall_to_first_order,
        an_impulse_becomes_momentum,
        nothing_answers_where_nothing_pushes,
        answers_of_free_bodies_grow_with_loads_as_their_carriers_say,
        asking_changes_nothing,
        a_restored_engine_goes_on_with_the_same_bits,
        damaged_bytes_are_refused_and_change_nothing,
        a_step_that_is_refused_changes_nothing,
        a_step_can_be_undone_and_taken_again,
        threads_do_not_matter,
    ];
    hold(case.name, case, laws)
}

/// An engine that is stepped.
struct Engine {
    solids: Box<dyn SolidEngine>,
    clock: Clock,
    gravity: DVec3,
}

impl Engine {
    fn new(case: &SolidCase<'_>, gravity: DVec3) -> Result<Self> {
        Ok(Self { solids: (case.make)(gravity)?, clock: Clock::default(), gravity })
    }

    fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.solids.count() as u32).map(BodyId)
    }

    fn loading(&self) -> Vec<Loading> {
        self.bodies().map(|body| self.solids.loading(body)).collect()
    }

    fn carriers(&self, body: BodyId) -> Vec<Carrier> {
        let mut list = Vec::new();
        self.solids.carriers(body, &mut list);
        list
    }

    /// The bodies that forces move.
    fn free(&self) -> Vec<BodyId> {
        self.bodies().filter(|body| !self.carriers(*body).is_empty()).collect()
    }

    fn context(&self, dt: f64) -> StepContext {
        let policy = StepPolicy::Fixed { dt };
        StepContext::new(self.clock, self.gravity, Dimension::Three, policy).lasting(dt, self.clock.time + dt)
    }

    fn motion(&self) -> Vec<SolidMotion> {
        let still = SolidMotion::paused(Kinematics::at_rest(Pose::IDENTITY));
        let mut motion = vec![still; self.solids.count()];
        self.solids.pause(&mut motion);
        motion
    }

    /// Where all bodies are: their origins or nodes `[m]`.
    fn places(&self) -> Vec<DVec3> {
        let places = |motion: SolidMotion| match motion {
            SolidMotion::Rigid(motion) => vec![motion.start.pose.translation],
            SolidMotion::Deforming(motion) => motion.surface.position,
        };
        self.motion().into_iter().flat_map(places).collect()
    }

    fn step(&mut self, dt: f64, loads: &Loads) -> Result<()> {
        let (step, mut motion) = (self.context(dt), self.motion());
        self.solids.predict(&step, &mut motion);
        self.solids.advance(&step, loads)?;
        self.clock = Clock { time: step.end, step: self.clock.step + 1, last_dt: dt };
        Ok(())
    }

    /// Steps with impulses that change from step to step.
    fn steps(&mut self, count: u32) -> Result<()> {
        for n in 0..count {
            let mut loads = Loads::new(&self.loading());
            for body in self.free() {
                push(&mut loads, &self.carriers(body)[0], f64::from(n % 3) * DT * IMPULSE);
            }
            self.step(DT, &loads)?;
        }
        Ok(())
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.solids.save(&mut bytes)?;
        Ok(bytes)
    }

    /// How all motions change in a step under loads.
    fn respond(&mut self, loads: &Loads) -> MotionChange {
        let mut change = MotionChange::default();
        change.reset(loads);
        self.solids.respond(loads, &mut change);
        change
    }
}

/// Adds an impulse at the centre of a carrier.
fn push(loads: &mut Loads, carrier: &Carrier, impulse: DVec3) {
    let (body, node) = (carrier.body.index(), carrier.node);
    loads.wrench[body].push(carrier.centre, impulse);
    if let Some(node) = node {
        loads.node[body][node as usize] += impulse;
    }
}

/// Loads that give the motion of each carrier of free bodies a change of about `speed` `[m/s]`, without deforming anything.
fn shove(engine: &Engine, speed: DVec3) -> Loads {
    let mut loads = Loads::new(&engine.loading());
    for body in engine.free() {
        for carrier in engine.carriers(body) {
            push(&mut loads, &carrier, speed / carrier.mobility.largest());
        }
    }
    loads
}

/// The change of velocity of each carrier `[m/s]`.
fn linear(engine: &Engine, change: &MotionChange) -> Vec<DVec3> {
    let carriers = engine.free().into_iter().flat_map(|body| engine.carriers(body));
    let change = carriers.map(|carrier| match carrier.node {
        None => change.twist[carrier.body.index()].linear,
        Some(node) => change.node[carrier.body.index()][node as usize],
    });
    change.collect()
}

fn carriers_answer_for_what_loads_reach(case: &SolidCase<'_>) -> Result<()> {
    let engine = Engine::new(case, GRAVITY)?;
    for body in engine.bodies() {
        let carriers = engine.carriers(body);
        let nodes: Vec<Option<u32>> = carriers.iter().map(|carrier| carrier.node).collect();
        let expected = match engine.solids.loading(body) {
            Loading::Wrench => vec![None],
            Loading::Nodes(count) => (0..count).map(Some).collect(),
        };
        ensure!(
            nodes.is_empty() || nodes == expected,
            "{body:?} is loaded by {expected:?}, carried by {nodes:?}"
        );
        ensure!(
            carriers.iter().all(|carrier| carrier.body == body),
            "a carrier of {body:?} says it is another's"
        );
        ensure!(
            engine.solids.kinematics(body).is_some() || expected != [None],
            "{body:?} is loaded as a rigid body and has no frame"
        );
    }
    Ok(())
}

fn what_is_predicted_happens_in_free_fall_to_first_order(case: &SolidCase<'_>) -> Result<()> {
    for dt in [DT, 0.1 * DT] {
        let mut engine = Engine::new(case, GRAVITY)?;
        let (step, mut motion) = (engine.context(dt), engine.motion());
        engine.solids.predict(&step, &mut motion);
        let predicted: Vec<DVec3> = motion
            .into_iter()
            .flat_map(|motion| match motion {
                SolidMotion::Rigid(motion) => vec![motion.end.pose.translation],
                SolidMotion::Deforming(DeformingMotion { surface, .. }) => {
                    surface.position.iter().zip(&surface.velocity).map(|(x, v)| *x + dt * *v).collect()
                }
            })
            .collect();
        let loads = Loads::new(&engine.loading());
        engine.solids.advance(&step, &loads)?;
        // Gravity alone is not foreseen, and bodies may spin about a centre that is not their origin.
        let allowed = 2.0 * GRAVITY.length() * dt * dt;
        for (place, predicted) in engine.places().into_iter().zip(predicted) {
            let off = place.distance(predicted);
            ensure!(off <= allowed, "after {dt} s it is {off} m off, more than {allowed} m");
        }
    }
    Ok(())
}

fn an_impulse_becomes_momentum(case: &SolidCase<'_>) -> Result<()> {
    for body in Engine::new(case, DVec3::ZERO)?.free() {
        let momenta = |impulse: DVec3| -> Result<[DVec3; 2]> {
            let mut engine = Engine::new(case, DVec3::ZERO)?;
            let mut loads = Loads::new(&engine.loading());
            push(&mut loads, &engine.carriers(body)[0], impulse);
            if engine.solids.loading(body) == Loading::Wrench {
                loads.wrench[body.index()].angular_impulse += impulse;
            }
            engine.step(DT, &loads)?;
            let row = engine.solids.row(DVec3::ZERO);
            Ok([row.momentum, row.angular_momentum])
        };
        let engine = Engine::new(case, DVec3::ZERO)?;
        let carrier = engine.carriers(body)[0];
        let turn = if engine.solids.loading(body) == Loading::Wrench { IMPULSE } else { DVec3::ZERO };
        let expected = [IMPULSE, carrier.centre.cross(IMPULSE) + turn];
        let (with, without) = (momenta(IMPULSE)?, momenta(DVec3::ZERO)?);
        let size = IMPULSE.length() * (1.0 + carrier.centre.length());
        for ((with, without), expected) in with.into_iter().zip(without).zip(expected) {
            let off = (with - without - expected).length() / size;
            ensure!(off <= case.tolerance, "{body:?} receives {expected} and gains {}", with - without);
        }
    }
    Ok(())
}

fn nothing_answers_where_nothing_pushes(case: &SolidCase<'_>) -> Result<()> {
    let mut engine = Engine::new(case, DVec3::ZERO)?;
    engine.solids.begin_response(DT);
    let loads = Loads::new(&engine.loading());
    let change = engine.respond(&loads);
    let most = linear(&engine, &change).into_iter().map(DVec3::length).fold(0.0, f64::max);
    ensure!(most <= case.tolerance, "a velocity changes by {most} m/s");
    let mut engine = Engine::new(case, GRAVITY)?;
    engine.solids.begin_response(DT);
    let change = engine.respond(&loads);
    for change in linear(&engine, &change) {
        let off = (change - DT * GRAVITY).length();
        ensure!(off <= case.tolerance, "gravity changes a velocity by {change} m/s");
    }
    Ok(())
}

fn answers_of_free_bodies_grow_with_loads_as_their_carriers_say(case: &SolidCase<'_>) -> Result<()> {
    let mut engine = Engine::new(case, DVec3::ZERO)?;
    engine.solids.begin_response(DT);
    for factor in [1.0, 2.0, -3.0] {
        let speed = factor * IMPULSE;
        let loads = shove(&engine, speed);
        let change = engine.respond(&loads);
        for change in linear(&engine, &change) {
            let off = (change - speed).length() / speed.length();
            ensure!(off <= case.tolerance.max(1e-9), "carriers say {speed} m/s, the answer is {change} m/s");
        }
    }
    Ok(())
}

fn asking_changes_nothing(case: &SolidCase<'_>) -> Result<()> {
    let mut engine = Engine::new(case, GRAVITY)?;
    engine.steps(2)?;
    let (before, places) = (engine.bytes()?, engine.places());
    engine.solids.begin_response(DT);
    let loads = shove(&engine, IMPULSE);
    engine.respond(&loads);
    let (step, mut motion) = (engine.context(DT), engine.motion());
    engine.solids.predict(&step, &mut motion);
    engine.solids.row(GRAVITY);
    ensure!(engine.bytes()? == before && engine.places() == places, "the state has changed");
    Ok(())
}

fn a_restored_engine_goes_on_with_the_same_bits(case: &SolidCase<'_>) -> Result<()> {
    let mut engine = Engine::new(case, GRAVITY)?;
    engine.steps(STEPS)?;
    let bytes = engine.bytes()?;
    let mut other = Engine::new(case, GRAVITY)?;
    other.solids.restore(engine.clock.time, &bytes).context("its own bytes are refused")?;
    other.clock = engine.clock;
    ensure!(other.bytes()? == bytes, "what was restored is saved differently");
    ensure!(other.motion() == engine.motion(), "what was restored is elsewhere");
    engine.steps(STEPS)?;
    other.steps(STEPS)?;
    ensure!(other.bytes()? == engine.bytes()? && other.motion() == engine.motion(), "they go on differently");
    Ok(())
}

fn a_step_can_be_undone_and_taken_again(case: &SolidCase<'_>) -> Result<()> {
    let mut engine = Engine::new(case, GRAVITY)?;
    engine.steps(3)?;
    let (before, places, clock) = (engine.bytes()?, engine.places(), engine.clock);
    engine.steps(1)?;
    let (after, moved) = (engine.bytes()?, engine.places());
    engine.solids.undo().context("a step cannot be undone")?;
    engine.clock = clock;
    ensure!(engine.bytes()? == before && engine.places() == places, "an undone step leaves traces");
    engine.steps(1)?;
    ensure!(engine.bytes()? == after && engine.places() == moved, "taken again, the step is another one");
    Ok(())
}

fn damaged_bytes_are_refused_and_change_nothing(case: &SolidCase<'_>) -> Result<()> {
    let mut engine = Engine::new(case, GRAVITY)?;
    engine.steps(3)?;
    let bytes = engine.bytes()?;
    engine.steps(3)?;
    let (now, places, time) = (engine.bytes()?, engine.places(), engine.clock.time);
    let kept = |engine: &Engine| -> Result<bool> { Ok(engine.bytes()? == now && engine.places() == places) };
    for end in (0..bytes.len()).step_by(1 + bytes.len() / 200) {
        ensure!(
            engine.solids.restore(time, &bytes[..end]).is_err(),
            "{end} of {} bytes will do",
            bytes.len()
        );
        ensure!(kept(&engine)?, "{end} bytes are refused and change something");
    }
    // Other damage may look like a state; it must not end the program.
    for place in (0..bytes.len()).step_by(1 + bytes.len() / 200) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0xff;
        let mut engine = Engine::new(case, GRAVITY)?;
        let before = engine.bytes()?;
        let refused = engine.solids.restore(time, &damaged).is_err();
        ensure!(!refused || engine.bytes()? == before, "damage at {place} is refused and changes something");
    }
    Ok(())
}

fn a_step_that_is_refused_changes_nothing(case: &SolidCase<'_>) -> Result<()> {
    for body in Engine::new(case, GRAVITY)?.free() {
        let mut engine = Engine::new(case, GRAVITY)?;
        let (before, places) = (engine.bytes()?, engine.places());
        let mut loads = Loads::new(&engine.loading());
        push(&mut loads, &engine.carriers(body)[0], DVec3::splat(f64::NAN));
        ensure!(engine.step(DT, &loads).is_err(), "{body:?} takes an impulse that is no number");
        ensure!(
            engine.bytes()? == before && engine.places() == places,
            "the refused step has changed something"
        );
    }
    Ok(())
}

fn threads_do_not_matter(case: &SolidCase<'_>) -> Result<()> {
    let bytes = |threads| {
        on_threads(threads, || {
            let mut engine = Engine::new(case, GRAVITY)?;
            engine.steps(STEPS)?;
            engine.bytes()
        })
    };
    ensure!(bytes(1)? == bytes(3)?, "one thread and three give other bits");
    Ok(())
}
