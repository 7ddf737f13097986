//! The driver: the same bits however it is run, steps that fail and are taken again, numbers that make no sense.

mod densities;
mod determinism;
mod not_finite;
mod order;
mod restart;
mod step_control;
