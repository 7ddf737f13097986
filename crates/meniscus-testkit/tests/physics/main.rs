//! Physics, by law.
//!
//! Modules `slow` hold what takes long; the fast tier leaves them out.

mod contact;
mod floating;
mod flow;
mod joints;
mod momentum;
mod rest;
mod schedule;
mod start;
mod walls;
mod worlds;
