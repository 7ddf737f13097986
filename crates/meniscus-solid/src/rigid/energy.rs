//! What rigid bodies have of energy, and where it may have come from.

use glam::DVec3;
use meniscus_core::{Balance, Kinematics};
use meniscus_geometry::MassProperties;

use crate::{BodyParams, JointParams, JointType};

/// By how much joints and bodies in between may multiply the speed that a scripted body gives, as levers and slings do `[1]`.
const LEVER: f64 = 10.0;

/// What a body has.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyEnergy {
    /// Its mass `[kg]`.
    mass: f64,
    /// How far its mass is from its centre, as the root of a mean square `[m]`.
    gyration: f64,
    /// Its centre `[m]`.
    pub centre: DVec3,
    /// `[kg m/s]`
    pub momentum: DVec3,
    /// Angular momentum about its centre `[kg m²/s]`.
    pub spin: DVec3,
    /// `[J]`
    pub kinetic: f64,
    /// In the field of gravity, zero at the origin `[J]`.
    pub potential: f64,
}

impl BodyEnergy {
    pub fn new(mass: &MassProperties, now: &Kinematics, gravity: DVec3) -> Self {
        let centre = now.pose.to_world(mass.centre);
        let velocity = now.velocity_at(centre);
        let momentum = mass.mass * velocity;
        let turn = now.pose.rotation;
        let spin = turn * (mass.inertia * (turn.conjugate() * now.angular_velocity));
        let inertia = mass.inertia;
        let moments = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
        // The smallest: the same spin is the most energy about that axis. In the plane some are not given.
        let least = moments.into_iter().filter(|moment| *moment > 0.0).fold(f64::INFINITY, f64::min);
        Self {
            mass: mass.mass,
            gyration: if least.is_finite() { (least / mass.mass).sqrt() } else { 0.0 },
            centre,
            momentum,
            spin,
            kinetic: 0.5 * (momentum.dot(velocity) + spin.dot(now.angular_velocity)),
            potential: -mass.mass * gravity.dot(centre),
        }
    }

    fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// What may give energy to bodies besides the fluid.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedBy {
    /// The fastest point of a scripted body `[m/s]`.
    pub scripted: f64,
    /// Motors.
    pub motors: Motors,
    /// Length of the step `[s]`.
    pub dt: f64,
}

/// The motors of all joints.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Motors {
    /// The power of all of them, at most `[W]`.
    power: f64,
    /// The fastest point of a body that one drives `[m/s]`.
    speed: f64,
}

impl Motors {
    pub fn of(joints: &[JointParams], bodies: &[BodyParams]) -> Self {
        let mut all = Self::default();
        for joint in joints {
            let (motor, lever) = match joint.kind {
                JointType::Hinge { motor: Some(motor), .. } => {
                    let pair = [Some(joint.first), joint.second].into_iter().flatten();
                    let reach = pair.filter_map(|body| bodies.get(body.index())).map(BodyParams::reach);
                    (motor, 2.0 * reach.fold(0.0, f64::max))
                }
                JointType::Slider { motor: Some(motor), .. } => (motor, 1.0),
                _ => continue,
            };
            all.power += motor.strength * motor.speed.abs();
            all.speed = all.speed.max(lever * motor.speed.abs());
        }
        all
    }
}

/// What a step has made of the energy of bodies, each with what it had before and after. `fall` is what gravity adds to velocities
/// in the step `[m/s]`.
///
/// What a scripted body gives at a contact or a joint is impulse times velocity. The impulses on a body are not known here, but what
/// they have done is: they are about as large as the change of its momentum that gravity does not explain, and that of its spin over
/// the body's size. Motors give no more than that either, nor than their power. Where no scripted body moves and no motor turns, both
/// are nothing.
pub(super) fn balance(
    bodies: impl Iterator<Item = (BodyEnergy, BodyEnergy)>,
    fall: DVec3,
    moved_by: MovedBy,
) -> Balance {
    let MovedBy { scripted, motors, dt } = moved_by;
    let (mut sum, mut pushed) = (Balance::default(), 0.0);
    for (before, after) in bodies {
        // A course of the mass over time is no source of this kind: compared is energy per mass.
        let share = after.mass / before.mass;
        sum.gained += after.total() - share * before.total();
        sum.mass += after.mass;
        let impulse = (after.momentum - share * before.momentum - after.mass * fall).length();
        let turn = (after.spin - share * before.spin).length() / after.gyration.max(f64::MIN_POSITIVE);
        pushed += impulse + turn;
    }
    let most = |speed: f64| if speed > 0.0 { LEVER * speed * pushed } else { 0.0 };
    sum.supplied = most(scripted) + most(motors.speed).min(motors.power * dt);
    sum
}
