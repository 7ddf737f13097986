//! What the solids' engine says about the step before it is taken.

use glam::DVec3;
use meniscus_core::{Twist, Wrench};
use meniscus_solid::Solids;
use meniscus_sph::boundary::{FreeBody, Oracle};

/// How all bodies move in the step, as their engine foresees it.
#[derive(Default)]
pub(crate) struct Foresight {
    /// Without what the fluid does.
    unloaded: Vec<Twist>,
    /// With the fluid's impulses so far.
    so_far: Vec<Twist>,
    load: Vec<Wrench>,
    found: Vec<Twist>,
}

impl Foresight {
    /// Begins a step of length `dt` `[s]`; nothing if the engine does not look ahead.
    pub fn begin(last: Option<Self>, engine: &mut dyn Solids, dt: f64) -> Option<Self> {
        engine.foresee(dt).then(|| {
            let mut foresight = last.unwrap_or_default();
            engine.motions(&[], &mut foresight.unloaded);
            foresight.so_far.clone_from(&foresight.unloaded);
            foresight
        })
    }

    /// Takes the impulses so far into account.
    pub fn update(&mut self, engine: &mut dyn Solids, load: &[Wrench]) {
        engine.motions(load, &mut self.so_far);
    }

    /// How the motion of a body changes under the impulses so far. Before gravity has acted it is what they add: the weight that presses
    /// bodies together is always there.
    pub fn twist(&self, body: usize, falling: bool) -> Twist {
        if falling {
            return self.so_far[body];
        }
        self.so_far[body] - self.unloaded[body]
    }
}

/// An engine that is asked within a pressure solve.
pub(crate) struct Asked<'a> {
    pub engine: &'a mut dyn Solids,
    pub foresight: &'a mut Foresight,
    /// What bodies have received in this step before the solve.
    pub load: &'a [Wrench],
}

impl Oracle for Asked<'_> {
    fn motions(&mut self, bodies: &[FreeBody], load: &[(DVec3, DVec3)], twist: &mut Vec<Twist>) {
        let Foresight { so_far, load: total, found, .. } = &mut *self.foresight;
        total.clear();
        total.extend_from_slice(self.load);
        for (body, &(impulse, turn)) in bodies.iter().zip(load) {
            let angular_impulse = turn + body.centre.cross(impulse);
            total[body.body.0 as usize] += Wrench { impulse, angular_impulse };
        }
        self.engine.motions(total, found);
        twist.clear();
        let places = bodies.iter().map(|body| body.body.0 as usize);
        twist.extend(places.map(|k| found[k] - so_far[k]));
    }
}
