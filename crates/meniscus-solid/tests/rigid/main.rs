//! Rigid bodies beside formulas: momentum, friction, stacks, joints, schedules, and input that makes no sense.

mod common;
mod conservation;
mod degenerate;

mod energy;
mod incline;
mod joints;
mod mechanisms;
mod prediction;
mod rapier;
mod schedule;
mod seesaw;
mod stacking;
