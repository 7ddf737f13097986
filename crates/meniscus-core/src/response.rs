//! What solids would make of the impulses on them before the step is over.

use crate::{Carriers, Loads, MotionChange, Solids, Twist};
use glam::DVec3;

/// How all solids move in the step, as they foresee it.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// Without what fluids do.
    unloaded: MotionChange,
    /// With the fluids' impulses so far.
    so_far: MotionChange,
    loads: Loads,
    found: MotionChange,
    picked: [Vec<Twist>; 2],
}

impl Response {
    /// Begins a step of length `dt` `[s]` in which nothing has received anything.
    pub fn begin(&mut self, solids: &mut dyn Solids, loads: &Loads, dt: f64) {
        solids.begin_response(dt);
        self.loads.copy_from(loads);
        self.loads.clear();
        self.unloaded.reset(&self.loads);
        solids.respond(&self.loads, &mut self.unloaded);
        self.so_far.copy_from(&self.unloaded);
    }

    /// Takes the impulses so far into account.
    pub fn update(&mut self, solids: &mut dyn Solids, loads: &Loads) {
        self.so_far.reset(loads);
        solids.respond(loads, &mut self.so_far);
    }

    /// How the motion of each carrier changes under the impulses so far. Before gravity has acted (`falling`) it is what they
    /// add: the weight that presses bodies together is always there.
    pub fn changes(&mut self, carriers: &Carriers, falling: bool, out: &mut Vec<Twist>) {
        carriers.pick(&self.so_far, out);
        if !falling {
            carriers.pick(&self.unloaded, &mut self.picked[0]);
            for (change, unloaded) in out.iter_mut().zip(&self.picked[0]) {
                *change = *change - *unloaded;
            }
        }
    }

    /// How the motion of each carrier changes if it receives an impulse `[N s]` and an angular impulse about its centre
    /// `[N m s]` beyond the `loads` so far.
    pub fn ask(
        &mut self,
        solids: &mut dyn Solids,
        loads: &Loads,
        carriers: &Carriers,
        pushed: &[(DVec3, DVec3)],
        out: &mut Vec<Twist>,
    ) {
        self.loads.copy_from(loads);
        carriers.add_loads(pushed, &mut self.loads);
        self.found.reset(&self.loads);
        solids.respond(&self.loads, &mut self.found);
        let [found, so_far] = &mut self.picked;
        carriers.pick(&self.found, found);
        carriers.pick(&self.so_far, so_far);
        out.clear();
        out.extend(found.iter().zip(so_far).map(|(found, so_far)| *found - *so_far));
    }
}
