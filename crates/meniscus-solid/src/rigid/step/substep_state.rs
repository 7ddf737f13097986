//! What is derived from the state at the start of a substep.

use meniscus_core::Wrench;

use crate::rigid::RigidBodies;
use crate::rigid::body::InverseMass;
use crate::script::PrescribedMotion;
use meniscus_core::Twist;

/// What is derived from the state at the start of a substep. The last entry of each column is the scene itself.
pub(super) struct SubstepState {
    /// Length of the substep `[s]`.
    pub dt: f64,
    pub twist: Vec<Twist>,
    /// What forces add to velocities in this substep.
    pub kick: Vec<Twist>,
    pub mobility: Vec<InverseMass>,
}

impl RigidBodies {
    /// What forces and `load` do to a body.
    pub(crate) fn kick_of(&self, body: usize, mobility: &InverseMass, load: Wrench) -> Twist {
        let about_centre = load.angular_impulse - self.state.body[body].position.cross(load.impulse);
        Twist { linear: mobility.mass * load.impulse, angular: mobility.inertia * about_centre }
    }

    pub(super) fn substep_state(&self, dt: f64, share: f64) -> SubstepState {
        let count = self.body.len();
        let mut substep = SubstepState {
            dt,
            twist: Vec::with_capacity(count + 1),
            kick: Vec::with_capacity(count + 1),
            mobility: Vec::with_capacity(count + 1),
        };
        for (k, (body, state)) in self.body.iter().zip(&self.state.body).enumerate() {
            let mobility = self.inverse_mass(k);
            let (twist, kick) = match body.prescribed_motion(self.state.time) {
                _ if !self.is_there(k) => (Twist::default(), Twist::default()),
                Some(motion) => (self.kinematic_twist(k, motion, dt), Twist::default()),
                None if mobility.is_none() => (Twist::default(), Twist::default()),
                None => {
                    let load = Wrench {
                        impulse: share * self.load[k].impulse,
                        angular_impulse: share * self.load[k].angular_impulse,
                    };
                    let mut kick = self.kick_of(k, &mobility, load);
                    // Zero along z in the plane, as the mobility is.
                    kick.linear += dt * self.params.gravity * (mobility.mass / mobility.mass.x);
                    (Twist { linear: state.velocity, angular: state.angular_velocity }, kick)
                }
            };
            substep.twist.push(twist);
            substep.kick.push(kick);
            substep.mobility.push(mobility);
        }
        substep.twist.push(Twist::default());
        substep.kick.push(Twist::default());
        substep.mobility.push(InverseMass::NONE);
        substep
    }

    /// The mean motion over the substep of a body that follows a motion: contacts must see where it ends.
    fn kinematic_twist(&self, body: usize, motion: &PrescribedMotion, dt: f64) -> Twist {
        let (from, to) = (self.state.body[body], self.body[body].follow(motion, self.state.time + dt));
        let turn = to.rotation * from.rotation.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Twist { linear: (to.position - from.position) / dt, angular: turn.normalize().to_scaled_axis() / dt }
    }
}
